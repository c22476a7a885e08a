package llmtest

import (
	"strings"
	"testing"

	"ibid/llm"
)

// names checks that a tool of another program, which has a dot in its name, goes out under a name that providers take, comes
// back as itself, and that no other name is changed on its way.
func names(t *testing.T, m llm.Model, d Dialect) {
	r := Request()
	r.Tools[0].Name = "atlas.search-web"
	r.Messages[1].Blocks[1].Call.Name, r.Messages[2].Blocks[0].Result.Name = "atlas.search-web", "atlas.search-web"
	r.Messages[1].Blocks[2].Call.Name, r.Messages[2].Blocks[1].Result.Name = "atlas.made_up", "atlas.made_up"
	body, err := m.Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(body), `"atlas__search-web"`); n != 2 || strings.Contains(string(body), `"atlas.`) {
		t.Errorf("the tool and its call are sent under a name that providers take %d times, want 2: %s", n, body)
	}
	if r.Tools[0].Name != "atlas.search-web" || r.Messages[1].Blocks[1].Call.Name != "atlas.search-web" {
		t.Error("Encode changed the request")
	}
	usage := llm.Usage{In: 70, Out: 30, Known: true}
	for wire, want := range map[string]string{"atlas__search-web": "atlas.search-web", "atlas__other": "atlas__other", "plan": "plan"} {
		call := llm.Block{Call: &llm.ToolCall{ID: "a", Name: wire, Args: `{}`}}
		resp, err := m.Decode(d.Answer(llm.Response{Model: "m", Blocks: []llm.Block{call}, Stop: llm.StopTools, Usage: usage}))
		if err != nil {
			t.Fatal(err)
		}
		if calls := llm.OffWire(r.Tools, resp).Calls(); len(calls) != 1 || calls[0].Name != want {
			t.Errorf("a call of %s was understood as %+v, want %s", wire, calls, want)
		}
	}
	r.Tools[1].Name = "atlas__search-web"
	if _, err := m.Encode(r); err == nil {
		t.Error("two tools went out under one name")
	}
}
