// Package hooks tells users' own servers of their runs: that one is parked, done, failed or cancelled. What is to be told is
// derived from the rows of runs, so that no crash can come between a run's end and the word of it; it is sent by any process,
// at least once, signed as standardwebhooks.com has it, through the guard that pages are fetched through.
package hooks

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base32"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"ibid/fetch"
	"ibid/runs"
	"ibid/store"
)

// Events that there are.
const (
	Parked    = "run.parked"
	Done      = "run.done" // with a whole answer, or one that is partial: the state tells
	Failed    = "run.failed"
	Cancelled = "run.cancelled"
	Test      = "test" // asked for by the user
)

// Events are those that may be asked for.
var Events = []string{Parked, Done, Failed, Cancelled}

// Hooks are the webhooks of a database.
type Hooks struct {
	DB     *store.DB
	Client fetch.Doer // that refuses addresses which are not of the public net
	// Refuses says what speaks against an address before anything is sent there; nil: nothing does. Client looks again, at
	// what a name leads to then.
	Refuses func(ctx context.Context, url string) error
	Now     func() time.Time // nil: the database's
	Log     *slog.Logger     // may be nil
}

// A Webhook is where a user wants to be told.
type Webhook struct {
	ID       string    `json:"id"`
	URL      string    `json:"url"`
	Events   []string  `json:"events"`
	Created  time.Time `json:"created"`
	Disabled time.Time `json:"disabled,omitzero"`
	Why      string    `json:"why,omitempty"` // it was disabled
}

// Most webhooks of a user, and bytes of an address.
const (
	most    = 20
	longest = 2000
)

func (h *Hooks) now() time.Time {
	if h.Now != nil {
		return h.Now()
	}
	return h.DB.Now()
}

func newID() string {
	var b [10]byte
	rand.Read(b[:]) // never fails
	return strings.ToLower(base32.StdEncoding.EncodeToString(b[:]))
}

// newSecret is a key of 256 bits, as the standard writes it.
func newSecret() string {
	var b [32]byte
	rand.Read(b[:]) // never fails
	return "whsec_" + base64.StdEncoding.EncodeToString(b[:])
}

func invalid(format string, args ...any) error {
	return &runs.Error{Code: runs.Invalid, Message: fmt.Sprintf(format, args...)}
}

func notFound(id string) error {
	return &runs.Error{Code: runs.NotFound, Message: "there is no webhook " + id}
}

// check says what is wrong with an address and the events that it is to be told; none is all.
func (h *Hooks) check(ctx context.Context, address string, events []string) ([]string, error) {
	events, err := form(address, events)
	if err != nil || h.Refuses == nil {
		return events, err
	}
	if err := h.Refuses(ctx, address); err != nil {
		return nil, &runs.Error{Code: runs.Invalid, Message: "url: nothing is sent there", Err: err, Hint: "Name an address of the public net."}
	}
	return events, nil
}

// form is check of what can be seen.
func form(address string, events []string) ([]string, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.Fragment != "":
		return nil, invalid("url: it is no address of http or https that can be told something")
	case len(address) > longest:
		return nil, invalid("url: it has more than %d bytes", longest)
	case len(events) == 0:
		return slices.Clone(Events), nil
	}
	for i, e := range events {
		if !slices.Contains(Events, e) {
			return nil, invalid("events: %q is none of %s", e, strings.Join(Events, ", "))
		}
		if slices.Contains(events[:i], e) {
			return nil, invalid("events: %q is named twice", e)
		}
	}
	return events, nil
}

