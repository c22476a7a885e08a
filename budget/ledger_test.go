package budget

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
)

// one is an amount of one unit in a single currency.
func one(c Currency, n int64) Amount {
	switch c {
	case Steps:
		return Amount{Steps: n}
	case Searches:
		return Amount{Searches: n}
	case Reads:
		return Amount{Reads: n}
	case Tokens:
		return Amount{Tokens: n}
	case Seconds:
		return Amount{Millis: n}
	}
	return Amount{MicroUSD: n}
}

// Every declared limit refuses exactly what goes beyond it (law 9): N fit, N+1 does not, and the error names the
// currency.
func TestEveryLimitIsExact(t *testing.T) {
	for _, c := range Currencies {
		t.Run(string(c), func(t *testing.T) {
			l := NewLedger(Limits(one(c, 5)), Amount{})
			for i := range 5 {
				h, err := l.Reserve(one(c, 1))
				if err != nil {
					t.Fatalf("reservation %d of 5: %v", i+1, err)
				}
				h.Settle(one(c, 1))
			}
			_, err := l.Reserve(one(c, 1))
			var over *Exhausted
			if !errors.As(err, &over) || over.Currency != c {
				t.Fatalf("sixth reservation: %v, want exhausted %s", err, c)
			}
			if hits := l.Hits(); len(hits) != 1 || hits[0] != c {
				t.Errorf("hits = %v, want [%s]", hits, c)
			}
			if c.Hard() != (l.Over() == c) {
				t.Errorf("Over() = %q for a spent %s", l.Over(), c)
			}
		})
	}
}

// Parallel reservations never overshoot, and what is released or settled below its reservation is free again.
func TestParallelReservationsNeverOvershoot(t *testing.T) {
	const limit = 100
	l := NewLedger(Limits{Tokens: limit}, Amount{})
	var wg sync.WaitGroup
	for range 16 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 200 {
				h, err := l.Reserve(Amount{Tokens: 1 + rand.Int64N(7)})
				if total := l.Spent().Add(l.Held()).Tokens; total > limit {
					t.Errorf("%d tokens out of %d", total, limit)
				}
				if err != nil {
					continue
				}
				if rand.IntN(2) == 0 {
					h.Release()
				} else {
					h.Settle(Amount{Tokens: rand.Int64N(h.Amount().Tokens + 1)})
				}
			}
		}()
	}
	wg.Wait()
	if held := l.Held(); held != (Amount{}) {
		t.Errorf("held after the end: %+v", held)
	}
}

func TestHoldSettlesOnce(t *testing.T) {
	l := NewLedger(Limits{Reads: 3}, Amount{})
	h, err := l.Reserve(Amount{Reads: 2})
	if err != nil {
		t.Fatal(err)
	}
	h.Settle(Amount{Reads: 1})
	h.Settle(Amount{Reads: 1})
	h.Release()
	if got := l.Spent().Reads; got != 1 {
		t.Errorf("spent %d reads, want 1", got)
	}
	if got := l.Left().Reads; got != 2 {
		t.Errorf("left %d reads, want 2", got)
	}
}

// The closing share is out of reach for ordinary work and in reach for the answer (law 3), for every tier and for limits
// so small that the share would swallow them.
func TestClosingShareIsSetAside(t *testing.T) {
	for _, tier := range Tiers {
		limits, err := tier.Limits()
		if err != nil {
			t.Fatal(err)
		}
		for _, limits := range []Limits{limits, {Steps: 1, Tokens: 10, Millis: 10, MicroUSD: 10}} {
			l := NewLedger(limits, tier.Closing())
			h, err := l.Reserve(l.Left()) // ordinary work takes all that it can
			if err != nil {
				t.Fatalf("%s: %v", tier, err)
			}
			h.Settle(h.Amount())
			if l.Over() == "" {
				t.Errorf("%s: all is spent and Over says nothing", tier)
			}
			share := l.LeftClosing()
			if share.Tokens <= 0 || share.Millis <= 0 || share.MicroUSD <= 0 {
				t.Errorf("%s %+v: nothing is left for the closing answer: %+v", tier, limits, share)
			}
			if _, err := l.ReserveClosing(Amount{Steps: 1, Tokens: share.Tokens}); err != nil {
				t.Errorf("%s %+v: the closing answer cannot be paid: %v", tier, limits, err)
			}
		}
	}
}

