package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ibid/budget"
	"ibid/gate"
	"ibid/llm"
)

// script is a model that gives its answers in order; past the end it answers "done". It keeps the requests it got.
func script(requests *[]llm.Request, answers ...llm.Response) *llm.Local {
	n := 0
	return &llm.Local{ID: "script", Answer: func(_ context.Context, r llm.Request) (llm.Response, error) {
		if requests != nil {
			*requests = append(*requests, r)
		}
		n++
		if n > len(answers) {
			return llm.Response{Blocks: []llm.Block{{Text: "done"}}, Stop: llm.StopEnd, Usage: llm.Usage{In: 10, Out: 5, Known: true}}, nil
		}
		return answers[n-1], nil
	}}
}

// asks is an answer that calls tools: name, args, name, args …
func asks(pairs ...string) llm.Response {
	r := llm.Response{Stop: llm.StopTools, Usage: llm.Usage{In: 10, Out: 5, Known: true}}
	for i := 0; i < len(pairs); i += 2 {
		r.Blocks = append(r.Blocks, llm.Block{Call: &llm.ToolCall{ID: fmt.Sprintf("c%d", i/2), Name: pairs[i], Args: pairs[i+1]}})
	}
	return r
}

// testTool is a tool made of functions.
type testTool struct {
	name  string
	admit func(Call) (Action, error)
}

func (t testTool) Spec() llm.Tool {
	return llm.Tool{Name: t.name, Description: t.name, Schema: json.RawMessage(`{"type":"object"}`)}
}
func (t testTool) Admit(c Call) (Action, error) { return t.admit(c) }

// fetcher counts the reads that really happen; reads of a URL with "fail" in it fail.
func fetcher(count *atomic.Int64) testTool {
	return testTool{"fetch", func(c Call) (Action, error) {
		var args struct {
			URL string `json:"url"`
		}
		if err := Decode(c.Args, &args); err != nil {
			return Action{}, err
		}
		return Action{
			Effects: []Effect{{Kind: "fetch", URL: args.URL, Input: args, Cost: budget.Amount{Reads: 1},
				Run: func(context.Context) ([]byte, budget.Amount, error) {
					count.Add(1)
					if strings.Contains(args.URL, "fail") {
						return nil, budget.Amount{Reads: 1}, errors.New("connection reset")
					}
					return []byte("page " + args.URL), budget.Amount{Reads: 1}, nil
				}}},
			Then: func(o []Outcome) Result {
				if o[0].Err != nil {
					return Result{Content: o[0].Err.Error(), IsError: true}
				}
				return Result{Content: string(o[0].Body)}
			},
		}, nil
	}}
}

func session(limits budget.Limits, tools ...Tool) *Session {
	return &Session{Lane: "lead", Ledger: budget.NewLedger(limits, budget.Amount{Steps: 1}), Tools: tools,
		Prompt: []llm.Message{{Role: llm.User, Blocks: []llm.Block{{Text: "Question: x"}}}}}
}

// results returns the tool results of a history, in order.
func results(history []llm.Message) []llm.ToolResult {
	var rs []llm.ToolResult
	for _, m := range history {
		for _, b := range m.Blocks {
			if b.Result != nil {
				rs = append(rs, *b.Result)
			}
		}
	}
	return rs
}

// answered fails the test unless every call of the history has exactly one result, right after it and in its order.
func answered(t *testing.T, history []llm.Message) {
	t.Helper()
	for i, m := range history {
		var ids, got []string
		for _, b := range m.Blocks {
			if b.Call != nil {
				ids = append(ids, b.Call.ID)
			}
		}
		if len(ids) == 0 {
			continue
		}
		if i+1 < len(history) {
			for _, b := range history[i+1].Blocks {
				if b.Result != nil {
					got = append(got, b.Result.ID)
				}
			}
		}
		if strings.Join(ids, " ") != strings.Join(got, " ") {
			t.Errorf("calls %v were answered by %v", ids, got)
		}
	}
}

