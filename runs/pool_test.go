package runs

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ibid/budget"
	"ibid/corpus"
	"ibid/extract"
	"ibid/gate"
	"ibid/journal"
	"ibid/llm"
	"ibid/research"
	"ibid/store"
)

// pooled is an engine over a journal of its own, whose runs have the parts that build makes.
func pooled(t *testing.T, build func(c research.Config) (research.Parts, error)) *Engine {
	t.Helper()
	db, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "ibid.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return &Engine{Journal: journal.Open(db, journal.Options{Quota: journal.Quota{Working: 3}}), Build: func(_ context.Context, c research.Config, _ bool) (research.Parts, func() error, error) {
		p, err := build(c)
		return p, func() error { return nil }, err
	}}
}

// backgroundRun writes a background run.
func (e *Engine) backgroundRun(t *testing.T, question, approver string) string {
	t.Helper()
	c, err := research.New(question, budget.Deep)
	if err != nil {
		t.Fatal(err)
	}
	c.Approver, c.Policy, c.Limits = approver, gate.Policy{}, budget.Limits{Steps: 200}
	id, err := e.Queue(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// until waits for a run's state.
func (e *Engine) until(t *testing.T, id string, want journal.State) journal.Info {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; <-time.After(5 * time.Millisecond) {
		info, err := e.Journal.Info(context.Background(), id)
		if err != nil {
			t.Fatal(err)
		}
		if info.State == want {
			return info
		}
		if time.Now().After(deadline) {
			t.Fatalf("run %s is %s (%s), want %s", id, info.State, info.Stop, want)
		}
	}
}

// pool runs a pool until the test ends, or stop is called, which waits for its end.
func (e *Engine) pool(t *testing.T) (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- (&Pool{Engine: e, Poll: 20 * time.Millisecond}).Run(ctx) }()
	stop = func() error {
		cancel()
		err := <-ended
		ended <- err
		return err
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return stop
}

// A run that no worker can work on is parked with the reason, and holds up no other.
func TestPoolParksWhatCannotBeWorkedOn(t *testing.T) {
	e := pooled(t, func(c research.Config) (research.Parts, error) {
		switch {
		case strings.HasPrefix(c.Question, "Panic"):
			panic("no such part")
		case strings.HasPrefix(c.Question, "No key"):
			return research.Parts{}, fail(Unready, nil, "Set it.", "there is no key")
		}
		model := llm.Local{ID: "local", Answer: func(context.Context, llm.Request) (llm.Response, error) {
			return llm.Response{Stop: llm.StopEnd, Usage: llm.Usage{Known: true}}, nil
		}}
		w := remote{}
		return research.Parts{Model: &model, Free: true, Search: w, Reader: &corpus.Reader{Fetcher: w, Extract: extract.Extract}, Approver: gate.Deny{}}, nil
	})
	e.pool(t)
	for question, reason := range map[string]string{"Panic?": "no such part", "No key?": "there is no key", "Console?": "console"} {
		approver := "deny"
		if question == "Console?" {
			approver = "console"
		}
		if info := e.until(t, e.backgroundRun(t, question, approver), journal.StateParked); !strings.Contains(info.Stop, reason) {
			t.Errorf("%s is parked: %q, want %q", question, info.Stop, reason)
		}
	}
	e.until(t, e.backgroundRun(t, "All well?", "deny"), journal.StateDone)
}

// A pool that is shut down lets what is being paid for end, records it, begins nothing new, and hands its runs back; the next
// pool pays for nothing again.
func TestPoolHandsBack(t *testing.T) {
	began, answer, calls := make(chan struct{}, 100), make(chan struct{}), atomic.Int32{}
	e := pooled(t, func(research.Config) (research.Parts, error) {
		model := llm.Local{ID: "local", Answer: func(ctx context.Context, r llm.Request) (llm.Response, error) {
			calls.Add(1)
			began <- struct{}{}
			select {
			case <-ctx.Done():
				return llm.Response{}, context.Cause(ctx)
			case <-answer:
			}
			resp := llm.Response{Stop: llm.StopEnd, Usage: llm.Usage{Known: true}}
			if len(r.Messages) < 3 {
				resp.Stop, resp.Blocks = llm.StopTools, []llm.Block{{Call: &llm.ToolCall{ID: "c1", Name: "plan", Args: `{"subquestions":["How much rain fell?"],"reason":"one thing"}`}}}
			}
			return resp, nil
		}}
		w := remote{}
		return research.Parts{Model: &model, Free: true, Search: w, Reader: &corpus.Reader{Fetcher: w, Extract: extract.Extract}, Approver: gate.Auto{}}, nil
	})
	stop := e.pool(t)
	id := e.backgroundRun(t, "How much rain fell?", "auto")
	<-began
	ended := make(chan error, 1)
	go func() { ended <- stop() }()
	select {
	case err := <-ended:
		t.Fatalf("it did not wait for what was being paid for: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	close(answer)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	info := e.until(t, id, journal.StateQueued)
	if n := calls.Load(); n != 1 || info.LeaseOwner != "" {
		t.Errorf("%d calls, lease of %q", n, info.LeaseOwner)
	}
	e.pool(t)
	e.until(t, id, journal.StateDone)
	if doubts, err := e.Journal.Doubts(context.Background(), id); err != nil || len(doubts) != 0 || calls.Load() != 2 {
		t.Errorf("%d calls, in doubt %v, %v", calls.Load(), doubts, err)
	}
}

// A run that works, wherever, hears that it is cancelled; a queued one is over at once. Who waits for a turn hears it too.
func TestCancelReachesPool(t *testing.T) {
	began := make(chan struct{}, 100)
	e := pooled(t, func(research.Config) (research.Parts, error) {
		model := llm.Local{ID: "local", Answer: func(ctx context.Context, _ llm.Request) (llm.Response, error) {
			began <- struct{}{}
			<-ctx.Done()
			return llm.Response{}, context.Cause(ctx)
		}}
		w := remote{}
		return research.Parts{Model: &model, Free: true, Search: w, Reader: &corpus.Reader{Fetcher: w, Extract: extract.Extract}, Approver: gate.Auto{}}, nil
	})
	ctx := context.Background()
	e.pool(t)
	var working []string
	for range 3 {
		working = append(working, e.backgroundRun(t, "Rain?", "auto"))
		<-began
	}
	c, err := research.New("Rain here?", budget.Deep)
	if err != nil {
		t.Fatal(err)
	}
	here, err := e.Start(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	waits, ended := make(chan *journal.Full, 1), make(chan error, 1)
	go func() {
		_, err := e.WorkInTurn(ctx, here, func(full *journal.Full) { waits <- full })
		ended <- err
	}()
	if full := <-waits; full.Limit != 3 {
		t.Errorf("%v", full)
	}
	if err := e.Journal.AskStop(ctx, here); err != nil {
		t.Fatal(err)
	}
	var over *journal.Ended
	if err := <-ended; !errors.As(err, &over) {
		t.Errorf("the waiting ended with %v", err)
	}
	for _, id := range working {
		if err := e.Journal.Cancel(ctx, id); err != nil {
			t.Fatal(err)
		}
		e.until(t, id, journal.StateCancelled)
	}
}

// A run whose user's day is spent waits, and those of others do not wait for it; when more may be spent it is taken.
func TestSpentDaysWait(t *testing.T) {
	e := pooled(t, func(research.Config) (research.Parts, error) {
		return research.Parts{}, fail(Unready, nil, "", "taken")
	})
	ctx := context.Background()
	queue := func(user string) string {
		c, err := research.New("why?", budget.Deep)
		if err != nil {
			t.Fatal(err)
		}
		id, err := e.create(ctx, c, journal.Spec{User: user, Background: true})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	ada := queue("ada")
	for range 20 {
		queue("ada")
	}
	ledger := budget.NewLedger(budget.Limits{}, budget.Amount{})
	hold, err := ledger.Reserve(budget.Amount{MicroUSD: 3})
	if err != nil {
		t.Fatal(err)
	}
	paid, err := e.Journal.Claim(ctx, queue("ada"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := journal.Do(ctx, paid, journal.Effect{Key: "lead/1/model", Kind: "model", Hold: hold}, "in", func(context.Context) (string, budget.Amount, error) {
		return "out", budget.Amount{MicroUSD: 3}, nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := paid.Finish(ctx, journal.StateDone, "done"); err != nil {
		t.Fatal(err)
	}
	e.Daily = 3
	bob := queue("bob")
	stop := e.pool(t)
	e.until(t, bob, journal.StateParked) // it was taken
	if info, err := e.Journal.Info(ctx, ada); err != nil || info.State != journal.StateQueued {
		t.Errorf("%+v, %v", info, err)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	e.Daily = 4
	stop = e.pool(t)
	e.until(t, ada, journal.StateParked)
	if err := stop(); err != nil {
		t.Fatal(err)
	}
}
