package agent

import (
	"context"
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

// aside is a model that answers requests outside of the conversation.
func aside(answer func(context.Context) (llm.Response, error)) *Loop {
	return &Loop{Model: &llm.Local{ID: "aside", Answer: func(ctx context.Context, _ llm.Request) (llm.Response, error) { return answer(ctx) }},
		Price: func(u llm.Usage) int64 { return 2 * u.Total() }}
}

func asked(t *testing.T, l *Loop, texts ...string) (effects []Effect) {
	t.Helper()
	for _, text := range texts {
		e, err := l.Aside("judge", "run", llm.Request{Messages: []llm.Message{{Role: llm.User, Blocks: []llm.Block{{Text: text}}}}, MaxTokens: 100}, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		effects = append(effects, e)
	}
	return effects
}

// A call aside is reserved at its worst case and settled by what it used, and it is no step. What does not fit is not asked,
// and the share of the closing answer stays whole.
func TestAsideIsPaidFromTheBudget(t *testing.T) {
	var calls atomic.Int32
	l := aside(func(context.Context) (llm.Response, error) {
		calls.Add(1)
		return llm.Response{Usage: llm.Usage{In: 10, Out: 5, Known: true}}, nil
	})
	effects := asked(t, l, "a", "b", "c")
	worst := effects[0].Cost
	if worst.Steps != 0 || worst.Tokens < 100 || worst.MicroUSD != 2*worst.Tokens {
		t.Fatalf("reserved %+v", worst)
	}
	closing := budget.Amount{Tokens: 2 * worst.Tokens, MicroUSD: 4 * worst.Tokens, Millis: 1000}
	ledger := budget.NewLedger(budget.Limits{Tokens: 4*worst.Tokens + 10, MicroUSD: 8*worst.Tokens + 20, Millis: 60_000}, closing)
	s := &Session{Lane: "lead", Ledger: ledger}
	out, err := s.Perform(t.Context(), "lead/report", effects)
	if err != nil || len(out) != 3 || calls.Load() != 2 {
		t.Fatalf("%+v, %v after %d calls", out, err, calls.Load())
	}
	var over *budget.Exhausted
	if out[0].Err != nil || len(out[0].Body) == 0 || !errors.As(out[2].Err, &over) {
		t.Errorf("outcomes %+v", out)
	}
	if spent := ledger.Spent(); spent.Tokens != 30 || spent.MicroUSD != 60 || spent.Steps != 0 || ledger.Held() != (budget.Amount{}) {
		t.Errorf("spent %+v, held %+v", spent, ledger.Held())
	}
	if left := ledger.LeftClosing().Sub(ledger.Left()); left.Tokens != closing.Tokens || left.MicroUSD != closing.MicroUSD {
		t.Errorf("of the closing share is left %+v", left)
	}
}

// A model that hangs costs its time and what it may have cost, and one that refuses costs nothing.
func TestAsideFails(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(context.Context) (llm.Response, error)
		says   string
		paid   bool
	}{
		"hangs": {func(ctx context.Context) (llm.Response, error) { <-ctx.Done(); return llm.Response{}, ctx.Err() }, "no answer within 1.0 s", true},
		"refuses": {func(context.Context) (llm.Response, error) {
			return llm.Response{}, &llm.Error{Kind: llm.RateLimited, Status: 429, Message: "later"}
		}, "later", false},
		"is huge": {func(context.Context) (llm.Response, error) {
			return llm.Response{Blocks: []llm.Block{{Text: strings.Repeat("x", maxAside)}}, Usage: llm.Usage{Known: true}}, nil
		}, "is the limit", true},
		"does not say what it used": {func(context.Context) (llm.Response, error) { return llm.Response{}, nil }, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				effects := asked(t, aside(c.answer), "a")
				ledger := budget.NewLedger(budget.Limits{Tokens: 10_000, Millis: 60_000}, budget.Amount{})
				out, err := (&Session{Ledger: ledger}).Perform(t.Context(), "lead/report", effects)
				if err != nil || (out[0].Err != nil) != (c.says != "") || out[0].Err != nil && !strings.Contains(out[0].Err.Error(), c.says) {
					t.Fatalf("%+v, %v", out, err)
				}
				want := budget.Amount{}
				if c.paid {
					want = effects[0].Cost
				}
				want.Millis = ledger.Spent().Millis
				if got := ledger.Spent(); got != want || name == "hangs" && got.Millis != 1000 {
					t.Errorf("spent %+v, want %+v", got, want)
				}
			})
		})
	}
}

// What a person must decide before money is spent holds for calls aside, too.
func TestAsideIsGated(t *testing.T) {
	l := aside(func(context.Context) (llm.Response, error) { return llm.Response{}, fmt.Errorf("it was called") })
	ledger := budget.NewLedger(budget.Limits{}, budget.Amount{})
	ledger.Charge(budget.Amount{MicroUSD: 100})
	s := &Session{Ledger: ledger, Policy: gate.Policy{AskAbove: 50}, Approver: gate.Deny{}}
	out, err := s.Perform(t.Context(), "lead/report", asked(t, l, "a"))
	var denied *Denied
	if err != nil || !errors.As(out[0].Err, &denied) || denied.Policy != gate.PolicySpend {
		t.Errorf("%+v, %v", out, err)
	}
	s.Approver = waiting{}
	if _, err := s.Perform(t.Context(), "lead/report", asked(t, l, "a", "b")); !errors.Is(err, gate.ErrPending) || ledger.Held() != (budget.Amount{}) {
		t.Errorf("%v, held %+v", err, ledger.Held())
	}
}

type waiting struct{}

func (waiting) Decide(context.Context, gate.Request) (gate.Decision, error) {
	return gate.Decision{}, gate.ErrPending
}
