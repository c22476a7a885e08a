package store

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"sync"
)

// A group lets those who write at the same moment share a transaction of SQLite, since there is one at a time and each
// ends with a sync of the disk. Whoever finds nobody waiting is served alone and at once.
type group struct {
	db      *sql.DB
	writing chan struct{} // held while a transaction is open, or what has to be alone is done

	mu      sync.Mutex
	waiting []*write
	serving bool      // a goroutine serves those who wait, and ends when there are none
	conn    *sql.Conn // its own, so that no number of readers keeps it waiting
	closed  bool
}

func newGroup(db *sql.DB) *group { return &group{db: db, writing: make(chan struct{}, 1)} }

// atMost is how many share a transaction: enough that the sync counts for little, and nobody waits for hundreds.
const atMost = 128

// write is one call of Tx. Its function runs in the caller's goroutine, when it is its turn.
type write struct {
	turn chan *sql.Tx  // given when the transaction is its to use
	ran  chan error    // how its function ended
	left chan struct{} // closed by a caller who does not wait any longer
	fate chan error    // nil: committed
}

// errLeft is the fate of a write whose caller did not wait.
var errLeft = errors.New("nobody waits for this transaction")

// errUnwound says that a function ended in a panic, or with its goroutine.
var errUnwound = errors.New("the transaction's function did not return")

// tx is Tx on SQLite.
func (g *group) tx(ctx context.Context, f func(*sql.Tx) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	w := &write{make(chan *sql.Tx), make(chan error), make(chan struct{}), make(chan error, 1)}
	g.mu.Lock()
	g.waiting = append(g.waiting, w)
	if !g.serving {
		g.serving = true
		go g.serve()
	}
	g.mu.Unlock()
	over := ctx.Done()
	for {
		select {
		case tx := <-w.turn:
			w.run(tx, f)
			over = nil // what was begun is waited for: it may be committed
		case err := <-w.fate:
			return err
		case <-over:
			close(w.left)
			return context.Cause(ctx)
		}
	}
}

func (w *write) run(tx *sql.Tx, f func(*sql.Tx) error) {
	err := errUnwound
	defer func() { w.ran <- err }()
	err = f(tx)
}

// serve serves those who wait, all who do at a time, until nobody does.
func (g *group) serve() {
	for {
		g.mu.Lock()
		n := min(len(g.waiting), atMost)
		batch := g.waiting[:n:n]
		g.waiting = g.waiting[n:]
		g.serving = len(batch) > 0
		if !g.serving && g.closed {
			_ = g.hangUp()
		}
		g.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		g.writing <- struct{}{}
		for len(batch) > 0 {
			batch = g.together(batch)
		}
		<-g.writing
	}
}

// together runs a batch in one transaction and tells each its fate, but those that are to be run again: another's error
// undid all, as an interrupted statement and a full disk do.
func (g *group) together(batch []*write) (again []*write) {
	tx, err := g.begin()
	if err != nil {
		tell(batch, err)
		return nil
	}
	var ran []*write
	failed := map[*write]error{}
	for i, w := range batch {
		stands, err := g.take(tx, w, len(batch) == 1)
		if !stands {
			w.fate <- err
			_ = tx.Rollback() // SQLite may have done so already
			return append(ran, batch[i+1:]...)
		}
		if ran = append(ran, w); err != nil {
			failed[w] = err // told with the others: it may be for what they wrote, which is not yet so
		}
	}
	err = tx.Commit()
	if err != nil && len(ran) > 1 { // what did not fit for another's sake may fit alone
		for _, w := range ran {
			g.together([]*write{w})
		}
		return nil
	}
	for _, w := range ran {
		w.fate <- cmp.Or(failed[w], err)
	}
	return nil
}

func (g *group) begin() (*sql.Tx, error) {
	if g.db.Stats().MaxOpenConnections == 1 { // there is none to spare
		return g.db.BeginTx(context.Background(), nil)
	}
	if g.conn == nil {
		conn, err := g.db.Conn(context.Background())
		if err != nil {
			return nil, err
		}
		g.conn = conn
	}
	tx, err := g.conn.BeginTx(context.Background(), nil)
	if errors.Is(err, sql.ErrConnDone) || errors.Is(err, driver.ErrBadConn) {
		g.conn = nil // the next gets another
	}
	return tx, err
}

// close gives the connection back, when nobody writes any more.
func (g *group) close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	if g.serving {
		return nil
	}
	return g.hangUp()
}

func (g *group) hangUp() error {
	if g.conn == nil {
		return nil
	}
	conn := g.conn
	g.conn = nil
	return conn.Close()
}

func tell(batch []*write, fate error) {
	for _, w := range batch {
		w.fate <- fate
	}
}

// take runs one function. If it fails, what it wrote is undone, and stands says whether the others' work is not.
func (g *group) take(tx *sql.Tx, w *write, alone bool) (stands bool, err error) {
	if !alone {
		if err := do(tx, `SAVEPOINT one`); err != nil {
			return false, err
		}
	}
	select {
	case w.turn <- tx:
		err = <-w.ran
	case <-w.left:
		err = errLeft
	}
	if alone {
		return err == nil, err
	}
	if err != nil && do(tx, `ROLLBACK TO one`) != nil {
		return false, err
	}
	if gone := do(tx, `RELEASE one`); gone != nil {
		return false, cmp.Or(err, gone)
	}
	return true, err
}

func do(tx *sql.Tx, query string) error {
	_, err := tx.ExecContext(context.Background(), query)
	return err
}
