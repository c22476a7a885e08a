package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"ibid/audit"
	"ibid/evidence"
)

// A trial is a change to an assembled report, or to the record under it.
type trial struct {
	name   string
	text   func(md string) string
	record func(rec *audit.Record)
	want   []audit.Code // one of them must block; none for an honest change
}

// after puts text behind the first place of mark.
func after(mark, text string) func(string) string {
	return func(md string) string {
		i := strings.Index(md, mark)
		if i < 0 {
			panic("no " + mark)
		}
		i += len(mark)
		return md[:i] + text + md[i:]
	}
}

// swap replaces the first old by new.
func swap(old, new string) func(string) string {
	return func(md string) string {
		if !strings.Contains(md, old) {
			panic("no " + old)
		}
		return strings.Replace(md, old, new, 1)
	}
}

// swapAll replaces every old by new.
func swapAll(old, new string) func(string) string {
	return func(md string) string {
		if !strings.Contains(md, old) {
			panic("no " + old)
		}
		return strings.ReplaceAll(md, old, new)
	}
}

const (
	inBody  = "## Why was it late?\n\n"
	costRow = "The line cost 14.2 million crowns in its first two years, about 11 percent over budget [S1 para.2]."
)

func add(text string) func(string) string { return after(inBody, text+"\n\n") }

