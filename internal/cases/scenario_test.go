package cases

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"ibid/agent"
	"ibid/budget"
	"ibid/llm"
	"strings"
	"sync/atomic"
	"testing"
)

// scenario drives the loop with a scripted model; scenarios of parts that the product does not have are not run.
func scenario(t *testing.T, c failureCase) {
	var s struct {
		Limits map[string]float64
		Turns  []map[string]any
		Spawn  int
	}
	c.json(t, "file", &s)
	switch {
	case c.Class == "budget" && len(s.Turns) > 0:
		budgetScenario(t, c, s.Limits, s.Turns)
	case c.Class == "loop-guard":
		stallScenario(t, c, s.Limits, s.Turns)
	case c.Class == "budget":
		fanOut(t, c)
	case c.Class == "security":
		fetchScenario(t, c)
	default:
		t.Skipf("not run: no mapping for scenarios of class %s; the same property is a test of %s", c.Class, map[string]string{"run-lifecycle": "runs (kills) and journal (resume)", "gates": "journal (gates) and research (park and resume)"}[c.Class])
	}
}

// charged is a tool that costs one of a currency.
type charged struct {
	name string
	cost budget.Amount
	done *atomic.Int64
	urls *[]string
}

func (c charged) Spec() llm.Tool {
	return llm.Tool{Name: c.name, Schema: json.RawMessage(`{"type":"object"}`)}
}

func (c charged) Admit(call agent.Call) (agent.Action, error) {
	var args struct {
		URL, Query string
		Fails      bool
	}
	if err := agent.Decode(call.Args, &args); err != nil {
		return agent.Action{}, err
	}
	return agent.Action{
		Effects: []agent.Effect{{Kind: c.name, Input: args, Cost: c.cost, Run: func(context.Context) ([]byte, budget.Amount, error) {
			c.done.Add(1)
			if args.Fails {
				return nil, c.cost, errors.New("connection reset")
			}
			return []byte("ok"), c.cost, nil
		}}},
		Then: func(o []agent.Outcome) agent.Result {
			if o[0].Err != nil {
				return agent.Result{Content: o[0].Err.Error(), IsError: true}
			}
			*c.urls = append(*c.urls, args.URL)
			return agent.Result{Content: "ok"}
		},
	}, nil
}

// turnCalls reads a turn of a scenario.
func turnCalls(turn map[string]any) (calls []llm.ToolCall, final bool) {
	add := func(id, name string, args any) {
		body, err := json.Marshal(args)
		if err == nil {
			calls = append(calls, llm.ToolCall{ID: id, Name: name, Args: string(body)})
		}
	}
	if list, ok := turn["tool_calls"].([]any); ok {
		for _, v := range list {
			m := v.(map[string]any)
			add(fmt.Sprint(m["id"]), fmt.Sprint(m["name"]), m["args"])
		}
	}
	if u, ok := turn["fetch"]; ok {
		add("f", "fetch", map[string]any{"url": u, "fails": turn["fails"] == true})
	}
	if q, ok := turn["search"]; ok {
		add("s", "search", map[string]any{"query": q})
	}
	_, final = turn["final"]
	return calls, final
}

func play(turns []map[string]any) *llm.Local {
	n := -1
	return &llm.Local{ID: "script", Answer: func(_ context.Context, r llm.Request) (llm.Response, error) {
		resp := llm.Response{Stop: llm.StopEnd, Usage: llm.Usage{Known: true}}
		if n++; n >= len(turns) || r.Choice == llm.ChoiceNone {
			resp.Blocks = []llm.Block{{Text: "end"}}
			return resp, nil
		}
		calls, final := turnCalls(turns[n])
		if final {
			resp.Blocks = []llm.Block{{Text: fmt.Sprint(turns[n]["final"])}}
			return resp, nil
		}
		resp.Stop = llm.StopTools
		for i := range calls {
			resp.Blocks = append(resp.Blocks, llm.Block{Call: &calls[i]})
		}
		return resp, nil
	}}
}

