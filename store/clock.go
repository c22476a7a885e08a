package store

import (
	"context"
	"sync"
	"time"
)

// clock is the database's time: that of this machine, or, where several machines share a database, the server's.
type clock struct {
	mu       sync.Mutex
	measured time.Time // here; its monotonic part counts
	there    time.Time // zero: the same
}

// Now is the time by which all who share the database go.
func (db *DB) Now() time.Time {
	c := &db.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.there.IsZero() {
		return time.Now()
	}
	return c.there.Add(time.Since(c.measured))
}

// Sync asks the database for its time again. A step of this machine's own clock changes nothing; its drift does, in days.
func (db *DB) Sync(ctx context.Context) error {
	if db.pool == nil {
		return nil
	}
	asked := time.Now()
	var micros int64
	if err := db.QueryRowContext(ctx, `SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::BIGINT`).Scan(&micros); err != nil {
		return err
	}
	answered := time.Now()
	c := &db.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	c.measured, c.there = asked.Add(answered.Sub(asked)/2), time.UnixMicro(micros)
	return nil
}
