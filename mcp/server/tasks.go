package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tasksExtension is the extension of the protocol by which a call is answered with a task that the client asks for later
// (io.modelcontextprotocol/tasks, revision 2026-07-28; SEP-2663). The SDK does not have it: its methods are custom ones here.
const tasksExtension = "io.modelcontextprotocol/tasks"

// Methods of tasks.
const (
	taskGet    = "tasks/get"
	taskUpdate = "tasks/update"
	taskCancel = "tasks/cancel"
)

var taskMethods = []string{taskGet, taskUpdate, taskCancel}

// A status is how a task stands. The last three are for good.
type status string

const (
	taskWorking   status = "working"
	taskInput     status = "input_required"
	taskCompleted status = "completed"
	taskFailed    status = "failed"
	taskCancelled status = "cancelled"
)

// pollEvery is how long a client is asked to wait before it asks again.
const pollEvery = 2 * time.Second

// task is a task as it is told. Requests goes with taskInput, Result with taskCompleted, Error with taskFailed, and nothing of
// them with the answer to the call that became the task.
type task struct {
	mcp.ResultBase
	ResultType string              `json:"resultType"` // "task" where it answers the call, "complete" where it answers tasks/get
	ID         string              `json:"taskId"`
	Status     status              `json:"status"`
	Message    string              `json:"statusMessage,omitempty"`
	Created    time.Time           `json:"createdAt"`
	Updated    time.Time           `json:"lastUpdatedAt"`
	TTL        *int64              `json:"ttlMs"` // nil: it is kept until its user deletes it
	Poll       int64               `json:"pollIntervalMs"`
	Requests   mcp.InputRequestMap `json:"inputRequests,omitempty"`
	Result     *toolResult         `json:"result,omitempty"`
	Error      *jsonrpc.Error      `json:"error,omitempty"`
}

// newTask is a task at work.
func newTask(id string, created, updated time.Time) *task {
	return &task{ResultType: "complete", ID: id, Status: taskWorking, Created: created, Updated: updated, Poll: pollEvery.Milliseconds()}
}

// toolResult is what the call of a tool would have returned, inside of a task. The SDK's own type says that it is complete only
// where it is the answer itself.
type toolResult struct {
	ResultType string        `json:"resultType"`
	Content    []mcp.Content `json:"content"`
	Structured any           `json:"structuredContent,omitempty"`
	IsError    bool          `json:"isError,omitempty"`
}

func inTask(r *mcp.CallToolResult) *toolResult {
	return &toolResult{"complete", r.Content, r.StructuredContent, r.IsError}
}

// acknowledged answers tasks/update and tasks/cancel: what came of them, tasks/get says.
type acknowledged struct {
	mcp.ResultBase
	ResultType string `json:"resultType"`
}

// taskParams are those of all three methods.
type taskParams struct {
	mcp.ParamsBase
	ID   string                     `json:"taskId"`
	Said map[string]json.RawMessage `json:"inputResponses"`
}

// An asker is a request with what its client can do.
type asker interface {
	mcp.Request
	ClientCapabilities() *mcp.ClientCapabilities
}

// A keeper keeps the tasks that calls of some tools become. What it does not know, or is another user's, is errNoTask.
type keeper interface {
	keeps(tool string) bool
	// begun is the task that a call has become, which succeeded with this result.
	begun(ctx context.Context, req asker, r *mcp.CallToolResult) (*task, error)
	get(ctx context.Context, req asker, id string) (*task, error)
	update(ctx context.Context, req asker, id string, said map[string]json.RawMessage) error
	cancel(ctx context.Context, req asker, id string) error
}

var errNoTask = errors.New("no such task")

// offerTasks adds the extension to the server.
func (s *Server) offerTasks(keepers ...keeper) {
	for _, method := range taskMethods {
		// A handler of a custom method is not told who asks, so the middleware answers; it is registered to be known at all.
		if err := mcp.AddReceivingCustomMethod(s.mcp, method, func(context.Context, *mcp.ServerSession, *taskParams) (*acknowledged, error) {
			return nil, errors.New("mcp: a method of tasks was not answered")
		}); err != nil {
			panic(err) // a method that the SDK has by now
		}
	}
	s.mcp.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			switch req := req.(type) {
			case *mcp.CallToolRequest:
				return asTask(ctx, keepers, method, req, next)
			case *mcp.ServerRequest[*taskParams]:
				return answerTask(ctx, keepers, method, req)
			}
			return next(ctx, method, req)
		}
	})
}

