package server

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// nodeProgram is a program of a package from npm, where .ci/node has put it.
func nodeProgram(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("IBID_TEST_MCP")
	if dir == "" || os.Getenv("IBID_TEST_NODE") == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("IBID_TEST_NODE and IBID_TEST_MCP are not set")
		}
		t.Skip("needs programs from npm: make mcp-conformance")
	}
	return filepath.Join(dir, name)
}

// node runs a program.
func node(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	at := os.Getenv("IBID_TEST_NODE")
	c := exec.CommandContext(ctx, at, args...)
	c.Dir, c.Env = t.TempDir(), append(os.Environ(), "PATH="+filepath.Dir(at)+":"+os.Getenv("PATH"))
	out, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", strings.Join(args, " "), err, tail(out))
	}
	return string(out)
}

func tail(out []byte) string { return string(out[max(0, len(out)-6000):]) }

// The official suite passes whole, at one address: the scored set of the newest revision, and what is active of the older
// ones, whose requests belong to sessions. What it calls stands beside ibid's tools behind the same handler.
func TestConformance(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	suite := nodeProgram(t, "@modelcontextprotocol/conformance/dist/index.js")
	jobs := &jobs{list: map[string]*job{}}
	w := newWorld(t, func(c *Config) {
		c.options, c.keepers = fixtureOptions, []keeper{jobs}
		c.extra = func(s *mcp.Server) { fixtures(s); jobs.offer(s) }
	})
	h, err := w.Handler(HTTP{})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(h)
	defer web.Close()
	ticks, stop := context.WithCancel(context.Background())
	defer stop()
	go func() { // the suite waits for a change of this resource
		for tick := time.NewTicker(3 * time.Second); ; {
			select {
			case <-ticks.Done():
				return
			case <-tick.C:
				_ = w.mcp.ResourceUpdated(ticks, &mcp.ResourceUpdatedNotificationParams{URI: "test://watched-resource"})
			}
		}
	}()
	for _, set := range [][]string{{"--requirements", "2026-07-28"}, {"--suite", "active"}} {
		out := node(t, append([]string{suite, "server", "--url", web.URL + Path}, set...)...)
		_, summary, _ := strings.Cut(out, "=== SUMMARY ===")
		passed := 0
		for _, m := range regexp.MustCompile(`(?m)^([✓✗]) ([a-z0-9-]+): (\d+) passed, (\d+) failed`).FindAllStringSubmatch(summary, -1) {
			switch {
			case m[1] == "✓":
				n, _ := strconv.Atoi(m[3])
				passed += n
			default:
				t.Errorf("%v: %s", set, m[0])
			}
		}
		if passed < 70 {
			t.Errorf("%v: %d checks passed\n%s", set, passed, tail([]byte(out)))
		}
		t.Logf("%s: %d checks passed", strings.Join(set, " "), passed)
	}
}

// The client of the tasks extension's own authors has ibid research, and is asked what a person must decide.
func TestClientOfTasks(t *testing.T) {
	if testing.Short() {
		t.Skip("another program's clock")
	}
	packages := nodeProgram(t, "")
	script, err := filepath.Abs(filepath.Join("testdata", "tasks.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	w := tasked(t, t.TempDir())
	web := w.listen(HTTP{})
	out := node(t, script, packages, web.URL+Path, ferryQuestion)
	var got struct {
		Kind  string
		Asked []struct {
			Kind   string
			Params struct{ Message string }
		}
		Outcome struct {
			Status string
			Result mcp.CallToolResult
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got.Kind != "task" || len(got.Asked) != 1 || got.Asked[0].Kind != "elicitation" || !strings.Contains(got.Asked[0].Params.Message, "plan") || got.Outcome.Status != "completed" {
		t.Fatalf("%s", out)
	}
	w.connect(nil).fits("research_start", &got.Outcome.Result)
	if !strings.Contains(text(&got.Outcome.Result), "412 passengers") {
		t.Errorf("%s", out)
	}
}

// The inspector's command line lists ibid's tools, and calls one.
func TestInspector(t *testing.T) {
	if testing.Short() {
		t.Skip("another program's clock")
	}
	program := nodeProgram(t, ".bin/mcp-inspector")
	w := newWorld(t, nil)
	h, err := w.Handler(HTTP{})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(h)
	defer web.Close()
	out := node(t, program, "--cli", web.URL+Path, "--transport", "http", "--method", "tools/list")
	for name := range w.connect(nil).tools {
		if !strings.Contains(out, `"`+name+`"`) {
			t.Errorf("the inspector does not list %s", name)
		}
	}
	out = node(t, program, "--cli", web.URL+Path, "--transport", "http", "--method", "tools/call", "--tool-name", "search", "--tool-arg", "query=ferry passengers")
	if !strings.Contains(out, "structuredContent") || !strings.Contains(out, "harbour.example/ferry") {
		t.Errorf("%s", out)
	}
}
