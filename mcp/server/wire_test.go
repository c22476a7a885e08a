package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A wire is a client that sees what is sent: the SDK's knows no tasks.
type wire struct {
	*world
	send     func(message []byte, method, name string) []byte
	declares map[string]any // what it says it can do
	n        int
}

// Capabilities of clients.
var (
	withTasks = map[string]any{"extensions": map[string]any{tasksExtension: map[string]any{}}}
	asksToo   = map[string]any{"extensions": map[string]any{tasksExtension: map[string]any{}}, "elicitation": map[string]any{"form": map[string]any{}}}
)

// overStdio is a client of a server on a pair of streams.
func (w *world) overStdio(declares map[string]any) *wire {
	w.t.Helper()
	in, requests := io.Pipe()
	answers, out := io.Pipe()
	over := make(chan error, 1)
	go func() { over <- w.Serve(context.Background(), in, out) }()
	w.t.Cleanup(func() {
		requests.Close()
		go func() { _, _ = io.Copy(io.Discard, answers) }() // what is said yet to a client that has gone
		if err := <-over; err != nil {
			w.t.Error(err)
		}
		out.Close()
	})
	lines := bufio.NewReader(answers)
	return &wire{world: w, declares: declares, send: func(message []byte, _, _ string) []byte {
		w.t.Helper()
		if _, err := requests.Write(append(message, '\n')); err != nil {
			w.t.Fatal(err)
		}
		line, err := lines.ReadBytes('\n')
		if err != nil {
			w.t.Fatal(err)
		}
		return line
	}}
}

// overHTTP is a client that holds a token of a server of users.
func (w *world) overHTTP(url, token string, declares map[string]any) *wire {
	return &wire{world: w, declares: declares, send: func(message []byte, method, name string) []byte {
		w.t.Helper()
		r, err := http.NewRequest("POST", url+Path, bytes.NewReader(message))
		if err != nil {
			w.t.Fatal(err)
		}
		for field, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + token,
			"Mcp-Protocol-Version": newest, "Mcp-Method": method, "Mcp-Name": name} {
			r.Header.Set(field, value)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			w.t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			w.t.Fatal(err)
		}
		if _, data, ok := bytes.Cut(body, []byte("data: ")); ok { // an event
			body, _, _ = bytes.Cut(data, []byte("\n"))
		}
		return body
	}}
}

// ask makes a request, and returns its result or its error.
func (c *wire) ask(method string, params args) (result map[string]any, problem *jsonrpc.Error) {
	c.t.Helper()
	name, _ := params["taskId"].(string)
	if method == "tools/call" {
		name = params["name"].(string)
	}
	return c.askAs(name, method, params)
}

// askAs is ask with another name in its header.
func (c *wire) askAs(name, method string, params args) (result map[string]any, problem *jsonrpc.Error) {
	c.t.Helper()
	c.n++
	p := args{"_meta": args{mcp.MetaKeyProtocolVersion: newest, mcp.MetaKeyClientInfo: args{"name": "wire", "version": "1"}, mcp.MetaKeyClientCapabilities: c.declares}}
	for k, v := range params {
		p[k] = v
	}
	message, err := json.Marshal(args{"jsonrpc": "2.0", "id": c.n, "method": method, "params": p})
	if err != nil {
		c.t.Fatal(err)
	}
	body := c.send(message, method, name)
	var m struct {
		ID     int
		Result map[string]any
		Error  *jsonrpc.Error
	}
	if err := json.Unmarshal(body, &m); err != nil || m.ID != c.n || (m.Result == nil) == (m.Error == nil) {
		c.t.Fatalf("%s: %v: %s", method, err, body)
	}
	return m.Result, m.Error
}

// must is ask that succeeds.
func (c *wire) must(method string, params args) map[string]any {
	c.t.Helper()
	result, problem := c.ask(method, params)
	if problem != nil {
		c.t.Fatalf("%s: %v", method, problem)
	}
	return result
}

// refused is ask that must fail so.
func (c *wire) refused(code int64, method string, params args) *jsonrpc.Error {
	c.t.Helper()
	result, problem := c.ask(method, params)
	if problem == nil || problem.Code != code {
		c.t.Fatalf("%s %v: %v, %v; want %d", method, params, result, problem, code)
	}
	return problem
}

const ferryQuestion = "How many passengers did the ferry of Halden carry in its first week?"

// start begins a run, and returns its task.
func (c *wire) start(question string) string {
	c.t.Helper()
	t := c.must("tools/call", args{"name": "research_start", "arguments": args{"question": question, "wait_seconds": 600}})
	c.shaped(t, "task", "working")
	return t["taskId"].(string)
}

// shaped holds a task against the form of the specification: which fields there are depends on its status.
func (c *wire) shaped(t map[string]any, kind, status string) {
	c.t.Helper()
	if t["resultType"] != kind || t["status"] != status {
		c.t.Fatalf("a %s that is %s: %v", kind, status, t)
	}
	for _, field := range []string{"createdAt", "lastUpdatedAt"} {
		if _, err := time.Parse(time.RFC3339, t[field].(string)); err != nil {
			c.t.Error(err)
		}
	}
	if ttl, is := t["ttlMs"]; !is || ttl != nil {
		c.t.Errorf("ttlMs is %v", ttl)
	}
	if poll := t["pollIntervalMs"].(float64); poll < 1 || poll != float64(int64(poll)) {
		c.t.Errorf("pollIntervalMs is %v", poll)
	}
	for field, of := range map[string]string{"inputRequests": "input_required", "result": "completed", "error": "failed", "requestState": ""} {
		if _, is := t[field]; is != (kind == "complete" && status == of) {
			c.t.Errorf("%s with a task that is %s: %v", field, status, t)
		}
	}
}

// until asks for a task until it has one of these statuses, of which it returns the whole.
func (c *wire) until(id string, statuses ...string) map[string]any {
	c.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		t := c.must(taskGet, args{"taskId": id})
		for _, status := range statuses {
			if t["status"] == status {
				c.shaped(t, "complete", status)
				return t
			}
		}
	}
	c.t.Fatalf("task %s does not become %v", id, statuses)
	return nil
}

// key is the only question that a task asks.
func (c *wire) key(t map[string]any) string {
	c.t.Helper()
	requests := t["inputRequests"].(map[string]any)
	for key, r := range requests {
		r := r.(map[string]any)
		p := r["params"].(map[string]any)
		if len(requests) != 1 || r["method"] != "elicitation/create" || p["mode"] != "form" || !strings.Contains(p["message"].(string), "plan") || p["requestedSchema"] == nil {
			c.t.Fatalf("%v", requests)
		}
		return key
	}
	c.t.Fatal("nothing is asked")
	return ""
}

// yes is a person's.
func yes(key string) args {
	return args{key: args{"action": "accept", "content": args{"allow": true, "reason": "go on"}}}
}

// acked makes a request that is acknowledged, and no more than that.
func (c *wire) acked(method string, params args) {
	c.t.Helper()
	r := c.must(method, params)
	delete(r, "_meta")
	if !reflect.DeepEqual(r, map[string]any{"resultType": "complete"}) {
		c.t.Errorf("%s is acknowledged with %v", method, r)
	}
}