func budgetScenario(t *testing.T, c failureCase, limits map[string]float64, turns []map[string]any) {
	var fetches, searches atomic.Int64
	var urls, none []string
	ledger := budget.NewLedger(budget.Limits{Reads: int64(limits["max_fetches"]), Searches: int64(limits["max_searches"])}, budget.Amount{})
	a, err := (&agent.Loop{Model: play(turns), Free: true}).Run(context.Background(), &agent.Session{Lane: "lead", Ledger: ledger,
		Tools: []agent.Tool{charged{"fetch", budget.Amount{Reads: 1}, &fetches, &urls}, charged{"search", budget.Amount{Searches: 1}, &searches, &none}}})
	if err != nil {
		t.Fatal(err)
	}
	refusals, answers := "", 0
	for _, m := range a.History {
		for _, b := range m.Blocks {
			if b.Result != nil {
				answers++
				if b.Result.IsError {
					refusals += b.Result.Content
				}
			}
		}
	}
	number := func(key string, got int64) {
		if want, ok := c.Expect[key].(float64); ok && got != int64(want) {
			t.Errorf("%s: %d, want %v", key, got, want)
		}
	}
	number("network_fetches", fetches.Load())
	number("provider_searches", searches.Load())
	number("answers", int64(answers))
	if counters, ok := c.Expect["counters"].(map[string]any); ok {
		spent := ledger.Spent()
		if float64(spent.Reads) != counters["fetches"] || float64(spent.Searches) != counters["searches"] {
			t.Errorf("charged %+v, want %v", spent, counters)
		}
	}
	if want := strs(c.Expect["fetched"]); len(want) > 0 && strings.Join(urls, " ") != strings.Join(want, " ") {
		t.Errorf("fetched %v, want %v", urls, want)
	}
	if want, ok := c.Expect["refusals_contain"].(string); ok && !strings.Contains(refusals, want) {
		t.Errorf("refusals %q", refusals)
	}
	if want, ok := c.Expect["run_status"].(string); ok && string(a.Stop) != want {
		t.Errorf("stop %s, want %s", a.Stop, want)
	}
}

func stallScenario(t *testing.T, c failureCase, limits map[string]float64, turns []map[string]any) {
	var searches atomic.Int64
	var urls []string
	a, err := (&agent.Loop{Model: play(turns), Free: true, Guard: agent.Guard{Stall: int(limits["stall_steps"])}}).Run(context.Background(), &agent.Session{
		Lane: "lead", Ledger: budget.NewLedger(budget.Limits{Steps: int64(limits["max_steps"])}, budget.Amount{Steps: 1}),
		Tools: []agent.Tool{charged{"search", budget.Amount{Searches: 1}, &searches, &urls}}, Progress: func() string { return "q1 open, nothing new" }})
	if err != nil {
		t.Fatal(err)
	}
	if string(a.Stop) != c.Expect["stop_reason"] || float64(a.Steps) > c.Expect["steps_max"].(float64) {
		t.Errorf("stop %s after %d steps, want %v within %v", a.Stop, a.Steps, c.Expect["stop_reason"], c.Expect["steps_max"])
	}
}

// fanOut: concurrent agents near a ceiling; each reservation is atomic.
func fanOut(t *testing.T, c failureCase) {
	var s struct {
		Limits struct {
			MaxUSD float64 `json:"max_usd"`
		} `json:"limits"`
		Spent float64 `json:"spent_usd"`
		Spawn int     `json:"spawn"`
		Each  struct {
			Reserve float64 `json:"reserve_usd"`
			Actual  float64 `json:"actual_usd"`
		} `json:"each"`
	}
	c.json(t, "file", &s)
	micro := func(usd float64) budget.Amount { return budget.Amount{MicroUSD: int64(usd*1e6 + 0.5)} }
	l := budget.NewLedger(budget.Limits(micro(s.Limits.MaxUSD)), budget.Amount{})
	l.Charge(micro(s.Spent))
	var admitted atomic.Int64
	holds := make(chan *budget.Hold, s.Spawn)
	done := make(chan struct{})
	for range s.Spawn {
		go func() {
			defer func() { done <- struct{}{} }()
			if h, err := l.Reserve(micro(s.Each.Reserve)); err == nil {
				admitted.Add(1)
				holds <- h
			}
		}()
	}
	for range s.Spawn {
		<-done
	}
	close(holds)
	for h := range holds {
		h.Settle(micro(s.Each.Actual))
	}
	if float64(admitted.Load()) != c.Expect["admitted"] || l.Spent().MicroUSD > micro(c.Expect["spent_usd_max"].(float64)).MicroUSD || l.Held() != (budget.Amount{}) {
		t.Errorf("%d admitted, %+v spent, %+v held", admitted.Load(), l.Spent(), l.Held())
	}
}
