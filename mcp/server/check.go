package server

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ibid/foreign"
	"ibid/llm/fence"
)

// verifyArgs name a report to be checked once more.
type verifyArgs struct {
	Run    string `json:"run" jsonschema:"The run's id."`
	Report string `json:"report,omitempty" jsonschema:"Markdown that says it is the run's report. Left out: the run's own."`
}

// verified is what the check says.
type verified struct {
	OK        bool      `json:"ok" jsonschema:"Every claim is carried by a span that the run read."`
	Claims    int       `json:"claims" jsonschema:"Statements that need a source."`
	Citations int       `json:"citations"`
	Problems  []problem `json:"problems"`
}

// A problem is one thing that is wrong with a report, or to be known of it.
type problem struct {
	Severity string `json:"severity" jsonschema:"block, or flag"`
	Code     string `json:"code"`
	Line     int    `json:"line"`
	Text     string `json:"text"`
	Message  string `json:"message"`
}

// checkArgs are a report that somebody else wrote.
type checkArgs struct {
	Report    string `json:"report" jsonschema:"The report: Markdown or HTML, with its citations."`
	Name      string `json:"name,omitempty" jsonschema:"What it is called, with its ending: report.md."`
	NoSources bool   `json:"no_sources,omitempty" jsonschema:"True reads no source: only what the report itself shows."`
}

// checked is what was found.
type checked struct {
	OK         bool           `json:"ok" jsonschema:"Every cited claim is supported, and no citation leads nowhere."`
	Complete   bool           `json:"complete" jsonschema:"Every source was asked."`
	Counts     foreign.Counts `json:"counts"`
	Claims     []judgedClaim  `json:"claims" jsonschema:"Those that are not supported come first."`
	LeftOut    int            `json:"left_out" jsonschema:"Claims that are not listed."`
	References []reference    `json:"references"`
}

// judgedClaim is a claim with what its sources say of it.
type judgedClaim struct {
	Line    int      `json:"line"`
	Text    string   `json:"text"`
	Verdict string   `json:"verdict"`
	Quote   string   `json:"untrusted_quote,omitempty" jsonschema:"What the verdict rests on, in the source's words."`
	Cites   []string `json:"cites"`
}

// reference is a source of the report.
type reference struct {
	ID      string `json:"id"`
	Address string `json:"address"`
	State   string `json:"state"`
}

// Limits of what is listed.
const (
	maxProblems   = 100
	maxJudged     = 200
	maxReferences = 200
)

// checkTools offers the checks.
func (s *Server) checkTools() {
	add(s, &mcp.Tool{Name: "verify_report", Description: `Check the report of a run once more, or a text that says it is: every citation, quote and figure is held against what the run read.`,
		Annotations: hints("Verify a report", true, false, true, false)}, s.verify)
	if s.config.Check == nil {
		return
	}
	add(s, &mcp.Tool{Name: "check_report", Description: `Check a report that ibid did not write: its citations are read in the usual styles, their sources fetched, and each claim held against them. Says which claims are supported, contradicted, misquoted, or not found.`,
		Annotations: hints("Check a report by others", true, false, true, true)}, s.check)
}

func (s *Server) verify(ctx context.Context, req *mcp.CallToolRequest, in verifyArgs) (*mcp.CallToolResult, verified, error) {
	var markdown []byte
	if in.Report != "" {
		markdown = []byte(in.Report)
	}
	r, err := s.desk(userOf(req)).Verify(ctx, in.Run, markdown)
	if err != nil {
		return nil, verified{}, forModel(err)
	}
	out := verified{OK: r.OK, Claims: r.Claims, Citations: r.Citations, Problems: []problem{}}
	for _, f := range r.Failures[:min(maxProblems, len(r.Failures))] {
		out.Problems = append(out.Problems, problem{string(f.Severity), string(f.Code), f.Line, f.Text, f.Message})
	}
	result := s.fenced(ctx, userOf(req), in.Run, out)
	result.StructuredContent = nil
	return result, out, nil
}

func (s *Server) check(ctx context.Context, req *mcp.CallToolRequest, in checkArgs) (*mcp.CallToolResult, checked, error) {
	if strings.TrimSpace(in.Report) == "" {
		return nil, checked{}, fmt.Errorf("the report is empty. Send its whole text in `report`")
	}
	name := in.Name
	if name == "" {
		name = "report.md"
	}
	r, err := s.config.Check(ctx, name, []byte(in.Report), !in.NoSources)
	if err != nil {
		return nil, checked{}, forModel(err)
	}
	out := checked{OK: r.OK, Complete: r.Complete, Counts: r.Counts, Claims: []judgedClaim{}, References: []reference{}}
	for _, supported := range []bool{false, true} {
		for _, c := range r.Claims {
			if (c.Verdict == foreign.Supported) != supported {
				continue
			}
			if len(out.Claims) == maxJudged {
				out.LeftOut++
				continue
			}
			j := judgedClaim{Line: c.Line, Text: c.Text, Verdict: string(c.Verdict), Cites: append([]string{}, c.Cites...)}
			if len(c.Quotes) > 0 {
				j.Quote = c.Quotes[0].Text
			}
			out.Claims = append(out.Claims, j)
		}
	}
	for _, x := range r.References[:min(maxReferences, len(r.References))] {
		out.References = append(out.References, reference{x.ID, x.Address, string(x.State)})
	}
	boundary := fence.Fence(strings.ToLower(rand.Text()[:10]))
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: boundary.Around(out)}}}, out, nil
}
