package server

import (
	"context"
	"errors"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Reports and checks wait for their turn and give it back; who has none is told so, and nothing else waits.
func TestHeavyToolsWaitForTheirTurn(t *testing.T) {
	taken, given, called := 0, 0, 0
	var full error
	turn := func(context.Context) (func(), error) {
		if full != nil {
			return nil, full
		}
		taken++
		return func() { given++ }, nil
	}
	h := inTurn(turn)(func(context.Context, string, mcp.Request) (mcp.Result, error) {
		called++
		if taken-given > 1 {
			t.Error("a turn is kept")
		}
		return &mcp.CallToolResult{}, nil
	})
	call := func(tool string) *mcp.CallToolResult {
		t.Helper()
		r, err := h(t.Context(), "tools/call", &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: tool}})
		if err != nil {
			t.Fatal(err)
		}
		return r.(*mcp.CallToolResult)
	}
	for _, tool := range []string{"verify_report", "check_report", "research_report", "research_status", "quote"} {
		call(tool)
	}
	if taken != 3 || given != 3 || called != 5 {
		t.Errorf("%d turns were taken, %d given back; %d calls", taken, given, called)
	}
	full = errors.New("there is enough to work on")
	if r := call("verify_report"); !r.IsError || called != 5 {
		t.Errorf("%+v, %d calls", r, called)
	}
	if r := call("quote"); r.IsError {
		t.Errorf("%+v", r)
	}
}
