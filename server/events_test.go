package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid/budget"
	"ibid/journal"
)

// heard is what a reader was told: an event, by what its stream calls it.
type heard struct {
	seq  int64
	name string
}

// A watcher reads the events of a run, each connection of its own until it is cut off.
type watcher struct {
	w    *world
	run  string
	last string
	got  []heard
	over bool
}

// read reads until the stream ends, or until some bytes were read: wherever that is, what is incomplete does not count.
func (r *watcher) read(cut int64) error {
	req, err := http.NewRequest("GET", r.w.URL+"/v1/runs/"+r.run+"/events", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+r.w.tokens["ada"])
	req.Header.Set("Accept", "text/event-stream")
	if r.last != "" {
		req.Header.Set("Last-Event-ID", r.last)
	}
	resp, err := r.w.Client().Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNoContent {
		r.over = true
		return nil
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	in := bufio.NewReader(io.LimitReader(resp.Body, cut))
	var name, id, data string
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil // cut off
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch field {
		case "event":
			name = value
		case "id":
			id = value
		case "data":
			data = value
		case "":
			if name == "end" {
				r.over = true
				return nil
			}
			if name != "" && name != "parked" {
				var e journal.Event
				if err := json.Unmarshal([]byte(data), &e); err != nil {
					return err
				}
				r.got, r.last = append(r.got, heard{e.Seq, name}), id
			}
			name, id, data = "", "", ""
		}
	}
}

// check holds what a reader was told against what was recorded: all of it, nothing twice, in order.
func (r *watcher) check(t *testing.T, n int64) {
	t.Helper()
	begun, ended := map[int64]bool{}, map[int64]bool{}
	first := int64(0)
	for _, h := range r.got {
		switch {
		case h.name == "started" && (begun[h.seq] || ended[h.seq]), ended[h.seq]:
			t.Fatalf("%d %s is told twice, or out of order", h.seq, h.name)
		case !begun[h.seq] && h.seq != first+1:
			t.Fatalf("%d is told after %d", h.seq, first)
		}
		if !begun[h.seq] {
			first = h.seq
		}
		begun[h.seq] = true
		if h.name != "started" {
			ended[h.seq] = true
		}
	}
	if int64(len(ended)) != n {
		t.Errorf("%d of %d events are told to their end", len(ended), n)
	}
}

// write makes a run of effects, some of them side by side, and notes, and says how many events it has.
func (w *world) write(id string, steps int, pause time.Duration) int64 {
	ctx := context.Background()
	r, err := w.engine.Journal.Claim(ctx, id)
	if err != nil {
		w.t.Error(err)
		return 0
	}
	ledger := budget.NewLedger(budget.Limits{}, budget.Amount{})
	for i := range steps {
		var all sync.WaitGroup
		for k := range 4 {
			all.Go(func() {
				hold, err := ledger.Reserve(budget.Amount{Reads: 1})
				if err != nil {
					w.t.Error(err)
					return
				}
				key := journal.Key(fmt.Sprintf("lead/%d/tool.%d", i+1, k))
				_, err = journal.Do(ctx, r, journal.Effect{Key: key, Kind: "fetch", Hold: hold}, "in", func(context.Context) (string, budget.Amount, error) {
					time.Sleep(time.Duration(rand.Int64N(int64(pause) + 1)))
					return "out", budget.Amount{Reads: 1}, nil
				})
				if err != nil {
					w.t.Error(err)
				}
			})
		}
		all.Wait()
		if err := r.Note(journal.Key(fmt.Sprintf("lead/%d/note", i+1)), "note", i); err != nil {
			w.t.Error(err)
		}
	}
	if err := r.Finish(ctx, journal.StateDone, "done"); err != nil {
		w.t.Error(err)
	}
	return int64(steps * 5)
}