func TestAnswersAreInTheOrderAsked(t *testing.T) {
	gates := []chan struct{}{make(chan struct{}), make(chan struct{}), make(chan struct{})}
	tool := testTool{"slow", func(c Call) (Action, error) {
		var args struct{ N int }
		if err := Decode(c.Args, &args); err != nil {
			return Action{}, err
		}
		return Action{
			Effects: []Effect{{Kind: "fetch", Input: args, Run: func(context.Context) ([]byte, budget.Amount, error) {
				if args.N < 2 {
					<-gates[args.N+1] // each waits for its successor: only a concurrent loop can finish
				}
				close(gates[args.N])
				return []byte(fmt.Sprint(args.N)), budget.Amount{}, nil
			}}},
			Then: func(o []Outcome) Result { return Result{Content: string(o[0].Body)} },
		}, nil
	}}
	l := &Loop{Model: script(nil, asks("slow", `{"N":0}`, "slow", `{"N":1}`, "slow", `{"N":2}`))}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	a, err := l.Run(ctx, session(budget.Limits{Steps: 5}, tool))
	if err != nil || a.Stop != StopDone {
		t.Fatalf("stop %q, %v", a.Stop, err)
	}
	answered(t, a.History)
	for i, r := range results(a.History) {
		if r.Content != fmt.Sprint(i) {
			t.Errorf("result %d is %q", i, r.Content)
		}
	}
}

// However a tool or a call is broken, the run goes on and the model reads what to do (LOOP-4).
func TestNoToolFailsTheRun(t *testing.T) {
	var n atomic.Int64
	tools := []Tool{fetcher(&n),
		testTool{"admitpanic", func(Call) (Action, error) { panic("boom") }},
		testTool{"thenpanic", func(Call) (Action, error) {
			return Action{Then: func([]Outcome) Result { panic("boom") }}, nil
		}},
		testTool{"effectpanic", func(Call) (Action, error) {
			return Action{Effects: []Effect{{Kind: "x", Run: func(context.Context) ([]byte, budget.Amount, error) { panic("boom") }}},
				Then: func(o []Outcome) Result { return Result{Content: o[0].Err.Error(), IsError: true} }}, nil
		}},
	}
	l := &Loop{Model: script(nil, asks("nosuch\x1b[31m", "{}", "fetch", "", "fetch", `{"url":`, "fetch", `[1]`, "fetch", `{"url":"https://a.example/fail"}`,
		"admitpanic", "{}", "thenpanic", "{}", "effectpanic", "{}", "fetch", `{"url":"https://a.example/"} trailing`))}
	a, err := l.Run(context.Background(), session(budget.Limits{Steps: 5}, tools...))
	if err != nil || a.Stop != StopDone || a.Text != "done" {
		t.Fatalf("%+v, %v", a, err)
	}
	answered(t, a.History)
	for i, r := range results(a.History) {
		if !r.IsError {
			t.Errorf("call %d: %q is no error", i, r.Content)
		}
		if strings.Contains(r.Content, "goroutine") || strings.Contains(r.Content, ".go:") {
			t.Errorf("call %d shows a stack trace: %q", i, r.Content)
		}
	}
	if first := results(a.History)[0].Content; !strings.Contains(first, "fetch, admitpanic, thenpanic, effectpanic") {
		t.Errorf("an unknown tool must be answered with the list of those that exist: %q", first)
	}
	if n.Load() != 1 {
		t.Errorf("%d reads, want 1", n.Load())
	}
}

