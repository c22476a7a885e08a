package evidence

import (
	"strings"
	"sync/atomic"
	"unicode/utf8"
)

// A Doc is one source made ready for looking up quotes: its spans in order, folded as they are needed. It is safe for
// concurrent use.
type Doc struct {
	Limits Limits // how short a quote may be; set before use

	kind  Kind
	spans []Span
	at    map[Locator]int
	folds []atomic.Pointer[folded]
}

// NewDoc makes a Doc of the spans of one source, in document order. Of spans with the same locator the first counts.
func NewDoc(kind Kind, spans []Span) *Doc {
	d := &Doc{kind: kind, spans: spans, at: make(map[Locator]int, len(spans)), folds: make([]atomic.Pointer[folded], len(spans))}
	for i := len(spans) - 1; i >= 0; i-- {
		d.at[spans[i].Locator] = i
	}
	return d
}

// code reports whether span i is program text.
func (d *Doc) code(i int) bool { return d.kind == Repo || d.spans[i].Role == RoleCode }

func (d *Doc) span(i int) *searched {
	f := d.folds[i].Load()
	if f == nil {
		f = fold(d.spans[i].Text, d.code(i))
		d.folds[i].Store(f) // a second goroutine may do the same work: cheaper than a lock
	}
	return &searched{raw: d.spans[i].Text, fold: f, code: d.code(i), loose: d.kind == Transcript}
}

// Match looks for the quote in the span at loc, and if it is not whole there, in that span run over into the next one
// of the same page (SamePage), where nothing stands between the two and both are the words of the same speaker.
func (d *Doc) Match(loc Locator, quote string) Match {
	i, ok := d.at[loc]
	if !ok {
		return Match{Kind: MatchNone, Reason: ReasonUnknownSpan, Locator: loc}
	}
	m := Match{Kind: MatchNone, Locator: loc}
	if len(quote) > maxQuote {
		m.Reason = ReasonTooLong
		return m
	}
	q := newQuery(quote, d.Limits)
	if d.span(i).fold.text == "" {
		m.Reason = ReasonEmptySpan
		return m
	}
	if q.tooShort(d.code(i)) {
		m.Reason = ReasonTooShort
		return m
	}
	m, cut := d.matchAt(i, q)
	if !m.OK() {
		m.Reason = why(cut, q, d.span(i))
	}
	return m
}

// matchAt looks for q in span i and from there over its end.
func (d *Doc) matchAt(i int, q *query) (Match, cut) {
	m, c := d.span(i).find(q, nil)
	if !m.OK() {
		var over cut
		if m, over = d.matchOver(i, q); !m.OK() {
			c = max(c, over)
		}
	}
	m.Locator = d.spans[i].Locator
	return m, c
}

// matchOver looks for q across the end of span i.
func (d *Doc) matchOver(i int, q *query) (Match, cut) {
	none := Match{Kind: MatchNone}
	if i+1 >= len(d.spans) || !d.runsOn(i) {
		return none, cutNothing
	}
	tail, head, ok := d.reach(i, q)
	if !ok {
		return none, cutNothing
	}
	a, b := d.spans[i].Text[tail:], d.spans[i+1].Text[:head]
	sep := "\n"
	switch {
	case strings.HasSuffix(a, "\n"):
		sep = ""
	case d.kind == Transcript:
		sep = " "
	}
	code := d.code(i)
	joint := a + sep + b
	t := &searched{raw: joint, fold: fold(joint, code), code: code, loose: d.kind == Transcript}
	m, c := t.find(q, func(start, end int) bool { return start < len(a) && end > len(a)+len(sep) })
	if m.OK() {
		until := d.spans[i+1].Locator
		m.Until, m.Start, m.End = &until, m.Start+tail, m.End-len(a)-len(sep)
	}
	return m, c
}

// reach says from where in span i and to where in the next a quote over the end of span i can stand. Not ok means it
// cannot: a quick test that rules out most spans.
func (d *Doc) reach(i int, q *query) (tail, head int, ok bool) {
	a, b := d.span(i).fold, d.span(i+1).fold
	if a.text == "" || b.text == "" {
		return 0, 0, false
	}
	if d.kind == Transcript { // where a quote may lack any amount of punctuation
		return 0, len(d.spans[i+1].Text), true
	}
	t := q.folded(d.code(i))
	room := 2*len(t.text) + 80 // each hyphen at a line's end adds a byte; the rest is for what stands around
	from, to := max(0, len(a.text)-room), min(len(b.text), room)
	for from > 0 && !utf8.RuneStart(a.text[from]) {
		from--
	}
	for to < len(b.text) && !utf8.RuneStart(b.text[to]) {
		to++
	}
	end, start := a.text[from:], b.text[:to]
	raw := strings.TrimSpace(d.spans[i].Text)
	broken := strings.HasSuffix(end, "-") || strings.HasSuffix(raw, string(softHyphen)) || strings.HasSuffix(raw, string(lineEndMark))
	marks := strings.Count(end, string(lineHyphen)) + strings.Count(start, string(lineHyphen))
	first, last := edgeWords(t.text)
	switch {
	case broken && q.missing(marks+1, d.code(i), end, start), !broken && q.missing(marks, d.code(i), end, start):
		return 0, 0, false
	case !broken && marks+t.marks == 0 && (!strings.Contains(end, first) || !strings.Contains(start, last)):
		return 0, 0, false
	}
	return a.rawStart(from), b.rawEnd(to), true
}

// runsOn reports whether a quote may run from span i into the next.
func (d *Doc) runsOn(i int) bool {
	a, b := d.spans[i], d.spans[i+1]
	other := func(r Role) bool { return r == RoleQuote || r == RoleComment }
	if (other(a.Role) || other(b.Role)) && a.Role != b.Role {
		return false
	}
	return d.code(i) == d.code(i+1) && a.Locator.follows(b.Locator)
}

// edgeWords are the ASCII letters and digits after the first letter of s in its first word, and those that end its last word.
func edgeWords(s string) (first, last string) {
	plain := func(c byte) bool { return c < 0x80 && wordRune(rune(c)) }
	i := 0
	for i < len(s) && !plain(s[i]) {
		i++
	}
	i = min(i+1, len(s)) // the case of the first letter is free
	end := i
	for end < len(s) && plain(s[end]) {
		end++
	}
	k := len(s)
	for k > 0 && !plain(s[k-1]) {
		k--
	}
	from := k
	for from > 0 && plain(s[from-1]) {
		from--
	}
	return s[i:end], s[from:k]
}

// Find looks for the quote in the whole source and returns its first place (TOOLS-5).
func (d *Doc) Find(quote string) Match {
	if ms := d.FindAll(quote, 1); len(ms) > 0 {
		return ms[0]
	}
	m := Match{Kind: MatchNone, Reason: ReasonNotFound}
	switch {
	case len(quote) > maxQuote:
		m.Reason = ReasonTooLong
	case newQuery(quote, d.Limits).tooShort(d.kind == Repo):
		m.Reason = ReasonTooShort
	}
	return m
}

// FindAll returns the first places of the quote in the whole source, at most limit, one for each span that it begins in.
func (d *Doc) FindAll(quote string, limit int) []Match {
	if len(quote) > maxQuote {
		return nil
	}
	q := newQuery(quote, d.Limits)
	if q.tooShort(d.kind == Repo) {
		return nil
	}
	var ms []Match
	for i := range d.spans {
		if len(ms) == limit {
			break
		}
		if m, _ := d.matchAt(i, q); m.OK() {
			ms = append(ms, m)
		}
	}
	return ms
}
