package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
)

// Hash is the hex SHA-256 of data, the address of a blob.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Packed is a blob in its stored form.
type Packed struct {
	SHA  string
	Size int64
	data []byte
}

// Pack hashes and compresses data. More than MaxBody bytes are an error.
func Pack(data []byte) (Packed, error) {
	p := Packed{SHA: Hash(data), Size: int64(len(data))}
	if len(data) > MaxBody {
		return p, fmt.Errorf("blob %s: %d bytes are more than the limit of %d", p.SHA[:12], len(data), MaxBody)
	}
	var err error
	if p.data, err = Compress(nil, data); err != nil {
		return p, fmt.Errorf("blob %s: %w", p.SHA[:12], err)
	}
	return p, nil
}

// Stored is the size of the stored form in bytes.
func (p Packed) Stored() int64 { return int64(len(p.data)) }

// Data unpacks the blob, verified.
func (p Packed) Data() ([]byte, error) {
	data, err := Decompress(nil, p.data, p.Size)
	if err != nil {
		return nil, fmt.Errorf("blob %s: %w", p.SHA, err)
	}
	if Hash(data) != p.SHA {
		return nil, fmt.Errorf("blob %s: the stored bytes do not have this hash; the database is damaged", p.SHA)
	}
	return data, nil
}

// Put keeps a blob under its hash, in a transaction or, with the DB itself, in one of its own (FETCH-9). Keeping it again
// changes nothing. On PostgreSQL nobody can delete it before the transaction is over: Forget waits.
func (db *DB) Put(ctx context.Context, to interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}, p Packed) error {
	again := `DO NOTHING`
	if db.pool != nil {
		again = `(sha256) DO UPDATE SET size = excluded.size` // the same: it is for the lock
	}
	if _, err := to.ExecContext(ctx, `INSERT INTO blob (sha256, size, data) VALUES ($1, $2, $3) ON CONFLICT `+again, p.SHA, p.Size, p.data); err != nil {
		return fmt.Errorf("blob %s: %w", p.SHA[:12], explain(err))
	}
	return nil
}

// wanted is the condition that somebody wants a blob. Whoever keeps hashes of blobs in another table adds it here, or they are
// deleted from under it.
const wanted = `EXISTS (SELECT 1 FROM run_blob WHERE run_blob.sha256 = blob.sha256) OR EXISTS (SELECT 1 FROM fetched WHERE fetched.sha256 = blob.sha256) OR EXISTS (SELECT 1 FROM kb_source WHERE kb_source.sha256 = blob.sha256)`

// Forget deletes a blob unless somebody wants it, and returns how many bytes it took. Those who put it at the same time are
// waited for, so that what they wrote with it counts.
func (db *DB) Forget(ctx context.Context, tx *sql.Tx, sha string) (freed int64, err error) {
	if db.ForUpdate != "" {
		if _, err := tx.ExecContext(ctx, `SELECT 1 FROM blob WHERE sha256 = $1`+db.ForUpdate, sha); err != nil {
			return 0, explain(err)
		}
	}
	err = tx.QueryRowContext(ctx, `DELETE FROM blob WHERE sha256 = $1 AND NOT (`+wanted+`) RETURNING LENGTH(data)`, sha).Scan(&freed)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("blob %s: %w", sha, explain(err))
	}
	return freed, nil
}

// Column reads rows of one text each, and closes them.
func Column(rows *sql.Rows) (list []string, err error) {
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, explain(err)
		}
		list = append(list, s)
	}
	return list, explain(rows.Err())
}

// PutBlob keeps data in a transaction of its own and returns its hash.
func (db *DB) PutBlob(ctx context.Context, data []byte) (sha string, err error) {
	p, err := Pack(data)
	if err == nil {
		err = db.Put(ctx, db, p)
	}
	if err != nil {
		return "", err
	}
	return p.SHA, nil
}

// Blob returns the data kept under a hash, verified. A missing blob is fs.ErrNotExist.
func (db *DB) Blob(ctx context.Context, sha string) ([]byte, error) { return Blob(ctx, db, sha) }

// Blob returns the data kept under a hash as a database or one of its transactions sees it.
func Blob(ctx context.Context, from interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}, sha string) ([]byte, error) {
	p := Packed{SHA: sha}
	err := from.QueryRowContext(ctx, `SELECT size, data FROM blob WHERE sha256 = $1`, sha).Scan(&p.Size, &p.data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("blob %s: %w", sha, fs.ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("blob %s: %w", sha, err)
	}
	return p.Data()
}
