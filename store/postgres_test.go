package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"ibid/internal/pgtest"
)

// postgresOnly is what only a server can do to a program.
func postgresOnly(t *testing.T, s *pgtest.Server) {
	t.Run("set up", func(t *testing.T) { setUp(t, s) })
	t.Run("refused", func(t *testing.T) { refused(t, s) })
	t.Run("the answer to a commit is lost", func(t *testing.T) { lostAnswer(t, s) })
	t.Run("stopped and started", func(t *testing.T) { restarted(t, s) })
}

// Bodies are stored as they are, a commit waits for the disk, and a server's own habits change nothing.
func setUp(t *testing.T, s *pgtest.Server) {
	address := s.Schema(t, "default_transaction_isolation=serializable", "options=-c synchronous_commit=off")
	db := at(t, address)
	for name, want := range map[string]string{"synchronous_commit": "on", "lock_timeout": "10s", "idle_in_transaction_session_timeout": "10s"} {
		var got string
		if err := db.QueryRow(`SHOW ` + name).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %q, want %q; %v", name, got, want, err)
		}
	}
	err := db.Tx(context.Background(), func(tx *sql.Tx) error {
		var level string
		err := tx.QueryRow(`SHOW transaction_isolation`).Scan(&level)
		if level != "read committed" {
			t.Errorf("a transaction is %s", level)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	for _, column := range []string{"event.request", "event.outcome", "blob.data", "embedding.vector"} {
		table, name, _ := strings.Cut(column, ".")
		var storage string
		if err := db.QueryRow(`SELECT attstorage FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = $2`, table, name).Scan(&storage); err != nil || storage != "e" {
			t.Errorf("%s is stored as %q, want external; %v", column, storage, err)
		}
	}
	if n := count(t, db, `SELECT count(*) FROM information_schema.columns WHERE table_schema = current_schema() AND data_type = 'text' AND COALESCE(collation_name, '') <> 'C'`); n != 0 {
		t.Errorf("%d columns are in the order of the server's language", n)
	}
	db.clock.mu.Lock()
	db.clock.there = db.clock.there.Add(5 * time.Minute) // as on a machine whose clock is wrong, or a server's that was
	db.clock.mu.Unlock()
	if gap := time.Until(db.Now()); gap < 4*time.Minute {
		t.Errorf("the time is not the server's: %s", gap)
	}
	if err := db.Sync(context.Background()); err != nil {
		t.Error(err)
	}
	if gap := time.Until(db.Now()); gap.Abs() > 30*time.Second {
		t.Errorf("the time is %s off after it was asked for", gap)
	}
	where := db.Path
	if strings.Contains(where, "canary") || !strings.HasPrefix(where, "postgres://ibid@/") || Redact(address) != where || Password(address) != pgtest.Password {
		t.Errorf("it is at %s; %s", where, Redact(address))
	}
}

// Whatever is wrong is said, with what to do, and without the password.
func refused(t *testing.T, s *pgtest.Server) {
	for _, query := range []string{`CREATE ROLE locked LOGIN PASSWORD 'another'`, `CREATE ROLE guest LOGIN`, `CREATE SCHEMA theirs`, `GRANT USAGE ON SCHEMA theirs TO guest`} {
		if err := s.Exec(query); err != nil {
			t.Fatal(err)
		}
	}
	who := func(name string) *url.Userinfo { return url.UserPassword(name, pgtest.Password) }
	raw := "canary-9c41/p%s#word?@"
	for name, c := range map[string]struct{ address, want string }{
		"a wrong password":        {s.As(who("locked"), "postgres"), "refuses this user or password"},
		"nobody it knows":         {s.As(who("stranger"), "postgres"), "refuses this user or password"},
		"no such database":        {s.As(who("ibid"), "missing"), "createdb"},
		"no such schema":          {s.URL("search_path=missing"), "search_path"},
		"no right to make tables": {s.As(who("guest"), "postgres", "search_path=theirs"), "may not make tables"},
		"a standby":               {s.Schema(t, "default_transaction_read_only=on"), "may not be written"},
		"no server":               {"postgres://ibid:" + url.QueryEscape(pgtest.Password) + "@127.0.0.1:1/ibid?connect_timeout=5", "cannot be reached"},
		"no socket":               {"postgres://ibid:" + url.QueryEscape(pgtest.Password) + "@/ibid?host=" + t.TempDir(), "cannot be reached"},
		"a setting that is none":  {"postgres://ibid:" + url.QueryEscape(pgtest.Password) + "@127.0.0.1:1/ibid?sslmode=sometimes", "sslmode is invalid"},
		"a bad number":            {s.URL("pool_max_conns=many"), `parsing "many"`},
		"a raw password":          {"postgres://ibid:" + raw + "@127.0.0.1:1/ibid", ""},
		"a raw password, no host": {"postgres://ibid:" + raw, ""},
		"two passwords":           {"postgres://ibid:a@127.0.0.1:port/ibid?password=canary-9c41", "address of the database"},
		"another kind":            {"mysql://ibid:canary-9c41@127.0.0.1/ibid", "mysql:// is no database"},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			db, err := Open(context.Background(), c.address)
			if err == nil {
				db.Close()
				t.Fatal("it was opened")
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v; want %q", err, c.want)
			}
			for _, secret := range []string{"canary", "9c41", "rd?@", "rd%3F", "p%s", "p%25s"} {
				if strings.Contains(err.Error(), secret) || strings.Contains(fmt.Sprintf("%+v", err), secret) || strings.Contains(Redact(c.address), secret) && IsPostgres(c.address) {
					t.Errorf("%q is told: %v; %s", secret, err, Redact(c.address))
				}
			}
			if took := time.Since(began); took > 8*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// proxy stands between a program and the server. When armed, it passes the next commit on and takes the connection away
// instead of the answer, or, cut, before it passes the commit on.
type proxy struct {
	listener   net.Listener
	to         string
	armed, cut atomic.Bool
	taken      atomic.Int32
	wg         sync.WaitGroup
}

func newProxy(t *testing.T, to string) (p *proxy, dir string) {
	dir, err := os.MkdirTemp("", "ibid-px-")
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	p = &proxy{listener: l, to: to}
	p.wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.wg.Go(func() { p.serve(c) })
		}
	})
	t.Cleanup(func() { l.Close(); p.wg.Wait(); os.RemoveAll(dir) })
	return p, dir
}

func (p *proxy) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("unix", p.to)
	if err != nil {
		return
	}
	defer server.Close()
	var swallow atomic.Bool
	p.wg.Go(func() {
		defer client.Close()
		b := make([]byte, 64<<10)
		for {
			n, err := server.Read(b)
			if err != nil || swallow.Load() {
				return
			}
			if _, err := client.Write(b[:n]); err != nil {
				return
			}
		}
	})
	b := make([]byte, 64<<10)
	for {
		n, err := client.Read(b)
		if err != nil {
			return
		}
		if bytes.Contains(b[:n], []byte("commit")) && p.armed.CompareAndSwap(true, false) {
			p.taken.Add(1)
			if p.cut.Load() {
				return
			}
			swallow.Store(true)
		}
		if _, err := server.Write(b[:n]); err != nil {
			return
		}
	}
}

