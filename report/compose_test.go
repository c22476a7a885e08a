package report

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"ibid/audit"
)

const draft = `## Summary

The line cost 14.2 million crowns in its first two years [F1], the county says 13.1 million [F2]; the two figures disagree.
It entered service nineteen weeks late because, as a speaker says, the charging mast came four months late [F3, F4].

## Reliability

Two caveats apply.

| Mast | Median calls | Source |
|---|---|---|
| second type | 310 | [F6] |

- The auditors do not recommend replacing all masts [F7; F6].
- The scheduler waits for at most 7 minutes [F8].

We could not establish what a ticket costs.
`

func TestCompose(t *testing.T) {
	in := ferry(t)
	md, err := Compose(draft, in)
	if err != nil {
		t.Fatal(err)
	}
	if r := audit.Report(md, in.Record); !r.OK {
		t.Fatalf("a composed report fails its check:\n%s\n%s", blocks(r), md)
	}
	text := string(md)
	for _, want := range []string{"# What did the Halden ferry cost", "[S1 para.2]", "[S1 para.1; S3 t=00:30]", "[S2 p.5; S2 p.4]", `[S4 sched/\_\_init\_\_.py:L1-L4]`,
		"## Possible disagreements", "## What could not be established", "Not established: Will there be a second vessel", "## Sources", "read, not cited", "Run r-2026"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "[F") {
		t.Errorf("a finding id is left:\n%s", text)
	}
	for _, same := range []string{"# Another title\n\n" + draft, draft + "\n## Sources\n\n- S9 https-free list of the model's own\n", strings.ReplaceAll(draft, "\n", "\r\n")} {
		if again, err := Compose(same, in); err != nil || !bytes.Equal(again, md) {
			t.Errorf("%q: %v\n%s", same[:20], err, again)
		}
	}
}

func TestComposeRefuses(t *testing.T) {
	for _, c := range []struct{ name, draft, says string }{
		{"unknown finding", "It fell [F99].", "no finding F99"},
		{"rejected finding", "It fell [F5].", "no finding F5"},
		{"one unknown of two", "It fell [F1, F99].", "no finding F99"},
		{"typed locator", "It fell [S1 para.2].", "[S1 para.2]"},
		{"typed locator without brackets", "It fell, S1 para.2.", "S1 para.2"},
		{"look-alike", "It fell (S1, para.2).", "S1, para.2"},
		{"address", "It fell [F1], see https://halden.example/ferry.", "https://halden.example/ferry"},
		{"address without scheme", "It fell [F1], see www.halden.example.", "www."},
		{"link", "It [fell](halden.example/x) [F1].", "link"},
		{"link definition", "It fell [F1].\n\n[x]: halden.example\n", "link"},
		{"other ids", "It fell [F1 and F2].", "[F1, F4]"},
		{"range", "It fell [F1-F3].", "[F1, F4]"},
		{"nothing", "  \n", "says nothing"},
		{"only a title", "# Ferry\n", "says nothing"},
		{"too long", strings.Repeat("x", maxDraft+1), "limit"},
	} {
		in := ferry(t)
		in.Record.Findings[4].Rejected = "old"
		_, err := Compose(c.draft, in)
		var bad *DraftError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want a DraftError that says %q", c.name, err, c.says)
		}
	}
}

// A draft may say what it likes; what was composed of it is still held to the audit.
func TestComposedDraftIsChecked(t *testing.T) {
	in := ferry(t)
	for name, body := range map[string]string{
		"figure that the finding has not": "The line cost 19 million crowns [F1].",
		"no citation":                     "The mayor resigned over the ferry.",
		"quote that the model made up":    "A speaker called it “the best boat on the coast” [F4].",
		"mark in code":                    "The mast came late `[F4]`.",
		"hidden":                          "<!-- The mast came late [F4]. -->",
		"other scale in a table":          "| What | Figure |\n|---|---|\n| Cost of running the line, in billion crowns | 14.2 [F1] |",
	} {
		md, err := Compose("## Summary\n\n"+body+"\n", in)
		if err != nil {
			t.Fatal(err)
		}
		if audit.Report(md, in.Record).OK {
			t.Errorf("%s: passes", name)
		}
	}
}

func TestSetSection(t *testing.T) {
	const report = "# Report\n\n## Verification\n\nWe discuss how quotes were verified.\n\n## Conclusions\n\nImportant text.\n\n```\n## Verification\n```\n"
	once := SetSection([]byte(report), "Verification", []byte("old table\n"))
	twice := SetSection(once, "Verification", []byte("new table"))
	for _, want := range []string{"We discuss how quotes were verified.", "Important text.", "new table"} {
		if !bytes.Contains(twice, []byte(want)) {
			t.Errorf("%q is gone:\n%s", want, twice)
		}
	}
	if bytes.Contains(twice, []byte("old table")) || !bytes.Equal(twice, SetSection(twice, "Verification", []byte("new table"))) {
		t.Errorf("not idempotent:\n%s", twice)
	}
	if got := SetSection(nil, "Sources", []byte("- x")); string(got) != "## Sources\n\n- x\n" {
		t.Errorf("%q", got)
	}
}

func FuzzCompose(f *testing.F) {
	f.Add(draft)
	for _, s := range nasty {
		f.Add(s + " [F1].")
	}
	f.Add(computedDraft)
	f.Add("- about {compute: round(mean(F1:11, F6:\"310\"), 2)} [F1]. {compute: F5:46-F5:12\n| {compute:F2} | x |")
	f.Add("[F1]: x\n[F2](y) [[F3]] \\[F4\\] `[F5]` ## Sources\n[F6 ,F7;F8]")
	in := ferry(f)
	f.Fuzz(func(t *testing.T, draft string) {
		if len(draft) > 1<<14 {
			return
		}
		md, err := Compose(draft, in)
		again, err2 := Compose(draft, in)
		if !bytes.Equal(md, again) || (err == nil) != (err2 == nil) {
			t.Fatal("two reports of one draft")
		}
		if err != nil {
			var bad *DraftError
			if !errors.As(err, &bad) || len(bad.Problems) == 0 || len(bad.Problems) > maxProblems {
				t.Fatalf("%v", err)
			}
			return
		}
		audit.Report(md, in.Record)
	})
}
