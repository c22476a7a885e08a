package extract

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// whiteSpace is what becomes of white space, as in CSS.
type whiteSpace uint8

const (
	collapse   whiteSpace = iota // a run of it is one space
	keep                         // pre
	keepBreaks                   // pre-line
)

// A line gathers the inline content of one text block as a browser shows it: runs of white space are one space, none at
// the edges; what is preformatted stays. It knows from where in the page's text each of its bytes comes.
type line struct {
	b       []byte
	from    []origin
	space   bool // a space is due before the next character
	broken  bool // a line break is due before the next character
	letters int  // characters that are not space
	linked  int  // of those, the ones inside links
	breaks  int  // line breaks since the last character
	pre     bool // some of it is preformatted
	raised  span // the superscript that was read last, if its characters stayed
	lowered span // where a subscript ends the text so far
}

// An origin says where the bytes of a line, from at on, stand in the page's text: from raw on, one for one; or, if size
// is not zero, they are one character that takes size bytes there; or, if raw is -1, nowhere.
type origin struct{ at, raw, size int32 }

const softHyphen = '\u00ad'

// add adds a part of a text node.
func (l *line) add(s stretch, white whiteSpace, link bool) {
	before := l.letters
	if white == keep {
		l.keep(s)
	} else {
		l.flow(s, white)
	}
	if link {
		l.linked += l.letters - before
	}
}

// keep adds text as it is.
func (l *line) keep(s stretch) {
	if s.text == "" {
		return
	}
	l.settle()
	if l.broken && s.text[0] != '\n' {
		l.newline()
	}
	l.broken = false
	l.put(s.text, s.raw, s.size)
	l.pre = true
	for _, r := range s.text {
		if !unicode.IsSpace(r) {
			l.letters++
		}
	}
}

// flow adds text word by word.
func (l *line) flow(s stretch, white whiteSpace) {
	t := s.text
	for i := 0; i < len(t); {
		switch t[i] {
		case '\n':
			if white == keepBreaks {
				l.newline()
				i++
				continue
			}
			fallthrough
		case ' ', '\t', '\r', '\f':
			l.space = true
			fallthrough
		case 0:
			i++
			continue
		}
		start, letters, hyphen := i, 0, 0
		for i < len(t) && t[i] > ' ' {
			if t[i] < utf8.RuneSelf {
				letters++
				i++
				continue
			}
			r, n := utf8.DecodeRuneInString(t[i:])
			if r == softHyphen {
				hyphen = n
				break
			}
			if !unicode.IsSpace(r) {
				letters++
			}
			i += n
		}
		if i == start && hyphen == 0 { // a control character, which nobody sees
			i++
			continue
		}
		if i > start {
			raw := s.raw
			if raw >= 0 && s.size == 0 {
				raw += start
			}
			l.word(t[start:i], raw, s.size)
		}
		if letters > 0 {
			l.letters += letters
			l.breaks = 0
		}
		i += hyphen
	}
}

// word adds a text without white space, behind the space that is due.
func (l *line) word(s string, raw, size int) {
	if l.broken {
		l.newline()
		l.broken = false
	}
	if l.space {
		if n := len(l.b); n > 0 && l.b[n-1] != '\n' && l.b[n-1] != ' ' {
			if !l.follows(raw-1, n) || size > 0 {
				l.note(n, -1, 0)
			}
			l.b = append(l.b, ' ')
		}
		l.space = false
	}
	if l.lowered.end > 0 && l.lowered.end == len(l.b) && isDigit(s[0]) {
		l.lower(l.lowered.start) // log₁₀2 must not read as log102
	}
	l.lowered = span{}
	l.put(s, raw, size)
}

// follows reports whether byte n of the line would continue, one for one, what stands at raw.
func (l *line) follows(raw, n int) bool {
	if len(l.from) == 0 {
		return false
	}
	last := l.from[len(l.from)-1]
	if raw < 0 {
		return last.raw < 0
	}
	return last.size == 0 && last.raw >= 0 && int(last.raw)+n-int(last.at) == raw
}

// note notes where what comes next stands. A line may be as long as a page: twice the room is made when there is none left.
func (l *line) note(at, raw, size int) {
	if len(l.from) == cap(l.from) {
		l.from = slices.Grow(l.from, len(l.from)+8)
	}
	l.from = append(l.from, origin{int32(at), int32(raw), int32(size)})
}

func (l *line) put(s string, raw, size int) {
	n := len(l.b)
	if size > 0 || !l.follows(raw, n) {
		l.note(n, raw, size)
	}
	if n+len(s) > cap(l.b) {
		l.b = slices.Grow(l.b, n+len(s))
	}
	l.b = append(l.b, s...)
}

// settle writes the space that is due.
func (l *line) settle() {
	if n := len(l.b); l.space && n > 0 && l.b[n-1] != '\n' && l.b[n-1] != ' ' {
		l.put(" ", -1, 0)
	}
	l.space = false
}

// newline adds a line break and reports whether it is one after another, which ends a paragraph.
func (l *line) newline() bool {
	l.space = false
	l.put("\n", -1, 0)
	l.breaks++
	return l.breaks > 1 && !l.pre
}

func (l *line) origin(i int) (at, raw, size int) {
	o := l.from[i]
	return int(o.at), int(o.raw), int(o.size)
}

// within is the range of the page's text that bytes a to b of the line come from; not ok if they come from nowhere.
func (l *line) within(a, b int) (r span, ok bool) {
	r = span{-1, -1}
	first := sort.Search(len(l.from), func(i int) bool { return int(l.from[i].at) > a })
	for i := max(first-1, 0); i < len(l.from) && int(l.from[i].at) < b; i++ {
		at, raw, size := l.origin(i)
		next := len(l.b)
		if i+1 < len(l.from) {
			next = int(l.from[i+1].at)
		}
		if raw < 0 || next <= a {
			continue
		}
		start, end := raw, raw+size
		if size == 0 {
			start, end = raw+max(a-at, 0), raw+min(b, next)-at
		}
		if r.start < 0 || start < r.start {
			r.start = start
		}
		r.end = max(r.end, end)
	}
	return r, r.start >= 0
}

// A gathered line is the text of a block, which begins at byte off of the line.
type gathered struct {
	text    string
	off     int
	letters int
	links   float64 // share of the letters that are link text
	pre     bool
}

// gather returns what the line holds; its text is "" if there is nothing to see.
func (l *line) gather() gathered {
	g := gathered{letters: l.letters, pre: l.pre}
	if l.letters == 0 {
		return g
	}
	g.links = float64(l.linked) / float64(l.letters)
	text := string(l.b)
	if g.pre {
		if g.text = trimLines(text); g.text != "" {
			g.off = strings.Index(text, g.text)
		}
		return g
	}
	r := trimmed(text, span{0, len(text)})
	if g.text, g.off = text[r.start:r.end], r.start; !visible(g.text) {
		g.text = ""
	}
	return g
}

// reset begins anew.
func (l *line) reset() { *l = line{b: l.b[:0], from: l.from[:0]} }

// trimLines drops blank lines at both ends and white space at the very end.
func trimLines(s string) string {
	for {
		first, rest, more := strings.Cut(s, "\n")
		if !more || strings.TrimSpace(first) != "" {
			break
		}
		s = rest
	}
	if s = strings.TrimRightFunc(s, unicode.IsSpace); !visible(s) {
		return ""
	}
	return s
}

// visible reports whether a text has anything to see: not only spaces, marks of direction and joiners.
func visible(s string) bool {
	for _, r := range s {
		if !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Cc, r) {
			return true
		}
	}
	return false
}