// asTask makes a call, and a task of what it has begun, where its client knows tasks. Whether a tool's calls become tasks is
// the tool's matter, not the client's.
func asTask(ctx context.Context, keepers []keeper, method string, req *mcp.CallToolRequest, next mcp.MethodHandler) (mcp.Result, error) {
	result, err := next(ctx, method, req)
	r, ok := result.(*mcp.CallToolResult)
	if err != nil || !ok || r.IsError || r.InputRequests != nil || !knowsTasks(req.Params) {
		return result, err
	}
	for _, k := range keepers {
		if k.keeps(req.Params.Name) {
			t, err := k.begun(ctx, req, r)
			if err != nil {
				return nil, internalError(err)
			}
			t.ResultType = "task"
			return t, nil
		}
	}
	return result, nil
}

// answerTask answers a method of tasks.
func answerTask(ctx context.Context, keepers []keeper, method string, req *mcp.ServerRequest[*taskParams]) (mcp.Result, error) {
	if req.Params == nil || !knowsTasks(req.Params) {
		return nil, lacksTasks()
	}
	p := req.Params
	if method == taskUpdate && p.Said == nil {
		return nil, invalidParams("tasks/update needs inputResponses: an answer for each key of inputRequests that has one")
	}
	for _, k := range keepers {
		var answer mcp.Result = &acknowledged{ResultType: "complete"}
		var err error
		switch method {
		case taskGet:
			answer, err = k.get(ctx, req, p.ID)
		case taskUpdate:
			err = k.update(ctx, req, p.ID, p.Said)
		case taskCancel:
			err = k.cancel(ctx, req, p.ID)
		}
		switch protocol := (*jsonrpc.Error)(nil); {
		case errors.Is(err, errNoTask):
			continue
		case errors.As(err, &protocol):
			return nil, protocol
		case err != nil:
			return nil, internalError(err)
		}
		return answer, nil
	}
	return nil, invalidParams("there is no such task. Send taskId exactly as the call returned it")
}

// knowsTasks says whether a request declares the extension. What its session declared before does not count.
func knowsTasks(p mcp.Params) bool {
	return declaresTasks(p.GetMeta()[mcp.MetaKeyClientCapabilities])
}

// declaresTasks says whether capabilities, as they came, hold the extension. An empty object does.
func declaresTasks(capabilities any) bool {
	c, _ := capabilities.(map[string]any)
	extensions, _ := c["extensions"].(map[string]any)
	_, ok := extensions[tasksExtension].(map[string]any)
	return ok
}

func lacksTasks() *jsonrpc.Error {
	return lacks("the client must declare the extension "+tasksExtension+" in the request", `{"extensions":{"`+tasksExtension+`":{}}}`)
}

// lacks says which capability a client would need.
func lacks(why, capabilities string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities, Message: why, Data: json.RawMessage(`{"requiredCapabilities":` + capabilities + `}`)}
}

func invalidParams(why string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: why}
}

func internalError(err error) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: forModel(err).Error()}
}

// subscribe is the method by which clients ask to be told of changes.
const subscribe = "subscriptions/listen"

// amiss looks at what the SDK does not see of a request: over HTTP the field Mcp-Name must hold the id of the task, by which
// requests are routed (SEP-2243), and who does not know tasks may not ask to be told of them. Nobody is told of them: clients
// ask, and the acknowledgement of a subscription says so by naming none. header is nil where there is none.
func amiss(message []byte, header http.Header) (id json.RawMessage, problem *jsonrpc.Error) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	// Who reads it whole says why it is no message, or has no such parameters.
	if json.Unmarshal(message, &m) != nil {
		return nil, nil
	}
	switch {
	case header != nil && slices.Contains(taskMethods, m.Method):
		var p struct {
			Task any `json:"taskId"`
		}
		name := header.Get("Mcp-Name")
		if json.Unmarshal(m.Params, &p) == nil && (name == "" || p.Task != name) {
			return m.ID, &jsonrpc.Error{Code: mcp.CodeHeaderMismatch, Message: "header mismatch: Mcp-Name must be params.taskId"}
		}
	case m.Method == subscribe:
		var p struct {
			Meta          map[string]any `json:"_meta"`
			Notifications struct {
				Tasks any `json:"taskIds"`
			} `json:"notifications"`
		}
		if json.Unmarshal(m.Params, &p) == nil && p.Notifications.Tasks != nil && !declaresTasks(p.Meta[mcp.MetaKeyClientCapabilities]) {
			return m.ID, lacksTasks()
		}
	}
	return nil, nil
}
