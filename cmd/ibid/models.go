package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"ibid/llm"
	"ibid/llm/anthropic"
	"ibid/llm/catalog"
	"ibid/llm/openai"
	"ibid/research"
	"ibid/research/extractive"
	"ibid/research/outside"
	"ibid/runs"
)

// extractiveModel is the researcher that needs no model, no key and no network.
const extractiveModel = "extractive"

// answerTokens is the longest answer that is asked for: a report, with the thinking before it.
const answerTokens = 8192

// chooseModel pins a run's model: the one that is named, or else the first whose key is in the environment, or else the
// extractive researcher.
func (e *env) chooseModel(c *research.Config, named string, stream bool) (err error) {
	if named == "" {
		known, err := e.origin.catalog()
		if err != nil {
			return err
		}
		named = extractiveModel
		for _, p := range known.Providers() {
			if _, set := keyOf(p); set && len(p.KeyEnv) > 0 && p.DefaultModel != "" {
				named = p.Name + "/" + p.DefaultModel
				break
			}
		}
	}
	if named == extractiveModel {
		c.Model, c.Researcher = extractiveModel, extractive.ID
		return nil
	}
	c.Model, c.Endpoint, c.Price, err = e.findModel("choosing the model", named, stream)
	return err
}

// remodel pins another model for a fork, and what depends on it.
func (e *env) remodel(c *research.Config, named string) error {
	stream := c.Endpoint == nil || c.Endpoint.Stream
	c.Endpoint, c.Price, c.Researcher = nil, nil, ""
	if err := e.chooseModel(c, named, stream); err != nil {
		return err
	}
	if c.Context != nil {
		context := *c.Context
		context.Window = window(c.Price)
		c.Context = &context
	}
	return nil
}

// findModel looks up a provider's model: its name, how it is spoken to, and its price, nil if that is not known.
func (e *env) findModel(what, named string, stream bool) (name string, at *research.Endpoint, price *catalog.Price, err error) {
	known, err := e.origin.catalog()
	if err != nil {
		return "", nil, nil, err
	}
	if p, ok := known.Provider(named); ok && p.DefaultModel != "" {
		named += "/" + p.DefaultModel
	}
	p, id, err := known.Split(named)
	if err != nil {
		return "", nil, nil, &runs.Error{Code: runs.Unready, Message: what, Err: err, Hint: "'extractive' needs no key; other providers can be set up in the configuration."}
	}
	if _, set := keyOf(p); !set {
		return "", nil, nil, noKey(p)
	}
	name = p.Name + "/" + id
	if known, ok := known.Price(name); ok {
		price = &known
	}
	return name, &research.Endpoint{Provider: p, Model: id, Stream: stream}, price, nil
}

// keyOf returns a provider's key from the environment. A provider that needs none has one.
func keyOf(p catalog.Provider) (key string, set bool) {
	for _, name := range p.KeyEnv {
		if key = os.Getenv(name); key != "" {
			return key, true
		}
	}
	return "", len(p.KeyEnv) == 0
}

func noKey(p catalog.Provider) error {
	return &runs.Error{Code: runs.Unready, Message: "the model provider " + p.Name + " needs a key", Hint: "Set " + strings.Join(p.KeyEnv, " or ") + "."}
}

// model opens a run's model, and its judge if it has one.
func (e *env) model(c research.Config, p *research.Parts, replay bool) (err error) {
	if err := e.openJudge(c, p, replay); err != nil {
		return err
	}
	if c.Model == extractiveModel {
		p.Model, p.Free = extractive.New(c.Researcher), true
		return nil
	}
	if c.Model == research.Outside {
		p.Model, p.Free = &outside.Model{}, true
		return nil
	}
	if p.Model, err = e.openModel(c.Model, c.Endpoint, replay); err != nil {
		return err
	}
	p.MaxTokens = answerTokens
	if c.Price != nil {
		p.Price = c.Price.MicroUSD
		p.MaxTokens = int(min(answerTokens, cmp.Or(c.Price.MaxOutput, answerTokens)))
	}
	return nil
}

