package journal

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"ibid/gate"
)

// What a person put in the place of the arguments is what a yes allows, and no other yes does: who saw something else is
// told, and the run gets the changed arguments with a hash over exactly them.
func TestEditedGate(t *testing.T) {
	b, ctx := open(t, Options{}), context.Background()
	id, err := b.Create(ctx, Spec{})
	if err != nil {
		t.Fatal(err)
	}
	g := Gates{Journal: b.Journal}
	asked := gate.Request{Run: id, Key: "lead/1/gate", Tool: "plan", Kind: "plan", Policy: "plan", Args: []byte(`{"subquestions":["a"]}`)}
	if _, err := g.Decide(ctx, asked); !errors.Is(err, gate.ErrPending) {
		t.Fatal(err)
	}
	list, err := g.List(ctx, id, false)
	if err != nil || len(list) != 1 || list[0].Hash != asked.Hash() {
		t.Fatal(list, err)
	}
	first := list[0]
	for _, bad := range []string{"", "{", strings.Repeat(" ", MaxEdit) + "{}"} {
		if _, err := g.Edit(ctx, first.ID, "", json.RawMessage(bad)); err == nil {
			t.Errorf("%.9q was taken", bad)
		}
	}
	changed := json.RawMessage(`{"subquestions":["b"]}`)
	second, err := g.Edit(ctx, first.ID, first.Hash, changed)
	if err != nil || second.Hash == first.Hash || string(second.Request.Args) != string(changed) {
		t.Fatal(second, err)
	}
	if _, err := g.Edit(ctx, first.ID, first.Hash, json.RawMessage(`{}`)); !errors.Is(err, ErrChanged) {
		t.Errorf("a change of what is no more: %v", err)
	}
	if _, err := g.Answer(ctx, first.ID, gate.Answer{Allow: true, Seen: first.Hash}); !errors.Is(err, ErrChanged) {
		t.Errorf("a yes to what is no more: %v", err)
	}
	if found, err := g.Find(ctx, first.ID); err != nil || found.Hash != second.Hash || found.State != "pending" {
		t.Errorf("%+v, %v", found, err)
	}
	if _, err := g.Answer(ctx, first.ID, gate.Answer{Allow: true, By: "reader", Seen: second.Hash}); err != nil {
		t.Fatal(err)
	}
	d, err := g.Decide(ctx, asked)
	if err != nil || !d.Allows(asked) || string(d.Args) != string(changed) || d.Done != asked.With(changed).Hash() {
		t.Errorf("%+v, %v", d, err)
	}
	for name, spoil := range map[string]func(*gate.Decision){
		"other arguments": func(d *gate.Decision) { d.Args = json.RawMessage(`{"subquestions":["c"]}`) },
		"no hash":         func(d *gate.Decision) { d.Done = "" },
		"other request":   func(d *gate.Decision) { d.Hash = d.Done },
	} {
		spoilt := d
		if spoil(&spoilt); spoilt.Allows(asked) {
			t.Errorf("%s is allowed", name)
		}
	}
	if _, err := g.Edit(ctx, first.ID, "", changed); err == nil || !strings.Contains(err.Error(), "decided already") {
		t.Errorf("a change after the decision: %v", err)
	}
}
