// Package journal is the truth about a run: the ordered record of its effects, exact enough to run it again without
// them. Every touch of the world goes through Do; what follows from outcomes is written as notes. Replay, resume, fork,
// totals and the audit trail all read this record. The package does not know what an effect means.
package journal

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"ibid/budget"
	"ibid/gate"
	"ibid/store"
)

// State is where a run stands in its life.
type State string

const (
	StateQueued    State = "queued"
	StateWorking   State = "working"
	StateParked    State = "parked" // waits for a person, or for somebody to resume it
	StateDone      State = "done"
	StatePartial   State = "partial" // ended with an answer, before its work was complete
	StateFailed    State = "failed"
	StateCancelled State = "cancelled"

	// StateStopping is what a working run is called that was asked to stop and has not yet. It is never stored.
	StateStopping State = "stopping"

	// StateInterrupted is what a working run is called whose worker is gone: it shows no sign of life, whatever the age
	// of the run. It is told from the lease and never stored, so it needs nobody to notice.
	StateInterrupted State = "interrupted"
)

// Over says whether a run in this state has ended for good.
func (s State) Over() bool {
	return s == StateDone || s == StatePartial || s == StateFailed || s == StateCancelled
}

// held says whether somebody works on a run.
func (s State) held() bool { return s == StateWorking || s == StateStopping }

// Stored says whether runs are kept under this state. Others are told from more than it.
func (s State) Stored() bool {
	return s.Over() || s == StateQueued || s == StateWorking || s == StateParked
}

// Options are what a Journal takes from outside. Zero values mean the defaults.
type Options struct {
	Now     func() time.Time  // the clock; the database's
	NewID   func() string     // random ids
	Owner   string            // who holds leases: host/pid/nonce
	Lease   time.Duration     // how long a worker may be silent; 15 s
	Secrets map[string]string // name → value that is never recorded (law 10)
	Quota   Quota             // of users who have no limits of their own; none
	// Queued, if not nil, is told of each background run that begins to wait for a worker, in the transaction in which it does.
	Queued func(ctx context.Context, tx *sql.Tx, run string, epoch int64) error
}

// A Journal keeps runs in a database.
type Journal struct {
	db      *store.DB
	options Options
	redact  *redactor
	wake    *watch     // something was recorded
	asks    *broadcast // somebody asked for a stop or an end
	waiting *broadcast // a run waits for a worker, or may have its turn
	pulse   *pulse     // of the runs that are worked on here

	pauses    []time.Duration          // between attempts to record an outcome
	failpoint func(point string) error // tests end the program's life here
}

// Open returns the journal kept in db.
func Open(db *store.DB, o Options) *Journal {
	if o.Now == nil {
		o.Now = db.Now // of one clock, whoever works where
	}
	if o.NewID == nil {
		o.NewID = newID
	}
	if o.Owner == "" {
		o.Owner = fmt.Sprintf("%s/%d/%s", machine(), os.Getpid(), newID())
	}
	if o.Lease == 0 {
		o.Lease = 15 * time.Second
	}
	j := &Journal{db: db, options: o, redact: newRedactor(o.Secrets), asks: newBroadcast(), waiting: newBroadcast(),
		pauses: []time.Duration{200 * time.Millisecond, time.Second, 3 * time.Second}}
	j.pulse, j.wake = &pulse{j: j}, &watch{j: j}
	return j
}

// newID makes a random id of 60 bits, in an alphabet that is read aloud without mistakes.
func newID() string {
	const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
	var b [12]byte
	rand.Read(b[:]) // never fails
	for i := range b {
		b[i] = alphabet[b[i]&31]
	}
	return string(b[:])
}

func (j *Journal) now() int64 { return j.options.Now().UnixMilli() }

// A Spec is what a run begins with.
type Spec struct {
	Question      string
	User          string
	Model         string
	PromptVersion string
	Config        json.RawMessage // pinned; opaque here
	Parent        string          // the run whose evidence this one goes over, or ""
	ForkAt        int             // first step whose model call is made anew, though the parent recorded it
	Live          bool            // a fork may go beyond the recorded evidence
	Trace         string          // the traceparent of the request, or ""
	Background    bool            // workers may take it; *Full if its user has as many that wait as they may
	// First, if not nil, is the beginning of the transaction that writes the run. Its error is Create's.
	First func(ctx context.Context, tx *sql.Tx, id string) error
}

