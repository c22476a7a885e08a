package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// together runs functions whose writes wait at the same moment, in this order, each with a context, and returns their errors.
func together(t *testing.T, db *DB, fs ...func(context.Context, *sql.Tx) error) []error {
	t.Helper()
	errs := make([]error, len(fs))
	var wg sync.WaitGroup
	db.group.writing <- struct{}{} // the first finds nobody waiting; it takes no more than itself
	for i, f := range append([]func(context.Context, *sql.Tx) error{func(context.Context, *sql.Tx) error { return nil }}, fs...) {
		wg.Go(func() {
			defer func() {
				if fault := recover(); fault != nil {
					errs[i-1] = fmt.Errorf("panic: %v", fault)
				}
			}()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			if err := db.Tx(ctx, func(tx *sql.Tx) error { return f(ctx, tx) }); i > 0 {
				errs[i-1] = err
			}
		})
		for waiting := -1; waiting != i; { // until it waits
			runtime.Gosched()
			db.group.mu.Lock()
			waiting = len(db.group.waiting)
			if !db.group.serving {
				waiting = -1
			}
			db.group.mu.Unlock()
		}
	}
	<-db.group.writing
	wg.Wait()
	return errs
}

// insert writes a row, and counts how often it does.
func insert(runs *int, i int) func(context.Context, *sql.Tx) error {
	return func(ctx context.Context, tx *sql.Tx) error {
		*runs++
		_, err := tx.ExecContext(ctx, `INSERT INTO n VALUES ($1)`, i)
		return err
	}
}

func numbers(t *testing.T, db *DB) string {
	t.Helper()
	rows, err := db.Query(`SELECT i FROM n ORDER BY i`)
	if err != nil {
		t.Fatal(err)
	}
	list, err := Column(rows)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(list, " ")
}

// Those who write at the same moment share a transaction, and what goes wrong for one of them is its own.
func TestOneTransactionForMany(t *testing.T) {
	db := open(t)
	run(t, db, `CREATE TABLE n (i BIGINT PRIMARY KEY)`)
	fault := errors.New("fault")
	var runs [7]int
	var shared [2]*sql.Tx
	errs := together(t, db,
		func(ctx context.Context, tx *sql.Tx) error { shared[0] = tx; return insert(&runs[0], 0)(ctx, tx) },
		func(ctx context.Context, tx *sql.Tx) error { return errors.Join(insert(&runs[1], 1)(ctx, tx), fault) },
		func(ctx context.Context, tx *sql.Tx) error { _ = insert(&runs[2], 2)(ctx, tx); panic("at the disco") },
		insert(&runs[3], 0), // is there already
		func(ctx context.Context, tx *sql.Tx) error {
			var n int // sees what those before it wrote, and nothing of what went wrong
			err := tx.QueryRowContext(ctx, `SELECT count(*) FROM n`).Scan(&n)
			if n != 1 {
				t.Errorf("it sees %d rows", n)
			}
			return err
		},
		func(ctx context.Context, tx *sql.Tx) error {
			_ = insert(&runs[5], 5)(ctx, tx)
			runtime.Goexit()
			return nil
		},
		func(ctx context.Context, tx *sql.Tx) error { shared[1] = tx; return insert(&runs[6], 6)(ctx, tx) },
	)
	if got := numbers(t, db); got != "0 6" {
		t.Errorf("rows %s", got)
	}
	if shared[0] != shared[1] {
		t.Error("two transactions")
	}
	for i, want := range []string{"", "fault", "panic: at the disco", "UNIQUE", "", "", ""} {
		if got := fmt.Sprint(errs[i]); want == "" && errs[i] != nil || !strings.Contains(got, want) {
			t.Errorf("%d: %s, want %q", i, got, want)
		}
	}
	for i, n := range runs {
		if n > 1 {
			t.Errorf("%d was run %d times", i, n)
		}
	}
}

// An error that undoes the whole transaction, or its commit, costs the others nothing but that they are run again.
func TestOthersAreRunAgain(t *testing.T) {
	for name, culprit := range map[string]func(context.Context, *sql.Tx) error{
		"undone": func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, `INSERT OR ROLLBACK INTO n VALUES (0)`)
			return err
		},
		"undone and kept quiet": func(ctx context.Context, tx *sql.Tx) error {
			_, _ = tx.ExecContext(ctx, `INSERT OR ROLLBACK INTO n VALUES (0)`)
			return nil
		},
		"the commit fails": func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, `INSERT INTO child VALUES (99)`)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t)
			run(t, db, `CREATE TABLE n (i BIGINT PRIMARY KEY)`, `CREATE TABLE child (i BIGINT REFERENCES n (i) DEFERRABLE INITIALLY DEFERRED)`, `INSERT INTO n VALUES (0)`)
			var first, last int
			errs := together(t, db, insert(&first, 1), culprit, insert(&last, 2))
			if errs[0] != nil || errs[1] == nil || errs[2] != nil {
				t.Errorf("%v", errs)
			}
			if got := numbers(t, db); got != "0 1 2" {
				t.Errorf("rows %s", got)
			}
			if first != 2 {
				t.Errorf("the first was run %d times", first)
			}
		})
	}
}

