package runstest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"

	"ibid/evidence"
	"ibid/gate"
	"ibid/journal"
	"ibid/runs"
)

// Conform holds a Service to what is said of it. of gives a user's.
func Conform(t *testing.T, e *runs.Engine, of func(user string) runs.Service) {
	s, ctx := of("ada"), t.Context()
	info, err := s.Start(ctx, runs.Request{Question: Question, Key: "k1"})
	if err != nil || info.State != journal.StateQueued || info.User != "ada" {
		t.Fatalf("%+v, %v", info, err)
	}
	id := info.ID
	if again, err := s.Start(ctx, runs.Request{Question: Question, Key: "k1"}); err != nil || again.ID != id {
		t.Errorf("the same request again began run %s, %v", again.ID, err)
	}
	code := func(what string, err error, want runs.Code) {
		t.Helper()
		if got := runs.CodeOf(err); err == nil || got != want {
			t.Errorf("%s: %v is %q, want %q", what, err, got, want)
		}
	}
	_, err = s.Start(ctx, runs.Request{Question: Question + " Really?", Key: "k1"})
	code("another request under the same key", err, runs.Conflict)
	_, err = s.Start(ctx, runs.Request{})
	code("no question", err, runs.Invalid)
	_, err = s.Report(ctx, id, "markdown")
	code("the report of a run that has none yet", err, runs.Conflict)
	if _, err := e.Work(ctx, id); err != nil {
		t.Fatal(err)
	}
	t.Run("events", func(t *testing.T) { events(t, s, id) })
	t.Run("reports", func(t *testing.T) { reports(t, s, id) })
	t.Run("plan", func(t *testing.T) { plan(t, e, s) })
	t.Run("foreign", func(t *testing.T) { foreign(t, of("bob"), id) })
	t.Run("life", func(t *testing.T) { life(t, s, id) })
}

func events(t *testing.T, s runs.Service, id string) {
	all := seen(t, s.Events(t.Context(), id, 0, false))
	live := seen(t, s.Events(t.Context(), id, 0, true))
	if len(all) == 0 || !slices.EqualFunc(all, live, func(a, b journal.Event) bool { return a == b }) {
		t.Fatalf("%d events on record, %d when followed", len(all), len(live))
	}
	told := false
	for i, ev := range all {
		if i > 0 && ev.Seq != all[i-1].Seq+1 {
			t.Errorf("event %d comes after %d", ev.Seq, all[i-1].Seq)
		}
		told = told || strings.Contains(ev.Text, "planning: "+Question)
	}
	if !told {
		t.Error("nobody is told of the plan")
	}
	half := all[len(all)/2].Seq
	if rest := seen(t, s.Events(t.Context(), id, half, false)); len(rest) != len(all)-len(all)/2-1 || rest[0].Seq != half+1 {
		t.Errorf("%d events after %d of %d", len(rest), half, len(all))
	}
	for range s.Events(t.Context(), id, 0, true) { // whoever has enough may stop
		break
	}
}

func seen(t *testing.T, events iter.Seq2[journal.Event, error]) (list []journal.Event) {
	t.Helper()
	for ev, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, ev)
	}
	return list
}

