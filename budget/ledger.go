package budget

import (
	"fmt"
	"sync"
)

// Exhausted is the error of a reservation that does not fit.
type Exhausted struct {
	Currency Currency
	Limit    int64 // in the unit of Currency.In
	Left     int64 // free to reserve; may be negative after a spend that outran its reservation
	Asked    int64
}

func (e *Exhausted) Error() string {
	return fmt.Sprintf("BUDGET: %s: %s asked, %s left of %s", e.Currency,
		e.Currency.Format(e.Asked), e.Currency.Format(max(e.Left, 0)), e.Currency.Format(e.Limit))
}

// A Ledger holds one budget. Its methods are safe for concurrent use; a reservation is atomic over all currencies, so
// no limit can be overshot by calls that run in parallel (BUDGET-2).
type Ledger struct {
	mu      sync.Mutex
	limits  Limits
	closing Amount // set aside for the closing answer (law 3); usable only by ReserveClosing
	held    Amount // reserved, not yet settled
	spent   Amount
	hits    map[Currency]bool // limits that refused something
}

// NewLedger returns a fresh ledger. closing is set aside at once, so that a run can always write its answer; it is cut
// to half of a limit that it would swallow.
func NewLedger(limits Limits, closing Amount) *Ledger {
	half := func(share, limit int64) int64 {
		if limit > 0 {
			return min(share, limit/2)
		}
		return share
	}
	return &Ledger{limits: limits, hits: map[Currency]bool{}, closing: Amount{
		Tokens:   half(closing.Tokens, limits.Tokens),
		Millis:   half(closing.Millis, limits.Millis),
		MicroUSD: half(closing.MicroUSD, limits.MicroUSD),
		Steps:    min(closing.Steps, limits.Steps),
	}}
}

// A Hold is a reservation. It must be settled or released, once.
type Hold struct {
	ledger *Ledger
	amount Amount
	open   bool
}

// Amount is what was reserved.
func (h *Hold) Amount() Amount { return h.amount }

// Reserve takes a from what is left, or takes nothing and says which limit refused it.
func (l *Ledger) Reserve(a Amount) (*Hold, error) { return l.reserve(a, false) }

// ReserveClosing is Reserve for the closing answer: it may use the share that was set aside.
func (l *Ledger) ReserveClosing(a Amount) (*Hold, error) { return l.reserve(a, true) }

func (l *Ledger) reserve(a Amount, closing bool) (*Hold, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	left := l.left(closing)
	for _, c := range Currencies {
		limit := c.In(Amount(l.limits))
		asked := c.In(a)
		if limit == 0 || asked <= 0 || asked <= c.In(left) {
			continue
		}
		l.hits[c] = true
		return nil, &Exhausted{Currency: c, Limit: limit, Left: c.In(left), Asked: asked}
	}
	l.held = l.held.Add(a)
	return &Hold{ledger: l, amount: a, open: true}, nil
}

// Settle replaces the reservation by what was really spent. Settling twice is a fault of the program and is ignored.
func (h *Hold) Settle(actual Amount) {
	h.ledger.mu.Lock()
	defer h.ledger.mu.Unlock()
	if !h.open {
		return
	}
	h.open = false
	h.ledger.held = h.ledger.held.Sub(h.amount)
	h.ledger.spent = h.ledger.spent.Add(actual)
}

// Release gives the whole reservation back: the effect never began.
func (h *Hold) Release() { h.Settle(Amount{}) }

// Charge books a spend that could not be reserved: a recorded outcome met again, an effect in doubt, time that passed.
func (l *Ledger) Charge(a Amount) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spent = l.spent.Add(a)
}

// left is limits − spent − held (− closing, unless it may be used), in limited currencies; unlimited ones are huge.
func (l *Ledger) left(closing bool) Amount {
	left := Amount(l.limits).Sub(l.spent).Sub(l.held)
	if !closing {
		left = left.Sub(l.closing)
	}
	return left
}

// Left is what may still be reserved for ordinary work, never negative; Unlimited currencies report Unlimited.
func (l *Ledger) Left() Amount {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.clean(l.left(false))
}

