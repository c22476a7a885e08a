package corpus

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid/index"
	"ibid/store"
)

// concepts is an embedder for these tests: a text points where the concepts of its words point. The trial's pairs, which
// come as two lists in one order, it joins if it is strong.
type concepts struct {
	mu     sync.Mutex
	of     map[string]int // word → concept
	weak   bool
	down   error
	asked  int // texts
	before func()
}

func (c *concepts) Embed(ctx context.Context, texts []string) ([][]float32, int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.before != nil {
		c.before()
	}
	if err := errors.Join(ctx.Err(), c.down); err != nil {
		return nil, 0, err
	}
	c.asked += len(texts)
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		v := make([]float32, 32)
		v[31] = .01
		for _, w := range strings.Fields(strings.ToLower(strings.Trim(text, "?."))) {
			if n, ok := c.of[w]; ok {
				v[n]++
			}
		}
		if len(texts) == 24 && !c.weak {
			v[i]++
		}
		vectors[i] = v
	}
	return vectors, int64(len(texts)), nil
}

// said collects what the user is told.
type said struct {
	mu    sync.Mutex
	lines []string
}

func (s *said) say(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, what)
}

func meaningful(e index.Embedder, s *said) *Library {
	shelf := newShelf("https://a.example/cars", "# Automobiles\n\nMotor vehicles burn petrol.", "https://a.example/tides", "# Tides\n\n"+tides,
		"https://a.example/storm", "# Storm report\n\n"+storm)
	return NewLibrary(LibraryConfig{Name: "library", Shelf: shelf, Extract: paragraphs, Embeddings: &Embeddings{
		Name: "concepts", MeaningConfig: index.MeaningConfig{Embedder: e}, Price: func(tokens int64) int64 { return 10 * tokens }, Say: s.say}})
}

func synonyms() *concepts {
	return &concepts{of: map[string]int{"car": 1, "motor": 1, "vehicles": 1, "buoys": 2, "sea": 2}}
}

// TestLibraryByMeaning: with a model, a document is found that shares no word with the question; what it cost is told.
func TestLibraryByMeaning(t *testing.T) {
	var told said
	l := meaningful(synonyms(), &told)
	for i, cost := range []int64{10 * (3 + 2*24 + 2*3 + 1), 10} { // documents, pairs, titles and bodies, the question
		answer, err := l.Search(t.Context(), "which car is cheap?", 8)
		if err != nil || len(answer.Results) == 0 || answer.Results[0].URL != "https://a.example/cars" || answer.MicroUSD != cost {
			t.Errorf("search %d: %+v, %v; want a cost of %d", i+1, answer, err, cost)
		}
	}
	if len(told.lines) != 1 || !strings.Contains(told.lines[0], "is used beside words") {
		t.Errorf("told %q", told.lines)
	}
}

// TestWordsAloneWithoutAModel: a model that is weak or fails changes nothing, is told once and not asked again.
func TestWordsAloneWithoutAModel(t *testing.T) {
	plain, err := library(newShelf("https://a.example/cars", "# Automobiles\n\nMotor vehicles burn petrol.", "https://a.example/tides", "# Tides\n\n"+tides,
		"https://a.example/storm", "# Storm report\n\n"+storm)).Search(t.Context(), "eleven buoys and a motor", 8)
	if err != nil {
		t.Fatal(err)
	}
	for name, model := range map[string]*concepts{"too weak": {weak: true}, "failed": {down: errors.New("no such model")}} {
		var told said
		l := meaningful(model, &told)
		for range 3 {
			answer, err := l.Search(t.Context(), "eleven buoys and a motor", 8)
			if err != nil || fmt.Sprint(answer.Results) != fmt.Sprint(plain.Results) {
				t.Errorf("%s: %+v, %v", name, answer, err)
			}
		}
		if len(told.lines) != 1 || !strings.Contains(told.lines[0], name) {
			t.Errorf("%s: told %q", name, told.lines)
		}
		if asked := model.asked; asked > 3+2*24 {
			t.Errorf("%s: asked for %d texts", name, asked)
		}
	}
}

// TestCancelledEmbedding: a search that is given up while documents are embedded is no failure of the model, and the next
// one goes on.
func TestCancelledEmbedding(t *testing.T) {
	var told said
	model := synonyms()
	l := meaningful(model, &told)
	ctx, cancel := context.WithCancel(t.Context())
	model.before = cancel
	if _, err := l.Search(ctx, "car", 8); !errors.Is(err, context.Canceled) {
		t.Errorf("Search = %v", err)
	}
	model.before = nil
	if answer, err := l.Search(t.Context(), "car", 8); err != nil || len(answer.Results) == 0 || len(told.lines) != 1 || !strings.Contains(told.lines[0], "is used") {
		t.Errorf("Search = %+v, %v; told %q", answer, err, told.lines)
	}
}

// TestVectorsAreKept: a text is embedded once for a model, also in another process, and its direction is the same when it
// is kept as when it was made.
func TestVectorsAreKept(t *testing.T) {
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "ibid.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	now := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	model := synonyms()
	v := &Vectors{DB: db, Model: "a.example/v1 concepts", Embedder: model, Now: func() time.Time { return now }}
	texts := []string{"car", "sea", "motor vehicles"}
	first, tokens, err := v.Embed(t.Context(), texts[:2])
	if err != nil || tokens != 2 {
		t.Fatalf("%d tokens, %v", tokens, err)
	}
	second, tokens, err := v.Embed(t.Context(), texts)
	if err != nil || tokens != 1 || model.asked != 3 || fmt.Sprint(first) != fmt.Sprint(second[:2]) {
		t.Errorf("%v, %d tokens, %v; asked for %d", second, tokens, err, model.asked)
	}
	other := &Vectors{DB: db, Model: "b.example/v1 concepts", Embedder: model, Now: v.Now}
	if _, tokens, err := other.Embed(t.Context(), texts); err != nil || tokens != 3 {
		t.Errorf("another server's model: %d tokens, %v", tokens, err)
	}
	now = now.Add(maxVectorAge + time.Hour)
	v.Embed(t.Context(), []string{"new"})
	if _, tokens, err := v.Embed(t.Context(), texts); err != nil || tokens != 3 {
		t.Errorf("what is old was not made again: %d tokens, %v", tokens, err)
	}
	model.down = errors.New("down")
	if got, _, err := v.Embed(t.Context(), texts); err != nil || len(got) != 3 {
		t.Errorf("kept vectors need no server: %v, %v", got, err)
	}
	if _, _, err := v.Embed(t.Context(), []string{"car", "other"}); err == nil {
		t.Error("a text without a vector, and no error")
	}
}
