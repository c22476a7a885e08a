package extract

import (
	"fmt"
	"testing"

	"ibid/evidence"
)

// bookOf makes a book of chapters, by name and content; other parts are not listed.
func bookOf(t testing.TB, parts ...string) []byte {
	items, spine := "", ""
	list := []string{"mimetype", "application/epub+zip", "META-INF/container.xml", `<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`}
	for i := 0; i+1 < len(parts); i += 2 {
		name := parts[i]
		switch {
		case len(name) > 8 && name[:8] == "META-INF":
			list = append(list, name, parts[i+1])
			continue
		case name == "nav.xhtml":
			items += `<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>`
			spine += `<itemref idref="nav"/>`
		case name == "x.css":
		default:
			linear := ""
			if name == "aside.xhtml" {
				linear = ` linear="no"`
			}
			items += fmt.Sprintf(`<item id="i%d" href="%s" media-type="application/xhtml+xml"/>`, i, name)
			spine += fmt.Sprintf(`<itemref idref="i%d"%s/>`, i, linear)
		}
		list = append(list, "OEBPS/"+name, parts[i+1])
	}
	list = append(list, "OEBPS/book.opf", `<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>Ponds</dc:title><dc:creator>A. Writer</dc:creator><dc:creator>B. Writer</dc:creator><dc:publisher>A Press</dc:publisher><dc:date>2001-02-03</dc:date><dc:language>en</dc:language><meta property="dcterms:modified">2010-01-01T00:00:00Z</meta></metadata><manifest>`+items+`</manifest><spine>`+spine+`</spine></package>`)
	return zipOf(t, list...)
}

func TestEPUB(t *testing.T) {
	chapter := func(body string) string {
		return `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><link rel="stylesheet" href="x.css"/><script src="x.js"/></head><body>` + body + `</body></html>`
	}
	p := readOffice(t, "x.epub", bookOf(t, "nav.xhtml", chapter(`<p><a href="c1.xhtml">First</a></p>`),
		"c1.xhtml", chapter(`<a id="p1"/><h1>First</h1><p>Ducks <i>swim</i>.</p><div/><p>See <a href="https://a.example/x">there, and read the whole of it</a>.</p>`),
		"aside.xhtml", chapter(`<p>Answers to the questions.</p>`), "c2.xhtml", chapter(`<p>They also fly.</p><p class="other-device">They also fly.</p>`), "x.css", ".other-device { display: none }",
		"META-INF/encryption.xml", `<encryption xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:EncryptedData><e:CipherData><e:CipherReference URI="OEBPS/font.otf"/></e:CipherData></e:EncryptedData></encryption>`))
	wantBlocks(t, p, "ch.1 para.1 aside: First", "ch.2 para.1 heading1: First", "ch.2 para.2: Ducks swim.", "ch.2 para.3 unquotable: See there, and read the whole of it.", "ch.3 para.1: They also fly.", "ch.4 para.1 aside: Answers to the questions.")
	if p.Kind != evidence.Book || p.Title != "Ponds" || p.Author != "A. Writer; B. Writer" || p.Publisher != "A Press" || p.Published != "2001-02-03" || p.Modified != "2010-01-01" || p.Language != "en" {
		t.Errorf("%s %q %q %q %q %q %q", p.Kind, p.Title, p.Author, p.Publisher, p.Published, p.Modified, p.Language)
	}
	if len(p.Links) != 1 || p.Links[0].URL != "https://a.example/x" || p.Blocks[2].Heading != "First" {
		t.Errorf("links %v, heading %q", p.Links, p.Blocks[2].Heading)
	}
}