// A commit whose answer is lost has happened, or is tried again: never neither, never twice.
func lostAnswer(t *testing.T, s *pgtest.Server) {
	p, dir := newProxy(t, s.Socket())
	ctx := context.Background()
	db := at(t, s.Schema(t, "host="+dir))
	run(t, db, `CREATE TABLE n (i BIGINT NOT NULL)`, `INSERT INTO n VALUES (0)`)
	want := 0
	for round := range 12 {
		p.cut.Store(round%2 == 1)
		p.armed.Store(true)
		err := db.Tx(ctx, func(tx *sql.Tx) error {
			_, err := tx.Exec(`UPDATE n SET i = i + 1`)
			return err
		})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		want++
		if got := count(t, db, `SELECT i FROM n`); got != want {
			t.Fatalf("round %d: %d, want %d", round, got, want)
		}
	}
	if n := p.taken.Load(); n != 12 {
		t.Errorf("%d connections were taken away", n)
	}
}

// Transactions outlive a server that crashes and comes back: each is there once.
func restarted(t *testing.T, s *pgtest.Server) {
	ctx := context.Background()
	db := at(t, s.Schema(t))
	run(t, db, `CREATE TABLE n (w BIGINT PRIMARY KEY, i BIGINT NOT NULL)`, `INSERT INTO n VALUES (0, 0), (1, 0), (2, 0)`)
	var wg sync.WaitGroup
	over := make(chan struct{})
	var done [3]int
	for w := range done {
		wg.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				err := db.Tx(ctx, func(tx *sql.Tx) error {
					_, err := tx.Exec(`UPDATE n SET i = i + 1 WHERE w = $1`, w)
					return err
				})
				if err != nil {
					t.Errorf("writer %d: %v", w, err)
					return
				}
				done[w]++
			}
		})
	}
	for _, how := range []syscall.Signal{syscall.SIGQUIT, syscall.SIGINT} {
		time.Sleep(50 * time.Millisecond) // let them write
		s.Down(t, how)
		s.Up(t)
	}
	time.Sleep(50 * time.Millisecond)
	close(over)
	wg.Wait()
	for w, n := range done {
		if got := count(t, db, `SELECT i FROM n WHERE w = $1`, w); got != n || n == 0 {
			t.Errorf("writer %d: %d are there of %d", w, got, n)
		}
	}
	s.Down(t, syscall.SIGINT)
	ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	err := db.Tx(ctx, func(*sql.Tx) error { return nil })
	s.Up(t)
	if err == nil || !errors.Is(err, context.DeadlineExceeded) && !strings.Contains(err.Error(), "cannot be reached") {
		t.Errorf("without a server: %v", err)
	}
}
