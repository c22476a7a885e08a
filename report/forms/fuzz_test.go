package forms

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"ibid/audit"
)

// FuzzForms: whatever a report holds, also one that no check would let through, its page has no element, attribute or address
// of its own making, its document is well-formed, and its bibliography and annotations are written.
func FuzzForms(f *testing.F) {
	base := ferry(f).bundle(draft)
	for _, p := range append([]string{base.Report, draft, "[S1 para.2; S2 p.4.2] [S1 para.9]", "a[^1]\n\n[^1]: b [S1 para.2]", "| a |\n| --- |\n| <b>x</b> [S1 para.1] |", "1. a\n   > b\n\n       c\n2.\n", "[x](https://halden.example/ferry?year=2)<sup>2</sup><br>"}, payloads...) {
		f.Add(p, p)
	}
	elements := map[string]bool{}
	for _, name := range strings.Fields("html head meta title style body main h1 h2 h3 h4 h5 h6 p ul ol li a button div blockquote mark strong em s sub sup code pre hr br table thead tbody tr th td") {
		elements[name] = true
	}
	attributes := map[string]bool{}
	for _, name := range strings.Fields("lang charset http-equiv content name class id dir href rel target type popover popovertarget popovertargetaction role aria-labelledby aria-haspopup aria-label scope start tabindex") {
		attributes[name] = true
	}
	f.Fuzz(func(t *testing.T, markdown, said string) {
		if len(markdown) > 1<<16 || audit.TooComplex([]byte(markdown)) {
			t.Skip()
		}
		b := base
		b.Report = markdown
		b.Sources = append(b.Sources[:0:0], b.Sources...)
		b.Sources[0].Title, b.Sources[0].Author, b.Sources[1].URL, b.Sources[2].URL = said, said, said, "https://"+said
		r := take(b)
		page, err := r.HTML()
		if err != nil {
			t.Fatal(err)
		}
		for z := html.NewTokenizer(strings.NewReader(string(page))); ; {
			kind := z.Next()
			if kind == html.ErrorToken {
				break
			}
			token := z.Token()
			if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
				continue
			}
			if !elements[token.Data] {
				t.Errorf("an element %s", token.Data)
			}
			for _, a := range token.Attr {
				if !attributes[a.Key] || a.Key == "href" && !webURL(a.Val) {
					t.Errorf("%s has %s=%q", token.Data, a.Key, a.Val)
				}
			}
		}
		w := &docxWriter{}
		w.blocks(r.blocks, setting{})
		w.quotes(r.quotes)
		for _, part := range []string{w.document(), w.relations(), w.numbering(), r.docxProperties()} {
			d := xml.NewDecoder(strings.NewReader(part))
			for {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatalf("%v in %s", err, part)
				}
			}
		}
		for _, form := range []func() ([]byte, error){r.Paper, r.CSL, r.Annotations} {
			if _, err := form(); err != nil {
				t.Error(err)
			}
		}
		if n := strings.Count(string(r.BibTeX()), "\n@"); n > len(b.Sources) {
			t.Errorf("%d entries of BibTeX", n)
		}
		if lines := strings.Split(string(r.RIS()), "\r\n"); strings.ContainsAny(strings.Join(lines, ""), "\r\n") {
			t.Error("a line of RIS is broken")
		}
	})
}
