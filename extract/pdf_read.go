package extract

import (
	"context"
	"errors"
	"math"
	"strings"
	"time"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
	pdferr "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// Limits of one PDF, besides its time.
const (
	maxPages    = 5000
	maxPDFText  = 16 << 20  // bytes
	maxPageObjs = 50_000    // objects drawn by a page
	maxDocObjs  = 1_000_000 // and by all pages: each costs memory that only the end of the document frees
)

// A pdfReader reads one document with one worker.
type pdfReader struct {
	lib     pdfium.Pdfium
	body    []byte
	doc     references.FPDF_DOCUMENT
	form    references.FPDF_FORMHANDLE // opened with the first page that has fields
	objects int                        // that were looked at so far
	until   time.Time                  // when no further page is begun
	changed bool                       // pages were turned or flattened to be read
}

// open opens a document. The bytes must stay as they are until it is closed.
func (r *pdfReader) open(body []byte) error {
	opened, err := r.lib.OpenDocument(&requests.OpenDocument{File: &body})
	if err != nil {
		return err
	}
	r.body, r.doc = body, opened.Document
	return nil
}

// restore undoes what reading changed in the document.
func (r *pdfReader) restore() error {
	if !r.changed {
		return nil
	}
	if _, err := r.lib.FPDF_CloseDocument(&requests.FPDF_CloseDocument{Document: r.doc}); err != nil {
		return err
	}
	r.form, r.changed = "", false
	return r.open(r.body)
}

// read reads the pages in order. A page that cannot be read leaves a gap and is said; the others stand.
func (r *pdfReader) read(ctx context.Context) (*pdfDocument, error) {
	count, err := r.lib.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: r.doc})
	if err != nil {
		return nil, err
	}
	d := &pdfDocument{Info: r.info()}
	size, unread := 0, 0
	for i := range count.PageCount {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if i == maxPages || size > maxPDFText || r.objects > maxDocObjs || time.Now().After(r.until) {
			d.Cut = true
			break
		}
		p, err := r.page(i, nil)
		if err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			unread++
			p = pdfPage{Number: i + 1, Broken: true}
		}
		for _, l := range p.Lines {
			size += len(l.Text)
		}
		d.Pages = append(d.Pages, p)
	}
	if unread > 0 && unread == count.PageCount {
		return nil, pdferr.ErrPage
	}
	return d, nil
}

// info is what the document says of itself.
func (r *pdfReader) info() map[string]string {
	info := map[string]string{}
	for _, tag := range []string{"Title", "Author", "Subject", "Keywords", "doi"} {
		if m, err := r.lib.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: r.doc, Tag: tag}); err == nil {
			info[tag] = shownLine(m.Value, 1000)
		}
	}
	if l, err := r.lib.FPDFCatalog_GetLanguage(&requests.FPDFCatalog_GetLanguage{Document: r.doc}); err == nil {
		info["Lang"] = shownLine(l.Language, 50)
	}
	return info
}

// shownLine is a text as one line without control characters.
func shownLine(s string, n int) string {
	return oneLine(strings.Map(func(r rune) rune {
		if r < 0x20 {
			return ' '
		}
		return r
	}, s), n)
}

// page reads one page. inspect, if there is one, is shown the text while it is open, and how the page is displayed.
func (r *pdfReader) page(index int, inspect func(*textPage, pageFrame)) (p pdfPage, err error) {
	p.Number, r.changed = index+1, true
	if l, err := r.lib.FPDF_GetPageLabel(&requests.FPDF_GetPageLabel{Document: r.doc, Page: index}); err == nil {
		p.Label = shownLine(l.Label, 50)
	}
	loaded, err := r.lib.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: r.doc, Index: index})
	if err != nil {
		return p, err
	}
	defer r.lib.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: loaded.Page})
	page := requests.Page{ByReference: &loaded.Page}
	f, err := r.frame(page)
	if err != nil {
		return p, err
	}
	own := f
	drawn, err := r.look(page)
	if err != nil {
		return p, err
	}
	p.Scanned = drawn.scanned(f)
	if !p.Scanned && len(drawn.invisible) > 0 {
		p.Hidden = true
		if err := r.deactivate(drawn.invisible); err != nil {
			return p, err
		}
	}
	text, err := r.text(page, &f)
	if err != nil {
		return p, err
	}
	defer func() { text.close() }()
	if text.stray {
		gone, err := r.shownNowhere(drawn, f)
		if err != nil {
			return p, err
		}
		if len(gone) > 0 {
			p.Hidden = true
			if err := r.deactivate(gone); err != nil {
				return p, err
			}
			text.close()
			if text, err = r.text(page, &f); err != nil {
				return p, err
			}
		}
	}
	p.Width, p.Height = f.size()
	p.Garbled, p.Hidden = text.garbled, p.Hidden || text.hidden
	if p.Lines = text.lines; p.Garbled {
		p.Lines = nil
	} else if inspect != nil {
		inspect(text, own)
	}
	if p.Picture = len(text.lines) == 0 && drawn.pictures > 0; p.Picture {
		p.PPI = r.resolution(drawn)
	}
	notes, err := r.annotations(page, f, drawn.count)
	p.Lines = append(p.Lines, notes...)
	return p, err
}

// frame is the visible part of a page and how it is turned.
func (r *pdfReader) frame(page requests.Page) (pageFrame, error) {
	box, err := r.lib.FPDF_GetPageBoundingBox(&requests.FPDF_GetPageBoundingBox{Page: page})
	if err != nil {
		return pageFrame{}, err
	}
	turn, err := r.lib.FPDFPage_GetRotation(&requests.FPDFPage_GetRotation{Page: page})
	if err != nil {
		return pageFrame{}, err
	}
	b := box.Rect
	f := pageFrame{left: float64(b.Left), bottom: float64(b.Bottom), right: float64(b.Right), top: float64(b.Top), turn: int(turn.PageRotation) & 3}
	if !(f.right > f.left && f.top > f.bottom) || math.IsInf(f.right-f.left, 0) || math.IsInf(f.top-f.bottom, 0) {
		return pageFrame{}, errors.New("the page has no area")
	}
	return f, nil
}

// text reads the page's text turned so that most of it is upright: PDFium orders the lines of text that lies on its
// side, or on its head, wrongly.
func (r *pdfReader) text(page requests.Page, f *pageFrame) (*textPage, error) {
	t, err := r.openText(page)
	if err != nil {
		return nil, err
	}
	if turn := t.turn(); turn >= 0 && turn != f.turn {
		t.close()
		*f = f.turned(turn)
		if _, err := r.lib.FPDFPage_SetRotation(&requests.FPDFPage_SetRotation{Page: page, Rotate: enums.FPDF_PAGE_ROTATION(turn)}); err != nil {
			return nil, err
		}
		if t, err = r.openText(page); err != nil {
			return nil, err
		}
	}
	if err := t.read(*f); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}
