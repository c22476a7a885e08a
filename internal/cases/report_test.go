package cases

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"golang.org/x/net/html"

	"ibid/audit"
	"ibid/audit/claim"
	"ibid/corpus"
	"ibid/evidence"
	"ibid/extract"
	"ibid/fetch"
	"ibid/foreign"
	"ibid/recheck"
	"ibid/report"
	"ibid/report/forms"
)

// reportOps are the operations of the bank that reports answer.
var reportOps = map[string]func(*testing.T, failureCase){"merge_parts": mergeParts, "report_append_section": appendSection, "report_render": renderTitles,
	"report_provenance": provenance, "claim_support": claimSupport, "source_drift": sourceDrift, "report_markers": markers, "numbers_in_text": numbersIn}

// web is what URLs answer; one that is not there is not found.
type web map[string][]byte

func (w web) Fetch(_ context.Context, url string) (*fetch.Document, error) {
	body, ok := w[url]
	if !ok {
		return nil, &fetch.Unavailable{URL: url, Outcome: fetch.NotFound, Reason: "there is no such page"}
	}
	return &fetch.Document{Requested: url, URL: url, ContentType: "text/html; charset=utf-8", Body: body, Fetched: nowUTC()}, nil
}

// read reads a page of a web into a corpus, and returns its source's id.
func (w web) read(t *testing.T, c *corpus.Corpus, url string) string {
	t.Helper()
	reading, err := (&corpus.Reader{Fetcher: w, Extract: extract.Extract}).Read(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	id, _ := c.Ingest(*reading)
	return id
}

// record is a record of what a corpus has read.
func record(c *corpus.Corpus, findings []evidence.Finding) audit.Record {
	rec := audit.Record{Question: "What do the sources say?", Sources: c.Sources(), Findings: findings, Spans: map[string][]evidence.Span{}}
	for _, s := range rec.Sources {
		rec.Spans[s.ID] = c.Spans(s.ID)
	}
	return rec
}

var numbered = regexp.MustCompile(`([^.,\[\]]+) \[([0-9]+)\]`)

// markers resolves the marks of a report that ibid did not write by the report's own list.
func markers(t *testing.T, c failureCase) {
	var sources []string
	c.json(t, "list", &sources)
	r, err := foreign.Check(context.Background(), foreign.Report{Name: c.str("report"), Text: c.file(t, c.str("report"))}, foreign.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cited := map[string]string{}
	for _, x := range r.Claims {
		for i, id := range x.Cites {
			at := slices.IndexFunc(r.References, func(ref foreign.Reference) bool { return ref.ID == id })
			cited[strings.Trim(x.Marks[i], "[]")] = r.References[at].Address
		}
	}
	for label, want := range c.Expect["map"].(map[string]any) {
		if cited[label] != want {
			t.Errorf("[%s] leads to %q, want %q", label, cited[label], want)
		}
	}
	var uncited []string
	for _, url := range sources {
		if !slices.ContainsFunc(r.References, func(ref foreign.Reference) bool { return ref.Address == url && ref.Cited > 0 }) {
			uncited = append(uncited, url)
		}
	}
	if !slices.Equal(uncited, strs(c.Expect["uncited_sources"])) {
		t.Errorf("uncited: %q", uncited)
	}
}

// numbersIn reads the figures of a text. A year is none that is computed with; that the text has it is asked of the rules.
func numbersIn(t *testing.T, c failureCase) {
	text := string(c.file(t, c.str("file")))
	has := func(n float64) bool {
		for _, q := range claim.Quantities(text) {
			if v, _ := q.Value.Float64(); v == n {
				return true
			}
		}
		return false
	}
	for _, v := range c.Expect["values"].([]any) {
		if n := v.(float64); !has(n) && (n < 1900 || n > 2100 || len(claim.Check(fmt.Sprintf("Users left in %v.", n), text, claim.Context{})) > 0) {
			t.Errorf("no %v", n)
		}
	}
	for _, v := range c.Expect["not_values"].([]any) {
		if has(v.(float64)) || !claim.Blocks(claim.Check(fmt.Sprintf("In total %v users signed up.", v), text, claim.Context{})) {
			t.Errorf("%v passes for a figure of %q", v, text)
		}
	}
}

// mergeParts joins parts that number their references from 1 each: what they cite becomes findings, which have one id in the
// whole run, and one draft names them. A draft with the parts' own numbers does not pass.
func mergeParts(t *testing.T, c failureCase) {
	type part struct {
		Text string
		Refs map[string]string
	}
	var parts []part
	pages := web{}
	for _, name := range strs(c.Input["parts"]) {
		var p part
		c.Input["part"] = name
		c.json(t, "part", &p)
		parts = append(parts, p)
		for _, m := range numbered.FindAllStringSubmatch(p.Text, -1) {
			url, _, _ := strings.Cut(p.Refs[m[2]], "#")
			pages[url] = append(pages[url], "<p>"+strings.TrimSpace(m[1])+" in the northern districts of the country.</p>"...)
		}
	}
	for _, p := range parts {
		for _, url := range p.Refs {
			whole, _, _ := strings.Cut(url, "#")
			pages[url] = pages[whole]
		}
	}
	read := corpus.New()
	var findings []evidence.Finding
	var draft, raw strings.Builder
	for _, p := range parts {
		raw.WriteString(p.Text + "\n\n")
		draft.WriteString(numbered.ReplaceAllStringFunc(p.Text, func(s string) string {
			m := numbered.FindStringSubmatch(s)
			id := pages.read(t, read, p.Refs[m[2]])
			key, match := read.Quote(id, strings.TrimSpace(m[1])+" in the northern districts of the country")
			if !match.OK() {
				t.Fatalf("%q is not at %s", m[1], p.Refs[m[2]])
			}
			f := evidence.Finding{ID: evidence.FindingID(len(findings) + 1), Claim: strings.TrimSpace(m[1]) + ".", Quote: match.Quote, Source: id, Locator: key.Locator, Match: match.Kind}
			findings = append(findings, f)
			return m[1] + " [" + f.ID + "]"
		}) + "\n\n")
	}
	in := report.Input{Record: record(read, findings)}
	if n := len(in.Record.Sources); n != int(c.Expect["references"].(float64)) {
		t.Errorf("%d sources: %+v", n, in.Record.Sources)
	}
	md, err := report.Compose(draft.String(), in)
	if err != nil {
		t.Fatal(err)
	}
	if r := audit.Report(md, in.Record); !r.OK {
		t.Errorf("%+v\n%s", r.Failures, md)
	}
	for _, want := range c.Expect["resolves"].([]any) {
		w := strs(want)
		at := strings.Index(string(md), w[0])
		if at < 0 {
			t.Errorf("%q is gone:\n%s", w[0], md)
			continue
		}
		m := evidence.ScanCitations(string(md[at:]))[0]
		i := slices.IndexFunc(in.Record.Sources, func(s evidence.Source) bool { return s.ID == m.Citations[0].Source })
		if got := in.Record.Sources[i].URL; got != w[1] {
			t.Errorf("%q leads to %s, want %s", w[0], got, w[1])
		}
	}
	if md, err := report.Compose(raw.String(), in); err == nil && audit.Report(md, in.Record).OK {
		t.Errorf("numbers of two lists pass:\n%s", md)
	}
}

func appendSection(t *testing.T, c failureCase) {
	set := func(md []byte) []byte {
		return report.SetSection(md, c.str("section"), []byte(c.str("content")))
	}
	out := set(c.file(t, c.str("report")))
	for _, want := range strs(c.Expect["contains"]) {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("%q is gone:\n%s", want, out)
		}
	}
	for _, gone := range strs(c.Expect["not_contains"]) {
		if bytes.Contains(out, []byte(gone)) {
			t.Errorf("%q is still there:\n%s", gone, out)
		}
	}
	if c.Expect["idempotent"] == true && !bytes.Equal(out, set(out)) {
		t.Errorf("twice is not once:\n%s", set(out))
	}
}

// shape is what a rendered report is made of, beside its text.
type shape struct {
	links                              []string
	headings, images, scripts, columns int
}

// renderTitles prints sources whose titles and quotes are markup, and compares with plain ones.
func renderTitles(t *testing.T, c failureCase) {
	if c.str("report") != "" {
		t.Skip("not run here: what prints a report that no check let through is a test of report/forms (TestPhonesHome)")
	}
	var sources map[string]struct{ URL, Title, Quote string }
	c.json(t, "sources", &sources)
	render := func(plain bool) (md, page shape, check audit.Result) {
		rec := audit.Record{Question: "What do the sources say?", Spans: map[string][]evidence.Span{}, Facts: &audit.Facts{Run: "r-1", Reads: len(sources), Stop: "done", Finished: nowUTC()}}
		for _, id := range sortedKeys(sources) {
			s := sources[id]
			if plain {
				s.Title, s.Quote = "A title", "A quote of some words"
			}
			at := evidence.Locator{Unit: evidence.Para, A: 1}
			rec.Spans[id] = []evidence.Span{{Source: id, Locator: at, Text: s.Quote}}
			rec.Sources = append(rec.Sources, evidence.Source{ID: id, URL: s.URL, Title: s.Title, Kind: evidence.HTML, SHA256: strings.Repeat("0a", 32), TextSHA256: evidence.TextHash(rec.Spans[id]), Fetched: nowUTC()})
			rec.Findings = append(rec.Findings, evidence.Finding{ID: evidence.FindingID(len(rec.Findings) + 1), Claim: s.Quote, Quote: s.Quote, Source: id, Locator: at, Match: evidence.MatchExact})
		}
		in := report.Input{Record: rec}
		text := report.Assemble(in)
		check = audit.Report(text, rec)
		data, err := report.JSON(text, in)
		if err != nil {
			t.Fatal(err)
		}
		b, err := report.ParseJSON(data)
		if err != nil {
			t.Fatal(err)
		}
		form, err := forms.New(b)
		if err != nil {
			t.Fatalf("%v\n%+v\n%s", err, check.Failures, text)
		}
		out, err := form.HTML()
		if err != nil {
			t.Fatal(err)
		}
		return markdownShape(text), htmlShape(t, out), check
	}
	md, page, check := render(false)
	plainMD, plainPage, _ := render(true)
	if !check.OK || check.Citations == 0 {
		t.Errorf("the check of the report: %+v", check)
	}
	for name, s := range map[string][2]shape{"markdown": {md, plainMD}, "html": {page, plainPage}} {
		if slices.ContainsFunc(s[0].links, func(l string) bool { return !slices.Contains(strs(c.Expect["links_only_to"]), l) }) {
			t.Errorf("%s links to %q", name, s[0].links)
		}
		if s[0].headings != s[1].headings || s[0].images != 0 || s[0].scripts != s[1].scripts || s[0].scripts != 0 || s[0].columns != s[1].columns {
			t.Errorf("%s: %+v, of plain titles %+v", name, s[0], s[1])
		}
	}
}

func markdownShape(md []byte) (s shape) {
	root, _ := audit.Parse(md)
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			s.headings++
		case *ast.Image:
			s.images++
		case *ast.Link:
			s.links = append(s.links, string(n.Destination))
		case *ast.AutoLink:
			s.links = append(s.links, string(n.URL(md)))
		case *ast.RawHTML, *ast.HTMLBlock:
			s.scripts++
		case *east.TableCell:
			s.columns++
		}
		return ast.WalkContinue, nil
	})
	return s
}

