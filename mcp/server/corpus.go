package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ibid/budget"
	"ibid/llm/fence"
	"ibid/report"
	"ibid/research"
	"ibid/research/outside"
	"ibid/runs"
)

// handle is the argument that names the run, beside those that the loop tells a model of.
const handle = `{"type":"string","description":"The run that research_open returned. May be left out where the connection is kept (stdio, or a session): then it is the last one opened."}`

// corpusTools offers the loop's tools to researchers outside: the same definitions, and the same code behind them.
func (s *Server) corpusTools() {
	s.openTool()
	for _, d := range research.Definitions(s.config.Search, s.config.Base) {
		if d.Name == "fetch" { // its ids name the run themselves
			continue
		}
		t := &mcp.Tool{Name: d.Name, Description: d.Description, InputSchema: withRun(d.Schema), OutputSchema: schemaOf(d.Output),
			Annotations: hints(strings.ReplaceAll(d.Name, "_", " "), d.Reads, false, d.Repeated, d.Reaches)}
		if d.Name == outside.Report {
			t.OutputSchema = schemaOf(reflect.TypeFor[written]())
		}
		s.mcp.AddTool(t, s.corpusTool(d.Name))
	}
}

// withRun adds the handle to a tool's arguments.
func withRun(schema json.RawMessage) json.RawMessage {
	head, rest, _ := bytes.Cut(schema, []byte(`"properties":{`))
	comma := ","
	if bytes.HasPrefix(rest, []byte("}")) {
		comma = ""
	}
	return fmt.Appendf(nil, `%s"properties":{"run":%s%s%s`, head, handle, comma, rest)
}

// openArgs are what a program opens a run with.
type openArgs struct {
	Question     string   `json:"question" jsonschema:"What is to be found out: one question, as a person would ask it."`
	Subquestions []string `json:"subquestions,omitempty" jsonschema:"The questions that together answer it, up to twelve. Left out: the question alone. The tool plan revises them."`
	MaxReads     int64    `json:"max_reads,omitempty" jsonschema:"Limit of sources read. Left out: 200."`
	MaxSearches  int64    `json:"max_searches,omitempty" jsonschema:"Limit of searches. Left out: 100."`
}

// opened is a run that waits for its researcher.
type opened struct {
	Run  string                 `json:"run" jsonschema:"Send it with every call that belongs to this research."`
	Plan []research.Subquestion `json:"plan"`
	Next string                 `json:"next"`
}

func (s *Server) openTool() {
	add(s, &mcp.Tool{Name: "research_open", Description: `Open a run that you research yourself: you find and read the sources and say what they show, and every claim is held against the words of its source before it is recorded. Returns the run and its plan. Use it first; use research_start instead to have ibid do the research.`,
		Annotations: hints("Open a run", false, false, false, false)},
		func(ctx context.Context, req *mcp.CallToolRequest, in openArgs) (*mcp.CallToolResult, opened, error) {
			out, err := s.open(ctx, req, in)
			return nil, out, forModel(err)
		})
}

func (s *Server) open(ctx context.Context, req *mcp.CallToolRequest, in openArgs) (opened, error) {
	if in.MaxReads < 0 || in.MaxSearches < 0 {
		return opened{}, errors.New("a limit is negative. Leave it out, or send a number from 1 on")
	}
	c, err := s.config.Configure(ctx, Opening{in.Question, budget.Limits{Reads: in.MaxReads, Searches: in.MaxSearches}})
	if err != nil {
		return opened{}, err
	}
	user := userOf(req)
	info, err := s.desk(user).Open(ctx, c)
	if err != nil {
		return opened{}, err
	}
	if len(in.Subquestions) == 0 {
		in.Subquestions = []string{c.Question}
	}
	args, err := json.Marshal(map[string]any{"subquestions": in.Subquestions, "reason": "as the researcher asked for it"})
	if err != nil {
		return opened{}, err
	}
	a, err := s.call(ctx, user, info.ID, "plan", string(args))
	switch {
	case err != nil:
		return opened{}, err
	case a.IsError:
		return opened{}, fmt.Errorf("run %s is open, and has no plan yet. %s", info.ID, a.Content)
	}
	out := opened{Run: info.ID, Plan: []research.Subquestion{}, Next: "Read sources with ingest_source, and record what they show with record_finding."}
	if a.parked {
		out.Next = "A person must approve the plan first. Call plan with the same sub-questions when they have."
	} else if err := json.Unmarshal([]byte(inside(a.Content)), &out); err != nil {
		return opened{}, fmt.Errorf("run %s: reading its plan: %w", info.ID, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if session := sessionOf(req); session != "" {
		s.current[session] = info.ID
	} else {
		s.library[user] = info.ID
	}
	return out, nil
}

// corpusTool passes a call on to the run that it belongs to.
func (s *Server) corpusTool(name string) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		args := map[string]json.RawMessage{}
		if len(req.Params.Arguments) > 0 && json.Unmarshal(req.Params.Arguments, &args) != nil {
			return refusal("The arguments must be one JSON object with the fields that the tool's schema asks for."), nil
		}
		if args == nil {
			args = map[string]json.RawMessage{}
		}
		run, err := s.runOf(req, args["run"])
		if err != nil {
			return refusal(err.Error()), nil
		}
		delete(args, "run")
		body, err := json.Marshal(args) // in the order of their names
		if err != nil {
			return nil, err
		}
		user := userOf(req)
		if result, err := s.decided(ctx, req, user, run); result != nil || err != nil {
			return result, err
		}
		a, err := s.call(ctx, user, run, name, string(body))
		switch {
		case err != nil:
			return refusal(forModel(err).Error()), nil
		case a.parked:
			return s.waits(ctx, req, user, run)
		case a.result != nil:
			return s.written(ctx, user, run, a.result), nil
		}
		return told(a.Content, a.IsError), nil
	}
}

