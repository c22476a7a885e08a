package corpus

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

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
	Kept       *Kept       // where the index is kept from one program to the next; nil: nowhere. Only for a shelf that is Dated
}

// A Library is a search provider over local documents: it answers as a web search does, with titles, addresses and one
// or two sentences. The first search reads every document once; what cannot be read is skipped and said so. Over a shelf
// that is Dated each search looks first at what has changed, and reads that again. It is safe for concurrent use.
type Library struct {
	config LibraryConfig
	reader Reader

	turn    chan struct{} // held by who reads on
	pending *holdings     // that are being read while others stand; nil: none

	mu sync.Mutex
	h  *holdings // what is searched
}

// shelved is a document that can be found, with its reading or at least its text.
type shelved struct {
	title, url string
	reading    *Reading
	text       string
	packed     []byte   // the text, where it is kept
	size       int      // of the text
	links      []string // canonical URLs of the other documents that it leads to
}

// body is the text under which a document is found.
func (d *shelved) body() string {
	switch {
	case d.reading != nil:
		return clipped(searchable(d.reading))
	case d.packed != nil:
		return unpacked(d.packed, d.size)
	}
	return d.text
}

// clipped is the part of a text that is searchable.
func clipped(text string) string {
	if len(text) > maxPerDocument {
		return strings.ToValidUTF8(text[:maxPerDocument], "")
	}
	return text
}

var _ search.Provider = (*Library)(nil)

// NewLibrary makes a library. Nothing is read before the first search.
func NewLibrary(c LibraryConfig) *Library {
	if c.MaxText <= 0 {
		c.MaxText = DefaultMaxText
	}
	l := &Library{config: c, reader: Reader{Fetcher: c.Shelf, Extract: c.Extract}, turn: make(chan struct{}, 1)}
	l.h = l.listed()
	return l
}

func (l *Library) current() *holdings {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.h
}

// Reading returns what the document at a URL says if it was read for searching and there was room to keep that, or nil;
// it is not to be changed. A Reader takes it in place of extracting the same bytes again.
func (l *Library) Reading(url string) *Reading {
	if d := l.current().doc(url); d != nil {
		return d.reading
	}
	return nil
}

// Text returns all of the text of the document at a URL, in words if not in form, as it was when the library last looked;
// ok is false if not all of it is known.
func (l *Library) Text(url string) (text string, ok bool) {
	d := l.current().doc(url)
	if d == nil || d.size >= maxPerDocument-utf8.UTFMax {
		return "", false
	}
	text = d.body()
	return text, len(text) == d.size
}

// Renew looks at what has changed, and reads it.
func (l *Library) Renew(ctx context.Context) error {
	_, err := l.fill(ctx)
	return err
}

// Name identifies the provider.
func (l *Library) Name() string { return l.config.Name }

// Search returns the documents that fit a query best. That a library of documents holds none that can be read is an
// error and not an empty answer (law 7).
func (l *Library) Search(ctx context.Context, query string, n int) (search.Answer, error) {
	h, err := l.fill(ctx)
	if err != nil {
		return search.Answer{}, err
	}
	if h.index.Len() == 0 && len(h.entries) > 0 {
		return search.Answer{}, &search.Error{Provider: l.config.Name, Outcome: search.Failed,
			Reason: fmt.Sprintf("none of the %d documents could be read", len(h.entries)), Hint: l.first()}
	}
	near, cost, err := h.meaning.search(ctx, query, candidates)
	if err != nil {
		return search.Answer{}, err
	}
	results := []search.Result{}
	terms := index.Terms(query)
	for _, hit := range h.index.SearchWith(query, near, n) {
		d := h.doc(hit.Key)
		results = append(results, search.Result{Title: d.title, URL: d.url, Snippet: snippet(d.body(), terms, h.index.Weight)})
	}
	return search.Answer{Results: results, MicroUSD: cost, Skipped: l.told()}, nil
}

// maxTold bounds the documents that a search names because they could not be read.
const maxTold = 100

// told are the documents that were skipped, for whoever asks.
func (l *Library) told() (list []search.Skipped) {
	for _, u := range l.Skipped() {
		if len(list) < maxTold {
			list = append(list, search.Skipped{URL: u.URL, Reason: u.Reason})
		}
	}
	return list
}

// Skipped lists the documents that cannot be found or not in full, with the reason, as far as the library was read.
func (l *Library) Skipped() []fetch.Unavailable {
	h := l.current()
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]fetch.Unavailable(nil), h.skipped...)
}

// first names the first document that was skipped and why.
func (l *Library) first() string {
	if skipped := l.Skipped(); len(skipped) > 0 {
		return fmt.Sprintf("%s: %s", skipped[0].URL, skipped[0].Reason)
	}
	return ""
}

// fill reads the documents that were not read yet, or have changed. One caller reads, the others wait. What was read
// before a caller gave up is kept.
func (l *Library) fill(ctx context.Context) (*holdings, error) {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	h, err := l.renewed()
	if err != nil {
		return nil, fmt.Errorf("library %s: %w", l.config.Name, err)
	}
	ahead := l.reading(ctx, h, h.next)
	defer func() { ahead.stop() }()
	for h.next < len(h.entries) {
		now, err := ahead.wait()
		if err != nil {
			return nil, fmt.Errorf("library %s: %w", l.config.Name, err)
		}
		ahead = l.reading(ctx, h, h.next+len(now.entries))
		if err := h.add(now.entries, now.got); err != nil { // what was kept is not what it says: all is read anew
			ahead.stop()
			h = l.listed()
			h.old, h.fresh, l.pending = map[string]*record{}, true, h
			ahead = l.reading(ctx, h, 0)
			continue
		}
		h.next += len(now.entries)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.settle(h)
	return h, nil
}

// A batch is documents that are being read while those before them are indexed, so that no processor waits for the other.
type batch struct {
	entries []fetch.Entry
	got     []taken
	group   *errgroup.Group
	cancel  context.CancelFunc
}

// reading begins to read the documents from a position of the list on.
func (l *Library) reading(ctx context.Context, h *holdings, from int) *batch {
	ctx, cancel := context.WithCancel(ctx)
	b := &batch{entries: h.entries[from:min(from+chunk, len(h.entries))], cancel: cancel}
	b.got = make([]taken, len(b.entries))
	b.group, ctx = errgroup.WithContext(ctx)
	b.group.SetLimit(workers + 1) // one of them hands out the rest
	b.group.Go(func() error {
		for i, e := range b.entries {
			b.group.Go(func() (err error) {
				b.got[i], err = l.take(ctx, h, e)
				return err
			})
		}
		return nil
	})
	return b
}

// wait returns a batch when it was read.
func (b *batch) wait() (*batch, error) {
	defer b.cancel()
	return b, b.group.Wait()
}

// stop gives up what is not wanted any more.
func (b *batch) stop() {
	b.cancel()
	_ = b.group.Wait()
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
			if strings.ContainsAny(text, "\n\x02") { // most have none
				text = unwrap.Replace(text)
			}
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
