package derive

import (
	"slices"
	"strings"
)

// Limits of an expression. What is larger explains nothing to a reader.
const (
	maxDraft    = 400  // bytes of a declared one
	maxPrinted  = 2000 // and of a printed one
	maxDepth    = 8    // of brackets
	maxOperands = 20
)

// A node is a part of an expression.
type node struct {
	op      string // + − × ÷ mean percent; "" of an operand, "1" of the whole
	args    []*node
	finding string // of an operand in a draft
	written string // of an operand: how its figure is written, "" for the only one
	figure  *Figure
}

// A parser reads an expression from its tokens.
type parser struct {
	tokens   []token
	at       int
	depth    int
	operands int
	wholes   int // times that 1 stands in it
	draft    bool
	places   int // that the result is rounded to; -1 where nothing is said
}

func (p *parser) next() token {
	if p.at < len(p.tokens) {
		return p.tokens[p.at]
	}
	return token{kind: end}
}

func (p *parser) take(k tokenKind) (token, bool) {
	t := p.next()
	if t.kind != k {
		return t, false
	}
	p.at++
	return t, true
}

// parse reads a whole expression.
func (p *parser) parse() (*node, error) {
	if t := p.next(); p.draft && t.kind == word && t.text == "round" {
		return p.round()
	}
	n, err := p.sum()
	if err != nil {
		return nil, err
	}
	if t := p.next(); t.kind != end {
		return nil, malformed("%q is not expected behind %q", t.text, p.before())
	}
	return n, nil
}

// before is the token that was taken last.
func (p *parser) before() string {
	if p.at == 0 {
		return ""
	}
	return p.tokens[p.at-1].text
}

// round reads round(…, n), which may stand only around the whole.
func (p *parser) round() (*node, error) {
	p.at++
	if _, ok := p.take(open); !ok {
		return nil, malformed("round is written round(…, n)")
	}
	n, err := p.sum()
	if err != nil {
		return nil, err
	}
	_, comma := p.take(separator)
	t, number := p.take(constant)
	if !comma || !number || len(t.text) != 1 || t.text > "6" {
		return nil, malformed("round takes an expression and how many decimal places it keeps, from 0 to 6: round(…, 1)")
	}
	p.places = int(t.text[0] - '0')
	if _, ok := p.take(closing); !ok || p.next().kind != end {
		return nil, malformed("round stands around the whole expression: round(…, 1)")
	}
	return n, nil
}

func (p *parser) sum() (*node, error) {
	left, err := p.product()
	for err == nil {
		t, more := p.operator("+−")
		if !more {
			return left, nil
		}
		var right *node
		if right, err = p.product(); err == nil {
			left = &node{op: t, args: []*node{left, right}}
		}
	}
	return nil, err
}

// operator takes one of these operators.
func (p *parser) operator(ops string) (string, bool) {
	t := p.next()
	if t.kind != operator || !strings.Contains(ops, t.text) {
		return "", false
	}
	p.at++
	return t.text, true
}

// product reads what × and ÷ join. In a draft, × 100 says that the whole of it is meant in percent.
func (p *parser) product() (*node, error) {
	left, err := p.factor()
	if err != nil {
		return nil, err
	}
	var hundred bool
	for {
		op, more := p.operator("×÷")
		if !more {
			break
		}
		right, err := p.factor()
		switch {
		case err != nil:
			return nil, err
		case right.op == "100" && op == "×" && !hundred, left.op == "100" && op == "×":
			if left.op == "100" {
				left = right
			}
			hundred = true
		default:
			left = &node{op: op, args: []*node{left, right}}
		}
	}
	switch {
	case hundreds(left):
		return nil, typed("100")
	case hundred:
		left = &node{op: "percent", args: []*node{left}}
	}
	return left, nil
}

// hundreds reports whether a 100 is left that is no "× 100" of its product.
func hundreds(n *node) bool {
	return n.op == "100" || (n.op == "×" || n.op == "÷") && slices.ContainsFunc(n.args, hundreds)
}

func typed(number string) error {
	return malformed("the number %s is typed: a computation is made of findings' figures, and of no other numbers but 1 as the whole of a share (1 - F1), and × 100 for percent", number)
}

func (p *parser) factor() (*node, error) {
	t := p.next()
	switch t.kind {
	case open:
		return p.bracket()
	case word:
		return p.call()
	case operand:
		p.at++
		if p.operands++; p.operands > maxOperands {
			return nil, malformed("it has more than %d figures", maxOperands)
		}
		return &node{finding: t.finding, written: t.text}, nil
	case constant:
		p.at++
		if t.text != "1" && (t.text != "100" || !p.draft) {
			return nil, typed(t.text)
		}
		if t.text == "1" {
			p.wholes++
		}
		if p.wholes > 1 { // of several, any number could be made
			return nil, malformed("1 stands in it more than once: it is the whole of one share")
		}
		return &node{op: t.text}, nil
	case operator:
		return nil, malformed("%q stands where a figure is expected; a figure has no sign of its own", t.text)
	case end:
		return nil, malformed("it ends where a figure is expected")
	}
	return nil, malformed("%q stands where a figure is expected", t.text)
}

