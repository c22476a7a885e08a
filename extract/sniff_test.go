package extract

import (
	"errors"
	"strings"
	"testing"
)

// formSamples are small documents of every form that its bytes tell, whatever it is called.
func formSamples(t testing.TB) map[string]struct {
	form form
	body string
} {
	t.Helper()
	const decl = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
	tarball := string(tarOf(t, entry{name: "a/x.go", body: "package x\n"}, entry{name: "a/y.md", body: "# Y\n"}))
	return map[string]struct {
		form form
		body string
	}{
		"page":             {formHTML, "<!DOCTYPE html>\n<title>T</title><p>Words of the page."},
		"page behind text": {formHTML, "\n\n <!-- built by x -->\n<html lang=en><body><p>Words."},
		"XHTML":            {formHTML, decl + `<html xmlns="http://www.w3.org/1999/xhtml"><body><p>Words.</p></body></html>`},
		"RSS":              {formFeed, decl + `<?xml-stylesheet href="x.xsl"?><rss version="2.0"><channel><title>T</title></channel></rss>`},
		"RSS, bare":        {formFeed, `<rss version="2.0"><channel><title>T</title></channel></rss>`},
		"Atom":             {formFeed, `<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title></feed>`},
		"RSS 1.0":          {formFeed, decl + `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel/></rdf:RDF>`},
		"JSON Feed":        {formFeed, `{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[]}`},
		"object":           {formJSON, "\ufeff {\"a\": [1, 2.50], \"b\": null}"},
		"array":            {formJSON, `[{"a":1},{"a":2}]`},
		"JSON lines":       {formJSON, "{\"a\":1}\n{\"a\":2}\n"},
		"long JSON":        {formJSON, `{"rows":[` + strings.Repeat(`{"name":"x y z","n":[1,2,3]},`, 4000) + `{}]}`},
		"GeoJSON":          {formJSON, `{"type":"FeatureCollection","features":[]}`},
		"notebook":         {formNotebook, `{"cells":[{"cell_type":"markdown","source":["# T"]}],"metadata":{},"nbformat":4,"nbformat_minor":5}`},
		"old notebook":     {formNotebook, `{"metadata":{"name":""},"nbformat":3,"worksheets":[{"cells":[]}]}`},
		"captions":         {formCues, `[{"start":0.16,"text":"Hi"}]`},
		"json3":            {formCues, `{"events":[{"tStartMs":0,"segs":[{"utf8":"Hi"}]}]}`},
		"podcast":          {formCues, `{"version":"1.0.0","segments":[{"speaker":"A","startTime":0.5,"endTime":1,"body":"Hi"}]}`},
		"WebVTT":           {formVTT, "\ufeffWEBVTT\n\n00:01.000 --> 00:02.000\nHi\n"},
		"SubRip":           {formSRT, "1\r\n00:00:01,000 --> 00:00:02,000\r\nHi\r\n"},
		"SBV":              {formSRT, "0:00:01.000,0:00:02.000\nHi\n"},
		"TTML":             {formTimed, decl + `<tt xmlns="http://www.w3.org/ns/ttml"><body><div><p begin="1s" end="2s">Hi</p></div></body></tt>`},
		"timed text":       {formTimed, decl + `<transcript><text start="0.1" dur="2">Hi</text></transcript>`},
		"JATS":             {formXML, decl + `<!DOCTYPE article PUBLIC "-//NLM//DTD JATS" "x.dtd"><article><front><article-meta/></front></article>`},
		"TEI":              {formXML, `<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><p>Words.</p></body></text></TEI>`},
		"other XML":        {formXML, decl + `<kml xmlns="http://www.opengis.net/kml/2.2"><name>Pier</name></kml>`},
		"mail":             {formMail, "Return-Path: <a@a.example>\nFrom: A <a@a.example>\nTo: b@b.example\n (folded)\nSubject: Tides\nDate: Tue, 4 Mar 2025 10:00:00 +0100\n\nHi\n"},
		"mailbox":          {formMail, "From a@a.example Tue Mar  4 10:00:00 2025\nFrom: a@a.example\nSubject: Tides\nDate: Tue, 4 Mar 2025 10:00:00 +0100\n\nHi\n"},
		"TeX":              {formTeX, "% a comment\n\\documentclass[12pt]{article}\n\\begin{document}\nWords.\n\\end{document}\n"},
		"PDF":              {formPDF, "%PDF-1.7\n1 0 obj\n<<>>\nendobj\n"},
		"PDF behind junk":  {formPDF, "HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n%PDF-1.4\n1 0 obj\n<<>>\nendobj\n"},
		"tar":              {formArchive, tarball},
		"tar.gz":           {formArchive, string(gzipped(t, []byte(tarball)))},
		"zip":              {formArchive, string(zipOf(t, "a/x.go", "package x\n", "a/y.md", "# Y\n"))},
		"DOCX": {formDOCX, string(zipOf(t, "customXml/item1.xml", strings.Repeat("x", 9000), "[Content_Types].xml",
			`<Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`, "word/document.xml", "<w:document/>"))},
		"EPUB": {formEPUB, string(zipOf(t, "mimetype", "application/epub+zip", "META-INF/container.xml", "<container/>"))},
	}
}

