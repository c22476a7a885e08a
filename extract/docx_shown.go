package extract

import (
	"strconv"
	"strings"
)

// A docxGround is what a text of a document stands on.
type docxGround struct {
	fill    string // its colour as RRGGBB; "" is the page
	unknown bool   // a picture, a shape, or what a table's style paints
}

// shaded lays the shading of a paragraph, a cell or a run over what lies under it (ISO 29500-1 §17.3.5).
func (g docxGround) shaded(shd *elem) docxGround {
	if shd == nil {
		return g
	}
	fill := shd.attr("w:fill")
	switch pattern := shd.attr("w:val"); {
	case shd.attr("w:themeFill") != "" && fill == "", pattern != "" && pattern != "clear" && pattern != "nil":
		return docxGround{unknown: true}
	case isColour(fill):
		return docxGround{fill: fill}
	}
	return g
}

// marked lays the colour of a marker over what lies under it.
func (g docxGround) marked(highlight string) docxGround {
	if highlight == "" || highlight == "none" {
		return g
	}
	if fill, ok := highlights[highlight]; ok {
		return docxGround{fill: fill}
	}
	return docxGround{unknown: true}
}

// paints reports whether the style of a table shades any of its cells.
func paints(style *elem) bool {
	found := false
	style.find("w:shd", func(shd *elem) { found = found || docxGround{}.shaded(shd) != docxGround{} })
	return found
}

// highlights are those colours of ISO 29500-1 §17.18.40 that texts are written in.
var highlights = map[string]string{"white": "FFFFFF", "black": "000000", "yellow": "FFFF00", "red": "FF0000", "green": "00FF00", "blue": "0000FF"}

// hides reports whether a text of a colour cannot be told from the ground.
func (g docxGround) hides(colour string) bool {
	return !g.unknown && sameColour(colour, first(g.fill, "FFFFFF"))
}

func isColour(s string) bool {
	_, err := strconv.ParseUint(s, 16, 32)
	return len(s) == 6 && err == nil
}

// indistinct is how far the parts of two colours, of 255, may be apart that no eye tells from each other.
const indistinct = 12

// sameColour reports whether two colours, as RRGGBB, are the same to the eye.
func sameColour(a, b string) bool {
	if !isColour(a) || !isColour(b) {
		return false
	}
	for i := 0; i < 6; i += 2 {
		x, _ := strconv.ParseUint(a[i:i+2], 16, 8)
		y, _ := strconv.ParseUint(b[i:i+2], 16, 8)
		if max(x, y)-min(x, y) > indistinct {
			return false
		}
	}
	return true
}

// colourOf returns the colour that a run's formatting names; "auto", which always can be read, or "".
func colourOf(rPr *elem) string {
	c := rPr.child("w:color")
	switch value, theme := c.attr("w:val"), c.attr("w:themeColor"); {
	case value == "" && (theme == "background1" || theme == "light1") && c.attr("w:themeShade") == "":
		return "FFFFFF"
	case value == "" && theme != "":
		return "auto"
	default:
		return value
	}
}

// backdrop reports whether a drawing lies behind the text, or may: then what a text stands on cannot be known here.
func backdrop(e *elem) bool {
	found := false
	e.find("wp:anchor", func(a *elem) { found = found || a.attr("behindDoc") == "1" || a.attr("behindDoc") == "true" })
	e.find("v:shape", func(s *elem) { found = found || strings.Contains(s.attr("style"), "z-index:-") })
	e.find("v:rect", func(s *elem) { found = found || strings.Contains(s.attr("style"), "z-index:-") })
	return found
}
