package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"ibid/internal/city"
	"ibid/llm"
)

// a way is how a question is asked of a city.
type way struct {
	protocol, search string
	stream           bool
}

func (w way) String() string { return fmt.Sprintf("%s,%s,stream=%t", w.protocol, w.search, w.stream) }

// TestCity: the program researches a whole question against servers that speak the providers' own formats, over a small
// web; the run replays with everything gone.
func TestCity(t *testing.T) {
	ways := []way{{"anthropic", "tavily", true}, {"anthropic", "anthropic", false}, {"openai", "openai", true}, {"openai", "brave", false}}
	if testing.Short() {
		ways = ways[:1]
	}
	for _, w := range ways {
		t.Run(w.String(), func(t *testing.T) {
			c := city.Start(t, city.Options{Thinking: w.protocol == "anthropic", Draft: w.stream, Faults: map[int]city.Fault{3: city.RateLimited, 5: city.Cut, 7: city.MalformedArgs}})
			t.Cleanup(func() { // the script runs beside others, and has ended then
				if hits := c.Canary.Hits(); len(hits) > 0 {
					t.Errorf("the canary was called: %v", hits)
				}
				if len(c.ModelCalls()) < 5 || len(c.Requests("web")) < 3 {
					t.Errorf("%d model calls, %d requests to the web: nothing was live", len(c.ModelCalls()), len(c.Requests("web")))
				}
			})
			walk(t, c, w, "question")
		})
	}
}

// TestCityDoor: what the program says at its door: keys, prices, limits, scope.
func TestCityDoor(t *testing.T) {
	c := city.Start(t, city.Options{})
	walk(t, c, way{"anthropic", "tavily", true}, "door")
}

// TestCityContext: a run whose conversation has to be shortened. The model reads much and records one finding; asked for a
// summary, it gives one, with a figure that nobody said.
func TestCityContext(t *testing.T) {
	n := 0
	c := city.Start(t, city.Options{Draft: true, Answer: func(_ context.Context, r llm.Request) (llm.Response, error) {
		usage := llm.Usage{Known: true}
		last := r.Messages[len(r.Messages)-1].Blocks
		if strings.Contains(last[len(last)-1].Text, "established_facts") {
			return llm.Response{Stop: llm.StopEnd, Usage: usage, Blocks: []llm.Block{{Text: `{"established_facts":[{"claim":"Almost all of it is input.","handle":"r3.0"},{"claim":"It is 99.875 percent.","handle":"r3.0"}],"current_state":"reading"}`}}}, nil
		}
		if n++; len(r.Messages) == 1 {
			n = 1
		}
		calls := [][2]string{{"plan", `{"subquestions":["What makes agent runs expensive?"],"reason":"one thing"}`}, {"search_web", `{"query":"agent runs expensive"}`},
			{"read_pages", `{"urls":["http://costs.example/reports/where-the-money-goes","http://papers.example/2025/run-economics.pdf"],"reason":"figures"}`}}
		for i, query := range strings.Fields("input pages steps tools money limits caching context") {
			calls = append(calls, [2]string{"search_corpus", fmt.Sprintf(`{"query":"cost of %s in runs","k":20}`, query)})
			if i == 3 {
				calls = append(calls, [2]string{"record_finding", `{"claim":"Re-sent context makes cost grow with the square of the number of steps.","quote":"Re-sent context makes cost grow with the square of the number of steps.","span":"S1:para.16","subquestion":"q1"}`})
			}
		}
		if n > len(calls) || r.Choice == llm.ChoiceNone {
			return llm.Response{Stop: llm.StopEnd, Usage: usage}, nil
		}
		return llm.Response{Stop: llm.StopTools, Usage: usage, Blocks: []llm.Block{{Call: &llm.ToolCall{ID: fmt.Sprint("c", n), Name: calls[n-1][0], Args: calls[n-1][1]}}}}, nil
	}})
	walk(t, c, way{"anthropic", "tavily", true}, "context")
}

