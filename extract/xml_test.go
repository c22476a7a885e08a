package extract

import (
	"html"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"ibid/evidence"
	"ibid/internal/testset"
)

const jatsDoc = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Publishing DTD v1.2 20190208//EN" "x.dtd">
<article xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:mml="http://www.w3.org/1998/Math/MathML" xml:lang="en">
<front><journal-meta><journal-title-group><journal-title>Journal of Tides</journal-title></journal-title-group><publisher><publisher-name>Harbour Press</publisher-name></publisher></journal-meta>
<article-meta><article-id pub-id-type="pmid">1</article-id><article-id pub-id-type="doi">10.1234/tides.1</article-id>
<title-group><article-title>Spring tides of <italic>M. piscis</italic></article-title></title-group>
<contrib-group><contrib contrib-type="author"><name><surname>Lovelace</surname><given-names>Ada</given-names></name><xref ref-type="aff" rid="a1">1</xref></contrib>
<contrib contrib-type="author"><collab>Tide Group</collab></contrib></contrib-group><aff id="a1"><label>1</label><institution>Harbour Office</institution>, <country>Norway</country></aff>
<pub-date pub-type="collection"><year>2026</year></pub-date><pub-date pub-type="epub"><day>3</day><month>March</month><year>2025</year></pub-date>
<permissions><license xlink:href="https://creativecommons.org/licenses/by/4.0/"><license-p>Open access.</license-p></license></permissions>
<abstract><p>Levels rose.</p></abstract></article-meta></front>
<body><sec><label>1.</label><title>Results</title>
<p>Levels rose by 2.4<xref ref-type="bibr" rid="b1">3</xref> m<xref ref-type="fn" rid="f"><sup>2</sup></xref> in 10<sup>3</sup> cases of H<sub>2</sub>O<fn><p>Measured twice.</p></fn>, as in <xref ref-type="fig" rid="fig1">Figure 1</xref>:
<list list-type="order"><list-item><label>(a)</label><p>one;</p></list-item><list-item><p>two.</p></list-item></list>
<disp-formula id="e1"><label>(1)</label><alternatives><mml:math><mml:mi>E</mml:mi></mml:math><tex-math>\documentclass{m}\begin{document}$E=mc^2$\end{document}</tex-math></alternatives></disp-formula>
It fell by <inline-formula><mml:math><mml:msup><mml:mn>10</mml:mn><mml:mn>2</mml:mn></mml:msup></mml:math></inline-formula> m.</p>
<fig id="fig1"><label>Figure 1.</label><caption><title>The pier.</title><p>As seen from the sea.</p></caption><graphic xlink:href="x"/></fig>
<table-wrap><label>Table 1.</label><caption><title>Levels</title></caption><table><thead><tr><th>Place</th><th>Year</th><th>m</th></tr></thead>
<tbody><tr><td rowspan="2">Pier<xref ref-type="table-fn"><sup>a</sup></xref></td><td>2020</td><td>2.4</td></tr><tr><td>2021</td><td>2.5</td></tr></tbody></table><table-wrap-foot><fn><label>a</label><p>By hand.</p></fn></table-wrap-foot></table-wrap>
<sec><title>Deeper</title><disp-quote><p>It was so.</p></disp-quote><p>See what they say of <ext-link xlink:href="https://tides.example/">the tides</ext-link>.</p></sec></sec></body>
<back><ref-list><title>References</title><ref id="b1"><label>3</label><element-citation><person-group><name><surname>Byron</surname><given-names>B</given-names></name></person-group><year>1815</year><article-title>Seas</article-title><volume>12</volume><fpage>101</fpage><pub-id pub-id-type="doi">10.1/x</pub-id></element-citation></ref></ref-list></back>
<sub-article article-type="decision-letter"><front-stub><title-group><article-title>Decision letter</article-title></title-group></front-stub><body><p>A reviewer's words.</p></body></sub-article>
</article>`

func TestJATS(t *testing.T) {
	p := read(t, "https://a.example/x.nxml", "", jatsDoc)
	type row struct {
		Text, Heading string
		Role          evidence.Role
		Level         int
		Quotable      bool
	}
	var got []row
	for _, b := range p.Blocks {
		got = append(got, row{b.Text, b.Heading, b.Role, b.Level, b.Quotable})
	}
	const title, results = "Spring tides of M. piscis", "1. Results"
	h, c, r := evidence.RoleHeading, evidence.RoleCaption, evidence.RoleRow
	want := []row{
		{title, "", h, 1, true}, {"Ada Lovelace, Tide Group", title, "", 0, false}, {"1 Harbour Office, Norway", title, "", 0, true},
		{"Open access.", title, "", 0, false}, {"Levels rose.", title, "", 0, true},
		{results, title, h, 2, true}, {"Levels rose by 2.4³ m² in 10³ cases of H2O, as in Figure 1:", results, "", 0, true},
		{"(a) one;", results, evidence.RoleItem, 1, true}, {"two.", results, evidence.RoleItem, 1, true},
		{"(1) $E=mc^2$", results, "", 0, true}, {"It fell by 10² m.", results, "", 0, true}, {"Measured twice.", results, "", 0, true},
		{"Figure 1. The pier.", results, c, 0, true}, {"As seen from the sea.", results, c, 0, true},
		{"Table 1. Levels", results, c, 0, true}, {"Place | Year | m", results, r, 0, true},
		{"Pier a | 2020 | 2.4", results, r, 0, true}, {"Pier a | 2021 | 2.5", results, r, 0, true}, {"a By hand.", results, c, 0, true},
		{"Deeper", results, h, 3, true}, {"It was so.", "Deeper", evidence.RoleQuote, 0, true}, {"See what they say of the tides.", "Deeper", "", 0, true},
		{"References", title, h, 2, true}, {"3 Byron B 1815 Seas 12 101 10.1/x", "References", evidence.RoleItem, 1, false},
		{"Decision letter", title, h, 2, false}, {"A reviewer's words.", "References", evidence.RoleComment, 0, false},
	}
	for i := range got {
		if got[i].Text == "Decision letter" || got[i].Text == "A reviewer's words." {
			got[i].Role, got[i].Level, got[i].Heading = want[i].Role, want[i].Level, want[i].Heading
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for _, b := range p.Blocks {
		if b.Role == r && b.Text != "Place | Year | m" && (b.Columns != "Place | Year | m" || b.Caption != "Table 1. Levels") {
			t.Errorf("row %q: columns %q, caption %q", b.Text, b.Columns, b.Caption)
		}
	}
	if p.Kind != evidence.Document || p.Author != "Ada Lovelace; Tide Group" || p.Publisher != "Harbour Press" || p.Published != "2025-03-03" ||
		p.DOI != "10.1234/tides.1" || p.Licence != "https://creativecommons.org/licenses/by/4.0/" || p.Language != "en" || p.Stated["doi"] != "article-id" {
		t.Errorf("%q %q %q %q %q %q %v", p.Author, p.Publisher, p.Published, p.DOI, p.Licence, p.Language, p.Stated)
	}
	for _, b := range p.Blocks {
		if b.Text == "As seen from the sea." && (jatsDoc[b.Start:b.End] != "<p>As seen from the sea.</p>" || b.Path != "/article/body[1]/sec[1]/fig[1]/caption[1]/p[1]") {
			t.Errorf("bytes %q, path %s", jatsDoc[b.Start:b.End], b.Path)
		}
	}
}

func TestXMLForms(t *testing.T) {
	for name, c := range map[string]struct {
		url, body string
		want      []string
		kind      evidence.Kind
	}{
		"TEI": {"https://a.example/x.xml", `<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>A play</title><author>Ada</author></titleStmt></fileDesc></teiHeader>
			<text><body><div><head>Act <hi rend="italic">one</hi></head><sp><speaker>BEN</speaker><p>Who is <persName>Ada</persName>?<note place="foot">A lady.</note> I ask.</p></sp>
			<lg><l>Tides, tides,</l><l>more tides.</l></lg><list><item>One <choice><sic>tihng</sic><corr>thing</corr></choice></item></list></div></body></text></TEI>`,
			[]string{"A play", "Act one", "BEN Who is Ada? I ask.", "A lady.", "Tides, tides,\nmore tides.", "One thing"}, evidence.Document},
		"TEI of a manuscript": {"https://a.example/x.xml", `<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader/><text><body><p>The pi<del>rt</del>er <choice><orig>ſhal</orig><reg>shall</reg></choice> stand for
			<subst><del>ten</del><add>twenty</add></subst> years, har<lb break="no"/>bour and <choice><abbr>Mr</abbr><expan>Master</expan></choice> Bell.</p></body></text></TEI>`,
			[]string{"The pier shall stand for twenty years, harbour and Master Bell."}, evidence.Document},
		"DITA": {"https://a.example/x.xml", `<?xml version="1.0"?><task id="t"><title>Mend</title><taskbody><steps><step><cmd>Pick one.</cmd><choices><choice>Use the <b>pump</b>.</choice><choice>Wait.</choice></choices></step></steps></taskbody></task>`,
			[]string{"Mend", "Pick one.", "Use the pump.", "Wait."}, evidence.Document},
		"DocBook": {"https://a.example/x.xml", `<?xml version="1.0"?><article xmlns="http://docbook.org/ns/docbook"><title>Piers</title><section><title>Wood</title><para>Old <emphasis>and</emphasis> wet.</para>
			<programlisting>a = 1
  b</programlisting><itemizedlist><listitem><para>One</para></listitem></itemizedlist><informaltable><tgroup cols="2"><thead><row><entry>k</entry><entry>v</entry></row></thead><tbody><row><entry>a</entry><entry>1</entry></row></tbody></tgroup></informaltable></section></article>`,
			[]string{"Piers", "Wood", "Old and wet.", "a = 1\n  b", "One", "k | v", "a | 1"}, evidence.Document},
		"records": {"https://a.example/x.xml", `<?xml version="1.0"?><piers><pier><name>North</name><built>1887</built><remark/></pier><pier><name>South</name><built>1901</built><remark>It was closed for two years after the storm and was opened again by the mayor.</remark></pier></piers>`,
			[]string{"North | 1887", "South | 1901 | It was closed for two years after the storm and was opened again by the mayor."}, evidence.Document},
		"settings": {"file:///a/pom.xml", "<?xml version=\"1.0\"?>\n<project>\n  <name>pier</name>\n  <version>1.0</version>\n</project>\n",
			[]string{"pom.xml:L1-L5"}, evidence.Repo},
		"patent": {"https://a.example/x.xml", `<?xml version="1.0"?><us-patent-grant lang="EN"><us-bibliographic-data-grant><publication-reference><document-id><date>20250304</date></document-id></publication-reference><invention-title id="t">A pier</invention-title></us-bibliographic-data-grant>
			<abstract><p>A pier of wood.</p></abstract><description><heading level="1">FIELD</heading><p num="1">It stands in <b>water</b>.</p></description><claims><claim><claim-text>1. A pier, comprising:<claim-text>a plank;</claim-text></claim-text></claim></claims></us-patent-grant>`,
			[]string{"A pier", "A pier of wood.", "FIELD", "It stands in water.", "1. A pier, comprising:", "a plank;"}, evidence.Document},
		"cut off": {"https://a.example/x.xml", `<?xml version="1.0"?><book><para>The first paragraph of the book ends well and is long enough to be prose, it is.</para><para>The second one is cu`,
			[]string{"The first paragraph of the book ends well and is long enough to be prose, it is."}, evidence.Document},
	} {
		p := read(t, c.url, "", c.body)
		var got []string
		for _, b := range p.Blocks {
			if p.Kind == evidence.Repo {
				got = append(got, b.Locator.String())
			} else {
				got = append(got, b.Text)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" || p.Kind != c.kind {
			t.Errorf("%s: kind %s, -want +got\n%s", name, p.Kind, diff)
		}
		if name == "records" && p.Blocks[0].Columns != "name | built | remark" {
			t.Errorf("columns %q", p.Blocks[0].Columns)
		}
		if name == "patent" && (p.Title != "A pier" || p.Published != "2025-03-04") {
			t.Errorf("patent: %q of %q", p.Title, p.Published)
		}
	}
}

// A map of a site gives its links and nothing to quote.
func TestSitemap(t *testing.T) {
	p := read(t, "https://a.example/sitemap.xml", "application/xml", `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`+
		strings.Repeat(`<url><loc>https://a.example/1</loc></url><url><loc>https://a.example/2</loc></url><url><loc>https://a.example/3</loc></url><url><loc>https://a.example/4</loc></url><url><loc>https://a.example/5</loc></url>`, 2)+`</urlset>`)
	if len(p.Links) != 5 || quotable(p) != "" || !hasFlag(p, FlagHub) {
		t.Errorf("links %v, quotable %q, flags %v", p.Links, quotable(p), p.Flags)
	}
}

