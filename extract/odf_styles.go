package extract

import "strings"

// odfStyle is what matters of a style.
type odfStyle struct {
	parent, display string
	unlisted        bool   // a heading without a number
	hidden          toggle // text:display="none"
	raised, lowered bool
	tableHidden     bool
	slideHidden     bool
	paint           odfPaint
}

// odfStyles are the styles of a document: those with names, and those that the program made, which are of one part.
type odfStyles struct {
	named    map[string]*odfStyle            // by family and name
	made     map[string]map[string]*odfStyle // by part, then the same
	lists    map[string]*[11]odfNumber       // how lists are numbered, by the list's style and level; headings by ""
	language string
	coloured bool // pages have a ground of another colour
}

// odfNumber is how a level of headings is numbered (ODF 1.3 part 3, §16.34).
type odfNumber struct {
	format, prefix, suffix string
	levels, start          int
}

// read reads the styles of a part.
func (s *odfStyles) read(open func() (*stream, error), part string) {
	if s.named == nil {
		s.named, s.made, s.lists = map[string]*odfStyle{}, map[string]map[string]*odfStyle{}, map[string]*[11]odfNumber{}
	}
	s.made[part] = map[string]*odfStyle{}
	st, err := open()
	if err != nil {
		return
	}
	defer st.Close()
	st.child()
	for e := st.child(); e != nil; e = st.child() {
		switch e.name {
		case "office:styles":
			s.group(st, s.named)
		case "office:automatic-styles":
			s.group(st, s.made[part])
		default:
			st.skip()
		}
	}
}

func (s *odfStyles) group(st *stream, to map[string]*odfStyle) {
	for e := st.child(); e != nil; e = st.child() {
		switch e.name {
		case "style:page-layout":
			st.fill(e)
			s.coloured = s.coloured || colouredPage(e)
			continue
		case "style:style", "style:default-style", "text:outline-style", "text:list-style":
			if len(to)+len(s.lists) < maxStyles {
				st.fill(e)
				s.style(e, to)
				continue
			}
		}
		st.skip()
	}
}

func (s *odfStyles) style(e *elem, to map[string]*odfStyle) {
	text := e.child("style:text-properties")
	switch e.name {
	case "text:outline-style":
		s.lists[""] = odfNumbers(e)
	case "text:list-style":
		s.lists[e.attr("style:name")] = odfNumbers(e)
	case "style:default-style":
		if lang := text.attr("fo:language"); e.attr("style:family") == "paragraph" && lang != "" && lang != "none" && s.language == "" {
			s.language = lang
			if c := text.attr("fo:country"); c != "" && c != "none" {
				s.language += "-" + c
			}
		}
	case "style:style":
		p := &odfStyle{parent: e.attr("style:parent-style-name"), display: strings.ToLower(first(e.attr("style:display-name"), e.attr("style:name"))),
			tableHidden: e.child("style:table-properties").attr("table:display") == "false",
			slideHidden: e.child("style:drawing-page-properties").attr("presentation:visibility") == "hidden"}
		for _, a := range e.attrs {
			if a.Name.Local == "style:list-style-name" && a.Value == "" {
				p.unlisted = true
			}
		}
		switch text.attr("text:display") {
		case "none":
			p.hidden = on
		case "true":
			p.hidden = off
		}
		p.paint = readODFPaint(e)
		at := text.attr("style:text-position")
		p.raised = strings.HasPrefix(at, "super") || at != "" && at[0] >= '1' && at[0] <= '9'
		p.lowered = strings.HasPrefix(at, "sub") || strings.HasPrefix(at, "-")
		to[e.attr("style:family")+"/"+e.attr("style:name")] = p
	}
}

// odfNumbers reads how the levels of a list or of headings are numbered; a bullet is no number.
func odfNumbers(e *elem) *[11]odfNumber {
	var n [11]odfNumber
	for _, l := range e.kids {
		i := atoi(l.attr("text:level"), 0)
		if i >= 1 && i <= 10 && (l.name == "text:outline-level-style" || l.name == "text:list-level-style-number") {
			n[i] = odfNumber{format: l.attr("style:num-format"), prefix: l.attr("style:num-prefix"), suffix: l.attr("style:num-suffix"),
				levels: atoi(l.attr("text:display-levels"), 1), start: atoi(l.attr("text:start-value"), 1)}
		}
	}
	return &n
}

// get returns a style of a part; part is "styles" for headers and footers.
func (s *odfStyles) get(part, family, name string) *odfStyle {
	if p := s.made[part][family+"/"+name]; p != nil {
		return p
	}
	return s.named[family+"/"+name]
}

// any reports whether a style, or one that it is made from, has a property.
func (s *odfStyles) any(part, family, name string, has func(*odfStyle) bool) bool {
	for range 20 {
		p := s.get(part, family, name)
		if p == nil || name == "" {
			return false
		}
		if has(p) {
			return true
		}
		if p.parent == name {
			return false
		}
		name = p.parent
	}
	return false
}

// next counts a heading or an item of a list and returns the number that is printed before it, without the mark of a
// bullet.
func (s *odfStyles) next(list string, counts *[10]int, level int) string {
	levels := s.lists[list]
	if level < 1 || level > 10 || levels == nil {
		return ""
	}
	n := &counts[level-1]
	if *n == 0 {
		*n = max(levels[level].start, 1) - 1
	}
	*n++
	clear(counts[level:])
	f := levels[level]
	if f.format == "" {
		return ""
	}
	var parts []string
	for l := max(level-f.levels+1, 1); l <= level; l++ {
		if levels[l].format != "" {
			parts = append(parts, numeral(max(counts[l-1], levels[l].start), odfFormats[levels[l].format]))
		}
	}
	return strings.TrimSpace(f.prefix + strings.Join(parts, ".") + f.suffix)
}

var odfFormats = map[string]string{"1": "decimal", "i": "lowerRoman", "I": "upperRoman", "a": "lowerLetter", "A": "upperLetter"}