// A reader who is cut off a thousand times, at any byte, is told all, once, in order (U6); so is one who never is, and one
// who reads pages of JSON.
func TestCutOff(t *testing.T) {
	w := newWorld(t, nil)
	id := w.start("ada")
	steady, broken := &watcher{w: w, run: id}, &watcher{w: w, run: id}
	done := make(chan int64, 1)
	steps, atLeast := 130, 1000
	if testing.Short() {
		steps, atLeast = 25, 100
	}
	go func() { done <- w.write(id, steps, 2*time.Millisecond) }()
	finished := make(chan error, 1)
	go func() {
		for !steady.over {
			if err := steady.read(1 << 30); err != nil {
				finished <- err
				return
			}
		}
		finished <- nil
	}()
	cuts := 0
	for !broken.over {
		if err := broken.read(20 + rand.Int64N(450)); err != nil {
			t.Fatal(err)
		}
		cuts++
	}
	n := <-done
	if err := <-finished; err != nil {
		t.Fatal(err)
	}
	if cuts < atLeast {
		t.Errorf("cut off only %d times", cuts)
	}
	steady.check(t, n)
	broken.check(t, n)
	var paged watcher
	for next := ""; ; {
		resp, body := w.ask("ada", "GET", "/v1/runs/"+id+"/events?limit=100&follow=0&after="+next, "")
		var page Events
		if err := json.Unmarshal(body, &page); err != nil || resp.StatusCode != 200 {
			t.Fatal(err, resp.StatusCode)
		}
		for _, e := range page.Events {
			paged.got = append(paged.got, heard{e.Seq, eventName(e)})
		}
		if next = page.Next; (len(page.Events) == 100) != (resp.Header.Get("Link") != "") {
			t.Errorf("%d events, Link %q", len(page.Events), resp.Header.Get("Link"))
		}
		if len(page.Events) < 100 {
			break
		}
	}
	paged.check(t, n)
	t.Logf("%d events, cut off %d times", n, cuts)
}

// Who does not read holds nobody up.
func TestSlowReader(t *testing.T) {
	w := newWorld(t, nil)
	id := w.start("ada")
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	for range 5 {
		req, err := http.NewRequestWithContext(ctx, "GET", w.URL+"/v1/runs/"+id+"/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+w.tokens["ada"])
		resp, err := w.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close() // and it is never read
		if resp.Header.Get("Content-Type") != "text/event-stream" || resp.Header.Get("X-Content-Type-Options") != "nosniff" || resp.Header.Get("X-Request-Id") == "" {
			t.Errorf("%v", resp.Header)
		}
	}
	quick := &watcher{w: w, run: id}
	done := make(chan int64, 1)
	go func() { done <- w.write(id, 40, 0) }()
	for !quick.over {
		if err := quick.read(1 << 30); err != nil {
			t.Fatal(err)
		}
	}
	quick.check(t, <-done)
}

// A stream goes on over a gate: it tells that the run is parked, and what comes when it was answered.
func TestStreamOverAGate(t *testing.T) {
	w := newWorld(t, nil)
	resp, body := w.ask("ada", "POST", "/v1/runs", `{"question":"`+question+`","ask_plan":true}`)
	var info journal.Info
	if err := json.Unmarshal(body, &info); err != nil || resp.StatusCode != http.StatusAccepted {
		t.Fatal(resp.StatusCode, string(body))
	}
	w.work()
	req, err := http.NewRequest("GET", w.URL+"/v1/runs/"+info.ID+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+w.tokens["ada"])
	stream, err := w.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	names := []string{}
	for in := bufio.NewScanner(stream.Body); in.Scan(); {
		name, ok := strings.CutPrefix(in.Text(), "event: ")
		if !ok {
			continue
		}
		if names = append(names, name); name == "parked" {
			w.allow(info.ID)
		}
	}
	if n := len(names); n < 10 || names[n-1] != "end" || strings.Count(strings.Join(names, " "), "parked") != 1 {
		t.Errorf("told %v", names)
	}
}

// allow says yes to what a run waits for.
func (w *world) allow(run string) {
	w.t.Helper()
	_, body := w.ask("ada", "GET", "/v1/gates?run="+run, "")
	var waiting Waiting
	if err := json.Unmarshal(body, &waiting); err != nil || len(waiting.Gates) == 0 {
		w.t.Fatalf("%s %v", body, err)
	}
	for _, g := range waiting.Gates {
		if resp, body := w.ask("ada", "POST", "/v1/gates/"+g.ID+"/decision", `{"allow":true,"hash":"`+g.Hash+`"}`); resp.StatusCode != 200 {
			w.t.Fatalf("%d %s", resp.StatusCode, body)
		}
	}
}

// A cursor that was not sent by a server is refused, and one that was comes back as it was.
func TestCursors(t *testing.T) {
	for _, s := range []string{"0", "17", "17-12", "17-12-15", "9000000000-1-2-3"} {
		if c, err := parseCursor(s); err != nil || c.String() != s {
			t.Errorf("%q: %v, %v", s, c, err)
		}
	}
	for _, s := range []string{"-1", "a", "1-2", "5-3-3", "5-4-3", "5-", "+5", "9223372036854775807", "5 ", strings.Repeat("1-", 5000)} {
		if c, err := parseCursor(s); err == nil {
			t.Errorf("%q is taken for %v", s, c)
		}
	}
}
