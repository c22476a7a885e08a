package runs

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ibid/budget"
	"ibid/corpus"
	"ibid/extract"
	"ibid/gate"
	"ibid/journal"
	"ibid/llm"
	"ibid/research"
	"ibid/runs/dispatch"
	"ibid/store"
)

// poolChild is a worker of the tests in a process of its own, told by the environment. It ends by SIGTERM, or is killed.
func poolChild() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	db, err := store.Open(ctx, os.Getenv("IBID_TEST_DB"))
	if err != nil {
		return err
	}
	defer db.Close()
	jobs, err := dispatch.Open(ctx, db, true)
	if err != nil {
		return err
	}
	lease, err := time.ParseDuration(os.Getenv("IBID_TEST_LEASE"))
	if err != nil {
		return err
	}
	workers, err := strconv.Atoi(os.Getenv("IBID_TEST_POOL"))
	if err != nil {
		return err
	}
	o := journal.Options{Lease: lease, Quota: journal.Quota{Working: fleetLimit}, Queued: jobs.Queued}
	if machine := os.Getenv("IBID_TEST_MACHINE"); machine != "" {
		o.Owner = fmt.Sprintf("%s/%d/x", machine, os.Getpid())
	}
	if skew := os.Getenv("IBID_TEST_SKEW"); skew != "" {
		by, err := time.ParseDuration(skew)
		if err != nil {
			return err
		}
		o.Now = func() time.Time { return db.Now().Add(by) }
	}
	j := journal.Open(db, o)
	pool := &Pool{Engine: fleetEngine(j, os.Getenv("IBID_TEST_WORLD")), Workers: workers, Look: jobs.Look(), Log: slog.New(slog.NewTextHandler(os.Stderr, nil))}
	var hearing sync.WaitGroup
	hearing.Go(func() {
		if err := jobs.Run(ctx); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	})
	fmt.Println("ready")
	err = pool.Run(ctx)
	hearing.Wait()
	return err
}

// fleetEngine asks the world for each run by its question.
func fleetEngine(j *journal.Journal, world string) *Engine {
	return &Engine{Journal: j, Build: func(_ context.Context, c research.Config, _ bool) (research.Parts, func() error, error) {
		w := remote{world: world, who: " " + c.Question}
		model := llm.Local{ID: "remote", Answer: w.answer}
		return research.Parts{Model: &model, Free: true, Search: w, Reader: &corpus.Reader{Fetcher: w, Extract: extract.Extract}, Approver: journal.Gates{Journal: j}}, func() error { return nil }, nil
	}}
}

const fleetLimit = 2 // runs of one user at work

// A fleet is some workers of one database, users who ask and answer, and the world, which counts.
type fleet struct {
	t       testing.TB
	path    string
	lease   time.Duration
	cluster bool // each worker is of a machine of its own
	pause   time.Duration
	world   *httptest.Server
	db      *store.DB
	j       *journal.Journal
	engine  *Engine

	mu        sync.Mutex
	performed map[string]int
	asked     map[string]int // gates by run
	most      int            // runs of one user at work at a time
	revived   map[string]int // runs that a worker parked, by the reason

	workers []*fleetWorker
	ids     []string
}

func newFleet(t testing.TB, path string, cluster bool) *fleet {
	t.Helper()
	f := &fleet{t: t, path: path, cluster: cluster, lease: 2 * time.Second, pause: 5 * time.Millisecond, performed: map[string]int{}, asked: map[string]int{}, revived: map[string]int{}}
	f.world = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		f.mu.Lock()
		f.performed[r.URL.Query().Get("what")+" "+string(body)]++
		f.mu.Unlock()
		select {
		case <-r.Context().Done():
		case <-time.After(f.pause):
		}
	}))
	t.Cleanup(f.world.Close)
	ctx := context.Background()
	var err error
	if f.db, err = store.Open(ctx, path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.db.Close() })
	jobs, err := dispatch.Open(ctx, f.db, false)
	if err != nil {
		t.Fatal(err)
	}
	f.j = journal.Open(f.db, journal.Options{Queued: jobs.Queued, Quota: journal.Quota{Working: fleetLimit}})
	f.engine = fleetEngine(f.j, f.world.URL)
	return f
}