// A child's budget is the parent's: what it leaves unspent returns, what it spends is spent (BUDGET-6).
func TestCarve(t *testing.T) {
	parent := NewLedger(Limits{Reads: 10, Tokens: 1000}, Amount{})
	child, err := parent.Carve(Limits{Reads: 4}, Amount{})
	if err != nil {
		t.Fatal(err)
	}
	if left := parent.Left(); left.Reads != 6 || left.Tokens != 0 {
		t.Errorf("parent left %+v: an unasked currency of the parent must limit the child too", left)
	}
	if _, err := child.Reserve(Amount{Reads: 5}); err == nil {
		t.Error("the child reserved more than was carved")
	}
	h, err := child.Reserve(Amount{Reads: 3, Tokens: 100})
	if err != nil {
		t.Fatal(err)
	}
	h.Settle(Amount{Reads: 2, Tokens: 50})
	child.Return()
	if got, want := parent.Spent(), (Amount{Reads: 2, Tokens: 50}); got != want {
		t.Errorf("parent spent %+v, want %+v", got, want)
	}
	if _, err := parent.Carve(Limits{Reads: 9}, Amount{}); err == nil {
		t.Error("carved more than is left")
	}
}

// Time is nobody's share: children that work side by side each get most of it, and the parent's clock is its own. What a
// child would have nothing of is refused, since no limit at all is what nothing would mean to its ledger.
func TestCarveTimeAndNothing(t *testing.T) {
	parent := NewLedger(Limits{Steps: 40, Searches: 2, Millis: 60_000}, Amount{Millis: 20_000})
	share := parent.Share(2)
	if want := (Limits{Steps: 20, Searches: 1, Millis: 30_000}); share != want {
		t.Fatalf("a share of %+v, want %+v", share, want)
	}
	for range 2 {
		child, err := parent.Carve(share, Amount{})
		if err != nil {
			t.Fatal(err)
		}
		if child.Limits() != share || child.Carved().Millis != 0 {
			t.Errorf("limits %+v, held %+v", child.Limits(), child.Carved())
		}
		child.Charge(Amount{Millis: 29_000})
		defer child.Return()
	}
	if left := parent.Left(); left.Millis != 40_000 || left.Steps != 0 || left.Searches != 0 {
		t.Errorf("the parent has %+v left", left)
	}
	var over *Exhausted
	if _, err := parent.Carve(Limits{Steps: 1, Searches: 1}, Amount{}); !errors.As(err, &over) || over.Currency != Steps {
		t.Errorf("carved out of nothing: %v", err)
	}
}

func TestTiersAreFreshAndNamed(t *testing.T) {
	want := map[Tier]Limits{ // BUDGET-5
		Quick:    {Searches: 2, Reads: 1, Millis: 20_000},
		Standard: {Searches: 6, Reads: 4, Millis: 60_000},
		Deep:     {Searches: 15, Reads: 12, Millis: 240_000},
	}
	for tier, w := range want {
		got, err := tier.Limits()
		if err != nil {
			t.Fatal(err)
		}
		if got.Searches != w.Searches || got.Reads != w.Reads || got.Millis != w.Millis {
			t.Errorf("%s: %+v, want %+v", tier, got, w)
		}
		for _, c := range Currencies {
			if c.In(Amount(got)) <= 0 {
				t.Errorf("%s has no limit of %s", tier, c)
			}
		}
	}
	if _, err := Tier("huge").Limits(); err == nil {
		t.Error("an unknown tier has limits")
	}
}
