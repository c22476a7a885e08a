package extract

import (
	"strings"

	"ibid/evidence"
)

// odfPaint is what a style says of colours: RRGGBB, "" where it says nothing, "?" where it cannot be told.
type odfPaint struct{ colour, ground string }

func readODFPaint(e *elem) odfPaint {
	text, para := e.child("style:text-properties"), e.child("style:paragraph-properties")
	p := odfPaint{colour: strings.TrimPrefix(text.attr("fo:color"), "#")}
	if text.attr("style:use-window-font-color") == "true" || text.attr("loext:theme-color") != "" && p.colour == "" {
		p.colour = unknownColour // black or white, as it can be read
	}
	for _, ground := range []string{para.attr("fo:background-color"), text.attr("fo:background-color"), e.child("style:section-properties").attr("fo:background-color")} {
		if ground != "" && ground != "transparent" {
			p.ground = strings.TrimPrefix(ground, "#")
		}
	}
	if para.child("style:background-image") != nil && para.child("style:background-image").attr("xlink:href") != "" {
		p.ground = unknownColour
	}
	return p
}

// paint lays the colours of a style, and of those that it is made from, over those around it.
func (s *odfStyles) paint(part, family, name string, around odfPaint) odfPaint {
	var own odfPaint
	for range 20 {
		st := s.get(part, family, name)
		if st == nil || name == "" {
			break
		}
		own.colour, own.ground = first(own.colour, st.paint.colour), first(own.ground, st.paint.ground)
		if st.parent == name {
			break
		}
		name = st.parent
	}
	return odfPaint{first(own.colour, around.colour), first(own.ground, around.ground)}
}

// sees reports whether the colours of a text in a place are looked at: only on the plain page is its ground known.
func (o *odf) sees(at odfPlace) bool {
	return o.page.Kind == evidence.Document && !at.boxed && !o.styles.coloured
}

// colouredPage reports whether a layout of pages has another ground than white.
func colouredPage(layout *elem) bool {
	p := layout.child("style:page-layout-properties")
	ground := p.attr("fo:background-color")
	return p.child("style:background-image").attr("xlink:href") != "" ||
		ground != "" && ground != "transparent" && !sameColour(strings.TrimPrefix(ground, "#"), "FFFFFF")
}

// blends reports whether a text cannot be told from the page that it stands on, or from what its own style paints.
func (p odfPaint) blends() bool {
	return p.colour != "" && sameColour(p.colour, first(p.ground, "FFFFFF"))
}
