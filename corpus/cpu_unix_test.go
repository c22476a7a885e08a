//go:build unix

package corpus

import (
	"syscall"
	"testing"
	"time"
)

// cpuTime is what this process has worked so far: on a busy machine it says more than the clock.
func cpuTime(t testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
