package research

import (
	"context"
	"strings"
	"testing"

	"ibid/search"
)

// register is a provider that knows of a notice on what it finds.
type register struct{ search.Provider }

func (p register) Search(ctx context.Context, q string, n int) (search.Answer, error) {
	a, err := p.Provider.Search(ctx, q, n)
	for _, r := range a.Results {
		a.Notices = append(a.Notices, search.Notice{URL: r.URL, Status: "retracted", Says: "Crossref has a notice: retraction"})
	}
	return a, err
}

// TestNotices: what a register of works says of the standing of a source stands in the report, though the page that was read does
// not say it, and a replay comes to it with nobody asked.
func TestNotices(t *testing.T) {
	r, _, j, id := research(t, honest, func(_ *Config, p *Parts) { p.Search = register{p.Search} })
	md := string(r.Markdown)
	if !r.Verified || !strings.Contains(md, "S1 is retracted.") || !strings.Contains(md, "retracted, sha256") || !strings.Contains(string(r.JSON), "Crossref has a notice: retraction") {
		t.Errorf("%v\n%s", r.Check.Failures, md)
	}
	for _, said := range toolResults(t, j, id) {
		if strings.Contains(said, "notice") && strings.Contains(said, "Crossref") {
			t.Errorf("the model reads of it: %s", said)
		}
	}
	replayed(t, j, id, r)
	if plain, _, _, _ := research(t, honest, nil); strings.Contains(string(plain.Markdown), "retracted") {
		t.Errorf("without a notice:\n%s", plain.Markdown)
	}
}
