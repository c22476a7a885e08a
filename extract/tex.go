package extract

import (
	"context"
	"slices"
	"sort"
	"strings"
	"unicode"

	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

// Limits of TeX.
const (
	maxTeXDepth = 20     // macros and arguments inside of each other
	maxTeXCalls = 20_000 // of macros
	maxTeXGrown = 1      // times the document's size that macros may add
)

var (
	texBegin   = lazyregexp.New(`(?m)^(?:[^%\n\\]|\\[^b\n])*\\begin\{document\}`)
	texDefines = lazyregexp.New(`\\(?:title|author|date|affiliation|address|newif|[A-Za-z]+(?:true|false)|newcommand|renewcommand|providecommand|DeclareRobustCommand|def|usepackage|RequirePackage|selectlanguage)\b`)
)

// readTeX reads a document in LaTeX as far as that goes without TeX: the text in the order of the file, without commands
// and comments; formulas as they are written; what a command of the document's own stands for in its place. A text never
// holds words that are not in the file.
func readTeX(ctx context.Context, in Input) (*Page, error) {
	text, charset := decode(in.Body, in.ContentType)
	page := &Page{Kind: evidence.Document, By: "tex/1", Charset: charset}
	r := &texReader{ctx: ctx, page: page, text: text, links: newLinks(in.URL, nil), macros: map[string]texMacro{}, switches: map[string]bool{}, start: -1,
		chapters: strings.Contains(text, `\chapter`)}
	body := 0
	if m := texBegin.FindStringIndex(text); m != nil {
		body = m[1]
		for at := 0; at < body; {
			next := texDefines.FindStringIndex(text[at:body])
			if next == nil {
				break
			}
			c := &texScan{s: text[at+next[0] : body], at: at + next[0]}
			if !commented(text, c.at) {
				r.command(c, texPlace{})
				r.flush(texPlace{})
			} else {
				c.i = next[1] - next[0]
			}
			at = c.at + max(c.i, 1)
		}
	}
	r.run(&texScan{s: text[body:], at: body}, texPlace{})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	page.Links = r.links.list
	page.Title = first(page.Title, firstHeading(page.Blocks), baseName(in.URL))
	return page, nil
}

// commented reports whether a place in a text is in a comment.
func commented(text string, at int) bool {
	line := text[max(0, at-1000):at] // a longer line is nobody's
	line = line[strings.LastIndexByte(line, '\n')+1:]
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '%':
			return true
		}
	}
	return false
}

// texPlace is where in a document the reading stands; it is passed down by value.
type texPlace struct {
	role   evidence.Role
	level  int // of the heading; of the item
	listed bool
	inCell bool
	inLine bool // in an argument: a blank line ends nothing
	depth  int
}

// A texMacro is a command that the document defines.
type texMacro struct {
	args int
	body string
}

// A texEnvironment is an open environment and the place around it.
type texEnvironment struct {
	name  string
	outer texPlace
}

// texReader turns TeX into blocks.
type texReader struct {
	ctx      context.Context
	page     *Page
	text     string
	links    *links
	macros   map[string]texMacro
	switches map[string]bool // of conditionals that the document defines
	calls    int
	grown    int  // bytes that macros added
	chapters bool // the document has chapters
	cur      passage
	start    int // where cur begins in the text; -1 if it is empty
	end      int // where it ends so far
	notes    []*texScan
	headings [7]string
	table    *texRows
	caption  string // of the table
	starts   []int  // of lines
}

// add appends a text that stands at the scanner's place.
func (r *texReader) add(s string, c *texScan) {
	if r.start < 0 && visible(s) {
		r.start = c.pos()
	}
	r.cur.add(s, false, false)
	r.end = c.pos()
}