// queue asks a question for a user: three agents, a plan that wants approval, and a page that does.
func (f *fleet) queue(user string) string {
	f.t.Helper()
	c, err := research.New(fmt.Sprintf("%s (%d)", threePlaces, len(f.ids)), budget.Deep)
	if err != nil {
		f.t.Fatal(err)
	}
	c.Limits, c.Approver = budget.Limits{Steps: 200}, "durable"
	c.Policy = gate.Policy{AskPlan: true, AllowedHosts: []string{"pages.example"}}
	id, err := f.engine.create(context.Background(), c, journal.Spec{User: user, Background: true})
	if err != nil {
		f.t.Fatal(err)
	}
	f.ids = append(f.ids, id)
	return id
}

// fleetWorker is a process that works.
type fleetWorker struct {
	cmd   *exec.Cmd
	said  bytes.Buffer
	ended chan error
}

func (f *fleet) start(environ ...string) *fleetWorker {
	f.t.Helper()
	w := &fleetWorker{cmd: program(), ended: make(chan error, 1)}
	w.cmd.Env = append(os.Environ(), "IBID_TEST_POOL=3", "IBID_TEST_DB="+f.path, "IBID_TEST_WORLD="+f.world.URL, "IBID_TEST_LEASE="+f.lease.String())
	if f.cluster {
		w.cmd.Env = append(w.cmd.Env, fmt.Sprintf("IBID_TEST_MACHINE=machine%d", rand.Int32()))
	}
	w.cmd.Env = append(w.cmd.Env, environ...)
	ready, err := w.cmd.StdoutPipe()
	if err != nil {
		f.t.Error(err)
	}
	w.cmd.Stderr = &w.said
	if err := w.cmd.Start(); err != nil {
		f.t.Error(err)
		w.ended <- err
		return w
	}
	if _, err := ready.Read(make([]byte, 5)); err != nil {
		f.t.Errorf("a worker did not begin: %v", err)
	}
	go func() { w.ended <- w.cmd.Wait() }()
	f.mu.Lock()
	f.workers = append(f.workers, w)
	f.mu.Unlock()
	f.t.Cleanup(func() { w.kill() })
	return w
}

func (w *fleetWorker) kill() {
	if w.cmd.Process != nil {
		w.cmd.Process.Kill()
	}
	w.wait()
}

func (w *fleetWorker) signal(s os.Signal) { w.cmd.Process.Signal(s) }

func (w *fleetWorker) wait() error {
	err := <-w.ended
	w.ended <- err
	return err
}

