package knowledge

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"ibid/budget"
	"ibid/evidence"
	"ibid/fetch"
	"ibid/store"
)

// A Label says whose words a snippet is. It never gets better by being remembered.
type Label string

const (
	User     Label = "user"     // the user's own, or said before anything from outside was read
	Source   Label = "source"   // a source's own words, at a span of it
	Approved Label = "approved" // a model's, that a person has let pass word by word
)

// A Snippet is a piece of text to be remembered.
type Snippet struct {
	Text   string // at most MaxText characters; of a Source its own words
	Claim  string // what a finding says of it: found by, and never told as the source's words
	Label  Label
	URL    string // where it is from; "" where it is from nowhere
	Title  string
	Span   evidence.Locator // that holds the text, where that is one span of Kept
	Kept   *Original        // the source as it was read; nil: it is not at hand
	Run    string           // that remembers it
	Origin string           // the same for the same thing remembered again, which changes nothing; "" draws one
	Model  string           // that is to draw the facts; "": rules
}

// A Receipt says what became of a snippet.
type Receipt struct {
	Snippet  int64 `json:"snippet"` // its number in the dataset
	Known    bool  `json:"known,omitempty"`
	Absorbed bool  `json:"absorbed"` // else it waits in the queue
	Facts    int64 `json:"facts"`    // that were drawn from it
}

// Remember accepts a snippet: when it returns, the snippet stands in the dataset's queue, which is made where it is not there,
// and is absorbed exactly once, whatever happens to whoever does it. With sync it is absorbed before Remember returns.
func (b *Base) Remember(ctx context.Context, user, dataset string, s Snippet, sync bool) (Receipt, error) {
	r, err := b.accept(ctx, user, dataset, s)
	if err != nil || !sync || r.Absorbed {
		return r, err
	}
	r, _, err = b.Absorb(ctx, user, dataset, r.Snippet, nil)
	return r, err
}

// accept puts a snippet into the queue.
func (b *Base) accept(ctx context.Context, user, dataset string, s Snippet) (r Receipt, err error) {
	if err := CheckName(dataset); err != nil {
		return r, err
	}
	if err := s.check(); err != nil {
		return r, err
	}
	var kept *packed
	if s.Kept != nil {
		if kept, err = s.Kept.pack(); err != nil {
			return r, err
		}
		s.URL, s.Title = kept.URL, kept.Title
	}
	if s.Origin == "" {
		s.Origin = "random " + rand.Text()
	}
	err = b.DB.Tx(ctx, func(tx *sql.Tx) error {
		id, err := b.make(ctx, tx, user, dataset)
		if err != nil {
			return err
		}
		// The row is held first: origins are told apart by whoever holds it.
		var seq int64
		if err := tx.QueryRowContext(ctx, `UPDATE kb_dataset SET next_snippet = next_snippet + 1 WHERE id = $1 RETURNING next_snippet - 1`, id).Scan(&seq); err != nil {
			return err
		}
		r = Receipt{}
		err = tx.QueryRowContext(ctx, `SELECT seq, state = 'absorbed', facts FROM kb_snippet WHERE dataset = $1 AND origin = $2`, id, s.Origin).Scan(&r.Snippet, &r.Absorbed, &r.Facts)
		if err == nil {
			r.Known = true
			_, err = tx.ExecContext(ctx, `UPDATE kb_dataset SET next_snippet = next_snippet - 1 WHERE id = $1`, id)
			return err
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		r.Snippet = seq
		source, span := "", ""
		if kept != nil {
			source = kept.id
			if err := b.keep(ctx, tx, id, kept); err != nil {
				return err
			}
		}
		if s.Span != (evidence.Locator{}) {
			span = s.Span.String()
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO kb_snippet (dataset, seq, origin, state, text, claim, label, url, title, source, locator, run, model, created)
			VALUES ($1, $2, $3, 'queued', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
			id, seq, s.Origin, s.Text, s.Claim, string(s.Label), s.URL, s.Title, source, span, s.Run, s.Model, b.DB.Now().UnixMilli())
		return err
	})
	if err != nil {
		return Receipt{}, fmt.Errorf("knowledge: remembering in %s: %w", dataset, err)
	}
	return r, nil
}

// check holds a snippet against the limits, and makes it text that every database takes.
func (s *Snippet) check() error {
	s.Text, s.Claim = plain(strings.TrimSpace(s.Text)), plain(strings.TrimSpace(s.Claim))
	s.Title, s.URL = clip(plain(s.Title), 1000), plain(strings.TrimSpace(s.URL))
	if c, err := fetch.CanonicalURL(s.URL); err == nil {
		s.URL = c
	}
	n := utf8.RuneCountInString(s.Text)
	switch {
	case n == 0:
		return Invalid("there is no text to remember")
	case n > MaxText:
		return Invalid(fmt.Sprintf("the text has %d characters; %d is the limit: remember it in parts", n, MaxText))
	case len(s.Claim) > maxClaim:
		return Invalid(fmt.Sprintf("the claim has %d bytes; %d is the limit", len(s.Claim), maxClaim))
	case len(s.URL) > 8<<10:
		return Invalid("the source's URL is longer than 8 KiB")
	case s.Label != User && s.Label != Source && s.Label != Approved:
		return Invalid(fmt.Sprintf("the text has no label that is known: %q", s.Label))
	case s.Label == Source && s.Kept == nil:
		return Invalid("words of a source are remembered with the source as it was read")
	}
	return nil
}

// plain makes text that every database takes: UTF-8 without NUL.
func plain(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// make returns the id of a dataset, which it makes where there is none.
func (b *Base) make(ctx context.Context, tx *sql.Tx, user, dataset string) (string, error) {
	_, err := tx.ExecContext(ctx, `INSERT INTO kb_dataset (id, user_name, name, created) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`, newID(), user, dataset, b.DB.Now().UnixMilli())
	if err != nil {
		return "", err
	}
	return find(ctx, tx, user, dataset)
}

// snippets reads snippets that a condition picks, in order.
func snippets(ctx context.Context, q querier, id, where string, args ...any) (list []stored, err error) {
	rows, err := q.QueryContext(ctx, `SELECT seq, state, text, claim, label, url, title, source, locator, run, model, absorbed, failure, facts, spent_tokens, spent_usd FROM kb_snippet WHERE dataset = $1 AND `+where+` ORDER BY seq`,
		append([]any{id}, args...)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var s stored
		if err := rows.Scan(&s.Seq, &s.State, &s.Text, &s.Claim, &s.Label, &s.URL, &s.Title, &s.Source, &s.Locator, &s.Run, &s.Model, &s.By, &s.Failure, &s.Facts, &s.Spent.Tokens, &s.Spent.MicroUSD); err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, rows.Err()
}

// stored is a snippet as it stands in the database.
type stored struct {
	Seq     int64
	State   string
	Text    string
	Claim   string
	Label   Label
	URL     string
	Title   string
	Source  string // of kb_source
	Locator string
	Run     string
	Model   string
	By      string
	Failure string
	Facts   int64
	Spent   budget.Amount
}

// hash is the name of content.
func hash(parts ...string) string { return store.Hash([]byte(strings.Join(parts, "\x00"))) }
