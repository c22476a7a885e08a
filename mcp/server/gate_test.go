package server

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ibid/gate"
	"ibid/journal"
)

// asking is a client with a person in front of it who answers so.
func asking(action string, allow bool, asked *[]string) *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		*asked = append(*asked, r.Params.Message)
		return &mcp.ElicitResult{Action: action, Content: map[string]any{"allow": allow, "reason": "so it is"}}, nil
	}}
}

const outOfScope = "https://harbour.example/ferry"

// A gate is put to the person in front of the client, in a session and in requests that each stand alone; what they say is
// done once, and the call goes on with it. The researcher cannot decide in their place.
func TestGatesAreAsked(t *testing.T) {
	w := newWorld(t, nil)
	w.policy = gate.Policy{AllowedHosts: []string{"elsewhere.example"}}
	web := w.listen(HTTP{})
	for _, newest := range []bool{false, true} {
		for _, tt := range []struct {
			action string
			allow  bool
			says   string // of the refusal; "": it is read
		}{{"accept", true, ""}, {"accept", false, "DENIED"}, {"decline", false, "DENIED"}, {"cancel", false, "Nobody has decided"}} {
			var asked []string
			var c *client
			if newest {
				c = dial(t, &mcp.StreamableClientTransport{Endpoint: web.URL + Path, HTTPClient: http.DefaultClient}, asking(tt.action, tt.allow, &asked))
			} else {
				c = w.connect(asking(tt.action, tt.allow, &asked))
			}
			run := c.call("research_open", args{"question": "How many passengers did the ferry carry?"})["run"]
			r := c.try("ingest_source", args{"run": run, "url": outOfScope})
			if len(asked) != 1 || !strings.Contains(asked[0], outOfScope) || !strings.Contains(asked[0], "scope") {
				t.Errorf("asked %q", asked)
			}
			if r.IsError != (tt.says != "") || !strings.Contains(text(r), tt.says) {
				t.Errorf("%s %t: %s", tt.action, tt.allow, text(r))
			}
			shown, err := w.desk("").Gates(context.Background(), run.(string), true)
			if want := map[string]string{"accept": "denied", "decline": "denied", "cancel": "pending"}[tt.action]; err != nil || len(shown) != 1 || !tt.allow && shown[0].State != want {
				t.Errorf("%+v, %v", shown, err)
			}
		}
	}
}

// Where the client cannot ask, the model is told who can; and it does not decide what itself may do.
func TestGatesThatCannotBeAsked(t *testing.T) {
	w := newWorld(t, nil)
	w.policy = gate.Policy{AllowedHosts: []string{"elsewhere.example"}}
	c := w.connect(nil)
	run := c.call("research_open", args{"question": "How many passengers did the ferry carry?"})["run"].(string)
	text := c.refused("ingest_source", args{"url": outOfScope})
	if !strings.Contains(text, "ibid gate approve g-") {
		t.Fatal(text)
	}
	waiting := c.call("research_status", args{"run": run})["waiting"].([]any)
	if len(waiting) != 1 {
		t.Fatal(waiting)
	}
	id := waiting[0].(map[string]any)["gate"].(string)
	if text := c.refused("gate_decide", args{"gate": id, "allow": true}); !strings.Contains(text, "does not decide") {
		t.Error(text)
	}
	if _, err := w.desk("").Answer(context.Background(), id, gate.Answer{Allow: true}); err != nil {
		t.Fatal(err)
	}
	if page := c.call("ingest_source", args{"url": outOfScope}); page["source"] != "S1" || page["already_read"] != nil {
		t.Errorf("%v", page)
	}
}

// A gate of a run that ibid researches is decided by who may: through the client, where it can ask, or as the model was told.
func TestGateDecide(t *testing.T) {
	w := newWorld(t, nil)
	w.policy = gate.Policy{AskPlan: true}
	for _, ask := range []bool{false, true} {
		var asked []string
		var o *mcp.ClientOptions
		if ask {
			o = asking("accept", true, &asked)
		}
		c := w.connect(o)
		s := c.call("research_start", args{"question": "How many passengers did the ferry of Halden carry in its first week?", "wait_seconds": 60})
		if s["state"] != "parked" || len(s["waiting"].([]any)) != 1 {
			t.Fatal(s)
		}
		run, id := s["run"], s["waiting"].([]any)[0].(map[string]any)["gate"]
		c.refused("gate_decide", args{"gate": "g-nosuchgate", "allow": true})
		if d := c.call("gate_decide", args{"gate": id, "allow": !ask}); d["state"] != "allowed" || len(asked) != map[bool]int{true: 1}[ask] {
			t.Errorf("%v, asked %q", d, asked)
		}
		if s := c.call("research_status", args{"run": run, "wait_seconds": 60}); s["state"] != "done" {
			t.Errorf("%v", s)
		}
		c.refused("gate_decide", args{"gate": id, "allow": true})
	}
}

// What a person says is filed with the hash of what they were shown: a plan that was changed meanwhile is not approved by it,
// and an answer that does not say what was seen is none.
func TestAYesIsToWhatWasSeen(t *testing.T) {
	shown := ask(journal.Pending{ID: "g-1", Hash: "abc", Request: gate.Request{Run: "r", Kind: "plan", Args: []byte("{}")}})
	yes := mcp.InputResponseMap{decision: &mcp.ElicitResult{Action: "accept", Content: map[string]any{"allow": true, "reason": "fine"}}}
	id, a, has := answered(&mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{RequestState: shown.RequestState, InputResponses: yes}})
	if want := (gate.Answer{Allow: true, Reason: "fine", Seen: "abc"}); !has || id != "g-1" || a != want {
		t.Errorf("%q, %+v, %t", id, a, has)
	}
	for _, state := range []string{"", "g-1", "g-1 "} {
		if _, a, has := answered(&mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{RequestState: state, InputResponses: yes}}); has {
			t.Errorf("state %q answers %+v", state, a)
		}
	}
}
