package journal

import (
	"context"
	"database/sql"
	"fmt"

	"ibid/store"
)

// Note records a deterministic consequence: a tool's result, the report. It is written with the next transaction and
// needs none of its own, since after a crash the same code makes it again. Where the journal holds it already, the two
// are compared: the first that differs is a *Divergence, from this call on and in Err. A nil run keeps no notes.
func (r *Run) Note(key Key, kind string, v any) error {
	if r == nil {
		return nil
	}
	body, err := jsonBytes(v)
	if err != nil {
		return fmt.Errorf("journal: the note %s: %w", key, err)
	}
	body = r.j.redact.bytes(body)
	at := place{key, kind}
	if old := r.meet(at); old != nil {
		return r.same(old, body)
	}
	if r.replay {
		return r.diverge(&Divergence{Run: r.info.ID, Key: key, Kind: kind, Reason: "nothing is recorded for it"})
	}
	rec := &record{place: at, state: noted, visited: true}
	if err := rec.pack(body); err != nil {
		return fmt.Errorf("journal: the note %s: %w", key, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recorded[at] = rec
	r.notes = append(r.notes, rec)
	return nil
}

// same compares a note with the one on record.
func (r *Run) same(old *record, now []byte) error {
	if old.state == noted && old.outcomeSHA == store.Hash(now) {
		return nil
	}
	recorded, err := old.body()
	if err != nil {
		return fmt.Errorf("journal: the note %s: %w", old.key, err)
	}
	return r.diverge(differing(r.info.ID, old.place, "it differs", recorded, now))
}

// diverge keeps the first divergence: a run that has left its record has no business going on.
func (r *Run) diverge(d *Divergence) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.diverged == nil {
		r.diverged = d
	}
	return r.diverged
}

// Err returns the first divergence, or nil.
func (r *Run) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.diverged
}

// Flush writes the notes and blobs that wait.
func (r *Run) Flush(ctx context.Context) error {
	if r == nil || r.replay {
		return nil
	}
	r.mu.Lock()
	n := len(r.notes) + len(r.blobs)
	r.mu.Unlock()
	if n == 0 {
		return nil
	}
	return r.write(ctx, "notes", 0, func(*sql.Tx, int64) error { return nil })
}

// takeWaiting hands what waits to a transaction.
func (r *Run) takeWaiting() (notes []*record, blobs []store.Packed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	notes, blobs = r.notes, r.blobs
	r.notes, r.blobs = nil, nil
	return notes, blobs
}

// giveBack returns what a failed transaction did not write, to the front.
func (r *Run) giveBack(notes []*record, blobs []store.Packed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notes, r.blobs = append(notes, r.notes...), append(blobs, r.blobs...)
}
