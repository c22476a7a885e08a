package research

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"ibid/agent"
	"ibid/budget"
	"ibid/corpus"
	"ibid/extract"
	"ibid/fetch"
	"ibid/gate"
	"ibid/llm"
	llmfence "ibid/llm/fence"
	"ibid/research/prompts"
)

// A Caller calls tools of other programs' servers. It calls a tool only if the server still says of it what it said when the
// hash was taken, and returns the result as the server sent it: the JSON of a CallToolResult.
type Caller interface {
	Call(ctx context.Context, server, tool, sha256 string, args json.RawMessage) (result []byte, err error)
}

// kindCall is the kind of effect that a call of another program's tool is.
const kindCall = "mcp"

// maxArguments is the bytes of one call's arguments.
const maxArguments = 16 << 10

// serverTool is a tool of another program (TOOLS-11). What it answers is read like a page, and becomes a source.
type serverTool struct {
	*state
	text   prompts.Text
	server string
	pin    ServerTool
	caller Caller // nil: nothing can be called
	blobs  keeper
}

// serverTools are the tools of a run's servers, in the order in which they are pinned.
func serverTools(s *state, c Config, p Parts, blobs keeper) (tools []agent.Tool) {
	for _, server := range c.Servers {
		for _, pin := range server.Tools {
			tools = append(tools, &serverTool{s, c.Prompts.Text("server_tool"), server.Name, pin, p.Caller, blobs})
		}
	}
	return tools
}

// Spec tells the model of a tool in our words first, and then in the server's, as text from outside.
func (t *serverTool) Spec() llm.Tool {
	text := prompts.Fill(t.text.Description, "server", t.server)
	if t.pin.Asks {
		text += " " + t.text.Note("person")
	}
	if t.pin.Description != "" {
		text += "\n" + llmfence.Fence(t.fence).Around(struct {
			Says string `json:"untrusted_description"`
		}{t.pin.Description})
	}
	return llm.Tool{Name: t.pin.Name, Description: text, Schema: t.pin.Schema}
}

// asked is what is asked of a server, as it is journaled, and shown to whoever allows it.
type asked struct {
	Server    string          `json:"server"`
	Tool      string          `json:"tool"`
	SHA256    string          `json:"sha256"` // of what the server says of the tool
	Arguments json.RawMessage `json:"arguments"`
}

// answered is the journaled outcome of a call.
type answered struct {
	Reading *corpus.Reading `json:"reading,omitempty"` // nil: it holds no text
	Failed  bool            `json:"failed,omitempty"`  // the tool says so
	NotRead []string        `json:"not_read,omitempty"`
}

// answerView is what the model reads of an answer.
type answerView struct {
	Tool    string         `json:"tool"`
	Source  string         `json:"source,omitempty"`
	Kind    string         `json:"kind,omitempty"`
	SameAs  string         `json:"same_as,omitempty"`
	Flags   []string       `json:"flags,omitempty"`
	Note    string         `json:"note,omitempty"`
	Text    []passage      `json:"untrusted_text,omitempty"`
	Cut     bool           `json:"cut"`
	NotRead []string       `json:"untrusted_not_read,omitempty"`
	Links   []extract.Link `json:"links,omitempty"`
}

func (t *serverTool) Admit(c agent.Call) (agent.Action, error) {
	var fields map[string]any
	if err := agent.Decode(c.Args, &fields); err != nil {
		return agent.Action{}, err
	}
	if len(c.Args) > maxArguments {
		return agent.Action{}, t.text.Error("arguments", "n", len(c.Args), "max", maxArguments)
	}
	args := ordered(c.Args)
	e := agent.Effect{Kind: kindCall, Input: asked{t.server, t.pin.Tool, t.pin.SHA256, args}, Cost: budget.Amount{Reads: 1}, Mutates: t.pin.Asks}
	t.mu.RLock()
	if at := t.stranger(args); at != "" {
		e.Policy, e.Why = gate.PolicySite, "the call names "+at+", which neither the user nor a search brought"
	}
	t.mu.RUnlock()
	e.Run = func(ctx context.Context) ([]byte, budget.Amount, error) {
		out, err := t.run(ctx, args)
		if err != nil {
			return nil, budget.Amount{Reads: 1}, err
		}
		return toJSON(out), budget.Amount{Reads: 1}, nil
	}
	return agent.Action{Effects: []agent.Effect{e}, Then: func(outcomes []agent.Outcome) agent.Result { return t.conclude(outcomes[0]) }}, nil
}

// ordered is JSON in one spelling: sorted names, no space, numbers as they are written.
func ordered(args json.RawMessage) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil { // it was decoded before
		return args
	}
	return toJSON(v)
}

