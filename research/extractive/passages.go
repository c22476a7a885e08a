package extractive

import (
	"encoding/json"
	"slices"
	"sort"
	"strings"

	"ibid/audit"
)

// A sentence is a stretch of one span that could be quoted, word for word.
type sentence struct {
	span, source string
	kind, role   string
	text         string   // as it stands
	line         string   // see flat
	n            int      // words
	terms        []string // those that may be of the question; all has all of them
	all          []string
	above        map[string]float64 // what it counts to have a term in the source's title, in headings, in the heads of columns
	at, of       int                // position among the sentences of its span
	foreign      bool               // it is in another language than English
	leads        bool               // its span is one of the first paragraphs of its page
	shown        bool               // it is code that the line above it announces
	suspect      suspicion          // has a mark or a word without which no text talks to a machine
	tested, bad  bool               // whether it was tested for that, and how it came out
	fitness      float64            // quality, once it was asked for; 0 is not known yet, less than 0 none
}

// flat is the text of a sentence in one line, as long in bytes: what phrases are looked for in.
func (e *sentence) flat() string {
	if e.line == "" {
		e.line = strings.ReplaceAll(e.text, "\n", " ")
	}
	return e.line
}

// A pool is everything that was read, cut into sentences, in the order of reading.
type pool struct {
	list   []sentence
	passed map[string]int            // by source: about how many sentences stand in spans that have nothing of interest
	topics map[string]map[string]int // by source: sentences that have a term of interest, and all under pageSize

	reported map[int]bool // by the first sentence of a paragraph: it reads like an abstract
}

// shownLines is how many lines of code that was announced are quoted as one.
const shownLines = 3

// sentenceWords is about the length of a sentence, for those that are not cut.
const sentenceWords = 20

// pageSize is the key under which a page counts its sentences; it is no term.
const pageSize = ""

// near returns the terms of the two sentences before and after one in its span.
func (p *pool) near(i int) [][]string {
	e := &p.list[i]
	var out [][]string
	for d := -2; d <= 2; d++ {
		if at := e.at + d; d != 0 && at >= 0 && at < e.of {
			out = append(out, p.list[i+d].terms)
		}
	}
	return out
}

// orders says whether a sentence talks to a machine: it gives orders by itself, or dictates in a span in which another
// one does.
func (p *pool) orders(i int) bool {
	e := &p.list[i]
	if e.injected() {
		return true
	}
	first := i - e.at
	for j := first; j < first+e.of; j++ {
		if p.list[j].injected() {
			return dictated(e.text)
		}
	}
	return false
}

// injected is the function of that name, worked out once.
func (e *sentence) injected() bool {
	if e.suspect != 0 && !e.tested {
		e.tested, e.bad = true, orders(e.text, e.suspect)
	}
	return e.bad
}

// pool gathers the sentences of everything that was read, each span once, for these parts.
func (n *notes) pool(lang *language, parts []part) *pool {
	var stems []string
	for _, p := range parts {
		for _, of := range []*part{&p, p.side[0], p.side[1]} {
			if of == nil {
				continue
			}
			for _, t := range of.terms {
				stems = append(append(stems, t.stem), t.alts...)
			}
		}
	}
	c := collector{reader: only(lang, stems), seen: map[string]bool{}, titles: map[string]map[string]float64{}, places: map[string]place{}, passed: map[string]int{}}
	kinds := map[string]string{}
	blocks := make([][]block, len(n.pages))
	for i, p := range n.pages {
		kinds[p.Source] = p.Kind
		if json.Unmarshal(p.Text, &blocks[i]) != nil {
			blocks[i] = nil
		}
		outline(p.Source, blocks[i], c.places)
	}
	for _, s := range n.spans {
		source, at, _ := strings.Cut(s.Span, ":")
		c.add(s, source, kindOf(kinds[source], at))
	}
	for i, p := range n.pages {
		if hub(p) {
			continue
		}
		for _, b := range blocks[i] {
			c.add(span{Span: p.Source + ":" + b.At, Title: p.Title, URL: p.URL, Role: b.Role, Text: b.Text}, p.Source, kindOf(p.Kind, b.At))
		}
	}
	return &pool{list: c.out, passed: c.passed}
}

// hub says whether a page is a list of links.
func hub(p page) bool { return slices.Contains(p.Flags, "hub_page") }

// kindOf falls back on the shape of the locator where the kind of a source is not known.
func kindOf(kind, at string) string {
	switch {
	case kind != "":
		return kind
	case strings.HasPrefix(at, "t="):
		return "transcript"
	case strings.Contains(at, ":L"):
		return "repo"
	}
	return ""
}

type collector struct {
	*reader
	out    []sentence
	words  []word // of the span at hand
	seen   map[string]bool
	titles map[string]map[string]float64
	places map[string]place // by span key
	passed map[string]int
}

// add cuts one span into sentences.
func (c *collector) add(s span, source, kind string) {
	at := c.places[s.Span]
	if c.seen[s.Span] || s.Role == "heading" || s.Role == "caption" || s.Text == "" || at.names {
		return
	}
	c.seen[s.Span] = true
	c.words = appendWords(c.words[:0], s.Text)
	ws := c.words
	if terms, suspect := c.termsOf(ws); len(terms) == 0 && suspect == 0 && !at.leads && !at.shown {
		c.passed[source] += len(ws)/sentenceWords + 1
		return
	}
	cuts := cut(s, kind, ws)
	if at.shown && strings.Count(s.Text, "\n") < shownLines && len(s.Text) <= maxClaimSize {
		cuts = []audit.Range{{Start: 0, End: len(s.Text)}} // it answers as it stands
	}
	above := c.above(s, at)
	for i, r := range cuts {
		in := wordsIn(ws, r)
		e := sentence{span: s.Span, source: source, kind: kind, role: s.Role, text: s.Text[r.Start:r.End], n: len(in), above: above, at: i, of: len(cuts), leads: at.leads, shown: at.shown, foreign: c.lang != english}
		e.terms, e.suspect = c.termsOf(in)
		e.suspect |= marked(e.text)
		c.out = append(c.out, e)
	}
}

// above is what the terms of a span's title, headings and columns count, made once for each set of them.
func (c *collector) above(s span, at place) map[string]float64 {
	title, heading, heads := s.Title+"\n"+at.title, at.heading+"\n"+string(s.Heading), at.heads+"\n"+string(s.Columns)+"\n"+string(s.Caption)
	key := title + "\n" + heading + "\n" + heads
	if m := c.titles[key]; m != nil {
		return m
	}
	m := map[string]float64{}
	c.credit(m, title, titleCredit)
	c.credit(m, heading, aboveCredit)
	c.credit(m, heads, headCredit)
	c.titles[key] = m
	return m
}

// wordsIn returns the words of a text that begin in a range.
func wordsIn(ws []word, r audit.Range) []word {
	from := sort.Search(len(ws), func(i int) bool { return ws[i].start >= r.Start })
	to := from + sort.Search(len(ws)-from, func(i int) bool { return ws[from+i].start >= r.End })
	return ws[from:to]
}
