// Package knowledge is what a user wants to be remembered across runs: datasets of snippets with their sources, the entities
// and facts that are drawn from them, and the answers that they give (KNOW-1). A fact is in the words of what it was drawn from,
// by rule or by a model whose answer is held against them, and knows each span that says it. Facts are merged and never
// overwritten: two that do not agree are both kept, and shown as a conflict.
//
// What comes from here is text from outside, and no source: it points to the original, which is kept as it was read, so that
// a run can read the very same and cite that.
package knowledge

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"ibid/index"
	"ibid/store"
)

// Limits.
const (
	MaxText   = 20_000 // characters of a snippet (KNOW-1)
	MaxListed = 15     // facts of an answer
	maxFacts  = 400    // drawn from one snippet
	maxClaim  = 4000   // bytes
)

// A Base keeps the datasets of all users of a database. It is safe for concurrent use; several processes may share a database.
type Base struct {
	DB    *store.DB
	Owner string        // who holds leases; "" draws a name
	Lease time.Duration // how long a worker may be silent; 0 means 5 s

	// Open opens the model that a snippet was to be read by. nil, or an error of it: rules read it, and it is said why.
	Open func(model string) (Extractor, error)

	// Meaning is a model of embeddings beside words; its Embedder is nil where there is none.
	Meaning index.MeaningConfig
	Price   func(tokens int64) int64 // of embeddings, in millionths of a dollar; nil: free, or not known

	mu      sync.Mutex
	owner   string
	shelves map[string]*shelf // by dataset id
}

// ErrNotFound says that there is no such dataset.
var ErrNotFound = errors.New("no such dataset")

// Busy says that another worker absorbs a dataset's snippets.
type Busy struct {
	Dataset, Owner string
	Until          time.Time
}

func (e *Busy) Error() string {
	return fmt.Sprintf("the queue of %s is being worked on by %s (its lease lasts until %s)", e.Dataset, e.Owner, e.Until.Format(time.TimeOnly))
}

// An Invalid is a request that cannot be met as it is: the text says what to change.
type Invalid string

func (e Invalid) Error() string { return string(e) }

var datasetName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// CheckName says whether a dataset may be called so.
func CheckName(name string) error {
	if !datasetName.MatchString(name) {
		return Invalid(fmt.Sprintf("%q cannot name a dataset: use up to 64 of a-z 0-9 . _ -, a letter or digit first", name))
	}
	return nil
}

// Info is what there is to know about a dataset.
type Info struct {
	Name     string    `json:"name"`
	Snippets int64     `json:"snippets"` // that were accepted
	Waiting  int64     `json:"waiting"`  // of them, to be absorbed
	Entities int64     `json:"entities"`
	Facts    int64     `json:"facts"`
	Sources  int64     `json:"sources"` // that are kept as they were read
	Reports  int64     `json:"reports"`
	Tokens   int64     `json:"tokens"`    // that absorbing took
	MicroUSD int64     `json:"micro_usd"` // likewise, in millionths of a dollar
	Created  time.Time `json:"created"`
	id       string
	version  int64
}

const infoQuery = `SELECT id, name, version, created,
	(SELECT COUNT(*) FROM kb_snippet WHERE dataset = d.id), (SELECT COUNT(*) FROM kb_snippet WHERE dataset = d.id AND state = 'queued'),
	(SELECT COUNT(*) FROM kb_entity WHERE dataset = d.id), (SELECT COUNT(*) FROM kb_fact WHERE dataset = d.id),
	(SELECT COUNT(*) FROM kb_source WHERE dataset = d.id), (SELECT COUNT(*) FROM kb_report WHERE dataset = d.id),
	(SELECT COALESCE(SUM(spent_tokens), 0) FROM kb_snippet WHERE dataset = d.id), (SELECT COALESCE(SUM(spent_usd), 0) FROM kb_snippet WHERE dataset = d.id)
	FROM kb_dataset d WHERE user_name = $1`

func scanInfo(row interface{ Scan(...any) error }) (i Info, err error) {
	var created int64
	err = row.Scan(&i.id, &i.Name, &i.version, &created, &i.Snippets, &i.Waiting, &i.Entities, &i.Facts, &i.Sources, &i.Reports, &i.Tokens, &i.MicroUSD)
	i.Created = time.UnixMilli(created).UTC()
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return i, err
}

// Datasets lists a user's datasets by name.
func (b *Base) Datasets(ctx context.Context, user string) ([]Info, error) {
	rows, err := b.DB.QueryContext(ctx, infoQuery+` ORDER BY name`, user)
	if err != nil {
		return nil, fmt.Errorf("knowledge: listing datasets: %w", err)
	}
	defer rows.Close()
	list := []Info{}
	for rows.Next() {
		i, err := scanInfo(rows)
		if err != nil {
			return nil, fmt.Errorf("knowledge: listing datasets: %w", err)
		}
		list = append(list, i)
	}
	return list, rows.Err()
}

// Info tells about one dataset, or ErrNotFound.
func (b *Base) Info(ctx context.Context, user, dataset string) (Info, error) {
	i, err := scanInfo(b.DB.QueryRowContext(ctx, infoQuery+` AND name = $2`, user, dataset))
	if err != nil {
		err = fmt.Errorf("knowledge: dataset %s: %w", dataset, err)
	}
	return i, err
}

// Delete deletes a dataset with all that is in it. A worker that absorbs into it finds that it is gone. traces says why the
// database's files may still hold traces of it, until they are rewritten; "" means that they hold none.
func (b *Base) Delete(ctx context.Context, user, dataset string) (traces string, err error) {
	err = b.DB.Tx(ctx, func(tx *sql.Tx) error {
		id, err := find(ctx, tx, user, dataset)
		if err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, `SELECT DISTINCT sha256 FROM kb_source WHERE dataset = $1 ORDER BY 1`, id)
		if err != nil {
			return err
		}
		bodies, err := store.Column(rows)
		if err != nil {
			return err
		}
		// The rest goes with the row.
		if _, err := tx.ExecContext(ctx, `DELETE FROM kb_dataset WHERE id = $1`, id); err != nil {
			return err
		}
		for _, sha := range bodies {
			if _, err := b.DB.Forget(ctx, tx, sha); err != nil {
				return err
			}
		}
		return b.DB.Deleted(ctx, tx)
	})
	if err != nil {
		return "", fmt.Errorf("knowledge: deleting dataset %s: %w", dataset, err)
	}
	return b.DB.Tidy(ctx), nil
}

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// find returns a dataset's id, or ErrNotFound.
func find(ctx context.Context, q querier, user, dataset string) (id string, err error) {
	err = q.QueryRowContext(ctx, `SELECT id FROM kb_dataset WHERE user_name = $1 AND name = $2`, user, dataset).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return id, err
}

// name is the name by which this Base holds leases.
func (b *Base) name() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.owner == "" {
		if b.owner = b.Owner; b.owner == "" {
			host, err := os.Hostname()
			if err != nil {
				host = "localhost"
			}
			b.owner = fmt.Sprintf("%s/%d/%s", strings.ReplaceAll(host, "/", "-"), os.Getpid(), rand.Text()[:8])
		}
	}
	return b.owner
}

// newID makes a random id of 60 bits.
func newID() string { return strings.ToLower(rand.Text()[:12]) }
