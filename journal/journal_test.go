package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ibid/budget"
	"ibid/internal/pgtest"
	"ibid/store"
)

func TestMain(m *testing.M) {
	if os.Getenv("JOURNAL_TEST_RUN") != "" {
		os.Exit(child())
	}
	if os.Getenv("JOURNAL_TEST_DELETE") != "" {
		os.Exit(deleter())
	}
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener"))
}

// address is the place of a new database: a file, or on the server of TestPostgres.
func address(t testing.TB) string {
	t.Helper()
	if server := os.Getenv("JOURNAL_TEST_POSTGRES"); server != "" {
		return pgtest.Schema(t, server)
	}
	return filepath.Join(t.TempDir(), "ibid.db")
}

// What holds over SQLite holds over PostgreSQL.
func TestPostgres(t *testing.T) {
	t.Setenv("JOURNAL_TEST_POSTGRES", pgtest.Start(t).URL())
	tests := []struct {
		name string
		f    func(*testing.T)
	}{
		// What many do at once: seven.
		{"concurrent effects", TestConcurrentEffects}, {"one of many", TestOneOfMany}, {"leases of many", TestLeasesOfMany}, {"turns", TestTurns},
		{"subscribe", TestSubscribeLosesNothing}, {"stop reaches the worker", TestStopReachesTheWorker}, {"heartbeat", TestHeartbeat},
		{"replay", TestReplayServesTheRecord}, {"divergences", TestDivergences}, {"resume", TestResumeAtEveryBoundary}, {"fencing", TestFencing},
		{"stop", TestStopAsked}, {"values", TestValuesReplayExactly},
		{"in spite of cancelling", TestDoneInSpiteOfCancelling}, {"repeated doubts", TestRepeatedDoubts}, {"states", TestStatesAreToldFromTheLease},
		{"pulse", TestPulse}, {"cancel", TestCancel},
		{"divergence ends the claim", TestDivergenceEndsTheClaim}, {"abort", TestAbortOvertakesStop}, {"crash at every commit", TestCrashAtEveryCommit},
		{"outcome tried again", TestOutcomeIsTriedAgain}, {"kill", TestKill}, {"gate asked once", TestGateIsAskedOnce}, {"gates", TestGates},
		{"export and import", TestExportImport}, {"import holds no lock", TestImportHoldsNoLock},
		{"fork", TestFork}, {"fork in order", TestForkServesRepeatedRequestsInOrder}, {"fork takes once", TestForkTakesEachOutcomeOnce},
		{"fork of a judged run", TestForkOfAJudgedRun}, {"fork keeps blobs", TestForkKeepsBlobs}, {"amend", TestAmend}, {"secrets", TestSecretsAreNeverRecorded},
		{"any text", TestAnyText}, {"between engines", TestJournalsTravel},
		{"pages of a list", TestListPages}, {"edited gate", TestEditedGate},
		{"lapsed lease", TestLapsedLeaseGivesItsPlaceUp}, {"terminal first", TestTerminalGoesFirst}, {"poison", TestPoison}, {"slow workers", TestSlowWorkersAreNoCrashes}, {"answered", TestAnsweredRunsGoOn},
		{"stop without a worker", TestStopNeedsNoWorker},
		{"delete", TestDelete}, {"delete refuses", TestDeleteRefuses}, {"cache of others", TestDeleteLeavesTheCacheOfOthers}, {"delete killed", TestDeleteKilled}, {"spent", TestSpentOutlivesRuns},
	}
	if testing.Short() {
		tests = tests[:7]
	}
	for _, test := range tests {
		t.Run(test.name, test.f)
	}
}

// bench is a journal on a real database, with a clock that the test moves.
type bench struct {
	*Journal
	path string
	mu   sync.Mutex
	at   time.Time
}

func (b *bench) advance(d time.Duration) {
	b.mu.Lock()
	b.at = b.at.Add(d)
	b.mu.Unlock()
}

