package journal

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"ibid/budget"
)

// What a day's runs cost is known when they are deleted, and forgotten when the day is over. A transaction sees what everybody does.
func TestSpentOutlivesRuns(t *testing.T) {
	b, ctx := open(t, Options{}), context.Background()
	day := func() time.Time { return b.Now().UTC().Truncate(24 * time.Hour) }
	spent := func() int64 {
		t.Helper()
		n, err := b.SpentSince(ctx, nil, "ada", day())
		if err != nil {
			t.Fatal(err)
		}
		if err := b.db.Tx(ctx, func(tx *sql.Tx) error {
			if m, err := b.SpentSince(ctx, tx, "ada", day()); m != n {
				t.Errorf("%d and %d, %v", n, m, err)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return n
	}
	pay := func(user string, cost int64) string {
		t.Helper()
		r := b.start(t, Spec{Question: "why?", User: user})
		hold, err := budget.NewLedger(budget.Limits{}, budget.Amount{}).Reserve(budget.Amount{MicroUSD: cost})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Do(ctx, r, Effect{Key: "lead/1/model", Kind: "model", Hold: hold}, "in", func(context.Context) (string, Amount, error) {
			return "out", Amount{MicroUSD: cost}, nil
		}); err != nil {
			t.Fatal(err)
		}
		if err := r.Finish(ctx, StateDone, "done"); err != nil {
			t.Fatal(err)
		}
		return r.ID()
	}
	if b.Now().UTC().Hour() == 23 { // all of it is of one day
		b.advance(2 * time.Hour)
	}
	first, second := pay("ada", 30), pay("ada", 12)
	pay("bob", 500)
	for _, id := range []string{first, second} {
		if n := spent(); n != 42 {
			t.Errorf("%d were spent, not 42", n)
		}
		if _, err := b.Delete(ctx, id); err != nil {
			t.Fatal(err)
		}
	}
	if n := spent(); n != 42 {
		t.Errorf("%d were spent, not 42: deleted runs count too", n)
	}
	b.advance(24 * time.Hour)
	if n := spent(); n != 0 {
		t.Errorf("%d were spent on another day", n)
	}
	if _, err := b.Delete(ctx, pay("ada", 7)); err != nil {
		t.Fatal(err)
	}
	var days int
	if err := b.db.QueryRow(`SELECT COUNT(*) FROM spent`).Scan(&days); err != nil || days != 1 || spent() != 7 {
		t.Errorf("%d days are kept, %d were spent, %v", days, spent(), err)
	}
}
