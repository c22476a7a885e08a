package agent

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"ibid/budget"
	"ibid/llm"
)

// failing is a model that fails with these errors in order, and then answers.
func failing(calls *int, errs ...error) llm.Model {
	return raw{&llm.Local{ID: "failing", Answer: func(context.Context, llm.Request) (llm.Response, error) {
		return llm.Response{Blocks: []llm.Block{{Text: "done"}}, Stop: llm.StopEnd, Usage: llm.Usage{In: 10, Out: 5, Known: true}}, nil
	}}, calls, errs}
}

// raw sends its errors as they are, as a provider's codec does.
type raw struct {
	*llm.Local
	calls *int
	errs  []error
}

func (m raw) Send(ctx context.Context, body []byte, key string) ([]byte, error) {
	*m.calls++
	if n := *m.calls; n <= len(m.errs) {
		return nil, m.errs[n-1]
	}
	return m.Local.Send(ctx, body, key)
}

func TestRetries(t *testing.T) {
	limited := &llm.Error{Kind: llm.RateLimited, Status: 429, RetryAfter: 7 * time.Second, Message: "slow down"}
	for _, tt := range []struct {
		name     string
		errs     []error
		limits   budget.Limits
		calls    int
		stop     Stop
		min, max time.Duration // waited
	}{
		{"Retry-After is honoured", []error{limited}, budget.Limits{}, 2, StopDone, 7 * time.Second, 11 * time.Second},
		{"pauses double", []error{&llm.Error{Kind: llm.Overloaded, Status: 529, Message: "x"}, &llm.Error{Kind: llm.Server, Status: 500, Message: "x"}}, budget.Limits{}, 3, StopDone, 3 * time.Second, 5 * time.Second},
		{"attempts are bounded", []error{limited, limited, limited, limited, limited}, budget.Limits{}, 4, StopFailed, 21 * time.Second, 33 * time.Second},
		{"a wait that the run's time does not allow is not begun", []error{limited}, budget.Limits{Millis: 6000}, 1, StopFailed, 0, 0},
		{"nor one without measure", []error{&llm.Error{Kind: llm.RateLimited, RetryAfter: time.Hour, Message: "x"}}, budget.Limits{}, 1, StopFailed, 0, 0},
		{"a refused key is not tried again", []error{&llm.Error{Kind: llm.Auth, Status: 401, Message: "set X"}}, budget.Limits{}, 1, StopFailed, 0, 0},
		{"nor a bad request", []error{&llm.Error{Kind: llm.BadRequest, Status: 400, Message: "x"}}, budget.Limits{}, 1, StopFailed, 0, 0},
		{"nor an empty account", []error{&llm.Error{Kind: llm.Quota, Status: 429, Message: "x"}}, budget.Limits{}, 1, StopFailed, 0, 0},
		{"a full window ends in what is there", []error{&llm.Error{Kind: llm.TooLong, Status: 400, Message: "x"}}, budget.Limits{}, 1, StopFull, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				began := time.Now()
				s := session(tt.limits)
				a, err := (&Loop{Model: failing(&calls, tt.errs...)}).Run(t.Context(), s)
				waited := time.Since(began)
				if err != nil || a.Stop != tt.stop || calls != tt.calls {
					t.Fatalf("stop %q after %d calls, %v; want %q after %d", a.Stop, calls, err, tt.stop, tt.calls)
				}
				if waited < tt.min || waited > tt.max {
					t.Errorf("waited %v, want %v to %v", waited, tt.min, tt.max)
				}
				if spent := time.Duration(s.Ledger.Spent().Millis) * time.Millisecond; spent < waited-10*time.Millisecond {
					t.Errorf("the wait of %v was charged as %v", waited, spent)
				}
				if steps := s.Ledger.Spent().Steps; steps != int64(tt.calls) {
					t.Errorf("%d attempts were charged as %d steps", tt.calls, steps)
				}
			})
		})
	}
}

// TestLostAnswersAreCharged: where the answer may have been made and was lost, all that was reserved is charged.
func TestLostAnswersAreCharged(t *testing.T) {
	for kind, want := range map[llm.ErrorKind]bool{llm.Network: true, llm.Malformed: true, llm.RateLimited: false, llm.Server: false, llm.Unreachable: false} {
		calls := 0
		s := session(budget.Limits{})
		a, err := (&Loop{Model: failing(&calls, &llm.Error{Kind: kind, Message: "x"}), MaxTokens: 5000, Backoff: time.Nanosecond}).Run(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if a.Guessed != want {
			t.Errorf("%s: guessed: %t", kind, a.Guessed)
		}
		if charged := s.Ledger.Spent().Tokens >= 5000; charged != want {
			t.Errorf("%s: charged %d tokens", kind, s.Ledger.Spent().Tokens)
		}
	}
}

// TestUnusableCallsEndTheLoop: a model that writes only calls that no tool can be asked with is told why, three times.
func TestUnusableCallsEndTheLoop(t *testing.T) {
	var requests []llm.Request
	var answers []llm.Response
	for i := range 10 {
		answers = append(answers, asks("fetch", fmt.Sprintf(`{"url": "https://a.example/%d`, i), "no_such", "{}"))
	}
	a, err := (&Loop{Model: script(&requests, answers...)}).Run(t.Context(), session(budget.Limits{Steps: 50}))
	if err != nil || a.Stop != StopStalled || len(requests) != 4 {
		t.Fatalf("stop %q after %d calls, %v", a.Stop, len(requests), err)
	}
}
