// Package store opens the database: one file with SQLite, its schema migrated, transactions that lock at once, and
// content-addressed bodies. It knows no table's meaning.
package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite" // and the driver
	lib "modernc.org/sqlite/lib"
)

//go:embed migrations/*.sql
var migrations embed.FS

// DB is an open database. Its statements are written with $1, which SQLite and PostgreSQL both read.
type DB struct {
	*sql.DB
	Path string

	writing  chan struct{} // held by the transaction of this process that writes
	mu       sync.Mutex
	prepared map[string]*sql.Stmt
}

// Open opens or makes the SQLite database at path and brings its schema up to date. Every connection of the pool waits
// for locks, enforces foreign keys and syncs each commit to the disk: what was acknowledged survives a power cut.
func Open(ctx context.Context, path string) (*DB, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", path, err)
	}
	dsn := (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: abs}).EscapedPath()}).String() +
		"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)&_txlock=immediate"
	// What people asked and read is nobody else's.
	if f, err := os.OpenFile(abs, os.O_CREATE|os.O_RDWR, 0o600); err == nil {
		f.Close()
	} // an error is the driver's to tell
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", path, err)
	}
	if err := migrate(ctx, db); err != nil {
		return nil, fmt.Errorf("store %s: %w", path, errors.Join(explain(err), db.Close()))
	}
	// Statements stay prepared on connections that stay open.
	db.SetMaxOpenConns(16)
	db.SetMaxIdleConns(16)
	return &DB{DB: db, Path: abs, writing: make(chan struct{}, 1), prepared: map[string]*sql.Stmt{}}, nil
}

// Prepared returns the statement of a query, prepared once for all connections. Inside of a transaction use it with
// StmtContext, and ask for it before the transaction begins.
func (db *DB) Prepared(ctx context.Context, query string) (*sql.Stmt, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if s := db.prepared[query]; s != nil {
		return s, nil
	}
	s, err := db.PrepareContext(ctx, query)
	if err != nil {
		return nil, explain(err)
	}
	db.prepared[query] = s
	return s, nil
}

// migrate brings the schema up to date. It looks first, so that opening an up-to-date database takes no write lock.
func migrate(ctx context.Context, db *sql.DB) error {
	set, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, set, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	sources := provider.ListSources()
	newest := sources[len(sources)-1].Version
	for try := 1; ; try++ {
		version, err := provider.GetDBVersion(ctx)
		if err == nil && version > newest {
			return fmt.Errorf("the database has schema %d and this program knows %d: use a newer ibid", version, newest)
		}
		if err == nil && version == newest {
			return nil
		}
		if err == nil {
			_, err = provider.Up(ctx)
		}
		// Somebody else may have made it at the same moment; then the next look finds it made.
		if err != nil && (try == 5 || ctx.Err() != nil) {
			return err
		}
	}
}

// explain adds what to do about the errors that people meet.
func explain(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff { // without the extended code
	case lib.SQLITE_NOTADB:
		return fmt.Errorf("this file is not an ibid database: %w", err)
	case lib.SQLITE_CORRUPT:
		return fmt.Errorf("the database is damaged; restore it from a backup: %w", err)
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return fmt.Errorf("another program holds the database: %w", err)
	case lib.SQLITE_FULL:
		return fmt.Errorf("the disk is full: %w", err)
	case lib.SQLITE_READONLY, lib.SQLITE_PERM:
		return fmt.Errorf("the database may not be written: %w", err)
	case lib.SQLITE_CANTOPEN:
		return fmt.Errorf("the file cannot be opened or made: %w", err)
	}
	return err
}

// Tx runs f in one transaction, which holds the write lock from its beginning and is never held over I/O. An error of f
// rolls it back. Writers of one process wait for each other in order; only those of other processes are waited for by
// asking again and again. f must not call Tx.
func (db *DB) Tx(ctx context.Context, f func(*sql.Tx) error) error {
	select {
	case db.writing <- struct{}{}:
		defer func() { <-db.writing }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return explain(err)
	}
	if err := f(tx); err != nil {
		err = explain(err)
		if back := tx.Rollback(); back != nil && !errors.Is(back, sql.ErrTxDone) {
			return errors.Join(err, back)
		}
		return err
	}
	if err := tx.Commit(); err != nil {
		return explain(err)
	}
	return nil
}
