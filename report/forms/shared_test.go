package forms

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"golang.org/x/net/html"

	"ibid/audit"
	"ibid/evidence"
	"ibid/internal/testset"
	"ibid/report"
)

// TestNothingIsLost: over the shared reports, the page says what another renderer of the Markdown says, word for word, and each
// citation that the check counts can be opened.
func TestNothingIsLost(t *testing.T) {
	body, err := os.ReadFile(testset.Path(t, "data", "reports", "honest.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	markdown := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify))
	seen := 0
	lines := bufio.NewScanner(bytes.NewReader(body))
	for lines.Buffer(nil, 1<<24); lines.Scan(); {
		var shared struct {
			ID, Question, Report string
			Sources              []struct {
				ID, Kind, Title, URL, SHA256 string
				Fetched                      *time.Time
				Spans                        []evidence.Span
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &shared); err != nil {
			t.Fatal(err)
		}
		b := report.Bundle{Question: shared.Question, Report: shared.Report, Spans: map[string][]evidence.Span{}, Facts: &audit.Facts{}}
		for _, s := range shared.Sources {
			b.Sources = append(b.Sources, evidence.Source{ID: s.ID, URL: s.URL, Title: s.Title, Kind: evidence.Kind(s.Kind), SHA256: s.SHA256})
			b.Spans[s.ID] = s.Spans
		}
		r := take(b)
		page, err := r.HTML()
		if err != nil {
			t.Fatal(err)
		}
		var other bytes.Buffer
		if err := markdown.Convert([]byte(shared.Report), &other); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(shared.Report, "[^") || strings.Contains(shared.Report, "![") {
			continue // the other renderer has no footnotes, and pictures
		}
		seen++
		got, want := words(string(page), "main"), words(other.String(), "")
		if got != want {
			at := 0
			for at < min(len(got), len(want)) && got[at] == want[at] {
				at++
			}
			t.Errorf("%s: the page says %.80q, the Markdown %.80q", shared.ID, got[max(0, at-30):], want[max(0, at-30):])
		}
		_, cites := audit.Parse([]byte(shared.Report))
		n := 0
		for _, c := range cites {
			n += len(c.Spans)
		}
		if buttons := strings.Count(string(page), `class="cite"`); buttons != n {
			t.Errorf("%s: %d citations, %d of them open something", shared.ID, n, buttons)
		}
	}
	if seen < 60 {
		t.Errorf("only %d reports", seen)
	}
}

// words are those that a page shows, without white space; only those in one element if it is named.
func words(page, only string) string {
	var b strings.Builder
	in := only == ""
	for z := html.NewTokenizer(strings.NewReader(page)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return strings.Join(strings.Fields(b.String()), "")
		case html.TextToken:
			if in {
				b.WriteString(z.Token().Data)
			}
		case html.StartTagToken, html.EndTagToken:
			if t := z.Token(); t.Data == only {
				in = t.Type == html.StartTagToken
			}
		}
	}
}