// attend answers questions, revives what was parked with a worker's end, and samples the limit, until ctx ends.
func (f *fleet) attend(ctx context.Context) {
	gates := journal.Gates{Journal: f.j}
	for tick := time.NewTicker(30 * time.Millisecond); ctx.Err() == nil; {
		list, err := f.j.Runs(ctx, 1000)
		if err == nil {
			f.sample(ctx, list)
		}
		waiting, _ := gates.List(ctx, "", false) // a server that is down has none
		for _, p := range waiting {
			if _, err := gates.Answer(ctx, p.ID, gate.Answer{Allow: true, By: "reader"}); err == nil {
				f.mu.Lock()
				f.asked[p.Request.Run]++
				f.mu.Unlock()
			}
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

func (f *fleet) sample(ctx context.Context, list []journal.Info) {
	working := map[string]int{}
	for _, i := range list {
		switch {
		case i.State == journal.StateWorking || i.State == journal.StateStopping:
			working[i.User]++
		case i.State == journal.StateParked && i.Stop != journal.StopGate:
			if err := f.j.Enqueue(ctx, i.ID); err == nil {
				f.mu.Lock()
				f.revived[i.Stop]++
				f.mu.Unlock()
			}
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, n := range working {
		f.most = max(f.most, n)
	}
}

// open counts the runs that are not over.
func (f *fleet) open() (n int) {
	f.t.Helper()
	list, err := f.j.Runs(context.Background(), 100_000)
	for try := 0; err != nil && try < 100; try++ { // a server that is down
		<-time.After(100 * time.Millisecond)
		list, err = f.j.Runs(context.Background(), 100_000)
	}
	if err != nil {
		f.t.Fatal(err)
	}
	for _, i := range list {
		if !i.State.Over() {
			n++
		}
	}
	return n
}

// finish waits until all runs are over.
func (f *fleet) finish(patience time.Duration) {
	f.t.Helper()
	for deadline := time.Now().Add(patience); f.open() > 0; <-time.After(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			list, _ := f.j.Runs(context.Background(), 1000)
			for _, i := range list {
				if !i.State.Over() {
					f.t.Logf("%s: %s (%s), epoch %d, lease %s until %s", i.ID, i.State, i.Stop, i.Epoch, i.LeaseOwner, i.LeaseUntil)
				}
			}
			for _, w := range f.workers[max(len(f.workers)-3, 0):] {
				f.t.Log(w.said.String())
			}
			f.t.Fatalf("%d runs have not ended", f.open())
		}
	}
}

// check holds all runs against the world's count and against the report of one that nothing disturbed. It returns how many
// effects were in doubt.
func (f *fleet) check(want string, withLimit bool) (doubted int64) {
	f.t.Helper()
	ctx := context.Background()
	for n, id := range f.ids {
		question := fmt.Sprintf(" %s (%d)", threePlaces, n)
		doubts := f.events(ctx, id, question)
		for _, d := range doubts {
			doubted += d
		}
		f.mu.Lock()
		for what, times := range f.performed {
			if strings.HasSuffix(what, question) && int64(times) > 1+doubts[what] {
				f.t.Errorf("%q was performed %d times, and %d of them were in doubt", what, times, doubts[what])
			}
		}
		if f.asked[id] != 2 {
			f.t.Errorf("run %s asked %d times, want 2", id, f.asked[id])
		}
		f.mu.Unlock()
		if agents, err := f.j.Count(ctx, id, "spawn"); err != nil || agents != 3 {
			f.t.Errorf("run %s has %d agents, want 3: %v", id, agents, err)
		}
		if got := f.report(id, question); got != want {
			f.t.Errorf("the report of %s differs:\n%s\n--- want\n%s", id, got, want)
			return doubted
		}
	}
	if withLimit && f.most > fleetLimit {
		f.t.Errorf("a user had %d runs at work, the limit is %d", f.most, fleetLimit)
	}
	return doubted
}

// events checks a run's record: no number is missing, no worker wrote after the next had begun, and what is on record
// happened. It returns what was in doubt, by the world's names.
func (f *fleet) events(ctx context.Context, id, question string) map[string]int64 {
	f.t.Helper()
	events, err := f.j.Events(ctx, id, 0, 10_000)
	if err != nil {
		f.t.Fatal(err)
	}
	doubts := map[string]int64{}
	var epoch int64
	for n, e := range events {
		if e.Seq != int64(n+1) {
			f.t.Fatalf("run %s: event %d after %d", id, e.Seq, n)
		}
		var wrote int64
		if err := f.db.QueryRowContext(ctx, `SELECT epoch FROM event WHERE run = $1 AND seq = $2`, id, e.Seq).Scan(&wrote); err != nil {
			f.t.Fatal(err)
		}
		if e.Doubts == 0 { // else another worker finished it
			if wrote < epoch {
				f.t.Errorf("run %s: event %d is of epoch %d, and epoch %d had begun", id, e.Seq, wrote, epoch)
			}
			epoch = wrote
		}
		if e.State == "intent" {
			f.t.Errorf("run %s ended, and event %d (%s) has no outcome", id, e.Seq, e.Key)
		}
		switch e.Kind {
		case "model", "search", "fetch":
		default:
			continue
		}
		if e.State == "note" {
			continue
		}
		request, err := f.j.Request(ctx, id, e.Seq)
		if err != nil {
			f.t.Fatal(err)
		}
		name := what(f.t, e.Kind, request) + question
		doubts[name] += e.Doubts
		f.mu.Lock()
		if f.performed[name] == 0 {
			f.t.Errorf("run %s: %s is on record and never happened", id, name)
		}
		f.mu.Unlock()
	}
	return doubts
}

// report makes a run's report again from its record, without what is its own.
func (f *fleet) report(id, question string) string {
	f.t.Helper()
	result, err := f.engine.Result(context.Background(), id)
	if err != nil {
		f.t.Fatal(err)
	}
	if !result.Verified {
		f.t.Errorf("run %s: its report is not verified", id)
	}
	return strings.ReplaceAll(withoutIDs(result.Markdown), strings.TrimSpace(question), "Q")
}

// undisturbed is the report of a first run.
func (f *fleet) undisturbed() string {
	f.t.Helper()
	id := f.queue("reader0")
	f.finish(time.Minute)
	want := f.report(id, fmt.Sprintf(" %s (0)", threePlaces))
	if n := strings.Count(want, "\n- **S"); n != 3*teamRounds+1 {
		f.t.Fatalf("the undisturbed report has %d sources:\n%s", n, want)
	}
	return want
}

// killsOf is how many workers a test kills: what the environment says, or in a short run a few.
func killsOf(most, few int) int {
	if n, err := strconv.Atoi(os.Getenv("IBID_KILLS")); err == nil {
		return n
	}
	if testing.Short() {
		return few
	}
	return most
}
