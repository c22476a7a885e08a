package hooks

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ibid/fetch"
	"ibid/internal/pgtest"
	"ibid/journal"
	"ibid/runs"
	"ibid/store"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener"))
}

// What holds over SQLite holds over PostgreSQL.
func TestPostgres(t *testing.T) {
	t.Setenv("HOOKS_TEST_POSTGRES", pgtest.Start(t).URL())
	for name, f := range map[string]func(*testing.T){"told": TestUsersAreTold, "again": TestTriedForADay, "many processes": TestManyProcessesTellOnce, "rotation": TestRotation, "dead addresses": TestDeadAddressesDelayNobodyElse,
		"late attempts": TestLateAttemptsWriteNothing} {
		t.Run(name, f)
	}
}

// A bench is a database with runs, a clock, and a server of a user's that is told.
type bench struct {
	*Hooks
	path    string
	journal *journal.Journal
	ear     *httptest.Server

	mu     sync.Mutex
	at     time.Time
	heard  []told
	answer func(n int, w http.ResponseWriter) // nil: 204
}

type told struct {
	header http.Header
	body   []byte
}

func open(t testing.TB) *bench {
	t.Helper()
	b := &bench{path: filepath.Join(t.TempDir(), "ibid.db"), at: time.Now()}
	if server := os.Getenv("HOOKS_TEST_POSTGRES"); server != "" {
		b.path = pgtest.Schema(t, server)
	}
	db, err := store.Open(context.Background(), b.path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	now := func() time.Time { b.mu.Lock(); defer b.mu.Unlock(); return b.at }
	b.ear = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost {
			t.Error(r.Method, err)
		}
		b.mu.Lock()
		b.heard = append(b.heard, told{r.Header, body})
		n, answer := len(b.heard), b.answer
		b.mu.Unlock()
		if answer == nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		answer(n, w)
	}))
	t.Cleanup(b.ear.Close)
	b.journal = journal.Open(db, journal.Options{Now: now})
	port, err := strconv.Atoi(b.ear.URL[strings.LastIndexByte(b.ear.URL, ':')+1:])
	if err != nil {
		t.Fatal(err)
	}
	b.Hooks = &Hooks{DB: db, Now: now, Client: fetch.NewClient(fetch.ClientConfig{AllowAddresses: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, AllowPorts: []int{port}})}
	return b
}

func (b *bench) pass(d time.Duration) {
	b.mu.Lock()
	b.at = b.at.Add(d)
	b.mu.Unlock()
}

func (b *bench) all() []told {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]told(nil), b.heard...)
}

