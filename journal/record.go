package journal

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"sort"
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
	seq             int64
	state           string
	requestSHA      string
	outcomeSHA      string
	outcomeSize     int64
	packed, plain   []byte
	failure, copied string
	took, doubts    int64
	reserved, spent Amount
	visited         bool // met in this run of the program
}

// failed returns the recorded failure, or nil.
func (rec *record) failed() error {
	if rec.state == failed {
		return &Failure{rec.failure}
	}
	return nil
}

// body returns the outcome, verified.
func (rec *record) body() ([]byte, error) {
	if rec.plain != nil || rec.outcomeSize == 0 {
		return rec.plain, nil
	}
	data, err := store.Decompress(nil, rec.packed, rec.outcomeSize)
	if err != nil {
		return nil, err
	}
	if store.Hash(data) != rec.outcomeSHA {
		return nil, fmt.Errorf("the stored bytes do not have their hash; the database is damaged")
	}
	rec.plain = data
	return data, nil
}

// pack fills in the stored form of the outcome.
func (rec *record) pack() (err error) {
	if len(rec.plain) > store.MaxBody {
		return fmt.Errorf("%d bytes are more than the limit of %d", len(rec.plain), store.MaxBody)
	}
	rec.outcomeSHA, rec.outcomeSize = store.Hash(rec.plain), int64(len(rec.plain))
	rec.packed, err = store.Compress(nil, rec.plain)
	return err
}

// load reads a run's events, without their requests: those are needed only to say what differs.
func (j *Journal) load(ctx context.Context, id string) (map[place]*record, map[string]bool, error) {
	rows, err := j.db.QueryContext(ctx, `SELECT seq, key, kind, state, request_sha, outcome_sha, outcome_size, outcome, failure, copied, took, doubts,
		reserved_steps, reserved_searches, reserved_reads, reserved_tokens, reserved_millis, reserved_usd,
		spent_steps, spent_searches, spent_reads, spent_tokens, spent_millis, spent_usd FROM event WHERE run = $1 ORDER BY seq`, id)
	if err != nil {
		return nil, nil, fmt.Errorf("journal: reading run %s: %w", id, err)
	}
	defer rows.Close()
	records, steps := map[place]*record{}, map[string]bool{}
	for rows.Next() {
		var at place
		rec := &record{}
		if err := rows.Scan(&rec.seq, &at.key, &at.kind, &rec.state, &rec.requestSHA, &rec.outcomeSHA, &rec.outcomeSize, &rec.packed, &rec.failure, &rec.copied, &rec.took, &rec.doubts,
			&rec.reserved.Steps, &rec.reserved.Searches, &rec.reserved.Reads, &rec.reserved.Tokens, &rec.reserved.Millis, &rec.reserved.MicroUSD,
			&rec.spent.Steps, &rec.spent.Searches, &rec.spent.Reads, &rec.spent.Tokens, &rec.spent.Millis, &rec.spent.MicroUSD); err != nil {
			return nil, nil, fmt.Errorf("journal: reading run %s: %w", id, err)
		}
		records[at] = rec
		steps[at.key.step()] = true
	}
	return records, steps, rows.Err()
}

// lane is the last request of an agent's model calls, which its next one goes on from.
type lane struct {
	seq   int64
	body  []byte
	depth int // deltas since the last whole body
}

// keyFrame is how many requests in a row may be stored as deltas: a damaged one costs no more than these, and an old one
// is rebuilt through no more than these.
const keyFrame = 16

// remember keeps a model request as the base of the lane's next.
func (r *Run) remember(k Key, seq int64, body []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.lanes[k.lane()]
	if l == nil {
		l = &lane{}
		r.lanes[k.lane()] = l
	}
	if l.seq != seq {
		l.depth = (l.depth + 1) % keyFrame
	}
	l.seq, l.body = seq, body
}

// packedRequest is the stored form of a request.
type packedRequest struct {
	base   int64 // 0: whole
	same   int64
	packed []byte
}

