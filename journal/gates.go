package journal

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"ibid/gate"
)

// Gates is the durable approver (GATE-3): it stores the question, so that the process may end, and answers when somebody
// has decided, from any process. A decision covers the arguments it was shown and its position in the run, once; what
// nobody decided in time is denied, never granted (law 8).
type Gates struct {
	Journal *Journal
	Expiry  time.Duration // 0 means 7 days
}

// A Pending is a stored question with its state.
type Pending struct {
	ID       string         `json:"id"`
	State    string         `json:"state"` // pending, allowed, denied, expired
	Request  gate.Request   `json:"request"`
	Hash     string         `json:"hash"` // of what a yes allows: the request with the arguments that stand there now
	Decision *gate.Decision `json:"decision,omitempty"`
	Created  time.Time      `json:"created"`
	Expires  time.Time      `json:"expires"`
}

// ErrNoGate says that there is no such question.
var ErrNoGate = errors.New("no such gate")

// Decide returns the stored decision on a request, or stores the question and returns gate.ErrPending.
func (g Gates) Decide(ctx context.Context, r gate.Request) (gate.Decision, error) {
	j, hash := g.Journal, r.Hash()
	expiry := g.Expiry
	if expiry == 0 {
		expiry = 7 * 24 * time.Hour
	}
	body, err := jsonBytes(r)
	if err != nil {
		return gate.Decision{}, fmt.Errorf("journal: the gate request %s: %w", r.Key, err)
	}
	var decision *gate.Decision
	err = j.db.Tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO gate (id, run, key, hash, request, state, created, expires) VALUES ($1, $2, $3, $4, $5, 'pending', $6, $7) ON CONFLICT DO NOTHING`,
			"g-"+j.options.NewID(), r.Run, r.Key, hash, j.redact.bytes(body), j.now(), j.now()+expiry.Milliseconds()); err != nil {
			return err
		}
		p, _, err := scanGate(tx.QueryRowContext(ctx, `SELECT `+gateColumns+` FROM gate WHERE run = $1 AND key = $2 AND hash = $3`+j.db.ForUpdate, r.Run, r.Key, hash))
		if err != nil {
			return err
		}
		decision = p.Decision
		if p.State == "pending" && p.Expires.UnixMilli() <= j.now() {
			decision = &gate.Decision{By: expired.By, Reason: expired.Reason, Hash: hash}
			return g.write(ctx, tx, p.ID, *decision)
		}
		return nil
	})
	switch {
	case err != nil:
		return gate.Decision{}, fmt.Errorf("journal: the gate at %s: %w", r.Key, err)
	case decision == nil:
		return gate.Decision{}, gate.ErrPending
	}
	return *decision, nil
}

// ErrChanged says that something else stands at a gate by now than the person saw.
var ErrChanged = errors.New("it was changed since you saw it: look at it again")

// Edit puts other arguments in the place of those that a pending question shows. seen is the hash of what the person saw
// when they changed it; whoever comes second is told (ErrChanged). What can be changed, and into what, the caller knows.
func (g Gates) Edit(ctx context.Context, id, seen string, args json.RawMessage) (Pending, error) {
	j := g.Journal
	if len(args) > MaxEdit || !json.Valid(args) {
		return Pending{}, fmt.Errorf("journal: gate %s: what it is changed to is not JSON of at most %d bytes", id, MaxEdit)
	}
	return g.decide(ctx, id, seen, func(tx *sql.Tx, p *Pending, _ string) error {
		clean := j.redact.bytes(args)
		p.Request.Args, p.Hash = clean, p.Request.With(clean).Hash()
		return one(tx.ExecContext(ctx, `UPDATE gate SET edited = $2 WHERE id = $1 AND state = 'pending'`, id, clean))
	})
}

// MaxEdit is in bytes.
const MaxEdit = 64 << 10

// Answer decides a pending question, once: whoever comes second is told by whom it was decided, and what expired or
// belongs to a run that is over is not decided any more. The decision covers what was shown and nothing else. A background
// run that waited for it, and for nothing else, waits for a worker from then on.
func (g Gates) Answer(ctx context.Context, id string, a gate.Answer) (Pending, error) {
	j := g.Journal
	return g.decide(ctx, id, a.Seen, func(tx *sql.Tx, p *Pending, hash string) error {
		// The hash is that of the request as it was asked: what is shown of it may hold placeholders for secrets.
		d := gate.Decision{Allow: a.Allow, By: j.redact.text(a.By), Reason: j.redact.text(a.Reason), Hash: hash}
		if p.Hash != hash {
			d.Args, d.Done = p.Request.Args, p.Hash
		}
		p.Decision, p.State = &d, stateOf(d)
		return g.write(ctx, tx, id, d)
	})
}

// decide changes a question that is still open, of a run that is not over. hash is that of the request as it was asked.
func (g Gates) decide(ctx context.Context, id, seen string, change func(tx *sql.Tx, p *Pending, hash string) error) (Pending, error) {
	j := g.Journal
	var p Pending
	err := j.db.Tx(ctx, func(tx *sql.Tx) error {
		var run string
		if err := tx.QueryRowContext(ctx, `SELECT run FROM gate WHERE id = $1`, id).Scan(&run); errors.Is(err, sql.ErrNoRows) {
			return ErrNoGate
		} else if err != nil {
			return err
		}
		i, err := j.hold(ctx, tx, run) // before the question, as everybody does
		if err != nil {
			return err
		}
		var hash string
		p, hash, err = scanGate(tx.QueryRowContext(ctx, `SELECT `+gateColumns+` FROM gate WHERE id = $1`+j.db.ForUpdate, id))
		switch {
		case err != nil:
			return err
		case p.Decision != nil:
			return fmt.Errorf("it was decided already: %s by %s", p.State, p.Decision.By)
		case p.Expires.UnixMilli() <= j.now():
			return fmt.Errorf("it expired at %s and counts as denied", p.Expires.Format(time.RFC3339))
		case i.State.Over():
			return &Ended{i.ID, i.State}
		case seen != "" && seen != p.Hash:
			return ErrChanged
		}
		if err := change(tx, &p, hash); err != nil || p.Decision == nil {
			return err
		}
		return j.goOn(ctx, tx, i)
	})
	if err != nil {
		return p, fmt.Errorf("journal: gate %s: %w", id, err)
	}
	j.changed()
	return p, nil
}

func stateOf(d gate.Decision) string {
	if d.Allow {
		return "allowed"
	}
	return "denied"
}

func (g Gates) write(ctx context.Context, tx *sql.Tx, id string, d gate.Decision) error {
	body, err := jsonBytes(d)
	if err != nil {
		return err
	}
	return one(tx.ExecContext(ctx, `UPDATE gate SET state = $2, decision = $3, decided = $4 WHERE id = $1 AND state = 'pending'`, id, stateOf(d), body, g.Journal.now()))
}

// Find returns a question, or ErrNoGate.
func (g Gates) Find(ctx context.Context, id string) (Pending, error) {
	p, _, err := scanGate(g.Journal.db.QueryRowContext(ctx, `SELECT `+gateColumns+` FROM gate WHERE id = $1`, id))
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNoGate
	}
	if err != nil {
		return p, fmt.Errorf("journal: gate %s: %w", id, err)
	}
	return p, nil
}

// List returns questions, oldest first: those of one run, or of all for ""; those that still wait for an answer, or all.
func (g Gates) List(ctx context.Context, run string, all bool) ([]Pending, error) {
	return g.list(ctx, `($1 = '' OR run = $1)`, run, all)
}

// Of is List of the questions of a user's runs.
func (g Gates) Of(ctx context.Context, user string, all bool) ([]Pending, error) {
	return g.list(ctx, `run IN (SELECT id FROM run WHERE user_name = $1)`, user, all)
}

func (g Gates) list(ctx context.Context, where, arg string, all bool) ([]Pending, error) {
	j := g.Journal
	if !all {
		where += ` AND state = 'pending'`
	}
	rows, err := j.db.QueryContext(ctx, `SELECT `+gateColumns+`, (SELECT run.state FROM run WHERE run.id = gate.run) FROM gate WHERE `+where+` ORDER BY created, id`, arg)
	if err != nil {
		return nil, fmt.Errorf("journal: listing gates: %w", err)
	}
	defer rows.Close()
	list := []Pending{}
	for rows.Next() {
		var state State
		p, _, err := scanGate(rows, &state)
		if err != nil {
			return nil, fmt.Errorf("journal: listing gates: %w", err)
		}
		if p.State == "pending" && (p.Expires.UnixMilli() <= j.now() || state.Over()) {
			p.State = "expired"
		}
		if all || p.State == "pending" {
			list = append(list, p)
		}
	}
	return list, rows.Err()
}

const gateColumns = `id, hash, request, edited, state, decision, created, expires`

func scanGate(row interface{ Scan(...any) error }, more ...any) (p Pending, hash string, err error) {
	var request, edited, decision []byte
	var created, expires int64
	if err := row.Scan(append([]any{&p.ID, &hash, &request, &edited, &p.State, &decision, &created, &expires}, more...)...); err != nil {
		return p, hash, err
	}
	p.Created, p.Expires = instant(created), instant(expires)
	if err := json.Unmarshal(request, &p.Request); err != nil {
		return p, hash, fmt.Errorf("gate %s: %w", p.ID, err)
	}
	if p.Hash = hash; len(edited) > 0 {
		p.Request.Args, p.Hash = edited, p.Request.With(edited).Hash()
	}
	if decision != nil {
		p.Decision = new(gate.Decision)
		if err := json.Unmarshal(decision, p.Decision); err != nil {
			return p, hash, fmt.Errorf("gate %s: %w", p.ID, err)
		}
	}
	return p, hash, nil
}
