package extract

import (
	"strings"

	"golang.org/x/net/html"
)

// readStyles reads the <style> elements that apply to a screen; read reads the declarations of a rule.
func readStyles(root *html.Node, read func(string) decls) styles {
	s, bytes, rules := styles{}, 0, 0
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.Data != "style" || n.FirstChild == nil || n.Parent.Data == "noscript" {
			continue
		}
		if m := attr(n, "media"); m != "" && !onScreen(m) {
			continue
		}
		if bytes += len(n.FirstChild.Data); bytes > maxStyle {
			break
		}
		s.parse(stripComments(n.FirstChild.Data), &rules, read)
	}
	return s
}

// screenWidth is that of the screen for which rules are read, in CSS pixels.
const screenWidth = 1280

// onScreen reports whether a list of media queries holds for that screen; a query that asks for anything else but the
// width does not, so that its text counts as shown.
func onScreen(media string) bool {
	for query := range strings.SplitSeq(strings.ToLower(media), ",") {
		holds := true
		for part := range strings.SplitSeq(query, " and ") {
			holds = holds && onScreenPart(strings.TrimSpace(part))
		}
		if holds {
			return true
		}
	}
	return false
}

func onScreenPart(part string) bool {
	switch part {
	case "all", "screen", "only screen", "only all", "not print":
		return true
	}
	feature, opened := strings.CutPrefix(part, "(")
	feature, closed := strings.CutSuffix(feature, ")")
	name, value, hasValue := strings.Cut(feature, ":")
	if !opened || !closed || !hasValue {
		return false
	}
	width, unit := number(strings.TrimSpace(value))
	if unit = strings.TrimSpace(unit); unit == "em" || unit == "rem" {
		width, unit = width*16, "px"
	}
	switch name = strings.TrimSpace(name); {
	case unit != "px" && width != 0:
		return false
	case name == "min-width":
		return screenWidth >= width
	case name == "max-width":
		return screenWidth <= width
	}
	return false
}

func stripComments(css string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(css, "/*")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, css, _ = strings.Cut(after, "*/")
	}
}

// parse reads rules, and those inside @media screen; other at-rules are skipped with their block.
func (s styles) parse(css string, rules *int, read func(string) decls) {
	for *rules < maxRules {
		open := strings.IndexByte(css, '{')
		if open < 0 {
			return
		}
		prelude := strings.TrimSpace(css[:open])
		if i := strings.LastIndexByte(prelude, ';'); i >= 0 { // after @import or @charset
			prelude = strings.TrimSpace(prelude[i+1:])
		}
		end := closing(css, open)
		body := css[open+1 : end]
		css = css[min(end+1, len(css)):]
		if media, ok := strings.CutPrefix(prelude, "@media"); ok && onScreen(media) {
			s.parse(body, rules, read)
			continue
		}
		if strings.HasPrefix(prelude, "@") {
			continue
		}
		d := read(body)
		if d.empty() {
			continue
		}
		for _, sel := range strings.Split(prelude, ",") {
			r, ok := parseSelector(strings.TrimSpace(sel))
			if key := s.key(&r); ok && *rules < maxRules && len(s[key]) < maxKeyed {
				*rules++
				r.decls, r.order = d, *rules
				s[key] = append(s[key], r)
			}
		}
	}
}

// closing finds the brace that closes the one at open, or the end.
func closing(css string, open int) int {
	depth := 0
	for i := open; i < len(css); i++ {
		switch css[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(css)
}

// key is the name under which a rule is looked up: of those that its selector asks for, the one with fewest rules.
func (s styles) key(r *rule) string {
	if r.id != "" {
		return "#" + r.id
	}
	best := r.tag
	for i, c := range r.classes {
		if i == 0 || len(s["."+c]) < len(s[best]) {
			best = "." + c
		}
	}
	return best
}

// parseSelector reads a compound selector of a name, an id and classes; anything else is not ok.
func parseSelector(sel string) (r rule, ok bool) {
	if sel == "" || len(sel) > 200 || strings.ContainsAny(sel, " >+~:[]*|\\()\n\t") {
		return rule{}, false
	}
	end := func(s string) int {
		if i := strings.IndexAny(s, ".#"); i >= 0 {
			return i
		}
		return len(s)
	}
	n := end(sel)
	r.tag, sel = strings.ToLower(sel[:n]), sel[n:]
	for sel != "" {
		mark, rest := sel[0], sel[1:]
		n := end(rest)
		if n == 0 {
			return rule{}, false
		}
		if mark == '#' {
			r.id = rest[:n]
		} else {
			r.classes = append(r.classes, rest[:n])
		}
		sel = rest[n:]
	}
	return r, r.tag != "" || r.id != "" || len(r.classes) > 0
}
