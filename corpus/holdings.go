package corpus

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"ibid/fetch"
	"ibid/index"
)

// A Dated shelf can be listed anew, and tells the version of a document without reading it: a folder.
type Dated interface {
	Shelf
	Renew() error
	Stamp(url string) (fetch.Stamp, bool)
}

// holdings are the documents of a library as they were listed at one time. They are filled once, in the order of the list,
// and then only searched.
type holdings struct {
	config  *LibraryConfig
	entries []fetch.Entry
	stamps  map[string]fetch.Stamp // by URL of the entry, of a shelf that is dated
	here    map[string]bool        // canonical URLs of the entries
	at      time.Time              // when they were listed, of a shelf that is kept
	next    int                    // entries that were read
	size    int                    // bytes of text kept
	room    int                    // bytes left for readings
	index   *index.Index
	meaning *understanding // may be nil

	old   map[string]*record // what was known of documents before, by URL of the entry
	words index.Vocabulary   // of the words of old
	fresh bool               // something was read that is not kept yet

	mu      sync.Mutex
	docs    map[string]*shelved // by URL
	records map[string]*record  // by URL of the entry
	skipped []fetch.Unavailable
}

// record is what is kept of a document.
type record struct {
	URL     string // of its entry
	Stamp   fetch.Stamp
	SHA256  string // of its bytes, hex
	At      string // where it was read
	Title   string
	Names   string // by which it is found
	Links   []string
	Size    int    // of its searchable text
	Whole   bool   // all of its text is searchable
	Text    []byte // packed
	Words   []byte // of the index; nil: the library was full
	Failure *fetch.Unavailable

	reading *Reading
}

// taken is one document on its way into the library: read, or as it is known.
type taken struct {
	known   *record
	reading *Reading
	text    string // of the reading, under which it is found
	whole   bool   // that is all of it
	packed  []byte
	failure *fetch.Unavailable
}

// listed are holdings of what is on the shelf now, of which nothing was read yet.
func (l *Library) listed() *holdings {
	h := &holdings{config: &l.config, entries: l.config.Shelf.Entries(), stamps: map[string]fetch.Stamp{}, here: map[string]bool{},
		room: maxReadings, meaning: newUnderstanding(l.config.Embeddings), docs: map[string]*shelved{}, records: map[string]*record{}}
	dated, _ := l.config.Shelf.(Dated)
	if l.config.Kept != nil {
		h.at = l.config.Kept.Now()
	}
	for _, e := range h.entries {
		h.here[canonical(e.URL)] = true
		if dated != nil {
			h.stamps[e.URL], _ = dated.Stamp(e.URL)
		}
	}
	h.index = index.New(h.indexConfig())
	return h
}

func (h *holdings) indexConfig() index.Config {
	return index.Config{Links: func(url string) (links []string) {
		for _, link := range h.doc(url).links {
			if h.here[link] {
				links = append(links, link)
			}
		}
		return links
	}}
}

func (h *holdings) doc(url string) *shelved {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.docs[url]
}

func (h *holdings) skip(u fetch.Unavailable) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.skipped = append(h.skipped, u)
}

// as says whether two lists are of the same versions of the same documents.
func (h *holdings) as(other *holdings) bool {
	if len(h.entries) != len(other.entries) {
		return false
	}
	for i, e := range h.entries {
		if other.entries[i].URL != e.URL || other.stamps[e.URL] != h.stamps[e.URL] {
			return false
		}
	}
	return true
}

// renewed returns the holdings to be filled: those that stand if nothing has changed, else new ones that know what is
// known of the documents which stay.
func (l *Library) renewed() (*holdings, error) {
	h := l.current()
	dated, _ := l.config.Shelf.(Dated)
	if dated == nil || l.config.Kept == nil {
		return h, nil
	}
	if h.next == 0 && h.old == nil { // the first search: the shelf was listed a moment ago
		h.old, h.words = l.config.Kept.load(l.config.MaxText)
		if h.old == nil {
			h.old = map[string]*record{}
		}
		return h, h.restore()
	}
	if err := dated.Renew(); err != nil {
		return nil, err
	}
	now := l.listed()
	if h.as(now) {
		l.pending = nil
		return h, nil
	}
	if l.pending != nil && l.pending.as(now) {
		return l.pending, nil
	}
	now.old, now.words = h.keep()
	l.pending = now
	return now, now.restore()
}

// restore makes the index ready for what is taken over.
func (h *holdings) restore() error {
	x, err := index.Restore(h.indexConfig(), h.words, nil)
	if len(h.words) == 0 {
		x, err = index.New(h.indexConfig()), nil
	}
	if err != nil { // it was checked when it was loaded
		return err
	}
	h.index = x
	return nil
}

// settle makes filled holdings those that are searched, and keeps what was read.
func (l *Library) settle(h *holdings) {
	l.mu.Lock()
	l.h = h
	l.mu.Unlock()
	l.pending = nil
	for url := range h.old {
		h.fresh = h.fresh || h.records[url] == nil
	}
	if l.config.Kept != nil && h.fresh {
		l.config.Kept.save(h, l.config.MaxText)
		h.fresh = false
	}
	h.old, h.words = map[string]*record{}, nil
}

