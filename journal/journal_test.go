package journal

import (
	"bytes"
	"context"
	"encoding/json"
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
	"ibid/gate"
	"ibid/store"
)

func TestMain(m *testing.M) {
	if os.Getenv("JOURNAL_TEST_RUN") != "" {
		os.Exit(child())
	}
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener"))
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
	b := &bench{path: filepath.Join(t.TempDir(), "ibid.db"), at: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
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

// A fork takes what its parent recorded, is charged no money for it, and replays alone.
func TestFork(t *testing.T) {
	b, ctx := open(t, Options{}), context.Background()
	parent := b.start(t, Spec{})
	p := &program{}
	if _, _, err := p.run(ctx, parent, 3); err != nil {
		t.Fatal(err)
	}
	if err := parent.Finish(ctx, StateDone, "done"); err != nil {
		t.Fatal(err)
	}
	fork := b.start(t, Spec{Parent: parent.ID(), ForkAt: 2})
	q := &program{}
	_, spent, err := q.run(ctx, fork, 4)
	if err != nil {
		t.Fatal(err)
	}
	want := map[Key]int{"lead/2/model": 1, "lead/3/model": 1, "lead/4/model": 1}
	if fmt.Sprint(q.performed) != fmt.Sprint(want) {
		t.Errorf("the fork performed %v, want %v", q.performed, want)
	}
	if spent.Searches != 3 || spent.MicroUSD != 15 {
		t.Errorf("spent %+v: recorded searches count and cost nothing, a search beyond the evidence is none", spent)
	}
	if err := fork.Finish(ctx, StateDone, "done"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.db.Exec(`DELETE FROM run WHERE id = $1`, parent.ID()); err != nil {
		t.Fatal(err)
	}
	again, err := b.OpenReplay(ctx, fork.ID())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := (&program{}).run(ctx, again, 4); err != nil {
		t.Errorf("the fork does not replay without its parent: %v", err)
	}
}

// The same request asked again gets the next recorded answer, in order.
func TestForkServesRepeatedRequestsInOrder(t *testing.T) {
	b, ctx := open(t, Options{}), context.Background()
	parent := b.start(t, Spec{})
	ask := func(r *Run, key Key, answer string) string {
		d, err := Do(ctx, r, Effect{Key: key, Kind: "search"}, "same", func(context.Context) (string, Amount, error) { return answer, Amount{}, nil })
		if err != nil {
			t.Fatal(err)
		}
		return d.Value
	}
	ask(parent, "lead/1/a", "A")
	ask(parent, "lead/2/a", "B")
	fork := b.start(t, Spec{Parent: parent.ID()})
	if got := ask(fork, "lead/7/x", "no") + ask(fork, "lead/8/x", "no"); got != "AB" {
		t.Errorf("got %q, want AB", got)
	}
}

// Requests are stored as what is new in them, and come back byte for byte, also when old results are cut out of the
// conversation on the way (JOURNAL-5).
func TestRequestsGrowLinearly(t *testing.T) {
	whole := conversation(t, 40, 12_000)
	if last := len(whole[39]); last < 450_000 {
		t.Fatalf("the last request has %d bytes: that is no context of 120k tokens", last)
	}
	for name, c := range map[string]struct {
		bodies [][]byte
		least  int64
	}{
		"whole":  {whole, 12},
		"elided": {elided(t, whole), 3}, // the requests themselves no longer grow
	} {
		b, ctx := open(t, Options{}), context.Background()
		r := b.start(t, Spec{})
		var raw int64
		for i, body := range c.bodies {
			raw += int64(len(body))
			if i == 20 { // a crash does not break the chain
				if err := r.Release(ctx); err != nil {
					t.Fatal(err)
				}
				r = b.claim(t, r.ID())
				for k, body := range c.bodies[:i] {
					if _, err := Do(ctx, r, Effect{Key: Key(fmt.Sprintf("lead/%d/model", k+1)), Kind: "model", Hold: free(t)}, body,
						func(context.Context) ([]byte, Amount, error) { return nil, Amount{}, errors.New("again") }); err != nil {
						t.Fatal(err)
					}
				}
			}
			if _, err := Do(ctx, r, Effect{Key: Key(fmt.Sprintf("lead/%d/model", i+1)), Kind: "model", Hold: free(t)}, body,
				func(context.Context) ([]byte, Amount, error) { return []byte("ok"), Amount{}, nil }); err != nil {
				t.Fatal(err)
			}
		}
		var stored, deepest int64
		if err := b.db.QueryRow(`SELECT SUM(length(request)) FROM event`).Scan(&stored); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d bytes of requests stored in %d: 1/%.1f", name, raw, stored, float64(raw)/float64(stored))
		if stored*c.least > raw {
			t.Errorf("%s: %d bytes stored for %d, more than 1/%d", name, stored, raw, c.least)
		}
		if err := b.db.QueryRow(`WITH RECURSIVE chain (seq, depth) AS (
				SELECT seq, 0 FROM event WHERE request_base = 0
				UNION ALL SELECT event.seq, depth + 1 FROM event JOIN chain ON request_base = chain.seq
			) SELECT max(depth) FROM chain`).Scan(&deepest); err != nil || deepest != keyFrame-1 {
			t.Errorf("%s: chains of %d deltas, %v; want %d", name, deepest, err, keyFrame-1)
		}
		events, err := b.Events(ctx, r.ID(), 0, 100)
		if err != nil || len(events) != 40 {
			t.Fatalf("%d events, %v", len(events), err)
		}
		for i, e := range events {
			got, err := b.Request(ctx, r.ID(), e.Seq)
			if err != nil || !bytes.Equal(got, c.bodies[i]) {
				t.Fatalf("%s: request %d: %d bytes back of %d, %v", name, i+1, len(got), len(c.bodies[i]), err)
			}
		}
	}
}

// elided cuts results older than three steps out of requests.
func elided(t testing.TB, bodies [][]byte) [][]byte {
	t.Helper()
	var list [][]byte
	for _, body := range bodies {
		var r struct {
			Messages []map[string]string `json:"messages"`
			System   string              `json:"system"`
		}
		if err := json.Unmarshal(body, &r); err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(r.Messages)-6; i += 2 {
			r.Messages[i]["text"] = "[elided]"
		}
		short, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, short)
	}
	return list
}

func free(t testing.TB) *budget.Hold {
	h, err := budget.NewLedger(budget.Limits{}, Amount{}).Reserve(Amount{Steps: 1})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// conversation makes the requests of a run whose every step adds a tool result of n bytes of prose, out of this
// package's own sources.
func conversation(t testing.TB, steps, n int) [][]byte {
	t.Helper()
	var text []byte
	for _, pattern := range []string{"../*/*.go", "../*/*/*.md"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			body, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			text = append(text, body...)
		}
	}
	type message struct {
		Role string `json:"role"`
		Text string `json:"text"`
	}
	var messages []message
	var bodies [][]byte
	for i := range steps {
		from := i * n % max(len(text)-n, 1)
		messages = append(messages, message{"user", string(text[from : from+n])}, message{"assistant", fmt.Sprintf("call %d", i)})
		body, err := json.Marshal(map[string]any{"messages": messages, "system": "You are a researcher.", "max_tokens": 4096})
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, body)
	}
	return bodies
}

// A gate waits for a person across processes, is answered once, is bound to its arguments, and expires as denied.
func TestGates(t *testing.T) {
	b, ctx := open(t, Options{}), context.Background()
	r := b.start(t, Spec{})
	g := Gates{Journal: b.Journal}
	req := gate.Request{Run: r.ID(), Key: "lead/1/tool.0/gate.0", Tool: "read_pages", Policy: "reads", Args: json.RawMessage(`{"url":"https://two.example/a"}`)}
	for range 2 {
		if _, err := g.Decide(ctx, req); !errors.Is(err, gate.ErrPending) {
			t.Fatalf("undecided: %v", err)
		}
	}
	list, err := g.List(ctx, "", false)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d gates wait, %v; asking twice is one question", len(list), err)
	}
	if _, err := g.Answer(ctx, list[0].ID, true, "reader", "fine"); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Answer(ctx, list[0].ID, false, "other", ""); err == nil || !strings.Contains(err.Error(), "reader") {
		t.Errorf("answered twice: %v", err)
	}
	if d, err := g.Decide(ctx, req); err != nil || !d.Allow || d.Hash != req.Hash() {
		t.Errorf("decided: %+v, %v", d, err)
	}
	other := req
	other.Args = json.RawMessage(`{"url":"https://two.example/b"}`)
	if _, err := g.Decide(ctx, other); !errors.Is(err, gate.ErrPending) {
		t.Errorf("other arguments at the same place: %v", err)
	}
	b.advance(8 * 24 * time.Hour)
	if d, err := g.Decide(ctx, other); err != nil || d.Allow {
		t.Errorf("expired: %+v, %v", d, err)
	}
	if _, err := g.Answer(ctx, "g-none", true, "x", ""); !errors.Is(err, ErrNoGate) {
		t.Errorf("no such gate: %v", err)
	}
}

