package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/jackc/pgx/v5"
)

// Size is how much room the database takes, in bytes: its files, or on a server its tables with their indexes.
func (db *DB) Size(ctx context.Context) (n int64, err error) {
	if db.pool != nil {
		err := db.QueryRowContext(ctx, `SELECT COALESCE(SUM(pg_total_relation_size(c.oid)), 0)::BIGINT FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace`).Scan(&n)
		return n, explain(err)
	}
	for _, name := range []string{db.Path, db.Path + "-wal"} {
		info, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, err
		}
		n += info.Size()
	}
	return n, nil
}

// Deleted notes, in the transaction that deletes, that the files may hold traces of it until Scrub has rewritten them.
func (db *DB) Deleted(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO trace (id, deletions, since) VALUES (1, 1, $1) ON CONFLICT (id) DO UPDATE SET deletions = trace.deletions + 1`, db.Now().UnixMilli())
	return explain(err)
}

// Traces is how many deletions the files may hold traces of.
func (db *DB) Traces(ctx context.Context) (n int64, err error) {
	err = db.QueryRowContext(ctx, `SELECT COALESCE(SUM(deletions), 0) FROM trace`).Scan(&n)
	return n, explain(err)
}

// ErrRead says that somebody reads the database in a state from before the deletion, so that the file keeps it.
var ErrRead = errors.New("another program reads an older state of the database, which is kept for it")

// Scrub rewrites the database, so that nothing that was deleted is left in its files: in pages that are used in part, in
// unused pages, in the log of writes. Others can read meanwhile, not write; on a server they wait altogether. It takes as
// much room again as the database. Beyond its reach are what a server keeps besides its tables' files (its write-ahead log,
// archives and replicas of it), backups, and what the disk keeps of files that are gone.
func (db *DB) Scrub(ctx context.Context) error {
	n, err := db.Traces(ctx)
	if err != nil {
		return err
	}
	if db.pool != nil {
		err = db.rewritePostgres(ctx)
	} else {
		err = db.rewriteSQLite(ctx)
	}
	if err != nil {
		return fmt.Errorf("store %s: rewriting: %w", db.Path, explain(err))
	}
	// Deletions that came meanwhile stay noted.
	return db.Tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE trace SET deletions = deletions - $1`, n); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM trace WHERE deletions <= 0`)
		return err
	})
}

// small is up to how many bytes a file is rewritten with each deletion: it takes a second or two, for which who writes waits.
const small = 64 << 20

// Tidy is Scrub for a file that is not large, where nobody is kept waiting. Otherwise it says why traces may be left.
func (db *DB) Tidy(ctx context.Context) (left string) {
	size, err := db.Size(ctx)
	switch {
	case err != nil:
		return err.Error()
	case db.pool != nil:
		return "on a server the tables are rewritten only when it is asked for"
	case size > small:
		return fmt.Sprintf("the file has %d MB, and is rewritten only when it is asked for", size>>20)
	}
	if err := db.Scrub(ctx); err != nil {
		return err.Error()
	}
	return ""
}

// rewriteSQLite copies what is left into fresh pages, and then empties the log, in which the copy came.
func (db *DB) rewriteSQLite(ctx context.Context) error {
	select {
	case db.group.writing <- struct{}{}:
		defer func() { <-db.group.writing }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if _, err := db.ExecContext(ctx, `VACUUM`); err != nil {
		return err
	}
	var busy, frames, written int
	if err := db.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &frames, &written); err != nil {
		return err
	}
	if busy != 0 {
		return ErrRead
	}
	return nil
}

// rewritePostgres gives each table a new file; the old one is emptied at once.
func (db *DB) rewritePostgres(ctx context.Context) error {
	rows, err := db.QueryContext(ctx, `SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace ORDER BY relname`)
	if err != nil {
		return err
	}
	tables, err := Column(rows)
	if err != nil {
		return err
	}
	for _, name := range tables {
		if _, err := db.ExecContext(ctx, `VACUUM (FULL, ANALYZE) `+pgx.Identifier{name}.Sanitize()); err != nil {
			return err
		}
	}
	// The samples for the server's planner, of which those of before are dead now. Who does not own the database is only warned.
	_, err = db.ExecContext(ctx, `VACUUM (FULL) pg_catalog.pg_statistic`)
	return err
}
