package extract

import (
	"strings"
	"unicode/utf8"

	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

// command reads a command with its arguments, and returns the place after it.
func (r *texReader) command(c *texScan, p texPlace) texPlace {
	at := c.i
	name := c.command()
	if symbol, ok := texSymbols[name]; ok {
		r.symbol(symbol, name, c)
		return p
	}
	if mark, ok := texAccents[name]; ok {
		from, to := c.group()
		if s := accented(c.s[from:to], mark); s != "" {
			r.add(s, c)
		}
		return p
	}
	if depth, ok := texHeads[name]; ok {
		r.heading(c, p, depth)
		p.role, p.level = evidence.RoleText, 0
		return p
	}
	if n, ok := texArguments[name]; ok {
		switch name {
		case "usepackage", "selectlanguage":
			r.language(c, name)
		default:
			argumentsOf(c, n)
		}
		if texSpaces[name] {
			r.cur.space = true
		}
		return p
	}
	switch name {
	case "\\", "tabularnewline":
		r.newline(c, p)
	case "[", "(":
		r.brackets(c, p, at, name)
	case "par":
		if !p.inLine {
			r.flush(p)
		}
		r.cur.space = true
	case "item":
		return r.item(c, p)
	case "bibitem":
		return r.bibitem(c, p)
	case "title", "author", "date", "affiliation", "address", "institute":
		r.front(name, c, p)
	case "caption", "captionof", "subcaption":
		c.star()
		if name == "captionof" {
			c.group()
		}
		c.option()
		from, to := c.group()
		r.aside(c, from, to, p, evidence.RoleCaption)
	case "footnote", "footnotetext", "thanks", "endnote", "marginpar":
		c.option()
		from, to := c.group()
		if len(r.notes) < 1000 {
			r.notes = append(r.notes, r.sub(c, from, to))
		}
	default:
		if !r.special(name, c, p) {
			r.other(name, c, p, at)
		}
	}
	return p
}

// special reads the commands whose arguments are read in their own way.
func (r *texReader) special(name string, c *texScan, p texPlace) bool {
	switch name {
	case "verb", "lstinline", "mintinline":
		r.verbatim(name, c)
	case "href":
		r.leads(c.address(), c, p)
	case "url", "nolinkurl", "path":
		address := c.address()
		r.add(address, c)
		r.links.add(address)
	case "multicolumn":
		from, to := c.group()
		if r.table != nil {
			r.table.cols = min(max(atoi(c.s[from:to], 1), 1), maxSpan)
		}
		c.group()
	case "newcommand", "renewcommand", "providecommand", "DeclareRobustCommand", "def", "gdef", "edef", "newcommandx":
		r.define(name, c)
	case "let":
		c.group()
		c.group()
	case "textsuperscript", "textsubscript", "up", "fup", "ap":
		return r.script(name != "textsubscript", c, p)
	case "raisebox":
		from, to := c.group()
		c.option()
		c.option()
		return r.script(!strings.HasPrefix(strings.TrimSpace(c.s[from:to]), "-"), c, p) || true
	case "replaced": // by what is struck
		c.option()
		from, to := c.group()
		c.group()
		inner := p
		inner.inLine = true
		r.run(r.sub(c, from, to), inner)
	default:
		return r.condition(name, c)
	}
	return true
}

// maxTeXScript is how many bytes a raised number takes with its commands; a text of more is none.
const maxTeXScript = 40

// script reads a number that is raised, or lowered behind another one: 10 to the 6th must not read as 106. False if it is
// none, and stays to be read as text.
func (r *texReader) script(up bool, c *texScan, p texPlace) bool {
	i := c.i
	from, to := c.group()
	plain := ""
	if to-from <= maxTeXScript {
		plain = strings.Trim(r.plain(c, from, to, p), "$ ")
	}
	start := len(r.cur.b)
	l := paraLine{b: append(r.cur.b[:start:start], plain...)}
	if up {
		l.raise(start)
	} else {
		l.lower(start)
	}
	if s := string(l.b[start:]); s != plain {
		r.add(s, c)
		return true
	}
	c.i = i
	return false
}

// other reads a command that has no part in the structure.
func (r *texReader) other(name string, c *texScan, p texPlace, at int) {
	switch {
	case texSwitches[name] || texSpaces[name]:
		c.star()
		r.cur.space = r.cur.space || texSpaces[name]
	case strings.Contains(strings.ToLower(name), "cite"):
		r.cite(c)
	case name == "ref" || strings.HasSuffix(name, "ref") || name == "Cref":
		c.star()
		from, to := c.group()
		r.add("["+strings.TrimSpace(c.s[from:to])+"]", c)
	case r.call(name, c, p):
	default:
		// A command that is not known has its arguments in braces: they are text as far as anybody can tell. Without
		// them it stands for something itself, and stays as it is written.
		c.star()
		i := c.i
		for {
			if _, _, ok := c.option(); !ok {
				break
			}
		}
		if c.i < len(c.s) && c.s[c.i] == '{' {
			return
		}
		c.i = i
		if utf8.RuneCountInString(name) > 1 {
			r.add(strings.TrimRight(c.s[at:c.i], " \t"), c)
			r.cur.space = true
		}
	}
}

func (r *texReader) symbol(symbol, name string, c *texScan) {
	letters := name[0] >= 'a' && name[0] <= 'z' || name[0] >= 'A' && name[0] <= 'Z'
	if symbol == " " {
		r.cur.space = true
		return
	}
	r.add(symbol, c)
	if letters && strings.HasPrefix(c.rest(), "{}") {
		c.i += 2
	}
}

// newline reads the end of a line, which in a table is that of a row.
func (r *texReader) newline(c *texScan, p texPlace) {
	c.star()
	c.option()
	if r.table != nil && p.inCell {
		r.table.cell(&r.cur)
		r.row(c, p)
		return
	}
	r.cur.space = true
}

// brackets reads a formula between \( and \), or \[ and \].
func (r *texReader) brackets(c *texScan, p texPlace, at int, name string) {
	end := `\)`
	if name == "[" {
		end = `\]`
	}
	from, to, ok := c.until(end)
	if !ok {
		return
	}
	if name == "(" || p.inCell || p.inLine {
		r.add(strings.Join(strings.Fields(c.s[at:c.i]), " "), c)
		return
	}
	r.formula(c, from, to, p)
}

func (r *texReader) heading(c *texScan, p texPlace, depth int) {
	c.star()
	c.option()
	from, to := c.group()
	level := depth + 1
	if !r.chapters && depth >= 2 {
		level = depth
	}
	r.block(c, from, to, p, evidence.RoleHeading, min(level, 6))
}

// front reads what the document says of itself.
func (r *texReader) front(name string, c *texScan, p texPlace) {
	for {
		if _, _, ok := c.option(); !ok {
			break
		}
	}
	from, to := c.group()
	switch page := r.page; name {
	case "title":
		state(page, &page.Title, `\title`, r.plain(c, from, to, p))
		r.block(c, from, to, p, evidence.RoleHeading, 1)
		return
	case "author":
		names := r.names(c, from, to, p)
		if page.Author == "" {
			state(page, &page.Author, `\author`, clip(names, 1000))
		} else if names != "" {
			page.Author = clip(page.Author+"; "+names, 1000)
		}
	case "date":
		state(page, &page.Published, `\date`, isoDate(r.plain(c, from, to, p)))
	}
	r.block(c, from, to, p, evidence.RoleText, 0)
}

var texAnd = lazyregexp.New(`\\(?:and|And|AND)\b`)

// names are the authors: of each the first line, since the others say where they are.
func (r *texReader) names(c *texScan, from, to int, p texPlace) string {
	var list []string
	raw := c.s[from:to]
	for at, end := 0, 0; at <= len(raw) && len(list) < 200; at = end {
		next := len(raw)
		end = len(raw) + 1
		if m := texAnd.FindStringIndex(raw[at:]); m != nil {
			next, end = at+m[0], at+m[1]
		}
		if n := strings.Index(raw[at:next], `\\`); n >= 0 {
			next = at + n
		}
		if name := r.plain(c, from+at, from+next, p); visible(name) {
			list = append(list, name)
		}
	}
	return strings.Join(list, "; ")
}

// aside reads an argument as a block, in a table after its row.
func (r *texReader) aside(c *texScan, from, to int, p texPlace, role evidence.Role) {
	if p.inCell {
		r.notes = append(r.notes, r.sub(c, from, to))
		return
	}
	r.block(c, from, to, p, role, 0)
}

func (r *texReader) item(c *texScan, p texPlace) texPlace {
	r.flush(p)
	p.role = evidence.RoleItem
	if from, to, ok := c.option(); ok {
		inner := p
		inner.inLine = true
		r.run(r.sub(c, from, to), inner)
		r.cur.space = true
	}
	return p
}

func (r *texReader) bibitem(c *texScan, p texPlace) texPlace {
	r.flush(p)
	p.role, p.level, p.listed = evidence.RoleItem, 1, true
	c.option()
	from, to := c.group()
	r.add("["+strings.TrimSpace(c.s[from:to])+"]", c)
	r.cur.space = true
	return p
}

// cite reads a reference to the literature: its keys, and what is said of the place.
func (r *texReader) cite(c *texScan) {
	c.star()
	var notes []string
	for {
		from, to, ok := c.option()
		if !ok {
			break
		}
		if s := strings.TrimSpace(c.s[from:to]); s != "" {
			notes = append(notes, texQuotesMarks.Replace(strings.ReplaceAll(s, "~", " ")))
		}
	}
	from, to := c.group()
	r.add("["+strings.Join(append([]string{strings.TrimSpace(c.s[from:to])}, notes...), ", ")+"]", c)
}

// leads notes a link, whose text follows.
func (r *texReader) leads(target string, c *texScan, p texPlace) {
	k := r.links.add(target)
	if k < 0 || r.links.list[k].Text != "" {
		return
	}
	i := c.i
	from, to := c.group()
	c.i = i
	r.links.list[k].Text = clip(r.plain(c, from, to, p), 200)
}

// verbatim reads a piece of code in a text.
func (r *texReader) verbatim(name string, c *texScan) {
	c.star()
	c.option()
	if name == "mintinline" {
		c.group()
	}
	if c.i >= len(c.s) {
		return
	}
	var from, to int
	if name != "verb" && c.s[c.i] == '{' {
		from, to = c.balanced('{', '}')
	} else {
		_, n := utf8.DecodeRuneInString(c.rest())
		mark := c.s[c.i : c.i+n]
		c.i += n
		n = strings.Index(firstLine(c.s[c.i:min(len(c.s), c.i+1000)]), mark)
		if n < 0 {
			return
		}
		from, to = c.i, c.i+n
		c.i = to + len(mark)
	}
	r.add(c.s[from:to], c)
}

// language notes the language that the document is set in.
func (r *texReader) language(c *texScan, name string) {
	options := ""
	if from, to, ok := c.option(); ok {
		options = c.s[from:to]
	}
	from, to := c.group()
	switch pack := c.s[from:to]; {
	case name == "selectlanguage":
		options = pack
	case pack != "babel":
		return
	}
	list := strings.Split(options, ",") // the last one is that of the document
	_, main, ok := strings.Cut(list[len(list)-1], "main=")
	if !ok {
		main = list[len(list)-1]
	}
	state(r.page, &r.page.Language, `\usepackage{babel}`, babel[strings.TrimSpace(main)])
}
