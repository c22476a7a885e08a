package journal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"ibid/gate"
	"ibid/store"
)

// Of many workers who claim a run at once one gets it, and of many people who answer a question one is heard.
func TestOneOfMany(t *testing.T) {
	b, ctx := open(t, Options{Owner: "elsewhere/1/first"}), context.Background()
	id, err := b.Create(ctx, Spec{})
	if err != nil {
		t.Fatal(err)
	}
	g := Gates{Journal: b.Journal}
	if _, err := g.Decide(ctx, gate.Request{Run: id, Key: "lead/1/gate", Tool: "read", Args: []byte(`{}`)}); !errors.Is(err, gate.ErrPending) {
		t.Fatal(err)
	}
	waiting, err := g.List(ctx, id, false)
	if err != nil || len(waiting) != 1 {
		t.Fatal(waiting, err)
	}
	claimed, answered := make([]error, 6), make([]error, 6)
	var wg sync.WaitGroup
	for i := range claimed {
		db, err := store.Open(ctx, b.path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		j := Open(db, Options{Owner: fmt.Sprintf("elsewhere/1/%d", i), Now: b.options.Now})
		wg.Go(func() {
			r, err := j.Claim(ctx, id)
			if claimed[i] = err; err == nil {
				defer r.Abandon()
			}
			_, answered[i] = Gates{Journal: j}.Answer(ctx, waiting[0].ID, gate.Answer{Allow: i%2 == 0, By: fmt.Sprint("reader ", i)})
		})
	}
	wg.Wait()
	workers, heard := 0, 0
	for i := range claimed {
		var busy *Busy
		if claimed[i] == nil {
			workers++
		} else if !errors.As(claimed[i], &busy) {
			t.Error(claimed[i])
		}
		if answered[i] == nil {
			heard++
		} else if !strings.Contains(answered[i].Error(), "decided already") {
			t.Error(answered[i])
		}
	}
	if info, err := b.Info(ctx, id); err != nil || workers != 1 || heard != 1 || info.Epoch != 1 {
		t.Errorf("%d workers, %d answers, epoch %d, %v", workers, heard, info.Epoch, err)
	}
}

// What a server answers may hold any bytes; what is said of it is text that every database takes.
func TestAnyText(t *testing.T) {
	b, ctx := open(t, Options{}), context.Background()
	r := b.start(t, Spec{Question: "why\x00\xff?"})
	fault := func(context.Context) (string, Amount, error) {
		return "", Amount{}, errors.New("status 500: \x00\xfe\x1b wörse")
	}
	var live, again *Failure
	if _, err := Do(ctx, r, Effect{Key: "lead/1/fetch.0", Kind: "fetch", Hold: free(t)}, []byte("\x00\xff"), fault); !errors.As(err, &live) {
		t.Fatal(err)
	}
	if !utf8.ValidString(live.Text) || strings.Contains(live.Text, "\x00") || !strings.HasSuffix(live.Text, "wörse") {
		t.Errorf("%q", live.Text)
	}
	if err := r.Finish(ctx, StateDone, "done"); err != nil {
		t.Fatal(err)
	}
	replay, err := b.OpenReplay(ctx, r.ID())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Do(ctx, replay, Effect{Key: "lead/1/fetch.0", Kind: "fetch"}, []byte("\x00\xff"), fault); !errors.As(err, &again) || again.Text != live.Text {
		t.Errorf("a replay says %q, it was %q; %v", again.Text, live.Text, err)
	}
	if info, err := b.Info(ctx, r.ID()); err != nil || info.Question != "why\uFFFD\uFFFD?" {
		t.Errorf("%q, %v", info.Question, err)
	}
}

// A run that is exported from one engine and imported into the other comes out of it byte for byte.
func TestJournalsTravel(t *testing.T) {
	ctx := context.Background()
	here := open(t, Options{})
	text := exported(t, here.Journal, eventful(t, here, 6))
	db, err := store.Open(ctx, t.TempDir()+"/ibid.db")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	there, back := Open(db, Options{}), open(t, Options{})
	for _, j := range []*Journal{there, back.Journal} {
		id, err := j.Import(ctx, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if again := exported(t, j, id); again != text {
			t.Errorf("%d bytes came out of %d that went in, or others", len(again), len(text))
		}
	}
}
