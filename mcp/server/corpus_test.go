package server

import "testing"

// An error and its hint are two sentences where there is one line for both.
func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"there is no run x\nSee them with: ibid runs list": "there is no run x. See them with: ibid runs list",
		"It is over.\nOpen another.":                       "It is over. Open another.",
		"there is no question":                             "there is no question",
	} {
		if got := oneLine(in); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
