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
	"os"
	"strings"
	"time"

	"ibid/budget"
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
)

// Over says whether a run in this state has ended for good.
func (s State) Over() bool {
	return s == StateDone || s == StatePartial || s == StateFailed || s == StateCancelled
}

// Options are what a Journal takes from outside. Zero values mean the defaults.
type Options struct {
	Now     func() time.Time  // the clock
	NewID   func() string     // random ids
	Owner   string            // who holds leases: host/pid/nonce
	Lease   time.Duration     // how long a worker may be silent; 15 s
	Secrets map[string]string // name → value that is never recorded (law 10)
}

// A Journal keeps runs in a database.
type Journal struct {
	db      *store.DB
	options Options
	redact  *redactor
	wake    *broadcast
}

// Open returns the journal kept in db.
func Open(db *store.DB, o Options) *Journal {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = newID
	}
	if o.Owner == "" {
		host, err := os.Hostname()
		if err != nil {
			host = "localhost"
		}
		o.Owner = fmt.Sprintf("%s/%d/%s", strings.ReplaceAll(host, "/", "-"), os.Getpid(), newID())
	}
	if o.Lease == 0 {
		o.Lease = 15 * time.Second
	}
	return &Journal{db: db, options: o, redact: newRedactor(o.Secrets), wake: newBroadcast()}
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
	Epoch         int64           `json:"epoch"`
	LeaseOwner    string          `json:"lease_owner,omitempty"`
	LeaseUntil    time.Time       `json:"lease_until"`
	Created       time.Time       `json:"created"`
	Updated       time.Time       `json:"updated"`
}

// ErrNotFound says that there is no such run.
var ErrNotFound = errors.New("no such run")

// Create writes a new run, queued, and returns its id.
func (j *Journal) Create(ctx context.Context, s Spec) (string, error) {
	id, now := j.options.NewID(), j.now()
	if s.Config == nil {
		s.Config = json.RawMessage("{}")
	}
	_, err := j.db.ExecContext(ctx, `INSERT INTO run (id, user_name, question, state, model, prompt_version, config, parent, fork_at, live, created, updated)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)`,
		id, s.User, j.redact.text(s.Question), StateQueued, s.Model, s.PromptVersion, j.redact.bytes(s.Config), s.Parent, s.ForkAt, s.Live, now)
	if err != nil {
		return "", fmt.Errorf("journal: creating a run: %w", err)
	}
	return id, nil
}

const infoColumns = `id, user_name, question, state, stop, model, prompt_version, config, parent, fork_at, live, epoch, lease_owner, lease_until, created, updated`

func scanInfo(row interface{ Scan(...any) error }) (Info, error) {
	var i Info
	var config []byte
	var lease, created, updated int64
	err := row.Scan(&i.ID, &i.User, &i.Question, &i.State, &i.Stop, &i.Model, &i.PromptVersion, &config, &i.Parent, &i.ForkAt, &i.Live, &i.Epoch, &i.LeaseOwner, &lease, &created, &updated)
	i.Config = config
	i.LeaseUntil, i.Created, i.Updated = time.UnixMilli(lease).UTC(), time.UnixMilli(created).UTC(), time.UnixMilli(updated).UTC()
	return i, err
}

// Info returns a run's row, or ErrNotFound.
func (j *Journal) Info(ctx context.Context, id string) (Info, error) {
	i, err := scanInfo(j.db.QueryRowContext(ctx, `SELECT `+infoColumns+` FROM run WHERE id = $1`, id))
	if errors.Is(err, sql.ErrNoRows) {
		return i, fmt.Errorf("journal: run %s: %w", id, ErrNotFound)
	}
	if err != nil {
		return i, fmt.Errorf("journal: run %s: %w", id, err)
	}
	return i, nil
}

// Runs lists the newest runs first, at most limit.
func (j *Journal) Runs(ctx context.Context, limit int) ([]Info, error) {
	rows, err := j.db.QueryContext(ctx, `SELECT `+infoColumns+` FROM run ORDER BY created DESC, id DESC LIMIT $1`, limit)
	if err != nil {
		return nil, fmt.Errorf("journal: listing runs: %w", err)
	}
	defer rows.Close()
	list := []Info{}
	for rows.Next() {
		i, err := scanInfo(rows)
		if err != nil {
			return nil, fmt.Errorf("journal: listing runs: %w", err)
		}
		list = append(list, i)
	}
	return list, rows.Err()
}

// AskStop asks a run, wherever it works, to answer with what it has (LOOP-8).
func (j *Journal) AskStop(ctx context.Context, id string) error {
	return j.ask(ctx, id, `UPDATE run SET stop_asked = TRUE WHERE id = $1`)
}

// Cancel ends a run without an answer: at once if nobody works on it, within a second otherwise.
func (j *Journal) Cancel(ctx context.Context, id string) error {
	if _, err := j.db.ExecContext(ctx, `UPDATE run SET state = $2, stop = 'cancelled', updated = $3 WHERE id = $1 AND state IN ($4, $5)`,
		id, StateCancelled, j.now(), StateQueued, StateParked); err != nil {
		return fmt.Errorf("journal: cancelling run %s: %w", id, err)
	}
	return j.ask(ctx, id, `UPDATE run SET cancel_asked = TRUE WHERE id = $1`)
}

func (j *Journal) ask(ctx context.Context, id, statement string) error {
	r, err := j.db.ExecContext(ctx, statement, id)
	if err != nil {
		return fmt.Errorf("journal: run %s: %w", id, err)
	}
	if n, err := r.RowsAffected(); err != nil || n == 0 {
		return errors.Join(fmt.Errorf("journal: run %s: %w", id, ErrNotFound), err)
	}
	j.wake.all()
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
