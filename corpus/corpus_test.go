package corpus

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/evidence"
	"ibid/extract"
	"ibid/fetch"
)

// paragraphs is an extractor for these tests: blank lines separate blocks; lines that begin with a sign are metadata.
func paragraphs(_ context.Context, in extract.Input) (*extract.Page, error) {
	p := &extract.Page{Kind: evidence.Text, By: "paragraphs/1"}
	for _, line := range strings.Split(string(in.Body), "\n\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case line[0] == '#':
			p.Title = line[2:]
		case line[0] == '@':
			p.Canonical = line[2:]
		case line[0] == '>':
			p.Links = append(p.Links, extract.Link{URL: line[2:], Text: "link"})
			p.Flags = []string{extract.FlagHub}
		case line[0] == '!':
			return nil, fmt.Errorf("these bytes are no text")
		default:
			n := len(p.Blocks) + 1
			p.Blocks = append(p.Blocks, extract.Block{Locator: evidence.Locator{Unit: evidence.Para, A: n}, Text: line, Main: true,
				Quotable: line[0] != '-'})
		}
	}
	return p, nil
}

// shelf serves texts by URL.
type shelf struct {
	pages map[string]string
	order []string
}

func (s *shelf) Entries() (list []fetch.Entry) {
	for _, u := range s.order {
		list = append(list, fetch.Entry{URL: u})
	}
	return list
}

func (s *shelf) Fetch(ctx context.Context, url string) (*fetch.Document, error) {
	body, ok := s.pages[url]
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !ok:
		return nil, &fetch.Unavailable{URL: url, Outcome: fetch.NotFound, Reason: "not there"}
	}
	return &fetch.Document{Requested: url, URL: url, Body: []byte(body), Fetched: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)}, nil
}

func newShelf(pages ...string) *shelf {
	s := &shelf{pages: map[string]string{}}
	for i := 0; i < len(pages); i += 2 {
		s.order = append(s.order, pages[i])
		s.pages[pages[i]] = pages[i+1]
	}
	return s
}