// Info is a run's row.
type Info struct {
	ID            string          `json:"id"`
	User          string          `json:"user"`
	Question      string          `json:"question"`
	State         State           `json:"state"`
	Stop          string          `json:"stop,omitempty"`
	Model         string          `json:"model"`
	PromptVersion string          `json:"prompt_version"`
	Config        json.RawMessage `json:"config,omitempty"`
	Parent        string          `json:"parent,omitempty"`
	ForkAt        int             `json:"fork_at,omitempty"`
	Live          bool            `json:"live,omitempty"`
	Background    bool            `json:"background,omitempty"`
	Epoch         int64           `json:"epoch"`
	LeaseOwner    string          `json:"lease_owner,omitempty"`
	LeaseUntil    time.Time       `json:"lease_until,omitzero"` // zero: nobody holds it
	Trace         string          `json:"-"`                    // the traceparent of the request, or ""
	Created       time.Time       `json:"created"`
	Updated       time.Time       `json:"updated"`
}

// ErrNotFound says that there is no such run.
var ErrNotFound = errors.New("no such run")

// Create writes a new run, queued, and returns its id.
func (j *Journal) Create(ctx context.Context, s Spec) (string, error) {
	if s.Config == nil {
		s.Config = json.RawMessage("{}")
	}
	if !json.Valid(s.Config) {
		return "", errors.New("journal: creating a run: its configuration is not JSON")
	}
	id := j.options.NewID()
	if err := j.db.Tx(ctx, func(tx *sql.Tx) error { return j.create(ctx, tx, id, s) }); err != nil {
		return "", fmt.Errorf("journal: creating a run: %w", err)
	}
	j.waiting.all()
	return id, nil
}

