// Package arrows tests the structure of the program: imports point to lower floors, as ARCHITECTURE.md draws them, and
// every package says what it is.
package arrows

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

type pkg struct {
	ImportPath string
	Doc        string
	Imports    []string
	GoFiles    []string
}

// floors reads the table of rooms.
func floors(t *testing.T) map[string]int {
	t.Helper()
	text, err := os.ReadFile("../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	floors := map[string]int{}
	for _, m := range regexp.MustCompile("(?m)^\\| (\\d) \\| `([^`]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		floors["ibid/"+m[2]] = n
	}
	if len(floors) < 15 {
		t.Fatalf("ARCHITECTURE.md names only %d rooms", len(floors))
	}
	return floors
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Doc,Imports,GoFiles", "ibid/...")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var list []pkg
	for d := json.NewDecoder(out); ; {
		var p pkg
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return list
}

// allowed are arrows inside a floor, each with its reason.
var allowed = map[string]string{
	"ibid/research → ibid/research/prompts": "an agent and the texts it says",
	"ibid/search/searchtest → ibid/search":  "the seam and its conformance suite",
	"ibid/audit → ibid/audit/conflict":      "the check of a report and what it must not keep silent about",
	"ibid/corpus/bundled → ibid/corpus":     "a corpus and the one that comes along",
	"ibid/fetch/fetchtest → ibid/fetch":     "the seam and its conformance suite",
	"ibid/fetch/sites → ibid/fetch":         "the web and those who know a site of it",
	"ibid/fetch/render → ibid/fetch":        "the web and a browser that reaches it through the same guard",
	"ibid/server → ibid/server/hooks":       "the API and what it says unasked",
	"ibid/llm/anthropic → ibid/llm":         "the seam and a codec",
	"ibid/llm/openai → ibid/llm":            "the seam and a codec",
	"ibid/llm/catalog → ibid/llm":           "usage and what it costs",
	"ibid/llm/embed → ibid/llm":             "what the wire code of all models shares",
	"ibid/llm/llmtest → ibid/llm":           "the seam and its conformance suite",
}

func TestArrowsPointDown(t *testing.T) {
	floors := floors(t)
	seen := map[string]bool{}
	for _, p := range packages(t) {
		from, ok := floors[p.ImportPath]
		if !ok && strings.HasPrefix(p.ImportPath, "ibid/internal/") || len(p.GoFiles) == 0 { // of tests
			continue
		}
		seen[p.ImportPath] = true
		if !ok {
			t.Errorf("%s is not in the table of rooms", p.ImportPath)
			continue
		}
		for _, to := range p.Imports {
			floor, ours := floors[to]
			arrow := fmt.Sprintf("%s → %s", p.ImportPath, to)
			if strings.HasPrefix(to, "ibid/") && !ours {
				t.Errorf("%s: %s is not in the table of rooms", arrow, to)
			} else if ours && floor >= from && allowed[arrow] == "" {
				t.Errorf("%s (floor %d → %d): a room knows only the floors below it", arrow, from, floor)
			}
		}
	}
	for name := range floors {
		if !seen[name] {
			t.Errorf("ARCHITECTURE.md draws %s, which does not exist", name)
		}
	}
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	for _, p := range packages(t) {
		if p.Doc == "" && len(p.GoFiles) > 0 {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}
