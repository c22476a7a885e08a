package recheck

import (
	"strings"
	"unicode/utf8"

	"ibid/evidence"
)

// A Selector says where a quote stands, as the W3C Web Annotation model does: TextQuoteSelector by its words and those
// around it, TextPositionSelector by characters from the beginning of the text, which is all spans of the source with a
// line's end between two.
type Selector struct {
	Type   string `json:"type"`
	Exact  string `json:"exact,omitempty"`
	Prefix string `json:"prefix,omitempty"`
	Suffix string `json:"suffix,omitempty"`
	Start  *int   `json:"start,omitempty"`
	End    *int   `json:"end,omitempty"`
}

// around is how many characters of context anchor a quote.
const around = 32

// maxPlaces is how many places of a quote are weighed against each other.
const maxPlaces = 100

// text is a source as one text, with its spans in it.
type text struct {
	doc  *evidence.Doc
	all  string
	from map[evidence.Locator]int // where a span begins, in bytes
}

func newText(kind evidence.Kind, spans []evidence.Span) *text {
	t := &text{doc: evidence.NewDoc(kind, spans), from: map[evidence.Locator]int{}}
	var b strings.Builder
	for _, s := range spans {
		if _, twice := t.from[s.Locator]; !twice {
			t.from[s.Locator] = b.Len()
		}
		b.WriteString(s.Text + "\n")
	}
	t.all = b.String()
	return t
}

// anchor is where a quote stands in a text: bytes.
type anchor struct{ start, end int }

func (t *text) anchor(m evidence.Match) anchor {
	a := anchor{t.from[m.Locator] + m.Start, t.from[m.Locator] + m.End}
	if m.Until != nil {
		a.end = t.from[*m.Until] + m.End
	}
	return anchor{min(a.start, len(t.all)), max(a.start, min(a.end, len(t.all)))}
}

func (t *text) prefix(a anchor) string {
	from := a.start
	for n := 0; n < around && from > 0; n++ {
		_, size := utf8.DecodeLastRuneInString(t.all[:from])
		from -= size
	}
	return t.all[from:a.start]
}

func (t *text) suffix(a anchor) string {
	to := a.end
	for n := 0; n < around && to < len(t.all); n++ {
		_, size := utf8.DecodeRuneInString(t.all[to:])
		to += size
	}
	return t.all[a.end:to]
}

func (t *text) selectors(a anchor) []Selector {
	start := utf8.RuneCountInString(t.all[:a.start])
	end := start + utf8.RuneCountInString(t.all[a.start:a.end])
	return []Selector{{Type: "TextQuoteSelector", Exact: t.all[a.start:a.end], Prefix: t.prefix(a), Suffix: t.suffix(a)},
		{Type: "TextPositionSelector", Start: &start, End: &end}}
}

// find looks for a finding's quote in a newer text. Where it stands more than once, the place counts whose surroundings are
// most like those of old, and then the one nearest to its old position.
func (t *text) find(f evidence.Finding, now *text) Quote {
	q := Quote{Finding: f.ID, State: Edited, Was: f.Locator}
	was := anchor{start: -1}
	if m := t.doc.Match(f.Locator, f.Quote); m.OK() {
		was = t.anchor(m)
		q.Selectors = t.selectors(was)
	}
	best, bestLike, bestFar := evidence.Match{}, -1, 0
	for _, m := range now.doc.FindAll(f.Quote, maxPlaces) {
		a := now.anchor(m)
		like, far := 0, a.start-was.start
		if was.start >= 0 {
			like = sameEnd(t.prefix(was), now.prefix(a)) + sameStart(t.suffix(was), now.suffix(a))
		}
		if far < 0 {
			far = -far
		}
		if like > bestLike || like == bestLike && far < bestFar {
			best, bestLike, bestFar = m, like, far
		}
	}
	if !best.OK() {
		q.Nearest = now.doc.Closest(f.Locator, f.Quote)
		return q
	}
	q.State, q.Now = Unchanged, &best.Locator
	if best.Locator != f.Locator {
		q.State = Moved
	}
	return q
}

func sameEnd(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

func sameStart(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
