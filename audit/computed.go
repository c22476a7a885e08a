package audit

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/audit/claim"
	"ibid/audit/derive"
	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

// A computed is the note by which a report shows how it came to a figure: "Output was 3.6 GWh below the plan (computed:
// 45.2 GWh − 41.6 GWh = 3.6 GWh, from [S1 para.2])."
type computed struct {
	Range                     // from bracket to bracket
	derive.Computation        // as it is printed
	cites              Range  // of its citation; empty if it has none
	problem            string // why it cannot be read, "" if it can
	stated             Range  // where the sentence states the result; empty if nowhere
}

// computedNote matches the beginning of a note, and of what a reader would take for one.
var computedNote = lazyregexp.New(`(?i)[(\[]\s*(?:computed|calculated)\s*[:：]`)

const (
	noteOpens   = "(computed: "
	noteFrom    = ", from "
	maxComputed = 40   // notes in one block
	maxStated   = 2000 // bytes in front of a note, in which its result is looked for
)

// ComputedNote prints a computation and its citation, brackets included, as a report shows them.
func ComputedNote(c derive.Computation, citation string) string {
	return noteOpens + c.Expression + " " + c.Sign() + " " + c.Result + noteFrom + citation + ")"
}

// scanComputed fills b.computed from the text of a block in which sentences stand.
func (b *block) scanComputed() {
	if b.kind != paragraph && b.kind != item && b.kind != row && b.kind != note {
		return
	}
	for _, at := range computedNote.FindAllIndex(b.text, -1) {
		if k := len(b.computed); k > 0 && at[0] < b.computed[k-1].End {
			continue
		}
		if len(b.computed) == maxComputed {
			b.computed = append(b.computed, computed{Range: Range{at[0], at[1]}, problem: fmt.Sprintf("one paragraph shows at most %d computations", maxComputed)})
			break
		}
		b.computed = append(b.computed, b.readComputed(at[0], at[1]))
	}
	if len(b.computed) > 0 {
		b.findStated()
		b.drops = b.dropped()
	}
}

// readComputed reads the note that begins at start; from is behind its colon.
func (b *block) readComputed(start, from int) computed {
	c := computed{Range: Range{start, from}}
	end, body := b.closeComputed(from)
	if end < 0 {
		c.problem = "its bracket is not closed"
		return c
	}
	c.End = end
	if !strings.HasPrefix(string(b.text[start:end]), noteOpens) || slices.Contains(b.scan[start:end], mask) {
		c.problem = "it is not written as the program writes it"
		return c
	}
	i := slices.IndexFunc(b.mentions, func(m mention) bool { return m.Start >= from && m.End == end-1 })
	if i >= 0 {
		c.cites = b.mentions[i].Range
		var ok bool
		if body, ok = strings.CutSuffix(string(b.text[start+len(noteOpens):c.cites.Start]), noteFrom); !ok {
			c.problem = "it does not say what it is from, behind a comma"
			return c
		}
	}
	for _, sign := range []string{" = ", " ≈ "} {
		if expression, result, ok := strings.Cut(body, sign); ok {
			c.Expression, c.Result, c.Exact = strings.TrimSpace(expression), result, sign == " = "
			return c
		}
	}
	c.problem = "it states no result"
	return c
}

// closeComputed is the end of the bracket that was opened before from, and what stands in it; -1 if it is not closed in
// the block.
func (b *block) closeComputed(from int) (end int, body string) {
	depth := 1
	for i := from; i < min(len(b.text), from+2*maxStated); i++ {
		switch b.text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1, string(b.text[from:i])
			}
		case '\n':
			return -1, ""
		}
	}
	return -1, ""
}

// findStated looks for the results where the sentences, or the cells, state them.
func (b *block) findStated() {
	scopes := b.cells
	if b.kind != row {
		scopes = b.sentences()
	}
	for i := range b.computed {
		c := &b.computed[i]
		k := slices.IndexFunc(scopes, func(r Range) bool { return r.Start <= c.Start && c.End <= r.End })
		if c.problem != "" || k < 0 {
			continue
		}
		result, about := strings.CutPrefix(c.Result, derive.About)
		from := max(scopes[k].Start, c.Start-maxStated)
		for to := c.Start; to > from; {
			at := strings.LastIndex(string(b.text[from:to]), result)
			if at < 0 {
				break
			}
			r := Range{from + at, from + at + len(result)}
			if result != "" && b.standsAlone(r) && !b.taken(i, r) && (!about || nearWords[lastWord(strings.TrimRight(string(b.text[from:r.Start]), " "))]) {
				c.stated = r
				break
			}
			to = r.End - 1
		}
	}
}

// nearWords stand before a figure that is not exact.
var nearWords = set(`about around roughly approximately approx circa ca some nearly almost over under above below more less than least most up close just only exceeding
	rund etwa knapp environ`)

