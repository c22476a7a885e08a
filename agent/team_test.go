package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ibid/budget"
	"ibid/gate"
	"ibid/llm"
)

// three directions, of four, three and two steps.
func threeDirections() map[string][]llm.Response {
	return map[string][]llm.Response{
		"lead": {spawns(3), waits},
		"a1":   {finds(1), finds(2), finds(3)},
		"a2":   {finds(4), finds(5)},
		"a3":   {finds(6)},
	}
}

// TestTeamTakesAsLongAsItsSlowest: a run is bounded by its slowest branch, not by the sum (TEAM-1), and so is the time
// that it is charged.
func TestTeamTakesAsLongAsItsSlowest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTroupe(t, threeDirections())
		w.before = func(_ context.Context, lane string, _ int) error {
			if lane != "lead" {
				time.Sleep(50 * time.Millisecond)
			}
			return nil
		}
		began := time.Now()
		a, _, ledger, err := w.run(t.Context(), nil, budget.Limits{Steps: 60, Millis: 10_000}, nil)
		if err != nil || a.Stop != StopDone {
			t.Fatalf("stop %q, %v", a.Stop, err)
		}
		slowest := 4 * 50 * time.Millisecond
		if took := time.Since(began); took > slowest*5/4 {
			t.Errorf("took %v; the slowest takes %v", took, slowest)
		}
		if charged := time.Duration(ledger.Spent().Millis) * time.Millisecond; charged != slowest {
			t.Errorf("charged %v; the slowest takes %v", charged, slowest)
		}
		if w.most != 3 {
			t.Errorf("%d worked at once, want 3", w.most)
		}
	})
}

// TestOnlySummariesReturn: what members said and read stays in their own conversations; the lead reads their summaries and
// what they found, in the order of spawning, whoever was faster (TEAM-1).
func TestOnlySummariesReturn(t *testing.T) {
	var first string
	for _, slow := range []string{"a1", "a2", "a3"} {
		synctest.Test(t, func(t *testing.T) {
			w := newTroupe(t, threeDirections())
			w.before = func(_ context.Context, lane string, _ int) error {
				if lane == slow {
					time.Sleep(time.Second)
				}
				return nil
			}
			a, team, _, err := w.run(t.Context(), nil, budget.Limits{Steps: 60}, nil)
			if err != nil || a.Stop != StopDone || team.Members() != 3 {
				t.Fatalf("stop %q, %v", a.Stop, err)
			}
			answered(t, a.History)
			body, err := json.Marshal(w.requests["lead"])
			if err != nil {
				t.Fatal(err)
			}
			if first == "" {
				first = string(body)
			}
			if string(body) != first {
				t.Errorf("what the lead reads depends on who was faster")
			}
			rs := results(a.History)
			if got := rs[len(rs)-1].Content; !strings.HasPrefix(got, "[fenced]") || strings.Index(got, "summary of a1") > strings.Index(got, "summary of a2") || !strings.Contains(got, "summary of a3") {
				t.Errorf("the lead reads %s", got)
			}
			for _, m := range a.History {
				for _, b := range m.Blocks {
					if b.Call != nil && b.Call.Name == "find" {
						t.Error("a member's call stands in the lead's conversation")
					}
				}
			}
			if want := 6; len(w.facts["lead"]) != want {
				t.Errorf("the lead knows %v", w.facts["lead"])
			}
		})
	}
}

