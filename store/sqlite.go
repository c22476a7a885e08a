package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// settings are those of every connection of the pool: it waits for locks, enforces foreign keys, syncs each commit to the disk,
// and overwrites what is deleted; what is left of that in pages that others use, Scrub clears.
const settings = "_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)&_pragma=secure_delete(1)&_txlock=immediate"

// openSQLite opens or makes the database in a file.
func openSQLite(ctx context.Context, path string) (*DB, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", path, err)
	}
	// What people asked and read is nobody else's.
	if f, err := os.OpenFile(abs, os.O_CREATE|os.O_RDWR, 0o600); err == nil {
		f.Close()
	} // an error is the driver's to tell
	driver, err := sqlite.NewConnector((&url.URL{Scheme: "file", Opaque: (&url.URL{Path: abs}).EscapedPath()}).String() + "?" + settings)
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", path, err)
	}
	return Through(ctx, abs, keeper{driver})
}

// Settings adds to the address of a file, which has parameters already, those that this package opens its own with.
func Settings(address string) string { return address + "&" + settings }

// Through opens a database of SQLite through a driver: tests have one that lets the power fail. path is where it is said to be.
func Through(ctx context.Context, path string, driver driver.Connector) (*DB, error) {
	db := sql.OpenDB(driver)
	if err := migrateSQLite(ctx, db); err != nil {
		return nil, fmt.Errorf("store %s: %w", path, errors.Join(explain(err), db.Close()))
	}
	// Statements stay prepared on connections that stay open.
	db.SetMaxOpenConns(17) // one writes
	db.SetMaxIdleConns(17)
	return &DB{DB: db, Path: path, group: newGroup(db)}, nil
}

// migrateSQLite looks first, so that opening an up-to-date database takes no write lock.
func migrateSQLite(ctx context.Context, db *sql.DB) error {
	provider, err := migrations(goose.DialectSQLite3, db)
	if err != nil {
		return err
	}
	for try := 1; ; try++ {
		done, err := current(ctx, provider, db)
		if done || errors.Is(err, errNewer) {
			return err
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

// sqliteSays names what lies behind an error of SQLite, "" if there is nothing to add.
func sqliteSays(err error) string {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return ""
	}
	switch e.Code() & 0xff { // without the extended code
	case lib.SQLITE_NOTADB:
		return "this file is not an ibid database"
	case lib.SQLITE_CORRUPT:
		return "the database is damaged; restore it from a backup"
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return "another program holds the database"
	case lib.SQLITE_FULL:
		return "the disk is full"
	case lib.SQLITE_READONLY, lib.SQLITE_PERM:
		return "the database may not be written"
	case lib.SQLITE_CANTOPEN:
		return "the file cannot be opened or made"
	}
	return ""
}
