package journal

import (
	"bytes"
	"context"
	"errors"
	"testing"
)

// What is said of a run after its end is recorded and travels with it, and the run replays as it did.
func TestAmend(t *testing.T) {
	ctx := context.Background()
	j := open(t, Options{}).Journal
	id, err := j.Create(ctx, Spec{Question: "q"})
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Amend(ctx, id, "reject", "F1"); !errors.Is(err, ErrNotOver) {
		t.Errorf("a run that is not over was amended: %v", err)
	}
	run, err := j.Claim(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Note("lead/1/report", "report", "text"); err != nil {
		t.Fatal(err)
	}
	if err := run.Finish(ctx, StateDone, "done"); err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{"F1", "F2"} {
		if err := j.Amend(ctx, id, "reject", what); err != nil {
			t.Fatal(err)
		}
	}
	check := func(j *Journal) {
		t.Helper()
		said, err := j.Amendments(ctx, id, "reject")
		if err != nil || len(said) != 2 || string(said[0]) != `"F1"` || string(said[1]) != `"F2"` {
			t.Errorf("%q %v", said, err)
		}
		if other, err := j.Amendments(ctx, id, "report"); err != nil || len(other) != 0 {
			t.Errorf("a note of the run itself is an amendment: %q %v", other, err)
		}
		replay, err := j.OpenReplay(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		if err := replay.Note("lead/1/report", "report", "text"); err != nil {
			t.Error(err)
		}
		if err := replay.Finish(ctx, "", ""); err != nil {
			t.Errorf("the replay: %v", err)
		}
	}
	check(j)
	var exported bytes.Buffer
	if err := j.Export(ctx, id, &exported); err != nil {
		t.Fatal(err)
	}
	other := open(t, Options{}).Journal
	if _, err := other.Import(ctx, bytes.NewReader(exported.Bytes())); err != nil {
		t.Fatal(err)
	}
	check(other)
}
