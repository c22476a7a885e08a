package corpus

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/fnv"
	"net/url"
	"slices"

	"ibid/evidence"
	"ibid/fetch"
	"ibid/index"
)

// Thresholds of shingle containment.
const (
	agrees = 0.8 // two copies of one page, one of them perhaps shortened
	copies = 0.9 // of the copy's text, that the page itself holds
)

// shingleWords is how many neighbouring content words make a shingle.
const shingleWords = 4

// known returns the source that a reading is a copy of, or nil: the same URL, the same bytes, the same text, or a page
// that says it is the other one and holds its text. What a page says of itself is believed only if the texts agree:
// themes that name the home page as the canonical one of every page are common. A page that says that it is another one
// and adds something of its own is not that page; on another site it never is, unless its text is the same.
func (c *Corpus) known(r *Reading, spans []evidence.Span) *source {
	own, claim := canonical(r.Source.URL), canonical(r.Canonical)
	if s := c.byURL[own]; s != nil {
		return s
	}
	if s := c.byRaw[r.Source.SHA256]; s != nil && r.Source.SHA256 != "" {
		return s
	}
	if len(spans) == 0 {
		return nil
	}
	if s := c.byText[contentHash(r.Source.Kind, spans)]; s != nil {
		return s
	}
	var mine []uint64
	if len(c.declared[own]) > 0 || claim != "" && claim != own {
		mine = shingles(spans)
	}
	for _, s := range c.declared[own] { // they say that they are this page, and would get its address
		if sameSite(s.URL, own) && share(s.shingles, mine) >= copies && 3*len(s.shingles) >= len(mine) {
			return s
		}
	}
	if claim == "" || claim == own {
		return nil
	}
	if s := c.byURL[claim]; s != nil && containment(mine, s.shingles) >= agrees {
		return s
	}
	for _, s := range c.declared[claim] {
		if sameSite(s.URL, own) && containment(mine, s.shingles) >= agrees {
			return s
		}
	}
	return nil
}

func sameSite(a, b string) bool {
	u, errA := url.Parse(a)
	v, errB := url.Parse(b)
	return errA == nil && errB == nil && fetch.Site(u.Hostname()) == fetch.Site(v.Hostname())
}

// alias makes a source known under the URLs of a copy. If the copy is the page that the source named as its canonical
// one, its address becomes the source's: it is the one to follow.
func (c *Corpus) alias(s *source, r *Reading) {
	own := canonical(r.Source.URL)
	if own == canonical(s.reading.Canonical) {
		s.URL = own
	}
	for _, at := range []string{own, canonical(r.Requested)} {
		if at != "" && c.byURL[at] == nil {
			c.byURL[at] = s
		}
	}
}

// contentHash identifies a text whatever stands around it: locators, which count a page's furniture, stay out.
func contentHash(kind evidence.Kind, spans []evidence.Span) string {
	h := sha256.New()
	h.Write([]byte(kind))
	for _, s := range spans {
		h.Write([]byte{0})
		h.Write([]byte(s.Text))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// shingles returns the hashes of all runs of content words of a text, sorted, each once. A text with fewer words than a
// shingle is one shingle.
func shingles(spans []evidence.Span) []uint64 {
	var words []string
	for _, s := range spans {
		words = append(words, index.Terms(s.Text)...)
	}
	if len(words) == 0 {
		return nil
	}
	n := min(shingleWords, len(words))
	hashes := make([]uint64, 0, len(words)-n+1)
	for i := 0; i+n <= len(words); i++ {
		h := fnv.New64a()
		for _, w := range words[i : i+n] {
			h.Write([]byte(w))
			h.Write([]byte{' '})
		}
		hashes = append(hashes, h.Sum64())
	}
	slices.Sort(hashes)
	return slices.Compact(hashes)
}

// containment is the share of the smaller set that the other one holds, 0…1 (Broder 1997).
func containment(a, b []uint64) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	return share(a, b)
}

// share is how much of a set another one holds, 0…1; both are sorted.
func share(of, in []uint64) float64 {
	if len(of) == 0 || len(in) == 0 {
		return 0
	}
	common := 0
	for i, j := 0, 0; i < len(of) && j < len(in); {
		switch {
		case of[i] < in[j]:
			i++
		case of[i] > in[j]:
			j++
		default:
			common, i, j = common+1, i+1, j+1
		}
	}
	return float64(common) / float64(len(of))
}
