package extract

import (
	"context"
	"errors"
	"image"
	"time"

	pdferr "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/requests"
)

// An asker asks about the open document.
type asker func(pdfCall) (pdfAnswer, error)

// A pdfCall is one question. One of its parts is set; without any the whole document is read.
type pdfCall struct {
	Open  []byte        // opens a document
	Limit time.Duration // of the document that is opened; where PDFs are read in a process of their own
	Close bool          // closes it; likewise
	Image *imageOf      // draws a page
	Boxes []lineEnd     // finds places of text
}

// A pdfAnswer is the answer to one call.
type pdfAnswer struct {
	Document *pdfDocument
	Image    *pdfImage
	Boxes    []Box
	Failed   string // what went wrong
	Reason   Reason // and what kind of thing that is
}

type imageOf struct {
	Page int // from 1
	DPI  int
}

// A pdfImage is a page drawn in grey.
type pdfImage struct {
	Width, Height int
	Pixels        []byte
}

// answer does what a call asks for.
func (r *pdfReader) answer(ctx context.Context, c pdfCall) (a pdfAnswer, err error) {
	if c.Image != nil || c.Boxes != nil {
		if err := r.restore(); err != nil {
			return a, err
		}
	}
	switch {
	case c.Open != nil:
		err = r.open(c.Open)
	case c.Image != nil:
		a.Image, err = r.draw(*c.Image)
	case c.Boxes != nil:
		a.Boxes, err = r.boxes(c.Boxes)
	default:
		a.Document, err = r.read(ctx)
	}
	return a, err
}

// draw draws a page as a reader sees it.
func (r *pdfReader) draw(of imageOf) (*pdfImage, error) {
	page := requests.Page{ByIndex: &requests.PageByIndex{Document: r.doc, Index: of.Page - 1}}
	drawn, err := r.lib.RenderPageInDPI(&requests.RenderPageInDPI{Page: page, DPI: of.DPI, ImageFormat: requests.RenderImageFormatGrayscale})
	if err != nil {
		return nil, err
	}
	defer drawn.Cleanup()
	grey, ok := drawn.Result.RenderedImage.(*image.Gray)
	if !ok {
		return nil, errors.New("the page was not drawn in grey")
	}
	size := grey.Bounds().Size()
	p := &pdfImage{Width: size.X, Height: size.Y}
	for y := range size.Y {
		p.Pixels = append(p.Pixels, grey.Pix[y*grey.Stride:y*grey.Stride+size.X]...)
	}
	return p, nil
}

// pdfReason tells what kind of thing went wrong in PDFium.
func pdfReason(err error) Reason {
	var failed *pdfFailure
	switch {
	case errors.As(err, &failed):
		return failed.reason
	case errors.Is(err, pdferr.ErrPassword), errors.Is(err, pdferr.ErrSecurity):
		return Encrypted
	}
	return Damaged
}

// A pdfFailure is an error from another process.
type pdfFailure struct {
	text   string
	reason Reason
}

func (e *pdfFailure) Error() string { return e.text }
