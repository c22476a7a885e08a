package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"ibid/store"
)

// An Event is one row of a run's record.
type Event struct {
	Run     string    `json:"run"`
	Seq     int64     `json:"seq"`
	Key     Key       `json:"key"`
	Kind    string    `json:"kind"`
	State   string    `json:"state"` // intent, done, failed, note
	Started time.Time `json:"started"`
	Took    int64     `json:"took_ms,omitempty"`
	Failure string    `json:"failure,omitempty"`
	Doubts  int64     `json:"doubts,omitempty"`
	Copied  string    `json:"copied,omitempty"` // from this run, in a fork
	Request int64     `json:"request_bytes,omitempty"`
	Outcome int64     `json:"outcome_bytes,omitempty"`
	Spent   Amount    `json:"spent"`
	Text    string    `json:"text,omitempty"` // for people; whoever shows events fills it in
}

const eventColumns = `seq, key, kind, state, started, took, failure, doubts, copied, request_size, outcome_size,
	spent_steps, spent_searches, spent_reads, spent_tokens, spent_millis, spent_usd`

func scanEvent(row interface{ Scan(...any) error }, id string) (Event, error) {
	e := Event{Run: id}
	var started int64
	s := &e.Spent
	err := row.Scan(&e.Seq, &e.Key, &e.Kind, &e.State, &started, &e.Took, &e.Failure, &e.Doubts, &e.Copied, &e.Request, &e.Outcome,
		&s.Steps, &s.Searches, &s.Reads, &s.Tokens, &s.Millis, &s.MicroUSD)
	e.Started = instant(started)
	return e, err
}

// Events returns at most limit events after a sequence number, in order.
func (j *Journal) Events(ctx context.Context, id string, after int64, limit int) ([]Event, error) {
	rows, err := j.db.QueryContext(ctx, `SELECT `+eventColumns+` FROM event WHERE run = $1 AND seq > $2 ORDER BY seq LIMIT $3`, id, after, limit)
	if err != nil {
		return nil, fmt.Errorf("journal: events of run %s: %w", id, err)
	}
	defer rows.Close()
	list := []Event{}
	for rows.Next() {
		e, err := scanEvent(rows, id)
		if err != nil {
			return nil, fmt.Errorf("journal: events of run %s: %w", id, err)
		}
		list = append(list, e)
	}
	return list, rows.Err()
}

// Outcome returns an event's outcome, exactly as it was received.
func (j *Journal) Outcome(ctx context.Context, id string, seq int64) ([]byte, error) {
	rec := &record{}
	err := j.db.QueryRowContext(ctx, `SELECT outcome_sha, outcome_size, outcome FROM event WHERE run = $1 AND seq = $2`, id, seq).Scan(&rec.outcomeSHA, &rec.outcomeSize, &rec.packed)
	if err == nil {
		var body []byte
		if body, err = rec.body(); err == nil {
			return body, nil
		}
	}
	return nil, fmt.Errorf("journal: the outcome of event %d of run %s: %w", seq, id, err)
}

// MaxBody is the largest body, in bytes, that a journal takes or gives.
const MaxBody = store.MaxBody

// Subscribe gives a run's events after a sequence number: those on record, and then each as it is written, also by
// another process, until the run is over or parked, or ctx ends. An effect that is given as an intent is given once more
// when its outcome is on record.
func (j *Journal) Subscribe(ctx context.Context, id string, after int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		j.wake.join(id)
		defer j.wake.leave(id)
		s := &subscription{j: j, id: id, after: after}
		for ctx.Err() == nil {
			wake := j.wake.next(id)
			state, err := j.state(ctx, id) // before the events: a run that is over writes no more
			if err == nil {
				err = s.catchUp(ctx, func(e Event) bool { return yield(e, nil) })
			}
			switch {
			case errors.Is(err, errEnough), err != nil && ctx.Err() != nil:
				return
			case err != nil:
				yield(Event{}, err)
				return
			case state.Over() || state == StateParked:
				return
			}
			select {
			case <-ctx.Done():
			case <-wake:
			}
		}
	}
}

// state is how a run stands, as stored.
func (j *Journal) state(ctx context.Context, id string) (s State, err error) {
	if err = found(j.db.QueryRowContext(ctx, `SELECT state FROM run WHERE id = $1`, id).Scan(&s)); err != nil {
		err = fmt.Errorf("journal: run %s: %w", id, err)
	}
	return s, err
}

// errEnough says that the subscriber wants no more.
var errEnough = errors.New("enough")

// subscription is how far a subscriber has come.
type subscription struct {
	j     *Journal
	id    string
	after int64
	open  []int64 // effects given as intents
}

// catchUp gives what is new: outcomes of effects given before, then later events.
func (s *subscription) catchUp(ctx context.Context, give func(Event) bool) error {
	open := s.open[:0]
	for _, seq := range s.open {
		e, err := scanEvent(s.j.db.QueryRowContext(ctx, `SELECT `+eventColumns+` FROM event WHERE run = $1 AND seq = $2`, s.id, seq), s.id)
		switch {
		case err != nil:
			return fmt.Errorf("journal: event %d of run %s: %w", seq, s.id, err)
		case e.State == intent:
			open = append(open, seq)
		case !give(e):
			return errEnough
		}
	}
	s.open = open
	for {
		events, err := s.j.Events(ctx, s.id, s.after, 500)
		if err != nil {
			return err
		}
		for _, e := range events {
			s.after = e.Seq
			if e.State == intent {
				s.open = append(s.open, e.Seq)
			}
			if !give(e) {
				return errEnough
			}
		}
		if len(events) < 500 {
			return nil
		}
	}
}

// broadcast wakes everybody who waits, as often as it happens.
type broadcast struct {
	mu sync.Mutex
	ch chan struct{}
}

func newBroadcast() *broadcast { return &broadcast{ch: make(chan struct{})} }

// next returns a channel that is closed at the next all.
func (b *broadcast) next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ch
}

func (b *broadcast) all() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.ch)
	b.ch = make(chan struct{})
}