// Create makes a webhook and the secret that signs what it is told; that is told this once.
func (h *Hooks) Create(ctx context.Context, user, address string, events []string) (Webhook, string, error) {
	events, err := h.check(ctx, address, events)
	if err != nil {
		return Webhook{}, "", err
	}
	w := Webhook{ID: "wh-" + newID(), URL: address, Events: events, Created: h.now().UTC().Truncate(time.Millisecond)}
	secret := newSecret()
	err = h.DB.Tx(ctx, func(tx *sql.Tx) error {
		var n int
		if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM webhook WHERE user_name = $1`, user).Scan(&n); err != nil {
			return err
		}
		if n >= most {
			return &runs.Error{Code: runs.Exhausted, Message: fmt.Sprintf("%s has %d webhooks, which is the limit", user, most), Hint: "Delete one."}
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO webhook (id, user_name, url, events, created) VALUES ($1, $2, $3, $4, $5)`,
			w.ID, user, address, strings.Join(events, " "), w.Created.UnixMilli()); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO webhook_secret (webhook, secret) VALUES ($1, $2)`, w.ID, secret)
		return err
	})
	if err != nil {
		return Webhook{}, "", fmt.Errorf("hooks: keeping a webhook: %w", err)
	}
	return w, secret, nil
}

const columns = `id, url, events, created, disabled, why`

func scan(row interface{ Scan(...any) error }) (w Webhook, err error) {
	var events string
	var created, disabled int64
	err = row.Scan(&w.ID, &w.URL, &events, &created, &disabled, &w.Why)
	w.Events, w.Created = strings.Fields(events), time.UnixMilli(created).UTC()
	if disabled != 0 {
		w.Disabled = time.UnixMilli(disabled).UTC()
	}
	return w, err
}

// List lists a user's webhooks, the oldest first.
func (h *Hooks) List(ctx context.Context, user string) ([]Webhook, error) {
	rows, err := h.DB.QueryContext(ctx, `SELECT `+columns+` FROM webhook WHERE user_name = $1 ORDER BY created, id`, user)
	if err != nil {
		return nil, fmt.Errorf("hooks: %w", err)
	}
	defer rows.Close()
	list := []Webhook{}
	for rows.Next() {
		w, err := scan(rows)
		if err != nil {
			return nil, fmt.Errorf("hooks: %w", err)
		}
		list = append(list, w)
	}
	return list, rows.Err()
}

// Get is one of a user's webhooks.
func (h *Hooks) Get(ctx context.Context, user, id string) (Webhook, error) {
	w, err := scan(h.DB.QueryRowContext(ctx, `SELECT `+columns+` FROM webhook WHERE id = $2 AND user_name = $1`, user, id))
	if errors.Is(err, sql.ErrNoRows) {
		return w, notFound(id)
	}
	return w, err
}

// Change gives a webhook another address and other events. One that was disabled is told again from then on, also what
// waits.
func (h *Hooks) Change(ctx context.Context, user, id, address string, events []string) (Webhook, error) {
	events, err := h.check(ctx, address, events)
	if err != nil {
		return Webhook{}, err
	}
	if err := h.one(ctx, id, `UPDATE webhook SET url = $3, events = $4, disabled = 0, why = '' WHERE id = $2 AND user_name = $1`, user, id, address, strings.Join(events, " ")); err != nil {
		return Webhook{}, err
	}
	return h.Get(ctx, user, id)
}

// Delete removes a webhook with all that it was to be told.
func (h *Hooks) Delete(ctx context.Context, user, id string) error {
	return h.one(ctx, id, `DELETE FROM webhook WHERE id = $2 AND user_name = $1`, user, id)
}

// one changes one row, or none is there.
func (h *Hooks) one(ctx context.Context, id, query string, args ...any) error {
	res, err := h.DB.ExecContext(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("hooks: webhook %s: %w", id, err)
	}
	if n, err := res.RowsAffected(); err == nil && n == 0 {
		return notFound(id)
	}
	return nil
}

// overlap is how long a secret still signs after it was replaced.
const overlap = 24 * time.Hour

// Rotate makes another secret, told this once. Those before it sign too for a day, so that whoever checks can follow.
func (h *Hooks) Rotate(ctx context.Context, user, id string) (string, error) {
	if _, err := h.Get(ctx, user, id); err != nil {
		return "", err
	}
	secret, now := newSecret(), h.now()
	err := h.DB.Tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM webhook_secret WHERE webhook = $1 AND expires > 0 AND expires <= $2`, id, now.UnixMilli()); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE webhook_secret SET expires = $2 WHERE webhook = $1 AND expires = 0`, id, now.Add(overlap).UnixMilli()); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO webhook_secret (webhook, secret) VALUES ($1, $2)`, id, secret)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("hooks: webhook %s: another secret: %w", id, err)
	}
	return secret, nil
}

// Try lets a webhook be told of nothing, to see whether it hears.
func (h *Hooks) Try(ctx context.Context, user, id string) (Delivery, error) {
	if _, err := h.Get(ctx, user, id); err != nil {
		return Delivery{}, err
	}
	d := Delivery{ID: "msg_" + newID(), Event: Test, At: h.now().UTC().Truncate(time.Millisecond)}
	if _, err := h.DB.ExecContext(ctx, `INSERT INTO delivery (id, webhook, event, at, next_at) VALUES ($1, $2, $3, $4, $4)`, d.ID, id, Test, d.At.UnixMilli()); err != nil {
		return d, fmt.Errorf("hooks: webhook %s: %w", id, err)
	}
	return d, nil
}
