package agent

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ibid/budget"
	"ibid/gate"
	"ibid/journal"
	"ibid/llm"
	"ibid/store"
)

// talking is a team whose members also write to one another, and one of which has a member of its own.
func talking() map[string][]llm.Response {
	return map[string][]llm.Response{
		"lead": {spawns(2), finds(9), asks("spawn_subagent", `{"task":"another","reason":"r"}`, "wait_subagents", `{}`), asks("read_messages", `{}`, "list_siblings", `{}`)},
		"a1":   {finds(1), asks("send_message", `{"to":"a2","text":"seen 1"}`), spawns(1), finds(2)},
		"a1.1": {finds(3), asks("send_message", `{"to":"a1","text":"seen 3"}`)},
		"a2":   {asks("read_messages", `{}`), finds(4), asks("read_messages", `{}`), asks("send_message", `{"to":"lead","text":"seen 4"}`)},
		"a3":   {asks("list_siblings", `{}`), finds(5)},
	}
}

// in is a journal with a run in it.
func in(t *testing.T) (*journal.Journal, string) {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "ibid.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	j := journal.Open(db, journal.Options{})
	id, err := j.Create(t.Context(), journal.Spec{Question: "q"})
	if err != nil {
		t.Fatal(err)
	}
	return j, id
}

// dawdle lets each model call take a random while, so that who is faster differs each time.
func dawdle(ctx context.Context, _ string, _ int) error {
	select {
	case <-time.After(time.Duration(rand.IntN(1000)) * time.Microsecond):
	case <-ctx.Done():
	}
	return ctx.Err()
}

