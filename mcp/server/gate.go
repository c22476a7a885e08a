package server

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ibid/gate"
	"ibid/journal"
)

// decision is the name of what a person is asked.
const decision = "decision"

// asksPeople says whether a client can put a question to the person in front of it, and they may answer.
func (s *Server) asksPeople(req asker) bool {
	c := req.ClientCapabilities()
	return c != nil && c.Elicitation != nil && s.mayDecide(req)
}

// mayDecide says whether who asks may decide gates.
func (s *Server) mayDecide(req mcp.Request) bool {
	extra := req.GetExtra()
	return s.config.GateScope == "" || extra == nil || extra.TokenInfo == nil || slices.Contains(extra.TokenInfo.Scopes, s.config.GateScope)
}

// ask is a result that puts a gate to the person in front of the client. The client makes the call again with what they say:
// nothing is held open for it here.
func ask(p journal.Pending) *mcp.CallToolResult {
	return &mcp.CallToolResult{RequestState: shown(p), InputRequests: mcp.InputRequestMap{decision: elicitation(p)}}
}

// shown names a gate with the hash of what is shown of it, so that a yes is to that and to nothing that took its place
// meanwhile.
func shown(p journal.Pending) string { return p.ID + " " + p.Hash }

// elicitation is how a person is asked about a gate.
func elicitation(p journal.Pending) *mcp.ElicitParams {
	return &mcp.ElicitParams{
		Message: question(p.Request),
		RequestedSchema: json.RawMessage(`{"type":"object","properties":{` +
			`"allow":{"type":"boolean","title":"Allow it","description":"Yes: it is done once, exactly so. No: the research goes on without it."},` +
			`"reason":{"type":"string","title":"Why","description":"May be left empty."}},"required":["allow"]}`),
	}
}

// question is what a person is asked, in one text of plain characters.
func question(r gate.Request) string {
	text := fmt.Sprintf("ibid asks: may run %s do this? %s", r.Run, strings.ReplaceAll(r.Kind, "_", " "))
	if r.URL != "" {
		text += " " + r.URL
	} else {
		text += " " + string(r.Args)
	}
	return gate.Printable(text + " (" + r.Policy + ": " + r.Reason + ")")
}

// answered is what the person said of a gate, where a call brings it back.
func answered(req *mcp.CallToolRequest) (id string, a gate.Answer, has bool) {
	said, ok := req.Params.InputResponses[decision].(*mcp.ElicitResult)
	id, seen, whole := strings.Cut(req.Params.RequestState, " ")
	if !ok || !whole || seen == "" {
		return "", a, false
	}
	if a, has = heard(said, seen); !has {
		return "", a, false
	}
	return id, a, true
}

// heard is what a person said of what they have seen. Who closes a form has decided nothing.
func heard(said *mcp.ElicitResult, seen string) (a gate.Answer, has bool) {
	if said.Action == "cancel" {
		return a, false
	}
	if a.Seen = seen; said.Action == "accept" {
		a.Allow, _ = said.Content["allow"].(bool)
		a.Reason, _ = said.Content["reason"].(string)
	}
	return a, true
}

// decided files what a person said of a gate of this run, before the call that it is about is made again. A result says why
// the call is not made.
func (s *Server) decided(ctx context.Context, req *mcp.CallToolRequest, user, run string) (*mcp.CallToolResult, error) {
	if req.Params.RequestState == "" {
		return nil, nil
	}
	id, answer, has := answered(req)
	if has && !s.mayDecide(req) {
		return refusal("Who holds this token may not decide gates: it takes the scope " + s.config.GateScope + "."), nil
	}
	if !has {
		return refusal("Nobody has decided: the question still waits. Make the call again to have it asked again."), nil
	}
	pending, err := s.desk(user).Gates(ctx, run, false)
	if err != nil {
		return refusal(forModel(err).Error()), nil
	}
	for _, p := range pending {
		if p.ID == id {
			if _, err := s.desk(user).Answer(ctx, id, answer); err != nil {
				return refusal(forModel(err).Error()), nil
			}
			return nil, nil
		}
	}
	return refusal("This question does not wait in this run: it was decided, or has expired. Make the call again without `requestState`."), nil
}

// waits asks the person in front of the client, or says who must be asked.
func (s *Server) waits(ctx context.Context, req *mcp.CallToolRequest, user, run string) (*mcp.CallToolResult, error) {
	pending, err := s.desk(user).Gates(ctx, run, false)
	switch {
	case err != nil:
		return refusal(forModel(err).Error()), nil
	case len(pending) == 0:
		return refusal("The run was parked. Make the same call again."), nil
	case s.asksPeople(req):
		return ask(pending[0]), nil
	}
	return refusal(undecided(pending[0]) + " Then make the same call again."), nil
}

// undecided says who must be asked about a gate, where the client cannot ask.
func undecided(p journal.Pending) string {
	return fmt.Sprintf("A person must decide this first, and it is not yours to decide: %s. Ask them to run: ibid gate approve %s (or: ibid gate deny %s).",
		strings.TrimSuffix(question(p.Request), "."), p.ID, p.ID)
}
