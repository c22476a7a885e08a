package extract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/evidence"
)

// blocksOf writes down the blocks of a page, one a line: role, level, heads of columns and caption where there are any,
// then the text.
func blocksOf(p *Page) []string {
	var list []string
	for _, b := range p.Blocks {
		s := string(b.Role)
		if b.Role == evidence.RoleText {
			s = "text"
		}
		if b.Level > 0 {
			s += fmt.Sprint(b.Level)
		}
		if b.Columns != "" {
			s += " [" + b.Columns + "]"
		}
		if b.Caption != "" {
			s += " (" + b.Caption + ")"
		}
		list = append(list, s+": "+b.Text)
	}
	return list
}

// Kinds of markup in which readers of web pages fail. What is wanted is what a browser shows by the HTML standard, in the
// blocks of ibid's model: a line of text, an item, a heading, a row, a caption, a listing.
func TestHTMLKinds(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       []string
	}{
		// Words.
		{"wbr", `<p>super<wbr>cali<wbr/>fragil</p>`, []string{"text: supercalifragil"}},
		{"soft hyphens", "<p>Donau\u00addampf&shy;schiff&#173;fahrt</p>", []string{"text: Donaudampfschifffahrt"}},
		{"inline tags join", `<p>un<b>believ</b><i>able</i>, <code>x</code>.<span> So</span><em> it </em> is</p>`, []string{"text: unbelievable, x. So it is"}},
		{"comments and their like join", `<p>un<!-- x -->like<![CDATA[ y ]]>ly <?pi z ?>so</p>`, []string{"text: unlikely so"}},
		{"white space", "<p>\n a \t b\f\r\n\n c </p>\n<p> &nbsp; </p>", []string{"text: a b c"}},
		{"spaces that do not break stay", `<p>10&nbsp;000&#8239;km&emsp;x</p>`, []string{"text: 10\u00a0000\u202fkm\u2003x"}},
		{"NUL", "<p>a\x00b</p><div>\x00</div><!--" + strings.Repeat(" ", 999) + "-->", []string{"text: ab"}},
		{"struck out, put in", `<p><del>9.00</del> <ins>7.00</ins> <s>x</s></p>`, []string{"text: 9.00 7.00 x"}},
		{"ruby", `<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rp>(</rp><rt>じ</rt><rp>)</rp></ruby>で</p>`, []string{"text: 漢字で"}},
		{"right to left", `<p dir=rtl>שלום <bdo dir=ltr>abc</bdo></p>`, []string{"text: שלום abc"}},

		// Character references (HTML, 13.2.5.72 and 13.5).
		{"references", `<p>AT&amp;T &lt;b&gt; &#8212; &#x2014; &frac12; &quot;</p>`, []string{`text: AT&T <b> — — ½ "`}},
		{"references once", `<p>&amp;lt; &amp;amp;</p>`, []string{"text: &lt; &amp;"}},
		{"references without their semicolon", `<p>&copy 2024 a&ampb &notit; &notin; AT&T &</p>`, []string{"text: © 2024 a&b ¬it; ∉ AT&T &"}},
		{"references of windows-1252", `<p>&#x80; &#150; &#146;</p>`, []string{"text: € – ’"}},
		{"references to nothing", `<p>a&#0;b &#xD800; &#x110000; &nosuch;</p>`, []string{"text: a\ufffdb \ufffd \ufffd &nosuch;"}},
		{"references to two characters", `<p>a &NotEqualTilde; b</p>`, []string{"text: a ≂̸ b"}},

		// Lines.
		{"br", `<p>one<br>two<br/>three</br>four</p>`, []string{"text: one\ntwo\nthree\nfour"}},
		{"br at the ends", `<p><br>one<br></p>`, []string{"text: one"}},
		{"two br", `<div>one<br><br>two<br> <br/>three</div>`, []string{"text: one", "text: two", "text: three"}},
		{"text beside blocks", `one<p>two</p>three<div>four<p>five</div>six`, []string{"text: one", "text: two", "text: three", "text: four", "text: five", "text: six"}},
		{"blocks in inline elements", `<span>one<div>two</div>three</span>`, []string{"text: one", "text: two", "text: three"}},
		{"a rule", `<p>one<hr>two`, []string{"text: one", "text: two"}},

		// What a browser does not show.
		{"a copy for screen readers", `<p><span aria-hidden=true>$5</span><span class=sr-only>five dollars</span> each</p>`, []string{"text: $5 each"}},
		{"hidden", `<p>a <span hidden>x</span>b</p><p hidden>y</p><div hidden="hidden"><p>z</div>`, []string{"text: a b"}},
		{"not displayed", `<p>pay <i style="display:none">100</i>90</p>`, []string{"text: pay 90"}},
		{"not visible", `<p>a<b style="visibility:hidden">x<i style="visibility:visible">b</i>y</b>c</p>`, []string{"text: abc"}},
		{"off the screen", `<p>a<span style="position:absolute;left:-9999px">x</span></p><h2 style="text-indent:-9999px">y</h2><p style="position:absolute;clip:rect(0,0,0,0)">z</p>`, []string{"text: a"}},
		{"without size", `<p>a<span style="font-size:0">x</span>b</p>`, []string{"text: ab"}},
		{"by rules", `<style>.x{display:none}.x.y{display:inline}</style><p>a<i class=x>x</i><i class="x y">b</i></p>`, []string{"text: ab"}},
		{"template", `<template><p>x</p></template><p>a<template>y</template>b</p>`, []string{"text: ab"}},
		{"a link back to the mark of a note", `<ol><li><p>Weighed twice. <a href="#fnref1">↩︎</a></p><li>By hand.<a class=x href="/p#r2">↩</a></ol><p>Press <kbd>↩</kbd> or <a href="/keys">↩</a> now.</p>`, []string{"item1: Weighed twice.", "item1: By hand.", "text: Press ↩ or ↩ now."}},
		{"code and style", `<p>a<script>document.write("<p>x</p>")</script>b<style>p{}</style>c<title>y</title>d</p>`, []string{"text: abcd"}},
		{"what stands for those who cannot", `<p>a<iframe>x</iframe>b<object>y</object>c<video>z</video>d<canvas>v</canvas>e<noscript>w</noscript>f</p>`, []string{"text: a b c d ef"}},
		{"lazy pictures", `<p>a <img data-src="/x.jpg" alt="x"><noscript><img src="/x.jpg" alt="x">x</noscript> b</p>`, []string{"text: a b"}},
		{"drawings", `<p>a<svg><title>x</title><desc>y</desc><text>z</text></svg>b</p>`, []string{"text: a b"}},
		{"controls", `<p>Size <select><option>S<option selected>M</select>only<textarea>x</textarea>now<input value=y>!<datalist><option>z</datalist></p>`, []string{"text: Size only now !"}},
		{"dialogs", `<dialog>x</dialog><dialog open>a</dialog><div popover>y</div>`, []string{"text: a"}},

		// What a reader opens.
		{"details", `<details><summary>How long?</summary>72 hours.<p>No more.</details>`, []string{"heading6: How long?", "text: 72 hours.", "text: No more."}},
		{"found in page", `<p hidden=until-found>a</p>`, []string{"text: a"}},

		// Markup that is not closed, or not right.
		{"void elements", `<p>a<img src=x>b<br>c<embed>d<wbr>e<input>f<link>g<meta>h`, []string{"text: a b\nc de fgh"}},
		{"end tags left out", `<p>a<p>b<ul><li>c<li>d</ul><dl><dt>e<dd>f<dt>g</dl><table><tr><td>h<td>i<tr><td>j<td>k</table>l`,
			[]string{"text: a", "text: b", "item1: c", "item1: d", "item1: e", "item1: f", "item1: g", "row: h | i", "row: j | k", "text: l"}},
		{"end tags that cross", `<p>a<b>b<i>c</b>d</i>e</p><b><p>f</b>g</p>`, []string{"text: abcde", "text: fg"}},
		{"end tags of nothing", `a</span>b</p>c</div>d`, []string{"text: ab", "text: cd"}},
		{"a tag that does not end", `<p>a</p><p class="x`, []string{"text: a"}},
		{"signs that are no tags", `<p>1 < 2 <3 a<-b &< c</p>`, []string{"text: 1 < 2 <3 a<-b &< c"}},
		{"600 nested elements", strings.Repeat("<div>", 600) + "a" + strings.Repeat("</div>", 600) + "<p>b", []string{"text: a", "text: b"}},
		{"an empty block, deep", strings.Repeat("<div>", 600) + strings.Repeat("</div>", 390) + "a" + strings.Repeat("<div>", 300) + strings.Repeat("</div>", 300) + "b", []string{"text: a", "text: b"}},
		{"600 nested inline elements", "<p>a" + strings.Repeat("<span>", 600) + "b" + strings.Repeat("</span>", 600) + "c", []string{"text: abc"}},
		{"a note laid out as a table", `<table><tr><td>Note</td><td><p>Mind the gap.</p><ul><li>Stand back.<li>Let others out.</ul></td></tr></table>`, []string{"text: Note", "text: Mind the gap.", "item1: Stand back.", "item1: Let others out."}},
		{"short paragraphs in a row among others", `<table><tr><td>Note<td><p>a<p>b</tr><tr><td>Tip<td>c</tr></table>`, []string{"row: Note | a b", "row: Tip | c"}},
		{"text moved out of a table", `<div>a<table><tr><td>1<td>2</tr>b</table>c</div>`, []string{"text: a", "text: b", "row: 1 | 2", "text: c"}},
		{"text moved out of a row", `<table><tr><td>1</td>a<td>2</td></table>`, []string{"text: a", "text: 1", "text: 2"}},
	} {
		t.Run(c.name, func(t *testing.T) { checkKind(t, page(c.body), c.want) })
	}
}

// checkKind checks the blocks of a page, and the place of each.
func checkKind(t *testing.T, body string, want []string) {
	t.Helper()
	if diff := cmp.Diff(want, blocksOf(read(t, "https://a.example/x", "text/html", body))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	checkPlaces(t, "page", []byte(body), "text/html")
}
