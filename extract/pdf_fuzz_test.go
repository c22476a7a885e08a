package extract

import (
	"context"
	"errors"
	"testing"
)

// Whatever comes is read or refused, and leaves the engine fit for the next document.
func FuzzPDF(f *testing.F) {
	f.Add(writePDF("", "", show(11, 60, 700, "Words of a page.")))
	f.Add(writePDF("/Rotate 90", "/PageLabels << /Nums [0 << /S /r >>] >>", show(11, 60, 700, "One page.")+show(11, 700, 700, "Off it."), "q 595 0 0 842 0 0 cm /Im1 Do Q"))
	f.Add(writePDFWith([]string{"<< /Type /Annot /Subtype /Widget /FT /Tx /T (a) /V (value) /Rect [0 0 100 20] >>"}, "/Annots [5 0 R]", "/AcroForm << /Fields [5 0 R] >>", "3 Tr "+show(11, 60, 700, "x")))
	f.Add(buildPDF(append(pdfOf("/Font << /F1 3 0 R >> /XObject << /X 6 0 R >>", "/X Do"), pdfStream("/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << /XObject << /X 6 0 R >> >>", "/X Do"))...))
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(body) > 64<<10 {
			return
		}
		p, err := Extract(context.Background(), Input{URL: "https://a.example/x.pdf", ContentType: "application/pdf", Body: body})
		var u *Unreadable
		switch {
		case err == nil && p.Kind == "pdf":
			check(t, p, 16*len(body)+maxPDFText)
		case err != nil && !errors.As(err, &u):
			t.Errorf("not an *Unreadable: %v", err)
		}
	})
}
