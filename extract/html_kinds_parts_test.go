package extract

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Kinds of markup in which readers of web pages fail, as in TestHTMLKinds: what has parts.
func TestHTMLKindsOfParts(t *testing.T) {
	const pythagoras = `<math><semantics><mrow><msup><mi>a</mi><mn>2</mn></msup><mo>+</mo><mn>1</mn></mrow><annotation encoding="application/x-tex">a^{2}+1</annotation></semantics></math>`
	for _, c := range []struct {
		name, body string
		want       []string
	}{
		// Lists.
		{"nested lists", `<ul><li>a<ol><li>b<ul><li>c</ul></ol>d<li>e</ul>`, []string{"item1: a", "item2: b", "item3: c", "item1: d", "item1: e"}},
		{"a list directly in a list", `<ul><li>a</li><ul><li>b</li></ul></ul>`, []string{"item1: a", "item2: b"}},
		{"items of blocks", `<ul><li><p>a</p><p>b</p></li><li><div><span>c</span></div></li></ul>`, []string{"item1: a", "item1: b", "item1: c"}},
		{"numbers of items are not text", `<ol start=7 type=a><li value=9>a<li>b</ol>`, []string{"item1: a", "item1: b"}},
		{"descriptions", `<dl><dt>a<dd>b<dd>c</dl><dl><div><dt>d</dt><dd>e</dd></div></dl>`, []string{"item1: a", "item1: b", "item1: c", "item1: d", "item1: e"}},

		// Headings and quotations.
		{"headings", `<h1>a <b>b</b><br>c</h1><div role=heading aria-level=2>d</div><h3><a href="#d">e</a></h3>`, []string{"heading1: a b c", "heading2: d", "heading3: e"}},
		{"a quotation", `<blockquote><p>a<p>b</blockquote><p><q>c</q>`, []string{"quote: a", "quote: b", "text: c"}},
		{"a figure", `<figure><img alt=x><figcaption>a <i>b</i></figcaption></figure><fieldset><legend>c</legend>d</fieldset>`, []string{"caption: a b", "caption: c", "text: d"}},

		// Preformatted text.
		{"the first line break of pre is none", "<pre>\na\n\tb\n\n  c  d\n</pre>", []string{"code: a\n\tb\n\n  c  d"}},
		{"line breaks of all kinds", "<pre>a\r\nb\rc<br>d&#10;e</pre>", []string{"code: a\nb\nc\nd\ne"}},
		{"pre and elements", "<pre><code><b>if</b> x:\n    <i>y</i>()</code></pre>", []string{"code: if x:\n    y()"}},
		{"indentation of the first line", "<pre>    a\n  b</pre>", []string{"code:     a\n  b"}},
		{"xmp", `<xmp><b>&amp;</xmp>`, []string{"code: <b>&amp;"}},
		{"preformatted by style", "<p style='white-space:pre-line'>a  b\n c</p>", []string{"text: a b\nc"}},

		// Formulas and notes.
		{"a formula once", `<p>So ` + pythagoras + ` is.`, []string{"text: So a²+1 is."}},
		{"MathML beside glyphs", `<p>So <span class=katex><span class=katex-mathml>` + pythagoras + `</span><span class=katex-html aria-hidden=true>a<span>2</span>+1</span></span> is.`, []string{"text: So a²+1 is."}},
		{"a picture beside MathML", `<p>So <span class=mwe-math-element><span style="display:none">` + pythagoras + `</span><img class=mwe-math-fallback-image-inline alt="a^{2}+1"></span> is.`, []string{"text: So a²+1 is."}},
		{"a root of a degree", `<p><math><mroot><mi>x</mi><mn>3</mn></mroot><mo>+</mo><msqrt><mi>y</mi></msqrt></math>`, []string{"text: x^(1/3)+√y"}},
		{"the mark of a note is no part of a number", `<p>2,300<sup>4</sup> and 5<sup><a href="#n1">6</a></sup> by 7<sup id=r><a href="#n">[8]</a></sup>`, []string{"text: 2,300⁴ and 5⁶ by 7[8]"}},
		{"the mark of a note is no part of a word", `<p>word<sup><a href="#a">a</a></sup> 10<sup>th</sup>`, []string{"text: word a 10th"}},
		{"indexes", `<p>H<sub>2</sub>O, 101<sub>2</sub>, 10<sup>-6</sup>`, []string{"text: H2O, 101₂, 10⁻⁶"}},

		// Tables.
		{"cells over columns and rows", `<table><caption>C <b>d</b></caption><tr><th rowspan=2>A<th colspan=2>B<tr><th>x<th>y<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5</table>`,
			[]string{"caption: C d", "row (C d): A | B", "row (C d): x | y", "row [A | B x | B y] (C d): 1 | 2 | 3", "row [B x | B y] (C d): 4 | 5"}},
		{"a caption that comes last", `<figure><table><tr><th>A<th>B<tr><td>1<td>2</table><figcaption>C</figcaption></figure>`, []string{"row (C): A | B", "row [A | B] (C): 1 | 2", "caption: C"}},
		{"cells of lines", `<table><tr><td>a<br>b<td><p>c</p><p>d</p><tr><td>e<td>f</table>`, []string{"row: a b | c d", "row: e | f"}},
		{"empty cells", `<table><tr><td>a<td><td>b<tr><td><td>c<td></table>`, []string{"row: a |  | b", "row: | c"}},
		{"hidden cells and rows", `<table><tr><td>a<td hidden>x<td>b<tr style="display:none"><td>y<td>z<tr><td>c<td>d</table>`, []string{"row: a | b", "row: c | d"}},
		{"a table that lays out", `<table><tr><td><h2>a</h2><p>b</p><td><table><tr><td>1<td>2</table></table>`, []string{"heading2: a", "text: b", "row: 1 | 2"}},
		{"a table of one column", `<table><tr><td>a<tr><td>b</table>`, []string{"text: a", "text: b"}},
	} {
		t.Run(c.name, func(t *testing.T) { checkKind(t, page(c.body), c.want) })
	}
}

// The first <base> with an address is what all links are relative to, wherever it stands (HTML, 4.2.3).
func TestHTMLBase(t *testing.T) {
	for _, c := range []struct{ name, head, want string }{
		{"none", ``, "https://a.example/d/p?q=1"},
		{"a folder", `<base href="/e/">`, "https://a.example/e/p?q=1"},
		{"another site", `<base href="//b.example/f/g">`, "https://b.example/f/p?q=1"},
		{"a target only, then an address", `<base target=_blank><base href="/e/"><base href="/h/">`, "https://a.example/e/p?q=1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := read(t, "https://a.example/d/x", "text/html", `<!doctype html><title>T</title>`+c.head+`<p>See <a href=" p?q=1#r ">it</a>.`)
			if diff := cmp.Diff([]Link{{URL: c.want, Text: "it"}}, p.Links); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
