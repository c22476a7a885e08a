// Package judge asks a model what rules cannot decide: does a quote carry a claim (FIND-8)? It makes the request, reads the
// answer and finds the score from which on a model's word is taken. It is pure: sending, paying and recording belong to
// whoever asks.
//
// A judge errs on one pair in four or five. So its word clears a flag at most: see evidence.Ruling.
package judge

import (
	_ "embed" // the prompt
	"encoding/json"
	"strings"

	"ibid/audit/claim"
	"ibid/evidence"
	"ibid/llm"
	"ibid/llm/fence"
	"ibid/store"
)

//go:embed judge.md
var prompt string

// Prompt is what a judge is told: what stands before the first heading is the system prompt, the sections are the tool that
// it answers by. A run pins it, since a threshold is good for one model with one prompt.
func Prompt() string { return strings.TrimSpace(prompt) }

// Version names a prompt by its content: the first 12 hex digits of a SHA-256.
func Version(prompt string) string { return store.Hash([]byte(prompt))[:12] }

// DefaultThreshold is used where nobody has calibrated: cautious, so that a flag rather stays.
const DefaultThreshold = 80

// A Judge is a model with what it is told and what its word is worth.
type Judge struct {
	Model     string // its name, as recorded
	Prompt    string
	Threshold int // 0 to 100
}

// MaxTokens is the longest answer that a judge may give, with the thinking before it.
const MaxTokens = 2048

// Limits of what a judge is shown, in bytes. A pair whose claim or quote is longer is not judged: a cut quote is another one.
const (
	maxQuote  = 24 << 10
	maxAround = 2 << 10 // each part of the context, which may be cut
)

// Fits reports whether a question can be put to a judge.
func Fits(q claim.Question) bool {
	return len(q.Claim) <= claim.MaxClaim && len(q.Quote) <= maxQuote && strings.TrimSpace(q.Claim) != "" && strings.TrimSpace(q.Quote) != ""
}

// pairID is the name by which an answer says which pair it is about. A source does not know it.
func pairID(q claim.Question) string { return q.ID()[:12] }

// Request asks about q. The same question gives the same request, in every run. Its fence is made of the question, so that
// no text within can hold it.
func (j Judge) Request(q claim.Question) llm.Request {
	id := q.ID()
	c := q.Context
	data := fence.Fence(id[12:24]).Around(struct {
		Claim   string `json:"claim"`
		Quote   string `json:"quote"`
		Title   string `json:"title,omitempty"`
		Heading string `json:"heading,omitempty"`
		Table   string `json:"table,omitempty"`
		Before  string `json:"before,omitempty"`
		After   string `json:"after,omitempty"`
		Voice   string `json:"voice,omitempty"`
	}{q.Claim, q.Quote, front(c.Title), front(c.Heading), front(c.Table), back(c.Before), front(c.After), front(c.Voice)})
	system, _, _ := strings.Cut(j.Prompt, "\n## ")
	return llm.Request{Model: j.Model, System: strings.TrimSpace(system), Tools: []llm.Tool{tool(j.Prompt)}, Choice: llm.ChoiceRequired, MaxTokens: MaxTokens,
		Messages: []llm.Message{{Role: llm.User, Blocks: []llm.Block{{Text: "Pair " + pairID(q) + "\n\n" + data}}}}}
}

// front keeps the beginning of a text, back its end: what is next to the quote.
func front(s string) string {
	if s = strings.TrimSpace(s); len(s) > maxAround {
		s = strings.ToValidUTF8(s[:maxAround], "")
	}
	return s
}

func back(s string) string {
	if s = strings.TrimSpace(s); len(s) > maxAround {
		s = strings.ToValidUTF8(s[len(s)-maxAround:], "")
	}
	return s
}

// toolName is the tool by which a judge answers.
const toolName = "verdict"

func tool(prompt string) llm.Tool {
	property := func(name string, rest map[string]any) map[string]any {
		rest["description"] = section(prompt, "argument: "+name)
		return rest
	}
	schema, err := json.Marshal(map[string]any{"type": "object", "additionalProperties": false, "required": []string{"pair", "verdict", "score", "reason"},
		"properties": map[string]any{
			"pair":    property("pair", map[string]any{"type": "string"}),
			"verdict": property("verdict", map[string]any{"type": "string", "enum": []string{evidence.Supported, evidence.Contradicted, evidence.NotEnough}}),
			"score":   property("score", map[string]any{"type": "integer", "minimum": 0, "maximum": 100}),
			"reason":  property("reason", map[string]any{"type": "string"}),
		}})
	if err != nil {
		panic(err) // strings and numbers: a fault of the program
	}
	return llm.Tool{Name: toolName, Description: section(prompt, "tool: "+toolName), Schema: schema}
}

// section is the text under a heading of the prompt.
func section(prompt, name string) string {
	_, body, _ := strings.Cut(prompt, "\n## "+name+"\n")
	body, _, _ = strings.Cut(body, "\n## ")
	return strings.TrimSpace(body)
}