func open(t testing.TB, o Options) *bench {
	t.Helper()
	b := &bench{path: address(t), at: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	db, err := store.Open(context.Background(), b.path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	o.Now = func() time.Time { b.mu.Lock(); defer b.mu.Unlock(); return b.at }
	b.Journal = Open(db, o)
	return b
}

func (b *bench) start(t testing.TB, s Spec) *Run {
	t.Helper()
	id, err := b.Create(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return b.claim(t, id)
}

func (b *bench) claim(t testing.TB, id string) *Run {
	t.Helper()
	r, err := b.Claim(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Abandon)
	return r
}

// program is a small deterministic run: models, searches, reads and notes over n steps. It counts what it performs.
type program struct {
	performed map[Key]int
	mu        sync.Mutex
	fail      func(Key) error // before the effect
	system    string
}

func (p *program) do(ctx context.Context, r *Run, ledger *budget.Ledger, key Key, kind, in string, cost Amount) (string, error) {
	hold, err := ledger.Reserve(cost)
	if err != nil {
		return "", err
	}
	d, err := Do(ctx, r, Effect{Key: key, Kind: kind, Hold: hold, Ledger: ledger}, map[string]string{"system": p.system, "ask": in},
		func(context.Context) (string, Amount, error) {
			p.mu.Lock()
			p.performed[key]++
			p.mu.Unlock()
			if p.fail != nil {
				if err := p.fail(key); err != nil {
					return "", cost, err
				}
			}
			return "answer to " + in, cost, nil
		})
	return d.Value, err
}

func (p *program) run(ctx context.Context, r *Run, steps int) (string, Amount, error) {
	if p.performed == nil {
		p.performed = map[Key]int{}
	}
	ledger := budget.NewLedger(budget.Limits{}, Amount{})
	said := ""
	for step := 1; step <= steps; step++ {
		a, err := p.do(ctx, r, ledger, Key(fmt.Sprintf("lead/%d/model", step)), "model", "step "+said, Amount{Steps: 1, Tokens: 10, MicroUSD: 5})
		var f *Failure
		if err != nil && !errors.As(err, &f) {
			return "", ledger.Spent(), err
		}
		b, err := p.do(ctx, r, ledger, Key(fmt.Sprintf("lead/%d/tool.0/search.0", step)), "search", fmt.Sprint("query ", step), Amount{Searches: 1})
		if err != nil && !errors.As(err, &f) {
			return "", ledger.Spent(), err
		}
		said = fmt.Sprint(step, len(a), len(b))
		if err := r.Note(Key(fmt.Sprintf("lead/%d/tool.0", step)), "tool", said); err != nil {
			return "", ledger.Spent(), err
		}
	}
	return said, ledger.Spent(), nil
}

func TestReplayServesTheRecord(t *testing.T) {
	b, ctx := open(t, Options{}), context.Background()
	r := b.start(t, Spec{Question: "q"})
	p := &program{}
	said, spent, err := p.run(ctx, r, 5)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Finish(ctx, StateDone, "done"); err != nil {
		t.Fatal(err)
	}
	again, err := b.OpenReplay(ctx, r.ID())
	if err != nil {
		t.Fatal(err)
	}
	q := &program{}
	said2, spent2, err := q.run(ctx, again, 5)
	if err != nil || said2 != said || spent2 != spent {
		t.Fatalf("replay: %q %+v %v; live %q %+v", said2, spent2, err, said, spent)
	}
	if len(q.performed) != 0 {
		t.Errorf("a replay performed %v", q.performed)
	}
	if err := again.Finish(ctx, "", ""); err != nil {
		t.Error(err)
	}
	totals, err := b.Totals(ctx, r.ID())
	if err != nil || totals.Tokens != spent.Tokens || totals.Searches != spent.Searches || totals.MicroUSD != spent.MicroUSD {
		t.Errorf("totals %+v, spent %+v, %v", totals, spent, err)
	}
}

// What differs is named, at the first event that does, with the place in the request.
func TestDivergences(t *testing.T) {
	b, ctx := open(t, Options{}), context.Background()
	r := b.start(t, Spec{})
	p := &program{system: "Be brief."}
	if _, _, err := p.run(ctx, r, 3); err != nil {
		t.Fatal(err)
	}
	if err := r.Finish(ctx, StateDone, "done"); err != nil {
		t.Fatal(err)
	}
	replay := func() *Run {
		r, err := b.OpenReplay(ctx, r.ID())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	var d *Divergence
	_, _, err := (&program{system: "Be brief, please."}).run(ctx, replay(), 3)
	if !errors.As(err, &d) || d.Key != "lead/1/model" || !strings.Contains(d.Reason, "/system") || !strings.Contains(d.Reason, "please") {
		t.Errorf("a changed prompt: %v", err)
	}
	if _, _, err := (&program{system: "Be brief."}).run(ctx, replay(), 4); !errors.As(err, &d) || d.Key != "lead/4/model" {
		t.Errorf("a fourth step: %v", err)
	}
	short := replay()
	if _, _, err := (&program{system: "Be brief."}).run(ctx, short, 2); err != nil {
		t.Fatal(err)
	}
	if err := short.Finish(ctx, "", ""); !errors.As(err, &d) || d.Key != "lead/3/model" {
		t.Errorf("a step less: %v", err)
	}
	noted := replay()
	if err := noted.Note("lead/1/tool.0", "tool", "other"); !errors.As(err, &d) {
		t.Errorf("another consequence: %v", err)
	}
	if _, _, err := (&program{system: "Be brief."}).run(ctx, noted, 1); !errors.As(err, &d) || noted.Err() == nil {
		t.Errorf("after a divergence the run went on: %v", err)
	}
}

// Wherever a run is interrupted, resuming performs no recorded effect again, ends in the same state, and what was in
// doubt is charged and told.
func TestResumeAtEveryBoundary(t *testing.T) {
	const steps = 4
	ctx := context.Background()
	whole := &program{}
	ref := open(t, Options{})
	want, _, err := whole.run(ctx, ref.start(t, Spec{}), steps)
	if err != nil {
		t.Fatal(err)
	}
	crash := errors.New("crash")
	for stop := range 2 * steps { // the n-th effect is begun and never ends
		b := open(t, Options{})
		r := b.start(t, Spec{})
		runCtx, cancel := context.WithCancel(ctx)
		n := 0
		p := &program{fail: func(Key) error {
			if n++; n == stop+1 {
				cancel()
				return crash
			}
			return nil
		}}
		if _, _, err := p.run(runCtx, r, steps); err == nil {
			t.Fatal("the crash was not felt")
		}
		r.Abandon()
		b.advance(time.Minute)
		p.fail = nil
		again := b.claim(t, r.ID())
		got, spent, err := p.run(ctx, again, steps)
		if err != nil || got != want {
			t.Fatalf("crash at effect %d: %q, %v; want %q", stop, got, err, want)
		}
		if err := again.Finish(ctx, StateDone, "done"); err != nil {
			t.Fatal(err)
		}
		twice := 0
		for _, n := range p.performed {
			if n > 1 {
				twice++
			}
		}
		if twice != 1 {
			t.Errorf("crash at effect %d: %d effects were performed twice; only the one in doubt may be", stop, twice)
		}
		doubts, err := b.Doubts(ctx, r.ID())
		if err != nil || len(doubts) != 1 {
			t.Errorf("crash at effect %d: doubts %v, %v", stop, doubts, err)
		}
		if sum := spent.Steps + spent.Searches; sum != 2*steps+1 {
			t.Errorf("crash at effect %d: %d charged for %d effects and one in doubt", stop, sum, 2*steps)
		}
		totals, err := b.Totals(ctx, r.ID())
		if err != nil || totals.Steps != spent.Steps || totals.Searches != spent.Searches {
			t.Errorf("totals %+v, ledger %+v, %v", totals, spent, err)
		}
	}
}

// A worker that lost its lease cannot write, and notices.
func TestFencing(t *testing.T) {
	b, ctx := open(t, Options{Owner: "other-host/1/a"}), context.Background()
	old := b.start(t, Spec{})
	var busy *Busy
	if _, err := b.Claim(ctx, old.ID()); !errors.As(err, &busy) {
		t.Fatalf("a second claim while the lease lives: %v", err)
	}
	b.advance(time.Minute)
	b.claim(t, old.ID())
	_, _, err := (&program{}).run(ctx, old, 1)
	if !errors.Is(err, ErrFenced) {
		t.Errorf("a fenced worker wrote: %v", err)
	}
	c, cancel := old.Context(ctx)
	defer cancel()
	<-c.Done()
	if !errors.Is(context.Cause(c), ErrFenced) {
		t.Errorf("cause %v", context.Cause(c))
	}
	if err := old.Finish(ctx, StateDone, "done"); !errors.Is(err, ErrFenced) {
		t.Errorf("a fenced worker ended the run: %v", err)
	}
}

func free(t testing.TB) *budget.Hold {
	h, err := budget.NewLedger(budget.Limits{}, Amount{}).Reserve(Amount{Steps: 1})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestConcurrentEffects(t *testing.T) {
	b, ctx := open(t, Options{}), context.Background()
	r := b.start(t, Spec{})
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			d, err := Do(ctx, r, Effect{Key: Key(fmt.Sprintf("lead/1/tool.%d/fetch.0", i)), Kind: "fetch", Hold: free(t)}, i, func(context.Context) (int, Amount, error) { return i * i, Amount{}, nil })
			if err != nil || d.Value != i*i {
				t.Errorf("effect %d: %d, %v", i, d.Value, err)
			}
		}()
	}
	wg.Wait()
	if err := r.Finish(ctx, StateDone, "done"); err != nil {
		t.Fatal(err)
	}
	if events, err := b.Events(ctx, r.ID(), 0, 100); err != nil || len(events) != 20 || events[19].Seq != 20 {
		t.Errorf("%d events, %v", len(events), err)
	}
}

// Stopping early is recorded where it took effect, and a replay stops there too.
func TestStopAsked(t *testing.T) {
	b, ctx := open(t, Options{}), context.Background()
	r := b.start(t, Spec{})
	if yes, err := r.StopAsked(ctx, "lead/1/stop"); yes || err != nil {
		t.Fatal(yes, err)
	}
	r.AskStop()
	if yes, err := r.StopAsked(ctx, "lead/2/stop"); !yes || err != nil {
		t.Fatal(yes, err)
	}
	again, err := b.OpenReplay(ctx, r.ID())
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[Key]bool{"lead/1/stop": false, "lead/2/stop": true, "lead/3/stop": false} {
		if yes, err := again.StopAsked(ctx, key); yes != want || err != nil {
			t.Errorf("%s: %v, %v", key, yes, err)
		}
	}
}