// take gets one document: as it is known, if its version is still there, or read.
func (l *Library) take(ctx context.Context, h *holdings, e fetch.Entry) (taken, error) {
	known, stamp := h.old[e.URL], h.stamps[e.URL]
	if known != nil && known.Stamp == stamp && !l.config.Kept.doubtful(stamp) {
		return taken{known: known}, nil
	}
	if known != nil && known.Failure == nil { // another time, perhaps the same bytes
		if doc, err := l.config.Shelf.Fetch(ctx, e.URL); err == nil && hexSHA256(doc.Body) == known.SHA256 {
			again := *known
			again.Stamp = stamp
			return taken{known: &again, packed: again.Text}, nil
		}
	}
	var t taken
	var err error
	t.reading, err = l.reader.Read(ctx, e.URL)
	if err != nil && !errors.As(err, &t.failure) {
		return t, err
	}
	if t.reading != nil {
		t.reading.Raw = nil // only the text is kept
		all := searchable(t.reading)
		t.text = clipped(all)
		if t.whole = len(t.text) == len(all); l.config.Kept != nil {
			t.packed = packed(t.text)
		}
	}
	return t, nil
}

// add takes a batch of documents in.
func (h *holdings) add(batch []fetch.Entry, got []taken) error {
	var items, meant []index.Item
	var kept []index.Kept
	for i, e := range batch {
		t, rec := got[i], got[i].known
		if rec != nil {
			t.failure, t.reading = rec.Failure, rec.reading
		}
		h.fresh = h.fresh || t.packed != nil || rec == nil && t.failure != nil && lasting[t.failure.Outcome]
		if t.failure != nil {
			h.skip(*t.failure)
			h.remember(&record{URL: e.URL, Stamp: h.stamps[e.URL], Failure: t.failure})
			continue
		}
		if rec == nil {
			rec = h.described(e, t)
		}
		if !h.shelve(rec, t) {
			continue
		}
		if rec.Words != nil {
			kept = append(kept, index.Kept{Key: rec.At, Title: rec.Names, Doc: canonical(rec.At), Words: rec.Words})
		}
		if rec.Words == nil || h.meaning != nil {
			item := index.Item{Key: rec.At, Title: rec.Names, Body: t.text, Doc: canonical(rec.At)}
			if rec == t.known {
				item.Body = h.doc(rec.At).body()
			}
			if meant = append(meant, item); rec.Words == nil {
				items = append(items, item)
			}
		}
	}
	if err := h.index.Recall(kept...); err != nil {
		return err
	}
	h.index.Add(items...)
	h.meaning.expect(meant)
	return nil
}

// described is the record of a document that was read.
func (h *holdings) described(e fetch.Entry, t taken) *record {
	source := t.reading.Source
	rec := &record{URL: e.URL, Stamp: h.stamps[e.URL], SHA256: source.SHA256, At: source.URL, Title: source.Title, Names: source.Title,
		Links: h.leads(t.reading), Size: len(t.text), Whole: t.whole, Text: t.packed}
	if e.Title != rec.Title {
		rec.Names += "\n" + e.Title
	}
	if rec.Title == "" {
		rec.Title = e.Title
	}
	return rec
}

// shelve keeps a document; false if there is no room, or it is there already.
func (h *holdings) shelve(rec *record, t taken) bool {
	if !rec.Whole {
		h.skip(fetch.Unavailable{URL: rec.URL, Outcome: fetch.TooLarge, Reason: fmt.Sprintf("only its first %d KiB are searched", maxPerDocument>>10),
			Hint: "All of it can be read."})
	}
	if h.size+rec.Size > h.config.MaxText {
		h.skip(fetch.Unavailable{URL: rec.URL, Outcome: fetch.TooLarge, Reason: fmt.Sprintf("the library is full: %d MiB of text", h.config.MaxText>>20),
			Hint: "Take a smaller folder, or read it by its address."})
		full := *rec
		full.Words, full.reading = nil, nil
		h.remember(&full)
		return false
	}
	if h.doc(rec.At) != nil {
		return false // one entry redirects to the other
	}
	d := &shelved{title: rec.Title, url: rec.At, text: t.text, packed: rec.Text, size: rec.Size, links: rec.Links}
	if rec.Text != nil {
		d.text = ""
	}
	if r := t.reading; r != nil {
		if cost := rec.Size + blockBytes*(len(r.Blocks)+len(r.Links)); cost <= h.room {
			d.text, d.reading = "", r
			h.room -= cost
		}
	}
	h.size += rec.Size
	h.remember(rec)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.docs[d.url] = d
	return true
}

// remember keeps what is known of a document for the next time.
func (h *holdings) remember(rec *record) {
	if h.config.Kept == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.records[rec.URL] = rec
}

// leads returns the canonical URLs of the library's documents that a reading links to, each once; of a library that is kept,
// also those of files that may come to be there.
func (h *holdings) leads(r *Reading) (urls []string) {
	seen := map[string]bool{}
	for _, link := range r.Links {
		url := canonical(link.URL)
		if (h.here[url] || h.config.Kept != nil && strings.HasPrefix(url, "file:")) && !seen[url] {
			seen[url] = true
			urls = append(urls, url)
		}
	}
	return urls
}

// keep is all that is known of the documents, with the words of the index.
func (h *holdings) keep() (map[string]*record, index.Vocabulary) {
	vocabulary, words := h.index.Keep()
	h.mu.Lock()
	defer h.mu.Unlock()
	known := make(map[string]*record, len(h.records))
	for url, rec := range h.records {
		again := *rec
		again.Words, again.reading = nil, nil
		if d := h.docs[rec.At]; rec.Failure == nil && d != nil {
			again.Words, again.reading = words[rec.At], d.reading
		}
		known[url] = &again
	}
	return known, vocabulary
}
