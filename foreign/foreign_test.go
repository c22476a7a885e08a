package foreign

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// page is a small web page.
func page(title string, paragraphs ...string) string {
	return "<!doctype html><title>" + title + "</title><main><h1>" + title + "</h1><p>" + strings.Join(paragraphs, "</p><p>") + "</p></main>"
}

// harbour is what the sources of these tests say.
var harbour = web{
	"https://port.example/fees":        page("Harbour fees in Halden", "The port of Halden raised its crane fees by four percent in May 2024.", "Shippers had asked for a freeze until spring, and the authority refused."),
	"https://ferry.example/log":        page("Log of the ferry", "The ferry carried 412 wagons in 2024.", "None of the wagons was lost, said the master of the ferry: “we had a quiet year on the fjord”."),
	"https://survey.example/a":         page("Survey of the quay", "The quay was dredged twice in 2023, to a depth of nine metres.", "The survey covered the northern quay and the timber dock."),
	"https://arxiv.org/abs/2401.01234": page("Tides in narrow fjords", "Tides in narrow fjords lag those of the open sea by forty minutes."),
	"https://doi.org/10.5555/crane.7":  page("On cranes", "A crane of that class lifts forty tonnes at a radius of ten metres."),
}

func check(t *testing.T, report string, pages web) Result {
	t.Helper()
	r, err := Check(context.Background(), Report{Name: "report.md", Text: []byte(report)}, Options{Read: pages.read})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// find is the claim that has these words.
func (r Result) find(t *testing.T, words string) Claim {
	t.Helper()
	for _, c := range r.Claims {
		if strings.Contains(c.Text, words) {
			return c
		}
	}
	t.Fatalf("no claim has %q: %+v", words, r.Claims)
	return Claim{}
}

func (r Result) codes() (out []string) {
	for _, p := range r.Problems {
		out = append(out, string(p.Code))
	}
	return out
}

// address is where the only reference of a claim leads.
func (r Result) address(c Claim) string {
	var out []string
	for _, id := range c.Cites {
		for _, ref := range r.References {
			if ref.ID == id {
				out = append(out, ref.Address)
			}
		}
	}
	return strings.Join(out, " ")
}

// TestFour: a dangling marker, a doubled source, a claim that its source contradicts and one that it supports are all named.
func TestFour(t *testing.T) {
	r := check(t, `# Halden

The port of Halden raised its crane fees by four percent in May 2024 [1]. The ferry carried 512 wagons in 2024 [2].
The pilots went on strike [9]. Shippers had asked for a freeze until spring [3].

## References

1. Fees. https://port.example/fees
2. Log. https://ferry.example/log
3. The same again. http://www.port.example/fees/?utm_source=mail
`, harbour)
	for words, want := range map[string]Verdict{"raised": Supported, "512": Contradicted, "strike": Dangling, "freeze": Supported} {
		if c := r.find(t, words); c.Verdict != want {
			t.Errorf("%q is %s, not %s: %+v", words, c.Verdict, want, c)
		}
	}
	if got := r.codes(); !slices.Equal(got, []string{"dangling", "doubled"}) || r.OK {
		t.Errorf("problems %v, ok %v", got, r.OK)
	}
	c := r.find(t, "512")
	if len(c.Quotes) != 1 || !strings.Contains(c.Quotes[0].Text, "412 wagons") || c.Quotes[0].Locator.String() != "para.2" || c.Reasons[0].Code != "number_conflict" {
		t.Errorf("%+v", c)
	}
}

// Styles of citation that are read: each report says one thing, and cites where it stands.
func TestStyles(t *testing.T) {
	const said = "The ferry carried 412 wagons in 2024"
	const at = "https://ferry.example/log"
	for name, report := range map[string]string{
		"brackets":                 said + " [1].\n\n## References\n\n[1] Log. " + at,
		"brackets after the stop":  said + ". [1]\n\n## Sources:\n\n1. [Log](" + at + ")",
		"lines of one paragraph":   said + " [2].\n\n### Sources\n[1] Fees: https://port.example/fees\n[2] Log: " + at + "\n",
		"bold heading":             said + " [1].\n\n**Works Cited**\n\n1. Log. " + at,
		"definitions":              said + " [1].\n\n[1]: " + at + "\n",
		"named definition":         "[" + said + "][log].\n\n[log]: " + at + " \"Log\"\n",
		"footnote":                 said + ".[^ferry]\n\n[^ferry]: Log of the ferry, " + at + ".\n",
		"footnote in a list":       said + " [^1].\n\n## Footnotes\n\n[^1]: <" + at + ">\n",
		"inline link":              said + " ([Log of the ferry](" + at + ")).",
		"link over the words":      "The ferry [carried 412 wagons](" + at + ") in 2024.",
		"link behind the sentence": said + ". [Log of the ferry](" + at + ")",
		"numbered link":            said + " [1](" + at + ").",
		"numbered link, brackets":  said + " [[1]](" + at + ").",
		"citation link":            said + " [citation:Log of the ferry](" + at + ").",
		"bare address":             said + " (Source: " + at + ").",
		"autolink":                 said + " <" + at + ">.",
		"raised figure":            said + ".<sup>1</sup>\n\n## Works cited\n\n1. Log. " + at,
		"raised link":              said + ".<sup>[1](#ref1)</sup>\n\n## References\n\n<ol><li id=\"ref1\">Log. <a href=\"" + at + "\">here</a></li></ol>",
		"raised character":         said + ".¹\n\n## Notes\n\n¹ Log. " + at,
		"caret":                    said + "^1^.\n\n## References\n\n1. Log. " + at,
		"lenticular":               said + "【1†L10-L12】.\n\n## References\n\n[1] Log. " + at,
		"cite":                     said + " [cite: 1].\n\n## References\n\n1. Log. " + at,
		"cite with a start":        "[cite_start]" + said + ". [cite: 1]\n\n## References\n\n1. Log. " + at,
		"source":                   said + " [Source 1].\n\n## Sources\n\n1. Log. " + at,
		"escaped":                  said + ` \[1\].` + "\n\n## References\n\n\\[1\\] Log. " + at,
		"with a page":              said + " [1, p. 4].\n\n## References\n\n[1] Log. " + at,
		"range":                    said + " [1–3].\n\n## References\n\n[2] Log. " + at + "\n\n[1] Log. " + at + "\n\n[3] Log. " + at,
		"table of references":      said + " [1].\n\n## Sources\n\n| # | Title | URL |\n|---|---|---|\n| 1 | Log | " + at + " |\n",
		"list without a heading":   said + " [1].\n\n[1] Log. " + at + "\n",
		"of ibid":                  said + " [S1 para.2].\n\n## Sources\n\n- **S1** Log, " + at + ", html\n",
		"line of sources":          said + ".\n\nSource: [Log](" + at + ")",
		"introduced list":          "The log says so [1]:\n\n- " + said + ".\n\n## References\n\n1. Log. " + at,
		"footnote that cites":      said + ".[^1]\n\n[^1]: See [1].\n\n## References\n\n1. Log. " + at,
		"German heading":           said + " [1].\n\n## Quellen\n\n1. Log. " + at,
		"author and year":          said + " (Berg & Dahl, 2024).\n\n## Works cited\n\nBerg, A., Dahl, B. (2024). Log. " + at + "\n\nBergman, C. (2024). Fees. https://port.example/fees\n",
		"author and page":          said + " (see Berg et al., 2024, p. 1012).\n\n## References\n\n- Berg, A. et al. (2024). Log of 2023. " + at + "\n- Berg, A. (2023). Fees. https://port.example/fees\n",
		"numbered heading":         said + " [1].\n\n## 7. References\n\n1. Log. " + at,
	} {
		t.Run(name, func(t *testing.T) {
			r := check(t, report, harbour)
			c := r.find(t, "ferry")
			for _, c := range r.Claims {
				if strings.Contains(c.Text, "412") {
					if got := strings.Fields(r.address(c)); len(got) == 0 || got[0] != at {
						t.Errorf("it cites %v: %+v", got, c)
					}
					if c.Verdict != Supported {
						t.Errorf("%+v", c)
					}
					if strings.Trim(c.Text, ".") != said {
						t.Errorf("the claim is %q", c.Text)
					}
				}
			}
			if slices.Contains(r.codes(), "dangling") || slices.Contains(r.codes(), "unread_style") {
				t.Errorf("%v: %+v", r.Problems, c)
			}
		})
	}
}

// What looks like a citation and is none, and what is one and is not read, are not misread.
func TestNotMisread(t *testing.T) {
	list := "\n\n## References\n\n1. Log. https://ferry.example/log\n2. Fees. https://port.example/fees\n"
	for _, c := range []struct {
		name, report, words string
		want                Verdict
	}{
		{"two works of an author in a year", "The ferry carried 412 wagons in 2024 (Berg & Dahl, 2024).\n\n## Works cited\n\nBerg, A., Dahl, B. (2024). Log. https://ferry.example/log\n\nBerg, A. (2024). Fees. https://port.example/fees\n", "wagons", Unread},
		{"an author who is not listed", "The ferry carried 412 wagons (Dahl et al., 2024).\n\n## Works cited\n\n- Berg, A. et al. (2024). Log. https://ferry.example/log\n", "wagons", Unread},
		{"another year", "The ferry carried 412 wagons (Berg et al., 2024).\n\n## Works cited\n\n- Berg, A. et al. (2023). Log of 2024. https://ferry.example/log\n", "wagons", Unread},
		{"one of two is not listed", "The ferry carried 412 wagons (Berg et al., 2024; Dahl, 2023).\n\n## Works cited\n\n- Berg, A. et al. (2024). Log. https://ferry.example/log\n", "wagons", Unread},
		{"key of a program", "The ferry carried 412 wagons [@berg2024].", "wagons", Unread},
		{"list of a tool", "The ferry carried 412 wagons 【4:0†source】.", "wagons", Unread},
		{"no list", "The ferry carried 412 wagons [1].", "wagons", Dangling},
		{"no note", "The ferry carried 412 wagons.[^2]", "wagons", Dangling},
		{"month", "The ferry carried 412 wagons in that year (May 2024).", "wagons", Uncited},
		{"square metre", "The quay has an area of 900 m² and more." + list, "quay", Uncited},
		{"power", "The quay has an area of 9×10² metres and more." + list, "quay", Uncited},
		{"code", "The loop reads `a[1]` at its end, and it is slow." + list, "loop", Uncited},
		{"interval from nothing", "The values are all in [0, 1] there." + list, "values", Uncited},
		{"mail", "The office is open until [five](mailto:office@port.example) each day.", "office", Uncited},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := check(t, c.report, harbour)
			if got := r.find(t, c.words); got.Verdict != c.want {
				t.Errorf("%s: %+v, %v", got.Verdict, got, r.Problems)
			}
		})
	}
}

