package extract

import (
	"maps"
	"slices"
	"strings"
)

// maxStyles is how many styles of a document are read; the largest templates have about a thousand.
const maxStyles = 10_000

// docxStyle is what a style says about text that is set in it, with what it inherits.
type docxStyle struct {
	id, name, base string
	outline        int // level of a heading from 1; 0 is running text, -1 unsaid
	numID          string
	numLevel       int // -1: unsaid
	run            docxRun
	shading        *elem
	painted        bool // of tables: it shades some of their cells
}

// docxRun is what matters of a run's formatting.
type docxRun struct {
	hidden toggle
	raised string // "superscript", "subscript", "baseline"
	size   int    // half points; 0 is unsaid
	shift  int    // half points above the line; 0 is unsaid
	lang   string
	font   string
	colour string // RRGGBB, "auto"; "" is unsaid
	marker string // name of a colour; "" is unsaid

	shading *elem
	ground  docxGround // of the paragraph
}

// A toggle is a property that may be on, off or unsaid.
type toggle int8

const (
	unsaid toggle = iota
	off
	on
)

// toggleOf reads an element that is a toggle: absent, present, or present and off.
func toggleOf(e *elem) toggle {
	if e == nil {
		return unsaid
	}
	switch e.attr("w:val") {
	case "0", "false", "off":
		return off
	}
	return on
}

// over is the formatting r where it says something, else that of base.
func (r docxRun) over(base docxRun) docxRun {
	if r.hidden == unsaid {
		r.hidden = base.hidden
	}
	if r.raised == "" {
		r.raised = base.raised
	}
	if r.size == 0 {
		r.size = base.size
	}
	if r.lang == "" {
		r.lang = base.lang
	}
	if r.shift == 0 {
		r.shift = base.shift
	}
	if r.shading == nil {
		r.shading = base.shading
	}
	r.font, r.colour, r.marker = first(r.font, base.font), first(r.colour, base.colour), first(r.marker, base.marker)
	r.ground = base.ground
	return r
}

// invisible reports whether nobody sees a text: it is hidden, or at most two points high.
func (r docxRun) invisible() bool { return r.hidden == on || r.size > 0 && r.size <= 4 }

// blends reports whether a text has the colour of what it stands on.
func (r docxRun) blends() bool {
	return r.colour != "" && r.ground.shaded(r.shading).marked(r.marker).hides(r.colour)
}

func runProperties(rPr *elem) docxRun {
	if rPr == nil {
		return docxRun{}
	}
	return docxRun{hidden: toggleOf(rPr.child("w:vanish")), raised: rPr.child("w:vertAlign").attr("w:val"),
		size: atoi(rPr.child("w:sz").attr("w:val"), 0), lang: rPr.child("w:lang").attr("w:val"), font: rPr.child("w:rFonts").attr("w:ascii"),
		shift: signed(rPr.child("w:position").attr("w:val")), colour: colourOf(rPr), marker: rPr.child("w:highlight").attr("w:val"),
		shading: rPr.child("w:shd")}
}

// docxStyles are the styles of a document by id, and the paragraph style of text that names none.
type docxStyles struct {
	byID     map[string]*docxStyle
	standard string
}

func readDOCXStyles(p *parts, name string) docxStyles {
	styles := docxStyles{byID: map[string]*docxStyle{}}
	var defaults docxRun
	s, err := p.stream(name)
	if err != nil {
		return styles
	}
	defer s.Close()
	s.child() // w:styles
	for e := s.child(); e != nil; e = s.child() {
		s.fill(e)
		switch e.name {
		case "w:docDefaults":
			defaults = runProperties(e.child("w:rPrDefault", "w:rPr"))
		case "w:style":
			if len(styles.byID) == maxStyles {
				continue
			}
			st := readDOCXStyle(e)
			styles.byID[st.id] = st
			if d := e.attr("w:default"); e.attr("w:type") == "paragraph" && d != "" && d != "0" && d != "false" {
				styles.standard = st.id
			}
		}
	}
	done := map[string]bool{}
	for _, id := range slices.Sorted(maps.Keys(styles.byID)) {
		styles.inherit(id, defaults, done)
	}
	return styles
}

func readDOCXStyle(e *elem) *docxStyle {
	pPr := e.child("w:pPr")
	return &docxStyle{id: e.attr("w:styleId"), name: strings.ToLower(e.child("w:name").attr("w:val")), base: e.child("w:basedOn").attr("w:val"),
		outline: outlineLevel(pPr), numID: pPr.child("w:numPr", "w:numId").attr("w:val"),
		numLevel: atoi(pPr.child("w:numPr", "w:ilvl").attr("w:val"), -1), run: runProperties(e.child("w:rPr")), shading: pPr.child("w:shd"),
		painted: e.attr("w:type") == "table" && paints(e)}
}

// inherit completes a style by what the one it is based on says.
func (s docxStyles) inherit(id string, defaults docxRun, done map[string]bool) {
	st := s.byID[id]
	if st == nil || done[id] {
		return
	}
	done[id] = true
	base := s.byID[st.base]
	if base == nil || base == st {
		st.run = st.run.over(docxRun{lang: defaults.lang, size: defaults.size, hidden: defaults.hidden, colour: defaults.colour})
		return
	}
	s.inherit(st.base, defaults, done)
	if st.outline < 0 {
		st.outline = base.outline
	}
	if st.numID == "" {
		st.numID = base.numID
	}
	if st.numLevel < 0 {
		st.numLevel = base.numLevel
	}
	if st.shading == nil {
		st.shading = base.shading
	}
	st.painted = st.painted || base.painted
	st.run = st.run.over(base.run)
}

// outlineLevel reads a paragraph's level: 1 to 9 of a heading, 0 for running text, -1 unsaid.
func outlineLevel(pPr *elem) int {
	n := atoi(pPr.child("w:outlineLvl").attr("w:val"), -1)
	switch {
	case n < 0:
		return -1
	case n >= 9:
		return 0
	}
	return n + 1
}

// atoi reads a whole number of up to nine digits, else it is none.
func atoi(s string, none int) int {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > 9 {
		return none
	}
	n := 0
	for _, c := range s {
		if c < '0' || c > '9' {
			return none
		}
		n = n*10 + int(c-'0')
	}
	return n
}