// What bytes tell beats every name and every declared type.
func TestSniffByContent(t *testing.T) {
	names := []string{"", "x", "x.html", "x.txt", "x.md", "x.json", "x.xml", "x.csv", "x.pdf", "x.docx", "x.eml", "x.tex", "x.ipynb", "x.bin", "x.zip"}
	types := []string{"", "text/html; charset=utf-8", "text/plain", "text/markdown", "text/csv", "application/json", "application/xml", "application/pdf",
		"application/octet-stream", "application/zip", "message/rfc822", "image/png", "nonsense"}
	for name, s := range formSamples(t) {
		for _, file := range names {
			for _, declared := range types {
				want := s.form
				if file == "x.ipynb" && (s.form == formJSON || name == "JSON Feed") {
					want = formNotebook // its reader looks on, and reads JSON that is no notebook as JSON
				}
				got, err := sniff(Input{URL: "https://a.example/" + file, ContentType: declared, Body: []byte(s.body)})
				if err != nil || got != want {
					t.Errorf("%s as %q, %q: form %d, %v, want %d", name, file, declared, got, err, want)
				}
			}
		}
	}
}

// Text that only looks like something else on its first line is text.
func TestSniffText(t *testing.T) {
	for name, body := range map[string]string{
		"nothing":          "",
		"prose":            "The pier is long, wide, and old.\nIt was built in 1887, they say, by hand.\nNobody, it seems, knows more.\n",
		"places":           "Oslo, Norway\nBergen, Norway\n",
		"about PDF":        "A file begins with its version:\n%PDF-1.7\nand goes on with objects. That is all there is to know about its header for now.\n",
		"a note in braces": "{sic} stands where the copyist found it so.\n",
		"references":       "[1] A. Author, A title, 2001.\n[2] B. Author, Another title, 2002.\n",
		"numbers first":    "[12, 13] are the tides of May.\n",
		"letter":           "From: the harbour office\nTo: whom it may concern\n\nThe pier is closed.\n",
		"front of a memo":  "Note: this is a draft.\nDate: unknown.\n\nThe pier is closed.\n",
		"less than":        "<3 the pier. It is < 5 m wide.\n",
		"template":         "{% extends base %}\nWords.\n",
		"colons":           "name: value\nother: thing\n",
		"TeX in a text":    "Write\n\\documentclass{article}\nfirst.\n",
		"a verse":          "Tides, tides,\nmore tides,\nno tides,\n",
		"log":              "2025-03-04 10:00:00,123 INFO start\n2025-03-04 10:00:01,456 WARN low water, again, and again\n",
		"UTF-16":           "\xff\xfeh\x00i\x00 \x00t\x00h\x00e\x00r\x00e\x00",
	} {
		if got, err := sniff(Input{URL: "https://a.example/", Body: []byte(body)}); err != nil || got != formText {
			t.Errorf("%s: form %d, %v, want text", name, got, err)
		}
	}
}