// The last permitted step offers no tools, and its definitions are still sent, so the prefix stays the same (LOOP-2).
func TestLastStepOffersNoTools(t *testing.T) {
	for steps := int64(1); steps <= 4; steps++ {
		var requests []llm.Request
		var n atomic.Int64
		more := asks("fetch", `{"url":"https://a.example/"}`)
		l := &Loop{Model: script(&requests, more, more, more, more, more, more)}
		a, err := l.Run(context.Background(), session(budget.Limits{Steps: steps}, fetcher(&n)))
		if err != nil || a.Stop != OverBudgetStop(budget.Steps) {
			t.Fatalf("steps %d: stop %q, %v", steps, a.Stop, err)
		}
		if int64(len(requests)) != steps {
			t.Errorf("%d model calls for a limit of %d", len(requests), steps)
		}
		for i, r := range requests {
			last := i == len(requests)-1
			if (r.Choice == llm.ChoiceNone) != last || len(r.Tools) != 1 {
				t.Errorf("steps %d: request %d has choice %s and %d tools", steps, i+1, r.Choice, len(r.Tools))
			}
		}
	}
}

// One turn that asks for more than remains is cut at the limit, in order, and every call is answered; failing reads
// count like others.
func TestBudgetIsExactWithinOneStep(t *testing.T) {
	var n atomic.Int64
	var calls []string
	for i := range 12 {
		calls = append(calls, "fetch", fmt.Sprintf(`{"url":"https://a.example/%d-%s"}`, i, map[bool]string{true: "fail", false: "ok"}[i == 1]))
	}
	l := &Loop{Model: script(nil, asks(calls...))}
	s := session(budget.Limits{Steps: 5, Reads: 3}, fetcher(&n))
	a, err := l.Run(context.Background(), s)
	if err != nil || a.Stop != StopDone {
		t.Fatalf("stop %q, %v", a.Stop, err)
	}
	answered(t, a.History)
	rs := results(a.History)
	for i, r := range rs {
		if over := strings.Contains(r.Content, "BUDGET"); over != (i >= 3) {
			t.Errorf("call %d: %q", i, r.Content)
		}
	}
	if !strings.Contains(rs[0].Content, "[0 reads left]") {
		t.Errorf("what is left is not told: %q", rs[0].Content)
	}
	if n.Load() != 3 || s.Ledger.Spent().Reads != 3 {
		t.Errorf("%d reads happened, %d were charged, want 3", n.Load(), s.Ledger.Spent().Reads)
	}
}

// A hard limit ends in an answer, never in a bare error (LOOP-3), paid from the share set aside.
func TestHardLimitsEndInAnAnswer(t *testing.T) {
	for _, c := range []budget.Currency{budget.Tokens, budget.Dollars} {
		t.Run(string(c), func(t *testing.T) {
			var requests []llm.Request
			var n atomic.Int64
			more := asks("fetch", `{"url":"https://a.example/"}`)
			more.Usage = llm.Usage{In: 900, Out: 100, Known: true}
			l := &Loop{Model: script(&requests, more, more, more, more, more, more, more, more), MaxTokens: 100,
				Price: func(u llm.Usage) int64 { return u.Total() }}
			limits := budget.Limits{Tokens: 4000}
			closing := budget.Amount{Tokens: 2000}
			if c == budget.Dollars {
				limits, closing = budget.Limits{MicroUSD: 4000}, budget.Amount{MicroUSD: 2000}
			}
			s := session(limits, fetcher(&n))
			s.Ledger = budget.NewLedger(limits, closing)
			a, err := l.Run(context.Background(), s)
			if err != nil || a.Stop != OverBudgetStop(c) {
				t.Fatalf("stop %q, %v", a.Stop, err)
			}
			if last := requests[len(requests)-1]; last.Choice != llm.ChoiceNone {
				t.Error("the last call was not the closing one")
			}
			if spent := c.In(s.Ledger.Spent()); spent > c.In(budget.Amount(limits)) {
				t.Errorf("spent %d of %d", spent, c.In(budget.Amount(limits)))
			}
		})
	}
}