func (j *Journal) create(ctx context.Context, tx *sql.Tx, id string, s Spec) error {
	if s.First != nil {
		if err := s.First(ctx, tx, id); err != nil {
			return err
		}
	}
	if s.Background { // before a run is held, as everybody does
		if err := j.mayQueue(ctx, tx, s.User); err != nil {
			return err
		}
	}
	if s.Parent != "" { // from now on it cannot be deleted
		if _, err := j.hold(ctx, tx, s.Parent); err != nil {
			return fmt.Errorf("its parent %s: %w", s.Parent, err)
		}
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO run (id, user_name, question, state, model, prompt_version, config, parent, fork_at, live, background, trace, created, updated)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)`,
		id, s.User, j.redact.text(s.Question), StateQueued, s.Model, s.PromptVersion, j.redact.bytes(s.Config), s.Parent, s.ForkAt, s.Live, s.Background, s.Trace, j.now())
	if err != nil || !s.Background {
		return err
	}
	return j.tell(ctx, tx, id, 0)
}

const infoColumns = `id, user_name, question, state, stop, model, prompt_version, config, parent, fork_at, live, background, trace, epoch, lease_owner, lease_until, created, updated, stop_asked OR cancel_asked`

func (j *Journal) scanInfo(row interface{ Scan(...any) error }) (Info, error) {
	var i Info
	var config []byte
	var lease, created, updated int64
	var asked bool
	err := row.Scan(&i.ID, &i.User, &i.Question, &i.State, &i.Stop, &i.Model, &i.PromptVersion, &config, &i.Parent, &i.ForkAt, &i.Live, &i.Background, &i.Trace, &i.Epoch, &i.LeaseOwner, &lease, &created, &updated, &asked)
	i.Config = config
	i.LeaseUntil, i.Created, i.Updated = instant(lease), instant(created), instant(updated)
	switch {
	case i.State != StateWorking:
	case lease <= j.now() || dead(i.LeaseOwner, j.options.Owner):
		i.State = StateInterrupted
	case asked:
		i.State = StateStopping
	}
	return i, err
}

// instant is a time as it is stored; 0 is no time.
func instant(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// querier is a database or a transaction.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func (j *Journal) info(ctx context.Context, q querier, id string) (Info, error) {
	if !isText(id) {
		return Info{}, ErrNotFound
	}
	i, err := j.scanInfo(q.QueryRowContext(ctx, `SELECT `+infoColumns+` FROM run WHERE id = $1`, id))
	return i, found(err)
}

// hold is info for those who decide by it: the row stays as it is until the transaction is over.
func (j *Journal) hold(ctx context.Context, tx *sql.Tx, id string) (Info, error) {
	if !isText(id) {
		return Info{}, ErrNotFound
	}
	i, err := j.scanInfo(tx.QueryRowContext(ctx, `SELECT `+infoColumns+` FROM run WHERE id = $1`+j.db.ForUpdate, id))
	return i, found(err)
}

// isText reports whether a column of text may hold s. PostgreSQL refuses the rest with an error of its own.
func isText(s string) bool { return utf8.ValidString(s) && !strings.Contains(s, "\x00") }

func found(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	return err
}

// Info returns a run's row, or ErrNotFound.
func (j *Journal) Info(ctx context.Context, id string) (Info, error) {
	i, err := j.info(ctx, j.db, id)
	if err != nil {
		return i, fmt.Errorf("journal: run %s: %w", id, err)
	}
	return i, nil
}

// AskStop asks a run, wherever it works, to answer with what it has (LOOP-8). One that nobody works on needs no worker to
// hear of it: if it has not begun it is over, as cancelled; if it waits for decisions these are denied, and it goes on to its
// answer when its turn comes, or it is resumed. A run that is over is *Ended.
func (j *Journal) AskStop(ctx context.Context, id string) error {
	return j.ask(ctx, id, "asking it to stop", func(tx *sql.Tx, i Info) error {
		if i.State == StateQueued {
			var next int64
			if err := tx.QueryRowContext(ctx, `SELECT next_seq FROM run WHERE id = $1`, id).Scan(&next); err != nil {
				return err
			}
			if next == 1 {
				return j.end(ctx, tx, id, StateCancelled, "stopped before it began")
			}
		}
		if _, err := tx.ExecContext(ctx, `UPDATE run SET stop_asked = TRUE WHERE id = $1`, id); err != nil || i.State != StateParked {
			return err
		}
		if err := j.deny(ctx, tx, id, math.MaxInt64, gate.Decision{By: "stop", Reason: "the run is being stopped"}); err != nil {
			return err
		}
		return j.goOn(ctx, tx, i)
	})
}

// Cancel ends a run without an answer: at once if nobody works on it, within a second otherwise. A run that is over is
// *Ended.
func (j *Journal) Cancel(ctx context.Context, id string) error {
	return j.ask(ctx, id, "cancelling", func(tx *sql.Tx, i Info) error {
		if !i.State.held() {
			return j.end(ctx, tx, id, StateCancelled, "cancelled")
		}
		_, err := tx.ExecContext(ctx, `UPDATE run SET cancel_asked = TRUE WHERE id = $1`, id)
		return err
	})
}

// end ends a run that nobody works on. Should somebody still believe to, the new epoch stops them.
func (j *Journal) end(ctx context.Context, tx *sql.Tx, id string, state State, stop string) error {
	return one(tx.ExecContext(ctx, `UPDATE run SET state = $2, stop = $3, epoch = epoch + 1, lease_owner = '', lease_until = 0, updated = $4 WHERE id = $1`,
		id, state, stop, j.now()))
}

func (j *Journal) ask(ctx context.Context, id, what string, f func(tx *sql.Tx, i Info) error) error {
	err := j.db.Tx(ctx, func(tx *sql.Tx) error {
		i, err := j.hold(ctx, tx, id)
		if err != nil {
			return err
		}
		if i.State.Over() {
			return &Ended{id, i.State}
		}
		return f(tx, i)
	})
	if err != nil {
		return fmt.Errorf("journal: run %s: %s: %w", id, what, err)
	}
	j.asks.all()
	j.changed()
	return nil
}

// Totals is what a run has spent, summed over its journal, so it cannot drift from it. What is in doubt counts at its
// reserved worst case.
func (j *Journal) Totals(ctx context.Context, id string) (budget.Amount, error) {
	sum := func(c string) string {
		return `COALESCE(SUM(spent_` + c + ` + reserved_` + c + ` * (doubts + CASE WHEN state = 'intent' THEN 1 ELSE 0 END)), 0)`
	}
	var a budget.Amount
	err := j.db.QueryRowContext(ctx, `SELECT `+sum("steps")+`, `+sum("searches")+`, `+sum("reads")+`, `+sum("tokens")+`, COALESCE(SUM(took), 0), `+sum("usd")+
		` FROM event WHERE run = $1`, id).Scan(&a.Steps, &a.Searches, &a.Reads, &a.Tokens, &a.Millis, &a.MicroUSD)
	if err != nil {
		return a, fmt.Errorf("journal: totals of run %s: %w", id, err)
	}
	return a, nil
}
