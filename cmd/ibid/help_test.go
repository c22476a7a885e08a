package main

import (
	"bytes"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alecthomas/kong"
)

// TestHelp: the help fits a terminal and shows every command once; what people type who look for it leads there.
func TestHelp(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	out := func(code int, args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if got := run(t.Context(), args, nil, &out, &errs); got != code {
			t.Errorf("ibid %q ends with %d: %s", args, got, &errs)
		}
		return out.String() + errs.String()
	}
	help := out(0, "--help")
	for line := range strings.Lines(help) {
		if utf8.RuneCountInString(line) > 81 {
			t.Errorf("too long: %s", line)
		}
	}
	parser, err := kong.New(&cli{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range parser.Model.Children {
		if strings.Count(help, "\n  "+n.Name+" ") != 1 {
			t.Errorf("%s is not there once", n.Name)
		}
	}
	if !strings.Contains(help, "Exit status") || out(0) != help || out(0, "help") != help {
		t.Error("ibid, ibid help and ibid --help are not the same")
	}
	if got := out(0, "help", "runs", "export"); !strings.HasPrefix(got, "Usage: ibid runs export") || strings.Contains(got, "--max-working") {
		t.Error(got)
	}
	if got := out(0, "serve", "--help"); strings.Contains(got, "--cursor") {
		t.Error("serve tells of cursors")
	}
	if got := out(0, "--version"); got != out(0, "version") {
		t.Error(got)
	}
	for args, want := range map[string]string{
		"nonsense":            "Try 'ibid --help'",
		"runs lst":            "Try 'ibid runs --help'",
		"research what is it": `in quotes: ibid research "…"`,
	} {
		if got := out(2, strings.Fields(args)...); !strings.Contains(got, want) {
			t.Errorf("%s: %s", args, got)
		}
	}
	if got := out(2, "What is it?"); !strings.Contains(got, `ibid research "…"`) {
		t.Error(got)
	}
}

// TestTold: errors name no packages, however many they came through.
func TestTold(t *testing.T) {
	for from, want := range map[string]string{
		"journal: run a: recording b: store: the disk is full": "run a: recording b: the disk is full",
		"importing the journal: journal: import: line 1: bad":  "importing the journal: import: line 1: bad",
		"reading the report: report: report: it is empty":      "reading the report: it is empty",
		"there is no file journal":                             "there is no file journal",
	} {
		if got := told(errors.New(from)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestReachesServers: every command says whether it works with a server, and the page lists those that do.
func TestReachesServers(t *testing.T) {
	page, err := os.ReadFile("../../docs/service.md")
	if err != nil {
		t.Fatal(err)
	}
	parser, err := kong.New(&cli{})
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, n := range parser.Model.Leaves(true) {
		known[n.Path()] = true
	}
	for _, name := range append(overServer, withoutRuns...) {
		if !known[name] {
			t.Errorf("there is no command %s", name)
		}
	}
	for _, name := range overServer {
		group, one, more := strings.Cut(name, " ")
		row := regexp.MustCompile("(?m)^\\|.*`" + group + "[ `].*$").FindString(string(page))
		if row == "" || more && !strings.Contains(row, one+"`") {
			t.Errorf("docs/service.md does not tell of %s", name)
		}
	}
	if err := (&cli{Server: "http://localhost"}).reaches("ibid gc"); exitCode(err) != exitUsage {
		t.Error(err)
	}
}
