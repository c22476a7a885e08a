package audit

import (
	"bytes"
	"slices"
	"strings"

	"ibid/audit/claim"
	"ibid/audit/derive"
	"ibid/evidence"
)

// A checker holds the record, indexed, and what was found so far. It serves one report.
type checker struct {
	src      []byte
	rec      Record
	lines    []int // where each line begins
	sources  map[string]*evidence.Source
	findings map[evidence.Key][]int // by span, indexes in rec.Findings
	docs     map[string]*evidence.Doc
	places   map[string]map[evidence.Locator]int // by source, indexes in its spans
	ground   map[evidence.Key]*ground
	figures  map[int][]derive.Figure // of findings' quotes
	verdicts map[int]*Failure        // of findings, nil once found good

	failures []Failure
	unlisted int  // failures beyond those listed
	blocked  bool // one of them blocks
	weighed  int  // bytes that were held against each other
	rules    claim.Checker
	claims   int
	cited    int
	computed int
	head     string                // of the table that is being judged
	used     map[evidence.Key]bool // the spans that are cited
	usedID   map[string]bool       // the sources that are cited
	said     []statement           // what the report says with a citation
	pending  []statement           // what it says without, until it is known whether it repeats
	facts    []factClaim           // counts of cited sources, until all are known
	first    []citedFirst          // where each source is cited first
	told     map[string]bool       // "S2 retracted": the report says so
	carded   bool                  // its list of sources says what they are worth
	accepted map[string]bool       // the findings of which the report says that a person accepted them
	rulings  map[string]*evidence.Ruling
	open     []claim.Question // that a judge could decide
}

// A statement is a sentence, row or heading of the report.
type statement struct {
	block *block
	Range
	text  string
	stems map[string]bool
	figs  []claim.Number
	about []string // its words about its sources, which are true of them, and no source's: they count, compare or name what is cited
}

// own is a part of a statement without its words about its sources.
func (s statement) own(part string) string {
	for _, words := range s.about {
		part = strings.Replace(part, words, "", 1)
	}
	return part
}

func newChecker(src []byte, rec Record) *checker {
	c := &checker{src: src, rec: rec, rulings: rec.rulings(), sources: map[string]*evidence.Source{}, findings: map[evidence.Key][]int{},
		docs: map[string]*evidence.Doc{}, places: map[string]map[evidence.Locator]int{}, ground: map[evidence.Key]*ground{},
		figures: map[int][]derive.Figure{}, verdicts: map[int]*Failure{}, used: map[evidence.Key]bool{}, usedID: map[string]bool{}, told: map[string]bool{}, accepted: map[string]bool{}, lines: []int{0}}
	for i, b := range src {
		if b == '\n' {
			c.lines = append(c.lines, i+1)
		}
	}
	for i := range rec.Sources {
		c.sources[rec.Sources[i].ID] = &rec.Sources[i]
	}
	for i, f := range rec.Findings {
		if f.Rejected != "" {
			continue
		}
		c.findings[f.Key()] = append(c.findings[f.Key()], i)
		if f.Until != nil && *f.Until != f.Locator {
			k := evidence.Key{Source: f.Source, Locator: *f.Until}
			c.findings[k] = append(c.findings[k], i)
		}
	}
	return c
}

// doc is a source made ready for looking up quotes.
func (c *checker) doc(id string) *evidence.Doc {
	d := c.docs[id]
	if d == nil {
		kind := evidence.HTML
		if s := c.sources[id]; s != nil {
			kind = s.Kind
		}
		d = evidence.NewDoc(kind, c.rec.Spans[id])
		c.docs[id] = d
	}
	return d
}

// span is the span at a key.
func (c *checker) span(k evidence.Key) (evidence.Span, bool) {
	at := c.places[k.Source]
	if at == nil {
		at = make(map[evidence.Locator]int)
		for i, s := range c.rec.Spans[k.Source] {
			if _, twice := at[s.Locator]; !twice {
				at[s.Locator] = i
			}
		}
		c.places[k.Source] = at
	}
	i, ok := at[k.Locator]
	if !ok {
		return evidence.Span{}, false
	}
	return c.rec.Spans[k.Source][i], true
}

// failAt notes a failure at a range of a block.
func (c *checker) failAt(b *block, r Range, f Failure) {
	f.Start, f.End = b.place(r)
	if f.Text == "" {
		f.Text = strings.Join(strings.Fields(string(bytes.ReplaceAll(b.text[r.Start:r.End], []byte{mask}, nil))), " ")
	}
	c.fail(f)
}

