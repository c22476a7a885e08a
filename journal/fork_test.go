package journal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// A fork takes what its parent recorded, is charged no money for it, and replays alone.
func TestFork(t *testing.T) {
	b, ctx := open(t, Options{}), context.Background()
	parent := b.start(t, Spec{})
	p := &program{}
	if _, _, err := p.run(ctx, parent, 3); err != nil {
		t.Fatal(err)
	}
	if err := parent.Finish(ctx, StateDone, "done"); err != nil {
		t.Fatal(err)
	}
	fork := b.start(t, Spec{Parent: parent.ID(), ForkAt: 2})
	q := &program{}
	_, spent, err := q.run(ctx, fork, 4)
	if err != nil {
		t.Fatal(err)
	}
	want := map[Key]int{"lead/2/model": 1, "lead/3/model": 1, "lead/4/model": 1}
	if fmt.Sprint(q.performed) != fmt.Sprint(want) {
		t.Errorf("the fork performed %v, want %v", q.performed, want)
	}
	if spent.Searches != 3 || spent.MicroUSD != 15 {
		t.Errorf("spent %+v: recorded searches count and cost nothing, a search beyond the evidence is none", spent)
	}
	if err := fork.Finish(ctx, StateDone, "done"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.db.Exec(`DELETE FROM run WHERE id = $1`, parent.ID()); err != nil {
		t.Fatal(err)
	}
	again, err := b.OpenReplay(ctx, fork.ID())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := (&program{}).run(ctx, again, 4); err != nil {
		t.Errorf("the fork does not replay without its parent: %v", err)
	}
}

// The same request asked again gets the next recorded answer, in order.
func TestForkServesRepeatedRequestsInOrder(t *testing.T) {
	b, ctx := open(t, Options{}), context.Background()
	parent := b.start(t, Spec{})
	ask := func(r *Run, key Key, answer string) string {
		d, err := Do(ctx, r, Effect{Key: key, Kind: "search"}, "same", func(context.Context) (string, Amount, error) { return answer, Amount{}, nil })
		if err != nil {
			t.Fatal(err)
		}
		return d.Value
	}
	ask(parent, "lead/1/a", "A")
	ask(parent, "lead/2/a", "B")
	fork := b.start(t, Spec{Parent: parent.ID()})
	if got := ask(fork, "lead/7/x", "no") + ask(fork, "lead/8/x", "no"); got != "AB" {
		t.Errorf("got %q, want AB", got)
	}
}

// Forks take each recorded outcome once: at the same position, else in order, also across a crash; then there is none.
func TestForkTakesEachOutcomeOnce(t *testing.T) {
	b, ctx := open(t, Options{}), context.Background()
	parent := b.start(t, Spec{})
	ask := func(r *Run, key Key, answer string) string {
		d, err := Do(ctx, r, Effect{Key: key, Kind: "search", Hold: free(t)}, "same", func(context.Context) (string, Amount, error) { return answer, Amount{}, nil })
		var f *Failure
		if errors.As(err, &f) {
			return "none"
		}
		if err != nil {
			t.Fatal(err)
		}
		return d.Value
	}
	for key, answer := range map[Key]string{"lead/1/a": "A"} {
		ask(parent, key, answer)
	}
	ask(parent, "lead/2/a", "B")
	ask(parent, "lead/3/a", "C")
	if err := parent.Finish(ctx, StateDone, ""); err != nil {
		t.Fatal(err)
	}
	fork := b.start(t, Spec{Parent: parent.ID()})
	keys := []Key{"lead/1/x", "lead/2/a", "lead/4/x", "lead/5/x"}
	got := []string{ask(fork, keys[0], "new"), ask(fork, keys[1], "new")}
	if err := fork.Release(ctx); err != nil {
		t.Fatal(err)
	}
	fork = b.claim(t, fork.ID())
	for _, key := range keys[:2] {
		ask(fork, key, "new")
	}
	got = append(got, ask(fork, keys[2], "new"), ask(fork, keys[3], "new"))
	if s := strings.Join(got, " "); s != "A B C none" {
		t.Errorf("the fork got %q, want A B C none", s)
	}
	live := b.start(t, Spec{Parent: parent.ID(), Live: true})
	for i, want := range []string{"A", "B", "C", "new"} {
		if got := ask(live, Key("lead/7/"+string(rune('a'+i))), "new"); got != want {
			t.Errorf("live fork: %q, want %q", got, want)
		}
	}
	if _, err := b.Create(ctx, Spec{Parent: "nobody"}); !errors.Is(err, ErrNotFound) {
		t.Errorf("a fork of nothing: %v", err)
	}
}

// A judge is asked anew about what its parent did not ask, wherever a fork stays; what it said to the same question is taken,
// at whatever position, and is free.
func TestForkOfAJudgedRun(t *testing.T) {
	b, ctx := open(t, Options{}), context.Background()
	ask := func(r *Run, key Key, question string) (said string) {
		d, err := Do(ctx, r, Effect{Key: key, Kind: "judge", Hold: free(t)}, question, func(context.Context) (string, Amount, error) { return r.ID(), Amount{MicroUSD: 7}, nil })
		if err != nil {
			t.Fatal(err)
		}
		return d.Value
	}
	parent := b.start(t, Spec{})
	ask(parent, "lead/3/tool.0/judge.0", "carried?")
	fork := b.start(t, Spec{Parent: parent.ID(), ForkAt: 1})
	if got := ask(fork, "lead/9/tool.2/judge.0", "carried?"); got != parent.ID() {
		t.Errorf("the same question is answered by %s", got)
	}
	if got := ask(fork, "lead/report/1/judge.0", "contradicted?"); got != fork.ID() {
		t.Errorf("another question is answered by %s", got)
	}
}

// What was kept with a copied outcome belongs to the fork too.
func TestForkKeepsBlobs(t *testing.T) {
	b, ctx := open(t, Options{}), context.Background()
	parent := b.start(t, Spec{})
	sha, err := parent.PutBlob(ctx, []byte("page"))
	if err != nil {
		t.Fatal(err)
	}
	if data, err := parent.Blob(ctx, sha); err != nil || string(data) != "page" {
		t.Errorf("before it is written: %q, %v", data, err)
	}
	if err := parent.Finish(ctx, StateDone, ""); err != nil {
		t.Fatal(err)
	}
	fork := b.start(t, Spec{Parent: parent.ID()})
	if err := fork.Finish(ctx, StateDone, ""); err != nil {
		t.Fatal(err)
	}
	if text := exported(t, b.Journal, fork.ID()); !strings.Contains(text, sha) {
		t.Error("the export of the fork lacks what its parent kept")
	}
}
