package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ibid/research"
	"ibid/runs"
)

// maxQuestion is of the question that a request brings, in bytes.
const maxQuestion = 64 << 10

// configure turns what is asked of a server into a run's configuration: the server's own flags, and the request over them.
// Which folders and files there are is the server's own matter.
func (c *serveCmd) configure(e *env, r runs.Request) (research.Config, error) {
	f := c.researchFlags
	if err := overlay(&f, r); err != nil {
		return research.Config{}, err
	}
	if most := c.DailyCost; most > 0 && r.MaxCost > most {
		return research.Config{}, invalidRequest("max_cost: $%g is more than the $%g that the runs of a day may cost here", r.MaxCost, most)
	}
	if len(c.AllowHost) > 0 {
		for _, h := range r.AllowHosts {
			if !slices.Contains(c.AllowHost, h) {
				return research.Config{}, invalidRequest("allow_hosts: %q is none of the hosts that this server lets runs read from", h)
			}
		}
	}
	config, err := f.config(e, r.Question)
	if err != nil {
		return config, err
	}
	atMost(&config, units(c.DailyCost, 1e6))
	return config, e.ready(config)
}

// atMost limits what a run may cost, in millionths of a dollar; 0 is no limit.
func atMost(c *research.Config, most int64) {
	if most > 0 && (c.Limits.MicroUSD == 0 || c.Limits.MicroUSD > most) {
		c.Limits.MicroUSD = most
	}
}

func invalidRequest(format string, args ...any) error {
	return &runs.Error{Code: runs.Invalid, Message: fmt.Sprintf(format, args...)}
}

// overlay lays a request over flags, after checking what kong checks of flags.
func overlay(f *researchFlags, r runs.Request) error {
	if strings.TrimSpace(r.Question) == "" {
		return invalidRequest("question: there is none")
	}
	if len(r.Question) > maxQuestion {
		return invalidRequest("question: it has %d bytes; %d is the limit", len(r.Question), maxQuestion)
	}
	for _, one := range []struct {
		name, given string
		of          []string
	}{
		{"tier", r.Tier, []string{"auto", "quick", "standard", "deep"}},
		{"approve", r.Approve, []string{"auto", "deny", "durable", "plan"}},
		{"render", r.Render, []string{"never", "ask", "allow"}},
		{"ocr", r.OCR, []string{"never", "allow"}},
	} {
		if one.given != "" && !slices.Contains(one.of, one.given) {
			return invalidRequest("%s: %q is none of %s", one.name, one.given, strings.Join(one.of, ", "))
		}
	}
	f.Model, f.Judge, f.Tier, f.Team = cmp.Or(r.Model, f.Model), cmp.Or(r.Judge, f.Judge), cmp.Or(r.Tier, f.Tier), cmp.Or(r.Team, f.Team)
	f.MaxSteps, f.MaxSearches, f.MaxReads = cmp.Or(r.MaxSteps, f.MaxSteps), cmp.Or(r.MaxSearches, f.MaxSearches), cmp.Or(r.MaxReads, f.MaxReads)
	f.MaxTokens, f.MaxSeconds, f.MaxCost = cmp.Or(r.MaxTokens, f.MaxTokens), cmp.Or(r.MaxSeconds, f.MaxSeconds), cmp.Or(r.MaxCost, f.MaxCost)
	f.Approve, f.Render, f.OCR = cmp.Or(r.Approve, f.Approve), cmp.Or(r.Render, f.Render), cmp.Or(r.OCR, f.OCR)
	f.AskPlan, f.AskAbove = f.AskPlan || r.AskPlan, cmp.Or(r.AskAbove, f.AskAbove)
	if r.AskAfter != nil {
		f.AskAfter = *r.AskAfter
	}
	if r.Tags != nil {
		f.Tag = r.Tags
	}
	if r.Search != nil {
		f.Search = r.Search
	}
	if r.AllowHosts != nil {
		f.AllowHost = r.AllowHosts
	}
	return nil
}
