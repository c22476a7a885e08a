package agent

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"ibid/budget"
	"ibid/llm"
)

// TestStallIsToldOnce: a run that brings nothing new is told so once, and closed when it goes on like that; one that finds
// something after it was told goes on.
func TestStallIsToldOnce(t *testing.T) {
	for _, tt := range []struct {
		name      string
		tell      int
		finds     int // the step after which something is new once more; 0: never
		stop      Stop
		told      int
		stepsMost int
	}{
		{"not told", 0, 0, StopStalled, 0, 7},
		{"told, then closed", 3, 0, StopStalled, 1, 7},
		{"told, and it helps", 3, 5, StopDone, 1, 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var n atomic.Int64
			var requests []llm.Request
			var answers []llm.Response
			for i := range 9 {
				answers = append(answers, asks("fetch", fmt.Sprintf(`{"url":"https://a.example/%d"}`, i)))
			}
			s := session(budget.Limits{Steps: 40}, fetcher(&n))
			s.Progress = func() string { return fmt.Sprint(tt.finds > 0 && n.Load() > int64(tt.finds)) }
			a, err := (&Loop{Model: script(&requests, answers...), Guard: Guard{Tell: tt.tell}}).Run(context.Background(), s)
			if err != nil || a.Stop != tt.stop || a.Steps > tt.stepsMost {
				t.Fatalf("stop %q after %d steps, %v", a.Stop, a.Steps, err)
			}
			told := 0
			for _, m := range a.History {
				for _, b := range m.Blocks {
					if strings.Contains(b.Text, "no new source") {
						told++
					}
				}
			}
			if told != tt.told {
				t.Errorf("told %d times, want %d", told, tt.told)
			}
		})
	}
}

// TestRepeatsAreCounted: a call that gives the same result each time is refused the fourth time, also where others are
// made between; one whose result changes is not.
func TestRepeatsAreCounted(t *testing.T) {
	ran := map[string]int{}
	tool := testTool{"poll", func(c Call) (Action, error) {
		return Action{Then: func([]Outcome) Result {
			ran[string(c.Args)]++
			if strings.Contains(string(c.Args), "changes") {
				return Result{Content: fmt.Sprint(ran[string(c.Args)])}
			}
			return Result{Content: "same"}
		}}, nil
	}}
	var answers []llm.Response
	for range 5 {
		answers = append(answers, asks("poll", `{"a":1}`), asks("poll", `{"changes":1}`), asks("poll", `{"b":1}`))
	}
	a, err := (&Loop{Model: script(nil, answers...)}).Run(context.Background(), session(budget.Limits{Steps: 40}, tool))
	if err != nil || a.Stop != StopDone {
		t.Fatalf("stop %q, %v", a.Stop, err)
	}
	for args, want := range map[string]int{`{"a":1}`: 3, `{"b":1}`: 3, `{"changes":1}`: 5} {
		if ran[args] != want {
			t.Errorf("%s ran %d times, want %d", args, ran[args], want)
		}
	}
}
