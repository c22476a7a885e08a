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

// PutBlob keeps data under its hash (FETCH-9). Keeping it again changes nothing.
func (db *DB) PutBlob(ctx context.Context, data []byte) (sha string, err error) {
	sha = Hash(data)
	if len(data) > MaxBody {
		return "", fmt.Errorf("blob %s: %d bytes are more than the limit of %d", sha[:12], len(data), MaxBody)
	}
	var known int
	switch err := db.QueryRowContext(ctx, `SELECT 1 FROM blob WHERE sha256 = $1`, sha).Scan(&known); {
	case err == nil:
		return sha, nil
	case !errors.Is(err, sql.ErrNoRows):
		return "", fmt.Errorf("blob %s: %w", sha[:12], err)
	}
	packed, err := Compress(nil, data)
	if err != nil {
		return "", fmt.Errorf("blob %s: %w", sha[:12], err)
	}
	_, err = db.ExecContext(ctx, `INSERT INTO blob (sha256, size, data) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, sha, len(data), packed)
	if err != nil {
		return "", fmt.Errorf("blob %s: %w", sha[:12], explain(err))
	}
	return sha, nil
}

// Blob returns the data kept under a hash, verified. A missing blob is fs.ErrNotExist.
func (db *DB) Blob(ctx context.Context, sha string) ([]byte, error) {
	var size int64
	var packed []byte
	err := db.QueryRowContext(ctx, `SELECT size, data FROM blob WHERE sha256 = $1`, sha).Scan(&size, &packed)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("blob %s: %w", sha, fs.ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("blob %s: %w", sha, err)
	}
	data, err := Decompress(nil, packed, size)
	if err != nil {
		return nil, fmt.Errorf("blob %s: %w", sha, err)
	}
	if Hash(data) != sha {
		return nil, fmt.Errorf("blob %s: the stored bytes do not have this hash; the database is damaged", sha)
	}
	return data, nil
}
