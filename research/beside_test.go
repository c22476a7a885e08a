package research

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"ibid/agent"
	"ibid/corpus"
	"ibid/evidence"
	"ibid/extract"
	"ibid/research/prompts"
)

// A row is read with the heads of its columns and the caption of its table, a page of a book with the number printed on it.
func TestWhatStandsBeside(t *testing.T) {
	row := func(n int, text string) extract.Block {
		return extract.Block{Locator: evidence.Locator{Unit: evidence.Page, A: 7, B: n}, Text: text, Role: evidence.RoleRow, Main: true, Quotable: true,
			Columns: "Port | Cranes", Caption: "Cranes by port", Label: "iii"}
	}
	blocks := []extract.Block{{Locator: evidence.Locator{Unit: evidence.Page, A: 7, B: 1}, Text: "The ports were counted in May.", Main: true, Quotable: true, Label: "iii"},
		row(2, "Halden | 41"), row(3, "Norrport | 17"), {Locator: evidence.Locator{Unit: evidence.Page, A: 8, B: 1}, Text: "Nothing stands beside this.", Main: true, Quotable: true}}
	passages, cut := beginning(blocks, 1000)
	got := string(toJSON(passages))
	want := `[{"at":"p.7.1","text":"The ports were counted in May.","printed_page":"iii"},` +
		`{"at":"p.7.2","role":"row","text":"Halden | 41","columns":"Port | Cranes","caption":"Cranes by port"},` +
		`{"at":"p.7.3","role":"row","text":"Norrport | 17"},{"at":"p.8.1","text":"Nothing stands beside this."}]`
	if got != want || cut {
		t.Errorf("read_pages shows\n%s\nwant\n%s", got, want)
	}
	if passages, cut = beginning(blocks, 60); len(passages) != 1 || !cut {
		t.Errorf("what stands beside does not count: %d passages", len(passages))
	}

	s := &state{corpus: corpus.New()}
	s.corpus.Ingest(corpus.Reading{Source: evidence.Source{URL: "https://a.example/x.pdf", Title: "Ports", Kind: evidence.PDF}, Blocks: blocks})
	text := prompts.Text{}
	for name, c := range map[string]struct {
		tool agent.Tool
		args string
		span string
	}{
		"search_corpus": {&corpusTool{s, text}, `{"query":"Norrport","k":1}`, "S1:p.7.3"},
		"quote":         {&quoteTool{s, text}, `{"source_id":"S1","needle":"Norrport | 17"}`, "S1:p.7.3"},
	} {
		action, err := c.tool.Admit(agent.Call{Args: json.RawMessage(c.args)})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := action.Then(nil).Content
		if !strings.Contains(got, c.span) || !strings.Contains(got, `"columns":"Port | Cranes","caption":"Cranes by port","printed_page":"iii"`) {
			t.Errorf("%s answers %s", name, got)
		}
	}
}

// A report says who made its sources, where they say so. A run from before reports said it replays as it was.
func TestWhoMadeTheSources(t *testing.T) {
	signed := func(imprints bool) func(*Config, *Parts) {
		return func(c *Config, p *Parts) {
			c.Imprints = imprints
			reader := p.Reader
			p.Reader = readerFunc(func(ctx context.Context, url string) (*corpus.Reading, error) {
				r, err := reader.Read(ctx, url)
				if r != nil {
					r.Source.Author, r.Source.Published = "Grid desk", "2025-02-03"
				}
				return r, err
			})
		}
	}
	for _, imprints := range []bool{true, false} {
		r, _, _, _ := research(t, honest, signed(imprints))
		if got := strings.Contains(string(r.Markdown), "by Grid desk, published on 2025-02-03"); !r.Verified || got != imprints {
			t.Errorf("imprints %v: verified %v\n%s", imprints, r.Verified, r.Markdown)
		}
	}
	if c, err := ParseConfig([]byte(`{"question":"What?","tier":"quick"}`)); err == nil && c.Imprints {
		t.Error("a run of before prints them")
	}
}

type readerFunc func(ctx context.Context, url string) (*corpus.Reading, error)

func (f readerFunc) Read(ctx context.Context, url string) (*corpus.Reading, error) {
	return f(ctx, url)
}
