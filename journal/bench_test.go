package journal

import (
	"context"
	"fmt"
	"testing"
)

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
