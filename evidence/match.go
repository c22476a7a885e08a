package evidence

import (
	"iter"
	"strings"
)

// MatchKind is how a quote was found.
type MatchKind string

const (
	MatchNone       MatchKind = "none"
	MatchExact      MatchKind = "exact"      // the same bytes
	MatchNormalised MatchKind = "normalised" // the same words in another typography
	MatchLoose      MatchKind = "loose"      // transcripts only: the same words, punctuation and case aside
)

// Reason is why a quote was not found.
type Reason string

const (
	ReasonUnknownSpan  Reason = "unknown_span"  // the source has no such locator
	ReasonEmptySpan    Reason = "empty_span"    // the span has no text to quote
	ReasonTooShort     Reason = "too_short"     // too few words to mean anything
	ReasonTooLong      Reason = "too_long"      // over 8 KiB
	ReasonEllipsis     Reason = "ellipsis"      // left out or put in what the source has not
	ReasonInsideNumber Reason = "inside_number" // there, but an edge cuts a number
	ReasonInsideWord   Reason = "inside_word"   // there, but an edge cuts a word
	ReasonNotFound     Reason = "not_found"
)

// A Match is the outcome of looking for a quote.
type Match struct {
	Kind    MatchKind
	Reason  Reason   // why not, if Kind is MatchNone
	Locator Locator  // the span where the quote begins; the zero Locator from MatchText
	Until   *Locator // the span where it ends, if that is another
	Start   int      // byte offsets in the raw text of the span where it begins
	End     int      // and of the span where it ends
	Quote   string   // the source's own bytes; over two spans, both parts with the break between them
}

// OK reports whether the quote was found.
func (m Match) OK() bool { return m.Kind != MatchNone && m.Kind != "" }

// MatchText looks for a quote in one text. Code of a repository is compared more strictly (see fold), transcripts less.
func MatchText(kind Kind, text, quote string, limits Limits) Match {
	if len(quote) > maxQuote {
		return Match{Kind: MatchNone, Reason: ReasonTooLong}
	}
	q, code := newQuery(quote, limits), kind == Repo
	t := &searched{raw: text, fold: fold(text, code), code: code, loose: kind == Transcript}
	if t.fold.text == "" {
		return Match{Kind: MatchNone, Reason: ReasonEmptySpan}
	}
	if q.tooShort(code) {
		return Match{Kind: MatchNone, Reason: ReasonTooShort}
	}
	m, cut := t.find(q, nil)
	if !m.OK() {
		m.Reason = why(cut, q, t)
	}
	return m
}

// why is the reason for not finding q in t, where no more than c was cut.
func why(c cut, q *query, t *searched) Reason {
	switch {
	case c == cutNumber:
		return ReasonInsideNumber
	case c == cutWord:
		return ReasonInsideWord
	case q.elision(t.fold.text, t.code) != "":
		return ReasonEllipsis
	}
	return ReasonNotFound
}

// searched is a text that quotes are looked for in.
type searched struct {
	raw   string
	fold  *folded
	code  bool
	loose bool
}

// maxTries bounds the occurrences of one spelling that are looked at. A text where more than this many are cut and a
// later one is not is made to be slow.
const maxTries = 1000

// find looks for q, the nearest spelling first, and returns where it stands whole, with every edge between words. If
// it only stands cut, it returns what is cut. where, if not nil, says which raw ranges count.
func (t *searched) find(q *query, where func(start, end int) bool) (Match, cut) {
	worst := cutNothing
	if !t.loose && q.missing(t.fold.marks, t.code, t.fold.text) {
		return Match{Kind: MatchNone}, worst
	}
	for kind, at := range t.places(q) {
		start, end, rest := at.start, at.end, ""
		if kind != MatchExact {
			start, end, rest = t.fold.rawStart(at.start), t.fold.rawEnd(at.end), t.fold.splits(at.start, at.end)
		}
		c := cutNothing
		switch {
		case where != nil && !where(start, end):
			continue
		case strings.ContainsFunc(rest, wordRune):
			c = cutWord
		case rest == "":
			if c = cuts(t.raw, start, end, t.code); c == cutNothing {
				return Match{Kind: kind, Start: start, End: end, Quote: t.raw[start:end]}, c
			}
		}
		worst = max(worst, c)
	}
	return Match{Kind: MatchNone}, worst
}

// places yields where q might stand, the nearest spelling first: in the raw text for MatchExact, else in the folded.
func (t *searched) places(q *query) iter.Seq2[MatchKind, extent] {
	return func(yield func(MatchKind, extent) bool) {
		for i := range occurrences(t.raw, q.raw) {
			if !yield(MatchExact, extent{i, i + len(q.raw)}) {
				return
			}
		}
		forms := q.texts(t.code)
		for _, form := range forms {
			for i := range occurrences(t.fold.text, form) {
				if !yield(MatchNormalised, extent{i, i + len(form)}) {
					return
				}
			}
		}
		if t.fold.marks+q.folded(t.code).marks > 0 {
			bones := skeleton(t.fold.text)
			for _, form := range forms {
				for at := range bones.find(form) {
					if !yield(MatchNormalised, at) {
						return
					}
				}
			}
		}
		if t.loose && q.elision(t.fold.text, t.code) == "" {
			for at := range t.looseFind(q) {
				if !yield(MatchLoose, at) {
					return
				}
			}
		}
	}
}

// occurrences yields where s stands in text, overlaps included, up to maxTries.
func occurrences(text, s string) iter.Seq[int] {
	return func(yield func(int) bool) {
		if s == "" {
			return
		}
		for from, tries := 0, 0; tries < maxTries; tries++ {
			i := strings.Index(text[from:], s)
			if i < 0 || !yield(from+i) {
				return
			}
			from += i + 1
		}
	}
}

// extent is a range of a folded text.
type extent struct{ start, end int }