func reports(t *testing.T, s runs.Service, id string) {
	ctx := t.Context()
	markdown, err := s.Report(ctx, id, "markdown")
	if err != nil || !bytes.Contains(markdown, []byte("812 millimetres")) {
		t.Fatalf("%s, %v", markdown, err)
	}
	if again, err := s.Replay(ctx, id, ""); err != nil || !bytes.Equal(again, markdown) {
		t.Errorf("replayed: %v\n%s", err, again)
	}
	if _, err := s.Replay(ctx, id, "Answer in verse."); runs.CodeOf(err) != runs.Integrity {
		t.Errorf("with another prompt: %v", err)
	}
	for _, form := range []string{"json", "html", "docx", "csl", "bibtex", "ris", "annotations"} {
		if body, err := s.Report(ctx, id, form); err != nil || len(body) == 0 {
			t.Errorf("%s: %d bytes, %v", form, len(body), err)
		}
	}
	if _, err := s.Report(ctx, id, "sculpture"); runs.CodeOf(err) != runs.Invalid {
		t.Errorf("an unknown form: %v", err)
	}
	var journal bytes.Buffer
	if err := s.Export(ctx, id, &journal); err != nil || !bytes.HasPrefix(journal.Bytes(), []byte(`{"v":1,"run":`)) || !bytes.Contains(journal.Bytes(), []byte(`"end":`)) {
		t.Errorf("exported %d bytes, %v", journal.Len(), err)
	}
	fork, err := s.Fork(ctx, id, runs.Change{Tier: "standard"})
	if err != nil || fork.Parent != id || fork.State != "queued" {
		t.Errorf("%+v, %v", fork, err)
	}
	if err := s.Delete(ctx, id); runs.CodeOf(err) != runs.Conflict {
		t.Errorf("deleted, though a fork goes over its evidence: %v", err)
	}
	if err := s.Cancel(ctx, fork.ID); err != nil {
		t.Error(err)
	}
	if same, err := s.Compare(ctx, id, id); err != nil || len(same.Both) == 0 || len(same.OnlyA)+len(same.OnlyB)+len(same.Changed) > 0 {
		t.Errorf("compared with itself: %+v, %v", same, err)
	}
	if err := s.Reject(ctx, id, "F99", "no"); runs.CodeOf(err) != runs.NotFound {
		t.Errorf("a finding that is none: %v", err)
	}
	if err := s.Reject(ctx, id, "F1", " "); runs.CodeOf(err) != runs.Invalid {
		t.Errorf("without a reason: %v", err)
	}
	if err := s.Reject(ctx, id, "F1", "not ours"); err != nil {
		t.Error(err)
	}
	if err := s.Reject(ctx, id, "F1", "not ours"); runs.CodeOf(err) != runs.Conflict {
		t.Errorf("rejected twice: %v", err)
	}
	if none, err := s.Compare(ctx, id, id); err != nil || len(none.Both) != len(found(t, s, id))-1 {
		t.Errorf("what was rejected is compared: %+v, %v", none, err)
	}
	if err := s.Undo(ctx, id, "F1", ""); err != nil {
		t.Error(err)
	}
	if again, err := s.Report(ctx, id, "markdown"); err != nil || !bytes.Equal(again, markdown) {
		t.Errorf("after the rejection was undone: %v\n%s", err, again)
	}
	if err := s.Undo(ctx, id, "F1", ""); runs.CodeOf(err) != runs.Conflict {
		t.Errorf("undone twice: %v", err)
	}
	accepting(t, s, id, markdown)
}

func found(t *testing.T, s runs.Service, id string) []evidence.Finding {
	t.Helper()
	f, err := s.Findings(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return f.Findings
}

// accepting: what rules block a person may have reported, marked with their reason; what is not quoted, nobody.
func accepting(t *testing.T, s runs.Service, id string, before []byte) {
	ctx := t.Context()
	f, err := s.Findings(ctx, id)
	if err != nil || len(f.Refused) < 2 {
		t.Fatalf("%+v, %v", f, err)
	}
	var over, forged string
	for _, r := range f.Refused {
		switch {
		case r.NotQuoted != "":
			forged = r.ID
		case slices.Contains(r.Codes(), "number_conflict") && strings.Contains(r.Quote, "812"):
			over = r.ID
		}
	}
	if over == "" || forged == "" {
		t.Fatalf("%+v", f.Refused)
	}
	if err := s.Accept(ctx, id, forged, "I have seen it"); runs.CodeOf(err) != runs.Conflict {
		t.Errorf("a quote that is none: %v", err)
	}
	if err := s.Accept(ctx, id, over, " "); runs.CodeOf(err) != runs.Invalid {
		t.Errorf("without a reason: %v", err)
	}
	if err := s.Accept(ctx, id, "F1", "it is right"); runs.CodeOf(err) != runs.Conflict {
		t.Errorf("what is recorded: %v", err)
	}
	if err := s.Accept(ctx, id, "F99", "no"); runs.CodeOf(err) != runs.NotFound {
		t.Errorf("what is none: %v", err)
	}
	if err := s.Reject(ctx, id, over, "no"); runs.CodeOf(err) != runs.Conflict {
		t.Errorf("rejected, though it is in no report: %v", err)
	}
	if err := s.Accept(ctx, id, over, "[the gauge](https://else.example) was read <b>again</b> on 3 May. See S9."); err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"markdown", "json", "html"} {
		body, err := s.Report(ctx, id, form)
		if err != nil || !bytes.Contains(body, []byte("821 millimetres")) || !bytes.Contains(body, []byte("number_conflict")) || !bytes.Contains(body, []byte("on 3 May. See S9.")) {
			t.Errorf("%s: %v\n%s", form, err, body)
		}
	}
	after, err := s.Findings(ctx, id)
	if err != nil || len(after.Findings) != len(f.Findings)+1 || len(after.Refused) != len(f.Refused)-1 {
		t.Errorf("%+v, %v", after, err)
	}
	if err := s.Undo(ctx, id, over, "it was not"); err != nil {
		t.Error(err)
	}
	if again, err := s.Report(ctx, id, "markdown"); err != nil || !bytes.Equal(again, before) {
		t.Errorf("after it was undone: %v\n%s", err, again)
	}
}