func (p *parser) bracket() (*node, error) {
	p.at++
	if p.depth++; p.depth > maxDepth {
		return nil, malformed("its brackets are nested deeper than %d", maxDepth)
	}
	defer func() { p.depth-- }()
	n, err := p.sum()
	if err != nil {
		return nil, err
	}
	if _, ok := p.take(closing); !ok {
		return nil, malformed("a bracket is not closed")
	}
	return n, nil
}

// functions by name, with how many arguments they take at least and at most.
var functions = map[string]struct{ least, most int }{
	"sum": {2, maxOperands}, "mean": {2, maxOperands}, "difference": {2, 2}, "ratio": {2, 2}, "share": {2, 2}, "rise": {2, 2}, "fall": {2, 2}, "percent": {1, 1},
}

// call reads a function. Of a printed expression only mean is one.
func (p *parser) call() (*node, error) {
	name := p.next().text
	p.at++
	takes, known := functions[name]
	switch {
	case !p.draft && name != "mean":
		known = false
	case name == "change":
		return nil, malformed("write rise(from, to) or fall(from, to), so that the sentence can say which it is")
	case name == "round":
		return nil, malformed("round stands around the whole expression: round(…, 1)")
	}
	if !known {
		return nil, malformed("%q is no function; there are sum, mean, difference, ratio, share, rise, fall, percent and round", name)
	}
	if p.next().kind != open {
		return nil, malformed("%s takes its figures in brackets: %s(F1, F2)", name, name)
	}
	args, err := p.arguments()
	if err != nil {
		return nil, err
	}
	if len(args) < takes.least || len(args) > takes.most {
		return nil, malformed("%s takes %s, not %d", name, counted(takes.least, takes.most), len(args))
	}
	return expand(name, args), nil
}

func counted(least, most int) string {
	switch {
	case least == most && least == 1:
		return "one figure"
	case least == most:
		return "two figures"
	}
	return "two figures or more"
}

// arguments reads what stands between the brackets of a function.
func (p *parser) arguments() ([]*node, error) {
	p.at++
	if p.depth++; p.depth > maxDepth {
		return nil, malformed("its brackets are nested deeper than %d", maxDepth)
	}
	defer func() { p.depth-- }()
	var args []*node
	for {
		n, err := p.sum()
		if err != nil {
			return nil, err
		}
		args = append(args, n)
		if _, ok := p.take(closing); ok {
			return args, nil
		}
		if _, ok := p.take(separator); !ok {
			return nil, malformed("a bracket is not closed")
		}
	}
}

// expand says a function by operations, so that a report shows what was done.
func expand(name string, args []*node) *node {
	two := func(op string, a, b *node) *node { return &node{op: op, args: []*node{a, b}} }
	percent := func(n *node) *node { return &node{op: "percent", args: []*node{n}} }
	switch name {
	case "sum":
		total := args[0]
		for _, n := range args[1:] {
			total = two("+", total, n)
		}
		return total
	case "difference":
		return two("−", args[0], args[1])
	case "ratio":
		return two("÷", args[0], args[1])
	case "share":
		return percent(two("÷", args[0], args[1]))
	case "rise":
		return percent(two("÷", two("−", args[1], args[0]), args[0]))
	case "fall":
		return percent(two("÷", two("−", args[0], args[1]), args[0]))
	}
	return &node{op: name, args: args}
}

// leaves are the operands of an expression, from the left.
func (n *node) leaves() []*node {
	if n.op == "" {
		return []*node{n}
	}
	var all []*node
	for _, a := range n.args {
		all = append(all, a.leaves()...)
	}
	return all
}

// rank is how strongly an operation binds.
func (n *node) rank() int {
	switch n.op {
	case "+", "−":
		return 1
	case "×", "÷":
		return 2
	case "percent":
		return n.args[0].rank()
	}
	return 3
}

// print writes an expression with its figures as they are written.
func (n *node) print(b *strings.Builder) {
	switch {
	case n.op == "":
		b.WriteString(n.figure.Text)
	case n.op == "percent":
		n.args[0].print(b)
	case n.op == "mean":
		b.WriteString("mean(")
		for i, a := range n.args {
			if i > 0 {
				b.WriteString("; ")
			}
			a.print(b)
		}
		b.WriteString(")")
	case len(n.args) == 0:
		b.WriteString(n.op)
	default:
		n.args[0].within(b, n.args[0].rank() < n.rank())
		b.WriteString(" " + n.op + " ")
		n.args[1].within(b, n.args[1].rank() <= n.rank() && !(n.op == "+" && n.args[1].rank() == 1 && n.args[1].op == "+"))
	}
}

// within prints a part, in brackets where it needs them.
func (n *node) within(b *strings.Builder, brackets bool) {
	if brackets {
		b.WriteByte('(')
	}
	n.print(b)
	if brackets {
		b.WriteByte(')')
	}
}
