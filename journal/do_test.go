package journal

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"ibid/budget"
	"ibid/gate"
	"ibid/store"
)

// What a value of any kind is live, it is again in a replay: bytes verbatim, numbers with all their digits.
func TestValuesReplayExactly(t *testing.T) {
	b, ctx := open(t, Options{}), context.Background()
	r := b.start(t, Spec{})
	shown := map[Key]*struct{ live, again string }{}
	program := func(r *Run) {
		show(t, ctx, r, "lead/1/bytes", []byte("\x00\xff<&>"), shown)
		show(t, ctx, r, "lead/1/none", []byte(nil), shown)
		show(t, ctx, r, "lead/1/empty", []byte{}, shown)
		show(t, ctx, r, "lead/1/raw", json.RawMessage(`{ "a" : 1 }`), shown)
		show(t, ctx, r, "lead/1/text", "<b>&</b> \u2028 \xff", shown)
		show(t, ctx, r, "lead/1/int", int64(9007199254740993), shown)
		show(t, ctx, r, "lead/1/any", any(map[string]any{"n": json.Number("9007199254740993"), "x": json.Number("0.1000000000000000055511151231257827")}), shown)
		show(t, ctx, r, "lead/1/struct", struct{ A, B float64 }{0.1, 1e300}, shown)
		show(t, ctx, r, "lead/1/nil", any(nil), shown)
	}
	program(r)
	if err := r.Finish(ctx, StateDone, ""); err != nil {
		t.Fatal(err)
	}
	again, err := b.OpenReplay(ctx, r.ID())
	if err != nil {
		t.Fatal(err)
	}
	program(again)
	if len(shown) != 9 {
		t.Errorf("%d values", len(shown))
	}
	if s := *shown["lead/1/any"]; !strings.Contains(s.live, "9007199254740993") || !strings.Contains(s.live, "0.1000000000000000055511151231257827") {
		t.Errorf("digits are lost: %s", s.live)
	}
}

// show performs an effect with this value and keeps how it came back, the first time and the second.
func show[V any](t *testing.T, ctx context.Context, r *Run, key Key, v V, shown map[Key]*struct{ live, again string }) {
	t.Helper()
	d, err := Do(ctx, r, Effect{Key: key, Kind: "value"}, v, func(context.Context) (V, Amount, error) { return v, Amount{}, nil })
	if err != nil {
		t.Errorf("%s: %v", key, err)
		return
	}
	text, err := json.Marshal(struct {
		Value V
		Nil   bool
	}{d.Value, any(d.Value) == nil})
	if err != nil {
		t.Fatal(err)
	}
	if s := shown[key]; s == nil {
		shown[key] = &struct{ live, again string }{live: string(text)}
	} else if s.again = string(text); s.live != s.again {
		t.Errorf("%s: live %s, again %s", key, s.live, s.again)
	}
}

