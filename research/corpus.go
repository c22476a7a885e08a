package research

import (
	"strings"

	"ibid/agent"
	"ibid/evidence"
	"ibid/llm"
	"ibid/research/prompts"
)

// corpusTool finds passages in what was read (TOOLS-4).
type corpusTool struct {
	*state
	text prompts.Text
}

// spanView is one span as the model reads it.
type spanView struct {
	Span  string `json:"span"`
	Title string `json:"source_title"`
	URL   string `json:"url"`
	Role  string `json:"role,omitempty"`
	Under string `json:"heading,omitempty"` // the heading above it
	Text  string `json:"untrusted_text"`
	beside
}

// spansView is what a search answers.
type spansView struct {
	Spans []spanView `json:"spans"`
}

func (t *corpusTool) Spec() llm.Tool {
	return spec("search_corpus", t.text,
		property{"query", `{"type":"string"}`, true},
		property{"k", `{"type":"integer","minimum":1,"maximum":20}`, false})
}

func (t *corpusTool) Admit(c agent.Call) (agent.Action, error) {
	args := struct {
		Query string `json:"query"`
		K     int    `json:"k"`
	}{K: 8}
	if err := agent.Decode(c.Args, &args); err != nil {
		return agent.Action{}, err
	}
	if strings.TrimSpace(args.Query) == "" {
		return agent.Action{}, t.text.Error("empty")
	}
	return now(func() agent.Result {
		if len(t.corpus.Sources()) == 0 {
			return refuse(t.text.Error("nothing_read"))
		}
		spans := []spanView{}
		for _, hit := range t.corpus.Search(args.Query, min(max(args.K, 1), 20)) {
			source, _ := t.corpus.Source(hit.Key.Source)
			spans = append(spans, spanView{hit.Key.String(), source.Title, source.URL, string(hit.Role), hit.Heading, hit.Text, t.beside(hit.Key)})
		}
		return t.fence.reply(spansView{spans})
	}), nil
}

// quoteTool finds where words stand (TOOLS-5).
type quoteTool struct {
	*state
	text prompts.Text
}

// quoteView is where words stand, as the source has them.
type quoteView struct {
	Span  string             `json:"span"`
	Quote string             `json:"quote"`
	Match evidence.MatchKind `json:"match"`
	beside
}

func (t *quoteTool) Spec() llm.Tool {
	return spec("quote", t.text,
		property{"source_id", `{"type":"string"}`, true},
		property{"needle", `{"type":"string"}`, true})
}

func (t *quoteTool) Admit(c agent.Call) (agent.Action, error) {
	var args struct {
		Source string `json:"source_id"`
		Needle string `json:"needle"`
	}
	if err := agent.Decode(c.Args, &args); err != nil {
		return agent.Action{}, err
	}
	return now(func() agent.Result {
		doc := t.corpus.Doc(args.Source)
		if doc == nil {
			return refuse(t.text.Error("unknown_source", "source", args.Source, "sources", t.sourceIDs()))
		}
		match := doc.Find(args.Needle)
		if !match.OK() {
			return t.notFound(doc, args.Source, args.Needle, match)
		}
		key := evidence.Key{Source: args.Source, Locator: match.Locator}
		return t.fence.reply(quoteView{key.String(), match.Quote, match.Kind, t.beside(key)})
	}), nil
}

// beside looks up what stands beside a span.
func (s *state) beside(k evidence.Key) beside {
	for _, span := range s.corpus.Spans(k.Source) {
		if span.Locator == k.Locator {
			return beside{span.Columns, span.Caption, span.Label}
		}
	}
	return beside{}
}
