package extract

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
	pdferr "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"ibid/evidence"
)

// Limits of one PDF, besides its time.
const (
	maxPages    = 5000
	maxPDFText  = 16 << 20 // bytes
	maxPageObjs = 20_000   // objects of a page that are looked at for hidden text
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
	r := &pdfReader{page: &Page{Kind: evidence.PDF, By: "pdf/1"}}
	err = withWorker(timed, pool, func(lib pdfium.Pdfium) error {
		r.lib = lib
		return r.read(timed, in.Body)
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil:
		r.finish(in.URL)
		return r.page, nil
	case timed.Err() != nil:
		return nil, &Unreadable{URL: in.URL, Reason: TooSlow, Detail: fmt.Sprintf("reading it took longer than %v and was stopped", limit), Err: err}
	case errors.Is(err, pdferr.ErrPassword), errors.Is(err, pdferr.ErrSecurity):
		return nil, &Unreadable{URL: in.URL, Reason: Encrypted, Detail: "it is encrypted and needs a password", Err: err}
	}
	return nil, &Unreadable{URL: in.URL, Reason: Damaged, Detail: "it is a damaged PDF", Err: err}
}

// A pdfReader reads one document with one worker.
type pdfReader struct {
	lib   pdfium.Pdfium
	doc   references.FPDF_DOCUMENT
	page  *Page
	sizes []float64 // of the type of each block, in points
}

// read reads the pages in order. A page that cannot be read leaves a gap and is said; the others stand.
func (r *pdfReader) read(ctx context.Context, body []byte) error {
	lib, page := r.lib, r.page
	opened, err := lib.OpenDocument(&requests.OpenDocument{File: &body})
	if err != nil {
		return err
	}
	r.doc = opened.Document
	count, err := lib.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: r.doc})
	if err != nil {
		return err
	}
	page.Title, page.Author = r.meta("Title"), r.meta("Author")
	size, unread := 0, 0
	for i := range count.PageCount {
		if err := ctx.Err(); err != nil {
			return err
		}
		if i == maxPages || size > maxPDFText {
			page.flag(FlagTruncated)
			break
		}
		before := len(page.Blocks)
		if err := r.readPage(i); err != nil {
			if ctx.Err() != nil {
				return err
			}
			unread++
			page.flag(FlagTruncated)
		}
		for _, b := range page.Blocks[before:] {
			size += len(b.Text)
		}
	}
	if unread > 0 && unread == count.PageCount {
		return pdferr.ErrPage
	}
	return nil
}

func (r *pdfReader) meta(tag string) string {
	m, err := r.lib.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: r.doc, Tag: tag})
	if err != nil {
		return ""
	}
	return oneLine(strings.Map(func(r rune) rune {
		if r < 0x20 {
			return ' '
		}
		return r
	}, m.Value), 300)
}

func (r *pdfReader) readPage(index int) error {
	lib, page := r.lib, r.page
	loaded, err := lib.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: r.doc, Index: index})
	if err != nil {
		return err
	}
	defer lib.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: loaded.Page})
	ref := requests.Page{ByReference: &loaded.Page}
	// On a rotated page PDFium orders the lines backwards.
	if _, err := lib.FPDFPage_SetRotation(&requests.FPDFPage_SetRotation{Page: ref, Rotate: enums.FPDF_PAGE_ROTATION_NONE}); err != nil {
		return err
	}
	drawn, err := dropInvisible(lib, ref)
	if err != nil {
		return err
	}
	if drawn.dropped {
		page.flag(FlagHidden)
	}
	opened, err := lib.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: ref})
	if err != nil {
		return err
	}
	defer lib.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: opened.TextPage})
	lines, err := textLines(lib, opened.TextPage)
	if err != nil {
		return err
	}
	switch {
	case len(lines) == 0 && drawn.images > 0:
		page.flag(FlagNoText)
		return nil
	case garbled(lines):
		page.flag(FlagGarbled)
		return nil
	}
	path := ""
	if l, err := lib.FPDF_GetPageLabel(&requests.FPDF_GetPageLabel{Document: r.doc, Page: index}); err == nil && visible(l.Label) {
		path = "page label " + oneLine(l.Label, 50)
	}
	for n, p := range paragraphsOf(lines) {
		page.Blocks = append(page.Blocks, Block{
			Locator: evidence.Locator{Unit: evidence.Page, A: index + 1, B: n + 1},
			Text:    p.text, Main: true, Quotable: true, Path: path,
		})
		r.sizes = append(r.sizes, p.size)
	}
	return nil
}

var fileTitle = regexp.MustCompile(`(?i)^(untitled.*|microsoft word.*|powerpoint.*|slide \d+|.*\.(docx?|pptx?|tex|dvi|indd|qxd|pdf|rtf|odt))$`)

// finish tells headings from text by their size, and finds a title where the file names none.
func (r *pdfReader) finish(url string) {
	page := r.page
	counts := map[int]int{} // characters by size in quarter points
	body := 0
	for i, b := range page.Blocks {
		q := int(r.sizes[i]*4 + 0.5)
		counts[q] += len(b.Text)
		if counts[q] > counts[body] || counts[q] == counts[body] && q < body {
			body = q
		}
	}
	heading, title, largest := "", "", 0.0
	for i := range page.Blocks {
		b := &page.Blocks[i]
		b.Heading = heading
		short := len(b.Text) <= 200 && strings.ContainsFunc(b.Text, unicode.IsLetter)
		if short && r.sizes[i]*4 > float64(body)*1.12 {
			b.Role = evidence.RoleHeading
			heading = unbroken(b.Text)
		}
		if short && b.Locator.A == 1 && r.sizes[i] > largest {
			title, largest = unbroken(b.Text), r.sizes[i]
		}
	}
	if fileTitle.MatchString(page.Title) {
		page.Title = ""
	}
	page.Title = first(page.Title, title, baseName(url))
}

// unbroken is a heading as one line, without the marks of divided words.
func unbroken(s string) string { return oneLine(strings.ReplaceAll(s, "\u0002", ""), 200) }