// standsAlone reports whether no digit or letter is joined to a range, so that it is a whole figure.
func (b *block) standsAlone(r Range) bool {
	before, _ := utf8.DecodeLastRune(b.text[:r.Start])
	after, _ := utf8.DecodeRune(b.text[r.End:])
	word := func(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) }
	if word(before) || word(after) || strings.ContainsRune("-−+~<>≤≥±$€£¥₹%", before) && before != utf8.RuneError {
		return false
	}
	if strings.ContainsRune(".,'", before) && r.Start > 1 && word(rune(b.text[r.Start-2])) || strings.ContainsRune("%‰°", after) {
		return false
	}
	return !(strings.ContainsRune(".,'", after) && r.End+1 < len(b.text) && word(rune(b.text[r.End+1])))
}

// taken reports whether a range is another note's, or that of a result that another note before the i-th computes.
func (b *block) taken(i int, r Range) bool {
	for k, o := range b.computed {
		if overlap(o.Range, r) || k < i && overlap(o.stated, r) {
			return true
		}
	}
	return slices.ContainsFunc(b.mentions, func(m mention) bool { return overlap(m.Range, r) })
}

func overlap(a, b Range) bool { return a.Start < b.End && b.Start < a.End }

// dropped are the ranges of a block that its statements are read without: citations, computations and their results.
func (b *block) dropped() []Range {
	out := make([]Range, 0, len(b.mentions)+2*len(b.computed))
	for _, m := range b.mentions {
		if !slices.ContainsFunc(b.computed, func(c computed) bool { return overlap(c.Range, m.Range) }) {
			out = append(out, m.Range)
		}
	}
	for _, c := range b.computed {
		out = append(out, c.Range)
		if c.stated.End > 0 {
			out = append(out, c.stated)
		}
	}
	slices.SortFunc(out, func(a, b Range) int { return a.Start - b.Start })
	return out
}

// checkComputed computes again what the notes in a range say.
func (c *checker) checkComputed(b *block, s statement) {
	for i := range b.computed {
		if n := &b.computed[i]; overlap(n.Range, s.Range) {
			c.computed++
			if f := c.computedWrong(b, n); f != nil {
				f.Claim = s.text
				c.failAt(b, n.Range, *f)
			}
		}
	}
}

// computedWrong is what is wrong with a note, nil if nothing is.
func (c *checker) computedWrong(b *block, n *computed) *Failure {
	if n.problem != "" {
		return &Failure{Code: MalformedComp, Message: fmt.Sprintf("This is no computation: %s. Declare it in the draft as {compute: …}; the program prints it.", n.problem)}
	}
	if n.cites.End == 0 {
		return &Failure{Code: UncitedClaim, Message: "This computation cites nothing. Cite the findings that its figures are from."}
	}
	cites := b.citesIn(n.cites)
	if len(cites) == 0 {
		return nil // what is wrong with the citation is said
	}
	figures, _ := c.figuresAt(cites)
	used, notes, err := derive.Check(n.Computation, figures)
	if err != nil {
		return c.computedError(n, err)
	}
	for k, ci := range cites {
		if !slices.ContainsFunc(used, func(u int) bool { return c.hasFigure(ci, figures[u].Text) }) {
			return &Failure{Code: ClaimMismatch, Text: cites[k].String(), Message: fmt.Sprintf("No figure of this computation is from [%s]. Cite where its figures are from, and nothing else.", ci)}
		}
	}
	if n.stated.End == 0 {
		return &Failure{Code: DerivedWrong, Text: n.Result, Message: fmt.Sprintf("The sentence does not state what it computes, %s.", n.Result)}
	}
	if f := c.wrongWay(b, n); f != nil || len(notes) == 0 {
		return f
	}
	return &Failure{Code: FigureDerived, Text: n.Expression, Message: fmt.Sprintf("Make sure that this computation is of one kind of thing: %s.", strings.Join(notes, "; "))}
}

// computedError says what derive found, by its kind.
func (c *checker) computedError(n *computed, err error) *Failure {
	f := &Failure{Code: MalformedComp, Message: fmt.Sprintf("This computation does not hold: %s.", err)}
	var bad *derive.Error
	if !errors.As(err, &bad) {
		return f
	}
	f.Text = bad.Text
	switch bad.Kind {
	case derive.Wrong:
		f.Code = DerivedWrong
	case derive.Absent:
		f.Code = OperandAbsent
		f.Message = fmt.Sprintf("No recorded quote has the figure %q. Compute with the figures of findings.", bad.Text)
		for _, x := range c.rec.Findings {
			if k := evidence.Citation(x.Key()); x.Rejected == "" && c.hasFigure(k, bad.Text) {
				f.Code, f.Suggestion = OperandUncited, k.String()
				f.Message = fmt.Sprintf("The figure %q is from [%s], which the computation does not cite.", bad.Text, k)
				break
			}
		}
	}
	return f
}

