package extract

import "strings"

// odfStyle is what matters of a style.
type odfStyle struct {
	parent, display string
	outline         int
	unlisted        bool   // a heading without a number
	hidden          toggle // text:display="none"
	raised          bool
	tableHidden     bool
	slideHidden     bool
}

// odfStyles are the styles of a document: those with names, and those that the program made, which are of one part.
type odfStyles struct {
	named    map[string]*odfStyle            // by family and name
	made     map[string]map[string]*odfStyle // by part, then the same
	headings [11]odfNumber                   // how headings are numbered, by level
	language string
}

// odfNumber is how a level of headings is numbered (ODF 1.3 part 3, §16.34).
type odfNumber struct {
	format, prefix, suffix string
	levels, start          int
}

// read reads the styles of a part.
func (s *odfStyles) read(open func() (*stream, error), part string) {
	if s.named == nil {
		s.named, s.made = map[string]*odfStyle{}, map[string]map[string]*odfStyle{}
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
		if e.name != "style:style" && e.name != "style:default-style" && e.name != "text:outline-style" || len(to) >= maxStyles {
			st.skip()
			continue
		}
		st.fill(e)
		text := e.child("style:text-properties")
		switch e.name {
		case "text:outline-style":
			e.each("text:outline-level-style", func(l *elem) {
				if i := atoi(l.attr("text:level"), 0); i >= 1 && i <= 10 {
					s.headings[i] = odfNumber{format: l.attr("style:num-format"), prefix: l.attr("style:num-prefix"), suffix: l.attr("style:num-suffix"),
						levels: atoi(l.attr("text:display-levels"), 1), start: atoi(l.attr("text:start-value"), 1)}
				}
			})
		case "style:default-style":
			if lang := text.attr("fo:language"); e.attr("style:family") == "paragraph" && lang != "" && lang != "none" && s.language == "" {
				s.language = lang
				if c := text.attr("fo:country"); c != "" && c != "none" {
					s.language += "-" + c
				}
			}
		case "style:style":
			p := &odfStyle{parent: e.attr("style:parent-style-name"), display: strings.ToLower(first(e.attr("style:display-name"), e.attr("style:name"))),
				outline: atoi(e.attr("style:default-outline-level"), 0), tableHidden: e.child("style:table-properties").attr("table:display") == "false",
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
			at := text.attr("style:text-position")
			p.raised = strings.HasPrefix(at, "super") || at != "" && at[0] != '-' && at[0] != '0' && at[0] >= '1' && at[0] <= '9'
			to[e.attr("style:family")+"/"+e.attr("style:name")] = p
		}
	}
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

// next counts a heading and returns the number that is printed before it.
func (s *odfStyles) next(counts *[10]int, level int) string {
	if level < 1 || level > 10 {
		return ""
	}
	n := &counts[level-1]
	if *n == 0 {
		*n = max(s.headings[level].start, 1) - 1
	}
	*n++
	clear(counts[level:])
	f := s.headings[level]
	if f.format == "" {
		return ""
	}
	var parts []string
	for l := max(level-f.levels+1, 1); l <= level; l++ {
		if s.headings[l].format == "" {
			continue
		}
		parts = append(parts, numeral(max(counts[l-1], s.headings[l].start), odfFormats[s.headings[l].format]))
	}
	return strings.TrimSpace(f.prefix + strings.Join(parts, ".") + f.suffix)
}

var odfFormats = map[string]string{"1": "decimal", "i": "lowerRoman", "I": "upperRoman", "a": "lowerLetter", "A": "upperLetter"}
