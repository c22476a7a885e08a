package evidence

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Mention is a place in running text that is a citation, or that a reader would take for one.
type Mention struct {
	Start, End int        // byte range in the text, brackets included
	Inner      string     // what stands between the brackets, as it stands
	Citations  []Citation // what is cited; nil where the mention is malformed
	Problem    string     // why it is no citation, "" if it is one
	Near       string     // for a malformed one: the nearest right form, without brackets, or ""
}

// ScanCitations finds every citation in running text, and everything that looks like one but does not parse, in order
// and without overlap. What looks like one is, with entities, escapes, invisible characters, width variants, other
// scripts' digits and look-alike letters seen through:
//
//   - a square bracket (also full-width or CJK, also as an entity or with a backslash) that begins with a source id,
//     holds nothing but finding ids, or in a few words holds a locator: [S1 para 2], [S1], [F3], [code: budget.py L1];
//   - a round bracket with a source id and a locator, or with nothing but a locator of ours: (S1, para.5), (para.5);
//   - a source id and a locator without brackets, or with one that is never closed: S1 para.2;
//   - a right citation inside a bracket that says something else or nothing: [[S1 para.2]], [S2 [S1 para.5] p.1];
//   - a right citation that Markdown makes a link: [S1 para.2](…), or a link definition at the start of a line.
//
// Links, footnotes, [1] and (S1) alone are not looked at. The text is read as plain text: whether it is code, a
// comment or hidden is for the caller, who knows the document, to say.
func ScanCitations(text string) []Mention {
	groups := brackets(text)
	slices.SortFunc(groups, func(a, b group) int { return a.start - b.start })
	var ms []Mention
	done := 0
	for i, g := range groups {
		if g.start < done {
			continue
		}
		if m, ok := g.mention(text, groups[i+1:]); ok {
			ms = append(ms, m)
			done = m.End
		}
	}
	return addBare(text, ms)
}

// A group is a bracketed stretch of text.
type group struct {
	start, end int  // brackets and a backslash before included
	in, out    int  // the inside
	round      bool // () rather than any kind of []
	plain      bool // written with ASCII brackets and no backslash
	link       bool // round and right behind a "]": the target of a link
}

const (
	maxGroup  = 600 // bytes between brackets; a longer one is prose
	maxNested = 8   // brackets in a bracket; one with more is no citation to any reader, and those in it are read by themselves
)

// brackets pairs opening and closing brackets within a paragraph. Each kind is paired by itself, as in prose the kinds
// need not nest.
func brackets(text string) []group {
	var out []group
	var open [2][]group // square, round
	for i := 0; i < len(text); {
		c := text[i]
		if c == '\n' && blankLine(text[i+1:]) {
			open[0], open[1] = open[0][:0], open[1][:0]
		}
		if c < 0x80 && strings.IndexByte("[]()&", c) < 0 {
			i++
			continue
		}
		kind, opens, n := bracketAt(text[i:])
		if n == 0 {
			_, n = utf8.DecodeRuneInString(text[i:])
			i += n
			continue
		}
		esc := i > 0 && text[i-1] == '\\'
		plain := n == 1 && !esc
		if opens {
			g := group{start: i, in: i + n, round: kind == 1, plain: plain, link: kind == 1 && i > 0 && text[i-1] == ']'}
			if esc {
				g.start--
			}
			open[kind] = append(open[kind], g)
		} else if k := len(open[kind]); k > 0 {
			g := open[kind][k-1]
			open[kind] = open[kind][:k-1]
			g.end, g.out, g.plain = i+n, i, g.plain && plain
			if esc {
				g.out = max(g.in, i-1)
			}
			if g.out-g.in <= maxGroup {
				out = append(out, g)
			}
		}
		i += n
	}
	return out
}

