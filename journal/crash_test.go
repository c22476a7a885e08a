package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid/budget"
	"ibid/gate"
	"ibid/store"
)

// work is a run with all that can come between two commits: model calls, searches and reads side by side, raw bytes kept
// on the way, gates, notes and an end. perform is told of each effect that really happens.
func work(ctx context.Context, r *Run, steps int, perform func(Key) error) (Amount, error) {
	ledger := budget.NewLedger(budget.Limits{}, Amount{})
	effect := func(key Key, kind string, in any, cost *Amount, do func() (string, error)) (string, error) {
		e := Effect{Key: key, Kind: kind, Ledger: ledger}
		if cost != nil {
			hold, err := ledger.Reserve(*cost)
			if err != nil {
				return "", err
			}
			e.Hold = hold
		}
		d, err := Do(ctx, r, e, in, func(context.Context) (string, Amount, error) {
			if err := perform(key); err != nil {
				return "", Amount{}, err
			}
			out, err := do()
			if cost == nil || err != nil {
				return out, Amount{}, err
			}
			return out, *cost, nil
		})
		return d.Value, err
	}
	said := strings.Repeat("The question and what came before. ", 40)
	for step := range steps {
		at := func(what string) Key { return Key(fmt.Sprintf("lead/%d/%s", step+1, what)) }
		answer, err := effect(at("model"), "model", said, &Amount{Steps: 1, Tokens: 10, MicroUSD: 7}, func() (string, error) { return fmt.Sprint("search ", step), nil })
		if err != nil {
			return ledger.Spent(), err
		}
		if _, err := effect(at("tool.0/gate.0"), "gate", answer, nil, func() (string, error) { return "yes", nil }); err != nil {
			return ledger.Spent(), err
		}
		results := make([]string, 3)
		faults := make([]error, 3)
		var wg sync.WaitGroup
		for i := range results {
			wg.Add(1)
			go func() {
				defer wg.Done()
				results[i], faults[i] = effect(at(fmt.Sprintf("tool.%d/fetch.0", i)), "fetch", fmt.Sprint("page ", step, i), &Amount{Reads: 1}, func() (string, error) {
					if i == 2 {
						return "", errors.New("no answer")
					}
					return r.PutBlob(ctx, fmt.Append(nil, "raw page ", step, i))
				})
			}()
		}
		wg.Wait()
		for i, err := range faults {
			var f *Failure
			if err != nil && !errors.As(err, &f) {
				return ledger.Spent(), err
			}
			if err := r.Note(at(fmt.Sprintf("tool.%d", i)), "tool", results[i]+fmt.Sprint(f)); err != nil {
				return ledger.Spent(), err
			}
		}
		said += answer + strings.Join(results, " ")
	}
	return ledger.Spent(), r.Note("lead/report", "report", said)
}