// run makes a run that stands so.
func (b *bench) run(t testing.TB, user string, state journal.State) string {
	t.Helper()
	ctx := context.Background()
	id, err := b.journal.Create(ctx, journal.Spec{Question: "why?", User: user})
	if err != nil {
		t.Fatal(err)
	}
	if state == journal.StateQueued {
		return id
	}
	r, err := b.journal.Claim(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Finish(ctx, state, string(state)); err != nil {
		t.Fatal(err)
	}
	return id
}

// tell derives and delivers.
func (b *bench) tell(t testing.TB) int {
	t.Helper()
	if err := b.Derive(context.Background(), time.UnixMilli(0)); err != nil {
		t.Fatal(err)
	}
	n, err := b.Deliver(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// signed says whether a delivery has a signature by a secret, as anybody checks it who reads the standard.
func (d told) signed(secret string) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", d.header.Get("webhook-id"), d.header.Get("webhook-timestamp"), d.body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for s := range strings.FieldsSeq(d.header.Get("webhook-signature")) {
		if s == want {
			return true
		}
	}
	return false
}

// Whoever wants to be told of a kind of event is told of each once, of their own runs alone, and of none that was before.
func TestUsersAreTold(t *testing.T) {
	b, ctx := open(t), context.Background()
	b.run(t, "ada", journal.StateDone) // before
	b.pass(time.Second)
	_, secret, err := b.Create(ctx, "ada", b.ear.URL+"/told", []string{Done, Failed, Parked})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{b.run(t, "ada", journal.StateDone): Done, b.run(t, "ada", journal.StatePartial): Done, b.run(t, "ada", journal.StateFailed): Failed, b.run(t, "ada", journal.StateParked): Parked}
	b.run(t, "bob", journal.StateDone)
	b.run(t, "ada", journal.StateCancelled) // not asked for
	b.run(t, "ada", journal.StateQueued)
	if n := b.tell(t); n != 4 {
		t.Errorf("%d attempts", n)
	}
	b.pass(time.Hour)
	if n := b.tell(t); n != 0 {
		t.Errorf("%d are told again", n)
	}
	ids := map[string]bool{}
	for _, d := range b.all() {
		var m message
		if err := json.Unmarshal(d.body, &m); err != nil {
			t.Fatal(err)
		}
		if want[m.Data.Run] != m.Type || m.Type == "" || !d.signed(secret) || ids[d.header.Get("webhook-id")] || strings.Contains(string(d.body), "why?") {
			t.Errorf("%s %v", d.body, d.header)
		}
		ids[d.header.Get("webhook-id")] = true
		delete(want, m.Data.Run)
	}
	if len(want) > 0 {
		t.Errorf("not told: %v", want)
	}
	// One that parks, goes on and parks again is told twice.
	id := b.run(t, "ada", journal.StateParked)
	b.tell(t)
	r, err := b.journal.Claim(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Finish(ctx, journal.StateParked, "parked"); err != nil {
		t.Fatal(err)
	}
	b.tell(t)
	if n := len(b.all()); n != 6 {
		t.Errorf("%d were told", n)
	}
}

// What is not heard is told again, for a day, later and later; Retry-After is kept; then the webhook is disabled. Changing it
// tells what waits.
func TestTriedForADay(t *testing.T) {
	b, ctx := open(t), context.Background()
	w, _, err := b.Create(ctx, "ada", b.ear.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	b.answer = func(n int, w http.ResponseWriter) {
		if n == 2 {
			w.Header().Set("Retry-After", "7200")
		}
		if n == 4 {
			w.Header().Set("Location", "http://169.254.169.254/")
			w.WriteHeader(http.StatusFound)
			return
		}
		w.WriteHeader(http.StatusInternalServerError)
	}
	b.run(t, "ada", journal.StateDone)
	b.tell(t)
	began, last := b.at, b.at
	var waited []time.Duration
	for len(b.all()) <= len(pauses) {
		list, err := b.Deliveries(ctx, "ada", w.ID)
		if err != nil || len(list) != 1 || list[0].Attempts != len(b.all()) || list[0].Failure == "" || !list[0].Next.After(last) {
			t.Fatalf("%+v, %v", list, err)
		}
		waited = append(waited, list[0].Next.Sub(last))
		b.pass(list[0].Next.Sub(b.at) - time.Millisecond)
		if b.tell(t) != 0 {
			t.Error("told too early")
		}
		b.pass(2 * time.Millisecond)
		last = b.at
		if b.tell(t) != 1 {
			t.Fatal("not told when due")
		}
	}
	if day := b.at.Sub(began); day < 20*time.Hour || day > 32*time.Hour {
		t.Errorf("given up after %v", day)
	}
	if waited[1] < 2*time.Hour || waited[0] > 6*time.Second+time.Second {
		t.Errorf("waited %v", waited)
	}
	id := b.all()[0].header.Get("webhook-id")
	for _, d := range b.all() {
		if d.header.Get("webhook-id") != id {
			t.Error("another id at another attempt")
		}
	}
	if w, err = b.Get(ctx, "ada", w.ID); err != nil || w.Disabled.IsZero() || !strings.Contains(w.Why, "500") {
		t.Errorf("%+v, %v", w, err)
	}
	b.run(t, "ada", journal.StateDone)
	if b.tell(t) != 0 {
		t.Error("a disabled webhook is told")
	}
	b.answer = nil
	if w, err = b.Change(ctx, "ada", w.ID, b.ear.URL+"/new", nil); err != nil || !w.Disabled.IsZero() {
		t.Fatal(w, err)
	}
	if b.tell(t) != 1 {
		t.Error("what came while it was disabled is lost")
	}
	b.answer = func(_ int, w http.ResponseWriter) { w.WriteHeader(http.StatusGone) }
	b.run(t, "ada", journal.StateFailed)
	b.tell(t)
	if w, err = b.Get(ctx, "ada", w.ID); err != nil || w.Disabled.IsZero() {
		t.Errorf("one that is gone is told on: %+v, %v", w, err)
	}
}

// Many processes look at once: each event is derived once, and nobody sends what another is sending.
func TestManyProcessesTellOnce(t *testing.T) {
	b, ctx := open(t), context.Background()
	if _, _, err := b.Create(ctx, "ada", b.ear.URL, nil); err != nil {
		t.Fatal(err)
	}
	for range 12 {
		b.run(t, "ada", journal.StateDone)
	}
	var all sync.WaitGroup
	for range 4 {
		db, err := store.Open(ctx, b.path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		other := &Hooks{DB: db, Now: b.Now, Client: b.Client}
		all.Go(func() {
			for range 6 {
				if err := other.Derive(ctx, time.UnixMilli(0)); err != nil {
					t.Error(err)
				}
				if _, err := other.Deliver(ctx); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n := len(b.all()); n != 12 {
		t.Errorf("12 events were told %d times", n)
	}
}

// A secret that was replaced signs for a day beside the new one.
func TestRotation(t *testing.T) {
	b, ctx := open(t), context.Background()
	w, old, err := b.Create(ctx, "ada", b.ear.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := b.Rotate(ctx, "ada", w.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Try(ctx, "ada", w.ID); err != nil {
		t.Fatal(err)
	}
	b.tell(t)
	b.pass(overlap + time.Second)
	if _, err := b.Try(ctx, "ada", w.ID); err != nil {
		t.Fatal(err)
	}
	b.tell(t)
	all := b.all()
	if len(all) != 2 || !all[0].signed(old) || !all[0].signed(secret) || all[1].signed(old) || !all[1].signed(secret) {
		t.Errorf("%d were told, not signed as they should be", len(all))
	}
}

// A webhook is no way to this machine or its neighbours, and what is no address is refused when it is given.
func TestTargetsAreGuarded(t *testing.T) {
	b, ctx := open(t), context.Background()
	guard := fetch.NewClient(fetch.ClientConfig{})
	b.Client = guard
	for _, address := range []string{b.ear.URL, "http://169.254.169.254/latest/meta-data/", "http://[::1]:80/", "http://10.0.0.1/", "http://0.0.0.0/", "http://localhost/", "http://[::ffff:127.0.0.1]/"} {
		b.Refuses = guard.Refuses
		if _, _, err := b.Create(ctx, "ada", address, nil); runs.CodeOf(err) != runs.Invalid {
			t.Errorf("%s may be told: %v", address, err)
		}
		b.Refuses = nil // a name may lead elsewhere by then
		if _, _, err := b.Create(ctx, "ada", address, nil); err != nil {
			t.Fatal(err)
		}
	}
	b.run(t, "ada", journal.StateDone)
	if n := b.tell(t) + b.tell(t); n != 7 || len(b.all()) != 0 { // four of one user at once
		t.Errorf("%d attempts, %d were heard", n, len(b.all()))
	}
	for _, address := range []string{"", "halden.example", "ftp://halden.example/", "http://", "https://ada:pw@halden.example/", "https://halden.example/#x", "file:///etc/passwd", "https://halden.example/" + strings.Repeat("a", longest)} {
		if _, _, err := b.Create(ctx, "ada", address, nil); runs.CodeOf(err) != runs.Invalid {
			t.Errorf("%q: %v", address, err)
		}
	}
	for _, events := range [][]string{{"run.started"}, {Done, Done}, {""}} {
		if _, _, err := b.Create(ctx, "ada", "https://halden.example/", events); runs.CodeOf(err) != runs.Invalid {
			t.Errorf("%q: %v", events, err)
		}
	}
	for range most - 7 {
		if _, _, err := b.Create(ctx, "ada", "https://halden.example/", nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := b.Create(ctx, "ada", "https://halden.example/", nil); runs.CodeOf(err) != runs.Exhausted {
		t.Errorf("no limit: %v", err)
	}
}
