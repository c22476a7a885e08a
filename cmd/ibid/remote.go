package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"ibid/client"
	"ibid/runs"
)

// overServer are the commands that work with the runs of a server, docs/service.md lists them; withoutRuns those that look at
// no run, and so work as ever where a server is named.
var (
	overServer = []string{"research", "watch", "resume", "replay", "fork", "report", "verify", "bundle", "runs list", "runs show", "runs events", "runs stop",
		"runs cancel", "runs compare", "runs export", "runs reject", "runs delete", "gate list", "gate show", "gate edit", "gate approve", "gate deny", "doctor"}
	withoutRuns = []string{"extract", "check", "keys", "audit pairs", "audit calibrate", "audit reports", "audit sources", "eval extract", "eval retrieval",
		"eval evidence", "eval cost", "mcp tools", "config show", "completion", "version"}
)

// reaches refuses a server where a command works with what is kept on this machine alone.
func (c *cli) reaches(path string) error {
	name := strings.TrimPrefix(path, "ibid ")
	if c.Server == "" || slices.Contains(overServer, name) || slices.Contains(withoutRuns, name) {
		return nil
	}
	return &runs.Error{Code: runs.Invalid, Message: path + " works with what is kept on this machine alone, and not with a server", Hint: "Leave out --server, or unset IBID_SERVER."}
}

// withClient gives the runs of the server that is named.
func (e *env) withClient(f func(*client.Client) error) error {
	c, err := client.New(e.cli.Server, os.Getenv("IBID_TOKEN"))
	if err != nil {
		return err
	}
	defer c.Close()
	return f(c)
}

// sent are the flags of research that are part of what a server is asked.
var sent = map[string]func(r *runs.Request, f *researchFlags){
	"model":        func(r *runs.Request, f *researchFlags) { r.Model = f.Model },
	"judge":        func(r *runs.Request, f *researchFlags) { r.Judge = f.Judge },
	"search":       func(r *runs.Request, f *researchFlags) { r.Search = f.Search },
	"tier":         func(r *runs.Request, f *researchFlags) { r.Tier = f.Tier },
	"tag":          func(r *runs.Request, f *researchFlags) { r.Tags = f.Tag },
	"team":         func(r *runs.Request, f *researchFlags) { r.Team = f.Team },
	"max-steps":    func(r *runs.Request, f *researchFlags) { r.MaxSteps = f.MaxSteps },
	"max-searches": func(r *runs.Request, f *researchFlags) { r.MaxSearches = f.MaxSearches },
	"max-reads":    func(r *runs.Request, f *researchFlags) { r.MaxReads = f.MaxReads },
	"max-tokens":   func(r *runs.Request, f *researchFlags) { r.MaxTokens = f.MaxTokens },
	"max-seconds":  func(r *runs.Request, f *researchFlags) { r.MaxSeconds = f.MaxSeconds },
	"max-cost":     func(r *runs.Request, f *researchFlags) { r.MaxCost = f.MaxCost },
	"approve":      func(r *runs.Request, f *researchFlags) { r.Approve = f.Approve },
	"ask-plan":     func(r *runs.Request, f *researchFlags) { r.AskPlan = f.AskPlan },
	"ask-after":    func(r *runs.Request, f *researchFlags) { r.AskAfter = &f.AskAfter },
	"ask-above":    func(r *runs.Request, f *researchFlags) { r.AskAbove = f.AskAbove },
	"allow-host":   func(r *runs.Request, f *researchFlags) { r.AllowHosts = f.AllowHost },
	"render":       func(r *runs.Request, f *researchFlags) { r.Render = f.Render },
	"ocr":          func(r *runs.Request, f *researchFlags) { r.OCR = f.OCR },
}

// request is what a server is asked: what was said here, and nothing that is only this program's default. The server's
// folders and how it speaks to models are its own matter.
func (c *researchCmd) request(e *env, kctx *kong.Context, question string) (runs.Request, error) {
	r := runs.Request{Question: question}
	var kept []string
	for _, f := range kctx.Selected().Flags {
		from := new(configShowCmd).where(e, kctx, f)
		if from == "default" || f.Name == "detach" {
			continue
		}
		if set := sent[f.Name]; set != nil {
			set(&r, &c.researchFlags)
			continue
		}
		if from == "flag" {
			return r, &runs.Error{Code: runs.Invalid, Message: "--" + f.Name + " is the server's own matter", Hint: "Leave it out, or leave out --server."}
		}
		kept = append(kept, f.Name)
	}
	if r.Approve == "console" {
		return r, &runs.Error{Code: runs.Invalid, Message: "a server has no console to ask at", Hint: "Leave out --approve: the run parks, and 'ibid gate approve' answers."}
	}
	if len(kept) > 0 && !e.cli.Quiet {
		slices.Sort(kept)
		fmt.Fprintf(e.err, "set here and not asked of the server: %s\n", strings.Join(kept, ", "))
	}
	return r, nil
}

// remotely has a server research the question.
func (c *researchCmd) remotely(e *env, kctx *kong.Context, question string) error {
	r, err := c.request(e, kctx, question)
	if err != nil {
		return err
	}
	return e.withClient(func(s *client.Client) error {
		info, err := s.Start(e.ctx, r)
		if err != nil {
			return err
		}
		if c.Detach {
			return queued(e, info.ID)
		}
		if !e.cli.Quiet {
			fmt.Fprintf(e.err, "run %s on %s\n", info.ID, e.cli.Server)
		}
		return follow(e, s, info.ID)
	})
}
