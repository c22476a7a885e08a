package hooks

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Attempts that a process makes at once, and those of one user: an address that does not answer takes half a minute, and a user who has
// many of them delays nobody else.
const (
	mostAttempts = 32
	mostOfOne    = 4
)

// lease is how long one attempt may take before another process takes the delivery over.
const lease = 2 * time.Minute

// A round is the attempts that a process makes.
type round struct {
	all  sync.WaitGroup
	free chan struct{} // one has ended

	mu   sync.Mutex
	of   map[string]int // attempts by user
	n    int
	errs error
}

func newRound() *round { return &round{free: make(chan struct{}, 1), of: map[string]int{}} }

// take says whether one more attempt for a user may be made.
func (r *round) take(user string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.n >= mostAttempts || r.of[user] >= mostOfOne {
		return false
	}
	r.n++
	r.of[user]++
	return true
}

// give ends what take began.
func (r *round) give(user string, err error) {
	r.mu.Lock()
	r.n--
	if r.of[user]--; r.of[user] == 0 {
		delete(r.of, user)
	}
	r.errs = errors.Join(r.errs, err)
	r.mu.Unlock()
	select {
	case r.free <- struct{}{}:
	default:
	}
}

// failed is what went wrong since it was asked last.
func (r *round) failed() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.errs
	r.errs = nil
	return err
}

// due are the deliveries whose time has come: of each user the next few, and of all users those first who have waited longest.
const due = `JOIN (SELECT d.id AS due, ROW_NUMBER() OVER (PARTITION BY w.user_name ORDER BY d.next_at, d.id) AS place
		FROM delivery d JOIN webhook w ON w.id = d.webhook WHERE d.next_at > 0 AND d.next_at <= $1 AND d.lease_until <= $1 AND w.disabled = 0) AS waits ON waits.due = d.id
	WHERE waits.place <= $2 ORDER BY waits.place, d.next_at, d.id LIMIT $3`

// begin makes an attempt at what is due, as far as there is room, and says at how many. It does not wait for them.
func (h *Hooks) begin(ctx context.Context, r *round) (made int, err error) {
	now := h.now().UnixMilli()
	list, err := h.list(ctx, due, now, mostOfOne, mostAttempts)
	if err != nil {
		return 0, err
	}
	for _, d := range list {
		if !r.take(d.user) {
			continue
		}
		d.lease = now + lease.Milliseconds()
		res, err := h.DB.ExecContext(ctx, `UPDATE delivery SET lease_until = $2, attempts = attempts + 1 WHERE id = $1 AND next_at > 0 AND lease_until <= $3`, d.ID, d.lease, now)
		n := int64(0)
		if err == nil {
			n, err = res.RowsAffected()
		}
		if err != nil || n == 0 { // another's
			r.give(d.user, nil)
			if err != nil {
				return made, err
			}
			continue
		}
		d.Attempts++
		made++
		r.all.Go(func() { r.give(d.user, h.attempt(ctx, d)) })
	}
	return made, nil
}

// Deliver makes one attempt at what is due, as much as is begun at once, waits for what comes of it, and says how many were made.
func (h *Hooks) Deliver(ctx context.Context) (int, error) {
	r := newRound()
	made, err := h.begin(ctx, r)
	r.all.Wait()
	return made, errors.Join(err, r.failed())
}