// Figures that were raised before a report was made plain are citations where a report is full of them.
func TestGlued(t *testing.T) {
	const list = "\n\n#### **Works cited**\n\n1. Log, accessed May 3, 2025, [https://ferry.example/log](https://ferry.example/log)  \n2. Fees. https://port.example/fees\n3. Survey. https://survey.example/a\n"
	r := check(t, "The ferry carried 412 wagons in 2024, as Fig.2 shows.1 The port raised its crane fees by four percent in May 2024.2 The quay was dredged twice in 2023.3\n\nSo it was.1 So it is.3 The log is of the ferry2. It was tested with Python3 and 3.5 metres of rope."+list, harbour)
	for words, want := range map[string]string{"412 wagons": "https://ferry.example/log", "crane fees": "https://port.example/fees", "dredged": "https://survey.example/a", "log is of": "https://port.example/fees", "rope": ""} {
		if c := r.find(t, words); r.address(c) != want || strings.HasSuffix(c.Text, "1") {
			t.Errorf("%q cites %q: %+v", words, r.address(c), c)
		}
	}
	r = check(t, "The log is of Room.3 It has Block.2 and so on [1]."+list, harbour)
	if c := r.find(t, "log is"); r.address(c) != "https://ferry.example/log" {
		t.Errorf("%+v", c)
	}
}