// bracketAt reads the bracket at the start of s: its kind (0 square, 1 round) and its length in bytes, 0 if there is none.
func bracketAt(s string) (kind int, opens bool, n int) {
	if s[0] == '&' {
		for _, e := range []struct {
			name  string
			kind  int
			opens bool
		}{{"&#91;", 0, true}, {"&#x5b;", 0, true}, {"&lbrack;", 0, true}, {"&lsqb;", 0, true}, {"&#40;", 1, true}, {"&lpar;", 1, true},
			{"&#93;", 0, false}, {"&#x5d;", 0, false}, {"&rbrack;", 0, false}, {"&rsqb;", 0, false}, {"&#41;", 1, false}, {"&rpar;", 1, false}} {
			if len(s) >= len(e.name) && strings.EqualFold(s[:len(e.name)], e.name) {
				return e.kind, e.opens, len(e.name)
			}
		}
		return 0, false, 0
	}
	r, size := utf8.DecodeRuneInString(s)
	switch r {
	case '[', '［', '【', '〔', '⟦', '❲':
		return 0, true, size
	case ']', '］', '】', '〕', '⟧', '❳':
		return 0, false, size
	case '(', '（', '﹙':
		return 1, true, size
	case ')', '）', '﹚':
		return 1, false, size
	}
	return 0, false, 0
}

// blankLine reports whether the line that s starts with is blank.
func blankLine(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\n':
			return true
		case ' ', '\t', '\r':
		default:
			return false
		}
	}
	return true
}

// mention decides on one bracket; later are the groups after it, those inside it first.
func (g group) mention(text string, later []group) (Mention, bool) {
	inner := text[g.in:g.out]
	m := Mention{Start: g.start, End: g.end, Inner: inner}
	if g.link || !strings.ContainsFunc(inner, func(r rune) bool { return unicode.IsNumber(r) || r == '&' }) {
		return m, false
	}
	if g.plain && !g.round {
		if cs, err := parseInner(inner); err == nil {
			if m.Problem = linked(text, g); m.Problem == "" {
				m.Citations = cs
			} else {
				m.Near = inner
			}
			return m, true
		}
	}
	// What the bracket says by itself, without the brackets inside it.
	rest, nested, from := "", "", g.in
	for i, n := range later {
		if n.start >= g.out {
			break
		}
		if i == maxNested {
			return m, false
		}
		if n.start < from || n.end > g.out || n.round {
			continue
		}
		rest += text[from:n.start] + " "
		if _, err := parseInner(text[n.in:n.out]); err == nil && nested == "" {
			nested = text[n.in:n.out]
		}
		from = n.end
	}
	rest += text[from:g.out]
	switch {
	case nested != "" && !g.round && strings.TrimSpace(rest) == "":
		m.Problem, m.Near = "the brackets are doubled", nested
	case !looksLike(rest, g.round):
		return m, false
	case nested != "":
		m.Problem, m.Near = "a citation inside another", nested
	default:
		m.Problem, m.Near = problem(inner, g), nearCitation(inner)
	}
	return m, true
}

// linked says how Markdown turns the citation g into a link, "" if it does not.
func linked(text string, g group) string {
	after := text[g.end:]
	line := strings.TrimLeft(text[strings.LastIndexByte(text[:g.start], '\n')+1:g.start], " ")
	switch {
	case strings.HasPrefix(after, "("):
		return "a citation must not be the text of a link"
	case strings.HasPrefix(after, ":") && line == "":
		return "a citation must not be a link definition"
	}
	return ""
}

// problem words why a look-alike is refused.
func problem(inner string, g group) string {
	if !g.plain {
		return "a citation stands in plain square brackets"
	}
	if g.round {
		return "a citation stands in square brackets"
	}
	for _, alike := range []bool{false, true} {
		if t := plainText(inner, alike); t != inner {
			if _, err := parseInner(t); err == nil {
				return "a citation is plain text with single spaces, nothing invisible and no look-alike letters or digits"
			}
		}
	}
	if strings.HasPrefix(inner, "F") || strings.HasPrefix(inner, "f") {
		return "a finding id is not a citation: cite source and locator"
	}
	_, err := parseInner(inner)
	return err.Error()
}
