package journal

import (
	"context"
	"sync"
	"time"
)

// watch wakes those who watch runs: who watches a run that is written here, at once; for what other processes write, one
// goroutine, from the first who watches to the last, asks for all runs that are watched.
type watch struct {
	j *Journal

	mu   sync.Mutex
	runs map[string]*watched
	stop context.CancelFunc
}

// watched is a run that somebody watches.
type watched struct {
	watchers int
	wake     chan struct{} // closed when something changed
	seen     row
}

// row is what of a run's row changes with each write. Two writes of one millisecond can leave the same.
type row struct {
	state         State
	next, updated int64
}

// join begins to watch a run.
func (w *watch) join(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.runs) == 0 {
		var ctx context.Context
		ctx, w.stop = context.WithCancel(context.Background())
		w.runs = map[string]*watched{}
		go w.look(ctx)
	}
	if w.runs[id] == nil {
		w.runs[id] = &watched{wake: make(chan struct{})}
	}
	w.runs[id].watchers++
}

// leave ends it.
func (w *watch) leave(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.runs[id].watchers--; w.runs[id].watchers == 0 {
		delete(w.runs, id)
	}
	if len(w.runs) == 0 {
		w.stop()
	}
}

// next returns a channel that is closed at the next change of a run that is watched.
func (w *watch) next(id string) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.runs[id].wake
}

// one says that a run has changed.
func (w *watch) one(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r := w.runs[id]; r != nil {
		r.changed()
	}
}

// all says that any run may have changed.
func (w *watch) all() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.runs {
		r.changed()
	}
}

func (r *watched) changed() {
	close(r.wake)
	r.wake = make(chan struct{})
}

// look looks five times a second whether runs have changed. A row that was written since shortly before the last look
// counts as changed, and so does each now and then, whatever it says.
func (w *watch) look(ctx context.Context) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	last := w.j.now()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := w.j.now()
		if n%25 == 0 || w.compare(ctx, last-margin.Milliseconds()) != nil { // a busy database
			w.all()
		}
		last = now
	}
}

// compare wakes those who watch runs whose rows are not as they were, or were written since then.
func (w *watch) compare(ctx context.Context, since int64) error {
	var ids []any
	here := w.j.pulse.held()
	w.mu.Lock()
	for id := range w.runs {
		if !here[id] { // nobody else writes what is worked on here
			ids = append(ids, id)
		}
	}
	w.mu.Unlock()
	for len(ids) > 0 {
		n := min(len(ids), atOnce)
		found, err := w.rows(ctx, ids[:n])
		if err != nil {
			return err
		}
		w.mu.Lock()
		for _, id := range ids[:n] {
			r, now := w.runs[id.(string)], found[id.(string)]
			if r != nil && (r.seen != now || now.updated >= since) {
				r.seen = now
				r.changed()
			}
		}
		w.mu.Unlock()
		ids = ids[n:]
	}
	return nil
}

func (w *watch) rows(ctx context.Context, ids []any) (map[string]row, error) {
	rows, err := w.j.db.QueryContext(ctx, `SELECT id, state, next_seq, updated FROM run WHERE id IN (`+places(1, len(ids))+`)`, ids...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := make(map[string]row, len(ids))
	for rows.Next() {
		var id string
		var r row
		if err := rows.Scan(&id, &r.state, &r.next, &r.updated); err != nil {
			return nil, err
		}
		found[id] = r
	}
	return found, rows.Err()
}