// Entities that a document declares are not expanded, cells that claim the whole table are not multiplied, depth ends.
func TestXMLBombs(t *testing.T) {
	var laughs strings.Builder
	laughs.WriteString(`<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha">`)
	for c := 'b'; c < 'k'; c++ {
		laughs.WriteString(`<!ENTITY ` + string(c) + ` "` + strings.Repeat("&"+string(c-1)+";", 10) + `">`)
	}
	for name, body := range map[string]string{
		"entities": laughs.String() + `]><book><para>&j; and words that follow it here, so many of them that they make a sentence of some length.</para></book>`,
		"spans":    `<?xml version="1.0"?><article><front><article-meta/></front><body><table>` + strings.Repeat(`<tr><td colspan="99999" rowspan="99999">`+strings.Repeat("wide ", 200)+`</td></tr>`, 50) + `</table></body></article>`,
		"depth":    `<?xml version="1.0"?>` + strings.Repeat("<sec>", 100_000) + "words" + strings.Repeat("</sec>", 100_000),
		"notes":    `<?xml version="1.0"?><article><front><article-meta/></front><body><p>x` + strings.Repeat("<fn><p>y", 10_000) + `</p></body></article>`,
	} {
		read(t, "https://a.example/"+name+".xml", "", body) // check holds the text to the size of the document
	}
}

