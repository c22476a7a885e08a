package index

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// invented makes items of few words, so that names, pairs and ties occur.
func invented(rnd *rand.Rand, n int) (items []Item) {
	vocabulary := strings.Fields("Agent run cost cache token Prompt price loop tool retry Budget search page model Context window step 41% 2024 1,200 12.500 fooBar foo-bar Müller C++ the of 夜班码头")
	word := func() string { return vocabulary[rnd.IntN(len(vocabulary))] }
	for i := range n {
		var b strings.Builder
		for range 3 + rnd.IntN(40) {
			b.WriteString(word() + " ")
		}
		items = append(items, Item{Key: fmt.Sprint("k", i), Title: strings.TrimSpace(fmt.Sprint(word(), " ", word(), " ", i%7)) + []string{"", " - " + word(), " (" + word() + ")"}[i%3], Body: b.String(), Doc: fmt.Sprint("d", i/2)})
	}
	return append(items, Item{Key: "long", Title: "Long", Body: strings.Repeat("needle in the hay ", maxTokens/3)})
}

// An index that was kept and restored, of all items or without some, finds what a fresh one finds, to the last bit of the
// scores; also when more is added to it.
func TestKeptIndexIsTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, one thing after the other")
	}
	for _, config := range []Config{{}, {Plain: true}, {Links: func(key string) []string { return []string{"d" + key[1:], "d1", "nowhere"} }}} {
		rnd := rand.New(rand.NewPCG(3, 4))
		items := invented(rnd, 300)
		for _, gone := range []int{0, 1, 40, 300} {
			x := New(config)
			x.Add(items...)
			vocabulary, words := x.Keep()
			var kept []Kept
			fresh := New(config)
			for _, it := range items[gone:] {
				kept = append(kept, Kept{Key: it.Key, Title: it.Title, Doc: it.Doc, Words: words[it.Key]})
				fresh.Add(it)
			}
			more := invented(rnd, 20)[:20]
			for i := range more {
				more[i].Key, more[i].Title, more[i].Body = "m"+more[i].Key, more[i].Title+" zebra", more[i].Body+" zebra crossing"
			}
			restored, err := Restore(config, vocabulary, kept)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second time with more
				for _, q := range []string{"what is the cost of an agent run", "cache price 1200", "Retry Budget search page", "zebra", "needle hay", "foobar", "mueller 12500", "夜班", "Agent Prompt 3"} {
					if want, got := fresh.Search(q, 60), restored.Search(q, 60); !reflect.DeepEqual(want, got) {
						t.Fatalf("%d gone: Search(%q) of a restored index:\n%v\nof a fresh one:\n%v", gone, q, got, want)
					}
				}
				for _, stem := range append(Terms("cost agent zebra needle crossing"), "nothing") {
					if want, got := fresh.Weight(stem), restored.Weight(stem); want != got {
						t.Errorf("%d gone: Weight(%q) = %v, %v in a fresh index", gone, stem, got, want)
					}
				}
				fresh.Add(more...)
				restored.Add(more...)
			}
		}
	}
}

// FuzzRestore: damaged bytes are an error or an index that answers, and never a panic.
func FuzzRestore(f *testing.F) {
	x := New(Config{})
	x.Add(Item{Key: "a", Title: "Tides (1)", Body: "The tide rises twice a day."}, Item{Key: "b", Title: "Moon", Body: "The Moon pulls the tide, 1,200 times."})
	v, words := x.Keep()
	f.Add([]byte(v), words["a"], words["b"], "Tides (1)")
	f.Add([]byte{0, 0}, []byte{0, 0, 0, 0, 0, 0}, []byte{}, "")
	f.Fuzz(func(t *testing.T, v, a, b []byte, title string) {
		if len(v)+len(a)+len(b)+len(title) > 1<<16 {
			t.Skip()
		}
		x, err := Restore(Config{}, v, []Kept{{Key: "a", Title: title, Words: a}, {Key: "b", Title: "Moon", Words: b}})
		if err != nil {
			return
		}
		x.Search("the tide of the Moon "+title, 5)
		x.Add(Item{Key: "c", Title: title, Body: "The Moon and the tide"})
		x.Search("the tide of the Moon "+title, 5)
		x.Keep()
	})
}
