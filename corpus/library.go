package corpus

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"ibid/evidence"
	"ibid/fetch"
	"ibid/index"
	"ibid/search"
)

// Bounds of a library. Its index takes about as much again as the text, and the readings that are kept as they are up to
// twice that, so a full library stays under 150 MB.
const (
	DefaultMaxText = 32 << 20  // bytes of text that are searchable
	maxPerDocument = 512 << 10 // bytes of one document's text that are searchable; all of it can be read
	maxReadings    = 48 << 20  // bytes of readings that are kept for who reads what a search found
	blockBytes     = 320       // of a block beside its text
	chunk          = 64        // documents that are extracted before their texts are indexed
	workers        = 2         // documents that are extracted at a time
	candidates     = 100       // that meaning brings to a search
)

// A Shelf is a set of documents that can be listed and fetched: an offline corpus or a folder.
type Shelf interface {
	fetch.Fetcher
	Entries() []fetch.Entry
}

// LibraryConfig describes a library.
type LibraryConfig struct {
	Name    string // of the provider, lower case
	Shelf   Shelf
	Extract Extractor
	MaxText int // bytes of text that are searchable; 0 means DefaultMaxText

	Embeddings *Embeddings // nil: searches go by words alone
}

// A Library is a search provider over local documents: it answers as a web search does, with titles, addresses and one
// or two sentences. The first search reads every document once; what cannot be read is skipped and said so. It is safe
// for concurrent use.
type Library struct {
	config LibraryConfig
	reader Reader

	turn    chan struct{} // held by who reads on
	entries []fetch.Entry
	here    map[string]bool // canonical URLs of the entries
	next    int             // entries that were read
	size    int             // bytes of text kept
	room    int             // bytes left for readings
	index   *index.Index
	meaning *understanding // may be nil

	mu      sync.Mutex
	docs    map[string]*shelved // by URL
	skipped []fetch.Unavailable
}

// shelved is a document that can be found, with its reading or at least its text.
type shelved struct {
	title, url string
	reading    *Reading
	text       string
	links      []string // canonical URLs of the other documents that it leads to
}

var _ search.Provider = (*Library)(nil)

// NewLibrary makes a library. Nothing is read before the first search.
func NewLibrary(c LibraryConfig) *Library {
	if c.MaxText <= 0 {
		c.MaxText = DefaultMaxText
	}
	l := &Library{config: c, reader: Reader{Fetcher: c.Shelf, Extract: c.Extract}, turn: make(chan struct{}, 1), entries: c.Shelf.Entries(),
		room: maxReadings, meaning: newUnderstanding(c.Embeddings), here: map[string]bool{}, docs: map[string]*shelved{}}
	for _, e := range l.entries {
		l.here[canonical(e.URL)] = true
	}
	l.index = index.New(index.Config{Links: func(url string) []string { return l.doc(url).links }})
	return l
}

func (l *Library) doc(url string) *shelved {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.docs[url]
}

// Reading returns what the document at a URL says if it was read for searching and there was room to keep that, or nil;
// it is not to be changed. A Reader takes it in place of extracting the same bytes again.
func (l *Library) Reading(url string) *Reading {
	if d := l.doc(url); d != nil {
		return d.reading
	}
	return nil
}

// Name identifies the provider.
func (l *Library) Name() string { return l.config.Name }

// Search returns the documents that fit a query best. That a library of documents holds none that can be read is an
// error and not an empty answer (law 7).
func (l *Library) Search(ctx context.Context, query string, n int) (search.Answer, error) {
	if err := l.fill(ctx); err != nil {
		return search.Answer{}, err
	}
	if l.index.Len() == 0 && len(l.entries) > 0 {
		return search.Answer{}, &search.Error{Provider: l.config.Name, Outcome: search.Failed,
			Reason: fmt.Sprintf("none of the %d documents could be read", len(l.entries)), Hint: l.first()}
	}
	near, cost, err := l.meaning.search(ctx, query, candidates)
	if err != nil {
		return search.Answer{}, err
	}
	results := []search.Result{}
	terms := index.Terms(query)
	for _, h := range l.index.SearchWith(query, near, n) {
		d := l.doc(h.Key)
		text := d.text
		if d.reading != nil {
			text = searchable(d.reading)
		}
		results = append(results, search.Result{Title: d.title, URL: d.url, Snippet: snippet(text, terms, l.index.Weight)})
	}
	return search.Answer{Results: results, MicroUSD: cost}, nil
}

