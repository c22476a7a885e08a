package foreign

import (
	"slices"
	"strconv"
	"strings"

	"ibid/audit"
	"ibid/audit/claim"
	"ibid/corpus"
	"ibid/evidence"
	"ibid/index"
	"ibid/internal/lazyregexp"
)

// texts is what the sources say, cut into sentences and made ready for looking.
type texts struct {
	docs  *corpus.Corpus
	first map[string]int // source → its first reference
	each  map[string]*sourceText
	all   *index.Index // over the sentences of all sources
}

// A sourceText is one source.
type sourceText struct {
	id        string
	source    evidence.Source
	spans     []evidence.Span
	sentences []sentence
	index     *index.Index
	title     map[string]bool         // content words, stemmed
	over      map[int]map[string]bool // likewise, of what stands above a span: its heading, caption and the heads of its columns; by span
}

// A sentence is a stretch of one span.
type sentence struct {
	span int
	audit.Range
	stems map[string]bool // of its content words; nil until asked for
}

// maxSentences is how much of one source is looked at.
const maxSentences = 50_000

func newTexts(docs *corpus.Corpus, first map[string]int) texts {
	t := texts{docs: docs, first: first, each: map[string]*sourceText{}, all: index.New(index.Config{Plain: true})}
	for _, s := range docs.Sources() {
		x := &sourceText{id: s.ID, source: s, spans: docs.Spans(s.ID), index: index.New(index.Config{Plain: true}), title: stems(s.Title), over: map[int]map[string]bool{}}
		x.cut()
		var own, shared []index.Item
		for i := range x.sentences {
			body := x.searched(i)
			own = append(own, index.Item{Key: strconv.Itoa(i), Body: body, Doc: s.ID})
			shared = append(shared, index.Item{Key: s.ID + " " + strconv.Itoa(i), Body: body, Doc: s.ID})
		}
		x.index.Add(own...)
		t.all.Add(shared...)
		t.each[s.ID] = x
	}
	return t
}

// cut parts the spans into sentences. Rows of tables and lines of program text are one each.
func (x *sourceText) cut() {
	for i, s := range x.spans {
		if s.Role == evidence.RoleRow || s.Role == evidence.RoleCode {
			x.sentences = append(x.sentences, sentence{span: i, Range: audit.Range{Start: 0, End: len(s.Text)}})
			continue
		}
		for _, r := range audit.Sentences(unwrapped(s.Text)) {
			for _, w := range windows(s.Text, r) {
				x.sentences = append(x.sentences, sentence{span: i, Range: w})
			}
		}
		if len(x.sentences) > maxSentences {
			return
		}
	}
}

// listLine is a line break that ends an item of a list or a paragraph.
var listLine = lazyregexp.New(`\n(?:\s*(?:[-*•·+]|\d+[.)])\s|\s*\n)`)

// unwrapped is a text without the line breaks that only end a line, byte for byte.
func unwrapped(text string) string {
	if !strings.Contains(text, "\n") {
		return text
	}
	flat := []byte(strings.ReplaceAll(text, "\n", " "))
	for _, at := range listLine.FindAllStringIndex(text, -1) {
		flat[at[0]] = '\n'
	}
	return string(flat)
}

// Bounds of a sentence, in bytes: a longer one is speech without punctuation, and is looked at in pieces.
const (
	longest = 600
	piece   = 240
)

// windows parts a stretch that is longer than a sentence between its words.
func windows(text string, r audit.Range) []audit.Range {
	var out []audit.Range
	for r.End-r.Start > longest {
		at := strings.LastIndexAny(text[r.Start:r.Start+piece], " \n")
		if at <= 0 {
			break
		}
		out = append(out, audit.Range{Start: r.Start, End: r.Start + at})
		r.Start += at + 1
	}
	return append(out, r)
}

// searched is what a sentence is found by.
func (x *sourceText) searched(i int) string {
	s := x.sentences[i]
	span := x.spans[s.span]
	body := span.Text[s.Start:s.End]
	if span.Role == evidence.RoleRow {
		body += " " + span.Columns + " " + span.Caption
	}
	return body
}

// A passage is one or several sentences of a source that stand side by side in one span.
type passage struct {
	*sourceText
	from, to int         // sentences, to exclusive
	exact    audit.Range // of the span: the words of a quotation alone; empty: all of the sentences
}

// at is where in its span a passage stands.
func (p passage) at() audit.Range {
	if p.exact.End > p.exact.Start {
		return p.exact
	}
	return audit.Range{Start: p.sentences[p.from].Start, End: p.sentences[p.to-1].End}
}

func (p passage) span() evidence.Span { return p.spans[p.sentences[p.from].span] }

// words are the source's own, from the first sentence to the last.
func (p passage) words() string {
	r := p.at()
	return p.span().Text[r.Start:r.End]
}

