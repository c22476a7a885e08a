// Package corpus holds what a run has read, and finds things in it: sources under their ids, their spans, the span that
// fits a query, the span that holds a quote. It also makes a local corpus or folder searchable (Library), and reads
// one document as one effect (Reader).
package corpus

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"ibid/evidence"
	"ibid/fetch"
	"ibid/index"
)

// A Corpus is what one run has read. The same readings in the same order make the same corpus. It is safe for
// concurrent use.
type Corpus struct {
	mu       sync.RWMutex
	sources  []*source
	byID     map[string]*source
	byURL    map[string]*source   // canonical URLs, of every copy
	byText   map[string]*source   // contentHash
	byRaw    map[string]*source   // hex SHA-256 of the bytes
	declared map[string][]*source // by the canonical URL that they claim and were not read at
	spans    map[string]location  // by key
	index    *index.Index
}

// source is a source with what is derived from it.
type source struct {
	evidence.Source
	reading  *Reading
	spans    []evidence.Span
	at       map[evidence.Locator]int
	shingles []uint64
	doc      func() *evidence.Doc
}

type location struct {
	source *source
	span   int
}

// A Hit is a span that fits a query. Scores order the hits of one query.
type Hit struct {
	Key     evidence.Key
	Text    string
	Heading string
	Role    evidence.Role
	Score   float64
}

// New makes an empty corpus.
func New() *Corpus {
	c := &Corpus{
		byID: map[string]*source{}, byURL: map[string]*source{}, byText: map[string]*source{}, byRaw: map[string]*source{},
		declared: map[string][]*source{}, spans: map[string]location{},
	}
	c.index = index.New(index.Config{Links: c.leads})
	return c
}

// leads returns where the links that stand in a span lead to.
func (c *Corpus) leads(key string) (urls []string) {
	at := c.spans[key]
	for _, link := range at.source.reading.Links {
		if len(link.Text) > 1 && strings.Contains(at.source.spans[at.span].Text, link.Text) {
			urls = append(urls, canonical(link.URL))
		}
	}
	return urls
}

// Ingest takes a reading in and returns its source's id: S1, S2 … in order of ingest. It is not fresh if the document
// was there already, under this URL or another one (CORPUS-1, TOOLS-14); then the first reading stays as it is, for
// findings point into it.
func (c *Corpus) Ingest(r Reading) (id string, fresh bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	spans := r.spans("")
	if s := c.known(&r, spans); s != nil {
		c.alias(s, &r)
		return s.ID, false
	}
	s := &source{Source: r.Source, reading: &r, at: map[evidence.Locator]int{}, shingles: shingles(spans)}
	s.ID = evidence.SourceID(len(c.sources) + 1)
	s.URL = canonical(r.Source.URL)
	if s.Title = strings.TrimSpace(s.Title); s.Title == "" {
		s.Title = s.URL
	}
	s.spans = r.spans(s.ID)
	var items []index.Item
	for i, span := range s.spans {
		key := span.Key().String()
		if _, twice := c.spans[key]; twice { // of spans with one locator the first counts, as in evidence.Doc
			continue
		}
		s.at[span.Locator] = i
		c.spans[key] = location{s, i}
		items = append(items, index.Item{Key: key, Title: s.Title + "\n" + span.Heading, Body: span.Text, Doc: s.URL})
	}
	c.index.Add(items...)
	s.doc = sync.OnceValue(func() *evidence.Doc { return evidence.NewDoc(s.Kind, s.spans) })
	c.sources = append(c.sources, s)
	c.byID[s.ID] = s
	if len(spans) > 0 {
		c.byText[contentHash(s.Kind, spans)] = s
	}
	if s.SHA256 != "" {
		c.byRaw[s.SHA256] = s
	}
	if claim := canonical(r.Canonical); claim != "" && claim != s.URL {
		c.declared[claim] = append(c.declared[claim], s)
	}
	c.alias(s, &r)
	return s.ID, true
}

// Source returns what is known of a source.
func (c *Corpus) Source(id string) (evidence.Source, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if s := c.byID[id]; s != nil {
		return s.Source, true
	}
	return evidence.Source{}, false
}

// Sources returns all sources in order of ingest.
func (c *Corpus) Sources() []evidence.Source {
	c.mu.RLock()
	defer c.mu.RUnlock()
	list := make([]evidence.Source, len(c.sources))
	for i, s := range c.sources {
		list[i] = s.Source
	}
	return list
}

// Spans returns the quotable spans of a source in document order; nil for an unknown source. The slice is not to be
// changed.
func (c *Corpus) Spans(id string) []evidence.Span {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if s := c.byID[id]; s != nil {
		return s.spans
	}
	return nil
}

// Reading returns the reading that a source was made of, or nil. It is not to be changed.
func (c *Corpus) Reading(id string) *Reading {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if s := c.byID[id]; s != nil {
		return s.reading
	}
	return nil
}

// Doc returns a source made ready for looking up quotes, or nil.
func (c *Corpus) Doc(id string) *evidence.Doc {
	c.mu.RLock()
	s := c.byID[id]
	c.mu.RUnlock()
	if s == nil {
		return nil
	}
	return s.doc()
}

// ByURL returns the id of the source that was read at a URL, in whatever spelling, or "".
func (c *Corpus) ByURL(url string) string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if s := c.byURL[canonical(url)]; s != nil {
		return s.ID
	}
	return ""
}

// Search returns the k spans that fit a query best; ties break by source, then by locator (CORPUS-2). Of a source that a
// good span names or links to, the best span is lifted, or its first comes in.
func (c *Corpus) Search(query string, k int) []Hit {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var hits []Hit
	for _, h := range c.index.Search(query, k) {
		at := c.spans[h.Key]
		span := at.source.spans[at.span]
		hits = append(hits, Hit{span.Key(), span.Text, span.Heading, span.Role, h.Score})
	}
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), c.place(a.Key)-c.place(b.Key), evidence.Compare(a.Key.Locator, b.Key.Locator))
	})
	return hits
}

// place returns a source's position in order of ingest.
func (c *Corpus) place(k evidence.Key) int {
	n, _ := evidence.ParseSourceID(k.Source)
	return n
}

// Match looks for a quote in one span.
func (c *Corpus) Match(k evidence.Key, quote string) evidence.Match {
	doc := c.Doc(k.Source)
	if doc == nil {
		return evidence.Match{Kind: evidence.MatchNone, Reason: evidence.ReasonUnknownSpan, Locator: k.Locator}
	}
	return doc.Match(k.Locator, quote)
}

// Quote looks for a quote in the whole text of a source and returns the span that holds it (TOOLS-5).
func (c *Corpus) Quote(source, needle string) (evidence.Key, evidence.Match) {
	doc := c.Doc(source)
	if doc == nil {
		return evidence.Key{}, evidence.Match{Kind: evidence.MatchNone, Reason: evidence.ReasonUnknownSpan}
	}
	m := doc.Find(needle)
	if !m.OK() {
		return evidence.Key{}, m
	}
	return evidence.Key{Source: source, Locator: m.Locator}, m
}

// canonical returns the one spelling of a URL, or the URL as it is if it has none.
func canonical(url string) string {
	if c, err := fetch.CanonicalURL(url); err == nil {
		return c
	}
	return strings.TrimSpace(url)
}
