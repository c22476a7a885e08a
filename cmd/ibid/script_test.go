package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/rogpeppe/go-internal/testscript"

	"ibid/corpus/bundled"
	"ibid/internal/pgtest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"ibid":         func() { os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, stderr())) },
		"atlas-server": atlas,
	})
}

func TestScripts(t *testing.T) {
	// The PDF engine is compiled once on a machine, which takes a minute with the race detector: before the scripts, whose
	// runs have budgets of seconds, and not in one of them.
	paper, err := bundled.FS.ReadFile("papers/run-economics.pdf")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "paper.pdf")
	if err := os.WriteFile(file, paper, 0o600); err != nil {
		t.Fatal(err)
	}
	program := exec.Command(os.Args[0], "extract", file)
	program.Args[0] = "ibid"
	if out, err := program.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	server := sync.OnceValue(func() *pgtest.Server { return pgtest.Start(t) })
	scripts := testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			cache, err := os.UserCacheDir()
			if err != nil {
				return err
			}
			e.Setenv("XDG_CACHE_HOME", cache) // the compiled PDF reader
			e.Setenv("IBID_HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("HOME", e.WorkDir)
			docs, err := filepath.Abs("../../docs")
			if err != nil {
				return err
			}
			e.Setenv("DOCS", docs)
			root, err := exec.Command("go", "env", "GOROOT").Output()
			if err != nil {
				return err
			}
			e.Setenv("GODOC", filepath.Join(strings.TrimSpace(string(root)), "doc"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"runid": runID, "gateid": gateID, "valid": validReport, "until": until, "serve": serve,
			"tokenid": idOf(`"id":"([a-z2-7]{12})"`), "runidjson": idOf(`"id":"([0-9a-z]{12})"`), "freeport": freePort,
			"postgres": func(ts *testscript.TestScript, _ bool, args []string) { ts.Setenv(args[0], server().Schema(t)) }}, // an empty database: postgres URL
		Condition: func(name string) (bool, error) {
			if name != "postgres" || pgtest.Find() == "" && os.Getenv("CI") != "" {
				return false, fmt.Errorf("%s is not here", name)
			}
			return pgtest.Find() != "", nil
		},
	}
	if testing.Short() {
		scripts.Dir, scripts.Files = "", []string{"testdata/script/gate.txtar"}
	}
	testscript.Run(t, scripts)
}

// runID sets a variable to the run id that the last command named on stderr: runid ID.
func runID(ts *testscript.TestScript, _ bool, args []string) {
	m := regexp.MustCompile(`run ([0-9a-z]{12})\b`).FindStringSubmatch(ts.ReadFile("stderr"))
	if m == nil {
		ts.Fatalf("no run id on stderr")
	}
	ts.Setenv(args[0], m[1])
}

// serve begins a server that ends with the script, and sets a variable to its address: serve URL [FLAG…].
func serve(ts *testscript.TestScript, _ bool, args []string) {
	cmd := exec.Command(os.Args[0], append([]string{"serve", "--listen", "127.0.0.1:0"}, args[1:]...)...)
	cmd.Args[0] = "ibid"
	cmd.Dir = ts.Getenv("WORK")
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "IBID_HOME", "IBID_DATABASE", "PATH", "GOCOVERDIR"} {
		if v := ts.Getenv(name); v != "" {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			ts.Logf("the server: %v", err)
		}
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	ts.Check(err)
	ts.Setenv(args[0], strings.TrimSpace(address))
}

// validReport holds a JSON report against the published schema, or another form against its own: valid FILE [SCHEMA].
func validReport(ts *testscript.TestScript, _ bool, args []string) {
	published, err := os.ReadFile("../../docs/schema/" + append(args, "report")[1] + ".schema.json")
	ts.Check(err)
	var schema jsonschema.Schema
	ts.Check(json.Unmarshal(published, &schema))
	resolved, err := schema.Resolve(nil)
	ts.Check(err)
	var report any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &report))
	ts.Check(resolved.Validate(report))
}

// until runs a command until its stdout matches: until PATTERN exec COMMAND….
func until(ts *testscript.TestScript, _ bool, args []string) {
	pattern := regexp.MustCompile(args[0])
	for deadline := time.Now().Add(time.Minute); ; {
		ts.Check(ts.Exec(args[2], args[3:]...))
		if pattern.MatchString(ts.ReadFile("stdout")) {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s does not print %s in a minute", args[2:], args[0])
		}
		<-time.After(50 * time.Millisecond)
	}
}

// gateID sets a variable to the first gate id on stdout.
func gateID(ts *testscript.TestScript, _ bool, args []string) {
	m := regexp.MustCompile(`\bg-[0-9a-z]{12}\b`).FindString(ts.ReadFile("stdout"))
	if m == "" {
		ts.Fatalf("no gate id on stdout")
	}
	ts.Setenv(args[0], m)
}

// Every command that the README and the pages on measuring and on reports show is run: by a script that holds it, word for word but for
// the program's name.
func TestREADMECommandsAreRun(t *testing.T) {
	var readme []byte
	for _, page := range []string{"../../README.md", "../../docs/measuring.md", "../../docs/reports.md", "../../docs/bundles.md", "../../docs/checking.md", "../../docs/service.md", "../../docs/api.md", "../../docs/knowledge.md", "../../docs/deletion.md", "../../docs/mcp.md", "../../docs/workspace.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		readme = append(readme, text...)
	}
	var scripts strings.Builder
	names, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, name := range names {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		scripts.Write(body)
	}
	commands := 0
	for _, m := range regexp.MustCompile(`(?m)^    (?:go run \./cmd/)?(ibid .*?)\s*(?:#.*)?$`).FindAllStringSubmatch(string(readme), -1) {
		commands++
		want := strings.NewReplacer(`"$(go env GOROOT)/doc"`, "$GODOC", `"`, `'`).Replace(m[1])
		if !strings.Contains(scripts.String(), want) {
			t.Errorf("no script runs %s", want)
		}
	}
	if commands < 15 {
		t.Errorf("only %d commands found", commands)
	}
}

// idOf sets a variable to the first of a kind of id on stdout: tokenid ID.
func idOf(pattern string) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, args []string) {
		m := regexp.MustCompile(pattern).FindStringSubmatch(ts.ReadFile("stdout"))
		if m == nil {
			ts.Fatalf("no %s on stdout", pattern)
		}
		ts.Setenv(args[0], m[1])
	}
}

// freePort sets a variable to a port of loopback that nobody listens on: freeport PORT.
func freePort(ts *testscript.TestScript, _ bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	_, port, err := net.SplitHostPort(l.Addr().String())
	ts.Check(err)
	ts.Check(l.Close())
	ts.Setenv(args[0], port)
}
