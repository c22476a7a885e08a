package report

import (
	"os"
	"strings"
	"testing"

	"ibid/audit"
)

func blocks(r audit.Result) string {
	var b strings.Builder
	for _, f := range r.Failures {
		if f.Severity == audit.Block {
			b.WriteString(string(f.Code) + ": " + f.Text + " (" + f.Message + ")\n")
		}
	}
	return b.String()
}

func TestAssembled(t *testing.T) {
	in := ferry(t)
	md := Assemble(in)
	if os.Getenv("IBID_SHOW") != "" {
		t.Logf("\n%s", md)
	}
	r := audit.Report(md, in.Record)
	if !r.OK {
		t.Fatalf("an assembled report fails its own check:\n%s\n%s", blocks(r), md)
	}
	for _, f := range r.Failures {
		t.Logf("%s %s: %s", f.Severity, f.Code, f.Message)
	}
	text := string(md)
	for i, s := range []string{"# What did", "## Summary", "## What did the line cost?", "## Why was it late?", "## Possible disagreements", "## What could not be established", "## How this was made", "## Sources", "Run r-2026"} {
		at := strings.Index(text, s)
		if at < 0 {
			t.Fatalf("no %q (%d) in\n%s", s, i, text)
		}
		text = text[at:]
	}
	for _, f := range in.Record.Findings {
		if c := citation(toCitation(f)); !strings.Contains(string(md), c) {
			t.Errorf("finding %s is not cited as %s", f.ID, c)
		}
	}
}
