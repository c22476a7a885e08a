package journal

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"time"
)

// pulse looks after all the runs that this process works on, in one goroutine from the first claim to the end of the
// last: it renews their leases and brings them the wishes of others, stop and cancel.
type pulse struct {
	j *Journal

	mu    sync.Mutex
	runs  map[*Run]bool // true: its lease is lost, and nothing can be done for it any more
	stop  context.CancelFunc
	ended chan struct{}
}

// join takes a claimed run into care. asked is closed if somebody asked something of a run since before the claim looked.
func (p *pulse) join(r *Run, asked <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.runs) == 0 {
		var ctx context.Context
		ctx, p.stop = context.WithCancel(context.Background())
		p.runs, p.ended = map[*Run]bool{}, make(chan struct{})
		go p.beats(ctx, p.ended)
	}
	p.runs[r] = false
	select {
	case <-asked: // perhaps of this one, and nobody looked for it then
		p.j.asks.all()
	default:
	}
}

// leave takes a run out of care: it is told nothing from here on. It does nothing for one that is not in care.
func (p *pulse) leave(r *Run) {
	p.mu.Lock()
	_, in := p.runs[r]
	delete(p.runs, r)
	last, ended := in && len(p.runs) == 0, p.ended
	if last {
		p.stop()
	}
	p.mu.Unlock()
	if last {
		<-ended
	}
}

// beats looks at the runs some times a second, so that who cancels from elsewhere is heard in a quarter of one, and when somebody asks something here.
func (p *pulse) beats(ctx context.Context, ended chan struct{}) {
	defer close(ended)
	third := p.j.options.Lease / 3
	tick := time.NewTicker(max(min(third, 150*time.Millisecond), time.Millisecond))
	defer tick.Stop()
	var synced time.Time
	for {
		asks := p.j.asks.next()
		if time.Since(synced) >= third && p.j.db.Sync(ctx) == nil {
			synced = time.Now()
		}
		_ = p.beat(ctx) // a busy database: the next beat tries again
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-asks:
		}
	}
}

// atOnce is how many runs one statement names.
const atOnce = 400

// beat looks once, and renews what has less than two thirds of its lease left.
func (p *pulse) beat(ctx context.Context) error {
	ctx, done := context.WithTimeout(ctx, p.j.options.Lease)
	defer done()
	var ids []any
	for id := range p.held() {
		ids = append(ids, id)
	}
	for len(ids) > 0 {
		n := min(len(ids), atOnce)
		rows, err := p.look(ctx, ids[:n])
		if err != nil {
			return err
		}
		if due := p.tell(ids[:n], rows); len(due) > 0 {
			if err := p.renew(ctx, due); err != nil {
				return err
			}
		}
		ids = ids[n:]
	}
	return nil
}

// held is the runs whose leases are not known to be lost.
func (p *pulse) held() map[string]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	held := make(map[string]bool, len(p.runs))
	for r, lost := range p.runs {
		if !lost {
			held[r.info.ID] = true
		}
	}
	return held
}

// standing is what a run's row says of the claim on it and of what others want.
type standing struct {
	epoch, until int64
	stop, cancel bool
}

func (p *pulse) look(ctx context.Context, ids []any) (map[string]standing, error) {
	rows, err := p.j.db.QueryContext(ctx, `SELECT id, epoch, lease_until, stop_asked, cancel_asked FROM run WHERE id IN (`+places(1, len(ids))+`)`, ids...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := make(map[string]standing, len(ids))
	for rows.Next() {
		var id string
		var s standing
		if err := rows.Scan(&id, &s.epoch, &s.until, &s.stop, &s.cancel); err != nil {
			return nil, err
		}
		found[id] = s
	}
	return found, rows.Err()
}

// tell tells each run that was looked for, and is in care still, what its row says. It returns those whose lease is to
// be renewed. A lapsed one is not: somebody else may have counted on its end.
func (p *pulse) tell(ids []any, rows map[string]standing) (due []any) {
	looked := make(map[any]bool, len(ids))
	for _, id := range ids {
		looked[id] = true
	}
	now := p.j.now()
	p.mu.Lock()
	defer p.mu.Unlock()
	for r, lost := range p.runs {
		if lost || !looked[r.info.ID] {
			continue
		}
		s, there := rows[r.info.ID]
		switch {
		case s.epoch < r.info.Epoch && there: // it was claimed after the look
			continue
		case s.epoch != r.info.Epoch || s.until <= now:
			r.lost(ErrFenced)
			p.runs[r] = true
			continue
		case s.cancel:
			r.lost(ErrCancelled)
		case s.stop:
			r.AskStop()
		}
		if lease := p.j.options.Lease.Milliseconds(); s.until-now <= lease-lease/3 {
			due = append(due, r.info.ID)
		}
	}
	return due
}

// renew lengthens leases, never shortens them. A row that somebody holds is left for the next beat, so that one that is
// held for long costs the others nothing.
func (p *pulse) renew(ctx context.Context, ids []any) error {
	now := p.j.now()
	args := append([]any{now + p.j.options.Lease.Milliseconds(), now, p.j.options.Owner}, ids...)
	renew := `UPDATE run SET lease_until = CASE WHEN lease_until < $1 THEN $1 ELSE lease_until END WHERE lease_until > $2 AND lease_owner = $3 AND id IN
		(SELECT id FROM run WHERE id IN (` + places(4, len(ids)) + `)` + p.j.db.UnlessHeld + `)`
	return p.j.db.Tx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, renew, args...)
		return err
	})
}

// places is n placeholders, from the one with a number on.
func places(from, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ",$%d", from+i)
	}
	return strings.TrimPrefix(b.String(), ",")
}