// around is what a reader sees beside a passage.
func (p passage) around() claim.Context {
	s := p.span()
	r := p.at()
	c := audit.Around(p.source, []evidence.Span{s}, evidence.Match{Kind: evidence.MatchExact, Locator: s.Locator, Start: r.Start, End: r.End})
	c.Before, c.After = lastBytes(c.Before, maxAround), clip(c.After, maxAround)
	return c
}

// has reports whether a passage has a content word.
func (p passage) has(w string) bool {
	if p.exact.End > 0 {
		return stems(p.words())[w]
	}
	for i := p.from; i < p.to; i++ {
		if p.said(i)[w] {
			return true
		}
	}
	return false
}

// near reports whether a content word stands above a passage, or in the sentences before it in its span.
func (p passage) near(w string) bool {
	at := p.sentences[p.from].span
	over := p.over[at]
	if over == nil {
		s := p.spans[at]
		over = stems(s.Heading + " " + s.Caption + " " + s.Columns)
		p.over[at] = over
	}
	if p.title[w] || over[w] {
		return true
	}
	for i := p.from - 1; i >= max(0, p.from-sentencesBefore) && p.sentences[i].span == at; i-- {
		if p.said(i)[w] {
			return true
		}
	}
	return p.exact.End > 0 && p.said(p.from)[w]
}

// sentencesBefore a passage may name what it speaks of.
const sentencesBefore = 4

// said are the content words of a sentence.
func (x *sourceText) said(i int) map[string]bool {
	s := &x.sentences[i]
	if s.stems == nil {
		s.stems = stems(x.spans[s.span].Text[s.Start:s.End])
	}
	return s.stems
}

// maxAround is how much beside a passage is looked at, in bytes.
const maxAround = 800

func lastBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[len(s)-n:], "")
}

// passages are the places of one source that share the most words with a text, the best first: each sentence by itself, with
// the one before, the one after, and both.
func (x *sourceText) passages(said string, n int) []passage {
	var out []passage
	for _, h := range x.index.Search(said, n) {
		i, _ := strconv.Atoi(h.Key)
		out = x.windows(out, i)
	}
	return out
}

func (x *sourceText) windows(out []passage, i int) []passage {
	same := func(j int) bool {
		return j >= 0 && j < len(x.sentences) && x.sentences[j].span == x.sentences[i].span
	}
	add := func(from, to int) {
		if !slices.ContainsFunc(out, func(p passage) bool { return p.sourceText == x && p.from == from && p.to == to }) {
			out = append(out, passage{sourceText: x, from: from, to: to})
		}
	}
	add(i, i+1)
	if same(i - 1) {
		add(i-1, i+1)
	}
	if same(i + 1) {
		add(i, i+2)
	}
	if same(i-1) && same(i+1) {
		add(i-1, i+2)
	}
	return out
}

// anywhere are the passages of all sources but some that share the most words with a text.
func (t *texts) anywhere(said string, n int, but []string) []passage {
	var out []passage
	for _, h := range t.all.Search(said, n) {
		id, at, _ := strings.Cut(h.Key, " ")
		if i, err := strconv.Atoi(at); err == nil && !slices.Contains(but, id) {
			out = t.each[id].windows(out, i)
		}
	}
	return out
}

// holding are the passages that hold a quotation, its own words first.
func (x *sourceText) holding(m evidence.Match) []passage {
	for i, s := range x.sentences {
		if x.spans[s.span].Locator == m.Locator && m.Start >= s.Start && m.Start < s.End {
			own := passage{sourceText: x, from: i, to: i + 1, exact: audit.Range{Start: m.Start, End: m.End}}
			if m.Until != nil {
				own.exact = audit.Range{}
			}
			return append([]passage{own}, x.windows(nil, i)...)
		}
	}
	return nil
}

// stems is the set of the content words of a text, without figures.
func stems(s string) map[string]bool {
	set := map[string]bool{}
	for _, t := range index.Terms(s) {
		switch {
		case strings.ContainsAny(t, "0123456789"):
		case unitNames[t] != "":
			for _, name := range index.Terms(unitNames[t]) {
				set[name] = true
			}
		default:
			set[t] = true
		}
	}
	return set
}

// unitNames are the names of units that are often written by their symbols.
var unitNames = map[string]string{"kwh": "kilowatt hours", "mwh": "megawatt hours", "gwh": "gigawatt hours", "twh": "terawatt hours", "kw": "kilowatts", "mw": "megawatts", "gw": "gigawatts",
	"km": "kilometres", "cm": "centimetres", "mm": "millimetres", "kg": "kilograms", "mg": "milligrams", "kb": "kilobytes", "mb": "megabytes", "gb": "gigabytes", "tb": "terabytes",
	"mhz": "megahertz", "ghz": "gigahertz", "hz": "hertz", "ms": "milliseconds", "usd": "dollars", "eur": "euros", "gbp": "pounds", "pct": "percent", "kilometer": "kilometres", "meter": "metres"}