// runOf is the run that a request names, or that its session is about.
func (s *Server) runOf(req *mcp.CallToolRequest, named json.RawMessage) (string, error) {
	var run string
	if len(named) > 0 && json.Unmarshal(named, &run) != nil {
		return "", errors.New("`run` must be a string: the run that research_open returned")
	}
	if run != "" {
		return run, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if run = s.current[sessionOf(req)]; run == "" {
		return "", errors.New("there is no run yet. Open one with research_open, and send the `run` that it returns with every call")
	}
	return run, nil
}

// told makes a tool's result of what the loop tells a model: its text as it is, and the JSON object in it apart.
func told(content string, isError bool) *mcp.CallToolResult {
	r := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: content}}, IsError: isError}
	if body := inside(content); !isError && json.Valid([]byte(body)) {
		r.StructuredContent = json.RawMessage(body)
	}
	return r
}

// inside is the JSON object of a result: what stands between the lines of the fence, and not what is said of the budget.
func inside(content string) string {
	if strings.HasPrefix(content, "[untrusted ") {
		_, content, _ = strings.Cut(content, "\n")
	}
	content, _, _ = strings.Cut(content, "\n")
	return content
}

// refusal is an error that a model reads.
func refusal(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, IsError: true}
}

// oneLine makes an error and its hint, each on a line of its own, two sentences of one line.
func oneLine(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, ".\n", ". "), "\n", ". ")
}

// forModel words an error for a model.
func forModel(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, outside.ErrOver):
		return errors.New("the run was broken off. It is kept: make the same call again")
	case errors.Is(err, context.Canceled):
		return errors.New("the call was cancelled")
	}
	var told *runs.Error
	if errors.As(err, &told) && strings.Contains(told.Hint, "ibid ") { // a command, which is for a person at a terminal
		return errors.New(oneLine(fence.Harmless(told.Detail() + "\n" + instead(told.Hint))))
	}
	return errors.New(oneLine(fence.Harmless(err.Error())))
}

// instead is what a model does where a person would run a command.
func instead(hint string) string {
	for _, way := range [][2]string{
		{"ibid watch", "Wait for it with research_status and wait_seconds."},
		{"ibid resume", "research_status says what it waits for."},
		{"ibid runs list", "Send the run exactly as research_open or research_start returned it."},
		{"ibid runs show", "research_status says how it stands."},
		{"ibid gate list", "research_status shows the gates that wait."},
	} {
		if strings.Contains(hint, way[0]) {
			return way[1]
		}
	}
	return "It takes a person at a terminal: " + hint
}

// A written report: as Markdown, and as what it rests on.
type written struct {
	Run      string          `json:"run"`
	Verified bool            `json:"verified" jsonschema:"It passed its check; nothing else is shown."`
	Stop     string          `json:"stop" jsonschema:"Why the research ended."`
	Markdown string          `json:"markdown"`
	Claims   []claimed       `json:"claims"`
	Report   json.RawMessage `json:"report,omitempty" jsonschema:"The machine form. Left out where it is longer than 256 KiB: research_report returns it with the form json."`
	Next     string          `json:"next"`
}

// claimed is one claim of a report with what carries it.
type claimed struct {
	Finding string   `json:"finding"`
	Claim   string   `json:"claim"`
	Quote   string   `json:"quote"`
	Span    string   `json:"span"`
	URL     string   `json:"url"`
	Flags   []string `json:"flags,omitempty"`
}

// maxMachine is the longest machine form that is sent along, in bytes.
const maxMachine = 256 << 10

// written tells of a report that was made.
func (s *Server) written(ctx context.Context, user, run string, r *research.Result) *mcp.CallToolResult {
	if !r.Verified {
		return refusal("The report of run " + run + " did not pass its check, so it is not shown. verify_report says why.")
	}
	b, err := report.ParseJSON(r.JSON)
	if err != nil {
		return refusal(forModel(err).Error())
	}
	w := written{Run: run, Verified: true, Stop: string(r.Stop), Markdown: string(r.Markdown), Claims: s.claims(run, b),
		Next: "The run is over. It can be checked again with verify_report, and printed in other forms with research_report."}
	if len(r.JSON) <= maxMachine {
		w.Report = r.JSON
	}
	return s.fenced(ctx, user, run, w)
}

// claims are a report's, each with the place that it can be looked up at.
func (s *Server) claims(run string, b report.Bundle) []claimed {
	urls := map[string]string{}
	for _, src := range b.Sources {
		urls[src.ID] = src.URL
	}
	list := []claimed{}
	for _, f := range b.Findings {
		if f.Rejected == "" {
			list = append(list, claimed{f.ID, f.Claim, f.Quote, f.Key().String(), s.place(run, f.Key(), urls[f.Source], f.Quote), f.Flags})
		}
	}
	return list
}

// fenced is a result that holds text from outside: apart as it is, and between the lines of the run's fence as text.
func (s *Server) fenced(ctx context.Context, user, run string, v any) *mcp.CallToolResult {
	body := fence.JSON(v)
	text := string(body)
	if info, err := s.desk(user).Find(ctx, run); err == nil {
		if c, err := research.ParseConfig(info.Config); err == nil {
			text = fence.Fence(c.Boundary).Around(v)
		}
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, StructuredContent: json.RawMessage(body)}
}
