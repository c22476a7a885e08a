package foreign

import (
	"context"
	"errors"
	"net/url"
	"path"
	"strings"
	"sync"

	"ibid/corpus"
	"ibid/fetch"
)

// NotHere is the outcome of a source that is not among the documents of a shelf. Nothing is known of the page itself.
const NotHere fetch.Outcome = "not_here"

// A Shelf reads the sources of a report from documents on disk: an offline corpus by their addresses, a folder by the names of
// its files and by their titles.
type Shelf struct {
	reader  corpus.Reader
	shelf   corpus.Shelf
	entries []fetch.Entry
	byID    map[string]string // identity → address
	base    string            // of a folder: its address

	mu     sync.Mutex
	titles map[string]string // folded → address; nil until asked for
}

// NewShelf makes a Shelf. folder is the address of a folder's root, "" of an offline corpus; except, the address of a document
// that is no source, such as the report itself, may be "".
func NewShelf(shelf corpus.Shelf, extract corpus.Extractor, folder, except string) *Shelf {
	s := &Shelf{reader: corpus.Reader{Fetcher: shelf, Extract: extract}, shelf: shelf, byID: map[string]string{}, base: strings.TrimSuffix(folder, "/")}
	for _, e := range shelf.Entries() {
		if id := identity(e.URL); except == "" || id != identity(except) {
			s.entries = append(s.entries, e)
			s.byID[id] = e.URL
		}
	}
	return s
}

// Read reads the document at an address, in whatever spelling. One that is not on the shelf is a *fetch.Unavailable with NotHere.
func (s *Shelf) Read(ctx context.Context, address string) (*corpus.Reading, error) {
	at := address
	if u, err := url.Parse(address); err == nil && u.Scheme == "" && u.Host == "" && s.base != "" {
		if at, err = url.JoinPath(s.base, u.Path); err != nil {
			at = address
		}
	}
	if known, ok := s.byID[identity(at)]; ok {
		at = known
	} else if offline, ok := s.shelf.(*fetch.Offline); !ok || !offline.Has(at) {
		return nil, &fetch.Unavailable{URL: address, Outcome: NotHere, Reason: "it is not among the documents here", Hint: fetch.HintOther}
	}
	return s.reader.Read(ctx, at)
}

// Find returns the address of the document whose file or title a text names, if it names one.
func (s *Shelf) Find(ctx context.Context, text string) (string, bool) {
	folded := fold(text)
	best, longest := "", 0
	take := func(name, address string) {
		if n := len(name); n > longest && n >= 5 && holds(folded, name) {
			best, longest = address, n
		}
	}
	for _, e := range s.entries {
		take(fold(fileName(e.URL)), e.URL)
	}
	if best != "" {
		return best, true
	}
	for _, e := range s.entries { // the file of a page mostly has the name that the page has in its address
		take(strings.TrimSuffix(fold(fileName(e.URL)), fold(path.Ext(fileName(e.URL)))), e.URL)
	}
	if best != "" && strings.Contains(text, "/") {
		return best, true
	}
	best, longest = "", 0
	for title, address := range s.titled(ctx) {
		if strings.Count(title, " ") > 0 {
			if n := len(title); n > longest && n >= 10 && holds(folded, title) || n == longest && address < best && holds(folded, title) {
				best, longest = address, n
			}
		}
	}
	return best, best != ""
}

func fileName(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return path.Base(u.Path)
}

// fold is a text for comparing names: lower case, and nothing but letters, figures and single spaces.
func fold(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return strings.ContainsRune(" \t\n\r\u00a0.,;:!?()[]{}<>\"'“”‘’/\\|_-–—#*", r)
	}), " ")
}

// holds reports whether a folded text has a folded name as whole words.
func holds(text, name string) bool {
	return name != "" && strings.Contains(" "+text+" ", " "+name+" ")
}

// maxTitles is how many documents are read to learn their titles.
const maxTitles = 500

// titled are the titles of the documents, read once.
func (s *Shelf) titled(ctx context.Context) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.titles != nil {
		return s.titles
	}
	titles := map[string]string{}
	for i, e := range s.entries {
		if i == maxTitles || ctx.Err() != nil {
			break
		}
		title := e.Title
		if s.base != "" || title == "" {
			got, err := s.reader.Read(ctx, e.URL)
			if err != nil {
				var u *fetch.Unavailable
				if !errors.As(err, &u) && ctx.Err() == nil {
					return titles // it will show where the document is read for itself
				}
				continue
			}
			title = got.Source.Title
		}
		if t := fold(title); t != "" && titles[t] == "" {
			titles[t] = e.URL
		}
	}
	if ctx.Err() == nil {
		s.titles = titles
	}
	return titles
}