// TestCityREADME runs what the README shows of the live web.
func TestCityREADME(t *testing.T) {
	page := city.Page{Host: "example.com", Path: "/", ContentType: "text/html", Body: []byte("<title>Example</title><main><h1>Example</h1><p>This page is on example.com, and it says in a sentence or two that it is there to be an example of a page.</p></main>")}
	c := city.Start(t, city.Options{Inject: city.Inject{Pages: []city.Page{page}}})
	walk(t, c, way{"anthropic", "tavily", true}, "readme", "OPENAI_API_KEY="+city.Key("openai"))
}

// walk runs one script of testdata/city in a city.
func walk(t *testing.T, c *city.City, w way, script string, env ...string) {
	t.Helper()
	if testing.Short() && script != "question" {
		t.Skip("one question is asked in a short run")
	}
	testscript.Run(t, testscript.Params{
		Files: []string{filepath.Join("testdata/city", script+".txtar")},
		Setup: func(e *testscript.Env) error {
			cache, err := os.UserCacheDir()
			if err != nil {
				return err
			}
			e.Setenv("XDG_CACHE_HOME", cache)
			e.Setenv("IBID_HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("ANTHROPIC_BASE_URL", c.Anthropic)
			e.Setenv("OPENAI_BASE_URL", c.OpenAI)
			for _, name := range []string{w.protocol, w.search} {
				variable := map[string]string{"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY", "tavily": "TAVILY_API_KEY", "brave": "BRAVE_API_KEY"}[name]
				e.Setenv(variable, city.Key(name))
			}
			e.Setenv("KEY", city.Key(w.protocol))
			e.Setenv("SEARCH", w.search)
			e.Setenv("MODEL", w.protocol+"/")
			e.Setenv("IBID_STREAM", fmt.Sprint(w.stream))
			for _, kv := range env {
				name, value, _ := strings.Cut(kv, "=")
				e.Setenv(name, value)
			}
			return os.WriteFile(filepath.Join(e.WorkDir, "ibid.toml"), cityConfig(c), 0o600)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"runid": runID, "gateid": gateID, "valid": validReport},
	})
}

// cityConfig is the configuration by which the program finds the city: the addresses of its hosts, and nothing that a
// user with a web of their own would not write.
func cityConfig(c *city.City) []byte {
	var b strings.Builder
	host, port, _ := net.SplitHostPort(c.Web)
	fmt.Fprintf(&b, "[fetch]\ncontact = \"https://halden.example/bot\"\ninterval = 0.001\nallow_addresses = [%q]\nallow_ports = [%s]\n\n[fetch.resolve]\n", host, port)
	for _, h := range c.Hosts() {
		fmt.Fprintf(&b, "%q = %q\n", h, c.Web)
	}
	fmt.Fprintf(&b, "\n[[provider]]\nname = \"ollama\"\nurl = %q\nkey_env = [\"OPENAI_API_KEY\"]\n", c.OpenAI) // as if behind a gateway with a key
	fmt.Fprint(&b, "\n[price]\n\"anthropic/claude-priced\" = { input = 3, output = 15, source = \"https://halden.example/prices\", date = \"2026-11-30\" }\n")
	for _, name := range []string{"tavily", "brave", "exa", "serper", "serply", "wikipedia", "arxiv", "openalex", "semanticscholar", "crossref", "pubmed"} {
		fmt.Fprintf(&b, "\n[search-provider.%s]\nurl = %q\n", name, c.SearchURL(name))
	}
	return []byte(b.String())
}

// moveIn makes a fresh home for runs in this process, with the compiled PDF engine of the machine.
func moveIn(t *testing.T) (dir string) {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for name, value := range map[string]string{"XDG_CACHE_HOME": cache, "IBID_HOME": filepath.Join(dir, "home"), "HOME": dir, "XDG_CONFIG_HOME": dir} {
		t.Setenv(name, value)
	}
	return dir
}
