package forms

import (
	"encoding/json"
	"errors"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ibid/evidence"
	"ibid/internal/testset"
)

// citations are those of a report, each place counted.
func citations(markdown string) (list []string) {
	for _, m := range evidence.ScanCitations(markdown) {
		for _, c := range m.Citations {
			list = append(list, c.String())
		}
	}
	return list
}

// TestModel: what is printed is what the Markdown says, and every citation of it is one.
func TestModel(t *testing.T) {
	for _, text := range []string{"", draft} {
		w := ferry(t)
		r := w.report(text)
		var got []string
		var walk func([]block)
		levels := []int{}
		walk = func(blocks []block) {
			for _, b := range blocks {
				for _, x := range b.Runs {
					if x.Cite > 0 {
						got = append(got, x.Text)
						if q := r.quotes[x.Cite-1]; q.Citation.String() != x.Text || len(q.Found) == 0 {
							t.Errorf("%s opens %s", x.Text, q.Citation)
						}
					}
				}
				if b.Kind == heading {
					levels = append(levels, b.Level)
				}
				walk(b.Blocks)
			}
		}
		walk(r.blocks)
		if want := citations(strings.ReplaceAll(r.bundle.Report, `\_`, "_")); !slices.Equal(got, want) || len(got) < 7 {
			t.Errorf("citations %q; want %q", got, want)
		}
		if levels[0] != 1 || slices.Contains(levels[1:], 1) || slices.Max(levels) > 3 {
			t.Errorf("levels of headings %v", levels)
		}
	}
}

// A report that does not pass its check has no forms.
func TestUnverified(t *testing.T) {
	b := ferry(t).bundle("")
	b.Report = strings.Replace(b.Report, "14.2 million", "15.2 million", 1)
	var failed *FailedError
	if r, err := New(b); r != nil || !errors.As(err, &failed) || failed.Result.OK {
		t.Errorf("%v, %v", r, err)
	}
}

func TestPlaces(t *testing.T) {
	want := map[string]string{
		"F1": "https://halden.example/ferry?year=2#:~:text=Running%20the%20line%20cost%2014.2,the%20budget%20of%2012.8%20million.",
		"F2": "https://halden.example/ferry?year=2#:~:text=The%20electric%20ferry%20entered%20service,on%203%20June%202023.",
		"F3": "https://halden.example/ferry?year=2#:~:text=fell%20from%2046%20in%20the,to%20a%20new%20charging%20mast",
		"F4": "https://board.example/audit.pdf#page=4",
		"F5": "https://www.youtube.com/watch?v=hB4xhB4xhB4&t=30s",
		"F6": "https://github.com/ferry/sched/blob/" + commit + "/sched/__init__.py#L1-L4",
		"F7": "",
	}
	r := ferry(t).report("")
	for _, q := range r.quotes {
		for _, f := range q.Found {
			if f.URL != want[f.Finding.ID] {
				t.Errorf("%s: %s", f.Finding.ID, f.URL)
			}
		}
	}
	// Words that stand twice on the page are named with more of them, then with those before.
	w := newWorld(t, "What was late?")
	s := w.source(evidence.Source{URL: "https://bücher.example/a", Title: "A", Kind: evidence.HTML}, "para.1|In spring the mast came four months late and cost more.", "para.2|In autumn the mast came four months late and cost less.")
	w.finds(s, "para.2", "the mast came four months late and cost less")
	w.finds(s, "para.2", "the mast came four months late")
	r = w.report("")
	m := r.quotes[0].Found
	if got := m[0].URL; !strings.HasSuffix(got, "#:~:text=the%20mast%20came%20four%20months%20late%20and%20cost%20less") {
		t.Error(got)
	}
	if got := m[1].URL; !strings.HasSuffix(got, "#:~:text=In%20autumn-,the%20mast%20came%20four%20months%20late") {
		t.Error(got)
	}
	for _, bad := range []string{"javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "https://user@host.example/", "ftp://a.example/", "//a.example", ""} {
		if webURL(bad) {
			t.Errorf("%q may be linked", bad)
		}
	}
	if got := shownURL("https://аpple.example/x"); got != "https://xn--pple-43d.example/x" {
		t.Error(got)
	}
}