// A subscriber sees each event in order, each effect's outcome, and the end, whenever it comes in; and it leaves when it
// likes.
func TestSubscribeLosesNothing(t *testing.T) {
	b, ctx := open(t, Options{}), context.Background()
	r := b.start(t, Spec{})
	type seen struct {
		first []int64
		final map[int64]string
		err   error
	}
	watch := func(after int64) <-chan seen {
		got := make(chan seen, 1)
		go func() {
			s := seen{final: map[int64]string{}}
			for e, err := range b.Subscribe(ctx, r.ID(), after) {
				if err != nil {
					s.err = err
					break
				}
				if _, again := s.final[e.Seq]; !again {
					s.first = append(s.first, e.Seq)
				}
				s.final[e.Seq] = e.State
			}
			got <- s
		}()
		return got
	}
	early := watch(0)
	if _, _, err := (&program{}).run(ctx, r, 10); err != nil {
		t.Fatal(err)
	}
	middle := watch(7)
	if err := r.Finish(ctx, StateDone, "done"); err != nil {
		t.Fatal(err)
	}
	for name, w := range map[string]struct {
		got   <-chan seen
		after int64
	}{"early": {early, 0}, "middle": {middle, 7}, "late": {watch(0), 0}, "at the end": {watch(30), 30}} {
		s := <-w.got
		if s.err != nil || int64(len(s.first)) != 30-w.after {
			t.Errorf("%s: %d events after %d of 30, %v", name, len(s.first), w.after, s.err)
			continue
		}
		for i, seq := range s.first {
			if seq != w.after+int64(i)+1 {
				t.Fatalf("%s: event %d has number %d: a gap or a repeat", name, i+1, seq)
			}
			if s.final[seq] == "intent" {
				t.Errorf("%s: the outcome of event %d was not given", name, seq)
			}
		}
	}
	for range b.Subscribe(ctx, r.ID(), 0) {
		break
	}
	for _, err := range b.Subscribe(ctx, "nobody", 0) {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("no such run: %v", err)
		}
	}
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

