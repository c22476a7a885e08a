// Package city plays the outside world for tests: model providers, search providers and a small web, on the loopback
// interface, in their true wire formats. It is written without the product's codecs, so that a fault in one of them
// cannot hide in the other, and it refuses what the real services refuse. Nothing in it depends on the clock or on
// chance: the same requests get the same answers.
package city

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"ibid/llm"
)

// Options say how a city differs from the plain one, where every key is right and nothing goes wrong.
type Options struct {
	// Answer is the mind behind both model protocols; nil means the extractive researcher.
	Answer func(context.Context, llm.Request) (llm.Response, error)
	// Judge is asked for verdicts, behind both model protocols; nil means one that counts words.
	Judge func(context.Context, Pair) (llm.Response, error)
	// Draft lets the researcher end with a report text of its own, made of the findings it recorded, instead of an empty one.
	Draft bool
	// Thinking makes every Anthropic answer begin with a signed thinking block, as models that always think do.
	Thinking bool
	// Models are the names that the model servers know; nil means any.
	Models []string
	// MinCache is the shortest prompt prefix, in tokens, that the prompt caches keep; 0 means 1024.
	MinCache int
	// Faults go wrong at the nth model call, counted from 1 over all model endpoints.
	Faults map[int]Fault
	// SearchFaults go wrong at the nth request to a search provider, counted from 1 over all of them. PubMed takes two
	// requests for a search; the searches of model providers count as model calls.
	SearchFaults map[int]Fault
	// Hostile lets searches find the odd and hostile pages too, by their words.
	Hostile bool
	// Inject adds to the web and to what searches find.
	Inject Inject
}

// Inject is what a test adds to a city.
type Inject struct {
	Pages   []Page   // served; one with a Title is found by its words
	Results []Result // that every search returns first
}

// A Page is one document of the web, at an unescaped path. A zero Status means 200.
type Page struct {
	Host, Path  string
	Title       string
	ContentType string
	Status      int
	Header      map[string]string
	Body        []byte
}

// A Result is one hit of a search.
type Result struct {
	Title, URL, Snippet string
}

// A City is running until its test ends. It is safe for concurrent use.
type City struct {
	Anthropic string  // URL that stands for https://api.anthropic.com
	OpenAI    string  // URL that stands for https://api.openai.com/v1
	Web       string  // address (ip:port) at which every host of Hosts is served over plain HTTP
	Canary    *Canary // nothing may ever call here

	options Options
	log     log
	brain   brain
	pages   map[string]map[string]served // by host and path
	library library
	claude  blockCache
	gpt     prefixCache
	thought signatures
	api     string
	routes  http.Handler  // of the model and search endpoints
	done    chan struct{} // closed when the city ends: what trickles or waits gives up

	mu       sync.Mutex
	calls    []ModelCall
	searches int
}

// Start builds a city and tears it down when the test ends.
func Start(t testing.TB, o Options) *City {
	t.Helper()
	if o.MinCache == 0 {
		o.MinCache = 1024
	}
	c := &City{options: o, done: make(chan struct{})}
	c.brain = newBrain(o)
	c.Canary = &Canary{}
	canary := c.serve(t, "127.0.0.1:0", "canary", http.HandlerFunc(c.Canary.serve))
	c.Canary.Addr = canary.Listener.Addr().String()
	web, err := newWeb(c.Canary.Addr, o)
	if err != nil {
		t.Fatalf("city: %v", err)
	}
	c.pages = web.pages
	c.library = newLibrary(web.found, o.Inject.Results)
	c.routes = c.apis()
	c.Web = c.serve(t, webAddress(), "web", http.HandlerFunc(c.serveWeb)).Listener.Addr().String()
	c.api = c.serve(t, "127.0.0.1:0", "api", c.routes).URL
	c.Anthropic, c.OpenAI = c.api+"/anthropic", c.api+"/openai/v1"
	return c
}

// webAddress is another loopback address than that of the APIs, where the system has one without being asked.
func webAddress() string {
	if runtime.GOOS == "linux" {
		return "127.0.0.2:0"
	}
	return "127.0.0.1:0"
}

// serve starts a server that logs what it is asked.
func (c *City) serve(t testing.TB, address, part string, h http.Handler) *httptest.Server {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatalf("city: %v", err)
	}
	s := httptest.NewUnstartedServer(c.log.around(part, h))
	s.Listener.Close()
	s.Listener = l
	s.Start()
	t.Cleanup(func() {
		select {
		case <-c.done:
		default:
			close(c.done)
		}
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// apis routes the model and search endpoints.
func (c *City) apis() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /anthropic/v1/messages", c.messages)
	mux.HandleFunc("GET /anthropic/v1/models", c.anthropicModels)
	mux.HandleFunc("POST /openai/v1/chat/completions", c.chat)
	mux.HandleFunc("POST /openai/v1/responses", c.responses)
	mux.HandleFunc("GET /openai/v1/models", c.openaiModels)
	c.searchRoutes(mux)
	return mux
}

// SearchURL stands for the scheme and host of a search provider (of OpenAI: for its base with /v1); the paths below it are
// the provider's own. Wikipedia stands at the address of the web, since its results lead to pages of its own host; in the
// log it is part of the web.
func (c *City) SearchURL(provider string) string {
	switch provider {
	case "anthropic":
		return c.Anthropic
	case "openai":
		return c.OpenAI
	case "wikipedia": // which also serves the pages that its searches name
		return "http://" + c.Web
	}
	return c.api + "/search/" + provider
}

// Key is the right key of a provider, in the shape that its keys have.
func Key(provider string) string {
	prefix := map[string]string{"anthropic": "sk-ant-", "openai": "sk-", "tavily": "tvly-"}[provider]
	return prefix + "city-" + provider + "-0123456789"
}

// A Canary counts what must never happen: a request to a host that only a hostile page names, or to an address of this
// machine that only a hostile redirect names.
type Canary struct {
	Addr string // of its own listener on 127.0.0.1

	mu   sync.Mutex
	hits []string
}

// Hits lists the URLs that were asked for.
func (k *Canary) Hits() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]string(nil), k.hits...)
}

func (k *Canary) serve(w http.ResponseWriter, r *http.Request) {
	k.mu.Lock()
	k.hits = append(k.hits, r.Host+r.URL.RequestURI())
	k.mu.Unlock()
	w.Header().Set("Content-Type", "text/html")
	_, _ = w.Write([]byte("<title>Canary</title><p>The internal page of this machine costs 999,999 dollars.</p>"))
}

// allowed says whether a model's name is known.
func (c *City) allowed(model string) bool {
	for _, m := range c.options.Models {
		if m == model {
			return true
		}
	}
	return len(c.options.Models) == 0 && strings.TrimSpace(model) != ""
}