// history is what a run's journal holds, without what may differ between two courses of it.
func history(t *testing.T, j *Journal, id string) (map[place]string, map[Key]int64) {
	t.Helper()
	ctx := context.Background()
	events, err := j.Events(ctx, id, 0, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	held, doubts := map[place]string{}, map[Key]int64{}
	for i, e := range events {
		if e.Seq != int64(i+1) {
			t.Fatalf("event %d has number %d", i+1, e.Seq)
		}
		request, err := j.Request(ctx, id, e.Seq)
		if err != nil {
			t.Fatal(err)
		}
		outcome, err := j.Outcome(ctx, id, e.Seq)
		if err != nil {
			t.Fatal(err)
		}
		held[place{e.Key, e.Kind}] = fmt.Sprintf("%s %q %q %q %+v", e.State, request, outcome, e.Failure, e.Spent)
		doubts[e.Key] = e.Doubts
		if e.Kind == "fetch" && e.State == done {
			var sha string
			if err := json.Unmarshal(outcome, &sha); err != nil {
				t.Fatal(err)
			}
			if _, err := j.Blob(ctx, sha); err != nil {
				t.Errorf("%s speaks of raw bytes that are not there: %v", e.Key, err)
			}
		}
	}
	return held, doubts
}

// The program's life ends before or after each commit in turn. Resumed, the journal holds what it holds of a run that
// nothing happened to; no recorded effect is performed twice; what may have happened twice is in doubt, and charged.
func TestCrashAtEveryCommit(t *testing.T) {
	const steps = 2
	ctx := context.Background()
	ref := open(t, Options{})
	r := ref.start(t, Spec{})
	commits := 0
	var mu sync.Mutex
	ref.failpoint = func(string) error { mu.Lock(); commits++; mu.Unlock(); return nil }
	if _, err := work(ctx, r, steps, func(Key) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if err := r.Finish(ctx, StateDone, "done"); err != nil {
		t.Fatal(err)
	}
	want, _ := history(t, ref.Journal, r.ID())
	if commits < 2*(steps*8+1) {
		t.Fatalf("only %d points", commits)
	}
	b := open(t, Options{})
	for at := range commits {
		crashAt(t, b, at, steps, want)
	}
	t.Logf("%d points", commits)
}

// crashAt lets the program die at one point, resumes it, and compares.
func crashAt(t *testing.T, b *bench, at, steps int, want map[place]string) {
	ctx, power := context.Background(), errors.New("power cut")
	b.pauses = nil
	var mu sync.Mutex
	performed := map[Key]int64{}
	perform := func(k Key) error { mu.Lock(); performed[k]++; mu.Unlock(); return nil }
	r := b.start(t, Spec{})
	n, point := 0, ""
	b.failpoint = func(p string) error {
		mu.Lock()
		defer mu.Unlock()
		if n++; n <= at {
			return nil
		}
		if point == "" {
			point = p
		}
		return power
	}
	_, err := work(ctx, r, steps, perform)
	if err == nil {
		err = r.Finish(ctx, StateDone, "done")
	}
	if !errors.Is(err, power) {
		t.Fatalf("point %d: the power cut was not felt: %v", at, err)
	}
	r.Abandon()
	b.failpoint = nil
	b.advance(time.Minute)
	again, err := b.Claim(ctx, r.ID())
	var over *Ended
	if errors.As(err, &over) && point == "after its end" {
		again, err = b.OpenReplay(ctx, r.ID())
	}
	if err != nil {
		t.Fatalf("%s: %v", point, err)
	}
	spent, err := work(ctx, again, steps, perform)
	if err == nil {
		err = again.Finish(ctx, StateDone, "done")
	}
	if err != nil {
		t.Fatalf("%s: resumed: %v", point, err)
	}
	got, doubts := history(t, b.Journal, r.ID())
	if len(got) != len(want) {
		t.Errorf("%s: %d events, want %d", point, len(got), len(want))
	}
	for where, held := range want {
		if got[where] != held {
			t.Errorf("%s: %s is %s, want %s", point, where.key, got[where], held)
		}
	}
	inDoubt := twice(t, point, performed, doubts)
	list, err := b.Doubts(ctx, r.ID())
	if err != nil || int64(len(list)) != inDoubt {
		t.Errorf("%s: doubts %v, %v; want %d", point, list, err, inDoubt)
	}
	// Two reads of three end well and cost what they reserved; the third fails and costs nothing.
	if extra := spent.Steps + spent.Reads - 3*int64(steps); extra != inDoubt {
		t.Errorf("%s: %+v spent, %d of it for %d in doubt", point, spent, extra, inDoubt)
	}
	totals, err := b.Totals(ctx, r.ID())
	totals.Millis, spent.Millis = 0, 0
	if err != nil || totals != spent {
		t.Errorf("%s: totals %+v, ledger %+v, %v", point, totals, spent, err)
	}
}

// twice fails the test if an effect was performed more often than its doubts explain. A gate has no intent: asking again
// costs nothing. It returns the number of doubts.
func twice(t *testing.T, point string, performed, doubts map[Key]int64) (sum int64) {
	t.Helper()
	for k, n := range performed {
		sum += doubts[k]
		if !strings.Contains(string(k), "gate") && n > 1+doubts[k] {
			t.Errorf("%s: %s was performed %d times and was in doubt %d times", point, k, n, doubts[k])
		}
	}
	return sum
}

// A full disk loses nothing that was paid for while it can still be stored, and says so when it cannot.
func TestOutcomeIsTriedAgain(t *testing.T) {
	b, ctx := open(t, Options{}), context.Background()
	b.pauses = []time.Duration{time.Millisecond, time.Millisecond}
	full := errors.New("disk full")
	for _, failures := range []int{0, 2, 3} {
		r := b.start(t, Spec{})
		n := 0
		b.failpoint = func(p string) error {
			if strings.HasPrefix(p, "before the outcome") {
				if n++; n <= failures {
					return full
				}
			}
			return nil
		}
		d, err := Do(ctx, r, Effect{Key: "lead/1/model", Kind: "model", Hold: free(t)}, "x", func(context.Context) (string, Amount, error) { return "paid", Amount{}, nil })
		var lost *Lost
		switch {
		case failures <= 2 && (err != nil || d.Value != "paid"):
			t.Errorf("%d failures: %+v, %v", failures, d, err)
		case failures > 2 && (!errors.As(err, &lost) || lost.Key != "lead/1/model" || !errors.Is(err, full)):
			t.Errorf("%d failures: %v", failures, err)
		}
		b.failpoint = nil
	}
}

// child works on a run and says what it performs in a file, until it is done or killed.
func child() int {
	ctx := context.Background()
	fail := func(err error) int { fmt.Fprintln(os.Stderr, err); return 1 }
	db, err := store.Open(ctx, os.Getenv("JOURNAL_TEST_DB"))
	if err != nil {
		return fail(err)
	}
	defer db.Close()
	r, err := Open(db, Options{}).Claim(ctx, os.Getenv("JOURNAL_TEST_RUN"))
	if err != nil {
		return fail(err)
	}
	log, err := os.OpenFile(os.Getenv("JOURNAL_TEST_LOG"), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return fail(err)
	}
	if _, err := work(ctx, r, 7, func(k Key) error { _, err := fmt.Fprintln(log, k); return err }); err != nil {
		return fail(err)
	}
	if err := r.Finish(ctx, StateDone, "done"); err != nil {
		return fail(err)
	}
	return 0
}

// A process that is killed at random moments, resumed each time by a new one, performs no recorded effect twice.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("kills many processes")
	}
	ctx := context.Background()
	b := open(t, Options{Owner: "elsewhere/1/x"})
	b.options.Now = time.Now // shared with the children
	var whole time.Duration
	var want map[place]string
	kills, effects, doubted := 0, 0, 0
	wanted := 20
	if store.IsPostgres(b.path) { // runs kills more there
		wanted = 6
	}
	for round := 0; kills < wanted; round++ {
		id, err := b.Create(ctx, Spec{})
		if err != nil {
			t.Fatal(err)
		}
		log := filepath.Join(t.TempDir(), "log")
		for {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "JOURNAL_TEST_DB="+b.path, "JOURNAL_TEST_RUN="+id, "JOURNAL_TEST_LOG="+log)
			var said strings.Builder
			cmd.Stderr = &said
			began := time.Now()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var killer *time.Timer
			if round > 0 {
				killer = time.AfterFunc(time.Duration(rand.Int64N(int64(whole))), func() { cmd.Process.Kill() })
			}
			err := cmd.Wait()
			if round == 0 {
				whole = time.Since(began)
			}
			if err == nil || killer != nil && strings.Contains(said.String(), "is over") { // killed after its last commit
				break
			}
			if cmd.ProcessState.Exited() {
				t.Fatalf("%v: %s", err, said.String())
			}
			kills++
		}
		got, doubts := history(t, b.Journal, id)
		if want == nil {
			want = got
		}
		for where, held := range want {
			if got[where] != held {
				t.Errorf("%s is %s, want %s", where.key, got[where], held)
			}
		}
		body, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		performed := map[Key]int64{}
		for k := range strings.Lines(string(body)) {
			performed[Key(strings.TrimSpace(k))]++
		}
		effects += len(performed)
		if len(performed) < 30 {
			t.Fatalf("%d effects", len(performed))
		}
		doubted += int(twice(t, "killed", performed, doubts))
	}
	t.Logf("%d kills, %d effects, %d in doubt", kills, effects, doubted)
}

