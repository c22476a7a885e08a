package extract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/evidence"
)

func TestHTMLInline(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"soft hyphens vanish", "<p>Do\u00adnau&shy;dampf</p>", "Donaudampf"},
		{"a control stands between", `<p>one<input>two<select><option>x</select>three<textarea>y</textarea>four</p>`, "one two three four"},
		{"pictures stand between", `<p>one<svg><text>x</text></svg>two<img alt="y">three</p>`, "one two three"},
		{"labels stand apart", `<p><label>one</label><label>two</label></p>`, "one two"},
		{"quotation marks that a browser adds", `<p>She said <q>yes</q>.</p>`, "She said yes."},
		{"numbers that a browser adds", `<ol start=7><li>seven<li>eight</ol>`, "seven\neight"},
		{"a line break in a heading", `<h2>one<br>two<div>three</div></h2>`, "one two three"},
		{"a heading that was never closed", `<h2>one<p>two<ul><li>three</ul>`, "one\ntwo\nthree"},
		{"note of a word", `<p>word<sup><a href="#n">a</a></sup> and 12<sup><a href="#m">b</a></sup></p>`, "word a and 12 b"},
		{"note in brackets", `<p>1,234<sup><a href="#n">[5]</a></sup> barrels</p>`, "1,234[5] barrels"},
		{"subscript between letters", `<p>CO<sub>2</sub> and H<sub>2</sub>O</p>`, "CO2 and H2O"},
		{"subscript against digits", `<p>log<sub>10</sub>2 and 101<sub>2</sub></p>`, "log₁₀2 and 101₂"},
		{"lines kept by style", "<div style=\"white-space: pre-line\">one   two\n  three\n\nfour</div>", "one two\nthree\nfour"},
		{"paragraphs kept by style", "<div style=\"white-space: pre-wrap\">one\n\ntwo</div>", "one\ntwo"},
		{"blocks laid out as text", `<p>one <div style="display:inline">two</div> three`, "one\ntwo three"},
		{"a block link", `<a href="/x" style="display:block">one</a><a href="/y" style="display:block">two</a>`, "one\ntwo"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := read(t, "https://a.example/x", "text/html", page(c.body))
			var texts []string
			for _, b := range p.Blocks {
				texts = append(texts, b.Text)
			}
			if diff := cmp.Diff(c.want, strings.Join(texts, "\n")); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestHTMLFormulas(t *testing.T) {
	const (
		square = `<math><semantics><mrow><mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup></mrow><annotation encoding="application/x-tex">E=mc^2</annotation></semantics></math>`
		half   = `<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>`
	)
	for _, c := range []struct{ name, body, want string }{
		{"MathML", `<p>a ` + square + ` b</p>`, "a E=mc² b"},
		{"KaTeX", `<p>a <span class="katex"><span class="katex-mathml">` + square + `</span><span class="katex-html" aria-hidden="true">E=mc<span class="vlist">2</span></span></span> b</p>`, "a E=mc² b"},
		{"MathJax 2", `<p><span class="MathJax"><nobr aria-hidden="true">E=mc2</nobr><span class="MJX_Assistive_MathML">` + square + `</span></span></p>`, "E=mc²"},
		{"MathJax 3", `<p>a <mjx-container><mjx-math><mjx-c></mjx-c></mjx-math><mjx-assistive-mml>` + square + `</mjx-assistive-mml></mjx-container></p>`, "a E=mc²"},
		{"MathML that is hidden behind a picture", `<p>a <span class="mwe-math-element"><span style="display:none">` + square + `</span><img class="mwe-math-fallback-image-inline" alt="{\displaystyle E=mc^{2}}"></span> b</p>`, "a E=mc² b"},
		{"a picture alone", `<p>a <img class="latex" alt="E=mc^2"> b</p>`, "a E=mc^2 b"},
		{"a picture that is no formula", `<p>a <img class="photo" alt="A crane"> b</p>`, "a b"},
		{"fraction", `<p>` + half + ` of it</p>`, "1/2 of it"},
		{"compound fraction", `<p><math><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mi>c</mi></mfrac></math></p>`, "(a+b)/c"},
		{"root and powers", `<p><math><msqrt><mn>2</mn></msqrt><mo>+</mo><msup><mi>e</mi><mrow><mo>-</mo><mi>x</mi></mrow></msup></math></p>`, "√2+e^(-x)"},
		{"white space of markup", "<p><math>\n <mi> x </mi>\n <mo>\u2062</mo> <mi>y</mi> <mtext> if </mtext> <mn>1</mn></math></p>", "xy if 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := read(t, "https://a.example/x", "text/html", page(c.body))
			if diff := cmp.Diff(c.want, quotable(p)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestHTMLListings(t *testing.T) {
	const want = "def f():\n    return 1\n\nf()"
	for name, body := range map[string]string{
		"plain":                     "<pre><code>def f():\n    return 1\n\nf()\n</code></pre>",
		"a span a line":             "<pre><code><span class=l><b>def</b> f():</span>\n<span class=l>    return 1</span>\n<span class=l></span>\n<span class=l>f()</span></code></pre>",
		"a block a line":            `<pre><div>def f():</div><div>    return 1</div><div><br></div><div>f()</div></pre>`,
		"line breaks":               "<pre>def f():<br>    return 1<br><br>f()</pre>",
		"numbers in spans":          "<pre><span class=lineno>1</span>def f():\n<span class=lineno>2</span>    return 1\n<span class=lineno>3</span>\n<span class=lineno>4</span>f()</pre>",
		"numbers beside it":         "<table class=highlighttable><tr><td class=linenos><pre>1\n2\n3\n4</pre></td><td class=code><pre>def f():\n    return 1\n\nf()</pre></td></tr></table>",
		"a table inside":            "<pre><table><tbody><tr><td class=\"gutter gl\"><pre class=lineno>1\n2\n</pre></td><td class=code><pre>def f():\n    return 1\n\nf()</pre></td></tr></tbody></table></pre>",
		"a row a line":              "<table class=highlight><tr>\n<td class=\"blob-num\" data-line-number=1></td>\n<td class=\"blob-code\">def f():</td></tr>\n<tr><td class=blob-num>2</td><td class=blob-code>    return 1</td></tr><tr><td class=blob-num>3</td><td class=blob-code>\n</td></tr><tr><td>4</td><td>f()</td></tr></table>",
		"an item a line":            "<pre class=prettyprint><ol><li>def f():</li><li>    return 1</li><li> </li><li>f()</li></ol></pre>",
		"markup of the white space": "<pre>\ndef f():\r\n    return 1\r\n\r\nf()\n\n</pre>",
	} {
		t.Run(name, func(t *testing.T) {
			p := read(t, "https://a.example/x", "text/html", page(body))
			if len(p.Blocks) != 1 || p.Blocks[0].Role != evidence.RoleCode {
				t.Fatalf("want one block of program text: %+v", p.Blocks)
			}
			got := p.Blocks[0].Text
			if name == "a row a line" {
				got = strings.ReplaceAll(got, "4\nf()", "f()") // the last number is marked by nothing
			}
			if trim := strings.ReplaceAll(got, "\n \n", "\n\n"); trim != want {
				t.Errorf("got %q", got)
			}
		})
	}
	p := read(t, "https://a.example/x", "text/html", page("<pre>never closed<h2>Head</h2><p>Text of the page.</p><ul><li>Item</li></ul>"))
	if len(p.Blocks) != 4 || p.Blocks[1].Role != evidence.RoleHeading {
		t.Errorf("a <pre> that swallows the page is no program text: %+v", p.Blocks)
	}
}

func TestHTMLTables(t *testing.T) {
	type row struct{ Text, Columns string }
	for _, c := range []struct {
		name, body string
		want       []row
	}{
		{"heads", `<tr><th>Bank</th><th>Rate</th></tr><tr><td>A</td><td>3.25%</td></tr><tr><th>B</th><td>4%</td></tr>`,
			[]row{{"Bank | Rate", ""}, {"A | 3.25%", "Bank | Rate"}, {"B | 4%", "Bank | Rate"}}},
		{"heads over heads", `<thead><tr><th rowspan=2>Port</th><th colspan=2>2024</th></tr><tr><th>Lifts</th><th>Tons</th></tr></thead><tr><td>North</td><td>4,112</td><td>9</td></tr>`,
			[]row{{"Port | 2024", ""}, {"Lifts | Tons", ""}, {"North | 4,112 | 9", "Port | 2024 Lifts | 2024 Tons"}}},
		{"a cell over rows", `<tr><th>Year</th><th>Port</th><th>Lifts</th></tr><tr><td rowspan=2>2024</td><td>North</td><td>1</td></tr><tr><td>South</td><td>2</td></tr>`,
			[]row{{"Year | Port | Lifts", ""}, {"2024 | North | 1", "Year | Port | Lifts"}, {"South | 2", "Port | Lifts"}}},
		{"a cell over columns", `<tr><th>A</th><th>B</th><th>C</th></tr><tr><td colspan=2>x</td><td>y</td></tr><tr><td colspan=3>all of them</td></tr>`,
			[]row{{"A | B | C", ""}, {"x | y", "A, B | C"}, {"all of them", ""}}},
		{"heads that are bold", `<tr><td><b>A</b></td><td><b>B</b></td></tr><tr><td>1</td><td>2</td></tr>`, []row{{"A | B", ""}, {"1 | 2", "A | B"}}},
		{"no heads", `<tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr>`, []row{{"1 | 2", ""}, {"3 | 4", ""}}},
		{"heads of rows only", `<tr><th>A</th><td>1</td></tr><tr><th>B</th><td>2</td></tr>`, []row{{"A | 1", ""}, {"B | 2", ""}}},
		{"empty cells", `<tr><th>A</th><th>B</th><th>C</th></tr><tr><td></td><td>x</td><td></td></tr>`, []row{{"A | B | C", ""}, {"| x", "A | B"}}},
		{"spans that mean harm", `<tr><th colspan=99999999>A</th><th rowspan=-3>B</th></tr><tr><td rowspan=99999999>1</td><td>2</td></tr>`, []row{{"A | B", ""}, {"1 | 2", "A | A"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := read(t, "https://a.example/x", "text/html", page(`<figure><table>`+c.body+`</table><figcaption>Lifts and rates</figcaption></figure>`))
			var got []row
			for _, b := range p.Blocks {
				if b.Role != evidence.RoleRow {
					continue
				}
				if got = append(got, row{b.Text, b.Columns}); b.Caption != "Lifts and rates" {
					t.Errorf("%q: caption %q", b.Text, b.Caption)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestHTMLPathsAndRanges(t *testing.T) {
	body := page(`<div>Intro <b>text</b><p>One &amp; <i>two</i></p>tail<ul><li>a<ul><li>b</li></ul></li></ul></div><h2 id="x"><span>Head</span></h2><o:p>odd</o:p><table>moved<tr><td>c</td><td>d&nbsp;</td></tr></table>`)
	type place struct {
		Path, Text, Raw string
		Level           int
	}
	var got []place
	for _, b := range read(t, "https://a.example/x", "text/html", body).Blocks {
		got = append(got, place{b.Path, b.Text, body[b.Start:b.End], b.Level})
	}
	want := []place{
		{"/html/body/div[1]", "Intro text", "Intro <b>text", 0},
		{"/html/body/div[1]/p[1]", "One & two", "One &amp; <i>two", 0},
		{"/html/body/div[1]/text()[2]", "tail", "tail", 0},
		{"/html/body/div[1]/ul[1]/li[1]", "a", "a", 1},
		{"/html/body/div[1]/ul[1]/li[1]/ul[1]/li[1]", "b", "b", 2},
		{"/html/body/h2[1]", "Head", "Head", 2},
		{"/html/body/*[3]/text()[1]", "oddmoved", "odd</o:p><table>moved", 0},
		{"/html/body/table[1]/tbody[1]/tr[1]", "c | d", "c</td><td>d", 0},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// A cell that holds a whole text gives its paragraphs and items, each under its column's head.
func TestHTMLTextRows(t *testing.T) {
	long := strings.Repeat("The gantry cranes were serviced in spring. ", 9)
	p := read(t, "https://a.example/x", "text/html", page(`<table><caption>Log</caption><tr><th>Month</th><th>Work</th></tr><tr><td>May</td><td><p>`+long+`</p><ul><li>Oil</li><li>Rails</li></ul></td></tr><tr><td>June</td><td>Rest</td></tr></table>`))
	var got []string
	for _, b := range p.Blocks {
		got = append(got, strings.Join([]string{string(b.Role), b.Columns, b.Caption, clip(b.Text, 20)}, "/"))
	}
	want := []string{"caption///Log", "row//Log/Month | Work", "/Month/Log/May", "/Work/Log/The gantry cranes we", "item/Work/Log/Oil", "item/Work/Log/Rails", "row/Month | Work/Log/June | Rest"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// Collapsed parts are there for whoever clicks; a page that a script will show is no empty page.
func TestHTMLOpenedByTheReader(t *testing.T) {
	for name, body := range map[string]string{
		"accordion":           filler + `<div class="accordion__content" style="height:0;overflow:hidden"><p>SEEN</p></div>`,
		"tab":                 filler + `<section role="tabpanel" hidden><p>SEEN</p></section>`,
		"bootstrap tab":       filler + `<div class="tab-pane" style="display:none"><p>SEEN</p></div>`,
		"waits for script":    `<div style="visibility:hidden">` + filler + `<p>SEEN</p></div>`,
		"waits, by rule":      `<style>.app{display:none}</style><div class="app">` + filler + filler + `<p>SEEN</p></div>`,
		"fully in a noscript": `<p>Loading</p><noscript>` + strings.Repeat(filler, 6) + `<p>SEEN</p></noscript>`,
	} {
		t.Run(name, func(t *testing.T) {
			if p := read(t, "https://a.example/x", "text/html", page(body)); !strings.Contains(quotable(p), "SEEN") {
				t.Errorf("shown text is gone: %+v", p.Blocks)
			}
		})
	}
	for name, body := range map[string]string{
		"menu of tabs": filler + `<div role="menu" class="collapse" hidden>HIDDEN</div>`,
		"popover":      filler + `<div class="accordion" popover>HIDDEN</div>`,
		"dialog":       `<dialog class="collapse">HIDDEN` + filler + `</dialog>`,
	} {
		t.Run(name, func(t *testing.T) {
			for _, b := range read(t, "https://a.example/x", "text/html", page(body)).Blocks {
				if strings.Contains(b.Text, "HIDDEN") {
					t.Errorf("hidden text is at %s", b.Locator)
				}
			}
		})
	}
}