// run makes a call and reads the answer.
func (t *serverTool) run(ctx context.Context, args json.RawMessage) (answered, error) {
	if t.caller == nil {
		return answered{}, errors.New("the servers of this run are not set up here")
	}
	raw, err := t.caller.Call(ctx, t.server, t.pin.Tool, t.pin.SHA256, args)
	if err != nil {
		return answered{}, err
	}
	raw = t.blobs.Redact(raw)
	result, err := extract.ParseToolResult(raw)
	if err != nil {
		return answered{}, t.text.Error("unread", "tool", t.pin.Name, "reason", err)
	}
	out := answered{Failed: result.IsError, NotRead: notRead(result)}
	address := t.address(args, raw)
	reader := &corpus.Reader{Extract: extract.Extract, Fetcher: answer{address, t.pin.Name, raw}}
	var unavailable *fetch.Unavailable
	switch out.Reading, err = reader.Read(ctx, address); {
	case errors.As(err, &unavailable) && unavailable.Outcome == fetch.Empty:
		return out, nil
	case errors.As(err, &unavailable):
		return answered{}, t.text.Error("unread", "tool", t.pin.Name, "reason", unavailable.Reason)
	case err != nil:
		return answered{}, err
	}
	if !out.Failed {
		_, err = t.blobs.PutBlob(ctx, raw)
	}
	return out, err
}

// address names an answer: server, tool, and hashes of what was asked and what came. The arguments are words of the model, and
// a report has none of these; they stand in the journal.
func (t *serverTool) address(args, raw []byte) string {
	short := func(b []byte) string {
		sum := sha256.Sum256(b)
		return fmt.Sprintf("%x", sum[:8])
	}
	return extract.ToolScheme + t.server + "/" + url.PathEscape(t.pin.Tool) + "?arguments=" + short(args) + "&result=" + short(raw)
}

// ofServer says whether a tool is another program's: no other has a dot in its name.
func ofServer(tool string) bool { return strings.Contains(tool, ".") }

// answerSubject is what an answer is of, for its stub.
func (s *state) answerSubject(content string) (subject agent.Subject) {
	var v answerView
	if json.Unmarshal([]byte(inside(content)), &v) != nil || v.Source == "" {
		return subject
	}
	c := covered{Source: v.Source, Title: v.Tool}
	if n := len(v.Text); n > 0 {
		c.Passages = v.Text[0].At + " to " + v.Text[n-1].At
	}
	return agent.Subject{Names: []string{v.Source}, Text: llmfence.Fence(s.fence).Around([]covered{c})}
}

// answer is one answer as a document.
type answer struct {
	address, title string
	raw            []byte
}

// Fetch is part of [fetch.Fetcher].
func (a answer) Fetch(context.Context, string) (*fetch.Document, error) {
	return &fetch.Document{Requested: a.address, URL: a.address, ContentType: "application/json", Body: a.raw, Fetched: time.Now().UTC().Truncate(time.Second), Title: a.title}, nil
}

// notRead names the parts of an answer that are no text.
func notRead(r extract.ToolResult) (list []string) {
	for i, p := range r.Parts {
		if p.Text != "" || p.Type == "text" {
			continue
		}
		if i >= 20 {
			return append(list, fmt.Sprintf("and %d parts more", len(r.Parts)-i))
		}
		name := p.Type
		for _, about := range []string{p.MIME, p.Name, p.URI} {
			if about != "" {
				name += ", " + about
			}
		}
		if p.Size > 0 {
			name += fmt.Sprintf(", %d bytes", p.Size*3/4)
		}
		list = append(list, clean(name, 200))
	}
	return list
}

// conclude takes in what was answered.
func (t *serverTool) conclude(o agent.Outcome) agent.Result {
	t.mu.Lock()
	defer t.mu.Unlock()
	var over *budget.Exhausted
	var denied *agent.Denied
	if errors.As(o.Err, &over) || errors.As(o.Err, &denied) {
		return refuse(o.Err)
	}
	t.reads++
	t.tainted = true
	if o.Err != nil {
		return refuse(t.text.Error("call", "tool", t.pin.Name, "reason", strings.TrimSuffix(o.Err.Error(), ".")))
	}
	var out answered
	if err := json.Unmarshal(o.Body, &out); err != nil {
		return refuse(t.text.Error("unread", "tool", t.pin.Name, "reason", "its record cannot be read"))
	}
	t.unread = 0
	v := answerView{Tool: t.pin.Name, NotRead: out.NotRead}
	switch {
	case out.Failed:
		v.Note = t.text.Note("said_failed")
		if out.Reading != nil {
			v.Text, v.Cut = beginning(out.Reading.Blocks, shownCharacters)
		}
		result := t.fence.reply(v)
		result.IsError = true
		return result
	case out.Reading == nil:
		v.Note = t.text.Note("nothing")
		return t.fence.reply(v)
	}
	id, fresh := t.ingest(out.Reading)
	if !fresh {
		v.SameAs = id
	}
	for _, l := range out.Reading.Links {
		t.allow(l.URL, fromPage)
	}
	source, _ := t.corpus.Source(id)
	v.Source, v.Kind, v.Flags = id, string(source.Kind), source.Flags
	v.Text, v.Cut = beginning(t.corpus.Reading(id).Blocks, shownCharacters)
	v.Links = (&readTool{state: t.state}).bestLinks(out.Reading.Links)
	return t.fence.reply(v)
}
