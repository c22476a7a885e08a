package corpus

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ibid/extract"
	"ibid/fetch"
	"ibid/search"
	"ibid/search/searchtest"
)

func library(s Shelf) *Library {
	return NewLibrary(LibraryConfig{Name: "library", Shelf: s, Extract: paragraphs})
}

func TestLibrary(t *testing.T) {
	s := newShelf(
		"https://a.example/storm", "# Storm report\n\n"+storm+"\n\n"+strings.Repeat("Filler about nothing at all. ", 300),
		"https://a.example/tides", "# Tides\n\n"+tides,
		"https://a.example/hub", "# Links\n\n> https://a.example/storm",
		"https://a.example/empty", "",
		"https://a.example/bin", "! bytes",
	)
	s.order = append(s.order, "https://a.example/gone")
	l := library(s)
	searchtest.Conform(t, l, "storm buoys", "quasar")
	answer, err := l.Search(t.Context(), "how many buoys did the storm move?", 8)
	results := answer.Results
	if err != nil {
		t.Fatal(err)
	}
	if r := results[0]; r.URL != "https://a.example/storm" || r.Title != "Storm report" || !strings.HasPrefix(r.Snippet, "The storm moved eleven buoys") {
		t.Errorf("best result %+v", r)
	}
	for _, r := range results {
		if utf8.RuneCountInString(r.Snippet) > snippetLength {
			t.Errorf("the snippet of %s is page content: %d characters", r.URL, utf8.RuneCountInString(r.Snippet))
		}
		if !strings.Contains(s.pages[r.URL], r.Snippet) && r.Snippet != "link" {
			t.Errorf("the snippet of %s is not its own words: %q", r.URL, r.Snippet)
		}
	}
	skipped := map[string]fetch.Outcome{}
	for _, u := range l.Skipped() {
		skipped[u.URL] = u.Outcome
	}
	for url, want := range map[string]fetch.Outcome{"https://a.example/empty": fetch.Empty, "https://a.example/bin": fetch.Unsupported, "https://a.example/gone": fetch.NotFound} {
		if skipped[url] != want {
			t.Errorf("%s was skipped as %q, want %q", url, skipped[url], want)
		}
	}
	if len(skipped) != 3 {
		t.Errorf("skipped %v", skipped)
	}
}

func TestLibraryWithoutReadableDocuments(t *testing.T) {
	_, err := library(newShelf("https://a.example/", "! bytes")).Search(t.Context(), "storm", 8)
	var failed *search.Error
	if !errors.As(err, &failed) || failed.Outcome != search.Failed {
		t.Errorf("Search = %v: an unreadable library is no empty answer", err)
	}
	if got, err := library(newShelf()).Search(t.Context(), "storm", 8); err != nil || len(got.Results) != 0 {
		t.Errorf("an empty folder: %v, %v", got, err)
	}
}

func TestLibraryIsBounded(t *testing.T) {
	s := &shelf{pages: map[string]string{}}
	for i := range 200 {
		url := fmt.Sprintf("https://a.example/%d", i)
		s.order = append(s.order, url)
		s.pages[url] = strings.Repeat(fmt.Sprintf("Sentence %d about cranes. ", i), 40)
	}
	s.pages["https://a.example/0"] = strings.Repeat("A very long paragraph about cranes. ", maxPerDocument/30)
	l := NewLibrary(LibraryConfig{Name: "library", Shelf: s, Extract: paragraphs, MaxText: maxPerDocument + 50_000})
	if _, err := l.Search(t.Context(), "cranes", 8); err != nil {
		t.Fatal(err)
	}
	if l.current().size > l.config.MaxText {
		t.Errorf("%d bytes are kept, more than %d", l.current().size, l.config.MaxText)
	}
	found := len(l.current().docs)
	if skipped := len(l.Skipped()); found < 2 || skipped != 200-found+1 { // one document is found by its beginning
		t.Errorf("%d documents are searchable, %d are named as not or not in full", found, skipped)
	}
}

// TestReadingIsShared: what a search found is not extracted again to be read, unless its bytes are other ones by then.
func TestReadingIsShared(t *testing.T) {
	s := newShelf("https://a.example/storm", "# Storm report\n\n"+storm, "https://a.example/tides", "# Tides\n\n"+tides)
	extracted := 0
	counting := func(ctx context.Context, in extract.Input) (*extract.Page, error) {
		extracted++
		return paragraphs(ctx, in)
	}
	l := NewLibrary(LibraryConfig{Name: "library", Shelf: s, Extract: paragraphs})
	r := &Reader{Fetcher: s, Extract: counting, Known: l.Reading}
	fresh, err := r.Read(t.Context(), "https://a.example/storm")
	if err != nil || extracted != 1 {
		t.Fatalf("before the library was read: %v, extracted %d times", err, extracted)
	}
	if _, err := l.Search(t.Context(), "storm", 8); err != nil {
		t.Fatal(err)
	}
	known, err := r.Read(t.Context(), "https://a.example/storm")
	if err != nil || extracted != 1 {
		t.Errorf("%v, extracted %d times", err, extracted)
	}
	if diff := cmp.Diff(fresh, known); diff != "" {
		t.Errorf("the kept reading is another one:\n%s", diff)
	}
	s.pages["https://a.example/storm"] = "# Storm report\n\nThere was no storm at all, the paper said on the next morning."
	if again, err := r.Read(t.Context(), "https://a.example/storm"); err != nil || extracted != 2 || strings.Contains(again.Blocks[0].Text, "eleven") {
		t.Errorf("after the document changed: %v, extracted %d times", err, extracted)
	}
}

