package extract

import (
	"context"
	"errors"
	"fmt"
)

// readPDF reads a PDF page by page, never across pages (EXTRACT-2). The text stays as PDFium gives it, with U+0002 where
// a word is divided at a line's end.
func (x *Extractor) readPDF(ctx context.Context, in Input) (page *Page, err error) {
	err = x.askPDF(ctx, in, func(_ context.Context, d *pdfDocument, _ asker) error {
		page = d.layOut(in.URL)
		return nil
	})
	return page, err
}

// askPDF reads a PDF and has do look at it while it is open. The error is an *Unreadable, ctx's, or do's.
func (x *Extractor) askPDF(ctx context.Context, in Input, do func(context.Context, *pdfDocument, asker) error) error {
	limit := x.PDFTime
	if limit <= 0 {
		limit = DefaultPDFTime
	}
	var own error // of do
	err := x.withPDF(ctx, limit, in.Body, func(ctx context.Context, ask asker) error {
		read, err := ask(pdfCall{})
		if err != nil {
			return err
		}
		if x.OCR {
			x.recognise(ctx, read.Document, ask)
		}
		own = do(ctx, read.Document, ask)
		return nil
	})
	var engine *engineError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &engine):
		return fmt.Errorf("read %s: %w", in.URL, engine)
	case err == nil:
		return own
	case errors.Is(err, errPDFTime):
		return &Unreadable{URL: in.URL, Reason: TooSlow, Detail: fmt.Sprintf("reading it took longer than %v and was stopped", limit), Err: err}
	case pdfReason(err) == Encrypted:
		return &Unreadable{URL: in.URL, Reason: Encrypted, Detail: "it is encrypted and needs a password", Err: err}
	}
	return &Unreadable{URL: in.URL, Reason: Damaged, Detail: "it is a damaged PDF", Err: err}
}
