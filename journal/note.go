package journal

import (
	"context"
	"database/sql"
	"fmt"
)

// note is a consequence that waits to be written.
type note struct {
	at  place
	rec *record
}

// Note records a deterministic consequence: a tool's result, the report. It is written with the next transaction and
// needs none of its own, since after a crash the same code makes it again. Where the journal holds it already, the two
// are compared: the first that differs is a *Divergence, from this call on and in Err.
func (r *Run) Note(key Key, kind string, v any) error {
	body, err := jsonBytes(v)
	if err != nil {
		return fmt.Errorf("journal: the note %s: %w", key, err)
	}
	rec := &record{state: noted, plain: r.j.redact.bytes(body), visited: true}
	at := place{key, kind}
	r.mu.Lock()
	old := r.recorded[at]
	r.mu.Unlock()
	if old != nil {
		return r.same(at, old, rec)
	}
	if r.replay {
		return r.diverge(&Divergence{r.info.ID, key, kind, "nothing is recorded for it"})
	}
	if err := rec.pack(); err != nil {
		return fmt.Errorf("journal: the note %s: %w", key, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recorded[at] = rec
	r.notes = append(r.notes, note{at, rec})
	return nil
}

// same compares a note with the one on record.
func (r *Run) same(at place, old, now *record) error {
	old.visited = true
	recorded, err := old.body()
	if err != nil {
		return fmt.Errorf("journal: the note %s: %w", at.key, err)
	}
	if string(recorded) == string(now.plain) {
		return nil
	}
	return r.diverge(&Divergence{r.info.ID, at.key, at.kind, "it differs " + difference(recorded, now.plain)})
}

func (r *Run) diverge(d *Divergence) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.diverged == nil {
		r.diverged = d
	}
	return r.diverged
}

// Err returns the first divergence of a note, or nil.
func (r *Run) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.diverged
}

// Flush writes the notes that wait.
func (r *Run) Flush(ctx context.Context) error {
	r.mu.Lock()
	n := len(r.notes)
	r.mu.Unlock()
	if n == 0 || r.replay {
		return nil
	}
	return r.write(ctx, "notes", 0, func(*sql.Tx, int64) error { return nil })
}

// takeNotes hands the waiting notes to a transaction.
func (r *Run) takeNotes() []note {
	r.mu.Lock()
	defer r.mu.Unlock()
	notes := r.notes
	r.notes = nil
	return notes
}

// giveBack returns notes whose transaction failed, to the front.
func (r *Run) giveBack(notes []note) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notes = append(notes, r.notes...)
}
