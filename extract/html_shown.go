package extract

import (
	"iter"
	"strings"

	"golang.org/x/net/html"
)

// notShown are elements whose content a browser does not put on the page as text.
var notShown = set(`head script style template noscript iframe object audio video canvas svg select datalist textarea
	rp rt annotation annotation-xml noframes noembed title`)

// blockTags are elements that begin and end a line.
var blockTags = set(`address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption
	figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup p pre listing xmp plaintext
	search section summary table tbody td tfoot th thead tr ul button`)

// replaced are those of notShown, and others without text, in whose place something is drawn.
var replaced = set("iframe object audio video canvas svg select textarea embed input")

// offscreen are the class names under which the well-known style sheets hide text from the eye but not from screen readers.
var offscreen = set("sr-only visually-hidden visuallyhidden screen-reader-text screen-reader-only screenreader-only")

// shown is what an element does to its text.
type shown struct {
	gone      bool // not displayed, with all it holds
	invisible int8 // visibility: 1 hidden, -1 visible again, 0 inherited
	tiny      int8 // font size zero: 1 yes, -1 no longer, 0 inherited
	block     bool // laid out as a block, whatever its name
	inline    bool // laid out as text, whatever its name
	script    int8 // 1 raised, -1 lowered
	white     int8 // what becomes of white space, plus 1; 0 inherited
}

// over gives the place inside an element that is shown so.
func (s shown) over(p place) place {
	if s.white > 0 {
		p.white = whiteSpace(s.white - 1)
	}
	p.invisible = s.invisible > 0 || s.invisible == 0 && p.invisible
	p.tiny = s.tiny > 0 || s.tiny == 0 && p.tiny
	return p
}

// show decides whether a browser shows an element's text, from its name, its attributes and the page's own style rules.
// What a reader opens by a click, like <details>, counts as shown.
func (s styles) show(n *html.Node) shown {
	if notShown[n.Data] {
		return shown{gone: true}
	}
	if n.Data == "a" && isBackLink(n) {
		return shown{gone: true}
	}
	if hiddenByAttributes(n) {
		return shown{gone: !isPanel(n)}
	}
	style := attr(n, "style")
	if len(s) == 0 && style == "" {
		return shown{}
	}
	var d decls
	if len(s) > 0 {
		s.match(n, &d)
	}
	if style != "" {
		own := parseDecls(style)
		d.over(&own, weight{specificity: 1 << 20})
	}
	if d.display.value == "none" || d.away.value != "" {
		return shown{gone: !isPanel(n)}
	}
	var out shown
	switch d.visibility.value {
	case "hidden", "collapse":
		out.invisible = 1
	case "visible":
		out.invisible = -1
	}
	if d.size.value != "" {
		out.tiny = -1
		if isZero(d.size.value) || d.size.value == "1px" {
			out.tiny = 1
		}
	}
	switch d.align.value {
	case "super":
		out.script = 1
	case "sub":
		out.script = -1
	}
	switch d.space.value {
	case "pre", "pre-wrap", "break-spaces":
		out.white = 1 + int8(keep)
	case "pre-line":
		out.white = 1 + int8(keepBreaks)
	case "normal", "nowrap":
		out.white = 1 + int8(collapse)
	}
	switch d.display.value {
	case "block", "flex", "grid", "table", "list-item", "flow-root", "table-row", "table-cell":
		out.block = true
	case "inline":
		out.inline = n.Data == "div" || n.Data == "p" || n.Data == "form" || n.Data == "section"
	}
	return out
}

// isBackLink reports whether a link leads from a note back to its mark: it is an arrow to click on, and no word of the note.
func isBackLink(n *html.Node) bool {
	href, c := attr(n, "href"), n.FirstChild
	return strings.Contains(href, "#") && c != nil && c.NextSibling == nil && c.Type == html.TextNode &&
		backArrows[strings.TrimRight(strings.TrimSpace(c.Data), "\ufe0e\ufe0f")]
}

var backArrows = set("↩ ↵ ⏎ ↑ ↖ ⤴")

// isPanel reports whether a hidden element is the part of an accordion or of a set of tabs that is closed now.
func isPanel(n *html.Node) bool {
	switch role := attr(n, "role"); role {
	case "tabpanel":
		return true
	case "", "region", "group":
	default:
		return false
	}
	class := attr(n, "class")
	if class == "" || n.Data == "dialog" || n.Data == "input" || hasAttr(n, "popover") {
		return false
	}
	tab, pane, panel := false, false, false
	for _, word := range words(class) {
		panel = panel || panelWords[word]
		tab = tab || word == "tab" || word == "tabs"
		pane = pane || word == "pane" || word == "panel" || word == "content"
	}
	return panel || tab && pane
}

var panelWords = set("accordion collapse collapsible collapsed expandable tabpanel faq")

// hiddenByAttributes is what hides an element without any style sheet.
func hiddenByAttributes(n *html.Node) bool {
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			if !strings.EqualFold(a.Val, "until-found") {
				return true
			}
		case "popover":
			return true
		case "class":
			for c := range classes(a.Val) {
				if offscreen[c] {
					return true
				}
			}
		}
	}
	return n.Data == "dialog" && !hasAttr(n, "open") || n.Data == "input"
}

// classes yields the names of a class attribute, of one without end the first ones.
func classes(class string) iter.Seq[string] {
	const most = 2000
	return strings.FieldsSeq(class[:min(len(class), most)])
}

// lettersIn counts the characters of a hidden element that would otherwise be shown.
func lettersIn(n *html.Node) int {
	sum := 0
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			sum += letterCount(c.Data)
		case c.Type == html.ElementNode && !notShown[c.Data]:
			sum += lettersIn(c)
		}
	}
	return sum
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}

func hasAttr(n *html.Node, key string) bool {
	for _, a := range n.Attr {
		if a.Key == key {
			return true
		}
	}
	return false
}