func forgeries() []trial {
	uncited := []audit.Code{audit.UncitedClaim}
	mismatch := []audit.Code{audit.ClaimMismatch}
	marked := []audit.Code{audit.Malformed, audit.UnknownLocator}
	list := []audit.Code{audit.SourceList}
	quoted := []audit.Code{audit.QuotedText}
	run := []audit.Code{audit.RunStatement}
	f := func(i int, change func(*evidence.Finding)) func(*audit.Record) {
		return func(rec *audit.Record) { change(&rec.Findings[i]) }
	}
	return []trial{
		// statements without a source
		{"sentence with a name and no figure", add("The mast is the tallest on the coast."), nil, uncited},
		{"cause without figure", add("The yard was late because its owner went bankrupt."), nil, uncited},
		{"figure in words", add("Insurers paid back three million crowns."), nil, uncited},
		{"share in words", add("Every other departure was cancelled in one of four weeks."), nil, uncited},
		{"full-width digits", add("Fares rose by １２ percent."), nil, uncited},
		{"Devanagari digits", add("Fares rose by १२ percent."), nil, uncited},
		{"circled digits", add("Fares rose in step ⑫."), nil, uncited},
		{"digits as entities", add("Fares rose by &#x31;&#x32; percent."), nil, uncited},
		{"digits split by a word joiner", add("Fares rose by 1\u20602 percent."), nil, uncited},
		{"list item without stop", add("- 31 crew were hired"), nil, uncited},
		{"nested list item", add("- The cost [S1 para.2]\n  - crew wages rose 9 percent"), nil, uncited},
		{"ordered list item", add("1. crew wages rose 9 percent"), nil, uncited},
		{"second sentence of a paragraph", swap(costRow, costRow+" Fares covered a fifth of it."), nil, uncited},
		{"clause after the citation", swap("over budget [S1 para.2].", "over budget [S1 para.2], while fares rose 30 percent."), nil, uncited},
		{"clause before a dash after the citation", swap("over budget [S1 para.2].", "over budget [S1 para.2] — and the mayor resigned over the affair in spring."), nil, uncited},
		{"hard line break", add("Fares rose by 30 percent  \nThe ferry entered service on 3 June 2023 [S1 para.1]."), nil, uncited},
		{"heading with a figure", add("## Fares: 30 percent up"), nil, uncited},
		{"heading that asserts", add("### The mayor was responsible"), nil, uncited},
		{"setext heading with a figure", add("Fares: 30 percent up\n---"), nil, uncited},
		{"table row", add("| Year | Fare |\n|---|---|\n| second | 31 crowns |"), nil, uncited},
		{"one row of a cited table", add("| Mast | Calls | Source |\n|---|---|---|\n| second type | 310 | [S2 p.4] |\n| third type | 520 | |"), nil, uncited},
		{"table head with a figure", add("| Fares up 30 percent | Mast |\n|---|---|\n| | |"), nil, uncited},
		{"caption", add("*Figure 2. Fares peaked at 52 crowns in July.*"), nil, uncited},
		{"picture text", add("![Fares rose by 30 percent](fares.png)"), nil, uncited},
		{"picture title", add(`![Fares](fares.png "up 30 percent")`), nil, uncited},
		{"link title", add(`See the [yearbook](https://county.example/yearbook "fares up 30 percent").`), nil, uncited},
		{"link definition that shows nothing", add(`[fares]: https://county.example/yearbook "fares up 30 percent"`), nil, uncited},
		{"footnote with a claim", add("Fares are discussed below.[^a]\n\n[^a]: The fare office lost 4.4 million crowns."), nil, uncited},
		{"footnote that nothing refers to", add("[^b]: The fare office lost 4.4 million crowns."), nil, uncited},
		{"block quote without source", add("> “We were 40 percent over budget by June,” the manager said."), nil, uncited},
		{"code block without source", add("```\nfare = 31\n```"), nil, uncited},
		{"indented code without source", add("    fare = 31"), nil, uncited},
		{"after the list of sources", func(md string) string { return md + "\n## Outlook\n\nFares will reach 60 crowns.\n" }, nil, uncited},
		{"behind the footer", func(md string) string { return md + "\nFares will reach 60 crowns.\n" }, nil, uncited},
		{"in a section Sources of …", add("## Sources of delay\n\nThe port caused 9 weeks of it."), nil, uncited},
		{"in an earlier section Sources", add("## Sources\n\n- The port caused 9 weeks of the delay."), nil, uncited},
		{"behind a gap", add("We could not establish the fares, but the port took 9 million crowns."), nil, uncited},
		{"taken for granted by a gap", add("We could not establish why fares fell by 30 percent."), nil, uncited},
		{"as a tag question", add("The port took 9 million crowns, right?"), nil, uncited},
		{"in a lead-in", add("Fares rose by 30 percent in both years:\n\n- The ferry entered service on 3 June 2023 [S1 para.1]."), nil, uncited},
		{"dressed as a signpost", add("The collapse of fares that ruined the port is described below."), nil, uncited},
		{"title", swap("# What did the Halden ferry cost in its first 2 years, and why was it late?", "# Halden ferry 18 percent over budget"), nil, []audit.Code{audit.UnsupportedFig}},
		{"title without figure", swap("# What did the Halden ferry cost in its first 2 years, and why was it late?", "# The Halden ferry was a failure"), nil, uncited},

		// citations that name no recorded span
		{"unknown source", add("Fares rose [S19 para.1]."), nil, []audit.Code{audit.UnknownSource}},
		{"unknown source in a joint bracket", swap("over budget [S1 para.2].", "over budget [S1 para.2; S19 p.1]."), nil, []audit.Code{audit.UnknownSource}},
		{"unknown paragraph", swap("late [S1 para.1].", "late [S1 para.17]."), nil, []audit.Code{audit.UnknownLocator}},
		{"kind of place that the source has not", swap("late [S1 para.1].", "late [S1 p.1]."), nil, []audit.Code{audit.UnknownLocator}},
		{"second 75", swap("late [S3 t=00:30].", "late [S3 t=00:75]."), nil, []audit.Code{audit.UnknownLocator}},
		{"lines beyond the file", swap(`[S4 sched/\_\_init\_\_.py:L1-L4]`, `[S4 sched/\_\_init\_\_.py:L101-L104]`), nil, []audit.Code{audit.UnknownLocator}},
		{"range of paragraphs", swap("late [S1 para.1].", "late [S1 para.1-para.3]."), nil, marked},
		{"span that was read and not recorded", add("No decision has been taken about a second vessel [S1 para.5]."), nil, []audit.Code{audit.Unrecorded}},
		{"source that was never read", nil, func(rec *audit.Record) { rec.Sources[1].Fetched = time.Time{} }, []audit.Code{audit.NotFetched}},
		{"finding that a person rejected", nil, f(0, func(f *evidence.Finding) { f.Rejected = "out of date" }), []audit.Code{audit.Unrecorded}},
		{"comma for space", swap("late [S1 para.1].", "late [S1, para.1]."), nil, marked},
		{"round brackets", swap("late [S1 para.1].", "late (S1 para.1)."), nil, marked},
		{"no brackets", swap("late [S1 para.1].", "late, S1 para.1."), nil, marked},
		{"capitals", swap("late [S1 para.1].", "late [S1 PARA.1]."), nil, marked},
		{"Greek look-alike", swap("late [S1 para.1].", "late [S1 ραra.1]."), nil, marked},
		{"invisible character", swap("late [S1 para.1].", "late [S1 para\u200d.1]."), nil, marked},
		{"entity for the space", swap("late [S1 para.1].", "late [S1&#32;para.1]."), nil, []audit.Code{audit.Malformed, audit.UncitedClaim}},
		{"text of a link", swap("late [S1 para.1].", "late [S1 para.1](https://halden.example/ferry?year=2)."), nil, marked},
		{"number of a bibliography", swap("late [S1 para.1].", "late [1]."), nil, marked},
		{"footnote that is an address", swap("late [S1 para.1].", "late[^7].\n\n[^7]: https://halden.example/ferry?year=2"), nil, []audit.Code{audit.Malformed, audit.UncitedClaim}},
		{"footnote without note", swap("late [S1 para.1].", "late[^9]."), nil, marked},
		{"finding id", swap("late [S1 para.1].", "late [F3]."), nil, marked},
		{"doubled brackets", swap("late [S1 para.1].", "late [[S1 para.1]]."), nil, marked},
		{"escaped", swapAll("late [S1 para.1].", `late \[S1 para.1\].`), nil, []audit.Code{audit.Malformed, audit.UncitedClaim}},
		{"in a comment", swapAll("late [S1 para.1].", "late <!-- [S1 para.1] -->."), nil, []audit.Code{audit.UncitedClaim, audit.RawHTML}},
		{"in code", swapAll("late [S1 para.1].", "late `[S1 para.1]`."), nil, uncited},
		{"struck out", swapAll("late [S1 para.1].", "late ~~[S1 para.1]~~."), nil, uncited},
		{"in the text of a picture", swapAll("late [S1 para.1].", "late ![[S1 para.1]](dot.png)."), nil, uncited},
		{"author and year", swapAll("late [S3 t=00:30].", "late (Harbour talk 2025)."), nil, uncited},

		// citations of the wrong thing
		{"figure altered in the report", swapAll("cost 14.2 million crowns in its", "cost 24.2 million crowns in its"), nil, mismatch},
		{"decimal point moved", swapAll("cost 14.2 million crowns in its", "cost 142 million crowns in its"), nil, mismatch},
		{"small number altered in words", swapAll("mast came four months late [S3", "mast came five months late [S3"), nil, mismatch},
		{"year altered", swapAll("on 3 June 2023, nineteen", "on 3 June 2021, nineteen"), nil, mismatch},
		{"citations of two sentences swapped", func(md string) string {
			md = strings.ReplaceAll(md, "late [S3 t=00:30]", "late [S9 x]")
			md = strings.ReplaceAll(md, "nineteen weeks late [S1 para.1]", "nineteen weeks late [S3 t=00:30]")
			return strings.ReplaceAll(md, "late [S9 x]", "late [S1 para.1]")
		}, nil, mismatch},
		{"new claim under a recorded span", add("The harbour lease runs until 2041 [S1 para.1]."), nil, mismatch},
		{"new claim without figure under a recorded span", add("Fishermen blocked harbours during autumn protests [S1 para.1]."), nil, mismatch},
		{"extra figure in a cited sentence", swapAll("nineteen weeks late [S1 para.1]", "nineteen weeks late, with 320 guests aboard [S1 para.1]"), nil, mismatch},
		{"uncited item under a cited lead-in", add("The yearbook gives two figures [S5 para.1]:\n\n- 13.1 million crowns for the line\n- 77 million crowns for the port"), nil, mismatch},

		// quotes
		{"block quote altered", swap("> Running the line cost 14.2 million", "> Running the line cost 14.3 million"), nil, quoted},
		{"block quote shortened", swap("> Running the line cost 14.2 million crowns in the first two years, about 11 percent above the budget", "> Running the line cost 14.2 million crowns … above the budget"), nil, quoted},
		{"code altered", swap("> MAX_WAIT = 7", "> MAX_WAIT = 70"), nil, quoted},
		{"invented speech", add("The manager called the mast “a gift to the whole coast” [S1 para.1]."), nil, quoted},
		{"invented speech in single marks", add("The manager called the mast 'a gift to the whole coast' [S1 para.1]."), nil, quoted},
		{"speech from another span", add("The mast “came four months late” [S1 para.1]."), nil, []audit.Code{audit.QuoteWrongSpan}},
		{"finding's quote altered", nil, f(2, func(f *evidence.Finding) { f.Quote = "The electric ferry entered service on 3 July 2023" }), []audit.Code{audit.QuoteNotFound}},
		{"finding's quote elided", nil, f(5, func(f *evidence.Finding) {
			f.Quote = "A mast of the second type failed … against 140 for the first type"
		}), []audit.Code{audit.QuoteNotFound}},
		{"finding moved to another span", nil, f(1, func(f *evidence.Finding) {
			f.Quote = "The county has nine ferry lines."
		}), []audit.Code{audit.QuoteWrongSpan}},
		{"finding's quote cuts a number", nil, f(0, func(f *evidence.Finding) { f.Quote = "4.2 million crowns in the first two years" }), []audit.Code{audit.QuoteBoundary}},
		{"finding's quote cuts a word", nil, f(3, func(f *evidence.Finding) { f.Quote = "arging mast came four months late" }), []audit.Code{audit.QuoteBoundary}},
		{"finding's quote means nothing", nil, f(2, func(f *evidence.Finding) { f.Quote = "the" }), []audit.Code{audit.QuoteTooShort}},
		{"source text altered later", nil, func(rec *audit.Record) { rec.Spans["S1"][4].Text = "A decision has been taken." }, []audit.Code{audit.HashMismatch}},
		{"span taken away later", nil, func(rec *audit.Record) { rec.Spans["S5"] = rec.Spans["S5"][:1] }, []audit.Code{audit.HashMismatch}},

		// the list of sources
		{"other address", swap("<https://board.example/audit/7-2025.pdf>", "<https://b0ard.example/audit/7-2025.pdf>"), nil, list},
		{"address behind a shown one", swap("<https://board.example/audit/7-2025.pdf>", "[https://board.example/audit/7-2025.pdf](https://evil.example/)"), nil, list},
		{"other title", swap("Audit report 7/2025: electric ferries —", "Independent review of electric ferries —"), nil, list},
		{"longer title", swap("Audit report 7/2025: electric ferries —", "Audit report 7/2025: electric ferries praised —"), nil, list},
		{"other kind", swap("7-2025.pdf> (pdf,", "7-2025.pdf> (html,"), nil, list},
		{"other hash", swap("(pdf, sha256 `000000", "(pdf, sha256 `900000"), nil, list},
		{"no hash", swap("(pdf, sha256 `000000000000`,", "(pdf,"), nil, list},
		{"other time", swap("fetched 2026-05-04T10:20:01Z", "fetched 2026-05-04T10:29:01Z"), nil, list},
		{"cited source not listed", func(md string) string {
			i := strings.Index(md, "- **S2**")
			return md[:i] + md[i+strings.IndexByte(md[i:], '\n')+1:]
		}, nil, list},
		{"listed twice", after("## Sources\n\n", "- **S1** Annual review — <https://halden.example/review> (html)\n"), nil, list},
		{"source that the run has not", after("## Sources\n\n", "- **S19** Annual review — <https://halden.example/review> (html)\n"), nil, list},
		{"cited marked as not cited", swap("(pdf, sha256", "(pdf, read, not cited, sha256"), nil, list},
		{"claim in an entry", swap("(pdf, sha256", "(pdf, proves fraud, sha256"), nil, list},
		{"no list", func(md string) string { return md[:strings.Index(md, "## Sources")] }, nil, list},

		// the run
		{"more searches", swap("made 3 searches", "made 30 searches"), nil, run},
		{"more sources", swap("Of 6 sources read", "Of 60 sources read"), nil, run},
		{"more cited", swap("read, 5 are cited", "read, 6 are cited"), nil, run},
		{"failed page hidden", swap("1 page could not be read.", "No page could not be read."), nil, run},
		{"other end", swap("The run stopped because it was done.", "The run stopped because its budget of steps was spent."), nil, run},
		{"query that was not asked", swap("“halden ferry cost”", "“halden ferry bribes paid in 2024”"), nil, []audit.Code{audit.UncitedClaim, audit.RunStatement}},
		{"other date", swap("evidence as of 2026-05-04", "evidence as of 2026-06-04"), nil, run},

		// what a reader does not see
		{"right-to-left override", swap("nineteen weeks late", "\u202eneetenin\u202c weeks late"), nil, []audit.Code{audit.ForbiddenChar}},
		{"override as entity", swap("nineteen weeks late", "&#8238;neetenin weeks late"), nil, []audit.Code{audit.ForbiddenChar}},
		{"hidden element", add(`<span style="display:none">Fares rose by 30 percent.</span>`), nil, []audit.Code{audit.RawHTML}},
		{"HTML table", add("<table><tr><td>Fares</td><td>31</td></tr></table>"), nil, []audit.Code{audit.RawHTML}},
		{"comment", add("<!-- the port took 9 million -->"), nil, []audit.Code{audit.RawHTML}},
		{"tag characters", add("Two caveats apply.\U000E0041"), nil, []audit.Code{audit.ForbiddenChar}},
		{"link to what was never read", add("See the [minutes](https://port.example/minutes)."), nil, []audit.Code{audit.UnreadLink}},
		{"picture from elsewhere", add("![Mast](https://evil.example/p.png?q=secret)"), nil, []audit.Code{audit.UnreadLink}},
	}
}

func TestForgeries(t *testing.T) {
	clean := string(Assemble(ferry(t)))
	for _, tr := range forgeries() {
		t.Run(tr.name, func(t *testing.T) {
			in, md := ferry(t), clean
			if tr.text != nil {
				md = tr.text(md)
			}
			if tr.record != nil {
				tr.record(&in.Record)
			}
			r := audit.Report([]byte(md), in.Record)
			right := slices.ContainsFunc(r.Failures, func(f audit.Failure) bool {
				return f.Severity == audit.Block && slices.Contains(tr.want, f.Code)
			})
			if !right {
				t.Errorf("want one of %v to block, got:\n%s", tr.want, blocks(r))
			}
		})
	}
	t.Logf("%d forgeries", len(forgeries()))
}
