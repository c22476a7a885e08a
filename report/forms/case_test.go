package forms

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"ibid/audit"
	"ibid/evidence"
	"ibid/internal/testset"
	"ibid/report"
)

// TestPhonesHome: a report that would load pictures and frames and run scripts has no form, since its check refuses it; and
// behind the check the printer leaves nothing of it either, but the link to what was read.
func TestPhonesHome(t *testing.T) {
	file := func(name string) []byte {
		body, err := os.ReadFile(testset.Path(t, "cases", "183-report-that-phones-home", name))
		if err != nil {
			t.Fatal(err)
		}
		return body
	}
	var c struct {
		Expect struct {
			Kept       []string `json:"links_kept"`
			Dropped    []string `json:"links_dropped"`
			Elements   []string `json:"elements_absent"`
			Attributes []string `json:"attributes_absent"`
		}
	}
	if err := json.Unmarshal(file("case.json"), &c); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, "What became of the losses?")
	w.source(evidence.Source{URL: c.Expect.Kept[0], Title: "Losses", Kind: evidence.HTML}, "para.1|Losses fell in the northern grid.")
	b := report.Bundle{Version: 1, Question: w.in.Record.Question, Report: string(file("report.md")), Sources: w.in.Record.Sources, Spans: w.in.Record.Spans, Facts: w.in.Record.Facts}
	var failed *FailedError
	if _, err := New(b); !errors.As(err, &failed) {
		t.Fatalf("%v: it has a form", err)
	}
	for _, code := range []audit.Code{audit.UnreadLink, audit.RawHTML} {
		if !slices.ContainsFunc(failed.Result.Failures, func(f audit.Failure) bool { return f.Code == code && f.Severity == audit.Block }) {
			t.Errorf("%s does not block: %+v", code, failed.Result.Failures)
		}
	}
	page, err := take(b).HTML()
	if err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(strings.NewReader(string(page)))
	if err != nil {
		t.Fatal(err)
	}
	var links []string
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if slices.Contains(c.Expect.Elements, n.Data) && !(n.Data == "style" && n.FirstChild.Data == pageStyle) {
			t.Errorf("an element %s", n.Data)
		}
		for _, a := range n.Attr {
			if slices.Contains(c.Expect.Attributes, a.Key) || a.Key == "src" || a.Key == "srcset" || a.Key == "poster" {
				t.Errorf("%s has %s=%q", n.Data, a.Key, a.Val)
			}
			if a.Key == "href" && !strings.HasPrefix(a.Val, "#") {
				links = append(links, a.Val)
			}
		}
	}
	for _, kept := range c.Expect.Kept {
		if !slices.Contains(links, kept) {
			t.Errorf("%s is gone: %q", kept, links)
		}
	}
	for _, l := range links {
		if !slices.Contains(c.Expect.Kept, l) || slices.Contains(c.Expect.Dropped, l) {
			t.Errorf("it links to %s", l)
		}
	}
}
