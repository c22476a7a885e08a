package judge

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"ibid/evidence"
	"ibid/store"
)

// maxKept is how long rulings are kept: a provider changes what stands behind a model's name.
const maxKept = 90 * 24 * time.Hour

// Kept keeps rulings in a database, by what was asked: the judge's name, its prompt and the pair, to the byte. It is a help
// and never a need: what cannot be read counts as missing, what cannot be written is not kept.
type Kept struct {
	DB  *store.DB
	Now func() time.Time
}

// key names a request to a judge by its content.
func (j Judge) key(body []byte) string { return store.Hash([]byte(j.Model + "\x00" + string(body))) }

// Get looks up what j said to a request. The threshold is today's.
func (k *Kept) Get(ctx context.Context, j Judge, of string, body []byte) (evidence.Ruling, bool) {
	r := evidence.Ruling{Of: of, Model: j.Model, Threshold: j.Threshold}
	if k == nil {
		return r, false
	}
	err := k.DB.QueryRowContext(ctx, `SELECT verdict, score, reason FROM ruling WHERE asked = $1 AND made >= $2`, j.key(body), k.Now().Add(-maxKept).UnixMilli()).Scan(&r.Verdict, &r.Score, &r.Reason)
	return r, err == nil
}

// Put keeps what j said to a request.
func (k *Kept) Put(ctx context.Context, j Judge, body []byte, r evidence.Ruling) {
	if k == nil {
		return
	}
	now := k.Now()
	_ = k.DB.Tx(ctx, func(tx *sql.Tx) error { // what is not kept is asked again
		if _, err := tx.ExecContext(ctx, `DELETE FROM ruling WHERE made < $1`, now.Add(-maxKept).UnixMilli()); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO ruling (asked, verdict, score, reason, made) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (asked) DO UPDATE SET verdict = excluded.verdict, score = excluded.score, reason = excluded.reason, made = excluded.made`,
			j.key(body), r.Verdict, r.Score, r.Reason, now.UnixMilli())
		return err
	})
}

// Expire deletes the rulings that are too old to be used, or only counts them.
func (k *Kept) Expire(ctx context.Context, dry bool) (n int64, err error) {
	before := k.Now().Add(-maxKept).UnixMilli()
	err = k.DB.QueryRowContext(ctx, `SELECT COUNT(*) FROM ruling WHERE made < $1`, before).Scan(&n)
	if err == nil && n > 0 && !dry {
		_, err = k.DB.ExecContext(ctx, `DELETE FROM ruling WHERE made < $1`, before)
	}
	if err != nil {
		return 0, fmt.Errorf("rulings that are too old: %w", err)
	}
	return n, nil
}
