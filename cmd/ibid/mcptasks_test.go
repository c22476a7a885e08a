package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// taskOf asks a server about a task, and returns it, or the code of an error.
func taskOf(t *testing.T, at, token, method, name string, params map[string]any) (task map[string]any, code int) {
	t.Helper()
	params["_meta"] = map[string]any{
		"io.modelcontextprotocol/protocolVersion": "2026-07-28",
		"io.modelcontextprotocol/clientCapabilities": map[string]any{"elicitation": map[string]any{"form": map[string]any{}},
			"extensions": map[string]any{"io.modelcontextprotocol/tasks": map[string]any{}}},
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequest("POST", at, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for field, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + token,
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name} {
		r.Header.Set(field, value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if _, data, ok := bytes.Cut(answer, []byte("data: ")); ok {
		answer, _, _ = bytes.Cut(data, []byte("\n"))
	}
	var m struct {
		Result map[string]any
		Error  struct{ Code int }
	}
	if err := json.Unmarshal(answer, &m); err != nil || (m.Result == nil) == (m.Error.Code == 0) {
		t.Fatalf("%s: %s, %v: %s", method, resp.Status, err, answer)
	}
	return m.Result, m.Error.Code
}

// A task outlives the server that gave it: killed, and started again with workers, it asks who may decide, and nobody else, and
// has its report.
func TestTasksOverServe(t *testing.T) {
	if testing.Short() {
		t.Skip("many processes")
	}
	home := t.TempDir()
	docs := filepath.Join(home, "docs")
	if err := os.Mkdir(docs, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(docs, "ferry.md"), []byte("# The ferry\n\nThe ferry of Halden carried 412 passengers in its first week, said the harbour master.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	token := func(name, user, scopes string) string {
		return strings.TrimSpace(ibid(t, home, "token", "create", name, "--user", user, "--scope", scopes))
	}
	person, program, other := token("person", "ada", "runs:write,gates"), token("program", "ada", "runs:write"), token("other", "bob", "runs:write,gates")
	research := []string{"--files", docs, "--model", "extractive", "--approve", "plan"}

	at, c := serveMCP(t, home, append(research, "--no-workers")...)
	begun, code := taskOf(t, at, program, "tools/call", "research_start", map[string]any{"name": "research_start", "arguments": map[string]any{"question": "How many passengers did the ferry of Halden carry in its first week?"}})
	if code != 0 || begun["resultType"] != "task" || begun["status"] != "working" {
		t.Fatal(begun, code)
	}
	id := begun["taskId"].(string)
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // killed

	at, _ = serveMCP(t, home, research...)
	get := func(token string) (map[string]any, int) {
		return taskOf(t, at, token, "tasks/get", id, map[string]any{"taskId": id})
	}
	until := func(status string) map[string]any {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
			if task, code := get(person); code != 0 || task["status"] == status {
				return task
			}
		}
		t.Fatalf("the task does not become %s", status)
		return nil
	}
	asked := until("input_required")["inputRequests"].(map[string]any)
	said := map[string]any{}
	for key := range asked {
		said[key] = map[string]any{"action": "accept", "content": map[string]any{"allow": true}}
	}
	if task, code := get(program); code != 0 || task["status"] != "working" || task["inputRequests"] != nil || !strings.Contains(task["statusMessage"].(string), "ibid gate approve") {
		t.Errorf("a token that may not decide: %v, %d", task, code)
	}
	for _, token := range []string{program, other} {
		if r, code := taskOf(t, at, token, "tasks/update", id, map[string]any{"taskId": id, "inputResponses": said}); code != -32602 {
			t.Errorf("it was decided by who may not: %v, %d", r, code)
		}
	}
	if task, code := get(other); code != -32602 {
		t.Errorf("another's task: %v, %d", task, code)
	}
	if r, code := taskOf(t, at, person, "tasks/update", id, map[string]any{"taskId": id, "inputResponses": said}); code != 0 || r["resultType"] != "complete" {
		t.Errorf("%v, %d", r, code)
	}
	report := until("completed")["result"].(map[string]any)["structuredContent"].(map[string]any)["report"].(map[string]any)
	if report["verified"] != true || !strings.Contains(report["text"].(string), "412 passengers") {
		t.Errorf("%v", report)
	}
	ibid(t, home, "verify", id)
}
