package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// patience is how long a transaction is tried for: as long as SQLite waits for a lock. A server restarts in less.
const patience = 10 * time.Second

// marks are rows of the table committed, one for each transaction that this program can have open at a time. Every
// transaction writes its number into one of them, so that after a lost answer the row tells whether the commit happened.
// The number that the server gives a transaction does not tell it: after a crash the server may give it once more.
type marks struct {
	program string
	free    chan *mark
}

type mark struct {
	id string
	n  int64
}

func newMarks(program string, n int) *marks {
	m := &marks{program, make(chan *mark, n)}
	for i := range n {
		m.free <- &mark{id: fmt.Sprint(program, "/", i)}
	}
	return m
}

const setMark = `INSERT INTO committed (id, n, at) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET n = excluded.n, at = excluded.at`

// readMark waits for a transaction that holds the row.
const readMark = `INSERT INTO committed (id, n, at) VALUES ($1, 0, $2) ON CONFLICT (id) DO UPDATE SET at = excluded.at RETURNING n`

// txPostgres is Tx on PostgreSQL.
func (db *DB) txPostgres(ctx context.Context, f func(*sql.Tx) error) error {
	var m *mark
	select {
	case m = <-db.marks.free:
		defer func() { db.marks.free <- m }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	began := time.Now()
	for try := 1; ; try++ {
		m.n++
		unsure, err := attempt(ctx, db.DB, &sql.TxOptions{Isolation: sql.LevelReadCommitted}, func(tx *sql.Tx) error {
			if _, err := tx.ExecContext(ctx, setMark, m.id, m.n, db.Now().UnixMilli()); err != nil {
				return err
			}
			return f(tx)
		})
		if err == nil {
			return nil
		}
		if unsure {
			var happened bool
			if happened, err = db.happened(ctx, m, err); happened {
				return nil
			}
		}
		// Who waited for others in a circle or came second waited in vain but not for long: that is counted, not timed.
		if !passing(err, try) || ctx.Err() != nil || time.Since(began) > patience && (unreachable(err) || try >= 20) {
			return explain(err)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(time.Duration(rand.Int64N(int64(min(5*time.Millisecond<<min(try, 8), 500*time.Millisecond))))):
		}
	}
}

// errUndone says that a commit failed and the transaction is undone.
var errUndone = errors.New("the connection was lost before the commit")

// happened says whether a transaction whose commit ended in an error was committed all the same: the answer may have been
// lost on its way. Otherwise it returns errUndone, or the commit's own error if that cannot be found out.
func (db *DB) happened(ctx context.Context, m *mark, commit error) (bool, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*patience)
	defer cancel()
	for {
		var n int64
		err := db.QueryRowContext(ctx, readMark, m.id, db.Now().UnixMilli()).Scan(&n)
		var e *pgconn.PgError
		switch {
		case err == nil && n == m.n:
			return true, nil
		case err == nil:
			return false, errors.Join(errUndone, commit)
		case errors.As(err, &e) && e.Code == "55P03": // the server has not noticed yet that nobody is there
		case !passing(err, 1):
			return false, errors.Join(commit, err)
		}
		select {
		case <-ctx.Done():
			return false, commit
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// passing says whether the same transaction, tried again, may well succeed. try counts from 1.
func passing(err error, try int) bool {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		switch e.Code {
		case "40001", "40P01": // serialisation, deadlock
			return true
		case "23505": // another inserted what was not found: now it is found
			return try == 1
		case "25P03", "53300", "57P01", "57P02", "57P03": // stood still, no connection left, going down, coming up
			return true
		}
		return strings.HasPrefix(e.Code, "08")
	}
	return errors.Is(err, errUndone) || unreachable(err)
}

// unreachable says whether an error is of the way to the server.
func unreachable(err error) bool {
	var connect *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connect) || errors.As(err, &network) && !errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, driver.ErrBadConn) || pgconn.SafeToRetry(err)
}

// snapshotPostgres is Snapshot on PostgreSQL. Who reads it may be slow.
func (db *DB) snapshotPostgres(ctx context.Context) (*sql.Tx, error) {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return nil, explain(err)
	}
	if _, err := tx.ExecContext(ctx, `SET LOCAL idle_in_transaction_session_timeout = 0`); err != nil {
		return nil, errors.Join(explain(err), tx.Rollback())
	}
	return tx, nil
}