func read(t testing.TB, url, text string) Reading {
	t.Helper()
	s := newShelf(url, text)
	r, err := (&Reader{Fetcher: s, Extract: paragraphs}).Read(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return *r
}

const (
	storm = "The storm moved eleven buoys off their marks during the night of the third. Two were found on the beach."
	tides = "Tide tables for the northern quay are printed each November and cost nothing to members of the harbour club."
)

func TestIngest(t *testing.T) {
	c := New()
	ingest := func(url, text, wantID string, wantFresh bool) {
		t.Helper()
		if id, fresh := c.Ingest(read(t, url, text)); id != wantID || fresh != wantFresh {
			t.Errorf("Ingest(%s) = %s, %v, want %s, %v", url, id, fresh, wantID, wantFresh)
		}
	}
	ingest("https://news.example/storm", "# Storm\n\n"+storm, "S1", true)
	ingest("https://news.example/storm", "# Storm\n\n"+storm, "S1", false)
	ingest("https://NEWS.example:443/storm?utm_source=x#top", "# Storm\n\n"+storm, "S1", false)
	ingest("https://news.example/storm", "# Storm, changed\n\n"+tides, "S1", false) // the URL was read: it stays what was read
	ingest("https://copy.example/a", "# Another title\n\n- menu\n\n"+storm, "S1", false)
	ingest("https://tides.example/", "# Tides\n\n"+tides, "S2", true)
	ingest("https://hub.example/", "> https://a.example/\n\n> https://b.example/", "S3", true)
	ingest("https://hub2.example/", "> https://c.example/", "S4", true) // two pages without text are not the same page
	for url, want := range map[string]string{
		"https://copy.example/a?fbclid=1": "S1", "http://nowhere.example/": "", "": "", "https://tides.example": "S2",
	} {
		if got := c.ByURL(url); got != want {
			t.Errorf("ByURL(%q) = %q, want %q", url, got, want)
		}
	}
	if s, ok := c.Source("S1"); !ok || s.Title != "Storm" || s.ID != "S1" || s.URL != "https://news.example/storm" {
		t.Errorf("S1 is %+v", s)
	}
	if s, _ := c.Source("S3"); s.Title != "https://hub.example/" || len(c.Spans("S3")) != 0 || len(c.Reading("S3").Links) != 2 {
		t.Errorf("S3 is %+v", s)
	}
	if len(c.Sources()) != 4 || c.Spans("S9") != nil || c.Doc("S9") != nil || c.Reading("S9") != nil {
		t.Error("an unknown source is known")
	}
	if s := c.Spans("S1"); len(s) != 1 || s[0].Source != "S1" {
		t.Errorf("spans of S1: %v", s)
	}
}

func TestCanonicalNeedsTheText(t *testing.T) {
	amp := "@ https://news.example/storm\n\n" + storm
	full := "@ https://news.example/storm?utm_source=self\n\n" + storm + "\n\n" + tides // says more than the short copy
	for name, order := range map[string][2][2]string{
		"copy first": {{"https://news.example/amp/storm", amp}, {"https://news.example/storm?fbclid=3", full}},
		"page first": {{"https://news.example/storm?fbclid=3", full}, {"https://news.example/amp/storm", amp}},
		"two copies": {{"https://news.example/amp/storm", amp}, {"https://m.news.example/storm", full}},
	} {
		c := New()
		first, _ := c.Ingest(read(t, order[0][0], order[0][1]))
		second, fresh := c.Ingest(read(t, order[1][0], order[1][1]))
		if first != second || fresh {
			t.Errorf("%s: %s and %s are two sources", name, first, second)
		}
		if s, _ := c.Source(first); name != "two copies" && s.URL != "https://news.example/storm" {
			t.Errorf("%s: shown as %s", name, s.URL)
		}
	}
	c := New()
	a, _ := c.Ingest(read(t, "https://blog.example/1", "@ https://blog.example/\n\n"+storm))
	b, _ := c.Ingest(read(t, "https://blog.example/2", "@ https://blog.example/\n\n"+tides))
	home, _ := c.Ingest(read(t, "https://blog.example/", "Welcome to a blog about harbours, with new posts each Friday morning."))
	if a == b || a == home || b == home {
		t.Errorf("pages that only claim to be the same: %s, %s, %s", a, b, home)
	}
	if s, _ := c.Source(a); s.URL != "https://blog.example/1" {
		t.Errorf("an unproven claim became the address: %s", s.URL)
	}
}

// A page that names another one as its original, holds its text and adds to it, gets neither its address nor its place.
func TestImpostors(t *testing.T) {
	const at = "https://news.example/storm"
	honest := storm + "\n\n" + tides
	forged := "@ " + at + "\n\n" + honest + "\n\nThe harbour office asks every reader to send the deposit for the new quay to the account that is named on this page today."
	for name, impostor := range map[string][2]string{
		"another site":    {"https://evil.example/storm", forged},
		"its own site":    {"https://news.example/users/7/post", forged},
		"a line of it":    {"https://news.example/users/7/line", "@ " + at + "\n\n" + storm[:40]},
		"another's words": {"https://evil.example/copy", "@ " + at + "\n\n" + storm},
	} {
		c := New()
		bad, _ := c.Ingest(read(t, impostor[0], impostor[1]))
		good, fresh := c.Ingest(read(t, at, honest))
		if good == bad || !fresh {
			t.Errorf("%s: the page is taken for its impostor", name)
		}
		if s, _ := c.Source(bad); s.URL != impostor[0] {
			t.Errorf("%s: the impostor is shown as %s", name, s.URL)
		}
		if s, _ := c.Source(good); s.URL != at || len(c.Spans(good)) != 2 {
			t.Errorf("%s: the page is shown as %s with %d spans", name, s.URL, len(c.Spans(good)))
		}
	}
}

func TestSearchAndQuote(t *testing.T) {
	c := New()
	c.Ingest(read(t, "https://a.example/", "# Storm report\n\n"+storm+"\n\n- Storm menu storm storm\n\nNet cash was $6,814,000 for the quarter."))
	c.Ingest(read(t, "https://b.example/", "# Tides\n\n"+tides))
	hits := c.Search("what did the storm move", 5)
	if len(hits) == 0 || hits[0].Key.String() != "S1:para.1" || hits[0].Text != storm {
		t.Fatalf("Search = %v", hits)
	}
	for _, h := range hits {
		if strings.HasPrefix(h.Text, "- ") {
			t.Error("what cannot be quoted was found")
		}
	}
	if hits := c.Search("6814000", 5); len(hits) != 1 || hits[0].Key.String() != "S1:para.3" {
		t.Errorf("Search(6814000) = %v", hits)
	}
	if hits := c.Search("quasar", 5); len(hits) != 0 {
		t.Errorf("Search(quasar) = %v", hits)
	}
	key, m := c.Quote("S1", "eleven buoys off their marks")
	if !m.OK() || key.String() != "S1:para.1" || m.Quote != "eleven buoys off their marks" {
		t.Errorf("Quote = %v, %+v", key, m)
	}
	if m := c.Match(key, "eleven buoys off their marks"); m.Kind != evidence.MatchExact {
		t.Errorf("Match = %+v", m)
	}
	if _, m := c.Quote("S1", "twelve buoys off their marks"); m.OK() {
		t.Errorf("an altered quote was found: %+v", m)
	}
	if _, m := c.Quote("S7", "eleven buoys off their marks"); m.OK() || m.Reason != evidence.ReasonUnknownSpan {
		t.Errorf("a quote in an unknown source: %+v", m)
	}
	if m := c.Match(evidence.Key{Source: "S7"}, "eleven buoys"); m.OK() {
		t.Errorf("a match in an unknown source: %+v", m)
	}
}

// TestSearchHops: a source that a good span names or links to comes in with its best span, or with its first, and never
// with all of them.
func TestSearchHops(t *testing.T) {
	c := New()
	report := read(t, "https://a.example/", "# Report\n\n"+storm+"\n\nThe Halden Harbour Board counted the losses; the tables are elsewhere.")
	report.Links = []extract.Link{{URL: "https://b.example/#x", Text: "the tables"}}
	c.Ingest(report)
	c.Ingest(read(t, "https://b.example/", "# Tides\n\n"+tides+"\n\nThey are made by hand."))
	c.Ingest(read(t, "https://c.example/", "# Halden Harbour Board\n\nFounded by seven people.\n\nIts losses of old are forgotten.\n\nIt meets on Mondays."))
	found := map[string]int{}
	for i, h := range c.Search("who counted the losses", 8) {
		found[h.Key.String()] = i + 1
	}
	if found["S1:para.2"] != 1 || found["S3:para.2"] == 0 || found["S2:para.1"] == 0 || len(found) != 3 {
		t.Errorf("found %v", found)
	}
}

// TestSameReadingsSameCorpus: a corpus built again from recorded readings is the same, as a replay needs it.
func TestSameReadingsSameCorpus(t *testing.T) {
	var readings []Reading
	for i := range 12 {
		readings = append(readings, read(t, fmt.Sprintf("https://h%d.example/p", i%5), fmt.Sprintf("# Page %d\n\n%s\n\nNumber %d of the crane fees.\n\nSame line.", i, storm, i)))
	}
	build := func() (string, *Corpus) {
		c := New()
		var b strings.Builder
		for _, r := range readings {
			body, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			var again Reading
			if err := json.Unmarshal(body, &again); err != nil {
				t.Fatal(err)
			}
			r.Raw = nil
			if diff := cmp.Diff(r, again); diff != "" {
				t.Errorf("a reading does not survive its record:\n%s", diff)
			}
			id, fresh := c.Ingest(again)
			fmt.Fprintln(&b, id, fresh)
		}
		for _, q := range []string{"crane fees", "same line", "storm buoys", ""} {
			fmt.Fprintln(&b, c.Search(q, 20))
		}
		fmt.Fprintln(&b, c.Sources())
		return b.String(), c
	}
	want, c := build()
	for range 3 {
		if got, _ := build(); got != want {
			t.Fatalf("two builds differ:\n%s\n%s", want, got)
		}
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			c.Search("crane fees", 5)
			c.Quote("S1", "eleven buoys off their marks")
			c.Ingest(readings[i])
		})
	}
	wg.Wait()
}

