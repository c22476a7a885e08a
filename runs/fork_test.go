package runs

import (
	"path/filepath"
	"testing"

	"ibid/budget"
	"ibid/journal"
	"ibid/research"
	"ibid/store"
)

// TestForkBudget: a fork takes a tier's limits if it names one, and of its own those that it gives; the rest are its parent's.
func TestForkBudget(t *testing.T) {
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "ibid.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	j := journal.Open(db, journal.Options{})
	e := &Engine{Journal: j}
	c, err := research.New("What is there?", budget.Deep)
	if err != nil {
		t.Fatal(err)
	}
	id, err := e.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	quick, _ := budget.Quick.Limits()
	own := &budget.Limits{Steps: 7, MicroUSD: 90}
	for name, x := range map[string]struct {
		change Change
		limits budget.Limits
		tier   budget.Tier
	}{
		"none":           {Change{}, c.Limits, budget.Deep},
		"tier":           {Change{Tier: budget.Quick}, quick, budget.Quick},
		"limits":         {Change{Limits: own}, c.Limits.With(*own), budget.Deep},
		"tier and limit": {Change{Tier: budget.Quick, Limits: own}, quick.With(*own), budget.Quick},
	} {
		fork, err := e.Fork(t.Context(), id, x.change)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := configOf(t, j, fork)
		if got.Limits != x.limits || got.Tier != x.tier || got.Closing != x.tier.Closing() {
			t.Errorf("%s: %+v of tier %s, closing with %+v", name, got.Limits, got.Tier, got.Closing)
		}
	}
	if _, err := e.Fork(t.Context(), id, Change{Tier: "endless"}); CodeOf(err) != Invalid {
		t.Errorf("an unknown tier: %v", err)
	}
	if _, err := e.Fork(t.Context(), id, Change{Model: "some/model"}); CodeOf(err) != Conflict {
		t.Errorf("a model where none can be chosen: %v", err)
	}
}

func configOf(t *testing.T, j *journal.Journal, id string) research.Config {
	t.Helper()
	info, err := j.Info(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	c, err := research.ParseConfig(info.Config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
