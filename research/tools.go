package research

import (
	"bytes"
	"context"

	"ibid/agent"
	"ibid/corpus"
	"ibid/llm"
	llmfence "ibid/llm/fence"
	"ibid/research/prompts"
)

// Limits of the tools, as the specification gives them.
const (
	maxResults      = 8    // TOOLS-2
	maxURLs         = 3    // TOOLS-3
	shownCharacters = 8000 // of a page, TOOLS-3
	shownLinks      = 10   // TOOLS-3
	maxSubquestions = 12
	maxQuery        = 400 // characters
	maxClaim        = 600
	maxSubquestion  = 400 // characters, of a proposal after reading
	searchesUnread  = 4   // searches in a row before reading is asked for (LOOP-9)
)

// toolset builds the tools of one run, in the order in which the model sees them. Only tools that are configured are
// offered.
func toolset(s *state, c Config, p Parts, blobs keeper) []agent.Tool {
	if c.outside() {
		return outsideTools(s, c, p, blobs)
	}
	texts := c.Prompts
	tools := []agent.Tool{&planTool{s, texts.Text("plan")}}
	if p.Search != nil {
		tools = append(tools, &searchTool{s, texts.Text("search_web"), p.Search, p.SearchPrice})
	}
	tools = append(tools,
		&readTool{state: s, text: texts.Text("read_pages"), reader: p.Reader, renderer: p.Renderer, ask: c.Render == "ask", scope: c.Policy, blobs: blobs},
		&corpusTool{s, texts.Text("search_corpus")},
		&quoteTool{s, texts.Text("quote")},
		&findingTool{s, texts.Text("record_finding")},
	)
	tools = append(tools, workspaceTools(s, c, p.Workspace, blobs)...)
	return append(append(tools, knowledgeTools(s, c)...), serverTools(s, c, p, blobs)...)
}

// A property is one argument of a tool, for its schema.
type property struct {
	name     string
	schema   string // JSON Schema without description
	required bool
}

// spec makes a tool's definition from its text and its arguments. The schema's bytes are the same each time.
func spec(name string, text prompts.Text, properties ...property) llm.Tool {
	var b bytes.Buffer
	b.WriteString(`{"type":"object","properties":{`)
	required := []string{}
	for i, p := range properties {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(toJSON(p.name))
		b.WriteString(`:{"description":`)
		b.Write(toJSON(text.Argument(p.name)))
		b.WriteString("," + p.schema[1:])
		if p.required {
			required = append(required, p.name)
		}
	}
	b.WriteString(`},"required":`)
	b.Write(toJSON(required))
	b.WriteString(`,"additionalProperties":false}`)
	return llm.Tool{Name: name, Description: text.Description, Schema: b.Bytes()}
}

// toJSON is what a model, or a journal, reads of a value.
func toJSON(v any) []byte { return llmfence.JSON(v) }

// reply makes a tool's result of our own values: one JSON object. What holds text from outside goes through fence.reply.
func reply(v any) agent.Result { return agent.Result{Content: string(toJSON(v))} }

// refuse makes an error result of a deliberate text, which may repeat in a few words what a server said.
func refuse(err error) agent.Result {
	return agent.Result{Content: harmless(err.Error()), IsError: true}
}

// now is an Action without effects: its consequence is all there is to it.
func now(then func() agent.Result) agent.Action {
	return agent.Action{Then: func([]agent.Outcome) agent.Result { return then() }}
}

// keeper keeps the raw bytes of what was read, and knows what must not be kept.
type keeper interface {
	PutBlob(ctx context.Context, data []byte) (string, error)
	Redact(data []byte) []byte
}

// Reader reads one URL: fetch and extract as one effect.
type Reader interface {
	Read(ctx context.Context, url string) (*corpus.Reading, error)
}
