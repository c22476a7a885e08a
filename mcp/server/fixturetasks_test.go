package server

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// jobs are the tasks that the official conformance suite begins, behind the same methods as runs. The names and answers of the
// tools are the suite's.
type jobs struct {
	mu   sync.Mutex
	list map[string]*job
}

// A job is over at a time, or when its questions are answered.
type job struct {
	began, over time.Time
	asks        mcp.InputRequestMap
	result      *mcp.CallToolResult
	failure     *jsonrpc.Error
	cancelled   bool
}

func (*jobs) keeps(tool string) bool {
	return map[string]bool{"slow_compute": true, "failing_job": true, "protocol_error_job": true, "confirm_delete": true, "multi_input": true, "test_tool_with_task": true}[tool]
}

// begin begins a job, and answers with its id.
func (js *jobs) begin(after time.Duration, j *job) (*mcp.CallToolResult, error) {
	js.mu.Lock()
	defer js.mu.Unlock()
	j.began = time.Now().UTC()
	j.over = j.began.Add(after)
	id := fmt.Sprintf("job-%d", len(js.list)+1)
	js.list[id] = j
	return say("%s", id), nil
}

func (js *jobs) begun(ctx context.Context, req asker, r *mcp.CallToolResult) (*task, error) {
	id := r.Content[0].(*mcp.TextContent).Text
	js.mu.Lock()
	defer js.mu.Unlock()
	return newTask(id, js.list[id].began, js.list[id].began), nil
}

func (js *jobs) get(_ context.Context, _ asker, id string) (*task, error) {
	js.mu.Lock()
	defer js.mu.Unlock()
	j := js.list[id]
	if j == nil {
		return nil, errNoTask
	}
	t := newTask(id, j.began, j.began)
	switch {
	case j.cancelled:
		t.Status = taskCancelled
	case len(j.asks) > 0:
		t.Status, t.Requests = taskInput, j.asks
	case time.Now().Before(j.over):
	case j.failure != nil:
		t.Status, t.Error = taskFailed, j.failure
	default:
		t.Status, t.Result = taskCompleted, inTask(j.result)
	}
	return t, nil
}

func (js *jobs) update(_ context.Context, _ asker, id string, said map[string]json.RawMessage) error {
	js.mu.Lock()
	defer js.mu.Unlock()
	j := js.list[id]
	if j == nil {
		return errNoTask
	}
	left := mcp.InputRequestMap{} // what was told is not changed under its reader
	for key, asked := range j.asks {
		if _, answered := said[key]; !answered {
			left[key] = asked
		}
	}
	j.asks = left
	return nil
}

func (js *jobs) cancel(_ context.Context, _ asker, id string) error {
	js.mu.Lock()
	defer js.mu.Unlock()
	j := js.list[id]
	if j == nil {
		return errNoTask
	}
	if time.Now().Before(j.over) || len(j.asks) > 0 {
		j.cancelled = true
	}
	return nil
}

// offer adds the suite's tools.
func (js *jobs) offer(s *mcp.Server) {
	offer(s, "greet", "", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in struct{ Name string }
		if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
			return nil, err
		}
		return say("Hello, %s!", in.Name), nil
	})
	offer(s, "slow_compute", "", func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in struct{ Seconds float64 }
		if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
			return nil, err
		}
		takes := time.Duration(in.Seconds * float64(time.Second))
		if knowsTasks(req.Params) {
			return js.begin(takes, &job{result: say("computed")})
		}
		select {
		case <-time.After(takes):
			return say("computed"), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	// needs is a tool that does nothing without tasks. The suite calls the first of all tools without, and that must succeed.
	needs := func(name string, f fixture) {
		offer(s, name, "", func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			switch {
			case knowsTasks(req.Params):
				return f(ctx, req)
			case name == "failing_job":
				return nil, lacksTasks()
			}
			return say("this needs a client that knows tasks"), nil
		})
	}
	needs("failing_job", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return js.begin(time.Second, &job{result: refusal("this job intentionally fails")})
	})
	needs("protocol_error_job", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return js.begin(time.Second, &job{failure: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "this job intentionally breaks"}})
	})
	needs("confirm_delete", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return js.begin(0, &job{result: say("deleted"), asks: mcp.InputRequestMap{"confirm": form("Delete it?", `{"type":"object","properties":{"confirm":{"type":"boolean"}}}`)}})
	})
	needs("multi_input", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return js.begin(0, &job{result: say("both are known"), asks: mcp.InputRequestMap{"name": form("What is your name?", nameForm), "confirm": form("Is it?", confirmForm)}})
	})
	needs("test_tool_with_task", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		name, _ := accepted(req.Params.InputResponses, "user_name")["name"].(string)
		if name == "" {
			return &mcp.CallToolResult{RequestState: "asked", InputRequests: mcp.InputRequestMap{"user_name": form("What is your name?", nameForm)}}, nil
		}
		return js.begin(0, &job{result: say("Hello, %s!", name)})
	})
}
