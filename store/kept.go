package store

import (
	"context"
	"database/sql/driver"
	"errors"
)

// keeper opens connections that keep the statements they run prepared. The same few are run thousands of times, and
// preparing one takes SQLite longer than running it. (The driver of PostgreSQL does so by itself.)
type keeper struct{ driver.Connector }

func (k keeper) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := k.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &keeping{c.(conn), map[string]*kept{}}, nil
}

// conn is what the driver's connections can do, and database/sql makes use of.
type conn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// keeping is a connection with its statements, by their text.
type keeping struct {
	conn
	kept map[string]*kept
}

// mostKept is how many statements a connection keeps; one that is longer than longKept lists values, and hardly comes again.
const mostKept, longKept = 64, 2000

// kept is a prepared statement. While somebody reads its rows nobody else can run it.
type kept struct {
	statement
	reading bool
}

type statement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// find returns the statement of a query, or nil if it is not to be kept, or is not free.
func (k *keeping) find(ctx context.Context, query string) (*kept, error) {
	if s := k.kept[query]; s != nil || len(query) > longKept {
		if s == nil || s.reading {
			return nil, nil
		}
		return s, nil
	}
	made, err := k.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	for old, s := range k.kept {
		if len(k.kept) >= mostKept && !s.reading { // any one
			delete(k.kept, old)
			if err := s.Close(); err != nil {
				return nil, errors.Join(err, made.Close())
			}
		}
	}
	s := &kept{statement: made.(statement)}
	k.kept[query] = s
	return s, nil
}

func (k *keeping) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	s, err := k.find(ctx, query)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return k.conn.ExecContext(ctx, query, args)
	}
	return s.ExecContext(ctx, args)
}

func (k *keeping) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := k.find(ctx, query)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return k.conn.QueryContext(ctx, query, args)
	}
	rows, err := s.QueryContext(ctx, args)
	if err != nil {
		return nil, err
	}
	s.reading = true
	return &reading{rows, s}, nil
}

// reading is rows of a kept statement, which is free again when they are closed.
type reading struct {
	driver.Rows
	of *kept
}

func (r *reading) Close() error {
	r.of.reading = false
	return r.Rows.Close()
}

func (k *keeping) Close() error {
	var err error
	for _, s := range k.kept {
		err = errors.Join(err, s.Close())
	}
	return errors.Join(err, k.conn.Close())
}

// Unwrap is for functions of the driver that take its own connections.
func (k *keeping) Unwrap() driver.Conn { return k.conn }
