package extract

import (
	"strings"

	"ibid/internal/lazyregexp"
)

var texConditions = lazyregexp.New(`\\(?:if[A-Za-z@]*|else|or|fi)(?:[^A-Za-z@]|$)`)

// maxTeXArms is how many conditionals stand inside of each other at most.
const maxTeXArms = 100

// condition reads the commands of TeX's conditionals (The TeXbook, chapter 20): false if name is none of them. Of one whose
// condition is known the arm that is set is read, of any other neither: which one a reader sees cannot be told.
func (r *texReader) condition(name string, c *texScan) bool {
	switch name {
	case "newif":
		from, to := c.group()
		if sw, ok := strings.CutPrefix(strings.TrimSpace(c.s[from:to]), `\if`); ok && len(r.switches) < 1000 {
			r.switches[sw] = false
		}
		return true
	case "fi":
		if c.arms == 0 {
			return false
		}
		c.arms--
		return true
	case "else", "or":
		if c.arms == 0 {
			return false
		}
		if _, ok := c.arm(true); ok {
			c.arms--
		}
		return true
	}
	if sw, ok := strings.CutSuffix(name, "true"); ok {
		if _, ok := r.switches[sw]; ok {
			r.switches[sw] = true
			return true
		}
	}
	if sw, ok := strings.CutSuffix(name, "false"); ok {
		if _, ok := r.switches[sw]; ok {
			r.switches[sw] = false
			return true
		}
	}
	if !isCondition(name, c.rest()) {
		return false
	}
	holds, known := r.switches[name[2:]]
	switch {
	case name == "iftrue", known && holds:
		c.arms++
	case name == "iffalse", known:
		end, ok := c.arm(false)
		if !ok {
			return false
		}
		if end != "fi" {
			c.arms++
		}
	default:
		_, ok := c.arm(true)
		return ok
	}
	return true
}

// isCondition reports whether a command begins a conditional that \fi ends; those of packages take their arms in braces.
func isCondition(name, rest string) bool {
	return strings.HasPrefix(name, "if") && name != "iff" && !strings.HasPrefix(rest, "{")
}

// arm passes over what stands up to the \else, \or or \fi of the conditional that is open, or up to the \fi alone, and
// over that. It returns which it was; false if there is no end, and then it stays where it is.
func (c *texScan) arm(whole bool) (end string, ok bool) {
	const most = 4 // arguments and arms without an end, then none is looked for any more
	if c.lost > most {
		return "", false
	}
	depth := 0
	for at := c.i; at < len(c.s) && depth < maxTeXArms; {
		m := texConditions.FindStringIndex(c.s[at:])
		if m == nil {
			break
		}
		s := texScan{s: c.s, i: at + m[0]}
		name := s.command()
		at += m[0] + 1 + len(name)
		switch {
		case commented(c.s, at):
		case name == "fi" && depth == 0, (name == "else" || name == "or") && depth == 0 && !whole:
			c.i = s.i
			return name, true
		case name == "fi":
			depth--
		case name == "else" || name == "or":
		case isCondition(name, c.s[s.i:]):
			depth++
		}
	}
	c.lost++
	return "", false
}