// A fault in an effect is a failure like another; a hold is settled whatever happens.
func TestHoldsAreSettled(t *testing.T) {
	b, ctx := open(t, Options{}), context.Background()
	cancelled, cancel := context.WithCancel(ctx)
	for name, c := range map[string]struct {
		ctx   context.Context
		do    func(context.Context) (string, Amount, error)
		spent int64
		want  func(error) bool
	}{
		"done":      {ctx, func(context.Context) (string, Amount, error) { return "", Amount{Tokens: 3}, nil }, 3, func(err error) bool { return err == nil }},
		"failed":    {ctx, func(context.Context) (string, Amount, error) { return "", Amount{Tokens: 2}, errors.New("no") }, 2, isFailure("no")},
		"panic":     {ctx, func(context.Context) (string, Amount, error) { panic("index out of range") }, 0, isFailure("index out of range")},
		"cancelled": {cancelled, func(ctx context.Context) (string, Amount, error) { cancel(); return "", Amount{}, ctx.Err() }, 10, func(err error) bool { return errors.Is(err, context.Canceled) }},
		"pending":   {ctx, func(context.Context) (string, Amount, error) { return "", Amount{}, gate.ErrPending }, 0, func(err error) bool { return errors.Is(err, gate.ErrPending) }},
		"too large": {ctx, func(context.Context) (string, Amount, error) {
			return strings.Repeat("x", store.MaxBody), Amount{Tokens: 4}, nil
		}, 4, isFailure("limit")},
	} {
		r := b.start(t, Spec{})
		ledger := budget.NewLedger(budget.Limits{Tokens: 100}, Amount{})
		hold, err := ledger.Reserve(Amount{Tokens: 10})
		if err != nil {
			t.Fatal(err)
		}
		_, err = Do(c.ctx, r, Effect{Key: "lead/1/model", Kind: "model", Hold: hold, Ledger: ledger}, "x", c.do)
		if !c.want(err) {
			t.Errorf("%s: %v", name, err)
		}
		if ledger.Held() != (Amount{}) || ledger.Spent().Tokens != c.spent {
			t.Errorf("%s: held %+v, spent %+v; want %d spent", name, ledger.Held(), ledger.Spent(), c.spent)
		}
		if err := r.Release(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

func isFailure(text string) func(error) bool {
	return func(err error) bool {
		var f *Failure
		return errors.As(err, &f) && strings.Contains(f.Text, text)
	}
}

// What happened although the user cancelled is recorded: it was paid for.
func TestDoneInSpiteOfCancelling(t *testing.T) {
	b := open(t, Options{})
	r := b.start(t, Spec{})
	ctx, cancel := context.WithCancel(context.Background())
	d, err := Do(ctx, r, Effect{Key: "lead/1/model", Kind: "model", Hold: free(t)}, "x", func(context.Context) (string, Amount, error) { cancel(); return "paid", Amount{}, nil })
	if err != nil || d.Value != "paid" {
		t.Fatalf("%+v, %v", d, err)
	}
	events, err := b.Events(context.Background(), r.ID(), 0, 10)
	if err != nil || len(events) != 1 || events[0].State != done {
		t.Errorf("%+v, %v", events, err)
	}
}

// An effect that stays in doubt again and again is charged each time, and so it is when it is replayed.
func TestRepeatedDoubts(t *testing.T) {
	b, ctx := open(t, Options{}), context.Background()
	id, err := b.Create(ctx, Spec{})
	if err != nil {
		t.Fatal(err)
	}
	var spent Amount
	key := ""
	for try := range 4 {
		r := b.claim(t, id)
		if k := IdempotencyKey(r, "lead/1/model"); key != "" && k != key {
			t.Error("another attempt has another idempotency key")
		} else {
			key = k
		}
		c, cancel := context.WithCancel(ctx)
		ledger := budget.NewLedger(budget.Limits{}, Amount{})
		hold, err := ledger.Reserve(Amount{Tokens: 10})
		if err != nil {
			t.Fatal(err)
		}
		_, err = Do(c, r, Effect{Key: "lead/1/model", Kind: "model", Hold: hold, Ledger: ledger}, "x", func(ctx context.Context) (string, Amount, error) {
			if try < 3 {
				cancel()
				return "", Amount{}, ctx.Err()
			}
			return "ok", Amount{Tokens: 4}, nil
		})
		cancel()
		if (err == nil) != (try == 3) {
			t.Fatal(err)
		}
		if spent = ledger.Spent(); try < 3 && spent.Tokens != int64(10*(try+1)) {
			t.Errorf("attempt %d: %d tokens charged", try, spent.Tokens)
		}
		if totals, err := b.Totals(ctx, id); err != nil || totals.Tokens != spent.Tokens {
			t.Errorf("attempt %d: totals %+v, ledger %+v, %v", try, totals, spent, err)
		}
		if err := r.Release(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if spent.Tokens != 34 {
		t.Errorf("%d tokens charged for three doubts of 10 and one outcome of 4", spent.Tokens)
	}
	r, err := b.OpenReplay(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	ledger := budget.NewLedger(budget.Limits{}, Amount{})
	hold, err := ledger.Reserve(Amount{Tokens: 10})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Do(ctx, r, Effect{Key: "lead/1/model", Kind: "model", Hold: hold, Ledger: ledger}, "x", func(context.Context) (string, Amount, error) { return "", Amount{}, nil }); err != nil || ledger.Spent().Tokens != 34 {
		t.Errorf("replayed: %+v, %v", ledger.Spent(), err)
	}
}
