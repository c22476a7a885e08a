package catalog

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func load(t *testing.T, user string) *Catalog {
	t.Helper()
	c, err := Load([]byte(user))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestBuiltIn(t *testing.T) {
	c := load(t, "")
	if _, err := time.Parse(time.DateOnly, c.Date()); err != nil {
		t.Errorf("the table's date: %v", err)
	}
	if len(c.prices) < 100 || len(c.searches) < 13 || len(c.providers) < 13 {
		t.Errorf("%d prices, %d searches, %d providers", len(c.prices), len(c.searches), len(c.providers))
	}
	for name, p := range c.prices {
		provider, id, _ := strings.Cut(name, "/")
		if _, ok := c.Provider(provider); !ok {
			t.Errorf("%s: no such provider", name)
		}
		if p.Source == "" || p.Date == "" || p.Date > c.Date() {
			t.Errorf("%s: source %q, date %q", name, p.Source, p.Date)
		}
		local := id == "*"
		if free := p.Input == 0 || p.Output == 0; free != local {
			t.Errorf("%s: %v in, %v out: what is one's own is free, and nothing else", name, p.Input, p.Output)
		}
		if p.CacheRead > p.Input || p.Input > p.Output {
			t.Errorf("%s: read %v, input %v, output %v", name, p.CacheRead, p.Input, p.Output)
		}
		if p.CacheWrite != 0 && (p.CacheWrite < p.Input || p.CacheWrite > 2*p.Input) {
			t.Errorf("%s: input %v, write %v", name, p.Input, p.CacheWrite)
		}
		if !local && (p.Window < 8_000 || p.MaxOutput > p.Window || p.LongAbove > p.Window) {
			t.Errorf("%s: window %d, output %d, surcharge above %d", name, p.Window, p.MaxOutput, p.LongAbove)
		}
	}
	for name, s := range c.searches {
		if s.Source == "" || s.Date == "" || s.Date > c.Date() || s.Provider != name {
			t.Errorf("search %s: %+v", name, s)
		}
	}
	for _, p := range c.Providers() {
		local := strings.Contains(p.URL, "//localhost:")
		if local != (len(p.KeyEnv) == 0) || local != (p.DefaultModel == "") {
			t.Errorf("%s at %s: keys %q, model %q", p.Name, p.URL, p.KeyEnv, p.DefaultModel)
		}
		model := p.DefaultModel
		if local {
			model = "any"
		} else if !strings.HasPrefix(p.URL, "https://") {
			t.Errorf("%s: a key would go to %s in the clear", p.Name, p.URL)
		}
		if price, ok := c.Price(p.Name + "/" + model); !ok {
			t.Errorf("%s: the default model %s has no price", p.Name, model)
		} else if local != (price.Input == 0) {
			t.Errorf("%s: %+v", p.Name, price)
		}
	}
	if first := c.Providers()[0].Name; first != "anthropic" {
		t.Errorf("the preferred provider is %s", first)
	}
}

func TestSearchPrices(t *testing.T) {
	c := load(t, "")
	for name, want := range map[string]int64{"tavily": 8000, "brave": 5000, "exa": 7000, "serper": 1000, "anthropic": 10000, "openai": 10000,
		"searxng": 0, "wikipedia": 0, "arxiv": 0, "openalex": 0, "semanticscholar": 0, "crossref": 0, "pubmed": 0, "local": 0} {
		if p, ok := c.Search(name); !ok || p.MicroUSD != want {
			t.Errorf("%s: %+v, want %d millionths of a dollar", name, p, want)
		}
	}
	for _, name := range []string{"serply", "", "google"} { // not established, not there, not there
		if p, ok := c.Search(name); ok {
			t.Errorf("%q: %+v", name, p)
		}
	}
}

// A model's name is matched whole: what is not known has no price, however much it looks like what is known.
func TestPriceIsOfThatModel(t *testing.T) {
	c := load(t, "[price]\n\"acme/large\" = { input = 1, output = 2 }\n\"acme/large/x\" = { input = 7, output = 7 }")
	for model, row := range map[string]string{
		"anthropic/claude-sonnet-4-5":          "anthropic/claude-sonnet-4-5",
		"anthropic/claude-sonnet-4-5-20250929": "anthropic/claude-sonnet-4-5",
		"claude-sonnet-4-5-20250929":           "anthropic/claude-sonnet-4-5",
		"anthropic/claude-opus-5":              "anthropic/claude-opus-5",
		"anthropic/claude-opus-5-5":            "anthropic/claude-opus-5-5",
		"openai/gpt-5":                         "openai/gpt-5",
		"openai/gpt-5-2025-08-07":              "openai/gpt-5",
		"openai/gpt-5-mini":                    "openai/gpt-5-mini",
		"openai/gpt-5-mini-2025-08-07":         "openai/gpt-5-mini",
		"openai/gpt-5.6-sol":                   "openai/gpt-5.6-sol",
		"openai/gpt-4o-2024-08-06":             "openai/gpt-4o",
		"openai/gpt-4o-2024-05-13":             "openai/gpt-4o-2024-05-13", // dearer than gpt-4o: its own row counts
		"mistral/mistral-medium-latest":        "mistral/mistral-medium-3-5",
		"gemini/gemini-flash-latest":           "gemini/gemini-3.8-flash",
		"openrouter/anthropic/claude-opus-5.5": "openrouter/anthropic/claude-opus-5.5",
		"groq/openai/gpt-oss-120b":             "groq/openai/gpt-oss-120b",
		"zai-org/GLM-5.3":                      "together/zai-org/GLM-5.3",
		"ollama/llama3.3:70b":                  "ollama/*",
		"vllm/meta-llama/Llama-3.3":            "vllm/*",
		"acme/large":                           "acme/large",
		"acme/large-2026-01-31":                "acme/large",
		"acme/large/x":                         "acme/large/x",

		"openai/gpt-5.6": "", "openai/gpt-5-turbo": "", "openai/gpt-5x": "", "openai/gpt": "", "openai/gpt-5-": "",
		"openai/gpt-5-2025-13-07": "", "openai/gpt-5-20250807-preview": "", "openai/GPT-5": "", "openai/ft:gpt-4o": "",
		"anthropic/claude": "", "anthropic/claude-opus": "", "anthropic/claude-opus-5-6": "", "anthropic/claude-opus-5.5": "",
		"anthropic/claude-sonnet-4-5-latest": "", "anthropic/claude-sonnet-4-5-20251399": "",
		"mistral/mistral-large-latest": "", "openrouter/openai/gpt-5": "", "openrouter/x/y": "",
		"ollama": "", "ollama/": "", "acme/small": "", "nobody/gpt-5": "", "": "", "/": "", "*": "", "openai/*": "", "local": "",
	} {
		p, ok := c.Price(model)
		if ok != (row != "") || p.Model != row {
			t.Errorf("%q is priced by %q, want %q", model, p.Model, row)
		}
	}
}

func TestSplit(t *testing.T) {
	c := load(t, "")
	for model, want := range map[string][2]string{
		"anthropic/claude-sonnet-4-5":          {"anthropic", "claude-sonnet-4-5"},
		"anthropic/not-heard-of":               {"anthropic", "not-heard-of"},
		"claude-sonnet-4-5":                    {"anthropic", "claude-sonnet-4-5"},
		"claude-sonnet-4-5-20250929":           {"anthropic", "claude-sonnet-4-5-20250929"},
		"mistral-small-latest":                 {"mistral", "mistral-small-latest"},
		"openrouter/anthropic/claude-opus-5.5": {"openrouter", "anthropic/claude-opus-5.5"},
		"ollama/llama3.3:70b":                  {"ollama", "llama3.3:70b"},
		"zai-org/GLM-5.3":                      {"together", "zai-org/GLM-5.3"},
		"gpt-oss-120b":                         {"cerebras", "gpt-oss-120b"},
	} {
		p, id, err := c.Split(model)
		if err != nil || p.Name != want[0] || id != want[1] {
			t.Errorf("%q: %q, %q, %v", model, p.Name, id, err)
		}
	}
	for model, says := range map[string]string{
		"openai":              "names a provider",
		"openai/":             "names a provider",
		"":                    "anthropic/claude-sonnet-5-5",
		"llama3.3":            "ollama/…",
		"nobody/what":         "no provider",
		"moonshotai/kimi-k3 ": "no provider",
	} {
		_, _, err := c.Split(model)
		var unknown *UnknownModel
		if !errors.As(err, &unknown) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", model, err)
		}
	}
	two := load(t, `[price]
"groq/gpt-oss-120b" = { input = 1, output = 1 }`)
	if _, _, err := two.Split("gpt-oss-120b"); err == nil || !strings.Contains(err.Error(), "groq/gpt-oss-120b, cerebras/gpt-oss-120b") {
		t.Errorf("a name that two providers have: %v", err)
	}
}

