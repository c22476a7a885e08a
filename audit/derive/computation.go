package derive

import (
	"slices"
	"strings"
)

// An Expression is a computation as a draft declares it.
type Expression struct {
	root   *node
	places int
}

// Parse reads a declared computation. An error says what is wrong with it, for the model that wrote it.
func Parse(text string) (*Expression, error) {
	tokens, err := draftTokens(text)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens, draft: true, places: -1}
	root, err := p.parse()
	if err != nil {
		return nil, err
	}
	if len(root.leaves()) == 0 {
		return nil, malformed("it names no finding")
	}
	return &Expression{root, p.places}, nil
}

// Findings are the findings that an expression names, each once, in order.
func (e *Expression) Findings() []string {
	var ids []string
	for _, l := range e.root.leaves() {
		if !slices.Contains(ids, l.finding) {
			ids = append(ids, l.finding)
		}
	}
	return ids
}

// A Computation is what was computed, as a report shows it.
type Computation struct {
	Expression string // (45.2 GWh − 41.6 GWh) ÷ 45.2 GWh
	Result     string // 8.0 percent; about 8.0 percent where a figure is not meant exactly
	Exact      bool   // the result is not rounded
}

// Sign is what stands between the expression and its result.
func (c Computation) Sign() string {
	if c.Exact {
		return "="
	}
	return "≈"
}

// About begins a result that is made of figures which are not meant exactly.
const About = "about "

// Compute finds the figures that an expression names, by their findings' quotes, and computes it. An error says what is
// wrong, for the model that wrote it.
func (e *Expression) Compute(quotes map[string][]Figure) (Computation, error) {
	for _, l := range e.root.leaves() {
		f, err := pick(l, quotes[l.finding])
		if err != nil {
			return Computation{}, err
		}
		l.figure = &f
	}
	v, err := e.root.eval()
	if err != nil {
		return Computation{}, err
	}
	if err := v.printable(); err != nil {
		return Computation{}, err
	}
	places := e.places
	if places < 0 {
		places = v.places()
	}
	d := v.shown[0]
	c := Computation{Result: v.print(d, places), Exact: v.exactAt(d, places)}
	if v.vanishes(d, places) {
		return Computation{}, &Error{Kind: Undefined, Message: "the result is rounded away, to " + c.Result + ": keep more decimal places"}
	}
	if v.about {
		c.Result = About + c.Result
	}
	var b strings.Builder
	e.root.print(&b)
	c.Expression = b.String()
	return c, nil
}

// pick is the figure that an operand names.
func pick(l *node, figures []Figure) (Figure, error) {
	var usable []Figure
	for _, f := range figures {
		if f.usable() == "" && !slices.ContainsFunc(usable, f.same) {
			usable = append(usable, f)
		}
	}
	switch {
	case len(figures) == 0:
		return Figure{}, &Error{Absent, l.finding, "the quote of " + l.finding + " has no figure"}
	case l.written != "":
		i, err := find(figures, l.written, true)
		if err != nil {
			return Figure{}, &Error{err.Kind, err.Text, err.Message + "; the quote of " + l.finding + " has: " + list(figures)}
		}
		return figures[i], nil
	case len(usable) == 0:
		return Figure{}, &Error{Unclear, l.finding, "the quote of " + l.finding + " has no figure to compute with: " + figures[0].usable()}
	case len(usable) > 1:
		return Figure{}, &Error{Unclear, l.finding, "the quote of " + l.finding + " has several figures: " + list(usable) + "; say which, as in " + l.finding + ":" + example(usable[0])}
	}
	return usable[0], nil
}

// example is how a figure is named in a draft.
func example(f Figure) string {
	if n := writtenNumber(f.Number); n > 0 && n == len(f.Number) {
		return f.Number
	}
	return `"` + f.Number + `"`
}

// exactAt reports whether a value is not rounded at so many decimals.
func (v value) exactAt(d display, places int) bool {
	n := terminates(v.in(d))
	return n >= 0 && n <= places
}

// vanishes reports whether nothing is left of a value at so many decimals.
func (v value) vanishes(d display, places int) bool {
	return v.rat.Sign() != 0 && strings.Trim(number(v.in(d), places), "0.,−") == ""
}

// Check computes a printed expression again, over figures of the quotes that are cited with it, and says whether the result
// is what the report prints. used are the indexes of the figures that it is made of; of figures that are written alike, the
// first. notes say what a reader should look at: clauses without a stop.
func Check(c Computation, figures []Figure) (used []int, notes []string, err error) {
	tokens, err := printedTokens(c.Expression)
	if err != nil {
		return nil, nil, err
	}
	for i, t := range tokens {
		if t.kind == operand && t.text == "1" {
			if _, missing := find(figures, t.text, false); missing != nil {
				tokens[i].kind = constant
			}
		}
	}
	p := &parser{tokens: tokens}
	root, err := p.parse()
	if err != nil {
		return nil, nil, err
	}
	if len(root.leaves()) == 0 {
		return nil, nil, malformed("it is made of no figure")
	}
	for _, l := range root.leaves() {
		i, err := find(figures, l.written, false)
		if err != nil {
			return nil, nil, err
		}
		l.figure = &figures[i]
		used = append(used, i)
	}
	v, err := root.eval()
	if err != nil {
		return nil, nil, err
	}
	return used, v.notes, v.agrees(c)
}

// agrees reports whether a result is this value, in one of the ways to print it.
func (v value) agrees(c Computation) error {
	if err := v.printable(); err != nil {
		return err
	}
	result, about := strings.CutPrefix(c.Result, About)
	for _, d := range v.shown {
		for places := range maxPlaces + 1 {
			if v.print(d, places) == result && !v.vanishes(d, places) && about == v.about && c.Exact == v.exactAt(d, places) {
				return nil
			}
		}
	}
	d := v.shown[0]
	right := Computation{Result: v.print(d, v.places()), Exact: v.exactAt(d, v.places())}
	if v.about {
		right.Result = About + right.Result
	}
	return &Error{Wrong, c.Result, "it comes out at " + right.Sign() + " " + right.Result + ", not at " + c.Sign() + " " + c.Result}
}

// Way is 1 for a computation that gives a rise in parts of what was before, (b − a) ÷ a, -1 for a fall, (a − b) ÷ a, and 0
// for any other.
func (c Computation) Way() int {
	tokens, err := printedTokens(c.Expression)
	if err != nil {
		return 0
	}
	root, err := (&parser{tokens: tokens}).parse()
	if err != nil || root.op != "÷" || root.args[0].op != "−" || root.args[1].op != "" {
		return 0
	}
	from, to := root.args[0].args[0], root.args[0].args[1]
	switch base := root.args[1].written; {
	case from.op == "" && base == from.written && base == to.written:
		return 0
	case from.op == "" && base == from.written:
		return -1
	case to.op == "" && base == to.written:
		return 1
	}
	return 0
}
