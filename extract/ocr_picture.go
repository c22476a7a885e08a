package extract

import (
	"bytes"
	"context"
	"image"
	_ "image/jpeg" // read by their sizes alone
	_ "image/png"
	"strconv"

	"ibid/evidence"
)

// readPicture recognises the text of a document that is a picture. It reports false for what is none, and where there is
// no program for it.
func (x *Extractor) readPicture(ctx context.Context, in Input) (page *Page, read bool, err error) {
	config, _, err := image.DecodeConfig(bytes.NewReader(in.Body))
	if err != nil {
		return nil, false, nil
	}
	r := &x.ocr
	if r.find(ctx); r.path == "" || len(r.languages) == 0 {
		return nil, false, nil
	}
	if config.Width <= 0 || config.Height <= 0 || config.Width > maxOCRPixels/config.Height {
		return nil, true, &Unreadable{URL: in.URL, Reason: TooLarge, Detail: "it is a picture of more than " + strconv.Itoa(maxOCRPixels) + " pixels"}
	}
	lines, err := r.read(ctx, bytes.NewReader(in.Body), 1, 0, r.languagesFor(""))
	switch {
	case ctx.Err() != nil:
		return nil, true, ctx.Err()
	case err != nil:
		return nil, true, &Unreadable{URL: in.URL, Reason: Damaged, Detail: "it is a picture that could not be read", Err: err}
	}
	page = &Page{Kind: evidence.Document, By: "ocr/1", Title: baseName(in.URL), Flags: []string{FlagOCR}}
	drawn := pdfPage{Number: 1, Width: float64(config.Width), Height: float64(config.Height), Lines: lines}
	for _, p := range drawn.paragraphs(nil) {
		page.add(Block{Text: p.text, Main: true, Quotable: true, Path: pathOCR})
	}
	if len(lines) == 0 {
		page.Flags = []string{FlagNoText}
	}
	return page, true, nil
}