// Time that runs out in the middle of a model call is a spent budget like any other: it ends in the closing call, whose
// time was set aside; and if that is not enough either, in the same stop reason, never in a failure.
func TestTimeRunsOutInAModelCall(t *testing.T) {
	for name, closes := range map[string]bool{"closing in time": true, "closing too slow": false} {
		synctest.Test(t, func(t *testing.T) {
			var choices []llm.Choice
			model := &llm.Local{ID: "slow", Answer: func(ctx context.Context, r llm.Request) (llm.Response, error) {
				choices = append(choices, r.Choice)
				if closes && r.Choice == llm.ChoiceNone {
					return llm.Response{Blocks: []llm.Block{{Text: "so far"}}, Stop: llm.StopEnd, Usage: llm.Usage{Known: true}}, nil
				}
				<-ctx.Done()
				return llm.Response{}, ctx.Err()
			}}
			s := session(budget.Limits{Steps: 9, Millis: 10_000})
			s.Ledger = budget.NewLedger(budget.Limits{Steps: 9, Millis: 10_000}, budget.Amount{Steps: 1, Millis: 3_000})
			began := time.Now()
			a, err := (&Loop{Model: model}).Run(t.Context(), s)
			if err != nil || a.Stop != OverBudgetStop(budget.Seconds) || (a.Text == "so far") != closes {
				t.Errorf("%s: %+v, %v", name, a, err)
			}
			if len(choices) != 2 || choices[1] != llm.ChoiceNone {
				t.Errorf("%s: calls %v; want one, and the closing one", name, choices)
			}
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("%s: took %v of 10 s", name, took)
			}
			if spent := s.Ledger.Spent().Tokens; spent < 4096 || !a.Guessed {
				t.Errorf("%s: a call that we hung up on was charged %d tokens; guessed: %t", name, spent, a.Guessed)
			}
		})
	}
}