// openModel opens a provider's model. How it is spoken to is pinned with the run, so that a replay reads what was written;
// where it is and its key are today's.
func (e *env) openModel(name string, endpoint *research.Endpoint, replay bool) (llm.Model, error) {
	if endpoint == nil {
		return nil, &runs.Error{Code: runs.Unready, Message: fmt.Sprintf("this program has no model %q", name)}
	}
	at := endpoint.Provider
	var key string
	if !replay {
		known, err := e.origin.catalog()
		if err != nil {
			return nil, err
		}
		if now, ok := known.Provider(at.Name); ok {
			at.URL, at.KeyEnv, at.Headers = now.URL, now.KeyEnv, now.Headers
		}
		var set bool
		if key, set = keyOf(at); !set {
			return nil, noKey(at)
		}
	}
	id := endpoint.Model
	headers := map[string]string{}
	for header, value := range at.Headers {
		headers[header] = os.Expand(value, os.Getenv)
	}
	switch at.Protocol {
	case catalog.Anthropic:
		return anthropic.New(anthropic.Config{Name: name, Model: id, URL: at.URL, Key: key, Stream: endpoint.Stream, Headers: headers,
			NoTemperature: !at.Temperature(id), NoForcedTools: !at.ForcedTools(id)}), nil
	case catalog.OpenAI:
		return openai.New(openai.Config{Name: name, Model: id, URL: at.URL, Key: key, Stream: endpoint.Stream, Headers: headers, MaxTokensField: at.MaxTokensField,
			NoTemperature: !at.Temperature(id), NoForcedTools: !at.ForcedTools(id), NoStreamUsage: !at.StreamUsage, CacheKey: at.CacheKey,
			NoReasoning: at.Reasoning == catalog.NeverBack, RequireReasoning: at.Reasoning == catalog.AlwaysBack, ShortIDs: at.ShortIDs}), nil
	}
	return nil, &runs.Error{Code: runs.Unready, Message: fmt.Sprintf("the provider %s speaks %q, which this program does not", at.Name, at.Protocol)}
}

// said tells on stderr what a run will be made with, and what is not known about its cost.
func (e *env) said(c research.Config) {
	if e.cli.Quiet {
		return
	}
	where := cmp.Or(strings.Join(c.Search, ", "), "local")
	switch {
	case c.Files != "":
		where += " (" + c.Files + ")"
	case c.Corpus != "":
		where += " (" + c.Corpus + ")"
	case c.Workspace != "" && (where == localSearch || slices.Contains(c.Search, localSearch)):
		where += " (" + c.Workspace + ")"
	case where == localSearch, slices.Contains(c.Search, localSearch):
		where += " (the bundled corpus, all of it invented; ibid doctor tells how to search the web)"
	}
	fmt.Fprintf(e.err, "model %s; searching %s\n", c.Model, where)
	if c.Approver == "auto" && (c.Policy.AskPlan || c.Policy.AskAbove > 0) {
		fmt.Fprintln(e.err, "nobody is asked: --approve auto grants plans, reads and spending by rule; --approve console asks you")
	}
	if c.Endpoint != nil && c.Price == nil {
		fmt.Fprintf(e.err, "there is no price for %s: what the model costs is not known, and the limit of dollars does not hold it\n", c.Model)
	}
	for _, s := range c.Servers {
		asks := 0
		for _, t := range s.Tools {
			if t.Asks {
				asks++
			}
		}
		fmt.Fprintf(e.err, "tools of %s: %d may be called, before calls of %d somebody is asked\n", s.Name, len(s.Tools), asks)
	}
	if j := c.Judge; j != nil {
		fmt.Fprintf(e.err, "%s judges what the rules flag, and clears from a score of %d on\n", j.Model, j.Threshold)
		if j.Price == nil {
			fmt.Fprintf(e.err, "there is no price for %s: what the judge costs is not known, and the limit of dollars does not hold it\n", j.Model)
		}
	}
	for _, name := range c.SearchUnpriced {
		fmt.Fprintf(e.err, "there is no price for a search with %s: what it costs is not known\n", name)
	}
}
