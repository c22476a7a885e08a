package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ibid/internal/testset"
)

// peer is a program that speaks to an `ibid mcp` of its own, line by line. Every line that comes must be a JSON-RPC message.
type peer struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	errs strings.Builder
	n    int
}

func startMCP(t *testing.T, home string) *peer {
	t.Helper()
	p := &peer{t: t, cmd: program(home, "mcp")}
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out, p.cmd.Stderr = bufio.NewReader(out), &p.errs
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill() }) // where it has not ended
	p.ask("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]string{"name": "test", "version": "1"}})
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return p
}

// program is this test binary as ibid.
func program(home string, args ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], append([]string{"--home", home}, args...)...)
	c.Args[0] = "ibid"
	c.Env = append(os.Environ(), "HOME="+home, "IBID_SEARCH=local")
	return c
}

func (p *peer) send(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatalf("%v\n%s", err, p.errs.String())
	}
}

// message is what comes.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int
		Message string
	} `json:"error"`
}

func (p *peer) hear() message {
	p.t.Helper()
	line, err := p.out.ReadBytes('\n')
	var m message
	if err != nil || json.Unmarshal(line, &m) != nil || m.Version != "2.0" || m.Method == "" && m.Result == nil && m.Error == nil {
		p.t.Fatalf("on stdout: %q, %v\n%s", line, err, p.errs.String())
	}
	return m
}

func (p *peer) ask(method string, params any) json.RawMessage {
	p.t.Helper()
	p.n++
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": p.n, "method": method, "params": params})
	if err != nil {
		p.t.Fatal(err)
	}
	p.send(string(body))
	for {
		if m := p.hear(); string(m.ID) == fmt.Sprint(p.n) {
			if m.Error != nil {
				p.t.Fatalf("%s: %v", method, m.Error)
			}
			return m.Result
		}
	}
}

// call makes a tool call, and returns its structured content, or the text of its refusal.
func (p *peer) call(tool string, arguments map[string]any) (out map[string]any, refused string) {
	p.t.Helper()
	var r struct {
		IsError           bool
		StructuredContent map[string]any
		Content           []struct{ Text string }
	}
	if err := json.Unmarshal(p.ask("tools/call", map[string]any{"name": tool, "arguments": arguments}), &r); err != nil || len(r.Content) != 1 {
		p.t.Fatal(tool, err, r)
	}
	if r.IsError {
		return nil, r.Content[0].Text
	}
	return r.StructuredContent, ""
}

// hangUp ends the client, and waits for the server to end.
func (p *peer) hangUp() {
	p.t.Helper()
	p.in.Close()
	if rest, err := io.ReadAll(p.out); err != nil || len(rest) > 0 {
		p.t.Errorf("at the end, on stdout: %q, %v", rest, err)
	}
	if err := p.cmd.Wait(); err != nil {
		p.t.Errorf("%v\n%s", err, p.errs.String())
	}
}

