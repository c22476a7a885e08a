package knowledge

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"ibid/budget"
	"ibid/llm"
)

const northern = "Losses in the northern grid fell to 4.1 percent in 2024. The survey did not cover the islands. Halden may raise its tariffs."

func listed(piece string, facts ...map[string]string) llm.Response {
	args, err := json.Marshal(map[string]any{"piece": piece, "facts": facts})
	if err != nil {
		panic(err)
	}
	return llm.Response{Stop: llm.StopTools, Blocks: []llm.Block{{Call: &llm.ToolCall{ID: "c", Name: toolName, Args: string(args)}}}}
}

func fact(entity, relation, target, description, quote string) map[string]string {
	return map[string]string{"entity": entity, "relation": relation, "target": target, "description": description, "quote": quote}
}

// A model's fact counts where all its words, figures and denials stand in its quote, and the quote in the text.
func TestModelFactsAreHeldAgainstTheText(t *testing.T) {
	s := Snippet{Text: northern}
	piece := hash("piece", s.Text)[:12]
	const q = "Losses in the northern grid fell to 4.1 percent in 2024."
	for name, tt := range map[string]struct {
		fact map[string]string
		want bool
	}{
		"true":               {fact("Losses in the northern grid", "fell to", "4.1 percent", "Losses in the northern grid fell to 4.1 percent in 2024.", q), true},
		"another figure":     {fact("Losses in the northern grid", "fell to", "4.6 percent", "Losses fell to 4.6 percent in 2024.", q), false},
		"another direction":  {fact("Losses in the northern grid", "rose to", "4.1 percent", "Losses rose to 4.1 percent in 2024.", q), false},
		"a word of its own":  {fact("Energy losses", "fell to", "4.1 percent", q, q), false},
		"another quote":      {fact("Losses", "fell to", "4.1 percent", "", "Losses in the southern grid fell to 4.1 percent in 2024."), false},
		"denial dropped":     {fact("The survey", "did cover", "the islands", "The survey did cover the islands.", "The survey did not cover the islands."), false},
		"denial kept":        {fact("The survey", "did not cover", "the islands", "The survey did not cover the islands.", "The survey did not cover the islands."), true},
		"half a fact":        {fact("Losses", "", "4.1 percent", q, q), false},
		"of another text":    {fact("The moon", "is made of", "green cheese", "", "The moon is made of green cheese."), false},
		"without a sentence": {fact("Losses in the northern grid", "fell to", "4.1 percent", "", q), true},
	} {
		got, err := Facts(s, listed(piece, tt.fact))
		if err != nil || (len(got) == 1) != tt.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	for name, r := range map[string]llm.Response{
		"another piece": listed("000000000000", fact("Losses in the northern grid", "fell to", "4.1 percent", "", q)),
		"cut off":       {Stop: llm.StopLength},
		"prose":         {Blocks: []llm.Block{{Text: "There are three facts."}}},
		"another tool":  {Blocks: []llm.Block{{Call: &llm.ToolCall{Name: "shell", Args: "{}"}}}},
	} {
		if got, err := Facts(s, r); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// A snippet that wants a model is read by it, whoever works on the queue, and its cost is noted; one whose model fails or is not
// there is read by rule, and it is said why.
func TestModelReadsTheQueue(t *testing.T) {
	b := open(t, address(t))
	down := false
	b.Open = func(name string) (Extractor, error) {
		if name != "halden/large" {
			return nil, errors.New("there is no such model")
		}
		return Model{Name: name, Prompt: Prompt(), Ask: func(_ context.Context, r llm.Request) (llm.Response, budget.Amount, error) {
			text := r.Messages[0].Blocks[0].Text
			piece := strings.Fields(text)[1]
			if down {
				return llm.Response{}, budget.Amount{Tokens: 7}, errors.New("no answer")
			}
			if !strings.Contains(text, "[untrusted ") || len(r.Tools) != 1 || r.Tools[0].Description == "" || r.System == "" {
				t.Errorf("request %+v", r)
			}
			return listed(piece, fact("Halden", "may raise", "its tariffs", "Halden may raise its tariffs.", "Halden may raise its tariffs.")), budget.Amount{Tokens: 100, MicroUSD: 5}, nil
		}}, nil
	}
	for _, text := range []string{northern, "Second: " + northern, "Third: " + northern} {
		model := "halden/large"
		if strings.HasPrefix(text, "Third") {
			model = "halden/small"
		}
		if _, err := b.Remember(t.Context(), me, "notes", Snippet{Text: text, Label: User, Model: model}, false); err != nil {
			t.Fatal(err)
		}
	}
	id, err := find(t.Context(), b.DB, me, "notes")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Absorb(t.Context(), me, "notes", 1, nil); err != nil {
		t.Fatal(err)
	}
	down = true
	if toll, err := b.Work(t.Context(), me, "notes"); err != nil || toll.Snippets != 2 || toll.Spent.Tokens != 7 {
		t.Fatalf("%+v, %v", toll, err)
	}
	list, err := snippets(t.Context(), b.DB, id, `seq > 0`)
	if err != nil || len(list) != 3 {
		t.Fatal(list, err)
	}
	if s := list[0]; s.By != "halden/large" || s.Failure != "" || s.Facts != 1 || s.Spent.Tokens != 100 || s.Spent.MicroUSD != 5 {
		t.Errorf("%+v", s)
	}
	if s := list[1]; s.By != rulesID || !strings.Contains(s.Failure, "no answer") || s.Facts != 3 {
		t.Errorf("%+v", s)
	}
	if s := list[2]; s.By != rulesID || !strings.Contains(s.Failure, "no such model") {
		t.Errorf("%+v", s)
	}
	if i, err := b.Info(t.Context(), me, "notes"); err != nil || i.Tokens != 107 || i.Waiting != 0 {
		t.Errorf("%+v, %v", i, err)
	}
}

// FuzzFacts: whatever a model answers, every word of a fact stands in its quote, and the quote in the text.
func FuzzFacts(f *testing.F) {
	f.Add(northern, "Losses", "fell to", "4.1 percent", "Losses fell", "Losses in the northern grid fell to 4.1 percent in 2024.")
	f.Add("a “b” c is d\u00adef g", "b", "is", "def", "", "\"b\" c is def")
	f.Fuzz(func(t *testing.T, text, entity, relation, target, description, quote string) {
		if len(text) > MaxText {
			return
		}
		s := Snippet{Text: text}
		got, err := Facts(s, listed(hash("piece", text)[:12], fact(entity, relation, target, description, quote)))
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range got {
			if !strings.Contains(text, d.Quote) {
				t.Fatalf("%q is not in %q", d.Quote, text)
			}
			for _, part := range []string{d.Entity, d.Relation, d.Target, d.Description} {
				if !wordsIn(part, stems(d.Quote)) || part == "" {
					t.Fatalf("%q is not in %q", part, d.Quote)
				}
			}
		}
	})
}
