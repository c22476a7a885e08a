package knowledge

import (
	"context"
	_ "embed" // the prompt
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"ibid/budget"
	"ibid/llm"
	"ibid/llm/fence"
)

//go:embed facts.md
var prompt string

// Prompt is what a model is told that draws facts: what stands before the first heading is the system prompt, the sections are
// the tool that it answers by. A run pins it.
func Prompt() string { return strings.TrimSpace(prompt) }

// A Model draws facts by asking a model, whose answer is held against the text: what does not stand there is dropped.
type Model struct {
	Name   string
	Prompt string
	// Ask makes one exchange, and says what it cost, also where it failed.
	Ask func(ctx context.Context, r llm.Request) (llm.Response, budget.Amount, error)
}

// Extract asks for the facts of a snippet.
func (m Model) Extract(ctx context.Context, s Snippet) ([]Draft, string, budget.Amount, error) {
	r, spent, err := m.Ask(ctx, m.Request(s))
	if err != nil {
		return nil, "", spent, err
	}
	facts, err := Facts(s, r)
	return facts, m.Name, spent, err
}

// maxAnswer is the longest answer that is asked for, in tokens.
const maxAnswer = 8192

// Request asks for the facts of a snippet: the same for the same text. Its fence is made of the text, so that no text within can
// hold it.
func (m Model) Request(s Snippet) llm.Request {
	id := hash("piece", s.Text)
	data := fence.Fence(id[12:24]).Around(struct {
		Title string `json:"title,omitempty"`
		Text  string `json:"untrusted_text"`
	}{clip(s.Title, 300), s.Text})
	system, _, _ := strings.Cut(m.Prompt, "\n## ")
	return llm.Request{Model: m.Name, System: strings.TrimSpace(system), Tools: []llm.Tool{factsTool(m.Prompt)}, Choice: llm.ChoiceRequired, MaxTokens: maxAnswer,
		Messages: []llm.Message{{Role: llm.User, Blocks: []llm.Block{{Text: "Piece " + id[:12] + "\n\n" + data}}}}}
}

const toolName = "facts"

func factsTool(prompt string) llm.Tool {
	property := func(name string) map[string]any {
		return map[string]any{"type": "string", "description": section(prompt, "argument: "+name)}
	}
	item := map[string]any{"type": "object", "additionalProperties": false, "required": []string{"entity", "relation", "target", "description", "quote"},
		"properties": map[string]any{"entity": property("entity"), "relation": property("relation"), "target": property("target"),
			"description": property("description"), "quote": property("quote")}}
	schema, err := json.Marshal(map[string]any{"type": "object", "additionalProperties": false, "required": []string{"piece", "facts"},
		"properties": map[string]any{"piece": property("piece"), "facts": map[string]any{"type": "array", "items": item}}})
	if err != nil {
		panic(err) // strings: a fault of the program
	}
	return llm.Tool{Name: toolName, Description: section(prompt, "tool: "+toolName), Schema: schema}
}

// section is the text under a heading of the prompt.
func section(prompt, name string) string {
	_, body, _ := strings.Cut(prompt, "\n## "+name+"\n")
	body, _, _ = strings.Cut(body, "\n## ")
	return strings.TrimSpace(body)
}

// Facts reads a model's answer about a snippet. What is not exactly one list about this very text is an error; of the list, those
// that the text does not say are left out.
func Facts(s Snippet, r llm.Response) ([]Draft, error) {
	var a struct {
		Piece string `json:"piece"`
		Facts []struct {
			Entity      string `json:"entity"`
			Relation    string `json:"relation"`
			Target      string `json:"target"`
			Description string `json:"description"`
			Quote       string `json:"quote"`
		} `json:"facts"`
	}
	text := r.Text()
	switch calls := r.Calls(); {
	case r.Stop == llm.StopLength:
		return nil, fmt.Errorf("the model's answer was cut off")
	case r.Stop == llm.StopRefusal:
		return nil, fmt.Errorf("the model declined to answer")
	case len(calls) > 1, len(calls) == 1 && calls[0].Name != toolName:
		return nil, fmt.Errorf("the model's answer is no list of facts as it was asked for")
	case len(calls) == 1:
		text = calls[0].Args
	}
	d := json.NewDecoder(strings.NewReader(text))
	err := d.Decode(&a)
	if _, more := d.Token(); err != nil || more != io.EOF {
		return nil, fmt.Errorf("the model's answer is no list of facts as it was asked for")
	}
	if a.Piece != hash("piece", s.Text)[:12] {
		return nil, fmt.Errorf("the model's answer is about another text")
	}
	var out []Draft
	for _, f := range a.Facts[:min(len(a.Facts), maxFacts)] {
		if d, ok := hold(s.Text, Draft{Entity: f.Entity, Relation: f.Relation, Target: f.Target, Description: f.Description, Quote: f.Quote}); ok {
			out = append(out, d)
		}
	}
	return once(out), nil
}