func TestReader(t *testing.T) {
	s := newShelf("https://a.example/", "# Title\n\n- menu\n\n"+storm, "https://hub.example/", "> https://a.example/", "https://empty.example/", " ",
		"https://menu.example/", "- only a menu", "https://bin.example/", "! bytes")
	r := &Reader{Fetcher: s, Extract: paragraphs}
	got, err := r.Read(t.Context(), "https://a.example/")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(s.pages["https://a.example/"]))
	if got.Source.SHA256 != hex.EncodeToString(sum[:]) || string(got.Raw) != s.pages["https://a.example/"] || got.Source.ID != "" {
		t.Errorf("provenance: %+v", got.Source)
	}
	if got.Source.TextSHA256 != evidence.TextHash(got.spans("S7")) {
		t.Error("the text's hash depends on the source's id")
	}
	if hub, err := r.Read(t.Context(), "https://hub.example/"); err != nil || len(hub.Links) != 1 {
		t.Errorf("a hub page is read for its links: %v, %v", hub, err)
	}
	for url, want := range map[string]fetch.Outcome{
		"https://empty.example/": fetch.Empty, "https://menu.example/": fetch.Empty, "https://bin.example/": fetch.Unsupported, "https://no.example/": fetch.NotFound,
	} {
		_, err := r.Read(t.Context(), url)
		u, ok := err.(*fetch.Unavailable)
		if !ok || u.Outcome != want || u.Reason == "" {
			t.Errorf("Read(%s) = %v, want %s", url, err, want)
		}
	}
	for flag, want := range map[string]fetch.Outcome{extract.FlagNoText: fetch.Unsupported, extract.FlagGarbled: fetch.Unsupported, extract.FlagLFSPointer: fetch.Unsupported} {
		if u := unquotable("u", []string{flag}); u.Outcome != want {
			t.Errorf("%s is %s: only a document without text is empty", flag, u.Outcome)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Read(ctx, "https://a.example/"); err != context.Canceled {
		t.Errorf("a cancelled read: %v", err)
	}
}

func TestReadersKeepOnlyMainBlocks(t *testing.T) {
	page := &extract.Page{Kind: evidence.HTML, Blocks: []extract.Block{{Text: "nav"}, {Text: "shown", Main: true}, {Text: "said", Main: true, Quotable: true}}}
	r := newReading(&fetch.Document{URL: "https://a.example/", Requested: "https://b.example/"}, page)
	var texts []string
	for _, b := range r.Blocks {
		texts = append(texts, b.Text)
	}
	if !reflect.DeepEqual(texts, []string{"shown", "said"}) || r.Requested != "https://b.example/" {
		t.Errorf("blocks %q of %s", texts, r.Requested)
	}
}
