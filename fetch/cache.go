package fetch

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"ibid/store"
)

const (
	maxCacheAge  = 7 * 24 * time.Hour
	maxCacheSize = 512 << 20 // bytes of bodies, before compression
	pruneEvery   = 64        // writes
)

// A Cache keeps what was fetched for later runs (FETCH-5): answers for a while without asking, then by asking whether they
// still hold, and failures. Bodies are blobs of the store, so what a run keeps as well is kept once. The key is the
// canonical URL; Vary is ignored, since one program asks always in the same way. Entries go after seven days, and the
// oldest when there is too much. It is safe for concurrent use, by several processes too.
//
// A cache is a help and never a need: what cannot be read from it counts as missing, what cannot be written is not kept.
type Cache struct {
	db      *store.DB
	now     func() time.Time
	maxSize int64

	mu     sync.Mutex
	writes int // since the last pruning
}

// NewCache returns a cache in a database. now tells the time; nil means time.Now.
func NewCache(db *store.DB, now func() time.Time) *Cache {
	if now == nil {
		now = time.Now
	}
	return &Cache{db: db, now: now, maxSize: maxCacheSize, writes: pruneEvery - 1}
}

// cached is an entry: an answer, or why there was none.
type cached struct {
	Response
	failure *Unavailable
	fetched time.Time
	fresh   bool
}

// keptFields are the header fields that are read again after an answer has been kept.
var keptFields = []string{"Content-Type", "Etag", "Last-Modified", "Cache-Control", "Content-Signal", "Content-Usage"}

const selectFetched = `SELECT answered, status, header, sha256, failure, fetched, fresh_until FROM fetched WHERE url = $1`

// get returns an entry, nil if there is none that can be used.
func (c *Cache) get(ctx context.Context, key string) *cached {
	if c == nil {
		return nil
	}
	var header, failure []byte
	var sha string
	var fetched, fresh int64
	e := &cached{}
	if c.db.QueryRowContext(ctx, selectFetched, key).Scan(&e.URL, &e.Status, &header, &sha, &failure, &fetched, &fresh) != nil {
		return nil
	}
	now := c.now()
	e.fetched, e.fresh = time.UnixMilli(fetched).UTC(), now.UnixMilli() < fresh
	if age := now.Sub(e.fetched); age < -time.Minute || age > maxCacheAge { // a clock that went back, or too old
		return nil
	}
	if failure != nil {
		if json.Unmarshal(failure, &e.failure) != nil || e.failure == nil || !e.fresh {
			return nil
		}
		return e
	}
	if json.Unmarshal(header, &e.Header) != nil {
		return nil
	}
	if redirects(e.Status) {
		e.Location = e.Header.Get("Location")
	}
	if sha != "" {
		body, err := c.db.Blob(ctx, sha)
		if err != nil { // it went with the run that kept it, or is damaged
			return nil
		}
		e.Body = body
	}
	return e
}

// forbidsStoring reports whether an answer says that it may not be kept.
func forbidsStoring(h http.Header) bool { return directive(h, "no-store") }

// putAnswer keeps an answer, to be used for window without asking. no-store is obeyed, and no-cache: such an answer is
// never used without asking.
func (c *Cache) putAnswer(ctx context.Context, key string, r *Response, window time.Duration) {
	if c == nil {
		return
	}
	if forbidsStoring(r.Header) {
		c.write(ctx, key, func(tx *sql.Tx) error { return nil })
		return
	}
	if directive(r.Header, "no-cache") {
		window = 0
	}
	header := http.Header{}
	for _, name := range keptFields {
		if v := r.Header.Values(name); len(v) > 0 {
			header[name] = v
		}
	}
	if r.Location != "" {
		header.Set("Location", r.Location)
	}
	fields, err := json.Marshal(header)
	if err != nil {
		return
	}
	var packed store.Packed
	if len(r.Body) > 0 {
		if packed, err = store.Pack(r.Body); err != nil {
			return
		}
	}
	now := c.now()
	c.write(ctx, key, func(tx *sql.Tx) error {
		if packed.SHA != "" {
			if err := c.db.Put(ctx, tx, packed); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO fetched (url, answered, status, header, sha256, size, fetched, fresh_until) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
			key, r.URL, r.Status, fields, packed.SHA, packed.Size, now.UnixMilli(), now.Add(window).UnixMilli())
		return err
	})
}

// putFailure keeps why a page could not be had.
func (c *Cache) putFailure(ctx context.Context, key string, e *Unavailable, window time.Duration) {
	if c == nil {
		return
	}
	body, err := json.Marshal(e)
	if err != nil {
		return
	}
	now := c.now()
	c.write(ctx, key, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO fetched (url, header, failure, fetched, fresh_until) VALUES ($1, $2, $3, $4, $5)`,
			key, []byte("{}"), body, now.UnixMilli(), now.Add(window).UnixMilli())
		return err
	})
}

// confirm notes that a server said that an entry still holds.
func (c *Cache) confirm(ctx context.Context, key string, window time.Duration) {
	if c == nil {
		return
	}
	now := c.now()
	// A failure to note it costs one more question later.
	_ = c.db.Tx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE fetched SET fetched = $1, fresh_until = $2 WHERE url = $3`, now.UnixMilli(), now.Add(window).UnixMilli(), key)
		return err
	})
}

// write replaces the entry under a key by what insert writes, and now and then prunes.
func (c *Cache) write(ctx context.Context, key string, insert func(tx *sql.Tx) error) {
	c.mu.Lock()
	c.writes++
	prune := c.writes >= pruneEvery
	if prune {
		c.writes = 0
	}
	c.mu.Unlock()
	_ = c.db.Tx(ctx, func(tx *sql.Tx) error { // see Cache: what cannot be written is not kept
		if err := c.remove(ctx, tx, `url = $1`, key); err != nil {
			return err
		}
		if err := insert(tx); err != nil || !prune {
			return err
		}
		if err := c.remove(ctx, tx, `fetched < $1`, c.now().Add(-maxCacheAge).UnixMilli()); err != nil {
			return err
		}
		return c.remove(ctx, tx, `url IN (SELECT url FROM (SELECT url, SUM(size) OVER (ORDER BY fetched DESC, url) AS total FROM fetched) AS newest WHERE total > $1)`, c.maxSize)
	})
}

// remove deletes the entries that a condition picks, and their bodies where nobody else holds them. A run writes a blob
// and that it holds it in one transaction, so none is taken from under it.
func (c *Cache) remove(ctx context.Context, tx *sql.Tx, where string, arg any) error {
	rows, err := tx.QueryContext(ctx, `SELECT DISTINCT sha256 FROM fetched WHERE sha256 <> '' AND `+where, arg)
	if err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	bodies, err := store.Column(rows)
	if err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM fetched WHERE `+where, arg); err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	for _, sha := range bodies {
		if _, err := c.db.Forget(ctx, tx, sha); err != nil {
			return fmt.Errorf("cache: %w", err)
		}
	}
	return nil
}

// Expire deletes the entries that are too old to be used, or only counts them.
func (c *Cache) Expire(ctx context.Context, dry bool) (n int64, err error) {
	before := c.now().Add(-maxCacheAge).UnixMilli()
	err = c.db.QueryRowContext(ctx, `SELECT COUNT(*) FROM fetched WHERE fetched < $1`, before).Scan(&n)
	if err == nil && n > 0 && !dry {
		err = c.db.Tx(ctx, func(tx *sql.Tx) error { return c.remove(ctx, tx, `fetched < $1`, before) })
	}
	if err != nil {
		return 0, fmt.Errorf("cache: what is too old: %w", err)
	}
	return n, nil
}
