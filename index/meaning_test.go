package index

import (
	"context"
	"encoding/json"
	"errors"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"ibid/internal/testset"
	"ibid/llm/embed"
)

// serve plays a server of embeddings that gives each text the vector that of says.
func serve(t *testing.T, of func(text string) []float64) *Meaning {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Model string
			Input []string
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.URL.Path != "/v1/embeddings" || in.Model != "m" || len(in.Input) > batchTexts {
			http.Error(w, `{"error":{"message":"bad request"}}`, http.StatusBadRequest)
			return
		}
		type datum struct {
			Index     int       `json:"index"`
			Embedding []float64 `json:"embedding"`
		}
		var out struct {
			Data  []datum        `json:"data"`
			Usage map[string]int `json:"usage"`
		}
		for i, text := range in.Input {
			out.Data = append(out.Data, datum{i, of(text)})
		}
		out.Usage = map[string]int{"prompt_tokens": len(in.Input), "total_tokens": len(in.Input)}
		json.NewEncoder(w).Encode(out)
	}))
	t.Cleanup(s.Close)
	return NewMeaning(MeaningConfig{Embedder: embed.New(embed.Config{Model: "m", URL: s.URL + "/v1", Timeout: time.Minute})})
}

// seeded is a direction that depends on a name alone.
func seeded(name string, size int) []float64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	rnd := rand.New(rand.NewPCG(h.Sum64(), 1))
	v := make([]float64, size)
	for i := range v {
		v[i] = rnd.NormFloat64() / math.Sqrt(float64(size))
	}
	return v
}

func plus(v []float64, w []float64, share float64) []float64 {
	sum := slices.Clone(v)
	for i := range sum {
		sum[i] += share * w[i]
	}
	return sum
}

// strong is a model that knows what belongs together: documents and their titles, questions and what answers them, but
// through noise, so that alone it ranks worse than words.
func strong(items []Item, questions map[string][]string) func(string) []float64 {
	const size = 96
	about := map[string][]string{}
	for _, p := range probe {
		about[p[0]], about[p[1]] = []string{p[0]}, []string{p[0]}
	}
	byTitle := map[string]string{}
	for _, it := range items {
		byTitle[it.Title] = it.Key
		about[it.Title] = []string{it.Key}
		about[cut(it.Body, passageBytes)] = []string{it.Key}
	}
	for text, docs := range questions {
		about[text] = docs
	}
	return func(text string) []float64 {
		subjects := about[text]
		if title, _, found := strings.Cut(text, "\n"); subjects == nil && found {
			subjects = []string{byTitle[title]}
		}
		v := make([]float64, size)
		for _, s := range subjects {
			v = plus(v, seeded(s, size), 1)
		}
		noise := .8
		if questions[text] != nil {
			noise = 2.6
		}
		return plus(v, seeded("noise of "+text, size), noise)
	}
}

// hashed counts words, at places that a hash says: a bag of words in few numbers.
func hashed(text string) []float64 {
	v := make([]float64, 128)
	for _, w := range Terms(text) {
		v = plus(v, seeded(w, 128), 1)
	}
	return plus(v, seeded("", 128), 1e-6)
}

// indexed is random indexing (Kanerva, Kristofersson and Holst 2000), which is near to latent semantic analysis: words are
// what the documents are that hold them.
func indexed(items []Item) func(string) []float64 {
	const size = 128
	context, holds := map[string][]float64{}, map[string]int{}
	for _, it := range items {
		seen := map[string]bool{}
		for _, w := range Terms(it.Title + "\n" + it.Body) {
			if !seen[w] {
				seen[w] = true
				holds[w]++
				if context[w] == nil {
					context[w] = make([]float64, size)
				}
				context[w] = plus(context[w], seeded(it.Key, size), 1)
			}
		}
	}
	return func(text string) []float64 {
		v := seeded("", size)
		for _, w := range Terms(text) {
			if n := holds[w]; n > 0 {
				v = plus(v, context[w], idf(len(items), n)/math.Sqrt(float64(n)))
			}
		}
		return v
	}
}

// TestMeaning: over the wire and on an open set, a model that knows what belongs together passes its trial and ranks
// better than words alone.
func TestMeaning(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, one thing after the other")
	}
	items := load(t, "hotpot100s")
	wanted := map[string][]string{}
	relevant := qrels(t, "hotpot100s", "test")
	type question struct{ ID, Text string }
	questions := jsonLines[question](t, testset.Path(t, "data", "retrieval", "hotpot100s", "queries.jsonl"))
	for _, q := range questions {
		for doc := range relevant[q.ID] {
			wanted[q.Text] = append(wanted[q.Text], doc)
		}
		slices.Sort(wanted[q.Text])
	}
	x := New(Config{})
	x.Add(items...)
	words := 0.0
	for _, q := range questions {
		words += gain(x.Search(q.Text, 10), relevant[q.ID])
	}
	m := serve(t, strong(items, wanted))
	if tokens, err := m.Add(t.Context(), items...); err != nil || tokens < int64(len(items)) {
		t.Fatalf("%d tokens, %v", tokens, err)
	}
	if trial, _, err := m.Try(t.Context()); err != nil || !trial.Passed() || trial.Titles != titleSample {
		t.Errorf("%v, %v", trial, err)
	}
	alone, both := 0.0, 0.0
	for _, q := range questions {
		near, _, err := m.Search(t.Context(), q.Text, 100)
		if err != nil {
			t.Fatal(err)
		}
		hits := x.SearchWith(q.Text, near, 10)
		alone, both = alone+gain(near, relevant[q.ID]), both+gain(hits, relevant[q.ID])
		if !slices.Equal(hits, x.SearchWith(q.Text, near, 10)) {
			t.Error("two answers to one query")
		}
	}
	n := float64(len(questions))
	t.Logf("nDCG@10: words %.4f, meaning %.4f, both %.4f", words/n, alone/n, both/n)
	if both < words+.005*n || alone >= words {
		t.Errorf("words %.4f, meaning %.4f, both %.4f", words/n, alone/n, both/n)
	}
}