func htmlShape(t *testing.T, page []byte) (s shape) {
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "h1", "h2", "h3", "h4", "h5", "h6":
			s.headings++
		case "img", "iframe", "object", "embed":
			s.images++
		case "script":
			s.scripts++
		case "td", "th":
			s.columns++
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") {
				s.scripts++
			}
			if at, _, _ := strings.Cut(a.Val, "#"); a.Key == "href" && at != "" {
				s.links = append(s.links, at)
			}
		}
	}
	return s
}

// provenance checks where a report links to: what was read, what a search only named, what the user gave and nobody opened.
func provenance(t *testing.T, c failureCase) {
	var run struct {
		Results []string `json:"search_results"`
		Fetched []struct{ Requested, Final string }
		Given   []string `json:"user_given"`
	}
	c.json(t, "run", &run)
	pages := web{}
	read := corpus.New()
	for _, f := range run.Fetched {
		pages[f.Final] = []byte("<p>What this page says is of no matter here.</p>")
		pages.read(t, read, f.Final)
	}
	rec := record(read, nil)
	rec.Given = run.Given
	for _, url := range run.Results {
		if !slices.ContainsFunc(rec.Sources, func(s evidence.Source) bool { return s.URL == url }) {
			rec.Sources = append(rec.Sources, evidence.Source{ID: evidence.SourceID(len(rec.Sources) + 1), URL: url, Kind: evidence.HTML}) // never fetched
		}
	}
	check := audit.Report(c.file(t, c.str("report")), rec)
	for url, want := range map[string]audit.Code{strs(c.Expect["grounded"])[0]: "", strs(c.Expect["ungrounded"])[0]: audit.UnreadLink, strs(c.Expect["given_not_read"])[0]: audit.GivenNotRead} {
		var got audit.Code
		for _, f := range check.Failures {
			if f.Text == url {
				got = f.Code
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
	for i, s := range rec.Sources { // a citation of a page that was only seen
		if s.Fetched.IsZero() {
			cited := "It says so [" + rec.Sources[i].ID + " para.1].\n"
			if r := audit.Fragment([]byte(cited), rec); r.OK || r.Failures[0].Code != audit.NotFetched {
				t.Errorf("%s: %+v", cited, r.Failures)
			}
		}
	}
}

// claimSupport holds claims against quotes. The bank names flags in words of its own.
func claimSupport(t *testing.T, c failureCase) {
	var findings []struct{ Claim, Quote string }
	c.json(t, "findings", &findings)
	for i, want := range c.Expect["flags"].([]any) {
		f := findings[i]
		verdicts := claim.Check(f.Claim, f.Quote, claim.Context{})
		has := func(code claim.Code, words ...string) bool {
			return slices.ContainsFunc(verdicts, func(v claim.Verdict) bool {
				return v.Code == code && !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(v.Claim, w) })
			})
		}
		if len(strs(want)) == 0 && len(verdicts) > 0 {
			t.Errorf("%q: %+v, want nothing", f.Claim, verdicts)
		}
		for _, flag := range strs(want) {
			name, terms, _ := strings.Cut(flag, ": ")
			ok := false
			switch name {
			case "unsupported_terms":
				ok = has(claim.Unsupported, strings.Split(terms, ", ")...)
			case "quote_too_thin":
				ok = evidence.MatchText(evidence.HTML, f.Quote, f.Quote, evidence.Limits{}).Reason == evidence.ReasonTooShort
			case "negative_claim":
				ok = has(claim.NegationAdded)
			}
			if !ok {
				t.Errorf("%q of %q: no %s in %+v", f.Claim, f.Quote, flag, verdicts)
			}
		}
	}
}

// sourceDrift reads a source again: the recorded quote stays, whatever it says now.
func sourceDrift(t *testing.T, c failureCase) {
	const url = "https://halden.example/losses"
	quote := c.str("quote")
	read := corpus.New()
	id := web{url: c.file(t, c.str("before"))}.read(t, read, url)
	key, m := read.Quote(id, quote)
	if !m.OK() {
		t.Fatal("the quote is not there to begin with")
	}
	rec := record(read, []evidence.Finding{{ID: "F1", Claim: "Losses " + quote + ".", Quote: m.Quote, Source: id, Locator: key.Locator, Match: m.Kind}})
	b := report.Bundle{Sources: rec.Sources, Spans: rec.Spans, Findings: rec.Findings}
	states := map[string][]recheck.State{"drifted": {recheck.Edited}, "unchanged_quote": {recheck.Unchanged, recheck.Moved}, "unavailable": {recheck.Gone}}
	now := c.Input["now"].([]any)
	for i, want := range strs(c.Expect["status"]) {
		pages := web{}
		if name, ok := now[i].(string); ok {
			pages[url] = c.file(t, name)
		}
		list, err := recheck.Report(context.Background(), b, func(evidence.Source) recheck.Reader { return &corpus.Reader{Fetcher: pages, Extract: extract.Extract} })
		if err != nil {
			t.Fatal(err)
		}
		if len(list) != 1 || !slices.Contains(states[want], list[0].State) {
			t.Errorf("%v: %+v, want %s", now[i], list, want)
			continue
		}
		for _, q := range list[0].Quotes {
			if kept := q.Selectors[0].Exact; kept != c.Expect["kept_quote"] {
				t.Errorf("%v: the quote became %q", now[i], kept)
			}
		}
	}
	if b.Findings[0].Quote != c.Expect["kept_quote"] {
		t.Errorf("the finding's quote became %q", b.Findings[0].Quote)
	}
}