// A run is researched entirely by another program over stdio, whose server is killed in the middle and hung up on once: it is
// gone on with by its handle, a forged finding does not get in, and what came of it is verified, printed, bundled and
// replayed like any other run.
func TestResearchOverMCP(t *testing.T) {
	if testing.Short() {
		t.Skip("many processes")
	}
	home := t.TempDir()
	p := startMCP(t, home)
	opened, refused := p.call("research_open", map[string]any{"question": "How many people took the ferry of Halden in its first week?"})
	if refused != "" {
		t.Fatal(refused)
	}
	run := opened["run"].(string)
	minutes := "# Minutes\n\nThe council met on 3 May 2026.\n\nThe ferry of Halden carried 412 passengers in its first week, said the harbour master.\n"
	if _, refused := p.call("ingest_source", map[string]any{"text": minutes, "name": "minutes.md"}); refused != "" {
		t.Fatal(refused)
	}
	p.send(`{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"list_sources","arguments":{}}}`)
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.cmd.Wait() // killed

	p = startMCP(t, home)
	list, refused := p.call("list_sources", map[string]any{"run": run})
	if refused != "" || len(list["sources"].([]any)) != 1 {
		t.Fatal(list, refused)
	}
	finding := map[string]any{"run": run, "claim": "The ferry of Halden carried 412 passengers in its first week.", "span": "S1:para.3", "subquestion": "q1",
		"quote": "The ferry of Halden carried 4,120 passengers in its first week"}
	if out, refused := p.call("record_finding", finding); !strings.Contains(refused, "Refused") {
		t.Errorf("a forged finding: %v %s", out, refused)
	}
	finding["quote"] = "The ferry of Halden carried 412 passengers in its first week"
	finding["claim"] = "The ferry of Halden carried 421 passengers in its first week."
	if out, refused := p.call("record_finding", finding); !strings.Contains(refused, "number_conflict") {
		t.Errorf("a claim that its quote does not carry: %v %s", out, refused)
	}
	finding["claim"] = "The ferry of Halden carried 412 passengers in its first week."
	if out, refused := p.call("record_finding", finding); refused != "" || out["finding"] != "F1" {
		t.Fatal(out, refused)
	}
	p.hangUp()
	if out := ibid(t, home, "runs", "list"); !strings.Contains(out, "parked") {
		t.Errorf("after the client hung up: %s", out)
	}

	p = startMCP(t, home)
	report, refused := p.call("write_report", map[string]any{"run": run})
	if refused != "" || report["verified"] != true {
		t.Fatal(report, refused)
	}
	p.hangUp()
	ibid(t, home, "verify", run)
	if again := ibid(t, home, "replay", run); again != report["markdown"] {
		t.Errorf("%s\n%s", again, report["markdown"])
	}
	file := filepath.Join(home, "run.wacz")
	ibid(t, home, "bundle", run, "-o", file)
	ibid(t, home, "verify", file)
	if page := ibid(t, home, "report", run, "--as", "html"); !strings.Contains(page, "412 passengers") {
		t.Error("the page does not say it")
	}
	accepting(t, home, run, report["markdown"].(string))
	if forged := strings.ReplaceAll(report["markdown"].(string), "412", "512"); true {
		name := filepath.Join(home, "forged.md")
		if err := os.WriteFile(name, []byte(forged), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := program(home, "verify", run, name).Run(); err == nil {
			t.Error("a report that was tampered with is verified")
		}
	}
}

// accepting: what was refused is shown with the rules that block it, and a person has it reported, marked in every form, in a
// bundle too, until that is undone.
func accepting(t *testing.T, home, run, before string) {
	t.Helper()
	has := func(what, text string, words ...string) {
		t.Helper()
		for _, w := range words {
			if !strings.Contains(text, w) {
				t.Errorf("%s lacks %q:\n%s", what, w, text)
			}
		}
	}
	has("the list", ibid(t, home, "runs", "findings", run), "F2", "cannot be accepted", "F3", "refused: number_conflict", "carried 421 passengers")
	if err := program(home, "runs", "accept", run, "F2", "--reason", "I saw it").Run(); err == nil {
		t.Error("a quote that is none was accepted")
	}
	if err := program(home, "runs", "accept", run, "F3").Run(); err == nil {
		t.Error("accepted without a reason")
	}
	after := ibid(t, home, "runs", "accept", run, "F3", "--reason", "the log was corrected later")
	marks := []string{"421 passengers", "number_conflict", "the log was corrected later"}
	has("the report", after, append(marks, "Accepted by a person")...)
	for _, form := range []string{"json", "html", "annotations"} {
		has(form, ibid(t, home, "report", run, "--as", form), marks...)
	}
	docx := filepath.Join(home, "report.docx")
	ibid(t, home, "report", run, "-o", docx)
	has("docx", ibid(t, home, "extract", docx), marks...)
	has("the check", ibid(t, home, "verify", run), "verified", "1 accepted by a person")
	json, file := filepath.Join(home, "report.json"), filepath.Join(home, "accepted.wacz")
	ibid(t, home, "report", run, "-o", json)
	has("the check of the JSON form", ibid(t, home, "verify", json), "1 accepted by a person")
	ibid(t, home, "bundle", run, "-o", file)
	has("the check of the bundle", ibid(t, home, "verify", file), "verified", "accepted by a person")
	unmarked := filepath.Join(home, "unmarked.md")
	var lines []string
	for line := range strings.Lines(after) {
		if !strings.HasPrefix(line, "Accepted by") {
			lines = append(lines, line)
		}
	}
	if err := os.WriteFile(unmarked, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := program(home, "verify", unmarked, "--run", run).Output(); err == nil || !strings.Contains(string(out), "acceptance_unmarked") {
		t.Errorf("a report that does not say what was accepted: %s", out)
	}
	if now := ibid(t, home, "runs", "accept", run, "F3", "--undo"); now != before {
		t.Errorf("after it was undone:\n%s", now)
	}
}

// ibid runs the program, which must succeed, and returns its stdout.
func ibid(t *testing.T, home string, args ...string) string {
	t.Helper()
	c := program(home, args...)
	var errs strings.Builder
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		t.Fatalf("ibid %s: %v\n%s%s", strings.Join(args, " "), err, out, errs.String())
	}
	return string(out)
}

// What is no message is answered where it can be, and ends nothing; nothing but messages comes on stdout, whatever is called.
func TestMCPFrames(t *testing.T) {
	frames, err := os.ReadFile(testset.Path(t, "cases", "133-malformed-frames", "frames.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	wrong := []string{"5", "6", "8"}
	p := startMCP(t, t.TempDir())
	for f := range strings.Lines(string(frames)) {
		p.send(strings.TrimSpace(f))
	}
	failed := map[string]bool{}
	for m := p.hear(); string(m.ID) != "10"; m = p.hear() {
		failed[string(m.ID)] = m.Error != nil
	}
	for _, id := range wrong {
		if !failed[id] {
			t.Errorf("request %s was not answered with an error: %v", id, failed)
		}
	}
	for _, url := range []string{"https://unreachable.invalid/", "::::"} {
		if _, refused := p.call("ingest_source", map[string]any{"url": url}); refused == "" {
			t.Error(url, "was read")
		}
	}
	if _, refused := p.call("research_open", map[string]any{"question": "Is it so?"}); refused != "" {
		t.Error(refused)
	}
	for _, url := range []string{"https://unreachable.invalid/", "::::", "http://127.0.0.1/", "file:///etc/passwd"} {
		if _, refused := p.call("ingest_source", map[string]any{"url": url}); refused == "" {
			t.Error(url, "was read")
		}
	}
	p.hangUp()
}

// authorised sends a token with every request.
type authorised string

func (a authorised) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(a))
	return http.DefaultTransport.RoundTrip(r)
}

// serveMCP starts a server that takes tokens, and returns where it speaks MCP.
func serveMCP(t *testing.T, home string, args ...string) (at string, c *exec.Cmd) {
	t.Helper()
	c = program(home, append([]string{"serve", "--listen", "127.0.0.1:0", "--require-token"}, args...)...)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() }) // where it has not ended
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line) + "/mcp", c
}

