package extract

import (
	"fmt"
	"strings"
	"testing"
)

// A page of the shared set, in turn.
func BenchmarkHTML(b *testing.B) {
	var pages [][]byte
	size := 0
	for _, path := range sharedPages(b, "html-wcxb") {
		pages = append(pages, gunzip(b, path))
		size += len(pages[len(pages)-1])
	}
	b.ReportAllocs()
	b.SetBytes(int64(size / len(pages)))
	for i := 0; b.Loop(); i++ {
		if _, err := Extract(b.Context(), Input{URL: "https://a.example/x", ContentType: "text/html", Body: pages[i%len(pages)]}); err != nil {
			b.Fatal(err)
		}
	}
}

// hostilePages are about as large as a page may be where the limit is ten megabytes, and made to hurt.
func hostilePages(size int) map[string]string {
	fill := func(head, one, tail string) string { return head + strings.Repeat(one, size/len(one)) + tail }
	var classes, rules, columns strings.Builder
	for i := range size / 32 {
		fmt.Fprintf(&classes, "<b a=%d><p>x", i%100)
	}
	for i := range size / 64 {
		fmt.Fprintf(&rules, ".a.b%d,p .c%d{display:none}\n", i, i)
	}
	for i := range 900 {
		fmt.Fprintf(&columns, "<th colspan=9>h%d", i)
	}
	return map[string]string{
		"paragraphs":         fill("", "<p>A paragraph of a long article has some <b>words</b>, a few <a href='/x'>links</a>, and then many more words, as articles do; it goes on for a while, and holds 4,112 numbers and a name or two.</p>\n", ""),
		"links":              fill("", `<p>word <a href="/x">x</a></p>`, ""),
		"links, all others":  strings.ReplaceAll(fill("", "<a href='/#'>x</a> ", ""), "#", "y/../y"),
		"one text":           fill("<p>", "Words, and nothing else at all. ", ""),
		"one word":           fill("<p>", "Word", ""),
		"text of references": fill("<pre>", "a &amp; b &nbsp;\n", ""),
		"inline tags":        fill("<p>", "<i>x</i><b>y</b> ", ""),
		"nested inline tags": fill("<p>", "<span>", "x"),
		"nested blocks":      fill("", "<div>", "x"),
		"nested lists":       fill("", "<ul><li>x", ""),
		"nested tables":      fill("", "<table><tr><td>x", ""),
		"unclosed formats":   fill("", "<font><b><i>x", ""),
		"formats, blocks":    classes.String(),
		"style sheet":        "<style>" + rules.String() + "</style>" + fill("", `<i class="a">x</i>`, ""),
		"attribute":          `<p class="` + strings.Repeat("a ", size/4) + `" style="` + strings.Repeat("a:b;", size/8) + `">x`,
		"attributes":         fill("<p ", "a=b ", ">x"),
		"breaks":             fill("x", "<br>", "y"),
		"preformatted":       fill("<pre>", "<span>x</span>\n", ""),
		"empty elements":     fill("<div>", "<i></i>", "x"),
		"wide table":         "<table><tr>" + columns.String() + fill("", "<tr><td rowspan=9 colspan=9>a<td>b", ""),
		"formulas":           fill("<p>", "<span class=katex><math><mfrac><mn>1</mn><mn>2</mn></mfrac></math></span>", ""),
		"nested formulas":    strings.Repeat(fill("", "<span class=katex>", "x"), 1),
		"options":            fill("<select>", "<option>x", ""),
		"scripts of digits":  fill("<p>", "<sup>2</sup>3<sub>4</sub>", ""),
		"moved text":         fill("<table>", "x<tr><td>y", ""),
		"comments":           fill("", "<!-- x -->y", ""),
		"stray ends":         fill("x", "</q>y", ""),
		"unclosed tag":       fill("<p>x<p ", "a ", ""),
		"deep paragraphs":    strings.Repeat("<div>", 450) + fill("", "<p>x", ""),
	}
}

func BenchmarkHTMLHostile(b *testing.B) {
	const size = 10 << 20
	x := Extractor{MaxText: size + 1000}
	for name, body := range hostilePages(size) {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			in := Input{URL: "https://a.example/x", ContentType: "text/html", Body: []byte("<!doctype html><title>T</title>" + body)}
			b.ReportAllocs()
			b.SetBytes(int64(len(in.Body)))
			for b.Loop() {
				if _, err := x.Extract(b.Context(), in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
