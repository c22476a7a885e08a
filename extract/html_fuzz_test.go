package extract

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// Whatever comes: no panic, the same blocks each time, each of them a valid text at one node and in one range, in order
// unless the page has text that the standard moves; and marks change nothing about the tree.
func FuzzHTML(f *testing.F) {
	for _, s := range []string{page(filler), "<table><tr><td>a<td>b</table>", "<style>.a{display:none}</style><p class=a>x<sup>2</sup><br><br>y",
		"<base href=//b.example><a href=x>y</a>", "<pre>\n a\r\n\r\n b</pre><ruby>x<rt>y</ruby><noscript>z", "<!doctype html><meta charset=gbk>\xc4\xe3",
		"<table>moved<tr><td>cell</table>tail", "<b><p>a</b>b</p><i>c<table><td>d</i>", "a&amp;b &#64976; \ufdd0&ampx;&notit;&#13;&nbsp;&bne;",
		"<svg><title/><style><a>x</svg><p>y", "<math><mfrac><mn>1</mn><mn>2</mn></mfrac><msup><mi>x</mi><mn>2</mn></msup></math>z",
		"<h1>a<div>b</div></h1><ul><li>c<ul><li>d</ul></ul><dl><dt>e<dd>f</dl>", "<plaintext>a&amp;b<p>", "<xmp>\x00a</xmp><title>t</title><textarea>\nx</textarea>y",
		`<img class="latex" alt="E=mc^2"> x <img alt=y>`, "<table><thead><tr><th rowspan=2>A<th colspan=2>B</thead><tr><td>1<td>2<td>3</table>",
		"<pre><span class=line>a</span>\n<table><tr><td class=lineno>1<td>x</table></pre>", "<frameset><frame></frameset><noframes>x</noframes>",
		"<select><option>a<p>b</select>c<template>d</template><p hidden>e<details>f<summary>g</details>", "<colgroup>x<col></colgroup>\u00ad<wbr>y\u00adz"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(body) > 64<<10 {
			return
		}
		in := Input{URL: "https://a.example/x.html", ContentType: "text/html", Body: body}
		p, err := readHTML(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := readHTML(t.Context(), in)
		if !reflect.DeepEqual(p, again) {
			t.Error("read again, the page is another")
		}
		text, _ := decode(body, in.ContentType)
		check(t, p, len(text))
		checkPlaces(t, "page", body, in.ContentType)
		sameTree(t, text)
		checkTokens(t, "page", text)
		var u *Unreadable
		if _, err := Extract(t.Context(), in); err != nil && !errors.As(err, &u) {
			t.Errorf("not an *Unreadable: %v", err)
		}
	})
}

// sameTree compares the tree of a page without its marks with the tree of the page.
func sameTree(t *testing.T, text string) {
	t.Helper()
	src, err := parseSource(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	plain, _ := plainTree(t, src.text)
	a, b := src.root, plain
	for a != nil && b != nil {
		if a.Type != b.Type || a.Data != b.Data && !replacedMark(a.Data, b.Data) || !reflect.DeepEqual(a.Attr, b.Attr) && len(a.Attr)+len(b.Attr) > 0 {
			t.Fatalf("marks change the tree: %q %v, without marks %q %v", a.Data, a.Attr, b.Data, b.Attr)
		}
		a, b = following(a), following(b)
	}
	if a != nil || b != nil {
		t.Fatal("marks change the tree: one has more nodes")
	}
}

// replacedMark reports whether two texts differ by a mark that a character reference stood for.
func replacedMark(a, b string) bool { return folded(a, false) == folded(withoutMarks(b), false) }

// plainTree is the tree of a page without our marks, and whether it is the flat parser's.
func plainTree(t testing.TB, text string) (root *html.Node, flat bool) {
	t.Helper()
	if !(&source{text: text}).mark() {
		if root, err := parseAs(text, false); err == nil {
			return root, false
		}
	}
	root, err := parseAs(text, true)
	if err != nil {
		t.Fatal(err)
	}
	return root, true
}

func parseAs(text string, flat bool) (*html.Node, error) {
	if flat {
		return parseFlat(strings.NewReader(text))
	}
	return html.ParseWithOptions(strings.NewReader(text), html.ParseOptionEnableScripting(false))
}
