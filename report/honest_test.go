package report

import (
	"strings"
	"testing"

	"ibid/audit"
	"ibid/evidence"
)

// honest changes to the assembled report, or to the record under it, that must not be blocked.
func honest() []trial {
	note := func(source, at, claim, quote string) func(*audit.Record) {
		return func(rec *audit.Record) {
			l, _ := evidence.ParseLocator(at)
			rec.Findings = append(rec.Findings, evidence.Finding{ID: evidence.FindingID(len(rec.Findings) + 1), Claim: claim, Quote: quote, Source: source, Locator: l})
		}
	}
	span := func(source string, i int, text string) func(*audit.Record) {
		return func(rec *audit.Record) {
			rec.Spans[source][i].Text = text
			for k := range rec.Sources {
				if rec.Sources[k].ID == source {
					rec.Sources[k].TextSHA256 = evidence.TextHash(rec.Spans[source])
				}
			}
		}
	}
	type tr = trial
	return []trial{
		{name: "as assembled"},
		tr{"citation after the stop", swap("over budget [S1 para.2].", "over budget. [S1 para.2]"), nil, nil},
		tr{"citation at the start", add("According to [S1 para.3], cancelled departures fell from 46 to 12."), nil, nil},
		tr{"source as the subject", add("[S5 para.1] puts the cost at 13.1 million crowns."), nil, nil},
		tr{"title of the source before the citation", add("The county yearbook [S5 para.1] puts the cost at 13.1 million crowns."), nil, nil},
		tr{"two clauses, each with its own", add("The line cost 14.2 million crowns [S1 para.2], and the mast came four months late [S3 t=00:30]."), nil, nil},
		tr{"joint bracket", add("Two accounts put the cost at 13.1 and at 14.2 million crowns [S1 para.2; S5 para.1]."), nil, nil},
		tr{"brackets side by side", add("The cost is given as 13.1 or as 14.2 million crowns [S1 para.2][S5 para.1]."), nil, nil},
		tr{"the rest of a sentence after its citation", add("The line cost 14.2 million crowns [S1 para.2] in the first two years."), nil, nil},
		tr{"speaker after the citation", add("“The charging mast came four months late” [S3 t=00:30], a speaker said."), nil, nil},
		tr{"comparison after the citation", add("The operator says 14.2 million [S1 para.2], the county 13.1 million crowns [S5 para.1]; the two figures disagree."), nil, nil},
		tr{"a summary without citation that repeats a cited sentence", add("The ferry entered service on 3 June 2023."), nil, nil},
		tr{"heading that repeats a cited sentence", add("### Cancelled departures fell from 46 to 12"), nil, nil},
		tr{"numbered headings", swap("## Why was it late?", "## 2.1 Why was it late?"), nil, nil},
		tr{"year of a finding in a heading", add("### Service in 2023"), nil, nil},
		tr{"numbered list", add("1. The ferry entered service on 3 June 2023 [S1 para.1].\n2. The mast came four months late [S3 t=00:30]."), nil, nil},
		tr{"nested list under a plain label", add("- Masts\n  - The second type failed after a median of 310 dock calls [S2 p.4]."), nil, nil},
		tr{"lead-in with a colon", add("The auditors found two things:\n\n- Masts of the second type failed after a median of 310 dock calls [S2 p.4].\n- They do not recommend replacing all masts [S2 p.5]."), nil, nil},
		tr{"cited lead-in covers its items", add("Dock calls before failure, by type [S2 p.4]:\n\n- second type: 310\n- first type: 140"), nil, nil},
		tr{"table with a source column", add("| Mast | Median calls | Source |\n|---|---|---|\n| second type | 310 | [S2 p.4] |\n| first type | 140 | [S2 p.4] |\n| third type | n/a | |"), nil, nil},
		tr{"table under its caption", add("Table 1. Dock calls before failure, by type [S2 p.4]\n\n| Mast | Median calls |\n|---|---|\n| second type | 310 |\n| first type | 140 |"), nil, nil},
		tr{"table over its caption", add("| Mast | Median calls |\n|---|---|\n| second type | 310 |\n| first type | 140 |\n\n*Table 1. Dock calls before failure, by type [S2 p.4].*"), nil, nil},
		tr{"table with numbered rows and years for columns", add("Cancelled departures [S1 para.3]:\n\n| # | Winter | 2023 | 2024 |\n|---|---|---|---|\n| 1 | departures cancelled | 46 | 12 |"), nil, nil},
		tr{"picture with a cited caption", add("![Cancelled departures](cancelled.png)\n\n*Figure 1. Cancelled departures in two winters [S1 para.3].*"), nil, nil},
		tr{"code with its source in the line above", add("The waiting time is a constant [S4 sched/\\_\\_init\\_\\_.py:L1-L4]:\n\n```python\nMAX_WAIT = 7\n```"), nil, nil},
		tr{"footnote that cites", add("The mast came four months late[^1].\n\n[^1]: [S3 t=00:30]"), nil, nil},
		tr{"footnote that cites in a sentence", add("The mast came four months late.[^m]\n\n[^m]: So a speaker at the harbour talk: the mast came four months late [S3 t=00:30]."), nil, nil},
		tr{"direct speech", add("The charging mast “came four months late” [S3 t=00:30]."), nil, nil},
		tr{"scare quotes", add("The word “late” is used here in the sense of the contract."), nil, nil},
		tr{"title of a source in quotation marks", add("“Audit report 7/2025: electric ferries” does not recommend replacing all masts [S2 p.5]."), nil, nil},
		tr{"block quote with its speaker", add("> the charging mast came four months late and that was our own contract\n>\n> — a speaker at the harbour talk [S3 t=00:30]"), nil, nil},
		tr{"block quote introduced with a colon", add("A speaker put it so [S3 t=00:30]:\n\n> the charging mast came four months late"), nil, nil},
		tr{"block quote of two sentences with one citation", add("> The electric ferry entered service on 3 June 2023, nineteen weeks after the date in the contract. Nobody was hurt. [S1 para.1]"),
			span("S1", 0, "The electric ferry entered service on 3 June 2023, nineteen weeks after the date in the contract. Nobody was hurt."), nil},
		tr{"signpost", add("Two caveats apply."), nil, nil},
		tr{"reference to a section", add("Costs are discussed above. See also the next section."), nil, nil},
		tr{"question with a figure", add("What did the first 24 months bring?"), nil, nil},
		tr{"gap with a figure", add("We could not establish how many crew were hired in 2024."), nil, nil},
		tr{"gap by the sources", add("None of the sources that were read says what a ticket costs."), nil, nil},
		tr{"gap with a but-clause that is a gap", add("We could not establish the price of a ticket, nor who sets it."), nil, nil},
		tr{"empty answer", add("No source that was read answers this question."), nil, nil},
		tr{"statement about the run", add("Six sources were read for this report, and five of them are cited."), nil, nil},
		tr{"statement about the searches", add("Three searches were made; one page could not be read."), nil, nil},
		tr{"abbreviations", add("The mast came approx. four months late, i.e. after the hull, as the U.S. yard feared [S3 t=00:30]."), nil, nil},
		tr{"names with digits", add("According to report 7/2025, the auditors do not recommend replacing all masts [S2 p.5]."), nil, nil},
		tr{"rounded with a word", add("The line cost about 14 million crowns in its first two years [S1 para.2]."), nil, nil},
		tr{"words for digits", add("The line cost fourteen point two million crowns, or 14.2 million, in its first 2 years [S1 para.2]."), nil, nil},
		tr{"percent sign", add("The line cost 14.2 million crowns, 11 % over budget [S1 para.2]."), nil, nil},
		tr{"difference computed", add("Cancelled departures fell by 34 between the two winters [S1 para.3]."), nil, nil},
		tr{"emphasis within", add("The line cost **14.2 million** *crowns* in its first two years [S1 para.2]."), nil, nil},
		tr{"link to a source", add("The [yearbook](https://county.example/yearbook#costs) puts the cost at 13.1 million crowns [S5 para.1]."), nil, nil},
		tr{"Windows line ends", swapAll("\n", "\r\n"), nil, nil},
		tr{"emoji, accents and right-to-left words", add("### Ferries ⛴️ و العبارات"), nil, nil},
		tr{"another language", add("Die Ladesäule kam vier Monate zu spät [S3 t=00:30]."), note("S3", "t=00:30", "Die Ladesäule kam vier Monate zu spät.", "the charging mast came four months late"), nil},
		tr{"unused finding", nil, note("S5", "para.2", "The county has nine lines.", "The county has nine ferry lines."), nil},
		tr{"quote with typographic differences", nil, span("S1", 0, "The electric ferry entered service on 3\u00a0June 2023, nine\u00adteen weeks after the date in the\ncontract."), nil},
		tr{"hyphenated at a line's end", nil, span("S2", 2, "The sample is small, and the auditors do not recom-\nmend replacing all masts before a further trial."), nil},
		tr{"horizontal rule and another footer", func(md string) string { return strings.Replace(md, "\n---\n", "\n***\n", 1) }, nil, nil},
		tr{"entities and escapes", add("The line cost 14&#46;2 million crowns \\(net\\) in its first two years [S1 para.2]."), nil, nil},
		tr{"soft line breaks", swapAll("The line cost 14.2 million crowns in its first", "The line cost\n14.2 million crowns\nin its first"), nil, nil},
	}
}

func TestHonest(t *testing.T) {
	clean := string(Assemble(ferry(t)))
	for _, tr := range honest() {
		t.Run(tr.name, func(t *testing.T) {
			in, md := ferry(t), clean
			if tr.name == "soft line breaks" { // a list item needs its indent
				md = strings.ReplaceAll(md, "- The line cost", "- It is so: the line cost")
			}
			if tr.text != nil {
				md = tr.text(md)
			}
			if tr.record != nil {
				tr.record(&in.Record)
			}
			if r := audit.Report([]byte(md), in.Record); !r.OK {
				t.Errorf("blocked:\n%s", blocks(r))
			}
		})
	}
	t.Logf("%d honest variants", len(honest()))
}
