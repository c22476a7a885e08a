package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

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