// packRequest packs a request. A model's request resends the conversation: it is stored as what comes after the part it
// has in common with the one before, so that the journal grows with what is new (JOURNAL-5). What was cut away there is
// the dictionary: after an elision most of it comes again.
func (r *Run) packRequest(e Effect, request []byte) (p packedRequest, err error) {
	if len(request) > store.MaxBody {
		return p, fmt.Errorf("journal: the request of %s has %d bytes; %d is the limit", e.Key, len(request), store.MaxBody)
	}
	r.mu.Lock()
	var base lane
	if l := r.lanes[e.Key.lane()]; e.Kind == "model" && l != nil && l.depth < keyFrame-1 {
		base = *l
	}
	r.mu.Unlock()
	var dict []byte
	if base.seq != 0 {
		p.base, p.same = base.seq, int64(commonPrefix(base.body, request))
		dict = dictionary(base.body[p.same:])
	}
	p.packed, err = store.Compress(dict, request[p.same:])
	return p, err
}

// dictionary is the rest of a base, where it is long enough to be worth it.
func dictionary(rest []byte) []byte {
	if len(rest) < 1024 {
		return nil
	}
	return rest
}

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := 0; i < n; i += 4096 {
		end := min(i+4096, n)
		if !bytes.Equal(a[i:end], b[i:end]) {
			for a[i] == b[i] {
				i++
			}
			return i
		}
	}
	return n
}

// Request returns an event's request, exactly as it was sent.
func (j *Journal) Request(ctx context.Context, id string, seq int64) ([]byte, error) {
	body, err := j.request(ctx, id, seq, keyFrame)
	if err != nil {
		return nil, fmt.Errorf("journal: the request of event %d of run %s: %w", seq, id, err)
	}
	return body, nil
}

func (j *Journal) request(ctx context.Context, id string, seq int64, depth int) ([]byte, error) {
	var sha string
	var base, same, size int64
	var packed []byte
	err := j.db.QueryRowContext(ctx, `SELECT request_sha, request_base, request_same, request_size, request FROM event WHERE run = $1 AND seq = $2`, id, seq).
		Scan(&sha, &base, &same, &size, &packed)
	if err != nil {
		return nil, err
	}
	var head, dict []byte
	if base != 0 {
		if depth == 0 || base >= seq {
			return nil, fmt.Errorf("its chain of deltas is broken")
		}
		before, err := j.request(ctx, id, base, depth-1)
		if err != nil {
			return nil, err
		}
		if same < 0 || same > int64(len(before)) {
			return nil, fmt.Errorf("its chain of deltas is broken")
		}
		head, dict = before[:same:same], dictionary(before[same:])
	}
	if packed == nil {
		return nil, nil // a note has none
	}
	rest, err := store.Decompress(dict, packed, size-same)
	if err != nil {
		return nil, err
	}
	body := append(head, rest...)
	if store.Hash(body) != sha {
		return nil, fmt.Errorf("the stored bytes do not have their hash; the database is damaged")
	}
	return body, nil
}

// requestDiffers makes the Divergence of an effect that now asks for something else.
func (r *Run) requestDiffers(ctx context.Context, e Effect, rec *record, now []byte) error {
	recorded, err := r.j.Request(ctx, r.info.ID, rec.seq)
	if err != nil {
		return err
	}
	return &Divergence{r.info.ID, e.Key, e.Kind, "the request differs " + difference(recorded, now)}
}

// unmet says which recorded event the program did not come to again: the first, in the order recorded.
func (r *Run) unmet() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var missed []place
	for at, rec := range r.recorded {
		if !rec.visited {
			missed = append(missed, at)
		}
	}
	if len(missed) == 0 {
		return nil
	}
	sort.Slice(missed, func(a, b int) bool { return r.recorded[missed[a]].seq < r.recorded[missed[b]].seq })
	return &Divergence{r.info.ID, missed[0].key, missed[0].kind, "it is recorded, and the program does not come to it any more"}
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

// insertNote writes one note.
func (r *Run) insertNote(ctx context.Context, tx *sql.Tx, seq int64, n note) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO event (run, seq, key, kind, state, epoch, started, outcome_sha, outcome_size, outcome) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		r.info.ID, seq, n.at.key, n.at.kind, noted, r.info.Epoch, r.j.now(), n.rec.outcomeSHA, n.rec.outcomeSize, n.rec.packed)
	if err == nil {
		n.rec.seq = seq
	}
	return err
}
