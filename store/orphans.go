package store

import (
	"context"
	"database/sql"
	"fmt"
)

// orphans are the blobs that nobody wants: there are none, unless a program left some behind.
const orphans = ` FROM blob WHERE NOT (` + wanted + `)`

// Orphans counts the blobs that nobody wants, and the bytes that they take.
func (db *DB) Orphans(ctx context.Context) (n, bytes int64, err error) {
	err = db.QueryRowContext(ctx, `SELECT COUNT(*), COALESCE(SUM(LENGTH(data)), 0)`+orphans).Scan(&n, &bytes)
	if err != nil {
		return 0, 0, fmt.Errorf("blobs that nobody wants: %w", explain(err))
	}
	return n, bytes, nil
}

// ForgetOrphans deletes the blobs that nobody wants, some at a time.
func (db *DB) ForgetOrphans(ctx context.Context) (n, bytes int64, err error) {
	for {
		rows, err := db.QueryContext(ctx, `SELECT sha256`+orphans+` ORDER BY sha256 LIMIT 100`)
		if err != nil {
			return n, bytes, fmt.Errorf("blobs that nobody wants: %w", explain(err))
		}
		list, err := Column(rows)
		if err != nil || len(list) == 0 {
			return n, bytes, err
		}
		var gone, freed int64
		err = db.Tx(ctx, func(tx *sql.Tx) error {
			gone, freed = 0, 0
			for _, sha := range list {
				size, err := db.Forget(ctx, tx, sha)
				if err != nil {
					return err
				}
				if size > 0 {
					gone, freed = gone+1, freed+size
				}
			}
			return db.Deleted(ctx, tx)
		})
		n, bytes = n+gone, bytes+freed
		if err != nil || gone == 0 { // somebody wants them by now
			return n, bytes, err
		}
	}
}