// TestWeakModels: models that count words, and one that knows nothing, fail a trial by the pairs; by the titles too, but
// for one that was made of the very documents.
func TestWeakModels(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, one thing after the other")
	}
	items := load(t, "hotpot100s")[:200]
	for name, of := range map[string]func(string) []float64{
		"hashed": hashed, "random indexing": indexed(items), "random": func(text string) []float64 { return seeded(text, 64) },
	} {
		t.Run(name, func(t *testing.T) {
			m := serve(t, of)
			if trial, _, err := m.Try(t.Context()); err != nil || trial.Passed() || trial.Pairs > .3 {
				t.Errorf("%v, %v", trial, err)
			}
			if name == "random indexing" {
				return
			}
			if _, err := m.Add(t.Context(), items...); err != nil {
				t.Fatal(err)
			}
			trial := Trial{Pairs: 1}
			if _, err := m.tryTitles(t.Context(), &trial); err != nil || trial.Passed() {
				t.Errorf("%v, %v", trial, err)
			}
			t.Log(trial)
		})
	}
}

// TestTrial: where few documents have titles, the pairs decide; a model that knows other texts fails by the titles.
func TestTrial(t *testing.T) {
	for _, tt := range []struct {
		trial Trial
		want  bool
	}{
		{Trial{}, false},
		{Trial{Pairs: 1}, true},
		{Trial{Pairs: .7, Titles: 150, Meaning: 1, Words: .9}, false},
		{Trial{Pairs: .9, Titles: 10, Meaning: .1, Words: .9}, true},
		{Trial{Pairs: .9, Titles: 150, Meaning: .85, Words: .88}, true},
		{Trial{Pairs: .9, Titles: 150, Meaning: .863, Words: .970}, false},
	} {
		if got := tt.trial.Passed(); got != tt.want {
			t.Errorf("%+v: %v", tt.trial, got)
		}
	}
	for _, p := range probe {
		for _, w := range Terms(p[0]) {
			if slices.Contains(Terms(p[1]), w) {
				t.Errorf("%q and %q share %q", p[0], p[1], w)
			}
		}
	}
}

func TestPassages(t *testing.T) {
	long := strings.Repeat("A sentence of a long text. ", 1000)
	for _, tt := range []struct {
		it   Item
		want int
	}{
		{Item{}, 1}, {Item{Title: "T"}, 1}, {Item{Body: "b"}, 1}, {Item{Title: "T", Body: long}, maxPassages},
		{Item{Title: "T", Body: strings.Repeat("夜班", 5000)}, maxPassages}, {Item{Body: long[:passageBytes+1]}, 2},
	} {
		passages := passagesOf(tt.it)
		if len(passages) != tt.want {
			t.Errorf("%d passages of %.20q, want %d", len(passages), tt.it.Body, tt.want)
		}
		rest := tt.it.Body
		for _, p := range passages {
			p = strings.TrimPrefix(p, tt.it.Title+"\n")
			if p != tt.it.Title && !strings.HasPrefix(strings.TrimSpace(rest), p) {
				t.Errorf("%.30q is not what comes next", p)
			}
			if len(p) > passageBytes+passageBytes/4 || strings.ToValidUTF8(p, "") != p {
				t.Errorf("a passage of %d bytes", len(p))
			}
			rest = strings.TrimPrefix(strings.TrimSpace(rest), p)
		}
	}
}

// broken is an embedder that sends too little, or vectors of several lengths, or nothing.
type broken struct{ vectors [][]float32 }

func (b broken) Embed(context.Context, []string) ([][]float32, int64, error) {
	if b.vectors == nil {
		return nil, 3, errors.New("down")
	}
	return b.vectors, 3, nil
}

func TestBrokenEmbedder(t *testing.T) {
	for _, vectors := range [][][]float32{nil, {}, {{1, 2}}, {{1}, {1, 2}}, {{}, {}}} {
		m := NewMeaning(MeaningConfig{Embedder: broken{vectors}})
		if tokens, err := m.Add(t.Context(), Item{Key: "a", Body: "x"}, Item{Key: "b", Body: "y"}); err == nil || tokens != 3 || len(m.entries) != 0 {
			t.Errorf("%v: %d tokens, %v, %d entries", vectors, tokens, err, len(m.entries))
		}
	}
}

func BenchmarkMeaning(b *testing.B) {
	m := NewMeaning(MeaningConfig{})
	for i := range 7000 {
		v := make([]float32, 384)
		for j, f := range seeded(string(rune(i)), 384) {
			v[j] = float32(f)
		}
		m.entries = append(m.entries, entry{string(rune(i + 1000)), direction(v)})
	}
	for b.Loop() {
		m.nearest(m.entries[77].vector, 100)
	}
}
