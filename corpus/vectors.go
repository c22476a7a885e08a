package corpus

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"time"

	"ibid/index"
	"ibid/store"
)

// maxVectorAge is how long vectors are kept. What is made again costs little.
const maxVectorAge = 90 * 24 * time.Hour

// Vectors keeps the vectors of an embedder in a database, so that a text is embedded once: in bytes, under the model's
// name and the text's hash. It is a help and never a need: what cannot be read counts as missing, what cannot be written
// is not kept. It is safe for concurrent use if its embedder is.
type Vectors struct {
	DB       *store.DB
	Model    string // with where it is, since two servers may call two models alike
	Embedder index.Embedder
	Now      func() time.Time
}

// Embed returns a vector for each text, made or kept. The tokens are those of the texts that were asked for.
func (v *Vectors) Embed(ctx context.Context, texts []string) ([][]float32, int64, error) {
	vectors := make([][]float32, len(texts))
	hashes := make([]string, len(texts))
	var missing []string
	var places []int
	for i, text := range texts {
		sum := sha256.Sum256([]byte(text))
		hashes[i] = hex.EncodeToString(sum[:])
		if vectors[i] = v.kept(ctx, hashes[i]); vectors[i] == nil {
			missing, places = append(missing, text), append(places, i)
		}
	}
	if len(missing) == 0 {
		return vectors, 0, nil
	}
	made, tokens, err := v.Embedder.Embed(ctx, missing)
	if err != nil {
		return nil, tokens, err
	}
	if len(made) != len(missing) {
		return nil, tokens, fmt.Errorf("embedding %d texts: there are %d vectors", len(missing), len(made))
	}
	v.keep(ctx, hashes, places, made)
	for i, at := range places {
		vectors[at] = plain(index.Quantise(made[i])) // the same now as from the database later
	}
	return vectors, tokens, nil
}

func (v *Vectors) kept(ctx context.Context, sha string) []float32 {
	var size int
	var body []byte
	err := v.DB.QueryRowContext(ctx, `SELECT size, vector FROM embedding WHERE model = $1 AND sha256 = $2`, v.Model, sha).Scan(&size, &body)
	if err != nil || len(body) != size || size == 0 {
		return nil
	}
	at := make([]int8, size)
	for i, b := range body {
		at[i] = int8(b)
	}
	return plain(at)
}

func (v *Vectors) keep(ctx context.Context, hashes []string, places []int, made [][]float32) {
	now := v.Now()
	_ = v.DB.Tx(ctx, func(tx *sql.Tx) error { // what is not kept is made again
		if _, err := tx.ExecContext(ctx, `DELETE FROM embedding WHERE made < $1`, now.Add(-maxVectorAge).UnixMilli()); err != nil {
			return err
		}
		for i, at := range places {
			body := make([]byte, len(made[i]))
			for j, n := range index.Quantise(made[i]) {
				body[j] = byte(n)
			}
			if _, err := tx.ExecContext(ctx, `INSERT INTO embedding (model, sha256, size, vector, made) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
				v.Model, hashes[at], len(body), body, now.UnixMilli()); err != nil {
				return err
			}
		}
		return nil
	})
}

// Expire deletes the vectors that are too old to be kept, or only counts them.
func (v *Vectors) Expire(ctx context.Context, dry bool) (n int64, err error) {
	before := v.Now().Add(-maxVectorAge).UnixMilli()
	err = v.DB.QueryRowContext(ctx, `SELECT COUNT(*) FROM embedding WHERE made < $1`, before).Scan(&n)
	if err == nil && n > 0 && !dry {
		_, err = v.DB.ExecContext(ctx, `DELETE FROM embedding WHERE made < $1`, before)
	}
	if err != nil {
		return 0, fmt.Errorf("vectors that are too old: %w", err)
	}
	return n, nil
}

// plain gives a vector of bytes as numbers; only its direction counts.
func plain(at []int8) []float32 {
	v := make([]float32, len(at))
	for i, n := range at {
		v[i] = float32(n)
	}
	return v
}
