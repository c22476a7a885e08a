package server

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ibid/evidence"
	"ibid/research"
)

// searchArgs and found have the form that programs expect which know MCP servers by search and fetch alone: one string in, and
// a list of id, title and url out.
type searchArgs struct {
	Query string `json:"query" jsonschema:"What to look for, in a few words."`
}

type found struct {
	Results []hit `json:"results"`
}

type hit struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	URL   string `json:"url"`
}

// chatTools offers search and fetch.
func (s *Server) chatTools() {
	add(s, &mcp.Tool{Name: "search", Description: `Find passages that answer a query: reads what promises most of what is found, and returns the best passages with their ids and addresses. Use fetch with an id for the text. Not for recording what you learn: research_open and record_finding do that.`,
		Annotations: hints("Search", false, false, true, true)},
		func(ctx context.Context, req *mcp.CallToolRequest, in searchArgs) (*mcp.CallToolResult, found, error) {
			out, err := s.search(ctx, req, in.Query)
			return nil, out, forModel(err)
		})
	for _, d := range research.Definitions(false, false) {
		if d.Name == "fetch" {
			s.mcp.AddTool(&mcp.Tool{Name: d.Name, Description: d.Description, InputSchema: d.Schema, OutputSchema: schemaOf(d.Output),
				Annotations: hints("Fetch", true, false, true, false)}, s.fetch)
		}
	}
}

// readAtOnce is how many pages one search reads.
const readAtOnce = 3

// search looks in the run of the session, or in one that it opens for the user: a page is read before anything of it is
// returned, and what was read stands in the run's journal.
func (s *Server) search(ctx context.Context, req *mcp.CallToolRequest, query string) (found, error) {
	out := found{Results: []hit{}}
	if strings.TrimSpace(query) == "" {
		return out, errors.New("the query is empty. Send the words that the passages should hold")
	}
	user := userOf(req)
	run, err := s.libraryOf(ctx, req, query)
	if err != nil {
		return out, err
	}
	if s.config.Search {
		var hits struct {
			Results []struct{ URL string }
		}
		if err := s.consult(ctx, user, run, "search_web", map[string]any{"query": query}, &hits); err != nil {
			s.log.Warn("search", "run", run, "error", err)
		}
		var wg sync.WaitGroup
		for _, h := range hits.Results[:min(readAtOnce, len(hits.Results))] {
			wg.Go(func() { // a page that cannot be had is the run's to note
				_ = s.consult(ctx, user, run, "ingest_source", map[string]any{"url": h.URL}, &struct{}{})
			})
		}
		wg.Wait()
	}
	var spans struct {
		Spans []struct {
			Span  string `json:"span"`
			Title string `json:"source_title"`
			URL   string `json:"url"`
			Text  string `json:"untrusted_text"`
		}
	}
	var nothing *toolError
	if err := s.consult(ctx, user, run, "search_corpus", map[string]any{"query": query, "k": 10}, &spans); err != nil && !errors.As(err, &nothing) {
		return out, err
	}
	prefix := ""
	if s.currentRun(req) != run {
		prefix = run + ":"
	}
	for _, p := range spans.Spans {
		key, err := evidence.ParseKey(p.Span)
		if err != nil {
			continue
		}
		out.Results = append(out.Results, hit{prefix + p.Span, p.Title, s.place(run, key, p.URL, p.Text)})
	}
	return out, nil
}

// toolError is what a tool of a run answered that did not do what it was asked.
type toolError struct{ text string }

func (e *toolError) Error() string { return e.text }

// consult makes a call of a tool in a run and reads its answer.
func (s *Server) consult(ctx context.Context, user, run, tool string, args map[string]any, out any) error {
	body, err := json.Marshal(args)
	if err != nil {
		return err
	}
	a, err := s.call(ctx, user, run, tool, string(body))
	switch {
	case err != nil:
		return err
	case a.parked:
		return errors.New("a person must decide first whether run " + run + " may go on. They can with: ibid gate list")
	case a.IsError:
		return &toolError{a.Content}
	}
	return json.Unmarshal([]byte(inside(a.Content)), out)
}

func (s *Server) currentRun(req *mcp.CallToolRequest) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current[sessionOf(req)]
}

// libraryOf is the run that a search belongs to: the session's, or the one that the user opened last, or a new one.
func (s *Server) libraryOf(ctx context.Context, req *mcp.CallToolRequest, query string) (string, error) {
	user := userOf(req)
	s.mu.Lock()
	run := s.current[sessionOf(req)]
	if run == "" {
		run = s.library[user]
	}
	s.mu.Unlock()
	if run != "" {
		if info, err := s.desk(user).Find(ctx, run); err == nil && !info.State.Over() {
			return run, nil
		}
	}
	out, err := s.open(ctx, req, openArgs{Question: query})
	return out.Run, err
}

// fetch returns the text of a source. An id that names no run is of the session's.
func (s *Server) fetch(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(req.Params.Arguments, &in); err != nil || in.ID == "" {
		return refusal("Send the `id` of a source or a span, exactly as search gave it."), nil
	}
	user, run, id := userOf(req), "", in.ID
	if first, rest, ok := strings.Cut(in.ID, ":"); ok && !sourceID(first) {
		run, id = first, rest
	} else if run = s.currentRun(req); run == "" {
		s.mu.Lock()
		run = s.library[user]
		s.mu.Unlock()
	}
	if run == "" {
		return refusal("There is no run yet that this id could belong to. Search first, and send an id that is found."), nil
	}
	var doc struct {
		ID       string          `json:"id"`
		Title    string          `json:"title"`
		Text     string          `json:"text"`
		URL      string          `json:"url"`
		Metadata json.RawMessage `json:"metadata"`
	}
	if err := s.consult(ctx, user, run, "fetch", map[string]any{"id": id}, &doc); err != nil {
		return refusal(forModel(err).Error()), nil
	}
	doc.ID = in.ID
	if s.config.Link != nil {
		if at := s.config.Link(run, id); at != "" {
			doc.URL = at
		}
	}
	body, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(body)}}, StructuredContent: json.RawMessage(body)}, nil
}

// sourceID says whether s is S and a number.
func sourceID(s string) bool {
	digits, ok := strings.CutPrefix(s, "S")
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// place is where a person finds a span: in the viewer, or in the source itself.
func (s *Server) place(run string, key evidence.Key, url, text string) string {
	if s.config.Link != nil {
		if at := s.config.Link(run, key.String()); at != "" {
			return at
		}
	}
	return research.PlaceURL(url, key.Locator, text)
}
