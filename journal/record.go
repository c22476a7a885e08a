package journal

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ibid/store"
)

// States of an event.
const (
	intent = "intent" // begun; after a crash: in doubt
	done   = "done"
	failed = "failed"
	noted  = "note"
)

// place is what makes an event one: its position and its kind.
type place struct {
	key  Key
	kind string
}

// record is an event in memory. The outcome stays packed until it is asked for.
type record struct {
	place
	seq             int64
	state           string
	requestSHA      string
	depth           int // deltas under the request
	outcomeSHA      string
	outcomeSize     int64
	packed          []byte
	failure, copied string
	took, doubts    int64
	reserved, spent Amount
	visited         bool // met in this run of the program
}

// errDamaged says that a stored body is not the one that was stored.
var errDamaged = errors.New("the stored bytes do not have their hash; the database is damaged")

// failed returns the recorded failure, or nil.
func (rec *record) failed() error {
	if rec.state == failed {
		return &Failure{rec.failure}
	}
	return nil
}

// body returns the outcome, verified; an intent has none.
func (rec *record) body() ([]byte, error) {
	if rec.outcomeSHA == "" {
		return nil, nil
	}
	data, err := store.Decompress(nil, rec.packed, rec.outcomeSize)
	if err != nil {
		return nil, err
	}
	if store.Hash(data) != rec.outcomeSHA {
		return nil, errDamaged
	}
	return data, nil
}

// pack fills in the stored form of an outcome.
func (rec *record) pack(body []byte) (err error) {
	if len(body) > store.MaxBody {
		return fmt.Errorf("%d bytes are more than the limit of %d", len(body), store.MaxBody)
	}
	rec.outcomeSHA, rec.outcomeSize = store.Hash(body), int64(len(body))
	rec.packed, err = store.Compress(nil, body)
	return err
}

// load reads a run's events in one query, without their requests: those are needed only to say what differs.
func (j *Journal) load(ctx context.Context, id string) (map[place]*record, error) {
	rows, err := j.db.QueryContext(ctx, `SELECT seq, key, kind, state, request_sha, request_base, outcome_sha, outcome_size, outcome, failure, copied, took, doubts,
		reserved_steps, reserved_searches, reserved_reads, reserved_tokens, reserved_millis, reserved_usd,
		spent_steps, spent_searches, spent_reads, spent_tokens, spent_millis, spent_usd FROM event WHERE run = $1 ORDER BY seq`, id)
	if err != nil {
		return nil, fmt.Errorf("journal: reading run %s: %w", id, err)
	}
	defer rows.Close()
	records, depths := map[place]*record{}, map[int64]int{}
	for rows.Next() {
		rec, base := &record{}, int64(0)
		a, s := &rec.reserved, &rec.spent
		if err := rows.Scan(&rec.seq, &rec.key, &rec.kind, &rec.state, &rec.requestSHA, &base, &rec.outcomeSHA, &rec.outcomeSize, &rec.packed, &rec.failure, &rec.copied, &rec.took, &rec.doubts,
			&a.Steps, &a.Searches, &a.Reads, &a.Tokens, &a.Millis, &a.MicroUSD, &s.Steps, &s.Searches, &s.Reads, &s.Tokens, &s.Millis, &s.MicroUSD); err != nil {
			return nil, fmt.Errorf("journal: reading run %s: %w", id, err)
		}
		if rec.key.lane() == afterwards {
			continue
		}
		if base != 0 {
			rec.depth = depths[base] + 1
			depths[rec.seq] = rec.depth
		}
		records[rec.place] = rec
	}
	return records, rows.Err()
}

// Holds says whether an event is on record, and does not count as coming to it.
func (r *Run) Holds(key Key, kind string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.recorded[place{key, kind}] != nil
}

// meet returns what is recorded at a place, or nil, and notes that the program came to it.
func (r *Run) meet(at place) *record {
	r.mu.Lock()
	defer r.mu.Unlock()
	rec := r.recorded[at]
	if rec != nil {
		rec.visited = true
	}
	return rec
}

// requestDiffers makes the Divergence of an effect that now asks for something else.
func (r *Run) requestDiffers(ctx context.Context, e Effect, rec *record, now []byte) error {
	recorded, err := r.j.Request(ctx, r.info.ID, rec.seq)
	if err != nil {
		return err
	}
	return r.diverge(differing(r.info.ID, rec.place, "the request differs", recorded, now))
}

// unmet says which recorded event the program did not come to again: the first, in the order recorded.
func (r *Run) unmet() error {
	r.mu.Lock()
	var first *record
	for _, rec := range r.recorded {
		if !rec.visited && (first == nil || rec.seq < first.seq) {
			first = rec
		}
	}
	r.mu.Unlock()
	if first == nil {
		return nil
	}
	return r.diverge(&Divergence{Run: r.info.ID, Key: first.key, Kind: first.kind, Reason: "it is recorded, and the program does not come to it any more"})
}

// Doubts lists the effects that were begun and perhaps happened, without an outcome on record: their worst case is in
// the totals.
func (j *Journal) Doubts(ctx context.Context, id string) ([]string, error) {
	rows, err := j.db.QueryContext(ctx, `SELECT key, kind, doubts, state FROM event WHERE run = $1 AND (doubts > 0 OR state = 'intent') ORDER BY seq`, id)
	if err != nil {
		return nil, fmt.Errorf("journal: doubts of run %s: %w", id, err)
	}
	defer rows.Close()
	list := []string{}
	for rows.Next() {
		var key, kind, state string
		var n int64
		if err := rows.Scan(&key, &kind, &n, &state); err != nil {
			return nil, err
		}
		what := fmt.Sprintf("%s (%s)", key, kind)
		if n > 0 {
			what += fmt.Sprintf(": begun %d times without an outcome", n)
		}
		if state == intent {
			what += ": no outcome yet"
		}
		list = append(list, strings.TrimSpace(what))
	}
	return list, rows.Err()
}