// TestBibliography: what other tools read of BibTeX, RIS and CSL-JSON is what the sources say.
func TestBibliography(t *testing.T) {
	r := ferry(t).report("")
	csl, err := r.CSL()
	if err != nil {
		t.Fatal(err)
	}
	var list []entry
	if err := json.Unmarshal(csl, &list); err != nil || len(list) != 5 {
		t.Fatalf("%d entries, %v", len(list), err)
	}
	if e := list[0]; e.ID != "S1" || e.Type != "webpage" || len(e.Author) != 2 || e.Author[1].Literal != "Bosun, B." || e.Issued.iso() != "2026-04-03" || e.Accessed.iso() != "2026-05-04" || e.URL == "" {
		t.Errorf("%+v", e)
	}
	if e := list[4]; e.URL != "" || !strings.Contains(e.Note, "file:///data/ferry/lines.csv") {
		t.Errorf("%+v", e)
	}
	for _, c := range []struct {
		name, in string
		tool     []string
		says     []string
	}{
		{"BibTeX by bibutils", string(r.BibTeX()), []string{"bib2xml"}, []string{`{50%} & ”more” — the`, "first_ two #years", "A. Able", "Bosun, B.", "Halden & Co", "https://halden.example/ferry?year=2#costs", "Audit report", "10.5555/audit.7", "2025", `ID="S5"`}},
		{"RIS by bibutils", string(r.RIS()), []string{"ris2xml"}, []string{`{50%} & "more" — the \first_ two #years`, ">Able<", ">Bosun<", "Halden & Co", "2026-04-03", "https://halden.example/ferry?year=2#costs", "10.5555/audit.7", `ID="S5"`}},
		{"BibTeX by pandoc", string(r.BibTeX()), []string{"pandoc", "-f", "biblatex", "-t", "csljson"}, []string{`{50%} & "more" — the \first_ two #years`, "A. Able", "Bosun, B.", "Halden & Co", "https://halden.example/ferry?year=2#costs", "10.5555/audit.7"}},
		{"CSL-JSON by pandoc", string(csl), []string{"pandoc", "-f", "csljson", "-t", "csljson"}, []string{`{50%} & “more” — the \first_ two #years`, "A. Able", "Bosun, B.", "Halden & Co", "https://halden.example/ferry?year=2#costs", "10.5555/audit.7"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := readBy(t, c.in, c.tool...)
			for _, want := range c.says {
				if !strings.Contains(out, want) {
					t.Errorf("no %s in what it read", want)
				}
			}
			if t.Failed() {
				t.Logf("%s\n%s", c.in, out)
			}
		})
	}
}

var space = regexp.MustCompile(`\s+`)

// readBy gives a text to another tool and returns what it says, its escapes resolved.
func readBy(t *testing.T, in string, tool ...string) string {
	t.Helper()
	if _, err := exec.LookPath(tool[0]); err != nil {
		testset.Lacks(t, tool[0], "apt-get install "+map[string]string{"bib2xml": "bibutils", "ris2xml": "bibutils", "pandoc": "pandoc"}[tool[0]])
	}
	cmd := exec.Command(tool[0], tool[1:]...)
	cmd.Stdin = strings.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", tool, err)
	}
	text := strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">", "&quot;", `"`, "&apos;", "'").Replace(string(out))
	if tool[0] == "pandoc" {
		text = strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(text)
	}
	return space.ReplaceAllString(text, " ")
}

// TestAnnotations: each finding is found by its words and by its position, in the text that the hash is of.
func TestAnnotations(t *testing.T) {
	w := ferry(t)
	r := w.report("")
	data, err := r.Annotations()
	if err != nil {
		t.Fatal(err)
	}
	var a annotations
	if err := json.Unmarshal(data, &a); err != nil || a.Total != 7 || len(a.First.Items) != 7 || a.ID == "" {
		t.Fatalf("%v, %+v", err, a)
	}
	for i, item := range a.First.Items {
		f := w.in.Record.Findings[i]
		var texts []string
		for _, s := range w.in.Record.Spans[f.Source] {
			texts = append(texts, s.Text)
		}
		extract := []rune(strings.Join(texts, "\n"))
		words, position := item.Target.Selector[0], item.Target.Selector[1]
		if got := string(extract[*position.Start:*position.End]); got != words.Exact || got != f.Quote {
			t.Errorf("%s: at its position stands %q, and the quote is %q", f.ID, got, f.Quote)
		}
		if strings.Count(string(extract), words.Prefix+words.Exact+words.Suffix) != 1 || len([]rune(words.Prefix)) > 32 || len([]rune(words.Suffix)) > 32 {
			t.Errorf("%s: %+v", f.ID, words)
		}
		if item.Body.Value != f.Claim || item.Target.State.Extract != evidence.TextHash(w.in.Record.Spans[f.Source]) || item.Target.State.Locator != f.Locator.String() ||
			!strings.HasPrefix(item.Target.State.Cached, "ni:///sha-256;") {
			t.Errorf("%s: %+v", f.ID, item)
		}
	}
}
