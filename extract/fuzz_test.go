package extract

import (
	"context"
	"errors"
	"testing"
)

// fuzz reads whatever comes and checks what must hold for every page.
func fuzz(f *testing.F, url, contentType string) {
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(body) > 64<<10 {
			return
		}
		p, err := Extract(context.Background(), Input{URL: url, ContentType: contentType, Body: body})
		var u *Unreadable
		switch {
		case err == nil:
			if p.Kind != "pdf" {
				check(t, p, len(body))
			}
		case !errors.As(err, &u):
			t.Errorf("not an *Unreadable: %v", err)
		}
	})
}

func FuzzMarkdown(f *testing.F) {
	f.Add([]byte(markdownDoc))
	f.Add([]byte("+++\ntitle = 'x'\n+++\n- [ ] a\n\n|a|b|\n|-|-|\n|c|\n\n~~~\nx"))
	fuzz(f, "https://a.example/x.md", "text/markdown")
}

func FuzzTranscript(f *testing.F) {
	f.Add([]byte(rolling))
	f.Add([]byte("1\n00:00:01,000 --> 00:00:02,000\nRow\n"))
	f.Add([]byte(`[{"start":0.16,"text":"Hi"},{"start":1e5,"text":"x"}]`))
	fuzz(f, "https://a.example/x.vtt", "text/vtt")
}

func FuzzRepo(f *testing.F) {
	f.Add(tarOf(f, entry{name: "a.go", body: numbered(45)}, entry{name: "b/README.md", body: "# T\n"}))
	f.Add(gzipped(f, tarOf(f, entry{name: "../a.go", body: "x"})))
	fuzz(f, "https://code.example/x", "application/x-tar")
}

// fuzzForms are the forms that the bytes tell, so that what is made of them reaches their readers.
func fuzzForms(f *testing.F, url string, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	fuzz(f, url, "")
}

func FuzzJSON(f *testing.F) {
	fuzzForms(f, "https://a.example/x.json", `{"a":[1,2.50,{"b":"These are eight words that make a sentence here."}],"a":null,"\ud800":"<p>x</p>"}`, "{\"a\":1}\n{\"a\":", `[[[],{}],"x"`)
}

func FuzzNotebook(f *testing.F) {
	fuzzForms(f, "https://a.example/x.ipynb", `{"nbformat":4,"cells":[{"cell_type":"markdown","source":["# T\n","x"]},{"cell_type":"code","source":"x","outputs":[{"output_type":"stream","text":"a\rb"},{"output_type":"execute_result","data":{"text/html":"<table><tr><td>1<td>2</table>"}}]}]}`,
		`{"nbformat":3,"worksheets":[{"cells":[{"cell_type":"heading","level":9,"source":"x"}]}]}`)
}

func FuzzFeed(f *testing.F) {
	fuzzForms(f, "https://a.example/feed", rssDoc, `<feed xmlns="http://www.w3.org/2005/Atom"><entry><title type="html">&lt;b></title><content type="xhtml"><div><p>x</div></content></entry>`,
		`{"version":"https://jsonfeed.org/version/1","items":[{"content_html":"<p>x"}]}`)
}

func FuzzMail(f *testing.F) {
	fuzzForms(f, "https://a.example/x.eml", mailHead+"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n> x\r\n-- \r\n--b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\nPHA+eA==\r\n--b--\r\n",
		"From a@a Tue Mar  4 10:00:00 2025\n"+mailHead+"Content-Type: text/plain; format=flowed\r\n\r\nx \r\ny\r\n")
}

func FuzzXML(f *testing.F) {
	fuzzForms(f, "https://a.example/x.xml", jatsDoc, `<?xml version="1.0"?><a><b><c>x</c><d>y</d></b><e>some text <f>mixed</f></e></a>`, `<TEI xmlns="x"><lg><l>a</l></lg><app><lem>b</lem></app></TEI>`)
}

func FuzzTeX(f *testing.F) {
	fuzzForms(f, "https://a.example/x.tex", texDoc, `\newcommand{\x}[2]{#2#1}\x{a}{b}$a$$$b$$\[c\]\verb|d|\begin{tabular}{l}a&b\\\end{tabular}`)
}

func FuzzTimedText(f *testing.F) {
	fuzzForms(f, "https://a.example/x", `<tt xmlns="x"><p begin="1s">a<br/>b</p><p><span begin="00:00:01:02">c</span></p></tt>`, `<transcript><text start="0.1" dur="2">Hi</text></transcript>`)
}

// FuzzSniff reads whatever comes, whatever it is.
func FuzzSniff(f *testing.F) {
	for _, s := range formSamples(f) {
		if s.form != formPDF {
			f.Add([]byte(s.body))
		}
	}
	fuzz(f, "https://a.example/", "")
}
