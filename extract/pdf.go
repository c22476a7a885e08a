package extract

import (
	"context"
	"errors"
	"fmt"

	"github.com/klippa-app/go-pdfium"
	pdferr "github.com/klippa-app/go-pdfium/errors"
)

// readPDF reads a PDF page by page, never across pages (EXTRACT-2). The text stays as PDFium gives it, with U+0002 where
// a word is divided at a line's end.
func (x *Extractor) readPDF(ctx context.Context, in Input) (*Page, error) {
	limit := x.PDFTime
	if limit <= 0 {
		limit = DefaultPDFTime
	}
	pool, err := x.pdf.start(x.CacheDir) // takes seconds the first time, which is not the document's fault
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", in.URL, err)
	}
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var d *pdfDocument
	err = withWorker(timed, pool, func(lib pdfium.Pdfium) error {
		r := &pdfReader{lib: lib}
		err := r.open(in.Body)
		if err == nil {
			d, err = r.read(timed)
		}
		return err
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil:
		return d.layOut(in.URL), nil
	case timed.Err() != nil:
		return nil, &Unreadable{URL: in.URL, Reason: TooSlow, Detail: fmt.Sprintf("reading it took longer than %v and was stopped", limit), Err: err}
	case errors.Is(err, pdferr.ErrPassword), errors.Is(err, pdferr.ErrSecurity):
		return nil, &Unreadable{URL: in.URL, Reason: Encrypted, Detail: "it is encrypted and needs a password", Err: err}
	}
	return nil, &Unreadable{URL: in.URL, Reason: Damaged, Detail: "it is a damaged PDF", Err: err}
}
