package journal

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"ibid/gate"
)

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
	if _, err := g.Answer(ctx, list[0].ID, gate.Answer{Allow: true, By: "reader", Reason: "fine"}); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Answer(ctx, list[0].ID, gate.Answer{Allow: false, By: "other"}); err == nil || !strings.Contains(err.Error(), "reader") {
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
	if _, err := g.Answer(ctx, "g-none", gate.Answer{Allow: true, By: "x"}); !errors.Is(err, ErrNoGate) {
		t.Errorf("no such gate: %v", err)
	}
}