// Unknown usage is not zero: it is charged at what was reserved.
func TestUnknownUsageIsCharged(t *testing.T) {
	answer := llm.Response{Blocks: []llm.Block{{Text: "hi"}}, Stop: llm.StopEnd}
	s := session(budget.Limits{Steps: 3, Tokens: 100_000})
	if _, err := (&Loop{Model: script(nil, answer), MaxTokens: 500}).Run(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	if got := s.Ledger.Spent().Tokens; got <= 500 {
		t.Errorf("%d tokens charged for a call of unknown usage; its worst case is more than its 500 of answer", got)
	}
}

// A cut answer runs none of its calls, even if their arguments parse.
func TestCutAnswerRunsNothing(t *testing.T) {
	var n atomic.Int64
	cut := asks("fetch", `{"url":"https://a.example/"}`)
	cut.Stop = llm.StopLength
	a, err := (&Loop{Model: script(nil, cut)}).Run(context.Background(), session(budget.Limits{Steps: 5}, fetcher(&n)))
	if err != nil || n.Load() != 0 {
		t.Fatalf("%d reads, %v", n.Load(), err)
	}
	answered(t, a.History)
}

// A run that brings nothing new stops and answers (stalled), and the same call with the same result is refused.
func TestLoopGuard(t *testing.T) {
	var n atomic.Int64
	var answers []llm.Response
	for range 50 {
		answers = append(answers, asks("fetch", `{"url":"https://a.example/"}`))
	}
	s := session(budget.Limits{Steps: 40}, fetcher(&n))
	s.Progress = func() string { return "same" }
	a, err := (&Loop{Model: script(nil, answers...)}).Run(context.Background(), s)
	if err != nil || a.Stop != StopStalled {
		t.Fatalf("stop %q, %v", a.Stop, err)
	}
	if a.Steps > 8 {
		t.Errorf("%d steps before it stopped", a.Steps)
	}
	if n.Load() != 3 {
		t.Errorf("the same call ran %d times, want 3", n.Load())
	}
}

// A model that keeps failing ends the run with a reason, not with an error (LOOP-4).
func TestFailingModel(t *testing.T) {
	calls := 0
	model := &llm.Local{ID: "broken", Answer: func(context.Context, llm.Request) (llm.Response, error) {
		calls++
		return llm.Response{}, errors.New("overloaded")
	}}
	a, err := (&Loop{Model: model, Backoff: time.Nanosecond}).Run(context.Background(), session(budget.Limits{Steps: 10}))
	if err != nil || a.Stop != StopFailed || a.Err == nil {
		t.Fatalf("%+v, %v", a, err)
	}
	if calls != 4 {
		t.Errorf("%d attempts, want 4", calls)
	}
}

// A denied effect never happens, and the model reads why; the approver sees the exact arguments (GATE-2).
func TestDeniedEffectNeverHappens(t *testing.T) {
	var n atomic.Int64
	s := session(budget.Limits{Steps: 5}, fetcher(&n))
	s.Policy = gate.Policy{AllowedHosts: []string{"one.example"}}
	s.Approver = gate.NewScript(false, true)
	l := &Loop{Model: script(nil, asks("fetch", `{"url":"https://two.example/a"}`, "fetch", `{"url":"https://one.example/a"}`,
		"fetch", `{"url":"https://two.example/b"}`, "fetch", `{"url":"https://two.example/c"}`))}
	a, err := l.Run(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	rs := results(a.History)
	for i, denied := range []bool{true, false, false, true} {
		if got := strings.Contains(rs[i].Content, "DENIED"); got != denied {
			t.Errorf("call %d: %q", i, rs[i].Content)
		}
	}
	if n.Load() != 2 {
		t.Errorf("%d reads, want 2", n.Load())
	}
}

// An effect that cannot be changed does not happen with other arguments than it was asked for, whoever says yes to them.
func TestChangedEffectNeverHappens(t *testing.T) {
	var n atomic.Int64
	s := session(budget.Limits{Steps: 5}, fetcher(&n))
	s.Policy, s.Approver = gate.Policy{AllowedHosts: []string{"one.example"}}, changing{}
	a, err := (&Loop{Model: script(nil, asks("fetch", `{"url":"https://two.example/a"}`))}).Run(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if got := results(a.History)[0].Content; !strings.Contains(got, "DENIED") || n.Load() != 0 {
		t.Errorf("%d reads, %q", n.Load(), got)
	}
}

// changing says yes, to something else.
type changing struct{}

func (changing) Decide(_ context.Context, r gate.Request) (gate.Decision, error) {
	args := json.RawMessage(`{"url":"https://three.example/"}`)
	return gate.Decision{Allow: true, By: "changing", Hash: r.Hash(), Args: args, Done: r.With(args).Hash()}, nil
}

func TestCancelledRunSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	model := &llm.Local{ID: "m", Answer: func(ctx context.Context, _ llm.Request) (llm.Response, error) {
		cancel()
		return llm.Response{}, ctx.Err()
	}}
	a, err := (&Loop{Model: model}).Run(ctx, session(budget.Limits{Steps: 10}))
	if err != nil || a.Stop != StopCancelled {
		t.Fatalf("stop %q, %v", a.Stop, err)
	}
}

// The history only grows: each request begins with the messages of the one before (law 12).
func TestHistoryIsAppendOnly(t *testing.T) {
	var requests []llm.Request
	var n atomic.Int64
	l := &Loop{Model: script(&requests, asks("fetch", `{"url":"https://a.example/1"}`), asks("fetch", `{"url":"https://a.example/2"}`))}
	if _, err := l.Run(context.Background(), session(budget.Limits{Steps: 10}, fetcher(&n))); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(requests); i++ {
		before, _ := json.Marshal(requests[i-1].Messages)
		after, _ := json.Marshal(requests[i].Messages[:len(requests[i-1].Messages)])
		if string(before) != string(after) {
			t.Errorf("request %d does not begin with request %d", i+1, i)
		}
	}
}