// TestLibraryFollowsLinksAndNames: what the best document links to, or names by its title, is found though it shares no
// word with the question.
func TestLibraryFollowsLinksAndNames(t *testing.T) {
	linking := func(ctx context.Context, in extract.Input) (*extract.Page, error) {
		p, err := paragraphs(ctx, in)
		if err == nil && strings.HasSuffix(in.URL, "/storm") {
			p.Links = []extract.Link{{URL: "HTTPS://A.example:443/tides#now", Text: "tables"}, {URL: "https://elsewhere.example/", Text: "x"}}
		}
		return p, err
	}
	s := newShelf("https://a.example/storm", "# Storm report\n\n"+storm+" The Harbour Club paid for it.", "https://a.example/tides", "# Tides\n\nThey are printed each year.",
		"https://a.example/club", "# Harbour Club\n\nFounded by seven people.", "https://a.example/other", "# Other\n\nNothing of interest stands here.")
	l := NewLibrary(LibraryConfig{Name: "library", Shelf: s, Extract: linking})
	answer, err := l.Search(t.Context(), "how many buoys did the storm move?", 8)
	if err != nil {
		t.Fatal(err)
	}
	var urls []string
	for _, r := range answer.Results {
		urls = append(urls, r.URL)
	}
	if diff := cmp.Diff([]string{"https://a.example/storm", "https://a.example/club", "https://a.example/tides"}, urls); diff != "" {
		t.Error(diff)
	}
}

// blocking is a shelf whose documents come when they are let.
type blocking struct {
	*shelf
	gate  chan struct{}
	count sync.Map
}

func (b *blocking) Fetch(ctx context.Context, url string) (*fetch.Document, error) {
	select {
	case <-b.gate:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if _, twice := b.count.LoadOrStore(url, true); twice {
		return nil, fmt.Errorf("%s is read twice", url)
	}
	return b.shelf.Fetch(ctx, url)
}

// TestLibraryGivesUpAndGoesOn: a search that is cancelled while the library is read returns at once, and the next one
// has the whole library, each document read once.
func TestLibraryGivesUpAndGoesOn(t *testing.T) {
	b := &blocking{shelf: newShelf("https://a.example/storm", storm, "https://a.example/tides", tides), gate: make(chan struct{})}
	l := library(b)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Search(ctx, "storm", 8); !errors.Is(err, context.Canceled) {
		t.Errorf("Search = %v", err)
	}
	close(b.gate)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			if got, err := l.Search(t.Context(), "storm", 8); err != nil || len(got.Results) != 1 {
				t.Errorf("Search = %v, %v", got, err)
			}
		})
	}
	wg.Wait()
}

func TestSnippet(t *testing.T) {
	flat := func(string) float64 { return 1 }
	long := strings.Repeat("and so it went on and on without any point at all ", 20) + "until the crane fell into the harbour" + strings.Repeat(" and nobody saw it happen that night", 20)
	for _, tt := range []struct{ text, query, want string }{
		{"", "crane", ""},
		{"The crane fell. It was red.\nOther line about ships.", "crane", "The crane fell. It was red."},
		{"Crane\nNobody had oiled the crane in the port for 3.5 years.", "crane", "Nobody had oiled the crane in the port for 3.5 years."},
		{"One. Two.", "absent", "One. Two."},
		{"吊机使用量上升。北部码头去年新增夜班。", "夜班", "北部码头去年新增夜班。"},
	} {
		var terms []string
		if tt.query != "" {
			terms = strings.Fields(tt.query)
		}
		if got := snippet(tt.text, terms, flat); got != tt.want {
			t.Errorf("snippet(%q, %s) = %q, want %q", tt.text, tt.query, got, tt.want)
		}
	}
	got := snippet(long, []string{"crane"}, flat)
	if !strings.Contains(got, "crane fell") || !strings.Contains(long, got) || utf8.RuneCountInString(got) > snippetLength {
		t.Errorf("snippet of a long sentence: %q", got)
	}
	if got := snippet(strings.Repeat("夜班码头", 300), []string{"夜班"}, flat); utf8.RuneCountInString(got) > snippetLength || got == "" {
		t.Errorf("snippet of a text without spaces has %d characters", utf8.RuneCountInString(got))
	}
}

func FuzzSnippet(f *testing.F) {
	f.Add("The crane fell. It was red.", "crane")
	f.Add("a\n。b!\xff x", "x")
	f.Add("0", "")
	f.Add("\x82\x1aB\xa1,=1A", "0")
	f.Fuzz(func(t *testing.T, text, term string) {
		got := snippet(text, []string{term}, func(string) float64 { return 1 })
		if !strings.Contains(text, got) || utf8.RuneCountInString(got) > snippetLength && utf8.ValidString(text) {
			t.Errorf("snippet(%q, %q) = %q", text, term, got)
		}
	})
}
