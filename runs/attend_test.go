package runs

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ibid/agent"
	"ibid/budget"
	"ibid/corpus"
	"ibid/extract"
	"ibid/fetch"
	"ibid/gate"
	"ibid/journal"
	"ibid/research"
	"ibid/research/outside"
	"ibid/store"
)

const minutes = "# Minutes\n\nThe council met on 3 May 2026 in the old hall.\n\nThe ferry carried 412 passengers in its first week, said the harbour master.\n"

// desk is a desk over a store in dir whose outside runs take documents that are handed in.
func deskIn(t *testing.T, dir string) *Desk {
	t.Helper()
	db, err := store.Open(context.Background(), filepath.Join(dir, "ibid.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	e := &Engine{Journal: journal.Open(db, journal.Options{})}
	e.Build = func(context.Context, research.Config, bool) (research.Parts, func() error, error) {
		return research.Parts{Model: &outside.Model{}, Free: true, Approver: gate.Auto{},
			Given: func(ctx context.Context, url string, body []byte) (*corpus.Reading, error) {
				return corpus.Extractor(extract.Extract).Given(ctx, &fetch.Document{Requested: url, URL: url, Body: body, Fetched: time.Unix(1780000000, 0).UTC()})
			}}, func() error { return nil }, nil
	}
	return e.For("ada")
}

// attended is a run at work with its line.
type attended struct {
	t      *testing.T
	line   *outside.Line
	stop   context.CancelFunc
	result chan *research.Result
}

func attend(t *testing.T, d *Desk, id string) *attended {
	ctx, cancel := context.WithCancel(context.Background())
	a := &attended{t, outside.NewLine(), cancel, make(chan *research.Result, 1)}
	go func() {
		defer a.line.Close()
		r, err := d.Attend(ctx, id, &outside.Model{Line: a.line})
		if err != nil {
			t.Error(err)
		}
		a.result <- r
	}()
	return a
}

func (a *attended) call(name string, args any) outside.Reply {
	a.t.Helper()
	body, err := json.Marshal(args)
	if err != nil {
		a.t.Fatal(err)
	}
	r, err := a.line.Call(context.Background(), name, string(body))
	if err != nil {
		a.t.Fatal(name, err)
	}
	return r
}

type m map[string]any

// A run that is researched from outside, broken off twice, is a run like any other: checked, replayed, and no forgery in it.
func TestAttend(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	d := deskIn(t, dir)
	c, err := research.New("How many people took the ferry in its first week?", budget.Deep)
	if err != nil {
		t.Fatal(err)
	}
	info, err := d.Open(ctx, c.ForOutside(budget.Limits{}))
	if err != nil {
		t.Fatal(err)
	}
	// A worker that takes it finds nobody, and parks it.
	if r, err := d.engine.Work(ctx, info.ID); err != nil || r.Stop != agent.StopParked {
		t.Fatal(r, err)
	}
	a := attend(t, d, info.ID)
	if r := a.call("plan", m{"subquestions": []string{"How many people took the ferry?"}, "reason": "asked"}); r.IsError {
		t.Fatal(r)
	}
	page := a.call("ingest_source", m{"text": minutes, "name": "minutes.md"})
	if page.IsError || !strings.Contains(page.Content, "412 passengers") || !strings.Contains(page.Content, "handed in") {
		t.Fatal(page)
	}
	a.stop()
	if r := <-a.result; r.Stop != agent.StopCancelled {
		t.Fatal(r.Stop)
	}
	a = attend(t, d, info.ID)
	if again := a.call("ingest_source", m{"text": minutes, "name": "minutes.md"}); again.Content != page.Content {
		t.Errorf("the result that nobody may have heard: %s", again.Content)
	}
	if r := a.call("ingest_source", m{"text": minutes, "name": "minutes.md"}); !strings.Contains(r.Content, `"already_read":true`) {
		t.Errorf("read again: %s", r.Content)
	}
	claim := "The ferry carried 412 passengers in its first week, said the harbour master."
	forged := a.call("record_finding", m{"claim": claim, "quote": "The ferry carried 4120 passengers in its first week", "span": "S1:para.2", "subquestion": "q1"})
	if !forged.IsError || !strings.Contains(forged.Content, "Refused") {
		t.Errorf("a forged finding: %+v", forged)
	}
	found := a.call("search_corpus", m{"query": "ferry passengers first week"})
	var spans struct {
		Spans []struct{ Span string }
	}
	_, body, _ := strings.Cut(found.Content, "\n")
	if err := json.NewDecoder(strings.NewReader(body)).Decode(&spans); err != nil || len(spans.Spans) == 0 {
		t.Fatal(found.Content, err)
	}
	if r := a.call("record_finding", m{"claim": claim, "quote": "The ferry carried 412 passengers in its first week", "span": spans.Spans[0].Span, "subquestion": "q1"}); r.IsError {
		t.Fatal(r.Content)
	}
	if r := a.call("write_report", m{"draft": "It was 412 [S1 para.2]."}); !r.IsError {
		t.Errorf("a draft that types a locator: %+v", r)
	}
	if r := a.call("write_report", m{"draft": claim + " [F1]"}); r.IsError || !r.Final {
		t.Errorf("the report: %+v", r)
	}
	r := <-a.result
	if r == nil || r.Stop != agent.StopDone || !r.Verified || len(r.Findings) != 1 || !strings.Contains(string(r.Markdown), "412 passengers") {
		t.Fatalf("%+v", r)
	}
	if _, err := a.line.Call(ctx, "list_sources", "{}"); !errors.Is(err, outside.ErrOver) {
		t.Error(err)
	}
	again, err := d.Report(ctx, info.ID, "markdown")
	if err != nil || string(again) != string(r.Markdown) {
		t.Errorf("replayed: %v\n%s", err, again)
	}
	check, err := d.Verify(ctx, info.ID, nil)
	if err != nil || !check.OK || check.Citations == 0 {
		t.Errorf("%+v, %v", check, err)
	}
	shown, err := d.Show(ctx, info.ID)
	if err != nil || len(shown.Doubts) != 0 || shown.Totals.Reads != 1 || shown.Shape.Refused != 1 {
		t.Errorf("%+v, %v", shown, err)
	}
}

// A run whose steps are spent takes its report and nothing else. A draft that says something else than its finding is not
// written: the report is assembled.
func TestAttendToTheLastStep(t *testing.T) {
	ctx := context.Background()
	d := deskIn(t, t.TempDir())
	c, err := research.New("How many people took the ferry in its first week?", budget.Deep)
	if err != nil {
		t.Fatal(err)
	}
	info, err := d.Open(ctx, c.ForOutside(budget.Limits{Steps: 6}))
	if err != nil {
		t.Fatal(err)
	}
	a := attend(t, d, info.ID)
	a.call("plan", m{"subquestions": []string{"How many people took the ferry?"}, "reason": "asked"})
	a.call("ingest_source", m{"text": minutes, "name": "minutes.md"})
	claim := "The ferry carried 412 passengers in its first week, said the harbour master."
	if r := a.call("record_finding", m{"claim": claim, "quote": "The ferry carried 412 passengers in its first week", "span": "S1:para.3", "subquestion": "q1"}); r.IsError {
		t.Fatal(r.Content)
	}
	a.call("list_sources", m{})
	a.call("list_sources", m{"k": 1})
	r := a.call("search_corpus", m{"query": "ferry"})
	if !r.IsError || !strings.Contains(r.Content, "No more tool calls") {
		t.Errorf("after the last step: %+v", r)
	}
	if _, err := a.line.Call(ctx, "write_report", `{"draft":"There were 5,000 of them [F1]."}`); !errors.Is(err, outside.ErrOver) {
		t.Error(err)
	}
	end := <-a.result
	if end == nil || !end.Verified || strings.Contains(string(end.Markdown), "5,000") || len(end.Findings) != 1 || end.Stop != agent.OverBudgetStop(budget.Steps) {
		t.Fatalf("%+v", end)
	}
	again, err := d.Report(ctx, info.ID, "markdown")
	if err != nil || string(again) != string(end.Markdown) {
		t.Errorf("replayed: %v\n%s", err, again)
	}
}