// known is all that an ended run came to: what must be the same in a replay.
func known(t *testing.T, w *troupe, a Answer, spent budget.Amount) string {
	t.Helper()
	body, err := json.Marshal(struct {
		Text    string
		Stop    Stop
		Steps   int
		History []llm.Message
		Facts   []string
		Spent   budget.Amount
	}{a.Text, a.Stop, a.Steps, a.History, w.facts["lead"], spent})
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// TestTeamReplays: a record of agents that ran in one order is replayed in any other, to the byte, with nothing performed.
func TestTeamReplays(t *testing.T) {
	limits := budget.Limits{Steps: 100, Reads: 40, Millis: 60_000}
	for range 2 {
		j, id := in(t)
		w := newTroupe(t, talking())
		w.limits.Depth, w.before = 2, dawdle
		run, err := j.Claim(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		a, team, ledger, err := w.run(t.Context(), run, limits, nil)
		if err != nil || a.Stop != StopDone || team.Members() != 4 {
			t.Fatalf("stop %q, %d agents, %v", a.Stop, team.Members(), err)
		}
		want, calls := known(t, w, a, ledger.Spent()), len(w.calls)
		if err := run.Finish(t.Context(), journal.StateDone, "done"); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			replay, err := j.OpenReplay(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			a, _, ledger, err := w.run(t.Context(), replay, limits, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := replay.Finish(t.Context(), "", ""); err != nil {
				t.Fatal(err)
			}
			if got := known(t, w, a, ledger.Spent()); got != want {
				t.Fatalf("the replay came to something else:\n%s\n%s", want, got)
			}
			if len(w.calls) != calls {
				t.Error("the replay called the model")
			}
		}
	}
}

// TestTeamResumesAnywhere: a team that is interrupted after any of its events, and again, ends with what one ends with that
// was not; what is on record is not done again, and each agent is spawned once.
func TestTeamResumesAnywhere(t *testing.T) {
	limits := budget.Limits{}   // what is in doubt is charged at its worst, and what is left is told
	script := threeDirections() // no messages: what was read when is part of the record, and differs between two runs
	script["a1"] = append(script["a1"], spawns(1), waits)
	script["a1.1"] = []llm.Response{finds(7), finds(8)}
	whole := newTroupe(t, script)
	whole.limits.Depth = 2
	a, _, _, err := whole.run(t.Context(), nil, limits, nil)
	if err != nil || a.Stop != StopDone {
		t.Fatalf("stop %q, %v", a.Stop, err)
	}
	want := known(t, whole, a, budget.Amount{})
	first := 1
	if testing.Short() {
		first = 12
	}
	for after := first; ; after += after/2 + 1 + rand.IntN(3) {
		j, id := in(t)
		w := newTroupe(t, script)
		w.limits.Depth, w.before = 2, dawdle
		interrupted := 0
		for {
			run, err := j.Claim(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			var events atomic.Int64
			a, _, _, err = w.run(ctx, run, limits, func(s *Session) {
				s.Observe = func(Event) {
					if int(events.Add(1)) == after*(interrupted+1) {
						cancel()
					}
				}
			})
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			if a.Stop != StopCancelled {
				if err := run.Finish(t.Context(), journal.StateDone, "done"); err != nil {
					t.Fatal(err)
				}
				break
			}
			interrupted++
			if err := run.Finish(t.Context(), journal.StateParked, "interrupted"); err != nil {
				t.Fatal(err)
			}
		}
		if got := known(t, w, a, budget.Amount{}); got != want {
			t.Fatalf("interrupted %d times after %d events, it came to something else:\n%s\n%s", interrupted, after, want, got)
		}
		doubts, err := j.Doubts(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		again := 0
		for key, n := range w.calls {
			if n > 1+interrupted {
				t.Errorf("%s was called %d times", key, n)
			}
			again += n - 1
		}
		for key, n := range w.fetched {
			if n > 1 {
				again += n - 1
				t.Logf("%s was found %d times", key, n)
			}
		}
		if again > interrupted*4 || again > 0 && len(doubts) == 0 {
			t.Errorf("%d effects were performed again; in doubt: %v", again, doubts)
		}
		if spawned := spawnedIn(t, j, id); !slices.Equal(spawned, []string{"a1", "a1.1", "a2", "a3"}) {
			t.Errorf("spawned: %v", spawned)
		}
		if interrupted == 0 {
			return
		}
	}
}

// spawnedIn lists the agents of a run's record.
func spawnedIn(t *testing.T, j *journal.Journal, id string) []string {
	t.Helper()
	events, err := j.Events(t.Context(), id, 0, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	var lanes []string
	for _, e := range events {
		if e.Kind == "spawn" {
			lane, _, _ := strings.Cut(string(e.Key), "/")
			lanes = append(lanes, lane)
		}
	}
	slices.Sort(lanes)
	return lanes
}

// TestStopEarlyCascades: who is asked to answer with what they have are all members, at once, and the run replays (LOOP-8).
func TestStopEarlyCascades(t *testing.T) {
	script := map[string][]llm.Response{"lead": {spawns(2), waits}}
	for i := range 50 {
		script["a1"], script["a2"] = append(script["a1"], finds(i)), append(script["a2"], finds(i))
	}
	w := newTroupe(t, script)
	j, id := in(t)
	run, err := j.Claim(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	w.before = func(_ context.Context, lane string, step int) error {
		if lane == "a1" && step == 3 {
			run.AskStop()
		}
		return nil
	}
	a, _, ledger, err := w.run(t.Context(), run, budget.Limits{Steps: 300}, nil)
	if err != nil || a.Stop != StopAsked {
		t.Fatalf("stop %q, %v", a.Stop, err)
	}
	want := known(t, w, a, ledger.Spent())
	if len(w.requests["a1"]) > 6 || len(w.requests["a2"]) > 49 {
		t.Errorf("a1 went on for %d calls, a2 for %d", len(w.requests["a1"]), len(w.requests["a2"]))
	}
	if err := run.Finish(t.Context(), journal.StatePartial, "stopped"); err != nil {
		t.Fatal(err)
	}
	replay, err := j.OpenReplay(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	a, _, ledger, err = w.run(t.Context(), replay, budget.Limits{Steps: 300}, nil)
	if err != nil || replay.Finish(t.Context(), "", "") != nil || known(t, w, a, ledger.Spent()) != want {
		t.Errorf("the replay differs: %v, %v", err, replay.Err())
	}
}

// waiting is an approver that has no answer yet, until it has.
type approverLater struct{ answers *atomic.Bool }

func (p approverLater) Decide(_ context.Context, r gate.Request) (gate.Decision, error) {
	if !p.answers.Load() {
		return gate.Decision{}, gate.ErrPending
	}
	return gate.Decision{Allow: true, By: "test", Hash: r.Hash()}, nil
}

// TestAParkedMemberParksTheRun: a member that needs a person lets its siblings end and parks the run; when the decision
// is there, the run goes on, and nothing is done twice.
func TestAParkedMemberParksTheRun(t *testing.T) {
	script := threeDirections()
	script["a2"] = []llm.Response{finds(4), asks("spawn_subagent", `{"task":"ask first","reason":"r"}`, "wait_subagents", `{}`)}
	w := newTroupe(t, script)
	w.limits.Depth = 2
	j, id := in(t)
	var answers atomic.Bool
	approver := approverLater{&answers}
	for i, want := range []Stop{StopParked, StopParked, StopDone} {
		answers.Store(i == 2)
		run, err := j.Claim(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		crew := func(s *Session) { s.Approver = approver }
		w.approver = approver
		a, _, _, err := w.run(t.Context(), run, budget.Limits{Steps: 200}, crew)
		if err != nil || a.Stop != want {
			t.Fatalf("time %d: stop %q, %v", i+1, a.Stop, err)
		}
		state := journal.StateParked
		if want == StopDone {
			state = journal.StateDone
		}
		if err := run.Finish(t.Context(), state, string(a.Stop)); err != nil {
			t.Fatal(err)
		}
	}
	for key, n := range w.calls {
		if n != 1 {
			t.Errorf("%s was called %d times", key, n)
		}
	}
	if spawned := spawnedIn(t, j, id); !slices.Equal(spawned, []string{"a1", "a2", "a2.1", "a3"}) {
		t.Errorf("spawned: %v", spawned)
	}
}
