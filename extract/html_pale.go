package extract

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// paleTexts returns the texts of a page that cannot be told from their ground, or are wholly transparent. It judges only
// pages that are all there is to see, as mails are: where style sheets or scripts come from elsewhere, the colour of the
// ground, or when a text fades in, is not known.
func paleTexts(root *html.Node) map[*html.Node]bool {
	if !standsAlone(root) {
		return nil
	}
	p := &palePage{styles: readStyles(root, parsePaint), texts: map[*html.Node]bool{}}
	p.walk(root, paint{colour: "000000", ground: "FFFFFF"})
	return p.texts
}

// standsAlone reports whether a page has neither scripts nor style sheets from elsewhere, but says something of colours.
func standsAlone(root *html.Node) bool {
	coloured := false
	for n := range root.Descendants() {
		switch {
		case n.Type != html.ElementNode:
		case n.Data == "script" && !strings.Contains(attr(n, "type"), "json"), n.Data == "link" && strings.Contains(strings.ToLower(attr(n, "rel")), "stylesheet"),
			n.Data == "style" && n.FirstChild != nil && strings.Contains(n.FirstChild.Data, "@import"):
			return false
		case n.Data == "style", attr(n, "color") != "":
			coloured = true
		default:
			style := attr(n, "style")
			coloured = coloured || strings.Contains(style, "olor") || strings.Contains(style, "opacity") || strings.Contains(style, "OLOR")
		}
	}
	return coloured
}

type palePage struct {
	styles styles
	texts  map[*html.Node]bool
}

// paint is in what colour a text is written, and on which; "?" is not known.
type paint struct {
	colour, ground string
	clear          bool // transparent
}

func (p *palePage) walk(n *html.Node, on paint) {
	for c := range n.ChildNodes() {
		switch c.Type {
		case html.TextNode:
			if on.clear || sameColour(on.colour, on.ground) {
				p.texts[c] = true
			}
		case html.ElementNode:
			p.walk(c, p.lay(c, on))
		}
	}
}

// lay is the paint inside an element.
func (p *palePage) lay(n *html.Node, on paint) paint {
	var d decls
	if len(p.styles) > 0 {
		p.styles.match(n, &d)
	}
	if style := attr(n, "style"); style != "" {
		own := parsePaint(style)
		d.over(&own, weight{specificity: 1 << 20})
	}
	if n.Data == "font" && d.colour.value == "" {
		d.colour.value = attr(n, "color")
	}
	if d.ground.value == "" {
		d.ground.value = attr(n, "bgcolor")
	}
	c, ok := cssColour(d.colour.value)
	switch colour := d.colour.value; {
	case ok:
		on.colour = c
	case colour != "" && colour != "inherit", colour == "" && n.Data == "a": // a link has its own
		on.colour = unknownColour
	}
	c, ok = cssColour(d.ground.value)
	switch ground := d.ground.value; {
	case attr(n, "background") != "", n.Data == "button", n.Data == "mark":
		on.ground = unknownColour
	case ok:
		on.ground = c
	case ground != "" && !noGround[ground]:
		on.ground = unknownColour
	}
	if v, err := strconv.ParseFloat(strings.TrimSuffix(d.opacity.value, "%"), 64); err == nil && v == 0 {
		on.clear = true
	}
	return on
}

// noGround are the backgrounds that let through what is behind them.
var noGround = set("none transparent inherit initial unset revert 0 0%")

// parsePaint reads of the declarations of a style those that paint.
func parsePaint(style string) decls {
	var d decls
	for _, part := range strings.Split(style, ";") {
		name, value, ok := strings.Cut(part, ":")
		if !ok {
			continue
		}
		value, important := strings.CutSuffix(strings.ToLower(strings.TrimSpace(value)), "!important")
		set := decl{value: strings.TrimSpace(value), important: important}
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "color":
			d.colour = set
		case "background", "background-color":
			d.ground = set
		case "background-image":
			if set.value != "none" {
				d.ground = decl{value: unknownColour}
			}
		case "position", "margin", "margin-top":
			if v := set.value; v == "absolute" || v == "fixed" || strings.HasPrefix(v, "-") { // it may lie over something
				d.ground = decl{value: unknownColour}
			}
		case "opacity":
			d.opacity = set
		}
	}
	return d
}

func sameCSSColour(a, b string) bool {
	x, ok := cssColour(a)
	y, ok2 := cssColour(b)
	return ok && ok2 && sameColour(x, y)
}

// cssColour returns a colour as RRGGBB; false for one that is written otherwise than most are, or lets shine through.
func cssColour(s string) (string, bool) {
	switch s = strings.ToUpper(strings.ReplaceAll(s, " ", "")); s {
	case "WHITE":
		return "FFFFFF", true
	case "BLACK":
		return "000000", true
	}
	if hex, ok := strings.CutPrefix(s, "#"); ok || isColour(s) {
		if !ok {
			hex = s // as the attributes of old allow
		}
		if len(hex) == 3 {
			hex = strings.Repeat(hex[:1], 2) + strings.Repeat(hex[1:2], 2) + strings.Repeat(hex[2:], 2)
		}
		return hex, isColour(hex)
	}
	parts, ok := strings.CutPrefix(strings.TrimSuffix(s, ")"), "RGB(")
	if !ok {
		return "", false
	}
	rgb := ""
	for part := range strings.SplitSeq(parts, ",") {
		n := atoi(part, -1)
		if n < 0 || n > 255 {
			return "", false
		}
		rgb += string("0123456789ABCDEF"[n/16]) + string("0123456789ABCDEF"[n%16])
	}
	return rgb, isColour(rgb)
}