// citesIn are the citations that stand at a range.
func (b *block) citesIn(r Range) []evidence.Citation {
	for _, m := range b.mentions {
		if m.Range == r && m.ok() {
			return m.cites
		}
	}
	return nil
}

// A Computation is a figure that a report computes, as its text shows it.
type Computation struct {
	Expression string    `json:"expression"` // as printed: (45.2 GWh − 41.6 GWh) ÷ 45.2 GWh
	Operands   []Operand `json:"operands"`   // in the order of the expression
	Result     string    `json:"result"`
	Exact      bool      `json:"exact"` // not rounded
}

// An Operand is a figure of a finding's quote.
type Operand struct {
	Finding string `json:"finding"`
	Figure  string `json:"figure"` // as printed, with its unit
}

// Computations lists what a report computes, in the order of the text. What does not hold is left out: Report says so.
func Computations(markdown []byte, rec Record) []Computation {
	if len(markdown) > maxReport || TooComplex(markdown) {
		return nil
	}
	c := newChecker(markdown, rec)
	var list []Computation
	for _, b := range parse(markdown).blocks {
		for i := range b.computed {
			n := &b.computed[i]
			figures, of := c.figuresAt(b.citesIn(n.cites))
			used, _, err := derive.Check(n.Computation, figures)
			if n.problem != "" || err != nil {
				continue
			}
			x := Computation{Expression: n.Expression, Result: n.Result, Exact: n.Exact}
			for _, u := range used {
				x.Operands = append(x.Operands, Operand{rec.Findings[of[u]].ID, figures[u].Text})
			}
			list = append(list, x)
		}
	}
	return list
}

// figuresAt are the figures of the quotes recorded at some citations, and for each its finding's index.
func (c *checker) figuresAt(cites []evidence.Citation) (figures []derive.Figure, of []int) {
	for _, ci := range cites {
		for _, i := range c.findings[evidence.Key(ci)] {
			if slices.Contains(of, i) {
				continue
			}
			for _, f := range c.quantities(i) {
				figures, of = append(figures, f), append(of, i)
			}
		}
	}
	return figures, of
}

// quantities are the figures of a finding's quote.
func (c *checker) quantities(i int) []derive.Figure {
	if fs, known := c.figures[i]; known {
		return fs
	}
	c.figures[i] = Figures(c.rec.Findings[i].Quote)
	return c.figures[i]
}

// Figures are the figures of a quote that can be computed with.
func Figures(quote string) []derive.Figure {
	var out []derive.Figure
	for _, q := range claim.Quantities(quote) {
		out = append(out, derive.Figure(q))
	}
	return out
}

// hasFigure reports whether a quote recorded at a citation has a figure that is written so.
func (c *checker) hasFigure(ci evidence.Citation, written string) bool {
	for _, i := range c.findings[evidence.Key(ci)] {
		if slices.ContainsFunc(c.quantities(i), func(f derive.Figure) bool { return strings.EqualFold(f.Text, written) }) {
			return true
		}
	}
	return false
}

var (
	upWords = set(`rose risen rise rises rising grew grown grow growth increase increased increases increasing gain gained gains climbed jumped up more higher above
		larger greater over longer faster bigger`)
	downWords = set(`fell fallen fall falls falling drop dropped drops decline declined declines decrease decreased decreases decreasing reduction reduced shrank
		shrunk down less fewer lower below smaller short shorter slower under cut lost loss`)
	besideWords = set(`by of some about around roughly approximately nearly almost a an the was were is are`)
)

// wrongWay looks whether the words right beside a result say that it rose where a fall was computed, or the other way round.
func (c *checker) wrongWay(b *block, n *computed) *Failure {
	way := n.Way()
	if way == 0 {
		return nil
	}
	before := words(string(b.text[max(0, n.stated.Start-100):n.stated.Start]))
	after := words(string(b.text[n.stated.End:min(len(b.text), n.stated.End+60, max(n.Start, n.stated.End))]))
	for len(before) > 0 && besideWords[before[len(before)-1]] {
		before = before[:len(before)-1]
	}
	beside := slices.Clone(after[:min(1, len(after))])
	if len(before) > 0 {
		beside = append(beside, before[len(before)-1])
	}
	up, down := false, false
	for _, w := range beside {
		up, down = up || upWords[w], down || downWords[w]
	}
	if way > 0 && down && !up || way < 0 && up && !down {
		return &Failure{Code: DerivedWrong, Text: n.Result, Message: "The sentence says the opposite of what is computed: " + map[int]string{1: "a rise, in parts of what it was before.", -1: "a fall, in parts of what it was before."}[way]}
	}
	return nil
}