// ibid serve has the same at /mcp, for who holds a token of its own; deciding gates takes the scope for that.
func TestMCPOverServe(t *testing.T) {
	if testing.Short() {
		t.Skip("many processes")
	}
	home := t.TempDir()
	token := strings.TrimSpace(ibid(t, home, "token", "create", "chat", "--user", "ada", "--scope", "runs:write"))
	at, c := serveMCP(t, home, "--no-workers")
	defer func() {
		if err := errors.Join(c.Process.Signal(syscall.SIGTERM), c.Wait()); err != nil {
			t.Error(err)
		}
	}()
	resp, err := http.Post(at, "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized || !strings.Contains(resp.Header.Get("WWW-Authenticate"), "Bearer") {
		t.Errorf("without a token: %s %v", resp.Status, resp.Header)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "chat", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: at, HTTPClient: &http.Client{Transport: authorised(token)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	call := func(tool string, arguments map[string]any) *mcp.CallToolResult {
		r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil {
			t.Fatal(tool, err)
		}
		return r
	}
	r := call("research_open", map[string]any{"question": "How many people took the ferry?"})
	if r.IsError {
		t.Fatal(r.Content[0])
	}
	run := r.StructuredContent.(map[string]any)["run"]
	if r := call("ingest_source", map[string]any{"run": run, "text": "The ferry carried 412 passengers in its first week.", "name": "ferry.txt"}); r.IsError {
		t.Error(r.Content[0])
	}
	if r := call("write_report", map[string]any{"run": run}); r.IsError {
		t.Error(r.Content[0])
	}
	if r := call("gate_decide", map[string]any{"gate": "g-000000000000", "allow": true}); !r.IsError || !strings.Contains(r.Content[0].(*mcp.TextContent).Text, "scope gates") {
		t.Errorf("a token that may not decide: %v", r.Content[0])
	}
}