// A marker is looked up in the list that it belongs to, whatever other lists there are.
func TestPartsKeepTheirLists(t *testing.T) {
	r := check(t, `## Part one

The ferry carried 412 wagons in 2024 [1].

### References

1. Log. https://ferry.example/log

## Part two

The port of Halden raised its crane fees by four percent [1].

### References

1. Fees. https://port.example/fees
`, harbour)
	if a, b := r.address(r.find(t, "wagons")), r.address(r.find(t, "fees")); a != "https://ferry.example/log" || b != "https://port.example/fees" || !r.OK {
		t.Errorf("%s, %s, %+v", a, b, r.Problems)
	}
}

// The parts of a sentence are held against what each of them cites; a row is one claim; a claim without a citation is looked for
// in what the report cites elsewhere.
func TestClaims(t *testing.T) {
	r := check(t, `The port of Halden raised its crane fees by four percent [1], and the ferry carried 500 wagons in 2024 [2].

Was the quay dredged? Two points matter here.

The quay was dredged twice in 2023.

| Dock | Depth | Source |
| --- | --- | --- |
| Northern quay | nine metres | [3] |
| Timber dock | twelve metres | [3] |

Nobody was hurt. [3]

> The ferry carried 412 wagons in 2024. None of the wagons was lost. [2]

Run of May 3.

## References

1. Fees. https://port.example/fees
2. Log. https://ferry.example/log
3. Survey. https://survey.example/a

---

The quay is the pride of the town.
`, harbour)
	for words, want := range map[string]Verdict{"pride": Uncited, "crane fees": Supported, "500 wagons": Contradicted, "dredged twice": Uncited, "Nobody": NotFound, "carried 412": Supported, "None of": Supported} {
		if c := r.find(t, words); c.Verdict != want {
			t.Errorf("%q is %s: %+v", words, c.Verdict, c)
		}
	}
	if c := r.find(t, "dredged twice"); len(c.Also) != 1 || c.Also[0].Reference != "R3" {
		t.Errorf("%+v", c)
	}
	if c := r.find(t, "Northern"); c.Text != "Northern quay | nine metres" || c.Verdict == Contradicted || c.Verdict == Uncited {
		t.Errorf("%+v", c)
	}
	if c := r.find(t, "Timber"); c.Verdict == Supported {
		t.Errorf("%+v", c)
	}
	for _, c := range r.Claims {
		if strings.HasSuffix(c.Text, "?") || strings.Contains(c.Text, "Two points") {
			t.Errorf("%q needs no source", c.Text)
		}
	}
}

