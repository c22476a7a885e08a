package knowledge

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"ibid/evidence"
	"ibid/extract"
	"ibid/fetch"
	"ibid/store"
)

// maxReading is the largest reading that is kept, in bytes of JSON.
const maxReading = 16 << 20

// An Original is a source as a run, or a person, has read it: what a fact is cited to.
type Original struct {
	Reading json.RawMessage // JSON with "source" (evidence.Source) and "blocks" (extract.Block); the rest is the reader's own
	Raw     []byte          // the bytes as fetched, of Source.SHA256
}

// packed is an original on its way into the database.
type packed struct {
	id      string
	URL     string
	Title   string
	source  evidence.Source
	spans   []evidence.Span
	raw     store.Packed
	reading []byte // compressed
	size    int
}

// read parses a reading as far as this package knows it, and holds it against its own hashes.
func read(reading []byte) (evidence.Source, []evidence.Span, error) {
	var r struct {
		Source evidence.Source `json:"source"`
		Blocks []extract.Block `json:"blocks"`
	}
	if err := json.Unmarshal(reading, &r); err != nil {
		return r.Source, nil, fmt.Errorf("a source as it was read: %w", err)
	}
	spans := extract.Spans("", r.Blocks)
	if evidence.TextHash(spans) != r.Source.TextSHA256 {
		return r.Source, nil, fmt.Errorf("the text of %s: %w", r.Source.URL, errDamaged)
	}
	return r.Source, spans, nil
}

func (o *Original) pack() (*packed, error) {
	if len(o.Reading) > maxReading {
		return nil, Invalid(fmt.Sprintf("the source has %d bytes of text; %d is the limit", len(o.Reading), maxReading))
	}
	source, spans, err := read(o.Reading)
	if err != nil {
		return nil, err
	}
	p := &packed{id: store.Hash(o.Reading), URL: source.URL, Title: clip(plain(source.Title), 1000), source: source, spans: spans, size: len(o.Reading)}
	if c, err := fetch.CanonicalURL(p.URL); err == nil {
		p.URL = c
	}
	if p.raw, err = store.Pack(o.Raw); err != nil {
		return nil, err
	}
	if p.raw.SHA != source.SHA256 {
		return nil, fmt.Errorf("the bytes of %s are not those that were read: their hash differs", source.URL)
	}
	p.reading, err = store.Compress(nil, o.Reading)
	return p, err
}

// keep stores an original once.
func (b *Base) keep(ctx context.Context, tx *sql.Tx, id string, p *packed) error {
	var there bool
	if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM kb_source WHERE dataset = $1 AND id = $2)`, id, p.id).Scan(&there); err != nil || there {
		return err
	}
	if err := b.DB.Put(ctx, tx, p.raw); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO kb_source (dataset, id, url, title, sha256, fetched, size, reading) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
		id, p.id, p.URL, p.Title, p.raw.SHA, p.source.Fetched.UnixMilli(), p.size, p.reading)
	return err
}

// Original returns a source as it was read, by its id, verified; ErrGone when it is not kept.
func (b *Base) Original(ctx context.Context, user, dataset, id string) (*Original, error) {
	fail := func(err error) (*Original, error) {
		return nil, fmt.Errorf("knowledge: a source kept in %s: %w", dataset, err)
	}
	owner, err := find(ctx, b.DB, user, dataset)
	if errors.Is(err, ErrNotFound) {
		return fail(ErrGone)
	} else if err != nil {
		return fail(err)
	}
	return b.original(ctx, owner, id)
}

// ErrGone says that a source is not kept, or not any more.
var ErrGone = errors.New("it is not kept")

var errDamaged = errors.New("what is stored of it does not have its hash; the database is damaged")

func (b *Base) original(ctx context.Context, dataset, id string) (*Original, error) {
	var sha string
	reading, err := b.reading(ctx, b.DB, dataset, id, &sha)
	if err != nil {
		return nil, err
	}
	raw, err := b.DB.Blob(ctx, sha)
	if err != nil {
		return nil, fmt.Errorf("knowledge: a kept source: %w", err)
	}
	return &Original{reading, raw}, nil
}

// reading returns a kept reading, verified, and the hash of its bytes.
func (b *Base) reading(ctx context.Context, q querier, dataset, id string, sha *string) ([]byte, error) {
	var size int64
	var body []byte
	err := q.QueryRowContext(ctx, `SELECT size, reading, sha256 FROM kb_source WHERE dataset = $1 AND id = $2`, dataset, id).Scan(&size, &body, sha)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrGone
	}
	if err == nil {
		body, err = store.Decompress(nil, body, size)
	}
	if err == nil && store.Hash(body) != id {
		err = errDamaged
	}
	if err != nil {
		return nil, fmt.Errorf("knowledge: a kept source: %w", err)
	}
	return body, nil
}