// run reads a piece to its end.
func (r *texReader) run(c *texScan, p texPlace) {
	var open []texEnvironment
	if p.depth++; p.depth > maxTeXDepth {
		return
	}
	for n := 0; c.i < len(c.s); n++ {
		if n&0xfff == 0 && r.ctx.Err() != nil {
			return
		}
		switch b := c.s[c.i]; b {
		case '%':
			c.comment()
		case '{':
			c.i++
		case '}':
			if c.i++; strings.HasPrefix(c.rest(), "{") && !strings.HasPrefix(c.rest(), "{}") {
				r.cur.space = true // two arguments of a command that is not known
			}
		case '~':
			r.cur.space = true
			c.i++
		case '$':
			r.dollars(c, p)
		case '\n':
			if c.space(); c.i < len(c.s) && c.s[c.i] == '\n' {
				for c.i < len(c.s) && c.s[c.i] <= ' ' {
					c.i++
				}
				if !p.inLine && !p.inCell {
					r.flush(p)
				}
			}
			r.cur.space = true
		case '&':
			c.i++
			if r.table != nil && p.inCell {
				r.table.cell(&r.cur)
			} else {
				r.add("&", c)
			}
		case '\\':
			name := c.s[c.i:]
			switch {
			case strings.HasPrefix(name, `\begin{`):
				p = r.begin(c, p, &open)
			case strings.HasPrefix(name, `\end{`):
				p = r.finish(c, p, &open)
				if p.depth < 0 {
					return // the document has ended
				}
			default:
				p = r.command(c, p)
			}
		default:
			r.words(c)
		}
	}
	if !p.inLine {
		for len(open) > 0 {
			r.flush(p)
			p = open[len(open)-1].outer
			open = open[:len(open)-1]
		}
		r.flush(p)
	}
}

var texQuotesMarks = strings.NewReplacer("``", "“", "''", "”", "`", "‘", "---", "—", "--", "–", "?`", "¿", "!`", "¡", ",,", "„")

// words reads plain text up to what TeX reads otherwise.
func (r *texReader) words(c *texScan) {
	n := strings.IndexAny(c.rest(), "%{}~$\n&\\")
	if n < 0 {
		n = len(c.rest())
	}
	n = max(n, 1)
	s := c.s[c.i : c.i+n]
	r.add(texQuotesMarks.Replace(s), c)
	c.i += n
	r.end = c.pos()
}

