package catalog

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"ibid/internal/lazyregexp"
)

// The protocols that a provider can speak.
const (
	Anthropic = "anthropic" // the Messages API: requests go to URL + "/v1/messages"
	OpenAI    = "openai"    // Chat Completions: requests go to URL + "/chat/completions"
)

// What is done with a model's reasoning when its message is sent again. Without either it is sent as it came.
const (
	NeverBack  = "never"  // it is left out: the provider refuses it
	AlwaysBack = "always" // every message of the model has it, if empty: the provider refuses one without
)

// A Provider is a service that has models.
type Provider struct {
	Name         string   `json:"name" toml:"name"`
	Protocol     string   `json:"protocol" toml:"protocol"`             // Anthropic or OpenAI
	URL          string   `json:"url" toml:"url"`                       // without a slash at the end
	KeyEnv       []string `json:"key_env,omitempty" toml:"key_env"`     // variables that may hold the key, the first one set counts; none: no key is needed
	DefaultModel string   `json:"default_model,omitempty" toml:"model"` // empty: it must be named
	Search       string   `json:"search,omitempty" toml:"search"`       // the protocol of its own search, which its models can do; empty: none

	Headers map[string]string `json:"headers,omitempty" toml:"headers"` // further ones of every request; $NAME in a value stands for a variable

	MaxTokensField    string   `json:"max_tokens_field" toml:"max_tokens_field"`   // of a request: how the limit of the answer is called
	StreamUsage       bool     `json:"stream_usage,omitempty" toml:"stream_usage"` // stream_options.include_usage may be sent, and is needed for usage
	CacheKey          bool     `json:"cache_key,omitempty" toml:"cache_key"`       // prompt_cache_key may be sent
	Reasoning         string   `json:"reasoning,omitempty" toml:"reasoning"`       // NeverBack, AlwaysBack or empty
	ShortIDs          bool     `json:"short_ids,omitempty" toml:"short_ids"`       // the ids of calls must be nine letters and digits
	TemperatureModels []string `json:"temperature,omitempty" toml:"temperature"`   // patterns; see Temperature
	ForcedToolsModels []string `json:"forced_tools,omitempty" toml:"forced_tools"` // patterns; see ForcedTools
}

// Temperature says whether a temperature may be sent to the model. Reasoning models refuse it. An unknown model gets none,
// which every model bears.
func (p Provider) Temperature(model string) bool { return matches(p.TemperatureModels, model) }

// ForcedTools says whether the model can be made to call a tool. For the others, and for unknown ones, a required call is
// to be asked for as an optional one.
func (p Provider) ForcedTools(model string) bool { return matches(p.ForcedToolsModels, model) }

// matches says whether a pattern covers the model, or the model of which it is a dated snapshot. In a pattern * stands
// for anything but a slash; "*" alone covers all.
func matches(patterns []string, model string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, _ := path.Match(pattern, undated(model)) // patterns are checked when they are loaded
		return ok || pattern == "*"
	})
}

func (c *Catalog) layProviders(meta toml.MetaData, rows []toml.Primitive) error {
	known := len(c.providers)
	seen := map[string]bool{}
	var added []Provider
	for i, row := range rows {
		key := fmt.Sprintf("provider %d", i+1)
		var named struct {
			Name string `toml:"name"`
		}
		if err := meta.PrimitiveDecode(row, &named); err != nil || !providerName.MatchString(named.Name) {
			return wrong(key+".name", "it must be lower-case letters, digits, - and _")
		}
		key = "provider " + named.Name
		if seen[named.Name] {
			return wrong(key, "it is there twice")
		}
		seen[named.Name] = true
		at := slices.IndexFunc(c.providers[:known], func(p Provider) bool { return p.Name == named.Name })
		p := Provider{MaxTokensField: "max_tokens", StreamUsage: true} // what most servers take; without usage a call counts at its worst case
		if at >= 0 {
			p = c.providers[at] // package toml writes into the arrays that it finds
			p.KeyEnv, p.TemperatureModels, p.ForcedToolsModels = slices.Clone(p.KeyEnv), slices.Clone(p.TemperatureModels), slices.Clone(p.ForcedToolsModels)
		}
		if err := meta.PrimitiveDecode(row, &p); err != nil {
			return wrong(key, "%.500s", mistyped(err))
		}
		p.URL = strings.TrimRight(p.URL, "/")
		if err := p.check(key); err != nil {
			return err
		}
		if at >= 0 {
			c.providers[at] = p
		} else {
			added = append(added, p)
		}
	}
	c.providers = append(added, c.providers...)
	return nil
}

var (
	providerName = lazyregexp.New(`^[a-z0-9][a-z0-9_-]{0,63}$`)
	headerName   = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9-]{0,63}$`)
	variable     = lazyregexp.New(`^[A-Z_][A-Z0-9_]{0,127}$`)
)

func (p Provider) check(key string) error {
	if p.Protocol != Anthropic && p.Protocol != OpenAI {
		return wrong(key+".protocol", `it must be "anthropic" or "openai"`)
	}
	if p.Search != "" && p.Search != Anthropic && p.Search != OpenAI {
		return wrong(key+".search", `it must be "anthropic", "openai" or empty`)
	}
	u, err := url.Parse(p.URL)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return wrong(key+".url", "it must be an http or https address without user, query and fragment")
	}
	for _, name := range p.KeyEnv {
		if !variable.MatchString(name) {
			return wrong(key+".key_env", "it must name environment variables, in capitals; a key itself does not belong here")
		}
	}
	for name, value := range p.Headers {
		if !headerName.MatchString(name) || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) {
			return wrong(key+".headers", "one has a name or a value that no header can have")
		}
	}
	if p.DefaultModel != "" && !plain(p.DefaultModel) {
		return wrong(key+".model", "it is no model's name")
	}
	if p.MaxTokensField != "max_tokens" && p.MaxTokensField != "max_completion_tokens" {
		return wrong(key+".max_tokens_field", `it must be "max_tokens" or "max_completion_tokens"`)
	}
	if p.Reasoning != "" && p.Reasoning != NeverBack && p.Reasoning != AlwaysBack {
		return wrong(key+".reasoning", `it must be "never", "always" or empty`)
	}
	for _, pattern := range slices.Concat(p.TemperatureModels, p.ForcedToolsModels) {
		if _, err := path.Match(pattern, ""); err != nil || !plain(pattern) {
			return wrong(key, "in temperature or forced_tools, one is no pattern of a model's name")
		}
	}
	return nil
}