// A statement that is interrupted in the middle harms its own write alone.
func TestInterruptedStatement(t *testing.T) {
	db := open(t)
	run(t, db, `CREATE TABLE n (i BIGINT PRIMARY KEY)`)
	var first, last int
	errs := together(t, db, insert(&first, -1), func(_ context.Context, tx *sql.Tx) error {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		_, err := tx.ExecContext(ctx, `WITH RECURSIVE c (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < 1000000000) INSERT INTO n SELECT i FROM c`)
		return err
	}, insert(&last, -2))
	if errs[0] != nil || !errors.Is(errs[1], context.DeadlineExceeded) || errs[2] != nil {
		t.Errorf("%v", errs)
	}
	if got := numbers(t, db); got != "-2 -1" {
		t.Errorf("rows %.100s", got)
	}
}

// Who does not wait any longer leaves at once, and nothing is done for them; the others get what they waited for.
func TestLeavingTheQueue(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	db, other := at(t, path), at(t, path)
	run(t, db, `CREATE TABLE n (i BIGINT PRIMARY KEY)`)
	hold, err := other.BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	impatient, leave := context.WithCancelCause(context.Background())
	var runs [8]int
	var wg sync.WaitGroup
	left := make(chan error, 4)
	for i := range runs {
		wg.Go(func() {
			if i%2 == 0 {
				left <- db.Tx(impatient, func(tx *sql.Tx) error { return insert(&runs[i], i)(context.Background(), tx) })
			} else if err := db.Tx(context.Background(), func(tx *sql.Tx) error { return insert(&runs[i], i)(context.Background(), tx) }); err != nil {
				t.Error(err)
			}
		})
	}
	leave(errUnwound)
	for range 4 {
		if err := <-left; !errors.Is(err, errUnwound) { // while the lock is held
			t.Errorf("left with %v", err)
		}
	}
	if err := hold.Rollback(); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if got := numbers(t, db); got != "1 3 5 7" {
		t.Errorf("rows %s", got)
	}
}

// What Tx has acknowledged another connection sees, whatever else is going on.
func TestAcknowledgedIsCommitted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	db, other := at(t, path), at(t, path)
	run(t, db, `CREATE TABLE n (i BIGINT PRIMARY KEY)`)
	var wg sync.WaitGroup
	for w := range 20 {
		wg.Go(func() {
			for i := range 10 {
				ctx, cancel := context.WithCancel(context.Background())
				k := 1 + w*10 + i
				err := db.Tx(ctx, func(tx *sql.Tx) error {
					if k%7 == 0 {
						cancel() // its own statement fails; or, if it was quick, it does not
					}
					_, err := tx.ExecContext(ctx, `INSERT INTO n VALUES ($1)`, k)
					return err
				})
				cancel()
				var n int
				if err := other.QueryRow(`SELECT count(*) FROM n WHERE i = $1`, k).Scan(&n); err != nil {
					t.Error(err)
				}
				if (err == nil) != (n == 1) || err != nil && k%7 != 0 {
					t.Errorf("%d: %d rows, %v", k, n, err)
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkTx is a small write, of one who writes and of many at once.
func BenchmarkTx(b *testing.B) {
	for _, writers := range []int{1, 100} {
		b.Run(fmt.Sprint(writers), func(b *testing.B) {
			db, err := Open(b.Context(), filepath.Join(b.TempDir(), "x.db"))
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			if _, err := db.Exec(`CREATE TABLE n (i BIGINT NOT NULL)`); err != nil {
				b.Fatal(err)
			}
			b.SetParallelism(max(1, writers/runtime.GOMAXPROCS(0)))
			write := func() {
				if err := db.Tx(context.Background(), func(tx *sql.Tx) error {
					_, err := tx.Exec(`INSERT INTO n VALUES (1)`)
					return err
				}); err != nil {
					b.Error(err)
				}
			}
			if writers == 1 {
				for b.Loop() {
					write()
				}
				return
			}
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					write()
				}
			})
		})
	}
}