// LeftClosing is Left with the closing share counted in.
func (l *Ledger) LeftClosing() Amount {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.clean(l.left(true))
}

// Unlimited is what Left reports of a currency without a limit.
const Unlimited = int64(1) << 50

func (l *Ledger) clean(a Amount) Amount {
	f := func(n, limit int64) int64 {
		if limit == 0 {
			return Unlimited
		}
		return max(n, 0)
	}
	m := l.limits
	return Amount{f(a.Steps, m.Steps), f(a.Searches, m.Searches), f(a.Reads, m.Reads), f(a.Tokens, m.Tokens), f(a.Millis, m.Millis), f(a.MicroUSD, m.MicroUSD)}
}

// Spent is what was settled and charged so far.
func (l *Ledger) Spent() Amount {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.spent
}

// Held is what is reserved and not yet settled.
func (l *Ledger) Held() Amount {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held
}

// Limits returns the ledger's limits.
func (l *Ledger) Limits() Limits { return l.limits }

// Spent currencies end a loop: Over names the first hard currency of which nothing is left for ordinary work, or "".
func (l *Ledger) Over() Currency {
	left := l.Left()
	for _, c := range Currencies {
		if c.Hard() && c.In(Amount(l.limits)) > 0 && c.In(left) == 0 {
			l.mu.Lock()
			l.hits[c] = true
			l.mu.Unlock()
			return c
		}
	}
	return ""
}

// Hits lists the limits that refused something, in the order of Currencies (BUDGET-7).
func (l *Ledger) Hits() []Currency {
	l.mu.Lock()
	defer l.mu.Unlock()
	hits := []Currency{}
	for _, c := range Currencies {
		if l.hits[c] {
			hits = append(hits, c)
		}
	}
	return hits
}

// Share is what each of n agents may have of what is left, in equal parts; 0 in a currency without a limit. Time is not
// divided, since they work side by side: each may take three quarters of it, and the rest is for what is made of their work.
func (l *Ledger) Share(n int64) Limits {
	left := l.Left()
	f := func(left, parts, of int64) int64 {
		if left >= Unlimited {
			return 0
		}
		return left * parts / of
	}
	return Limits{f(left.Steps, 1, n), f(left.Searches, 1, n), f(left.Reads, 1, n), f(left.Tokens, 1, n), f(left.Millis, 3, 4), f(left.MicroUSD, 1, n)}
}

// Carve takes a child's budget out of this one (BUDGET-6): the parent holds it until Return. Every limited currency of
// the parent limits the child, whatever the child asks for; a carve that would leave the child without one of them is
// refused. Time bounds the child and is not held: it passes for both at once.
func (l *Ledger) Carve(limits Limits, closing Amount) (*Child, error) {
	left := l.Left()
	want := Amount(limits)
	for _, c := range Currencies {
		have, ask := c.In(left), c.In(want)
		if have >= Unlimited {
			continue
		}
		if have == 0 || c == Seconds && ask > have {
			return nil, l.refuse(c, max(ask, 1))
		}
		if ask == 0 {
			want.set(c, have)
		}
	}
	held := want
	held.Millis = 0
	hold, err := l.Reserve(held)
	if err != nil {
		return nil, err
	}
	return &Child{Ledger: NewLedger(Limits(want), closing), hold: hold}, nil
}

// refuse notes that a limit refused something, and says so.
func (l *Ledger) refuse(c Currency, asked int64) *Exhausted {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hits[c] = true
	return &Exhausted{Currency: c, Limit: c.In(Amount(l.limits)), Left: c.In(l.left(false)), Asked: asked}
}

// A Child is a ledger carved out of another.
type Child struct {
	*Ledger
	hold *Hold
}

// Carved is what the parent holds for the child.
func (c *Child) Carved() Amount { return c.hold.Amount() }

// Return settles the child with its parent: what it spent is spent, the rest is free again. Its time is the parent's to
// charge, who alone knows what else went on meanwhile. Returning twice is ignored.
func (c *Child) Return() {
	spent := c.Spent().Add(c.Held())
	spent.Millis = 0
	c.hold.Settle(spent)
}