func plan(t *testing.T, e *runs.Engine, s runs.Service) {
	ctx := t.Context()
	info, err := s.Start(ctx, runs.Request{Question: Question, AskPlan: true})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := e.Work(ctx, info.ID); err != nil || r.Stop != "parked" {
		t.Fatalf("%+v, %v", r, err)
	}
	for range s.Events(ctx, info.ID, 0, true) { // ends, as the run is parked
	}
	waiting, err := s.Gates(ctx, info.ID, false)
	if err != nil || len(waiting) != 1 {
		t.Fatal(waiting, err)
	}
	if shown, err := s.Show(ctx, info.ID); err != nil || shown.Waiting != 1 || shown.State != journal.StateParked {
		t.Errorf("%+v, %v", shown, err)
	}
	g := waiting[0]
	mine := json.RawMessage(`{"subquestions":["Since when has Halden station measured rain?"],"reason":"that is what I want to know"}`)
	if _, err := s.EditPlan(ctx, g.ID, "", json.RawMessage(`{"subquestions":[]}`)); runs.CodeOf(err) != runs.Invalid {
		t.Errorf("an empty plan: %v", err)
	}
	edited, err := s.EditPlan(ctx, g.ID, g.Hash, mine)
	if err != nil || edited.Hash == g.Hash {
		t.Fatalf("%+v, %v", edited, err)
	}
	if _, err := s.EditPlan(ctx, g.ID, g.Hash, mine); runs.CodeOf(err) != runs.Conflict {
		t.Errorf("a change of what is no more: %v", err)
	}
	if _, err := s.Answer(ctx, g.ID, gate.Answer{Allow: true, Seen: g.Hash}); runs.CodeOf(err) != runs.Conflict || !errors.Is(err, journal.ErrChanged) {
		t.Errorf("a yes to what is no more: %v", err)
	}
	if p, err := s.Answer(ctx, g.ID, gate.Answer{Allow: true, Reason: "better"}); err != nil || p.State != "allowed" || p.Decision.By != "ada" {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := s.Answer(ctx, g.ID, gate.Answer{}); runs.CodeOf(err) != runs.Conflict {
		t.Errorf("decided twice: %v", err)
	}
	if err := s.Resume(ctx, info.ID); err != nil {
		t.Error(err)
	}
	if _, err := e.Work(ctx, info.ID); err != nil {
		t.Fatal(err)
	}
	if report, err := s.Report(ctx, info.ID, "markdown"); err != nil || !bytes.Contains(report, []byte("since 1911")) || bytes.Contains(report, []byte("812 milli")) {
		t.Errorf("%s, %v", report, err)
	}
}

// foreign goes every way to a run that is another's, and to one that never was.
func foreign(t *testing.T, s runs.Service, id string) {
	ctx := t.Context()
	for _, id := range []string{id, "never"} {
		for name, do := range map[string]func() error{
			"show":    func() error { _, err := s.Show(ctx, id); return err },
			"stop":    func() error { return s.Stop(ctx, id) },
			"cancel":  func() error { return s.Cancel(ctx, id) },
			"resume":  func() error { return s.Resume(ctx, id) },
			"fork":    func() error { _, err := s.Fork(ctx, id, runs.Change{}); return err },
			"delete":  func() error { return s.Delete(ctx, id) },
			"report":  func() error { _, err := s.Report(ctx, id, "markdown"); return err },
			"replay":  func() error { _, err := s.Replay(ctx, id, "else"); return err },
			"compare": func() error { _, err := s.Compare(ctx, id, id); return err },
			"reject":  func() error { return s.Reject(ctx, id, "F1", "no") },
			"accept":  func() error { return s.Accept(ctx, id, "F1", "no") },
			"undo":    func() error { return s.Undo(ctx, id, "F1", "no") },
			"found":   func() error { _, err := s.Findings(ctx, id); return err },
			"export":  func() error { return s.Export(ctx, id, io.Discard) },
			"pack":    func() error { _, err := s.Pack(ctx, id); return err },
			"gates":   func() error { _, err := s.Gates(ctx, id, true); return err },
			"page":    func() error { _, err := s.List(ctx, runs.Page{After: id}); return err },
			"gate":    func() error { _, err := s.Gate(ctx, id); return err },
			"answer":  func() error { _, err := s.Answer(ctx, id, gate.Answer{Seen: "x"}); return err },
			"edit": func() error {
				_, err := s.EditPlan(ctx, id, "x", json.RawMessage(`{"subquestions":["a"],"reason":""}`))
				return err
			},
			"events": func() error { return last(s.Events(ctx, id, 0, false)) },
			"watch":  func() error { return last(s.Events(ctx, id, 0, true)) },
		} {
			if err := do(); runs.CodeOf(err) != runs.NotFound {
				t.Errorf("%s of run %s: %v", name, id, err)
			}
		}
	}
	if list, err := s.List(ctx, runs.Page{}); err != nil || len(list) != 0 {
		t.Errorf("listed: %v, %v", list, err)
	}
	if list, err := s.Gates(ctx, "", true); err != nil || len(list) != 0 {
		t.Errorf("asked: %v, %v", list, err)
	}
}

func last(events iter.Seq2[journal.Event, error]) (err error) {
	for _, err = range events {
	}
	return err
}

// life ends runs in the ways there are, and pages through what is left.
func life(t *testing.T, s runs.Service, done string) {
	ctx := t.Context()
	for name, do := range map[string]func(context.Context, string) error{"stop": s.Stop, "cancel": s.Cancel, "resume": s.Resume} {
		if err := do(ctx, done); runs.CodeOf(err) != runs.Conflict {
			t.Errorf("%s of a run that is over: %v", name, err)
		}
	}
	queued, err := s.Start(ctx, runs.Request{Question: Question})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Cancel(ctx, queued.ID); err != nil {
		t.Error(err)
	}
	if shown, err := s.Show(ctx, queued.ID); err != nil || shown.State != journal.StateCancelled {
		t.Errorf("%+v, %v", shown, err)
	}
	all, err := s.List(ctx, runs.Page{Limit: runs.MaxPage})
	if err != nil || len(all) < 4 {
		t.Fatalf("%d runs, %v", len(all), err)
	}
	var paged []journal.Info
	for page := (runs.Page{Limit: 1}); ; page.After = paged[len(paged)-1].ID {
		more, err := s.List(ctx, page)
		if err != nil {
			t.Fatal(err)
		}
		if len(more) == 0 {
			break
		}
		paged = append(paged, more...)
	}
	if !slices.EqualFunc(all, paged, func(a, b journal.Info) bool { return a.ID == b.ID }) {
		t.Errorf("%d runs one by one, %d at once", len(paged), len(all))
	}
	if _, err := s.List(ctx, runs.Page{Limit: runs.MaxPage + 1}); runs.CodeOf(err) != runs.Invalid {
		t.Errorf("too large a page: %v", err)
	}
	if _, err := s.List(ctx, runs.Page{State: "asleep"}); runs.CodeOf(err) != runs.Invalid {
		t.Errorf("a state that is none: %v", err)
	}
	if list, err := s.List(ctx, runs.Page{State: journal.StateCancelled}); err != nil || len(list) != 2 || list[0].ID != queued.ID {
		t.Errorf("cancelled are %v, %v", list, err)
	}
	if err := s.Delete(ctx, done); err != nil {
		t.Error(err)
	}
	if _, err := s.Show(ctx, done); runs.CodeOf(err) != runs.NotFound {
		t.Errorf("a deleted run: %v", err)
	}
}
