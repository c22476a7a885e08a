package runs_test

import (
	"testing"

	"ibid/runs"
	"ibid/runs/runstest"
)

// What is said of a Service holds of the desk of this machine.
func TestService(t *testing.T) {
	e, _ := runstest.Engine(t)
	runstest.Conform(t, e, func(user string) runs.Service { return e.For(user) })
}
