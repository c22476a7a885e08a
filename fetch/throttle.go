package fetch

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	maxParkWait = 10 * time.Second // a longer wait for a parked host is answered at once
	maxPark     = 24 * time.Hour   // what a server may ask for
	firstPark   = 30 * time.Second // for a server that is overloaded and does not say for how long; doubled each time
	lastPark    = 10 * time.Minute
	manyLanes   = 1024 // hosts that are remembered before idle ones are forgotten
)

// throttle is the politeness towards hosts: one request to a host at a time, a pause between the starts of two, and none
// to a host that asked to be left alone (FETCH-3). It is safe for concurrent use.
type throttle struct {
	interval time.Duration
	mu       sync.Mutex
	lanes    map[string]*lane
}

// lane is the way to one host. All but turn is guarded by the throttle.
type lane struct {
	turn   chan struct{} // held by the request that is under way
	users  int           // requests that wait or are under way
	next   time.Time     // the earliest start of the next one
	parked time.Time     // until when the host is left alone
	busy   int           // overloaded answers in a row without a Retry-After
}

func newThrottle(interval time.Duration) *throttle {
	return &throttle{interval: interval, lanes: map[string]*lane{}}
}

// enter waits until a request to a host may start, and returns what must be called when it has ended. delay is what the
// host's robots.txt wants between two starts, 0 for nothing. A wait that would outlast the context, or a parked host's
// patience, is an *Unavailable at once.
func (t *throttle) enter(ctx context.Context, url, host string, delay time.Duration) (leave func(), err error) {
	l := t.join(host)
	done := func() {
		t.mu.Lock()
		l.users--
		t.mu.Unlock()
	}
	if _, err := t.wait(ctx, url, host, l); err != nil {
		done()
		return nil, err
	}
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		done()
		return nil, context.Cause(ctx)
	}
	leave = func() { <-l.turn; done() }
	for {
		wait, err := t.wait(ctx, url, host, l) // again: the request before this one may have parked the host
		if err != nil {
			leave()
			return nil, err
		}
		if wait <= 0 {
			break
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			leave()
			return nil, context.Cause(ctx)
		}
	}
	t.mu.Lock()
	l.next = time.Now().Add(max(t.interval, delay))
	t.mu.Unlock()
	return leave, nil
}

// join finds the lane of a host, and forgets idle ones when there are many.
func (t *throttle) join(host string) *lane {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lanes) >= manyLanes {
		now := time.Now()
		for name, l := range t.lanes {
			if l.users == 0 && l.next.Before(now) && l.parked.Before(now) {
				delete(t.lanes, name)
			}
		}
	}
	l := t.lanes[host]
	if l == nil {
		l = &lane{turn: make(chan struct{}, 1)}
		t.lanes[host] = l
	}
	l.users++
	return l
}

// wait is how long a request that is next in turn has to wait; an error if that is too long.
func (t *throttle) wait(ctx context.Context, url, host string, l *lane) (time.Duration, error) {
	t.mu.Lock()
	parked, pause := time.Until(l.parked), time.Until(l.next)
	t.mu.Unlock()
	left := time.Duration(1<<63 - 1)
	if deadline, ok := ctx.Deadline(); ok {
		left = time.Until(deadline)
	}
	switch {
	case ctx.Err() != nil:
		return 0, context.Cause(ctx)
	case parked > 0 && (parked > maxParkWait || parked >= left):
		return 0, limited(url, fmt.Sprintf("%s asked not to be read for another %v", host, seconds(parked)), parked)
	case pause > 0 && pause >= left:
		return 0, limited(url, fmt.Sprintf("%s wants %v until its next request, more than there is time", host, seconds(pause)), pause)
	}
	return max(parked, pause), nil
}

// heed learns from an answer: an overloaded host is left alone for as long as it says, or else for longer each time.
// after is its Retry-After, 0 for none.
func (t *throttle) heed(host string, overloaded bool, after time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.lanes[host]
	if l == nil {
		return
	}
	if !overloaded {
		l.busy = 0
		return
	}
	if after == 0 {
		after = min(firstPark<<min(l.busy, 10), lastPark)
		l.busy++
	}
	if until := time.Now().Add(after); until.After(l.parked) {
		l.parked = until
	}
}

func limited(url, reason string, after time.Duration) *Unavailable {
	e := unavailable(url, RateLimited, reason, "Take another source for now; this one may be read later.")
	e.RetryAfter = seconds(after)
	return e
}

// seconds rounds a wait up, since too early is too early.
func seconds(d time.Duration) time.Duration {
	return (d + time.Second - 1).Truncate(time.Second)
}