func TestQuirks(t *testing.T) {
	c := load(t, "")
	for _, x := range []struct {
		provider, model     string
		temperature, forced bool
	}{
		{"anthropic", "claude-sonnet-4-5-20250929", true, true},
		{"anthropic", "claude-opus-4-6", true, true},
		{"anthropic", "claude-opus-4-7", false, true},
		{"anthropic", "claude-opus-4-8", false, true},
		{"anthropic", "claude-opus-5", false, true},
		{"anthropic", "claude-opus-5-5", false, false},
		{"anthropic", "claude-sonnet-5-5", false, false},
		{"anthropic", "claude-fable-5-1", false, false},
		{"anthropic", "claude-haiku-5-5", false, true},
		{"anthropic", "claude-next-9", false, false},
		{"openai", "gpt-4o-2024-08-06", true, true},
		{"openai", "gpt-4.1-mini", true, true},
		{"openai", "gpt-5", false, true},
		{"openai", "gpt-6.1-sol", false, true},
		{"openai", "o3", false, true},
		{"gemini", "gemini-2.5-pro", true, true},
		{"gemini", "gemini-3.8-flash", false, true},
		{"moonshot", "kimi-k3", false, false},
		{"zai", "glm-5.3", true, false},
		{"openrouter", "anthropic/claude-opus-5.5", true, false},
		{"openrouter", "openai/gpt-5.5", true, true},
		{"vllm", "meta-llama/Llama-3.3", true, true},
	} {
		p, ok := c.Provider(x.provider)
		if !ok || p.Temperature(x.model) != x.temperature || p.ForcedTools(x.model) != x.forced {
			t.Errorf("%s/%s: temperature %v, forced tools %v", x.provider, x.model, p.Temperature(x.model), p.ForcedTools(x.model))
		}
	}
	openai, _ := c.Provider("openai")
	if openai.MaxTokensField != "max_completion_tokens" || !openai.StreamUsage || !openai.CacheKey || openai.Search != "openai" {
		t.Errorf("%+v", openai)
	}
	mistral, _ := c.Provider("mistral")
	deepseek, _ := c.Provider("deepseek")
	if !mistral.ShortIDs || mistral.Reasoning != NeverBack || deepseek.ShortIDs || deepseek.Reasoning != AlwaysBack || openai.Reasoning != "" {
		t.Errorf("%+v\n%+v", mistral, deepseek)
	}
	gemini, _ := c.Provider("gemini")
	if !cmp.Equal(gemini.KeyEnv, []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}) || gemini.Search != "" {
		t.Errorf("%+v", gemini)
	}
}

func TestPriceIsStoredAsItIs(t *testing.T) {
	c := load(t, "")
	for name, p := range c.prices {
		data, err := json.Marshal(p)
		if err != nil {
			t.Fatal(name, err)
		}
		var back Price
		if err := json.Unmarshal(data, &back); err != nil || back != p {
			t.Errorf("%s: %s becomes %+v, %v", name, data, back, err)
		}
	}
}
