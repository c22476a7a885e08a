// Package store opens the database: a file with SQLite, or a PostgreSQL server. The schema is migrated, transactions
// behave alike, bodies are addressed by their content. It knows no table's meaning, and nobody else knows the engine.
package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
)

// DB is an open database. Its statements are written with $1 and with what both engines know: no JSON operators, ids from
// the program, times as milliseconds.
type DB struct {
	*sql.DB
	Path string // where it is: a file, or an address without its password

	// ForUpdate ends a SELECT of one row inside of Tx, so that nobody else changes the row until the transaction is over.
	// It is empty on SQLite, where the transaction is alone anyhow.
	ForUpdate string

	// UnlessHeld is ForUpdate for a SELECT of many rows, without those that somebody else holds.
	UnlessHeld string

	pool  *pgxpool.Pool // of PostgreSQL; nil on SQLite
	marks *marks        // likewise
	clock clock
	group *group // of those who write, on SQLite
}

// Open opens the database at an address, postgres://user@host/name, or makes the one in a file, and brings its schema up
// to date. What is acknowledged survives a power cut.
func Open(ctx context.Context, address string) (*DB, error) {
	if IsPostgres(address) {
		return openPostgres(ctx, address)
	}
	if scheme, _, ok := strings.Cut(address, "://"); ok && !strings.ContainsAny(scheme, `/\.`) {
		return nil, fmt.Errorf("store: %s:// is no database that this program knows: name a file, or postgres://user@host/name", scheme)
	}
	return openSQLite(ctx, address)
}

// About says which engine it is, where, and what there is to know about its keeping what it acknowledges.
func (db *DB) About(ctx context.Context) (string, error) {
	var version, safe string
	if db.pool == nil {
		if err := db.QueryRowContext(ctx, `SELECT sqlite_version()`).Scan(&version); err != nil {
			return "", explain(err)
		}
		return "SQLite " + version + ", " + db.Path, nil
	}
	if err := db.QueryRowContext(ctx, `SELECT current_setting('server_version'), current_setting('fsync')`).Scan(&version, &safe); err != nil {
		return "", explain(err)
	}
	about := "PostgreSQL " + version + ", " + db.Path
	if safe == "off" {
		about += "; fsync is off there: a power cut loses what was recorded"
	}
	return about, nil
}

// Close closes all connections.
func (db *DB) Close() error {
	err := db.DB.Close()
	if db.pool != nil {
		db.pool.Close()
		return err
	}
	return errors.Join(err, db.group.close())
}

// explain adds what to do about the errors that people meet.
func explain(err error) error {
	if what := cmp.Or(sqliteSays(err), postgresSays(err)); what != "" {
		return fmt.Errorf("%s: %w", what, err)
	}
	return err
}

// Pool is the pool of connections to a PostgreSQL server, for what listens to its notifications; nil on SQLite.
func (db *DB) Pool() *pgxpool.Pool { return db.pool }
