package main

import (
	"cmp"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"ibid/corpus"
	"ibid/extract"
	"ibid/fetch"
	"ibid/fetch/render"
	"ibid/fetch/sites"
	"ibid/llm"
	"ibid/llm/catalog"
	"ibid/research"
	"ibid/runs"
	"ibid/search"
)

// localSearch is the provider over what is on disk: a folder, a corpus, or the bundled one.
const localSearch = "local"

// chooseSearch pins where a run searches: the providers that are named; else the user's documents; else the first
// provider whose key or address is in the environment; else the model's own search, or what needs no key. Without a model
// and without a key it is the bundled corpus.
func (e *env) chooseSearch(c *research.Config, named []string) error {
	switch {
	case len(named) > 0 || c.Files != "" || c.Corpus != "":
	default:
		named = e.foundSearch(c)
	}
	if len(named) == 1 && named[0] == localSearch {
		named = nil
	}
	known, err := e.origin.catalog()
	if err != nil {
		return err
	}
	c.Search = nil
	for _, name := range named {
		name = strings.ToLower(strings.TrimSpace(name))
		if slices.Contains(c.Search, name) {
			continue
		}
		if c.Search = append(c.Search, name); name == localSearch {
			continue
		}
		if _, err := e.openSearch(name, c, known); err != nil {
			return unready(err)
		}
		price, ok := known.Search(name)
		if !ok {
			c.SearchUnpriced = append(c.SearchUnpriced, name)
		}
		c.SearchPrice += price.MicroUSD
	}
	return nil
}

// foundSearch is where to search when nobody says.
func (e *env) foundSearch(c *research.Config) []string {
	for _, k := range search.Kinds() {
		own := e.searchTable(k)
		if k.Name != catalog.Anthropic && k.Name != catalog.OpenAI && (k.NeedsKey && os.Getenv(own.KeyEnv) != "" || k.NeedsURL && own.URL != "") {
			return []string{k.Name}
		}
	}
	switch {
	case c.Endpoint == nil:
		return nil
	case c.Endpoint.Provider.Search != "":
		return []string{c.Endpoint.Provider.Search}
	}
	return []string{"wikipedia", "crossref"}
}

// searchTable is what is set for a search provider: in the configuration, or by variables such as SEARXNG_URL.
func (e *env) searchTable(k search.Kind) searchTable {
	own := e.origin.tables.SearchProvider[k.Name]
	if url := os.Getenv(strings.ToUpper(k.Name) + "_URL"); url != "" {
		own.URL = url
	}
	own.KeyEnv = cmp.Or(own.KeyEnv, k.KeyEnv)
	return own
}

// openSearch opens a provider.
func (e *env) openSearch(name string, c *research.Config, known *catalog.Catalog) (search.Provider, error) {
	config := search.Config{UserAgent: userAgent(e.origin.tables.Fetch.Contact), Contact: e.origin.tables.Fetch.Contact, Now: time.Now}
	for _, k := range search.Kinds() {
		if k.Name != name {
			continue
		}
		own := e.searchTable(k)
		config.URL, config.Key, config.Model = own.URL, os.Getenv(own.KeyEnv), own.Model
	}
	if p, ok := known.Provider(name); ok && (name == catalog.Anthropic || name == catalog.OpenAI) { // a model that searches
		config.URL = cmp.Or(config.URL, p.URL)
		config.Key, _ = keyOf(p)
		if config.Model == "" && c.Endpoint != nil && c.Endpoint.Provider.Name == name {
			config.Model = c.Endpoint.Model
		}
		config.Model = cmp.Or(config.Model, p.DefaultModel)
		config.Unforced = !p.ForcedTools(config.Model)
		fee, _ := known.Search(name)
		config.Fee = fee.MicroUSD
		config.Cost = func(model string, input, cached, output int64) int64 {
			price, _ := known.Price(name + "/" + model) // said to be unknown where the run is told
			return price.MicroUSD(llm.Usage{In: input - cached, CacheRead: cached, Out: output, Known: true})
		}
	}
	return search.Open(name, config)
}

// unready tells a search provider's error as one of the configuration.
func unready(err error) error {
	var failed *search.Error
	if errors.As(err, &failed) {
		message := failed.Reason
		if failed.Provider != "" {
			message = "searching with " + failed.Provider + ": " + message
		}
		return &runs.Error{Code: runs.Unready, Message: message, Hint: failed.Hint}
	}
	return err
}

// providers opens all that a run searches with, as one.
func (e *env) providers(c research.Config, library search.Provider) (search.Provider, error) {
	known, err := e.origin.catalog()
	if err != nil {
		return nil, err
	}
	var list []search.Provider
	for _, name := range c.Search {
		if name == localSearch {
			list = append(list, library)
			continue
		}
		p, err := e.openSearch(name, &c, known)
		if err != nil {
			return nil, unready(err)
		}
		price, _ := known.Search(name) // unknown is said when the run begins
		list = append(list, search.Priced(search.Wary(p, time.Now), price.MicroUSD))
	}
	return search.Fuse(list...), nil
}

// web reads pages of the live web, with the specialists for sites that want one. typed are the URLs that the user named.
// branch makes the same for another agent: its connections are its own, its manners towards hosts are not.
func (e *env) web(cache *fetch.Cache, typed []string) (web fetch.Fetcher, client *fetch.Client, branch func() fetch.Fetcher, err error) {
	t := &e.origin.tables.Fetch
	if client, err = t.client(); err != nil {
		return nil, nil, nil, err
	}
	live := fetch.NewLive(fetch.LiveConfig{Client: client, Agent: agentToken, Cache: cache, Interval: seconds(t.Interval), Now: time.Now,
		Typed: func(url string) bool { return slices.Contains(typed, url) }})
	over := func(client *fetch.Client, live *fetch.Live) fetch.Fetcher {
		return sites.New(sites.Config{Client: client, Web: live, GitHubToken: os.Getenv(cmp.Or(t.GitHubTokenEnv, "GITHUB_TOKEN")),
			Contact: t.Contact, Now: time.Now, Languages: t.Languages, URLs: t.Sites})
	}
	branch = func() fetch.Fetcher {
		own, err := t.client()
		if err != nil { // it could be made a moment ago
			own = client
		}
		return over(own, live.Over(own))
	}
	return over(client, live), client, branch, nil
}

// renderer opens the browser that a run may use, or nil.
func (e *env) renderer(c research.Config, client *fetch.Client) (research.Reader, error) {
	if c.Render == "" || c.Render == "never" {
		return nil, nil
	}
	if _, err := render.Find(e.origin.tables.Fetch.Browser); err != nil {
		return nil, &runs.Error{Code: runs.Unready, Message: "rendering pages", Err: err, Hint: "Leave out --render, or install the browser."}
	}
	r, err := render.New(render.Config{Client: client, Program: e.origin.tables.Fetch.Browser, UserAgent: userAgent(e.origin.tables.Fetch.Contact), Now: time.Now})
	if err != nil {
		return nil, &runs.Error{Code: runs.Unready, Message: "rendering pages", Err: err, Hint: "Leave out --render, or install the browser."}
	}
	return &corpus.Reader{Fetcher: r, Extract: extract.Extract}, nil
}
