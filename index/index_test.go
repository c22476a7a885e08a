package index

import (
	"encoding/json"
	"fmt"
	"ibid/internal/testset"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func tokens(text string) (whole_, parts []string) {
	whole_, parts = []string{}, []string{}
	words(text, func(w []byte, kind wordKind) {
		if kind <= capital {
			whole_ = append(whole_, string(w))
		} else {
			parts = append(parts, string(w))
		}
	})
	return whole_, parts
}

func TestWords(t *testing.T) {
	for _, tt := range []struct {
		text string
		want string // space-separated
	}{
		{"", ""},
		{"Hello, World", "hello world"},
		{"$6,814,000 = 6814000 = 6.814.000 = 6'814'000 = 6\u00a0814\u00a0000 = 6\u2009814\u2009000", "6814000 6814000 6814000 6814000 6814000 6814000"},
		{"1,234.56 and 1.234.567,89", "1234.56 and 1234567.89"},
		{"3,14 6.814 0,125 0.125", "3 14 6.814 0 125 0.125"},
		{"12,34,567", "1234567"},
		{"Go 1.26.8, v2.0, 192.168.0.1", "go 1.26.8 v2 0 192.168.0.1"},
		{"1234,567", "1234 567"},
		{"41% of 200k in q1, 4GB, 5-HT", "41 of 200k in q1 4gb 5 ht"},
		{"2019–2020; 12:30", "2019 2020 12 30"},
		{"POL-358 grammar::fa -358", "pol 358 grammar fa 358"},
		{"C++ C# F#", "c++ c# f#"},
		{"don't what’s we'll O'Dell l'eau", "don what we o dell l eau"},
		{"Café CAFÉ cafe\u0301 naïve Ångström", "cafe cafe cafe naive angstrom"},
		{"ﬁnal oﬃce straße ſoft", "final office strasse soft"},
		{"in\u00adter\u200bnet", "internet"},
		{"inter\u0002\r\nnational", "international"},
		{"ＡＢＣ １２３", "abc 123"},
		{"йод Ёж ΣΟΦΟΣ σοφός", "йод еж σοφοσ σοφοσ"},
		{"夜班", "夜班"},
		{"码", "码"},
		{"発電量は", "発電 電量 量は"},
		{"서울에서", "서울 울에 에서"},
		{"GPT模型4", "gpt 模型 4"},
	} {
		if got, _ := tokens(tt.text); strings.Join(got, " ") != tt.want {
			t.Errorf("words(%q) = %q, want %q", tt.text, strings.Join(got, " "), tt.want)
		}
	}
}

func TestWordIsBounded(t *testing.T) {
	long, _ := tokens(strings.Repeat("QWxh", 5000) + " " + strings.Repeat("9", 5000) + " " + strings.Repeat("é", 5000))
	if len(long) != 3 {
		t.Fatalf("%d words, want 3", len(long))
	}
	for _, w := range long {
		if len(w) > maxWord || !utf8.ValidString(w) {
			t.Errorf("a word of %d bytes", len(w))
		}
	}
}

// TestSpellings: texts of one group are found by each other's words, and by nobody else's.
func TestSpellings(t *testing.T) {
	for _, group := range [][]string{
		{"12,500", "12 500", "12.500", "12'500", "12’500", "12\u00a0500", "12\u2009500", "12\u202f500", "12500", "１２,５００", "١٢٥٠٠", "१२५००"},
		{"125,000", "1,25,000", "125.000", "125000"},
		{"1,234.56", "1.234,56", "1234.56", "1 234.56"},
		{"12.5", "12,5", "12.50 12.5"},
		{"1.26.8"},
		{"fooBar", "foo_bar", "foo-bar", "FooBar"},
		{"HTTPServer", "http_server", "HTTP-server"},
		{"Müller", "Muller", "MÜLLER", "Mu\u0308ller"},
		{"Müller", "Mueller"},
		{"Straße", "STRASSE"},
		{"Σοφός", "σοφος"},
		{"ёлка", "елка"},
		{"كِتَاب", "كتاب"},
		{"naïve café", "naive cafe"},
		{"e-mail", "email"},
	} {
		for _, text := range group {
			x := New(Config{})
			x.Add(Item{Key: "a", Body: "It says " + text + " here."}, Item{Key: "b", Body: "It says 13,500 and 12.4 and Mills and bar here; quux too."})
			for _, query := range group {
				if got := find(x, query); got != "a" {
					t.Errorf("a text with %q is not found by %q: %q", text, query, got)
				}
			}
		}
	}
	apart := [][2]string{{"12.5", "125"}, {"1.25", "125"}, {"0.125", "125"}, {"3.14", "314"}, {"2019 300", "2019300"}, {"1.1", "1.10"}, {"12,500", "12"}, {"12,500", "500"},
		{"12,500", "12.5"}, {"кой", "кои"}, {"バス", "ハス"}, {"192.168.0.1", "19216801"}}
	for _, p := range apart {
		x := New(Config{})
		x.Add(Item{Key: "a", Body: p[0]})
		if got := find(x, p[1]); got != "" {
			t.Errorf("%q is found by %q", p[0], p[1])
		}
	}
}

// TestParts: an identifier is found by each of its parts, and a name that only looks like one is whole.
func TestParts(t *testing.T) {
	for text, parts := range map[string]string{"parseHTTPHeader": "parse http header", "max_open_files": "max open files", "dry-run": "dry run", "iPhone": "iphone",
		"NewReader2": "new reader2", "东京塔": "东京 京塔 东 塔", "AI技术": "ai 技术", "ราคาเงิน": "ราคา เงิน"} {
		x := New(Config{})
		x.Add(Item{Key: "a", Body: text})
		for _, part := range strings.Fields(parts) {
			if find(x, part) != "a" {
				t.Errorf("%q is not found by %q", text, part)
			}
		}
	}
	x := New(Config{})
	x.Add(Item{Key: "a", Body: "iPhone eBay mTOR"})
	if got := find(x, "phone bay tor"); got != "" {
		t.Error("a letter before a capital is no part")
	}
}

func TestTerms(t *testing.T) {
	got := Terms("What makes agent runs expensive, and what fixes it? Agents run.")
	if diff := cmp.Diff([]string{"make", "agent", "run", "expens", "fix", "agent", "run"}, got); diff != "" {
		t.Error(diff)
	}
	if got := Terms("what is it?"); len(got) != 0 {
		t.Errorf("question words are no terms: %q", got)
	}
}

func find(x *Index, query string) string {
	if hits := x.Search(query, 1); len(hits) > 0 {
		return hits[0].Key
	}
	return ""
}

// TestAnyTextIsAQuery and the next run the open cases on text search: no operators, short words of unspaced scripts,
// numbers in any grouping.
func TestAnyTextIsAQuery(t *testing.T) {
	for _, dir := range []string{"174-full-text-query-syntax", "175-full-text-search-in-cjk"} {
		for _, config := range []Config{{}, {Plain: true}} {
			docs := map[string]string{}
			var queries [][2]*string
			unmarshal(t, testset.Path(t, "cases", dir, "docs.json"), &docs)
			unmarshal(t, testset.Path(t, "cases", dir, "queries.json"), &queries)
			x := New(config)
			for key, text := range docs {
				x.Add(Item{Key: key, Body: text})
			}
			for _, q := range queries {
				if got := find(x, *q[0]); q[1] != nil && got != *q[1] {
					t.Errorf("%s: Search(%q) = %q, want %q", dir, *q[0], got, *q[1])
				}
			}
		}
	}
}

func TestGroupedNumbers(t *testing.T) {
	docs := map[string]string{}
	unmarshal(t, testset.Path(t, "cases", "029-grouped-number-not-retrievable", "corpus.json"), &docs)
	x := New(Config{})
	for key, text := range docs {
		x.Add(Item{Key: key, Body: text})
	}
	for _, q := range []string{"6814000", "6,814,000", "net cash 6814000", "$6,814,000", "USD 6.814.000"} {
		if got := find(x, q); got != "S1:p.3" {
			t.Errorf("Search(%q) = %q", q, got)
		}
	}
}

func unmarshal(t *testing.T, path string, v any) {
	t.Helper()
	body, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(body, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestSearch(t *testing.T) {
	x := New(Config{})
	x.Add(
		Item{Key: "a", Title: "Caching prompts", Body: "A cached prefix is billed at a tenth."},
		Item{Key: "b", Title: "Weather", Body: "The cache of the forecast was cold. Prompt."},
		Item{Key: "c", Body: "th o be"},
	)
	for _, tt := range []struct{ query, want string }{
		{"prompt caching", "a"},
		{"CACHED PREFIXES", "a"},
		{"forecasts", "b"},
		{"to be or not to be", "c"}, // nothing but stop words: they are all there is
		{"quasar", ""},
		{"?!*", ""},
	} {
		if got := find(x, tt.query); got != tt.want {
			t.Errorf("Search(%q) = %q, want %q", tt.query, got, tt.want)
		}
	}
	if hits := x.Search("prompt", 0); len(hits) != 0 {
		t.Errorf("Search(…, 0) = %v", hits)
	}
	if hits := New(Config{}).Search("prompt", 5); len(hits) != 0 {
		t.Errorf("an empty index found %v", hits)
	}
	x.Add(Item{Key: "a", Title: "Weather", Body: "Other text under a key that is there."})
	if x.Len() != 3 || find(x, "billed") != "a" {
		t.Error("a key that is there was replaced")
	}
}

func TestTiesByKey(t *testing.T) {
	for _, config := range []Config{{}, {Plain: true}} {
		x := New(config)
		for _, k := range []string{"S10:para.1", "S2:para.10", "S2:para.9", "S1:para.1"} {
			x.Add(Item{Key: k, Body: "the same text"})
		}
		var keys []string
		for _, h := range x.Search("same text", 9) {
			keys = append(keys, h.Key)
		}
		if diff := cmp.Diff([]string{"S1:para.1", "S2:para.9", "S2:para.10", "S10:para.1"}, keys); diff != "" {
			t.Error(diff)
		}
	}
}

// TestOrderOfAdding: the same texts give the same hits and the same bits of score, whatever order they came in, and
// however often one asks.
func TestOrderOfAdding(t *testing.T) {
	vocabulary := strings.Fields("agent run cost cache token prompt price loop tool retry budget search page model context window step 41% 2024 1,200")
	rnd := rand.New(rand.NewPCG(1, 2))
	var items []Item
	for i := range 300 {
		var b strings.Builder
		for range 5 + rnd.IntN(40) {
			b.WriteString(vocabulary[rnd.IntN(len(vocabulary))] + " ")
		}
		items = append(items, Item{Key: fmt.Sprint("k", i), Title: vocabulary[rnd.IntN(len(vocabulary))], Body: b.String()})
	}
	first := New(Config{})
	first.Add(items...)
	for range 5 {
		rnd.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		x := New(Config{})
		for _, it := range items {
			x.Add(it)
		}
		for _, q := range []string{"what is the cost of an agent run", "cache price 1200", "retry budget search page"} {
			if want, got := first.Search(q, 50), x.Search(q, 50); !reflect.DeepEqual(want, got) {
				t.Fatalf("Search(%q) depends on the order of adding:\n%v\n%v", q, want[:3], got[:3])
			}
		}
	}
}

func TestCompareKeys(t *testing.T) {
	keys := []string{"S1:para.2", "S1:para.10", "S2:a.go:L1-L20", "S2:a.go:L21-L40", "S10:para.1", "a", "a0", "a00", "a1", "b"}
	shuffled := slices.Clone(keys)
	slices.Reverse(shuffled)
	slices.SortFunc(shuffled, compareKeys)
	if diff := cmp.Diff(keys, shuffled); diff != "" {
		t.Error(diff)
	}
}

// TestLongQuery: a query has bounds, and a page pasted as a query is none of the index's troubles.
func TestLongQuery(t *testing.T) {
	x := New(Config{})
	x.Add(Item{Key: "a", Body: "needle in hay"}, Item{Key: "b", Body: "hay and more hay"})
	if got := find(x, "needle "+strings.Repeat("夜班码头 hay ", 1<<20)); got == "" {
		t.Error("nothing found")
	}
}

// FuzzSearch: any text is a query, the same answers each time and in any order of adding, and a text is found by its own
// words.
func FuzzSearch(f *testing.F) {
	f.Add("NEAR/2 (\"x\" OR y)*", "x y 1,234.5 C++ don't 夜班")
	f.Add("6.814.000 12 500", "\xff\x02\n1.2.3' fooBar foo_bar-baz")
	f.Add("Storm (1999 film)", "The Storm was on. Müller STORM")
	f.Fuzz(func(t *testing.T, query, text string) {
		items := []Item{{Key: "a", Body: text}, {Key: "b", Title: query, Body: query + " " + text}, {Key: "c", Title: text}, {Key: "d", Body: query, Doc: "b"}}
		x, y := New(Config{Links: func(string) []string { return []string{"b", "c"} }}), New(Config{Links: func(string) []string { return []string{"c", "b"} }})
		x.Add(items...)
		for i := range items {
			y.Add(items[len(items)-1-i])
		}
		hits := x.Search(query, 3)
		if !reflect.DeepEqual(hits, x.Search(query, 3)) {
			t.Error("two answers to one query")
		}
		for _, h := range hits {
			if math.IsNaN(h.Score) || math.IsInf(h.Score, 0) {
				t.Errorf("%s has the score %v", h.Key, h.Score)
			}
		}
		if got, _ := tokens(query); len(got) > 0 && len(got) < 100 && len(query) < 1000 && len(hits) == 0 {
			t.Errorf("a text is not found by its own words %q", got)
		}
		plain := New(Config{Plain: true})
		plain.Add(items...)
		other := New(Config{Plain: true})
		for i := range items {
			other.Add(items[len(items)-1-i])
		}
		if !reflect.DeepEqual(plain.Search(query, 4), other.Search(query, 4)) {
			t.Error("the answer depends on the order of adding")
		}
		y.Search(query, 3) // of parts of a document the first added comes in, so only that nothing breaks
	})
}

// FuzzTerms: every token of a text, whatever its kind, finds the text when it is asked for by itself, and tokens are short
// and valid.
func FuzzTerms(f *testing.F) {
	f.Add("6,814,000 12.500 12 500 1,25,000 3,14 1.26.8 C++ fooBar foo-bar_baz don't Müller 夜班 ราคา ＡＢＣ")
	f.Add("\xff\x02\n'1.2.3' HTTPServer2x ﬁ\u0308 İ ǅ ŉ")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		x := New(Config{Plain: true})
		x.Add(Item{Key: "a", Body: text})
		words(text, func(w []byte, kind wordKind) {
			if len(w) == 0 || len(w) > maxWord || !utf8.Valid(w) && utf8.ValidString(text) {
				t.Errorf("a token of %d bytes: %q", len(w), w)
			}
			if hits := x.Search(string(w), 1); len(hits) != 1 {
				t.Errorf("%q has the token %q (%d), which does not find it", text, w, kind)
			}
		})
		Terms(text)
	})
}
