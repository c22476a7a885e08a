package main

import (
	"bytes"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"ibid/fetch"
	"ibid/llm/catalog"
	"ibid/runs"
)

// tables are what a configuration file may hold besides settings: prices and providers, which are laid over the built-in
// catalogue, and how pages are fetched.
type tables struct {
	Price          map[string]any         `toml:"price"`        // as in the catalogue's prices.toml
	SearchPrice    map[string]any         `toml:"search-price"` // its [search]
	Provider       []map[string]any       `toml:"provider"`     // as in its providers.toml
	SearchProvider map[string]searchTable `toml:"search-provider"`
	Fetch          fetchTable             `toml:"fetch"`
	Embeddings     embeddingsTable        `toml:"embeddings"`
	Retention      retentionTable         `toml:"retention"`
	MCP            []serverTable          `toml:"mcp"`
}

// searchTable says where a search provider is and which variable holds its key.
type searchTable struct {
	URL    string `toml:"url"`
	KeyEnv string `toml:"key_env"`
	Model  string `toml:"model"` // that searches, for the providers that are models
}

// fetchTable says how pages are read.
type fetchTable struct {
	Contact        string            `toml:"contact"`         // an address or page for the owners of sites, sent with every request
	Interval       float64           `toml:"interval"`        // seconds between two requests to a host; 0 means 1
	Timeout        float64           `toml:"timeout"`         // seconds for one page; 0 means 30
	AllowAddresses []string          `toml:"allow_addresses"` // networks that may be read though they are not public, as 10.1.0.0/16
	AllowPorts     []int             `toml:"allow_ports"`     // besides 80, 443, 8080 and 8443
	Resolve        map[string]string `toml:"resolve"`         // host → address or address:port, instead of the DNS
	Languages      []string          `toml:"languages"`       // of captions, the best first
	GitHubTokenEnv string            `toml:"github_token_env"`
	Browser        string            `toml:"browser"` // program that renders pages; looked for on PATH if left out
	Sites          map[string]string `toml:"sites"`   // bases of the sites with readers of their own, for mirrors
}

// tableNames are the keys of a configuration file that are no settings.
var tableNames = []string{"price", "search-price", "provider", "search-provider", "fetch", "embeddings", "retention", "mcp"}

// lay puts the tables of another file over these.
func (t *tables) lay(over tables) {
	t.Price, t.SearchPrice = merged(t.Price, over.Price), merged(t.SearchPrice, over.SearchPrice)
	t.SearchProvider = merged(t.SearchProvider, over.SearchProvider)
	t.Embeddings.lay(over.Embeddings)
	if over.Retention.Runs != "" {
		t.Retention = over.Retention
	}
	for _, s := range over.MCP {
		t.MCP = slices.DeleteFunc(t.MCP, func(o serverTable) bool { return o.Name == s.Name })
		t.MCP = append(t.MCP, s)
	}
	for _, p := range over.Provider {
		t.Provider = slices.DeleteFunc(t.Provider, func(q map[string]any) bool { return q["name"] == p["name"] })
		t.Provider = append(t.Provider, p)
	}
	f, g := &t.Fetch, over.Fetch
	for _, s := range []struct {
		to   *string
		from string
	}{{&f.Contact, g.Contact}, {&f.GitHubTokenEnv, g.GitHubTokenEnv}, {&f.Browser, g.Browser}} {
		if s.from != "" {
			*s.to = s.from
		}
	}
	if g.Interval != 0 {
		f.Interval = g.Interval
	}
	if g.Timeout != 0 {
		f.Timeout = g.Timeout
	}
	f.AllowAddresses, f.AllowPorts = append(f.AllowAddresses, g.AllowAddresses...), append(f.AllowPorts, g.AllowPorts...)
	f.Resolve, f.Sites = merged(f.Resolve, g.Resolve), merged(f.Sites, g.Sites)
	if len(g.Languages) > 0 {
		f.Languages = g.Languages
	}
}

func merged[V any](under, over map[string]V) map[string]V {
	all := map[string]V{}
	maps.Copy(all, under)
	maps.Copy(all, over)
	return all
}

// catalog is the built-in catalogue with the user's tables over it, and the addresses that the environment gives:
// ANTHROPIC_BASE_URL for the provider anthropic.
func (t *tables) catalog() (*catalog.Catalog, error) {
	user := map[string]any{}
	if len(t.Price) > 0 {
		user["price"] = t.Price
	}
	if len(t.SearchPrice) > 0 {
		user["search"] = t.SearchPrice
	}
	if len(t.Provider) > 0 {
		user["provider"] = t.Provider
	}
	c, err := load(user)
	if err != nil {
		return nil, err
	}
	var moved []map[string]any
	for _, p := range c.Providers() {
		if url := os.Getenv(baseURLVariable(p.Name)); url != "" {
			moved = append(moved, map[string]any{"name": p.Name, "url": url})
		}
	}
	if len(moved) == 0 {
		return c, nil
	}
	for _, p := range t.Provider {
		if !slices.ContainsFunc(moved, func(m map[string]any) bool { return m["name"] == p["name"] }) {
			moved = append(moved, p)
			continue
		}
		for _, m := range moved {
			if m["name"] == p["name"] {
				url := m["url"]
				maps.Copy(m, p)
				m["url"] = url
			}
		}
	}
	user["provider"] = moved
	return load(user)
}

func load(user map[string]any) (*catalog.Catalog, error) {
	var b bytes.Buffer
	if err := toml.NewEncoder(&b).Encode(user); err != nil {
		return nil, fmt.Errorf("the tables of providers and prices: %w", err)
	}
	c, err := catalog.Load(b.Bytes())
	if err != nil {
		return nil, &runs.Error{Code: runs.Unready, Message: "the configuration's providers and prices", Err: err, Hint: "Mend the file; docs/configuration.md shows its form."}
	}
	return c, nil
}

func baseURLVariable(provider string) string {
	return strings.ToUpper(strings.ReplaceAll(provider, "-", "_")) + "_BASE_URL"
}

// client is what makes guarded exchanges with the web.
func (f *fetchTable) client() (*fetch.Client, error) {
	config := fetch.ClientConfig{UserAgent: userAgent(f.Contact), AllowPorts: f.AllowPorts, Resolve: f.Resolve, Timeout: seconds(f.Timeout)}
	for _, text := range f.AllowAddresses {
		prefix, err := netip.ParsePrefix(text)
		if addr, single := netip.ParseAddr(text); err != nil && single == nil {
			prefix, err = addr.Prefix(addr.BitLen())
		}
		if err != nil {
			return nil, &runs.Error{Code: runs.Unready, Message: fmt.Sprintf("fetch.allow_addresses: %q is no network", text), Hint: "Write it as 10.1.0.0/16."}
		}
		config.AllowAddresses = append(config.AllowAddresses, prefix)
	}
	return fetch.NewClient(config), nil
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

// agentToken is how robots.txt files address this program.
const agentToken = "ibid"

// userAgent names the program and a contact (FETCH-3).
func userAgent(contact string) string {
	if contact == "" {
		return agentToken + "/" + programVersion() + " (research agent)"
	}
	return agentToken + "/" + programVersion() + " (research agent; +" + strings.Join(strings.Fields(contact), "") + ")"
}