// check judges one block.
func (c *checker) check(b *block) {
	c.checkMarkup(b)
	if b.sources {
		return
	}
	c.checkLinks(b)
	if c.isAcceptance(b) {
		return
	}
	switch b.kind {
	case rawHTML:
		c.checkHTML(b)
	case title:
		c.checkTitle(b)
	case heading:
		c.checkHeading(b)
	case columns:
		c.checkColumns(b)
	case row:
		c.checkRow(b)
	case code:
		c.checkCode(b)
	case quote:
		c.checkQuote(b)
	default:
		for _, r := range b.sentences() {
			c.checkSentence(b, r)
		}
	}
}

// covering are the citations that cover a block from outside: those of the line that introduces it, or of the caption
// that follows it.
func (c *checker) covering(b *block) []evidence.Citation {
	for l := b.lead; l != nil; l = l.lead {
		if cs := l.lastCites(); len(cs) > 0 {
			return cs
		}
	}
	if b.after != nil {
		return b.after.cites()
	}
	return nil
}

// sentences are the sentences of a block; no citation and no computation is parted by one.
func (b *block) sentences() []Range {
	var at []Range
	for _, m := range b.mentions {
		if !slices.ContainsFunc(b.computed, func(n computed) bool { return overlap(n.Range, m.Range) }) {
			at = append(at, m.Range)
		}
	}
	for _, n := range b.computed {
		i, _ := slices.BinarySearchFunc(at, n.Start, func(r Range, start int) int { return r.Start - start })
		at = slices.Insert(at, i, n.Range)
	}
	return sentences(string(b.text), at)
}

// lastCites are the citations of the last sentence of a block.
func (b *block) lastCites() []evidence.Citation {
	ss := b.sentences()
	if len(ss) == 0 {
		return nil
	}
	var cs []evidence.Citation
	for _, m := range b.mentions {
		if m.ok() && m.Start >= ss[len(ss)-1].Start {
			cs = append(cs, m.cites...)
		}
	}
	return cs
}

// statement makes a statement of a range of a block.
func (b *block) statement(r Range) statement {
	t := b.without(r)
	return statement{block: b, Range: r, text: t, stems: stems(t), figs: claim.Numbers(t)}
}

// maxComparisons bounds the search for repetitions. In a report with more to compare, what has no citation is taken for
// new.
const maxComparisons = 4_000_000

// settle decides on what was said without a citation: it may repeat what the report says with one.
func (c *checker) settle() {
	left := maxComparisons
	for _, p := range c.pending {
		if left -= len(c.said); left < 0 || !slices.ContainsFunc(c.said, p.repeats) {
			c.uncited(p)
		}
	}
	c.settleFacts()
}

// repeats reports whether p says nothing that s does not say.
func (p statement) repeats(s statement) bool {
	in, of := share(p.stems, s.stems)
	if of < 2 || in < of-of/10 || in == 0 || negations(p.text) != negations(s.text) {
		return false
	}
	for _, f := range p.figs {
		if !slices.ContainsFunc(s.figs, func(g claim.Number) bool { return g.Value == f.Value }) {
			return false
		}
	}
	return !HasNumber(p.text) || len(p.figs) > 0
}

func negations(text string) int {
	n := 0
	for _, w := range words(text) {
		if w == "not" || w == "no" || w == "never" || w == "none" || w == "cannot" || strings.HasSuffix(w, "n't") || strings.HasSuffix(w, "n’t") {
			n++
		}
	}
	return n
}

// maxSuggested is how many failures get a suggestion, which costs a look at all findings.
const maxSuggested = 200

// uncited notes a statement without a source.
func (c *checker) uncited(p statement) {
	f := Failure{Code: UncitedClaim, Claim: p.text,
		Message: "This statement has no citation with or after it. Cite a recorded finding for it, or take it out."}
	if len(c.failures) < maxSuggested {
		f.Suggestion = c.finding(p.stems, p.figs, 0.7)
	}
	if f.Suggestion != "" {
		f.Message = "This statement has no citation with or after it. What is recorded at [" + f.Suggestion + "] says much the same: cite that, or take the statement out."
	}
	c.failAt(p.block, p.Range, f)
}