// Among the kinds of text the declared type decides, then the name; a lie that the text gives away does not.
func TestSniffByName(t *testing.T) {
	for _, c := range []struct {
		name, url, contentType, body string
		want                         form
	}{
		{"fragment of markup, declared", "https://a.example/x", "text/html; charset=utf-8", "<p>x</p>", formHTML},
		{"fragment of markup, of no type", "https://a.example/x", "", "<div class=a><p>x</p></div>", formHTML},
		{"fragment of markup, as text", "https://a.example/x.txt", "text/plain", "<p>x</p>", formText},
		{"no markup at all, declared as a page", "https://a.example/x", "text/html", "Only words.", formText},
		{"Markdown that is declared as a page", "https://a.example/x.md", "text/html", "# T\n\nOnly words.", formMarkdown},
		{"markdown that begins with a tag", "https://a.example/README.md", "text/plain", "<p align=center>x</p>\n\n# T", formMarkdown},
		{"markup beats the name of a program", "https://a.example/main.go", "text/html", "<html><body>x", formHTML},
		{"code", "file:///a/main.go", "", "package main\n", formSource},
		{"a list in a program", "file:///a/x.py", "", "[1, 2]\n", formSource},
		{"settings with comments", "file:///a/tsconfig.json", "", "{\n  // why\n  \"a\": 1\n}\n", formSource},
		{"schema", "file:///a/x.xsd", "", `<?xml version="1.0"?><xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>`, formSource},
		{"chapter of a book in TeX", "file:///a/ch1.tex", "", "\\section{One}\nWords.\n", formTeX},
		{"table, declared", "https://a.example/x", "text/csv", "one\ntwo\n", formSheet},
		{"table, undeclared", "https://a.example/export", "", "name,rate,year\nOslo,3,2020\nBergen,4,2021\n", formSheet},
		{"table with tabs", "https://a.example/x.txt", "text/plain", "name\trate\nOslo\t3\nBergen\t4\n", formSheet},
		{"table with quotes", "https://a.example/export", "", "a;b;c\n\"x;y\";2;3\n\"two\nlines\";5;6\n", formSheet},
		{"table as a program", "file:///a/x.sql", "", "a,b,c\n1,2,3\n4,5,6\n", formSource},
		{"tables as Markdown", "https://a.example/x.md", "", "a,b,c\n1,2,3\n4,5,6\n", formMarkdown},
	} {
		got, err := sniff(Input{URL: c.url, ContentType: c.contentType, Body: []byte(c.body)})
		if err != nil || got != c.want {
			t.Errorf("%s: form %d, %v, want %d", c.name, got, err, c.want)
		}
	}
}

// What has no reader is refused by name, whatever it is called, and never read as text.
func TestSniffRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want Reason
		says string
	}{
		"picture":    {"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00", NotSupported, "pictures"},
		"sound":      {"ID3\x03\x00\x00\x00\x00\x00\x21TSSE\x00\x00\x00", NotSupported, "transcript"},
		"rich text":  {`{\rtf1\ansi Words.}`, NotSupported, "Rich Text"},
		"PostScript": {"%!PS-Adobe-3.0\n/Times findfont\n", NotSupported, "PostScript"},
		"7z":         {"7z\xbc\xaf\x27\x1c\x00\x04", NotSupported, "7z"},
		"rar":        {"Rar!\x1a\x07\x01\x00", NotSupported, "RAR"},
		"xz":         {"\xfd7zXZ\x00\x00\x04", NotSupported, "xz"},
		"program":    {"MZ\x00\x01\x02\x00\x00binary", NotSupported, "executable"},
		"random":     {string(randomBytes(4096)), NotSupported, ""},
		"text, then zeros": {"#!/bin/sh\nexec tail -n +3 \"$0\"\n" + strings.Repeat("text ", 2000) + strings.Repeat("\x00\x01\xff", 9000),
			NotSupported, ""},
	} {
		for _, url := range []string{"https://a.example/x.txt", "https://a.example/x.html", "https://a.example/x.json", "https://a.example/"} {
			p, err := Extract(t.Context(), Input{URL: url, ContentType: "text/plain", Body: []byte(c.body)})
			var u *Unreadable
			if !errors.As(err, &u) || u.Reason != c.want || !strings.Contains(u.Detail, c.says) {
				t.Errorf("%s as %s: %v, %v; want reason %s that says %q", name, url, p, err, c.want, c.says)
			}
		}
	}
}

// randomBytes is bytes without any order, always the same.
func randomBytes(n int) []byte {
	b, x := make([]byte, n), uint32(1)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return b
}
