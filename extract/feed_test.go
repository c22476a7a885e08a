package extract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/evidence"
)

const rssDoc = `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
 <title>Harbour &amp; Sea</title>
 <link>https://harbour.example/</link>
 <atom:link rel="self" href="https://harbour.example/feed.xml"/>
 <description>News of the harbour.</description>
 <language>en-gb</language>
 <copyright>Licensed under CC BY 4.0</copyright>
 <pubDate>Tue, 04 Mar 2025 10:00:00 GMT</pubDate>
 <item>
  <title>The pier &lt;i&gt;reopens&lt;/i&gt; at 5 &amp;amp; closes at 9</title>
  <link>https://harbour.example/pier</link>
  <description>Short: the pier reopens.</description>
  <content:encoded><![CDATA[<p>The pier <b>reopens</b> on 5 March, see <a href="/map">the map</a>.</p><p style="display:none">SECRET</p><h2>Fares</h2><ul><li>Adults 3.50</li></ul>]]></content:encoded>
  <pubDate>Mon, 03 Mar 2025 09:30:00 +0100</pubDate>
  <dc:creator>Ada Lovelace</dc:creator>
  <enclosure url="https://harbour.example/pier.mp3" type="audio/mpeg"/>
 </item>
 <item>
  <guid isPermaLink="true">https://harbour.example/tide</guid>
  <description>Spring tide, 2.40 m &amp; rising.

Second paragraph of it.</description>
 </item>
</channel></rss>`

func TestFeed(t *testing.T) {
	p := read(t, "https://harbour.example/feed.xml", "text/xml", rssDoc)
	type row struct {
		Text, Heading string
		Role          evidence.Role
		Level         int
	}
	var got []row
	for _, b := range p.Blocks {
		got = append(got, row{b.Text, b.Heading, b.Role, b.Level})
	}
	const pier = "The pier reopens at 5 & closes at 9"
	want := []row{
		{"Harbour & Sea", "", evidence.RoleHeading, 1}, {"News of the harbour.", "Harbour & Sea", "", 0},
		{pier, "Harbour & Sea", evidence.RoleHeading, 2}, {"Mon, 03 Mar 2025 09:30:00 +0100", pier, "", 0}, {"Ada Lovelace", pier, "", 0},
		{"The pier reopens on 5 March, see the map.", pier, "", 0}, {"Fares", pier, evidence.RoleHeading, 0}, {"Adults 3.50", "Fares", evidence.RoleItem, 0},
		{"Spring tide, 2.40 m & rising.", "Harbour & Sea", "", 0}, {"Second paragraph of it.", "Harbour & Sea", "", 0},
	}
	for i := range got {
		if got[i].Text == "Fares" || got[i].Role == evidence.RoleItem {
			got[i].Level = 0 // it is the page's own
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if p.Kind != evidence.Feed || p.Title != "Harbour & Sea" || p.Published != "2025-03-04" || p.Language != "en-gb" ||
		p.Licence != "Licensed under CC BY 4.0" || p.Canonical != "https://harbour.example/feed.xml" || !hasFlag(p, FlagHidden) {
		t.Errorf("%q %q %q %q %q, flags %v", p.Title, p.Published, p.Language, p.Licence, p.Canonical, p.Flags)
	}
	links := []Link{{"https://harbour.example/", "Harbour & Sea"}, {"https://harbour.example/pier", pier}, {"https://harbour.example/pier.mp3", ""},
		{"https://harbour.example/map", "the map"}, {"https://harbour.example/tide", ""}}
	if diff := cmp.Diff(links, p.Links); diff != "" {
		t.Errorf("links -want +got\n%s", diff)
	}
}

func TestFeedForms(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want []string
	}{
		"Atom": {`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title type="text">a &lt; b &amp;amp; c</title><updated>2025-03-04T10:00:00Z</updated>
			<author><name>Ada</name></author>
			<entry><title type="html">&lt;b&gt;One&lt;/b&gt;</title><link href="https://a.example/1"/><published>2025-03-04T10:00:00Z</published>
			<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>An <em>XHTML</em> text.<br/>Two lines.</p></div></content><summary>No.</summary></entry>
			<entry><title>Two</title><summary type="text">Less &lt;than&gt; it says.</summary></entry></feed>`,
			[]string{"a < b &amp; c", "One", "2025-03-04T10:00:00Z", "An XHTML text.\nTwo lines.", "Two", "Less <than> it says."}},
		"RSS 1.0": {`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
			<channel rdf:about="x"><title>T</title></channel><item><title>One</title><description>Words.</description><dc:date>2025-03-04</dc:date></item></rdf:RDF>`,
			[]string{"T", "One", "2025-03-04", "Words."}},
		"JSON Feed": {`{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[{"id":"1","title":"One","content_html":"<p>An &lt;old&gt; text.</p>","date_published":"2025-03-04T10:00:00Z","authors":[{"name":"Ada"}]},
			{"id":"2","content_text":"Plain <words>."}]}`, []string{"T", "One", "2025-03-04T10:00:00Z", "Ada", "An <old> text.", "Plain <words>."}},
		"entities of HTML": {`<rss><channel><title>Caf&eacute; &mdash; &unknown;</title></channel></rss>`, []string{"Café — &unknown;"}},
		"bare ampersand":   {`<rss><channel><title>Salt & pepper</title></channel></rss>`, []string{"Salt & pepper"}},
	} {
		var got []string
		for _, b := range read(t, "https://a.example/feed", "", c.body).Blocks {
			got = append(got, b.Text)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

// A feed that is cut off gives the entries before the cut, and none that may be cut.
func TestFeedCutOff(t *testing.T) {
	var feed strings.Builder
	feed.WriteString("<rss><channel><title>T</title>")
	for i := range 10 {
		fmt.Fprintf(&feed, "<item><title>Entry %d</title><description>The text of entry %d ends here.</description></item>", i, i)
	}
	whole := feed.String()
	for cut := len("<rss><channel><title>T</title>") + 1; cut < len(whole); cut += 7 {
		p := read(t, "https://a.example/feed", "application/rss+xml", whole[:cut])
		for _, b := range p.Blocks {
			if !strings.Contains(whole, ">"+b.Text+"<") {
				t.Fatalf("cut at %d: %q", cut, b.Text)
			}
		}
		if !hasFlag(p, FlagTruncated) {
			t.Errorf("cut at %d: not said", cut)
		}
	}
}

// A hostile feed costs no more than its size.
func TestFeedDepth(t *testing.T) {
	body := "<rss><channel>" + strings.Repeat("<a:b>", 300_000) + "deep" + strings.Repeat("<x>", 300_000)
	if _, err := Extract(t.Context(), Input{URL: "https://a.example/feed", Body: []byte(body)}); err != nil {
		t.Error(err)
	}
}