// Words in quotation marks stand in their source, or it is said that they do not, and where they do.
func TestQuotations(t *testing.T) {
	list := "\n\n## References\n\n1. Log. https://ferry.example/log\n2. Fees. https://port.example/fees\n"
	for _, c := range []struct {
		report string
		want   Verdict
		reason string
	}{
		{`The master of the ferry said “we had a quiet year on the fjord” [1].`, Supported, ""},
		{`The master of the ferry said "we had a quiet year … the fjord" [1].`, Supported, ""},
		{`The master of the ferry said "[they] had a quiet year on the fjord" [1].`, Supported, ""},
		{`The master of the ferry said “we had a loud year on the fjord” [1].`, Misquoted, "do not stand"},
		{`The port wrote that “we had a quiet year on the fjord” [2].`, Misquoted, "entry 1"},
	} {
		r := check(t, c.report+list, harbour)
		cl := r.Claims[0]
		if cl.Verdict != c.want && !(c.want == Supported && cl.Verdict == Partly) || c.reason != "" && !strings.Contains(fmt.Sprint(cl.Reasons), c.reason) {
			t.Errorf("%s: %+v", c.report, cl)
		}
	}
}

// Other ways to name a source: a DOI, a paper of arXiv, an entry that is only known by its title.
func TestNames(t *testing.T) {
	r := check(t, `Tides in narrow fjords lag those of the open sea by forty minutes (arXiv:2401.01234v2).

A crane of that class lifts forty tonnes at a radius of ten metres [1].

## References

[1] B. Dahl. On cranes. Journal of Lifting, 2020. doi:10.5555/crane.7.
[2] B. Dahl. On cranes. https://dx.doi.org/10.5555/CRANE.7
[3] Tides. https://arxiv.org/pdf/2401.01234
`, harbour)
	if a, b := r.find(t, "Tides"), r.find(t, "crane"); a.Verdict != Supported || b.Verdict != Supported {
		t.Errorf("%+v\n%+v", a, b)
	}
	if got := r.codes(); !slices.Contains(got, "doubled") {
		t.Errorf("%v", r.Problems)
	}
}

// What one sentence says with a doubt, and another in as many of the claim's words without, is supported by the other.
func TestWithoutDoubt(t *testing.T) {
	const tried, did = "The miller tried to repair the wheel in 1911.", "It was not before 1911 that the miller had the money and the oak, and repaired the wheel with the help of his sons."
	for _, c := range []struct {
		page string
		want Verdict
	}{{page("The river", tried), Partly}, {page("The river", did), Supported}, {page("The river", tried, did), Supported}, {page("The river", did, tried), Supported}} {
		r := check(t, "The miller repaired the wheel in 1911 [1].\n\n## References\n\n[1] The river. https://mill.example/a\n", web{"https://mill.example/a": c.page})
		if got := r.find(t, "miller"); got.Verdict != c.want || c.want == Supported && got.Quotes[0].Text != did {
			t.Errorf("%s, want %s: %q, %+v", got.Verdict, c.want, got.Quotes, got.Reasons)
		}
	}
}
