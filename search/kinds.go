package search

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/time/rate"
)

// A Config says how a provider is asked. The zero value asks a provider that needs no key at its public address.
type Config struct {
	URL       string       // instead of the provider's own base address; a local copy, a proxy, another language's Wikipedia
	Key       string       // never part of an error, a result or a log
	UserAgent string       // "" means "ibid"
	Contact   string       // an e-mail address or a page, for the services that serve polite clients better
	Model     string       // that searches; anthropic and openai only
	Unforced  bool         // the model refuses to be made to use a tool, as those do that always think: it is asked to
	Client    *http.Client // nil means a plain one; every exchange has a time-out and never follows a redirect to another host
	Now       func() time.Time

	// Cost prices the tokens of a model that searches for us, in millionths of a dollar. Input counts all input tokens,
	// cached those of them that were read from a cache. Nil: the answer carries no price.
	Fee  int64 // of a search besides its tokens, for Cost; in millionths of a dollar
	Cost func(model string, input, cached, output int64) (microUSD int64)
}

// A Kind is a provider that can be opened.
type Kind struct {
	Name     string
	URL      string // base address; "" where there is no public one
	KeyEnv   string // the environment variable that holds its key; "" where it takes none
	Site     string // where to read about it and to get a key
	NeedsKey bool
	NeedsURL bool // its address is named by the variable NAME_URL, as SEARXNG_URL
	About    string
}

// A wire is a Kind and how it is spoken to.
type wire struct {
	Kind
	find   func(ctx context.Context, s *service, query string, n int) (Answer, error)
	query  int           // characters of a query that it takes
	pace   time.Duration // the least time between two requests to its public address; 0: it asks for none
	keyed  time.Duration // the same with a key; 0 means as without
	within time.Duration // for one exchange; 0 means exchangeTime
}

// wires holds what can be opened, in the order in which it is offered. Limits are those of the providers' documentation
// in November 2026; where it names none, 400 characters are a long query.
func wires() []wire {
	return []wire{
		{Kind: Kind{Name: "serply", URL: "https://api.serply.io", KeyEnv: "SERPLY_API_KEY", Site: "https://serply.io", NeedsKey: true,
			About: "Google's results as JSON"}, find: serply, query: 400},
		{Kind: Kind{Name: "tavily", URL: "https://api.tavily.com", KeyEnv: "TAVILY_API_KEY", Site: "https://app.tavily.com", NeedsKey: true,
			About: "web search made for agents; 1,000 free a month"}, find: tavily, query: 400},
		{Kind: Kind{Name: "brave", URL: "https://api.search.brave.com", KeyEnv: "BRAVE_API_KEY", Site: "https://api-dashboard.search.brave.com", NeedsKey: true,
			About: "a web index of its own"}, find: brave, query: 400, pace: time.Second},
		{Kind: Kind{Name: "exa", URL: "https://api.exa.ai", KeyEnv: "EXA_API_KEY", Site: "https://dashboard.exa.ai", NeedsKey: true,
			About: "web search by meaning; tells what each search cost"}, find: exa, query: 400},
		{Kind: Kind{Name: "serper", URL: "https://google.serper.dev", KeyEnv: "SERPER_API_KEY", Site: "https://serper.dev", NeedsKey: true,
			About: "Google's results as JSON"}, find: serper, query: 400},
		{Kind: Kind{Name: "searxng", Site: "https://docs.searxng.org", NeedsURL: true,
			About: "metasearch on a server of your own; free"}, find: searxng, query: 400},
		{Kind: Kind{Name: "wikipedia", URL: "https://en.wikipedia.org", Site: "https://www.mediawiki.org/wiki/API:REST_API",
			About: "articles of Wikipedia; free, no key"}, find: wikipedia, query: 300},
		{Kind: Kind{Name: "arxiv", URL: "https://export.arxiv.org", Site: "https://info.arxiv.org/help/api",
			About: "preprints; free, no key, one search in 3 s"}, find: arxiv, query: 300, pace: 3 * time.Second, within: 40 * time.Second},
		{Kind: Kind{Name: "openalex", URL: "https://api.openalex.org", KeyEnv: "OPENALEX_API_KEY", Site: "https://openalex.org/settings/api",
			About: "scholarly works; a free key allows 1,000 searches a day, without one there are few"}, find: openalex, query: 400},
		{Kind: Kind{Name: "semanticscholar", URL: "https://api.semanticscholar.org", KeyEnv: "SEMANTIC_SCHOLAR_API_KEY", Site: "https://www.semanticscholar.org/product/api",
			About: "papers; free, without a key from a shared allowance"}, find: semanticscholar, query: 300, pace: time.Second},
		{Kind: Kind{Name: "crossref", URL: "https://api.crossref.org", KeyEnv: "CROSSREF_API_KEY", Site: "https://www.crossref.org/documentation/retrieve-metadata/rest-api",
			About: "works with a DOI; free, no key, faster with a contact"}, find: crossref, query: 400},
		{Kind: Kind{Name: "pubmed", URL: "https://eutils.ncbi.nlm.nih.gov", KeyEnv: "NCBI_API_KEY", Site: "https://www.ncbi.nlm.nih.gov/books/NBK25497",
			About: "biomedical literature; free, a key allows 10 requests a second instead of 3"}, find: pubmed, query: 400, pace: time.Second / 3, keyed: time.Second / 10},
		{Kind: Kind{Name: "anthropic", URL: "https://api.anthropic.com", KeyEnv: "ANTHROPIC_API_KEY", Site: "https://console.anthropic.com", NeedsKey: true,
			About: "the web search of a Claude model; costs tokens too"}, find: anthropic, query: 400, within: modelTime},
		{Kind: Kind{Name: "openai", URL: "https://api.openai.com/v1", KeyEnv: "OPENAI_API_KEY", Site: "https://platform.openai.com", NeedsKey: true,
			About: "the web search of an OpenAI model; costs tokens too"}, find: openai, query: 400, within: modelTime},
	}
}

