package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"ibid/llm/anthropic"
	"ibid/llm/catalog"
	"ibid/llm/openai"
	"ibid/research"
	"ibid/research/extractive"
	"ibid/runs"
)

// extractiveModel is the researcher that needs no model, no key and no network.
const extractiveModel = "extractive"

// answerTokens is the longest answer that is asked for: a report, with the thinking before it.
const answerTokens = 8192

// chooseModel pins a run's model: the one that is named, or else the first whose key is in the environment, or else the
// extractive researcher.
func (e *env) chooseModel(c *research.Config, named string, stream bool) error {
	known, err := e.origin.catalog()
	if err != nil {
		return err
	}
	if named == "" {
		named = extractiveModel
		for _, p := range known.Providers() {
			if _, set := keyOf(p); set && len(p.KeyEnv) > 0 && p.DefaultModel != "" {
				named = p.Name + "/" + p.DefaultModel
				break
			}
		}
	}
	if named == extractiveModel {
		c.Model = extractiveModel
		return nil
	}
	if p, ok := known.Provider(named); ok && p.DefaultModel != "" {
		named += "/" + p.DefaultModel
	}
	p, id, err := known.Split(named)
	if err != nil {
		return &runs.Error{Code: runs.Unready, Message: "choosing the model", Err: err, Hint: "'extractive' needs no key; other providers can be set up in the configuration."}
	}
	if _, set := keyOf(p); !set {
		return noKey(p)
	}
	c.Model, c.Endpoint = p.Name+"/"+id, &research.Endpoint{Provider: p, Model: id, Stream: stream}
	if price, ok := known.Price(c.Model); ok {
		c.Price = &price
	}
	return nil
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

// model opens a run's model. How it is spoken to is pinned with the run, so that a replay reads what was written; where it
// is and its key are today's.
func (e *env) model(c research.Config, p *research.Parts, replay bool) error {
	if c.Model == extractiveModel {
		p.Model, p.Free = extractive.New(), true
		return nil
	}
	if c.Endpoint == nil {
		return &runs.Error{Code: runs.Unready, Message: fmt.Sprintf("this program has no model %q", c.Model)}
	}
	at := c.Endpoint.Provider
	var key string
	if !replay {
		known, err := e.origin.catalog()
		if err != nil {
			return err
		}
		if now, ok := known.Provider(at.Name); ok {
			at.URL, at.KeyEnv, at.Headers = now.URL, now.KeyEnv, now.Headers
		}
		var set bool
		if key, set = keyOf(at); !set {
			return noKey(at)
		}
	}
	id := c.Endpoint.Model
	headers := map[string]string{}
	for name, value := range at.Headers {
		headers[name] = os.Expand(value, os.Getenv)
	}
	switch at.Protocol {
	case catalog.Anthropic:
		p.Model = anthropic.New(anthropic.Config{Name: c.Model, Model: id, URL: at.URL, Key: key, Stream: c.Endpoint.Stream, Headers: headers,
			NoTemperature: !at.Temperature(id), NoForcedTools: !at.ForcedTools(id)})
	case catalog.OpenAI:
		p.Model = openai.New(openai.Config{Name: c.Model, Model: id, URL: at.URL, Key: key, Stream: c.Endpoint.Stream, Headers: headers, MaxTokensField: at.MaxTokensField,
			NoTemperature: !at.Temperature(id), NoForcedTools: !at.ForcedTools(id), NoStreamUsage: !at.StreamUsage, CacheKey: at.CacheKey,
			NoReasoning: at.Reasoning == catalog.NeverBack, RequireReasoning: at.Reasoning == catalog.AlwaysBack, ShortIDs: at.ShortIDs})
	default:
		return &runs.Error{Code: runs.Unready, Message: fmt.Sprintf("the provider %s speaks %q, which this program does not", at.Name, at.Protocol)}
	}
	p.MaxTokens = answerTokens
	if c.Price != nil {
		p.Price = c.Price.MicroUSD
		p.MaxTokens = int(min(answerTokens, cmp.Or(c.Price.MaxOutput, answerTokens)))
	}
	return nil
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
	for _, name := range c.SearchUnpriced {
		fmt.Fprintf(e.err, "there is no price for a search with %s: what it costs is not known\n", name)
	}
}