// A gate whose decision was given is not asked for again after a crash between the decision and its record.
func TestGateIsAskedOnce(t *testing.T) {
	b, ctx := open(t, Options{}), context.Background()
	g := Gates{Journal: b.Journal}
	r := b.start(t, Spec{})
	decide := func(r *Run) (gate.Decision, error) {
		request := gate.Request{Run: r.ID(), Key: "lead/1/tool.0/gate.0", Tool: "read", Args: json.RawMessage(`{}`)}
		d, err := Do(ctx, r, Effect{Key: "lead/1/tool.0/gate.0", Kind: "gate"}, request, func(ctx context.Context) (gate.Decision, Amount, error) {
			d, err := g.Decide(ctx, request)
			return d, Amount{}, err
		})
		return d.Value, err
	}
	if _, err := decide(r); !errors.Is(err, gate.ErrPending) {
		t.Fatal(err)
	}
	if err := r.Finish(ctx, StateParked, "parked"); err != nil {
		t.Fatal(err)
	}
	waiting, err := g.List(ctx, "", false)
	if err != nil || len(waiting) != 1 {
		t.Fatal(waiting, err)
	}
	if _, err := g.Answer(ctx, waiting[0].ID, gate.Answer{Allow: true, By: "reader"}); err != nil {
		t.Fatal(err)
	}
	power := errors.New("power cut")
	r = b.claim(t, r.ID())
	b.pauses, b.failpoint = nil, func(string) error { return power }
	if _, err := decide(r); !errors.Is(err, power) {
		t.Fatal(err)
	}
	r.Abandon()
	b.failpoint = nil
	b.advance(time.Minute)
	r = b.claim(t, r.ID())
	for range 2 {
		if d, err := decide(r); err != nil || !d.Allow || d.By != "reader" {
			t.Errorf("%+v, %v", d, err)
		}
	}
	if err := r.Finish(ctx, StateDone, "done"); err != nil {
		t.Fatal(err)
	}
	if all, err := g.List(ctx, "", true); err != nil || len(all) != 1 {
		t.Errorf("%d questions, %v", len(all), err)
	}
	if _, err := b.db.Exec(`DELETE FROM gate`); err != nil {
		t.Fatal(err)
	}
	again, err := b.OpenReplay(ctx, r.ID())
	if err != nil {
		t.Fatal(err)
	}
	if d, err := decide(again); err != nil || !d.Allow {
		t.Errorf("a replay needs the table of gates: %+v, %v", d, err)
	}
}