// Kinds lists what Open opens, in the order in which it is offered.
func Kinds() []Kind {
	kinds := []Kind{}
	for _, w := range wires() {
		kinds = append(kinds, w.Kind)
	}
	return kinds
}

// Open returns the provider of this name. An unknown name, a missing key, address or model is an *Error that says what to
// set. A provider keeps to the pace that its public service asks for, so a process opens each once and shares it; it is
// safe for concurrent use.
func Open(name string, c Config) (Provider, error) {
	names := []string{}
	for _, w := range wires() {
		if w.Name == name {
			return open(w, c)
		}
		names = append(names, w.Name)
	}
	return nil, &Error{Outcome: Failed, Reason: "there is no search provider " + quoted(name), Hint: "The providers are: " + strings.Join(names, ", ") + "."}
}

func open(w wire, c Config) (Provider, error) {
	missing := func(what, variable string) error {
		return &Error{Provider: w.Name, Outcome: Unauthorised, Reason: "it needs " + what, Hint: "Set " + variable + "; see " + w.Site + "."}
	}
	c.Key = strings.TrimSpace(c.Key) // a line end comes along from a file
	switch {
	case w.NeedsKey && c.Key == "":
		return nil, missing("a key", w.KeyEnv)
	case w.NeedsURL && c.URL == "":
		return nil, missing("the address of its server", strings.ToUpper(w.Name)+"_URL")
	case w.within == modelTime && c.Model == "":
		return nil, &Error{Provider: w.Name, Outcome: Failed, Reason: "no model is named that would search", Hint: "Name one of the provider's models."}
	}
	if c.URL == "" {
		c.URL = w.URL
	}
	base, err := url.Parse(strings.TrimSpace(c.URL))
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Hostname() == "" {
		return nil, &Error{Provider: w.Name, Outcome: Failed, Reason: "the address of its server is no http or https URL", Hint: "Write it as https://host/path."}
	}
	base.RawQuery, base.Fragment = "", ""
	if c.UserAgent == "" {
		c.UserAgent = "ibid"
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	s := &service{wire: w, Config: c, base: base, client: client(c.Client)}
	if public, err := url.Parse(w.URL); err == nil && w.pace > 0 && base.Host == public.Host {
		pace := w.pace
		if c.Key != "" && w.keyed > 0 {
			pace = w.keyed
		}
		s.limit = rate.NewLimiter(rate.Every(pace), 1)
	}
	return s, nil
}