// Skipped lists the documents that cannot be found or not in full, with the reason, as far as the library was read.
func (l *Library) Skipped() []fetch.Unavailable {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]fetch.Unavailable(nil), l.skipped...)
}

func (l *Library) skip(u fetch.Unavailable) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.skipped = append(l.skipped, u)
}

// first names the first document that was skipped and why.
func (l *Library) first() string {
	if skipped := l.Skipped(); len(skipped) > 0 {
		return fmt.Sprintf("%s: %s", skipped[0].URL, skipped[0].Reason)
	}
	return ""
}

// fill reads the documents that were not read yet. One caller reads, the others wait. What was read before a caller
// gave up is kept.
func (l *Library) fill(ctx context.Context) error {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for l.next < len(l.entries) {
		batch := l.entries[l.next:min(l.next+chunk, len(l.entries))]
		readings := make([]*Reading, len(batch))
		failures := make([]*fetch.Unavailable, len(batch))
		g, gctx := errgroup.WithContext(ctx)
		g.SetLimit(workers)
		for i, e := range batch {
			g.Go(func() error {
				r, err := l.reader.Read(gctx, e.URL)
				if err != nil && !errors.As(err, &failures[i]) {
					return err
				}
				if r != nil {
					r.Raw = nil // only the text is kept
				}
				readings[i] = r
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			return fmt.Errorf("library %s: %w", l.config.Name, err)
		}
		var items []index.Item
		for i, e := range batch {
			if failures[i] != nil {
				l.skip(*failures[i])
			} else if item := l.shelve(e, readings[i]); item != nil {
				items = append(items, *item)
			}
		}
		l.index.Add(items...)
		l.meaning.expect(items)
		l.next += len(batch)
	}
	return ctx.Err()
}

// shelve keeps a reading, and returns the item by which it is found; nil if there is no room, or it is there already.
func (l *Library) shelve(e fetch.Entry, r *Reading) *index.Item {
	text := searchable(r)
	d := &shelved{title: r.Source.Title, url: r.Source.URL, text: text, links: l.leads(r)}
	cost := len(text) + blockBytes*(len(r.Blocks)+len(r.Links))
	if len(text) > maxPerDocument {
		text = strings.ToValidUTF8(text[:maxPerDocument], "")
		l.skip(fetch.Unavailable{URL: e.URL, Outcome: fetch.TooLarge, Reason: fmt.Sprintf("only its first %d KiB are searched", maxPerDocument>>10),
			Hint: "All of it can be read."})
	}
	if l.size+len(text) > l.config.MaxText {
		l.skip(fetch.Unavailable{URL: e.URL, Outcome: fetch.TooLarge, Reason: fmt.Sprintf("the library is full: %d MiB of text", l.config.MaxText>>20),
			Hint: "Take a smaller folder, or read it by its address."})
		return nil
	}
	names := d.title
	if e.Title != d.title {
		names += "\n" + e.Title
	}
	if d.title == "" {
		d.title = e.Title
	}
	if l.doc(d.url) != nil {
		return nil // one entry redirects to the other
	}
	if d.text = text; cost <= l.room {
		d.text, d.reading = "", r
		l.room -= cost
	}
	l.size += len(text)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.docs[d.url] = d
	return &index.Item{Key: d.url, Title: names, Body: text, Doc: canonical(d.url)}
}

// leads returns the canonical URLs of the library's documents that a reading links to, each once.
func (l *Library) leads(r *Reading) (urls []string) {
	seen := map[string]bool{}
	for _, link := range r.Links {
		if url := canonical(link.URL); l.here[url] && !seen[url] {
			seen[url] = true
			urls = append(urls, url)
		}
	}
	return urls
}

// unwrap joins the lines that a page's width broke, and the words that were hyphenated there (U+0002 in PDFs).
var unwrap = strings.NewReplacer("\x02\r\n", "", "\x02\n", "", "\x02", "", "\r\n", " ", "\n", " ")

// searchable is the text under which a document is found: its main content, a block a line, or for a page of links
// their texts. Code keeps its lines.
func searchable(r *Reading) string {
	var b strings.Builder
	for _, block := range r.Blocks {
		text := block.Text
		if r.Source.Kind != evidence.Repo && block.Role != evidence.RoleCode {
			text = unwrap.Replace(text)
		}
		b.WriteString(text)
		b.WriteByte('\n')
	}
	if b.Len() == 0 {
		for _, link := range r.Links {
			b.WriteString(link.Text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}
