package research

import (
	"maps"
	"reflect"
	"strings"

	"ibid/agent"
	"ibid/budget"
	"ibid/corpus"
	"ibid/llm"
	"ibid/research/prompts"
)

// Outside is the model of a run whose researcher is a program outside of this one: its tool calls come in over a protocol,
// and are dispatched, gated, charged, journaled and checked like any model's.
const Outside = "outside"

// outside says whether the run's researcher is outside.
func (c Config) outside() bool { return c.Model == Outside }

// ForOutside makes of a configuration that of a run whose researcher is outside: no team and no summaries, since whoever
// researches keeps their own conversation; no limit of tokens and seconds, since thinking is theirs to pay for; and of steps,
// searches and reads as many as a long session takes, where the limits of own do not say otherwise.
func (c Config) ForOutside(own budget.Limits) Config {
	c.Model, c.Endpoint, c.Price, c.Team, c.Context, c.Servers = Outside, nil, nil, nil, nil, nil
	c.Tier, c.Closing = budget.Deep, budget.Amount{Steps: 1}
	c.Limits = budget.Limits{Steps: 2000, Searches: 100, Reads: 200, MicroUSD: 5_000_000}.With(budget.Limits{
		Steps: own.Steps, Searches: own.Searches, Reads: own.Reads, MicroUSD: own.MicroUSD})
	c.Prompts = speakingOf(c.Prompts, "read_pages", "ingest_source")
	if c.Knowledge != nil {
		k := *c.Knowledge
		k.Outside, k.Model, k.Prompt = true, "", "" // there is no model of the run's to draw facts: rules do
		c.Knowledge = &k
	}
	return c
}

// speakingOf are texts that speak of another tool in the place of one.
func speakingOf(set prompts.Set, tool, other string) prompts.Set {
	texts := maps.Clone(set)
	for name, text := range texts {
		texts[name] = strings.ReplaceAll(text, tool, other)
	}
	return texts
}

// outsideTools are the tools of a researcher outside, in the order in which they are listed.
func outsideTools(s *state, c Config, p Parts, blobs keeper) []agent.Tool {
	texts := c.Prompts
	tools := []agent.Tool{&planTool{s, texts.Text("plan")}}
	if p.Search != nil {
		tools = append(tools, &searchTool{s, texts.Text("search_web"), p.Search, p.SearchPrice})
	}
	read := readTool{state: s, text: texts.Text("read_pages"), reader: p.Reader, scope: c.Policy, blobs: blobs}
	tools = append(tools,
		&ingestTool{readTool: read, own: texts.Text("ingest_source"), given: p.Given},
		&sourcesTool{s, texts.Text("list_sources")},
		&corpusTool{s, texts.Text("search_corpus")},
		&quoteTool{s, texts.Text("quote")},
		&findingTool{s, texts.Text("record_finding")},
		&textTool{s, texts.Text("fetch")},
		&reportTool{s, texts.Text("write_report")},
	)
	if c.Knowledge != nil && c.Knowledge.Outside {
		tools = append(tools, knowledgeTools(s, c)...)
	}
	return tools
}

// A Definition is a tool as faces show it to researchers outside: what the loop tells a model of it, the Go type of the one
// JSON object that it answers with, and what a call of it does to the world.
type Definition struct {
	llm.Tool
	Output   reflect.Type
	Reads    bool // changes nothing, not even the run
	Reaches  bool // goes out into the world
	Repeated bool // a second call with the same arguments changes nothing more
}

// Definitions are the tools of researchers outside: whether their runs can search, and have a knowledge base, is for the face
// to know.
func Definitions(search, base bool) []Definition {
	c := Config{Prompts: speakingOf(prompts.Default(), "read_pages", "ingest_source"), Model: Outside}
	var list []Definition
	for _, t := range outsideTools(newState("", corpus.New()), c, Parts{}, nil) {
		list = append(list, defined(t))
	}
	if search {
		t := &searchTool{state: newState("", corpus.New()), text: c.Prompts.Text("search_web")}
		list = append(list[:1], append([]Definition{defined(t)}, list[1:]...)...)
	}
	if base {
		s := newState("", corpus.New())
		s.memory = &memory{}
		for _, t := range knowledgeTools(s, c) {
			list = append(list, defined(t))
		}
	}
	return list
}

func defined(t agent.Tool) Definition {
	d := Definition{Tool: t.Spec()}
	switch t.(type) {
	case *planTool:
		d.Output, d.Repeated = reflect.TypeFor[planView](), true
	case *searchTool:
		d.Output, d.Reaches, d.Repeated = reflect.TypeFor[searchView](), true, true
	case *ingestTool:
		d.Output, d.Reaches, d.Repeated = reflect.TypeFor[pageView](), true, true
	case *sourcesTool:
		d.Output, d.Reads, d.Repeated = reflect.TypeFor[sourcesView](), true, true
	case *corpusTool:
		d.Output, d.Reads, d.Repeated = reflect.TypeFor[spansView](), true, true
	case *quoteTool:
		d.Output, d.Reads, d.Repeated = reflect.TypeFor[quoteView](), true, true
	case *textTool:
		d.Output, d.Reads, d.Repeated = reflect.TypeFor[textView](), true, true
	case *findingTool:
		d.Output, d.Repeated = reflect.TypeFor[recordedView](), true
	case *queryTool: // what waits is absorbed first, and it may be asked again
		d.Output, d.Repeated = reflect.TypeFor[recalledView](), true
	case *rememberTool:
		d.Output, d.Repeated = reflect.TypeFor[rememberedView](), true
	case *reportTool:
		d.Output = reflect.TypeFor[acceptedView]()
	}
	return d
}
