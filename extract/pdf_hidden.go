package extract

import (
	"math"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// drawing is what a page draws.
type drawing struct {
	count     int                          // objects of the page itself
	texts     int                          // in all
	top       []references.FPDF_PAGEOBJECT // texts of the page itself
	invisible []references.FPDF_PAGEOBJECT // texts in render mode 3, which draws nothing
	others    []references.FPDF_PAGEOBJECT // pictures, lines and areas, in the page's own space
	nested    bool                         // there are such in forms, whose place is not known here
	pictures  int
	largest   float64                    // area of the largest picture, in points²
	picture   references.FPDF_PAGEOBJECT // which that is
}

// maxFormNesting is how deep forms are followed into one another.
const maxFormNesting = 12

// look lists what the page draws, also in the forms it is put together from.
func (r *pdfReader) look(page requests.Page) (*drawing, error) {
	d := &drawing{}
	n, err := r.lib.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: page})
	if err != nil {
		return nil, err
	}
	d.count = n.Count
	for i := range min(n.Count, maxPageObjs) {
		o, err := r.lib.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: page, Index: i})
		if err != nil {
			continue
		}
		r.sort(d, o.PageObject, 0)
	}
	return d, nil
}

// sort puts an object, and those inside it, with its like.
func (r *pdfReader) sort(d *drawing, o references.FPDF_PAGEOBJECT, depth int) {
	r.objects++
	kind, err := r.lib.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: o})
	if err != nil {
		return
	}
	switch kind.Type {
	case enums.FPDF_PAGEOBJ_TEXT:
		mode, err := r.lib.FPDFTextObj_GetTextRenderMode(&requests.FPDFTextObj_GetTextRenderMode{PageObject: o})
		if err == nil && mode.TextRenderMode == enums.FPDF_TEXTRENDERMODE_INVISIBLE {
			d.invisible = append(d.invisible, o)
			return
		}
		if d.texts++; depth == 0 {
			d.top = append(d.top, o)
		}
		return
	case enums.FPDF_PAGEOBJ_FORM:
		n, err := r.lib.FPDFFormObj_CountObjects(&requests.FPDFFormObj_CountObjects{PageObject: o})
		if err != nil || depth == maxFormNesting {
			return
		}
		for i := range n.Count {
			if d.texts+len(d.invisible)+len(d.others) > maxPageObjs || r.objects > maxDocObjs {
				return
			}
			inner, err := r.lib.FPDFFormObj_GetObject(&requests.FPDFFormObj_GetObject{PageObject: o, Index: uint64(i)})
			if err == nil {
				r.sort(d, inner.PageObject, depth+1)
			}
		}
		return
	case enums.FPDF_PAGEOBJ_IMAGE:
		d.pictures++
		if l, b, rt, t, ok := r.bounds(o); ok && depth == 0 {
			if area := (rt - l) * (t - b); area > d.largest {
				d.largest, d.picture = area, o
			}
		}
	case enums.FPDF_PAGEOBJ_PATH:
		if len(d.others) > 50 { // letters may be drawn as lines
			d.pictures++
		}
	}
	d.nested = d.nested || depth > 0
	if depth == 0 {
		d.others = append(d.others, o)
	}
}

// scanned reports whether the invisible text is a layer over a picture of the page.
func (d *drawing) scanned(f pageFrame) bool {
	w, h := f.size()
	return len(d.invisible) > 0 && d.largest >= 0.5*w*h && d.texts*10 <= len(d.invisible)
}

// resolution is how many pixels in an inch the largest picture has; 0 where that is not known.
func (r *pdfReader) resolution(d *drawing) float64 {
	if d.picture == "" {
		return 0
	}
	n, err := r.lib.FPDFImageObj_GetImagePixelSize(&requests.FPDFImageObj_GetImagePixelSize{ImageObject: d.picture})
	left, bottom, right, top, ok := r.bounds(d.picture)
	if err != nil || !ok || !(right > left && top > bottom) {
		return 0
	}
	return 72 * math.Sqrt(float64(n.Width)*float64(n.Height)/((right-left)*(top-bottom)))
}

func (r *pdfReader) bounds(o references.FPDF_PAGEOBJECT) (left, bottom, right, top float64, ok bool) {
	b, err := r.lib.FPDFPageObj_GetBounds(&requests.FPDFPageObj_GetBounds{PageObject: o})
	if err != nil {
		return 0, 0, 0, 0, false
	}
	return float64(b.Left), float64(b.Bottom), float64(b.Right), float64(b.Top), true
}

func (r *pdfReader) deactivate(objects []references.FPDF_PAGEOBJECT) error {
	for _, o := range objects {
		if _, err := r.lib.FPDFPageObj_SetIsActive(&requests.FPDFPageObj_SetIsActive{PageObject: o}); err != nil {
			return err
		}
	}
	return nil
}

// shownNowhere finds the texts that certainly nobody sees: off the page, and white where nothing else is drawn.
func (r *pdfReader) shownNowhere(d *drawing, f pageFrame) ([]references.FPDF_PAGEOBJECT, error) {
	type area struct{ left, bottom, right, top float64 }
	var grounds []area
	for _, o := range d.others {
		if l, b, rt, t, ok := r.bounds(o); ok {
			grounds = append(grounds, area{l, b, rt, t})
		}
	}
	var gone []references.FPDF_PAGEOBJECT
	for _, o := range d.top {
		l, b, rt, t, ok := r.bounds(o)
		if !ok {
			continue
		}
		if f.outside(l, b, rt, t) {
			gone = append(gone, o)
			continue
		}
		c, err := r.lib.FPDFPageObj_GetFillColor(&requests.FPDFPageObj_GetFillColor{PageObject: o})
		if err != nil || !white(c.FillColor.R, c.FillColor.G, c.FillColor.B, c.FillColor.A) {
			continue
		}
		mode, err := r.lib.FPDFTextObj_GetTextRenderMode(&requests.FPDFTextObj_GetTextRenderMode{PageObject: o})
		covered := d.nested || err != nil || mode.TextRenderMode != enums.FPDF_TEXTRENDERMODE_FILL
		for _, g := range grounds {
			covered = covered || g.left < rt && l < g.right && g.bottom < t && b < g.top
		}
		if !covered {
			gone = append(gone, o)
		}
	}
	return gone, nil
}

// white reports whether a colour cannot be told from paper.
func white(r, g, b, a uint) bool { return a < 8 || r > 250 && g > 250 && b > 250 }
