package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ibid/budget"
	"ibid/llm"
)

// glutton never stops by itself: each turn it asks for as many results as it is told to. It counts three bytes of a
// request as a token, all of which it writes to a cache at a quarter more.
func glutton(calls int) (*llm.Local, func(llm.Usage) int64) {
	price := func(u llm.Usage) int64 { return (u.In*12 + u.CacheWrite*15 + u.Out*60 + 3) / 4 }
	return &llm.Local{ID: "glutton", Answer: func(_ context.Context, r llm.Request) (llm.Response, error) {
		body, err := json.Marshal(r)
		if err != nil {
			return llm.Response{}, err
		}
		u := llm.Usage{CacheWrite: int64(len(body) / 3), Out: int64(r.MaxTokens / 4), Known: true}
		if r.Choice == llm.ChoiceNone {
			return llm.Response{Blocks: []llm.Block{{Text: "the answer"}}, Stop: llm.StopEnd, Usage: u}, nil
		}
		resp := llm.Response{Stop: llm.StopTools, Usage: u}
		for i := range calls {
			resp.Blocks = append(resp.Blocks, llm.Block{Call: &llm.ToolCall{ID: fmt.Sprint("c", i), Name: "page", Args: fmt.Sprintf(`{"n":%d}`, len(r.Messages)*1000+i)}})
		}
		return resp, nil
	}}, price
}

// Whatever the limit, it is not overshot, and a run that could make its first call ends in the model's own answer: what
// tools say is never so long that the request for the answer could not be paid (law 3).
func TestTheAnswerCanAlwaysBePaid(t *testing.T) {
	page := testTool{"page", func(Call) (Action, error) {
		return Action{Then: func([]Outcome) Result { return Result{Content: strings.Repeat("A line of a page. ", 450)} }}, nil
	}}
	for _, calls := range []int{1, 3, 100} {
		model, price := glutton(calls)
		for _, limits := range []budget.Limits{
			{Tokens: 8_000}, {Tokens: 20_000}, {Tokens: 60_000}, {Tokens: 200_000}, {Tokens: 800_000}, {Tokens: 1_000_000, Steps: 30},
			{MicroUSD: 40_000}, {MicroUSD: 100_000}, {MicroUSD: 500_000}, {MicroUSD: 1_500_000, Tokens: 2_000_000},
		} {
			s := session(limits, page)
			s.Ledger = budget.NewLedger(limits, budget.Standard.Closing())
			a, err := (&Loop{Model: model, Price: price}).Run(context.Background(), s)
			if err != nil {
				t.Fatal(err)
			}
			spent := s.Ledger.Spent()
			if limits.Tokens > 0 && spent.Tokens > limits.Tokens || limits.MicroUSD > 0 && spent.MicroUSD > limits.MicroUSD {
				t.Errorf("%d calls, %+v: overshot, %+v", calls, limits, spent)
			}
			if a.Text != "the answer" {
				t.Errorf("%d calls, %+v: no answer after %d steps, %s: %+v", calls, limits, a.Steps, a.Stop, spent)
			}
			answered(t, a.History)
		}
	}
}

// A limit that pays for nothing is not overshot either.
func TestATinyLimitPaysForNothing(t *testing.T) {
	model, price := glutton(1)
	for _, limits := range []budget.Limits{{Tokens: 1}, {MicroUSD: 1}, {Tokens: 1500, MicroUSD: 20}, {MicroUSD: 15_000}} {
		s := session(limits)
		s.Ledger = budget.NewLedger(limits, budget.Standard.Closing())
		a, err := (&Loop{Model: model, Price: price}).Run(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		if spent := s.Ledger.Spent(); spent.Tokens > 0 || spent.MicroUSD > 0 || !strings.HasPrefix(string(a.Stop), "budget:") {
			t.Errorf("%+v: %s, %+v", limits, a.Stop, spent)
		}
	}
}

// A step that brings more than the model's window holds is left out, and the answer is made of what was known before it.
func TestTheAnswerFitsTheWindow(t *testing.T) {
	big := testTool{"page", func(c Call) (Action, error) {
		return Action{Then: func([]Outcome) Result { return Result{Content: strings.Repeat("x", 8000)} }}, nil
	}}
	for _, calls := range []int{1, 2, 9} {
		model, _ := glutton(calls)
		narrow := &window{Local: model, bytes: 30_000}
		a, err := (&Loop{Model: narrow}).Run(context.Background(), session(budget.Limits{}, big))
		if err != nil || a.Stop != StopFull || a.Text != "the answer" || narrow.requests > 20 {
			t.Errorf("%d calls a step: %s, %q after %d requests, %v", calls, a.Stop, a.Text, narrow.requests, err)
		}
		answered(t, a.History)
	}
}

// window is a model that takes requests of so many bytes.
type window struct {
	*llm.Local
	bytes, requests int
}

func (w *window) Send(ctx context.Context, body []byte, key string) ([]byte, error) {
	w.requests++
	if len(body) > w.bytes {
		return nil, &llm.Error{Kind: llm.TooLong, Status: 400, Message: "prompt is too long"}
	}
	return w.Local.Send(ctx, body, key)
}
