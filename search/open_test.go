package search_test

import (
	"errors"
	"strings"
	"testing"

	"ibid/search"
)

func TestOpenSaysWhatIsMissing(t *testing.T) {
	for _, tt := range []struct {
		name    string
		config  search.Config
		outcome search.Outcome
		says    []string
	}{
		{"altavista", search.Config{}, search.Failed, []string{"altavista", "tavily", "searxng", "openai"}},
		{"", search.Config{}, search.Failed, []string{"tavily"}},
		{"tavily", search.Config{}, search.Unauthorised, []string{"TAVILY_API_KEY", "https://app.tavily.com"}},
		{"searxng", search.Config{}, search.Unauthorised, []string{"SEARXNG_URL"}},
		{"anthropic", search.Config{Key: "k"}, search.Failed, []string{"model"}},
		{"wikipedia", search.Config{URL: "ftp://wiki.example"}, search.Failed, []string{"https://host/path"}},
		{"wikipedia", search.Config{URL: "wiki.example"}, search.Failed, []string{"https://host/path"}},
	} {
		_, err := search.Open(tt.name, tt.config)
		var e *search.Error
		if !errors.As(err, &e) || e.Outcome != tt.outcome {
			t.Errorf("Open(%q): %v, want %s", tt.name, err, tt.outcome)
			continue
		}
		for _, s := range tt.says {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("Open(%q): %v does not name %q", tt.name, err, s)
			}
		}
	}
}

// The table offers what can be opened: with what it says is needed, and not without.
func TestKindsAreTrue(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range search.Kinds() {
		if seen[k.Name] || k.Name == "" || k.About == "" || !strings.HasPrefix(k.Site, "https://") || k.NeedsKey && k.KeyEnv == "" || !k.NeedsURL && !strings.HasPrefix(k.URL, "https://") {
			t.Errorf("%+v", k)
		}
		seen[k.Name] = true
		c := search.Config{Model: "m"}
		if _, err := search.Open(k.Name, c); (err == nil) == (k.NeedsKey || k.NeedsURL) {
			t.Errorf("%s without key and URL: %v", k.Name, err)
		}
		if k.NeedsKey {
			c.Key = "a-key"
		}
		if k.NeedsURL {
			c.URL = "http://localhost:8080/"
		}
		if _, err := search.Open(k.Name, c); err != nil {
			t.Errorf("%s: %v", k.Name, err)
		}
	}
}
