// Package pgtest starts a PostgreSQL server of a test's own: a fresh cluster on a Unix socket, without syncs, gone when
// the test is.
package pgtest

import (
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver

	"ibid/internal/testset"
)

// A Server is a running cluster. Its superuser is ibid, who needs no password and whose addresses hold one all the same,
// Password; a role called locked, if a test makes one, needs its own.
type Server struct {
	dir     string
	bin     string
	stopped chan error // the server process's end
	process *os.Process
}

// Password must never be shown. It is easily mangled in a URL.
const Password = "canary-9c41/p%s#wörd?@"

// Find says where PostgreSQL's programs are: "" if they are not here.
func Find() string {
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path)
	}
	places, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // Debian keeps them off the path
	if err != nil || len(places) == 0 {
		return ""
	}
	return filepath.Dir(places[len(places)-1])
}

// Start starts a cluster that ends with the test. Where PostgreSQL is missing the test is skipped, in CI it fails.
func Start(t testing.TB) *Server {
	t.Helper()
	bin := Find()
	if bin == "" {
		testset.Lacks(t, "PostgreSQL", "apt-get install postgresql")
	}
	dir, err := os.MkdirTemp("", "ibid-pg-") // short: the path of a socket has 107 bytes at most
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &Server{dir: dir, bin: bin}
	if err := s.prepare(); err != nil {
		t.Fatal(err)
	}
	s.Up(t)
	t.Cleanup(func() { s.Down(t, syscall.SIGQUIT) })
	return s
}

// prepare makes the cluster's files. The server refuses to run as root: root becomes somebody else.
func (s *Server) prepare() error {
	attributes, err := somebody()
	if err != nil {
		return err
	}
	if c := attributes.Credential; c != nil {
		if err := os.Chown(s.dir, int(c.Uid), int(c.Gid)); err != nil {
			return err
		}
	}
	cmd := exec.Command(filepath.Join(s.bin, "initdb"), "-D", s.data(), "-U", "ibid", "--no-sync", "-E", "UTF8", "--auth=trust")
	cmd.SysProcAttr, cmd.Dir = attributes, s.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return os.WriteFile(filepath.Join(s.data(), "pg_hba.conf"), []byte("local all locked scram-sha-256\nlocal all all trust\n"), 0o644)
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// somebody are the attributes of a process that is not root.
func somebody() (*syscall.SysProcAttr, error) {
	attributes := &syscall.SysProcAttr{}
	tie(attributes)
	if os.Getuid() != 0 {
		return attributes, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		if u, err = user.Lookup("nobody"); err != nil {
			return nil, err
		}
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return nil, err
	}
	attributes.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return attributes, nil
}

// Up starts the server and waits until it answers.
func (s *Server) Up(t testing.TB) {
	t.Helper()
	attributes, err := somebody()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(s.bin, "postgres"), "-D", s.data(), "-k", s.dir, "-c", "listen_addresses=", "-c", "fsync=off",
		"-c", "full_page_writes=off", "-c", "shared_buffers=32MB", "-c", "max_connections=300", "-c", "max_wal_size=256MB", "-c", "autovacuum=off", "-c", "deadlock_timeout=50ms")
	var said strings.Builder
	cmd.SysProcAttr, cmd.Dir, cmd.Stderr = attributes, s.dir, &said
	started := make(chan error)
	s.stopped = make(chan error, 1)
	go func() {
		runtime.LockOSThread() // the server ends with the thread that started it
		err := cmd.Start()
		started <- err
		if err == nil {
			s.stopped <- cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	s.process = cmd.Process
	deadline := time.Now().Add(30 * time.Second)
	for {
		err := s.Exec("SELECT 1")
		if err == nil {
			return
		}
		select {
		case end := <-s.stopped:
			t.Fatalf("PostgreSQL does not start: %v\n%s", end, said.String())
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatalf("PostgreSQL does not answer: %v", err)
		}
	}
}

// Down ends the server: SIGINT as an administrator does, SIGQUIT as a crash.
func (s *Server) Down(t testing.TB, how syscall.Signal) {
	t.Helper()
	if s.process == nil {
		return
	}
	if err := s.process.Signal(how); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Error(err)
	}
	<-s.stopped
	s.process = nil
}

// URL is the address of the server's database, with a setting more than those that find it.
func (s *Server) URL(settings ...string) string {
	return s.As(url.UserPassword("ibid", Password), "postgres", settings...)
}

// As is the address of a database for somebody.
func (s *Server) As(who *url.Userinfo, database string, settings ...string) string {
	q := url.Values{"host": {s.dir}}
	for _, kv := range settings {
		name, value, _ := strings.Cut(kv, "=")
		q.Set(name, value)
	}
	return (&url.URL{Scheme: "postgres", User: who, Path: "/" + database, RawQuery: strings.ReplaceAll(q.Encode(), "+", "%20")}).String()
}

// Socket is the Unix socket that the server listens on.
func (s *Server) Socket() string { return filepath.Join(s.dir, ".s.PGSQL.5432") }

// Schema makes an empty schema of its own, and returns an address at which its tables are.
func (s *Server) Schema(t testing.TB, settings ...string) string {
	t.Helper()
	return s.URL(slices.Concat(settings, []string{"search_path=" + schema(t, s.URL())})...)
}

// Schema is the same for a server at an address, which a test may hand on by the environment.
func Schema(t testing.TB, address string) string {
	t.Helper()
	return address + "&search_path=" + schema(t, address)
}

func schema(t testing.TB, address string) string {
	t.Helper()
	name := "s" + strings.ToLower(rand.Text())
	if err := do(address, "CREATE SCHEMA "+name); err != nil {
		t.Fatal(err)
	}
	return name
}

// Exec runs statements as the superuser.
func (s *Server) Exec(query string) error { return do(s.URL(), query) }

func do(address, query string) error {
	db, err := sql.Open("pgx", address)
	if err != nil {
		return err
	}
	_, err = db.Exec(query)
	return errors.Join(err, db.Close())
}
