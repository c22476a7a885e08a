package extract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/evidence"
)

const markdownDoc = `---
title: "Meters"
author: Harbour office
date: 2025-03-04
---
# Meters & gauges

A ` + "`meter.read()`" + ` call costs **12 ms** per
reading; see [the table](tables.md#x). AT&amp;T \*not\* <b>bold</b>.

[![b](y.png)](https://ci.example)

1. First item
   goes on
2. Second
   - nested

> Quoted words

| Build | Digest |
|-------|--------|
| a1    | 9c1f   |

` + "```go\nfunc main() {\n\n\tx()\n}\n```" + `

<p style="display:none">SECRET</p>
<details><summary>More</summary>

Inside.

</details>
`

func TestMarkdown(t *testing.T) {
	p := read(t, "https://a.example/doc/README.md", "text/markdown", markdownDoc)
	type row struct {
		Text, Path string
		Role       evidence.Role
	}
	var got []row
	for _, b := range p.Blocks {
		got = append(got, row{b.Text, b.Path, b.Role})
	}
	want := []row{
		{"Meters & gauges", "L6", evidence.RoleHeading},
		{"A meter.read() call costs 12 ms per reading; see the table. AT&T *not* bold.", "L8-L9", ""},
		{"First item goes on", "L13-L14", evidence.RoleItem}, {"Second", "L15", evidence.RoleItem}, {"nested", "L16", evidence.RoleItem},
		{"Quoted words", "L18", evidence.RoleQuote},
		{"Build | Digest", "L20", evidence.RoleRow}, {"a1 | 9c1f", "L22", evidence.RoleRow},
		{"func main() {\n\n\tx()\n}", "L25-L28", evidence.RoleCode},
		{"More", "L31-L32", evidence.RoleHeading}, {"Inside.", "L34", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if p.Title != "Meters" || p.Author != "Harbour office" || p.Published != "2025-03-04" || !hasFlag(p, FlagHidden) {
		t.Errorf("front matter: %q %q %q, flags %v", p.Title, p.Author, p.Published, p.Flags)
	}
	links := []Link{{"https://a.example/doc/tables.md", "the table"}, {"https://ci.example", ""}}
	if diff := cmp.Diff(links, p.Links); diff != "" {
		t.Errorf("links -want +got\n%s", diff)
	}
	for _, b := range p.Blocks {
		if raw := markdownDoc[b.Start:b.End]; b.Role == evidence.RoleCode && strings.TrimSpace(raw) != b.Text {
			t.Errorf("bytes %d-%d hold %q", b.Start, b.End, raw)
		}
	}
}

// A block's byte range must hold its words.
func TestMarkdownRanges(t *testing.T) {
	doc := "# One\n\ntwo words\n\n* three\n* four\n\n    code\n"
	for _, b := range read(t, "https://a.example/x.md", "", doc).Blocks {
		if !strings.Contains(doc[b.Start:b.End], b.Text) {
			t.Errorf("%s: bytes %d-%d hold %q, not %q", b.Locator, b.Start, b.End, doc[b.Start:b.End], b.Text)
		}
	}
}

func TestPlainText(t *testing.T) {
	doc := "A TITLE\r\n\r\nFirst paragraph\r\nover two lines.\r\n\r\n\r\n  Second, indented.\r\n\fThird after a page break.\r\n"
	p := read(t, "https://a.example/x.txt", "text/plain", doc)
	var got []string
	for _, b := range p.Blocks {
		got = append(got, b.Text+"@"+b.Path)
		if raw := strings.ReplaceAll(doc[b.Start:b.End], "\r\n", "\n"); raw != b.Text {
			t.Errorf("bytes %d-%d hold %q, not %q", b.Start, b.End, raw, b.Text)
		}
	}
	want := []string{"A TITLE@L1", "First paragraph\nover two lines.@L3-L4", "  Second, indented.@L7", "Third after a page break.@L8"}
	if diff := cmp.Diff(want, got); diff != "" || p.Title != "A TITLE" {
		t.Errorf("title %q; -want +got\n%s", p.Title, diff)
	}
}

// Text without blank lines is divided, and nothing but white space is lost.
func TestPlainTextDivides(t *testing.T) {
	for name, doc := range map[string]string{
		"many lines": strings.Repeat("A line of a log that never ends.\n", 400),
		"one line":   strings.Repeat("A sentence that follows the one before. ", 1000),
		"one word":   strings.Repeat("łódź", 5000),
	} {
		p := read(t, "https://a.example/x.txt", "text/plain", doc)
		joined := ""
		for _, b := range p.Blocks {
			if len(b.Text) > 2*maxParagraph {
				t.Errorf("%s: a block of %d bytes", name, len(b.Text))
			}
			joined += b.Text
		}
		strip := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if strip(joined) != strip(doc) {
			t.Errorf("%s: text was lost or doubled", name)
		}
	}
}

func TestSheetAndNotebook(t *testing.T) {
	p := read(t, "https://a.example/rates.csv", "text/csv", "Name,Rate,Note\nNA,\"38,50\",\n\nNULL,2,\"two\nlines\"\n")
	var got []string
	for _, b := range p.Blocks {
		got = append(got, b.Locator.String()+" "+b.Text)
	}
	want := []string{"sheet.rates!A1:C1 Name | Rate | Note", "sheet.rates!A2:B2 NA | 38,50", "sheet.rates!A4:C4 NULL | 2 | two lines"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestMarkdownStructure(t *testing.T) {
	doc := "Words[^1] and more[^b].\n\n[^1]: The first *note*.\n\n- One\n  - Two\n    - [x] Three\n- [ ] Four\n\n| k | v |\n|---|---|\n| a | **1** |\n|  | 2 |\n\n[^b]: Another,\n\n    in two parts.\n[^unused]: Kept.\n\nThe end.\n"
	type row struct {
		Text, Columns string
		Role          evidence.Role
		Level         int
	}
	var got []row
	for _, b := range read(t, "https://a.example/x.md", "", doc).Blocks {
		got = append(got, row{b.Text, b.Columns, b.Role, b.Level})
		if raw := doc[b.Start:b.End]; b.Role == evidence.RoleRow && !strings.Contains(raw, strings.Trim(b.Text[strings.LastIndex(b.Text, " ")+1:], "*")) {
			t.Errorf("%q: bytes %q", b.Text, raw)
		}
	}
	item, line := evidence.RoleItem, evidence.RoleRow
	want := []row{{"Words[^1] and more[^b].", "", "", 0}, {"[^1] The first note.", "", "", 0},
		{"One", "", item, 1}, {"Two", "", item, 2}, {"[x] Three", "", item, 3}, {"[ ] Four", "", item, 1},
		{"k | v", "", line, 0}, {"a | 1", "k | v", line, 0}, {"| 2", "k | v", line, 0},
		{"[^b] Another,", "", "", 0}, {"in two parts.", "", "", 0}, {"[^unused] Kept.", "", "", 0}, {"The end.", "", "", 0}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestFrontMatter(t *testing.T) {
	for name, c := range map[string]struct{ doc, title, author, published, modified, licence, body string }{
		"YAML": {"---\ntitle: \"A: title\"\nauthors:\n  - name: Ada\n    email: a@a.example\n  - name: Ben\ndate: 2025-03-04\nlastmod: 2025-04-05T10:00:00Z\nlicense: CC-BY-4.0\ntags: [a, b]\n---\nWords.\n",
			"A: title", "Ada; Ben", "2025-03-04", "2025-04-05", "CC-BY-4.0", "Words."},
		"lists in a line": {"---\ntitle: T\nauthor: [Ada, 'Ben']\n...\nWords.\n", "T", "Ada; Ben", "", "", "", "Words."},
		"TOML":            {"+++\ntitle = \"T\"\ndate = 2025-03-04\nauthors = [\"Ada\", \"Ben\"]\n[extra]\nx = 1\n+++\nWords.\n", "T", "Ada; Ben", "2025-03-04", "", "", "Words."},
		"two rules":       {"---\nJust words between rules\n---\nWords.\n", "", "", "", "", "", ""},
		"not closed":      {"---\ntitle: T\n\nWords.\n", "", "", "", "", "", ""},
	} {
		p := read(t, "https://a.example/x.md", "", c.doc)
		if c.body == "" {
			if !strings.Contains(quotable(p), "ords") || p.Stated["title"] != "" {
				t.Errorf("%s: read as a header: %q", name, quotable(p))
			}
			continue
		}
		got := []string{p.Title, p.Author, p.Published, p.Modified, p.Licence, quotable(p)}
		if diff := cmp.Diff([]string{c.title, c.author, c.published, c.modified, c.licence, c.body}, got); diff != "" || p.Stated["title"] != "front matter title" {
			t.Errorf("%s: stated %v, -want +got\n%s", name, p.Stated, diff)
		}
	}
}

func TestMarkdownRaises(t *testing.T) {
	for source, want := range map[string]string{
		"We have 10<sup>6</sup> cells of CO<sub>2</sub>, log 10<sub>2</sub>.": "We have 10⁶ cells of CO2, log 10₂.",
		"At 3 × 10<sup>-5</sup> by the 4<sup>th</sup> day":                    "At 3 × 10⁻⁵ by the 4th day",
		"Open <sup>5 and closed</sub> 7</sup> 8":                              "Open 5 and closed 7 8",
		"| a |\n|---|\n| 10<sup>6</sup> |":                                    "a\n10⁶",
	} {
		if got := read(t, "https://a.example/x.md", "", source).Text(true); strings.TrimSpace(got) != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
}