// TestTeamLimits: every limit of a team is wired (law 9): at N it holds, at N+1 the model reads why.
func TestTeamLimits(t *testing.T) {
	for _, tt := range []struct {
		name   string
		limits TeamLimits
		script map[string][]llm.Response
		spawn  int
		refuse string
	}{
		{"parallel", TeamLimits{Depth: 1, Number: 9, Parallel: 2}, map[string][]llm.Response{"lead": {spawns(3), waits}}, 2, "too_many_at_once"},
		{"parallel, after waiting", TeamLimits{Depth: 1, Number: 9, Parallel: 2}, map[string][]llm.Response{"lead": {spawns(2), waits, spawns(2), waits}}, 4, ""},
		{"number", TeamLimits{Depth: 1, Number: 3, Parallel: 2}, map[string][]llm.Response{"lead": {spawns(2), waits, spawns(2), waits}}, 3, "too_many"},
		{"depth 1", TeamLimits{Depth: 1, Number: 9, Parallel: 2}, map[string][]llm.Response{"lead": {spawns(1), waits}, "a1": {spawns(1)}}, 1, `no tool "spawn_subagent"`},
		{"depth 2", TeamLimits{Depth: 2, Number: 9, Parallel: 2}, map[string][]llm.Response{"lead": {spawns(1), waits}, "a1": {spawns(1), waits}, "a1.1": {spawns(1)}}, 2, `no tool "spawn_subagent"`},
		{"none", TeamLimits{}, map[string][]llm.Response{"lead": {spawns(1)}}, 0, `no tool "spawn_subagent"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newTroupe(t, tt.script)
			w.limits = tt.limits
			a, team, _, err := w.run(t.Context(), nil, budget.Limits{}, nil)
			if err != nil || a.Stop != StopDone {
				t.Fatalf("stop %q, %v", a.Stop, err)
			}
			if team.Members() != tt.spawn {
				t.Errorf("%d agents, want %d", team.Members(), tt.spawn)
			}
			refused := 0
			for _, requests := range w.requests {
				for _, r := range results(requests[len(requests)-1].Messages) {
					if r.IsError && (tt.refuse == "" || !strings.Contains(r.Content, tt.refuse)) {
						t.Errorf("refused: %s", r.Content)
					}
					if r.IsError {
						refused++
					}
				}
			}
			if (refused > 0) != (tt.refuse != "") {
				t.Errorf("%d refusals", refused)
			}
		})
	}
}

// TestOneTouchesNoOther: a panic, a model that fails, a stall and a spent budget each end the one that they happen to; its
// siblings end as if nothing were, and the lead reads how each ended (TEAM-3).
func TestOneTouchesNoOther(t *testing.T) {
	circles := make([]llm.Response, 30)
	for i := range circles {
		circles[i] = asks("find", `{"n":1}`)
	}
	greedy := slices.Clone(circles)
	for i := range greedy {
		greedy[i] = finds(i)
	}
	for name, tt := range map[string]struct {
		script []llm.Response
		before func() error
		ended  Stop
	}{
		"panic":        {nil, func() error { panic("boom") }, StopFailed},
		"no model":     {nil, func() error { return errors.New("down") }, StopFailed},
		"stall":        {circles, nil, StopStalled},
		"spent budget": {greedy, nil, OverBudgetStop(budget.Steps)},
	} {
		t.Run(name, func(t *testing.T) {
			script := threeDirections()
			script["a2"] = tt.script
			w := newTroupe(t, script)
			w.before = func(_ context.Context, lane string, _ int) error {
				if lane == "a2" && tt.before != nil {
					return tt.before()
				}
				return nil
			}
			a, _, ledger, err := w.run(t.Context(), nil, budget.Limits{Steps: 60}, nil)
			if err != nil || a.Stop != StopDone {
				t.Fatalf("stop %q, %v", a.Stop, err)
			}
			rs := results(a.History)
			var read struct{ Agents []joined }
			if err := json.Unmarshal([]byte(strings.TrimPrefix(rs[len(rs)-1].Content, "[fenced]")), &read); err != nil {
				t.Fatal(err)
			}
			for i, want := range []Stop{StopDone, tt.ended, StopDone} {
				if read.Agents[i].Ended != want {
					t.Errorf("%s ended %q, want %q", read.Agents[i].Agent, read.Agents[i].Ended, want)
				}
			}
			if held := ledger.Held(); held != (budget.Amount{}) {
				t.Errorf("held after the end: %+v", held)
			}
		})
	}
	t.Run("panic of the program", func(t *testing.T) {
		w := newTroupe(t, threeDirections())
		a, _, _, err := w.run(t.Context(), nil, budget.Limits{Steps: 60}, func(s *Session) {
			s.Observe = func(e Event) {
				if e.Lane == "a2" && e.Kind == BeforeModel {
					panic("boom")
				}
			}
		})
		if err != nil || a.Stop != StopDone {
			t.Fatalf("stop %q, %v", a.Stop, err)
		}
		if got := results(a.History); !strings.Contains(got[len(got)-1].Content, "internal fault") {
			t.Errorf("the lead reads %s", got[len(got)-1].Content)
		}
	})
}

// TestCancelCascades: a run that is cancelled ends at once with all its members, and waits for none (TEAM-3).
func TestCancelCascades(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTroupe(t, threeDirections())
		ctx, cancel := context.WithCancel(t.Context())
		w.before = func(ctx context.Context, lane string, _ int) error {
			if lane == "lead" {
				return nil
			}
			if lane == "a3" {
				time.Sleep(time.Second)
				cancel()
			}
			<-ctx.Done()
			return ctx.Err()
		}
		began := time.Now()
		a, _, _, err := w.run(ctx, nil, budget.Limits{Steps: 60}, nil)
		if err != nil || a.Stop != StopCancelled {
			t.Fatalf("stop %q, %v", a.Stop, err)
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("ended %v after it began, want one second", took)
		}
	})
}

// TestNobodyIsForgotten: a lead that answers, or whose budget is spent, while others work for it waits for them and reads
// what they found before it may end.
func TestNobodyIsForgotten(t *testing.T) {
	busy := []llm.Response{spawns(2)}
	for i := range 20 {
		busy = append(busy, finds(100+i))
	}
	for name, tt := range map[string]struct {
		lead   []llm.Response
		limits budget.Limits
		stop   Stop
	}{
		"answers":      {[]llm.Response{spawns(2)}, budget.Limits{Steps: 60}, StopDone},
		"spent budget": {busy, budget.Limits{Steps: 20}, OverBudgetStop(budget.Steps)},
	} {
		t.Run(name, func(t *testing.T) {
			script := threeDirections()
			script["lead"] = tt.lead
			w := newTroupe(t, script)
			a, _, _, err := w.run(t.Context(), nil, tt.limits, nil)
			if err != nil || a.Stop != tt.stop {
				t.Fatalf("stop %q, %v", a.Stop, err)
			}
			requests := w.requests["lead"]
			body := fmt.Sprint(requests[len(requests)-1].Messages)
			if !strings.Contains(body, "summary of a1") || !strings.Contains(body, "summary of a2") || !strings.Contains(body, "outstanding") {
				t.Errorf("the lead ends without having read of its agents: %s", body)
			}
			if a.Text != "summary of lead" {
				t.Errorf("answer %q", a.Text)
			}
		})
	}
}

// TestMessages: agents that are spawned together can see why each is there, and write to one another and to their lead.
func TestMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTroupe(t, map[string][]llm.Response{
			"lead": {spawns(2), waits, asks("read_messages", `{}`, "read_messages", `{}`)},
			"a1": {asks("send_message", `{"to":"a2","text":"the year is 1912"}`, "send_message", `{"to":"lead","text":"look at 1912"}`,
				"send_message", `{"to":"a9","text":"x"}`, "send_message", `{"to":"a1","text":"x"}`, "send_message", `{"to":"a2","text":""}`)},
			"a2": {asks("list_siblings", `{}`), asks("read_messages", `{}`), asks("read_messages", `{}`)},
		})
		w.before = func(_ context.Context, lane string, step int) error {
			if lane == "a2" && step == 1 {
				time.Sleep(time.Second)
			}
			return nil
		}
		a, _, _, err := w.run(t.Context(), nil, budget.Limits{Steps: 60}, nil)
		if err != nil || a.Stop != StopDone {
			t.Fatalf("stop %q, %v", a.Stop, err)
		}
		last := func(lane string) []llm.ToolResult {
			requests := w.requests[lane]
			return results(requests[len(requests)-1].Messages)
		}
		for i, want := range []string{"send_message sent", "send_message sent", "send_message unknown", "send_message self", "send_message empty"} {
			if got := last("a1")[i]; !strings.HasPrefix(got.Content, want) || got.IsError != (i > 1) {
				t.Errorf("a1's message %d: %s", i, got.Content)
			}
		}
		two := last("a2")
		if !strings.Contains(two[0].Content, `"untrusted_reason":"it is one"`) || strings.Contains(two[0].Content, `"lead"`) {
			t.Errorf("siblings: %s", two[0].Content)
		}
		if !strings.Contains(two[1].Content, "the year is 1912") || !strings.HasPrefix(two[1].Content, "[fenced]") || !strings.HasPrefix(two[2].Content, "read_messages none") {
			t.Errorf("a2 reads %s, then %s", two[1].Content, two[2].Content)
		}
		lead := results(a.History)
		if got := lead[len(lead)-2].Content; !strings.Contains(got, "look at 1912") {
			t.Errorf("the lead reads %s", got)
		}
	})
}

// TestSpawnIsGated: where a person must say yes to a task, nobody is spawned without, and no budget is held.
func TestSpawnIsGated(t *testing.T) {
	for _, allow := range []bool{true, false} {
		w := newTroupe(t, map[string][]llm.Response{"lead": {asks("spawn_subagent", `{"task":"ask first","reason":"r"}`), waits}})
		a, team, ledger, err := w.run(t.Context(), nil, budget.Limits{Steps: 60}, func(s *Session) { s.Approver = gate.NewScript(allow) })
		if err != nil || a.Stop != StopDone {
			t.Fatalf("stop %q, %v", a.Stop, err)
		}
		if got := team.Members() == 1; got != allow || ledger.Held() != (budget.Amount{}) {
			t.Errorf("allowed: %t; %d agents, %+v held", allow, team.Members(), ledger.Held())
		}
	}
}

// TestReadsAreCountedAcrossTheTeam: a policy that asks after so many reads counts what the lead has read and what siblings may
// read with their shares, not each agent by itself.
func TestReadsAreCountedAcrossTheTeam(t *testing.T) {
	w := newTroupe(t, map[string][]llm.Response{"lead": {finds(1), finds(2), spawns(2), waits}, "a1": {finds(3), finds(4)}, "a2": {finds(5), finds(6)}})
	var mu sync.Mutex
	asked := map[string]int{}
	w.policy = gate.Policy{AskAfter: 3}
	w.approver = gate.Auto{}
	a, _, _, err := w.run(t.Context(), nil, budget.Limits{Steps: 60, Reads: 11}, func(s *Session) {
		s.Observe = func(e Event) {
			if e.Kind == Gated {
				mu.Lock()
				asked[e.Lane]++
				mu.Unlock()
			}
		}
	})
	if err != nil || a.Stop != StopDone {
		t.Fatalf("stop %q, %v", a.Stop, err)
	}
	// The lead has read two, each share is two: a1 comes to the fourth read with its second, a2 is past it from its first on.
	if asked["a1"] != 1 || asked["a2"] != 2 {
		t.Errorf("asked %v", asked)
	}
}
