package runs

import (
	"context"
	"path/filepath"
	"testing"

	"ibid/gate"
	"ibid/journal"
	"ibid/research"
	"ibid/store"
)

// Whose run it is decides whether there is one: each way to a run of another's is not found, as for a run that never was.
func TestDeskIsOneUsers(t *testing.T) {
	ctx := context.Background()
	db, err := store.Open(ctx, filepath.Join(t.TempDir(), "ibid.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	j := journal.Open(db, journal.Options{})
	e := &Engine{Journal: j, Configure: func(_ context.Context, r Request) (research.Config, error) {
		return research.New(r.Question, "quick")
	}}
	ada, bob := e.For("ada"), e.For("bob")
	run, err := ada.Start(ctx, Request{Question: "why?"})
	if err != nil || run.State != journal.StateQueued || run.User != "ada" {
		t.Fatal(run, err)
	}
	if _, err := (journal.Gates{Journal: j}).Decide(ctx, gate.Request{Run: run.ID, Key: "lead/1/gate", Tool: "read", Args: []byte("{}")}); err == nil {
		t.Fatal("decided")
	}
	asked, err := ada.Gates(ctx, "", false)
	if err != nil || len(asked) != 1 {
		t.Fatal(asked, err)
	}
	for _, id := range []string{run.ID, "never"} {
		for name, do := range map[string]func() error{
			"show":    func() error { _, err := bob.Show(ctx, id); return err },
			"stop":    func() error { return bob.Stop(ctx, id) },
			"cancel":  func() error { return bob.Cancel(ctx, id) },
			"resume":  func() error { return bob.Resume(ctx, id) },
			"fork":    func() error { _, err := bob.Fork(ctx, id, Change{}); return err },
			"delete":  func() error { return bob.Delete(ctx, id) },
			"report":  func() error { _, err := bob.Report(ctx, id, "markdown"); return err },
			"replay":  func() error { _, err := bob.Replay(ctx, id, "else"); return err },
			"compare": func() error { _, err := bob.Compare(ctx, id, id); return err },
			"reject":  func() error { return bob.Reject(ctx, id, "F1", "no") },
			"gates":   func() error { _, err := bob.Gates(ctx, id, true); return err },
			"page":    func() error { _, err := bob.List(ctx, Page{After: id}); return err },
			"gate":    func() error { _, err := bob.Gate(ctx, asked[0].ID); return err },
			"edit":    func() error { _, err := bob.EditPlan(ctx, asked[0].ID, "", nil); return err },
			"answer":  func() error { _, err := bob.Answer(ctx, asked[0].ID, gate.Answer{Allow: true}); return err },
			"events": func() (err error) {
				for _, err = range bob.Events(ctx, id, 0, true) {
				}
				return err
			},
		} {
			if err := do(); CodeOf(err) != NotFound {
				t.Errorf("%s of run %s: %v", name, id, err)
			}
		}
	}
	if list, err := bob.List(ctx, Page{}); err != nil || len(list) != 0 {
		t.Errorf("bob sees %v, %v", list, err)
	}
	if list, err := bob.Gates(ctx, "", true); err != nil || len(list) != 0 {
		t.Errorf("bob is asked %v, %v", list, err)
	}
	if all, err := e.Everyone().List(ctx, Page{}); err != nil || len(all) != 1 {
		t.Errorf("everyone sees %v, %v", all, err)
	}
	if p, err := ada.Answer(ctx, asked[0].ID, gate.Answer{Allow: true, Reason: "fine"}); err != nil || p.Decision.By != "ada" {
		t.Errorf("%+v, %v", p, err)
	}
	if err := ada.Cancel(ctx, run.ID); err != nil {
		t.Error(err)
	}
}