// BenchmarkDo is a durable step: a model call whose context grows, and a note.
func BenchmarkDo(b *testing.B) {
	j, ctx := open(b, Options{}), context.Background()
	bodies := conversation(b, 40, 1500)
	r := j.start(b, Spec{})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		key := Key(fmt.Sprintf("lead/%d/model", i))
		if _, err := Do(ctx, r, Effect{Key: key, Kind: "model", Hold: free(b)}, bodies[i%40], func(context.Context) ([]byte, Amount, error) { return []byte(`{"ok":true}`), Amount{}, nil }); err != nil {
			b.Fatal(err)
		}
		if err := r.Note(key, "tool", "a result"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReplay40 serves forty recorded steps whose context ends at 120k tokens.
func BenchmarkReplay40(b *testing.B) {
	j, ctx := open(b, Options{}), context.Background()
	bodies := conversation(b, 40, 12_000)
	r := j.start(b, Spec{})
	steps := func(r *Run) {
		for i, body := range bodies {
			if _, err := Do(ctx, r, Effect{Key: Key(fmt.Sprintf("lead/%d/model", i)), Kind: "model", Hold: free(b)}, body, func(context.Context) ([]byte, Amount, error) { return body[:1000], Amount{}, nil }); err != nil {
				b.Fatal(err)
			}
		}
	}
	steps(r)
	if err := r.Finish(ctx, StateDone, "done"); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		again, err := j.OpenReplay(ctx, r.ID())
		if err != nil {
			b.Fatal(err)
		}
		steps(again)
	}
}