// dollars reads a formula between dollars, as it is written; one between two of them is a block.
func (r *texReader) dollars(c *texScan, p texPlace) {
	mark := "$"
	if strings.HasPrefix(c.rest(), "$$") {
		mark = "$$"
	}
	from := c.i
	c.i += len(mark)
	at, depth, most := c.i, 0, c.reach()
	for ; at < most && !(depth <= 0 && strings.HasPrefix(c.s[at:], mark)); at++ {
		switch c.s[at] {
		case '\\':
			at++
		case '{':
			depth++
		case '}':
			depth--
		case '\n':
			if mark == "$" && strings.TrimSpace(firstLine(c.s[at+1:])) == "" { // not closed in its paragraph
				r.add("$", c)
				return
			}
		}
	}
	if at >= most {
		c.lost++
		r.add(mark, c)
		return
	}
	c.i = at + len(mark)
	if mark == "$" || p.inCell || p.inLine {
		r.add(strings.Join(strings.Fields(c.s[from:c.i]), " "), &texScan{s: c.s, i: from, at: c.at, in: c.in})
		r.end = c.pos()
		return
	}
	r.formula(c, from, c.i, p)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

var texLabel = lazyregexp.New(`\\(?:label|tag\*?)\{[^}]*\}`)

// formula adds a displayed formula.
func (r *texReader) formula(c *texScan, from, to int, p texPlace) {
	r.flush(p)
	source := texLabel.ReplaceAllString(withoutComments(c.s[from:to]), "")
	r.start, r.end = c.pos()-(c.i-from), c.pos()
	if c.in {
		r.start = c.pos()
	}
	r.cur.add(source, false, false)
	p.role = evidence.RoleText
	r.flush(p)
}

func withoutComments(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for line := range strings.Lines(s) {
		if i := strings.IndexByte(line, '%'); i >= 0 && (i == 0 || line[i-1] != '\\') {
			line = line[:i] + "\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

// flush ends the block that is being gathered, and reads the notes in it after it.
func (r *texReader) flush(p texPlace) {
	if p.inCell {
		r.cur.space = true
		return
	}
	text, _ := r.cur.take()
	start, end := r.start, r.end
	r.start = -1
	if text != "" {
		r.emit(text, start, end, p)
	}
	notes := r.notes
	r.notes = nil
	for _, n := range notes {
		r.run(n, texPlace{depth: p.depth})
	}
}

func (r *texReader) emit(text string, start, end int, p texPlace) {
	b := Block{Text: text, Role: p.role, Main: true, Quotable: !p.listed, Start: max(start, 0), End: max(end, start, 0)}
	level := 7
	switch p.role {
	case evidence.RoleHeading:
		level = min(max(p.level, 1), 6)
		b.Level = level
	case evidence.RoleItem:
		b.Level = max(p.level, 1)
	case evidence.RoleRow:
		b.Columns, b.Caption = r.table.columns, r.caption
	}
	for i := level - 1; i > 0 && b.Heading == ""; i-- {
		b.Heading = r.headings[i]
	}
	if level < 7 {
		r.headings[level] = oneLine(text, 300)
		clear(r.headings[level+1:])
	}
	b.Path = lines(r.lineOf(b.Start), r.lineOf(max(b.End-1, b.Start)))
	r.page.add(b)
}

// lineOf is the number of the line that a byte of the text is on, from 1.
func (r *texReader) lineOf(at int) int {
	if r.starts == nil {
		r.starts = []int{0}
		for i := range len(r.text) {
			if r.text[i] == '\n' {
				r.starts = append(r.starts, i+1)
			}
		}
	}
	return sort.Search(len(r.starts), func(i int) bool { return r.starts[i] > at })
}

// block reads an argument as a block of its own.
func (r *texReader) block(c *texScan, from, to int, p texPlace, role evidence.Role, level int) {
	r.flush(p)
	inner := texPlace{role: role, level: level, depth: p.depth, inLine: true}
	r.run(r.sub(c, from, to), inner)
	r.flush(inner)
}

// sub is a part of a piece.
func (r *texReader) sub(c *texScan, from, to int) *texScan {
	if c.in {
		return &texScan{s: c.s[from:to], at: c.at, in: true}
	}
	return &texScan{s: c.s[from:to], at: c.at + from}
}

// plain is what an argument shows, on one line.
func (r *texReader) plain(c *texScan, from, to int, p texPlace) string {
	outer := texReader{ctx: r.ctx, page: &Page{}, text: r.text, links: r.links, macros: r.macros, switches: r.switches, start: -1}
	p.inLine = true
	outer.run(r.sub(c, from, to), p)
	text, _ := outer.cur.take()
	return oneLine(strings.TrimFunc(text, unicode.IsSpace), 300)
}

// argumentsOf passes over the arguments of a command that are no text.
func argumentsOf(c *texScan, n int) {
	c.star()
	for {
		for {
			if _, _, ok := c.option(); !ok {
				break
			}
		}
		if n--; n < 0 {
			return
		}
		c.group()
	}
}

// known reports whether the document defines a command, and calls it.
func (r *texReader) call(name string, c *texScan, p texPlace) bool {
	m, ok := r.macros[name]
	if r.calls++; !ok || r.calls > maxTeXCalls || p.depth >= maxTeXDepth {
		return false
	}
	at := c.pos()
	pairs := make([]string, 0, 2*m.args)
	for i := range m.args {
		from, to := c.group()
		pairs = append(pairs, "#"+string(rune('1'+i)), c.s[from:to])
	}
	body := m.body
	if len(pairs) > 0 {
		body = strings.NewReplacer(pairs...).Replace(body)
	}
	if r.grown += len(body); len(body) > maxTeXArgument || r.grown > maxTeXGrown*len(r.text)+1000 {
		return false
	}
	inner := p
	inner.inLine = true
	r.run(&texScan{s: body, at: at, in: true}, inner)
	return true
}

// define notes what a command stands for.
func (r *texReader) define(name string, c *texScan) {
	c.star()
	from, to := c.group()
	macro := strings.Trim(c.s[from:to], `\{} `)
	m := texMacro{}
	if name == "def" {
		n := strings.IndexByte(c.rest(), '{')
		if n < 0 || n > 100 {
			return
		}
		m.args = strings.Count(c.s[c.i:c.i+n], "#")
		c.i += n
	} else {
		if from, to, ok := c.option(); ok {
			m.args = atoi(strings.TrimSpace(c.s[from:to]), 0)
		}
		if _, _, ok := c.option(); ok { // the first argument may be left out: not known how it is called
			m.args = 10
		}
	}
	from, to = c.group()
	m.body = c.s[from:to]
	if macro != "" && m.args < 10 && len(r.macros) < 2000 && !slices.Contains([]string{"item", "begin", "end"}, macro) {
		r.macros[macro] = m
	}
}
