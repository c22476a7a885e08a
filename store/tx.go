package store

import (
	"context"
	"database/sql"
	"errors"
)

// Tx runs f in one transaction, which is never held over I/O. An error of f rolls it back. f must not call Tx.
//
// On SQLite the transaction holds the write lock from its beginning. Those who write in one process at the same moment share
// a transaction, in order, each of them unharmed by the others' errors; only other processes are waited for by asking again
// and again. A context that ends is heeded until f begins, and by f itself; after that the commit is waited for.
//
// On PostgreSQL each statement of f sees what is committed when it begins. What f decides by what it has read, it reads
// with ForUpdate.
//
// f may be run again, after its first course was undone: on PostgreSQL when it and another waited for each other, when
// another inserted what f did not find, when the server went away and came back; on SQLite when another's error undid the
// transaction that they shared. What it leaves outside of the transaction must be right then too.
func (db *DB) Tx(ctx context.Context, f func(*sql.Tx) error) error {
	if db.pool != nil {
		return db.txPostgres(ctx, f)
	}
	return explain(db.group.tx(ctx, f))
}

// Snapshot begins a transaction that reads the database as it stands at one moment, holds nobody up and writes nothing.
// Roll it back at the end.
func (db *DB) Snapshot(ctx context.Context) (*sql.Tx, error) {
	if db.pool != nil {
		return db.snapshotPostgres(ctx)
	}
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	return tx, explain(err)
}

// attempt runs f in one transaction. When the commit itself failed, it says so: then it may have happened.
func attempt(ctx context.Context, db *sql.DB, o *sql.TxOptions, f func(*sql.Tx) error) (unsure bool, err error) {
	tx, err := db.BeginTx(ctx, o)
	if err != nil {
		return false, err
	}
	if err := f(tx); err != nil {
		if back := tx.Rollback(); back != nil && !errors.Is(back, sql.ErrTxDone) {
			return false, errors.Join(err, back)
		}
		return false, err
	}
	if err := tx.Commit(); err != nil {
		return true, err
	}
	return false, nil
}
