package extract

import "strings"

// A texScan is a piece of TeX that is being read. Comments are passed over wherever they stand.
type texScan struct {
	s  string
	i  int
	at int  // where s begins in the document; of what a macro stands for, where it is called
	in bool // s is what a macro stands for

	lost    int             // arguments that were not closed: the more there are, the less far the others are looked for
	missing map[string]bool // marks that do not come any more
	arms    int             // conditionals that are open, of which an arm is read
}

// pos is where in the document the reading is.
func (c *texScan) pos() int {
	if c.in {
		return c.at
	}
	return c.at + c.i
}

func (c *texScan) rest() string { return c.s[c.i:] }

// comment passes over a comment with the end of its line and the spaces that begin the next one.
func (c *texScan) comment() {
	for c.i < len(c.s) && c.s[c.i] == '%' {
		end := strings.IndexByte(c.rest(), '\n')
		if end < 0 {
			c.i = len(c.s)
			return
		}
		line := c.i + end
		for c.i = line + 1; c.i < len(c.s) && strings.IndexByte(" \t\r", c.s[c.i]) >= 0; {
			c.i++
		}
		if c.i < len(c.s) && c.s[c.i] == '\n' { // an empty line ends the paragraph all the same
			c.i = line
			return
		}
	}
}

// space passes over white space and comments, up to an empty line.
func (c *texScan) space() {
	lines := 0
	for c.i < len(c.s) {
		switch c.s[c.i] {
		case '\n':
			if lines++; lines > 1 {
				return
			}
			c.i++
		case ' ', '\t', '\r':
			c.i++
		case '%':
			c.comment()
		default:
			return
		}
	}
}

// command reads the name behind a back-slash: letters, or one other character.
func (c *texScan) command() string {
	c.i++
	from := c.i
	for c.i < len(c.s) && (c.s[c.i] >= 'a' && c.s[c.i] <= 'z' || c.s[c.i] >= 'A' && c.s[c.i] <= 'Z' || c.s[c.i] == '@') {
		c.i++
	}
	if c.i == from {
		if c.i < len(c.s) {
			c.i++
		}
		return c.s[from:c.i]
	}
	name := c.s[from:c.i]
	for c.i < len(c.s) && (c.s[c.i] == ' ' || c.s[c.i] == '\t') {
		c.i++
	}
	return name
}

// star passes over the star of a command's second form.
func (c *texScan) star() {
	if strings.HasPrefix(c.rest(), "*") {
		c.i++
	}
}

// group reads an argument: what stands between braces, or a single character or command. from and to are its range in s.
func (c *texScan) group() (from, to int) {
	c.space()
	switch {
	case c.i >= len(c.s):
		return c.i, c.i
	case c.s[c.i] == '{':
		from, to = c.balanced('{', '}')
		return from, to
	case c.s[c.i] == '\\':
		from = c.i
		c.command()
		return from, c.i
	case c.s[c.i] == '}', c.s[c.i] == '\n': // there is none
		return c.i, c.i
	}
	from = c.i
	for c.i++; c.i < len(c.s) && c.s[c.i]&0xc0 == 0x80; {
		c.i++
	}
	return from, c.i
}

// address reads an argument that is a web address, in which a "%" begins no comment.
func (c *texScan) address() string {
	c.space()
	n := strings.IndexByte(c.rest(), '}')
	if !strings.HasPrefix(c.rest(), "{") || n < 0 || n > 4096 {
		from, to := c.group()
		return strings.ReplaceAll(c.s[from:to], `\`, "")
	}
	raw := c.s[c.i+1 : c.i+n]
	c.i += n + 1
	return strings.ReplaceAll(raw, `\`, "")
}

// option reads an argument in brackets; not ok if there is none.
func (c *texScan) option() (from, to int, ok bool) {
	i := c.i
	if c.space(); c.i < len(c.s) && c.s[c.i] == '[' {
		if from, to = c.balanced('[', ']'); to < len(c.s) {
			return from, to, true
		}
	}
	c.i = i
	return 0, 0, false
}

// maxTeXArgument is how long an argument may be; one that is longer was not closed.
const maxTeXArgument = 64 << 10

// balanced reads from an opening character to the one that closes it, and returns what is between. One that is not
// closed ends after it.
func (c *texScan) balanced(open, end byte) (from, to int) {
	from = c.i + 1
	depth := 0
	for i := c.i; i < c.reach(); i++ {
		switch b := c.s[i]; {
		case b == '\\':
			i++
		case b == '%':
			if n := strings.IndexByte(c.s[i:], '\n'); n >= 0 {
				i += n
			}
		case b == '{' && open == '[':
			depth += 1 << 20 // a bracket between braces closes nothing
		case b == '}' && open == '[':
			depth -= 1 << 20
			if depth < 0 {
				c.i, c.lost = from, c.lost+1
				return from, len(c.s)
			}
		case b == open:
			depth++
		case b == end:
			if depth--; depth == 0 {
				c.i = i + 1
				return from, i
			}
		}
	}
	c.i, c.lost = from, c.lost+1
	if open == '{' {
		return from, from
	}
	return from, len(c.s)
}

// reach is how far the end of an argument is looked for.
func (c *texScan) reach() int { return min(len(c.s), c.i+maxTeXArgument>>min(c.lost, 7)) }

// until reads raw text up to a mark and passes over that; not ok if it does not come.
func (c *texScan) until(mark string) (from, to int, ok bool) {
	n := -1
	if !c.missing[mark] {
		n = strings.Index(c.rest(), mark)
	}
	if n < 0 {
		if c.missing == nil {
			c.missing = map[string]bool{}
		}
		c.missing[mark] = true
		return c.i, c.i, false
	}
	from = c.i
	c.i += n + len(mark)
	return from, from + n, true
}
