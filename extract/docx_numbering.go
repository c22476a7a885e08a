package extract

import (
	"strconv"
	"strings"
)

// numbering counts the numbered paragraphs of a document as Word does (ISO 29500-1 §17.9): lists that share a definition
// count on, a deeper level begins anew below a higher one.
type numbering struct {
	lists map[string]*numberedList    // by numId
	defs  map[string]*listDefinition  // by abstractNumId
	count map[*listDefinition]*[9]int // one more than the number; 0: not begun
	begun map[*numberedList]*[9]bool  // which of its own starts were used
}

type listDefinition struct {
	levels [9]listLevel
	style  string // defined by this numbering style instead
}

type listLevel struct {
	start   int
	format  string // "decimal", "bullet" …
	text    string // "%1.%2."
	restart int    // the level that begins it anew, from 1; 0 never, -1 unsaid: any higher one
	style   string // of the paragraphs that stand on this level
	legal   bool   // all numbers in digits
	said    bool
}

type numberedList struct {
	def    *listDefinition
	starts [9]int // of this list alone; -1 unsaid
	levels [9]*listLevel
}

func readNumbering(p *parts, name string, styles docxStyles) *numbering {
	n := &numbering{lists: map[string]*numberedList{}, defs: map[string]*listDefinition{},
		count: map[*listDefinition]*[9]int{}, begun: map[*numberedList]*[9]bool{}}
	s, err := p.stream(name)
	if err != nil {
		return n
	}
	defer s.Close()
	s.child() // w:numbering
	for e := s.child(); e != nil; e = s.child() {
		s.fill(e)
		switch {
		case len(n.lists)+len(n.defs) >= maxStyles:
		case e.name == "w:abstractNum":
			def := &listDefinition{style: e.child("w:numStyleLink").attr("w:val")}
			e.each("w:lvl", func(l *elem) {
				if i := atoi(l.attr("w:ilvl"), -1); i >= 0 && i < 9 {
					def.levels[i] = readLevel(l)
				}
			})
			n.defs[e.attr("w:abstractNumId")] = def
		case e.name == "w:num":
			n.lists[e.attr("w:numId")] = n.list(e)
		}
	}
	for _, l := range n.lists { // a definition may be that of a style
		if st := styles.byID[l.defStyle()]; st != nil {
			if real := n.lists[st.numID]; real != nil && real.def != nil {
				l.def = real.def
			}
		}
	}
	return n
}

func (l *numberedList) defStyle() string {
	if l.def == nil {
		return ""
	}
	return l.def.style
}

func (n *numbering) list(e *elem) *numberedList {
	l := &numberedList{def: n.defs[e.child("w:abstractNumId").attr("w:val")], starts: [9]int{-1, -1, -1, -1, -1, -1, -1, -1, -1}}
	e.each("w:lvlOverride", func(o *elem) {
		i := atoi(o.attr("w:ilvl"), -1)
		if i < 0 || i > 8 {
			return
		}
		l.starts[i] = atoi(o.child("w:startOverride").attr("w:val"), -1)
		if lvl := o.child("w:lvl"); lvl != nil {
			level := readLevel(lvl)
			l.levels[i] = &level
		}
	})
	return l
}

func readLevel(e *elem) listLevel {
	return listLevel{said: true, start: atoi(e.child("w:start").attr("w:val"), 0), format: e.child("w:numFmt").attr("w:val"),
		text: e.child("w:lvlText").attr("w:val"), restart: atoi(e.child("w:lvlRestart").attr("w:val"), -1),
		style: e.child("w:pStyle").attr("w:val"), legal: toggleOf(e.child("w:isLgl")) == on}
}

func (l *numberedList) level(i int) *listLevel {
	if l.levels[i] != nil {
		return l.levels[i]
	}
	return &l.def.levels[i]
}

// levelOf returns the level on which a list numbers the paragraphs of a style, 0 if it does not say.
func (n *numbering) levelOf(numID, style string) int {
	l := n.lists[numID]
	if l == nil || l.def == nil || style == "" {
		return 0
	}
	for i := range 9 {
		if l.level(i).style == style {
			return i
		}
	}
	return 0
}

// next counts a paragraph and returns the number that is printed before it, without the mark of a bullet. listed reports
// whether there is such a list at all.
func (n *numbering) next(numID string, level int) (number string, listed bool) {
	l := n.lists[numID]
	if l == nil || l.def == nil || level < 0 || level > 8 || !l.level(level).said {
		return "", false
	}
	count := n.count[l.def]
	if count == nil {
		count = new([9]int)
		n.count[l.def] = count
	}
	begun := n.begun[l]
	if begun == nil {
		begun = new([9]bool)
		n.begun[l] = begun
	}
	for i := 0; i <= level; i++ {
		switch own := l.starts[i]; {
		case own >= 0 && !begun[i]:
			begun[i] = true
			count[i] = own + 1
		case count[i] == 0:
			count[i] = l.level(i).start + 1
		case i == level:
			count[i]++
		}
	}
	for i := level + 1; i < 9; i++ {
		if r := l.level(i).restart; r < 0 || r > level {
			count[i] = 0
		}
	}
	at := l.level(level)
	if at.format == "bullet" || at.format == "none" && at.text == "" {
		return "", at.format == "bullet"
	}
	var b strings.Builder
	for i := 0; i < len(at.text); i++ {
		if c := at.text[i]; c != '%' || i+1 == len(at.text) || at.text[i+1] < '1' || at.text[i+1] > '9' {
			b.WriteByte(c)
			continue
		}
		i++
		k := int(at.text[i] - '1')
		format := l.level(k).format
		if at.legal {
			format = "decimal"
		}
		b.WriteString(numeral(max(count[k]-1, 0), format))
	}
	return strings.TrimSpace(b.String()), true
}

// numeral writes a number in one of the formats of lists; one that is not known here in digits.
func numeral(n int, format string) string {
	if n < 1 {
		return strconv.Itoa(n)
	}
	switch format {
	case "none":
		return ""
	case "decimalZero":
		if n < 10 {
			return "0" + strconv.Itoa(n)
		}
	case "lowerLetter", "upperLetter":
		s := strings.Repeat(string(rune('a'+(n-1)%26)), min((n-1)/26+1, 30))
		if format == "upperLetter" {
			return strings.ToUpper(s)
		}
		return s
	case "lowerRoman":
		return roman(n)
	case "upperRoman":
		return strings.ToUpper(roman(n))
	case "ordinal":
		return strconv.Itoa(n) + ordinalEnd(n)
	}
	return strconv.Itoa(n)
}

func ordinalEnd(n int) string {
	if n%100/10 != 1 {
		switch n % 10 {
		case 1:
			return "st"
		case 2:
			return "nd"
		case 3:
			return "rd"
		}
	}
	return "th"
}

func roman(n int) string {
	if n > 3999 {
		return strconv.Itoa(n)
	}
	var b strings.Builder
	for _, d := range []struct {
		n int
		s string
	}{{1000, "m"}, {900, "cm"}, {500, "d"}, {400, "cd"}, {100, "c"}, {90, "xc"}, {50, "l"}, {40, "xl"}, {10, "x"}, {9, "ix"}, {5, "v"}, {4, "iv"}, {1, "i"}} {
		for ; n >= d.n; n -= d.n {
			b.WriteString(d.s)
		}
	}
	return b.String()
}