// Every text that may be quoted stands in the document as it is, without its markup and what white space it has: rows
// apart, whose cells are joined.
func TestArticlesAreVerbatim(t *testing.T) {
	shifted := strings.NewReplacer("⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9", "⁻", "-", "−", "-", "–", "-", "⁺", "+")
	tags := regexp.MustCompile(`(?s)<!\[CDATA\[(.*?)\]\]>|<(?:institution-id|object-id)[^>]*>[^<]*|<[^>]*>`)
	flat := func(s string) string {
		return shifted.Replace(strings.Join(strings.FieldsFunc(s, unicode.IsSpace), ""))
	}
	for _, name := range []string{"elife-56337.nxml", "ptag100.xml"} {
		body, err := os.ReadFile(testset.Path(t, "data", "extract", "formats", name))
		if err != nil {
			t.Fatal(err)
		}
		text := flat(html.UnescapeString(tags.ReplaceAllString(string(body), "$1")))
		n := 0
		for _, b := range read(t, "file:///a/"+name, "", string(body)).Blocks {
			if !b.Quotable || b.Role == evidence.RoleRow {
				continue
			}
			if n++; !strings.Contains(text, flat(b.Text)) {
				t.Errorf("%s, %s: %q is not there", name, b.Path, b.Text)
			}
		}
		if n < 100 {
			t.Errorf("%s: %d blocks", name, n)
		}
	}
}

func BenchmarkJATS(b *testing.B) {
	body, err := os.ReadFile(testset.Path(b, "data", "extract", "formats", "elife-56337.nxml"))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Extract(b.Context(), Input{URL: "file:///a/x.nxml", Body: body}); err != nil {
			b.Fatal(err)
		}
	}
}
