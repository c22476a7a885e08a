package foreign

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ibid/corpus"
	"ibid/evidence"
	"ibid/extract"
)

// HTML and documents of other formats are read alike.
func TestOtherForms(t *testing.T) {
	const src = `<!doctype html><html><head><title>Halden</title></head><body><nav>Menu [4]</nav><h1>Halden</h1>
<p>The ferry carried 412 wagons in 2024.<sup><a href="#r1">1</a></sup> The quay was dredged
twice in 2023.<sup>[2]</sup> The pilots struck.<sup>[7]</sup></p>
<table><tr><th>Thing</th><th>Change</th></tr><tr><td>Crane fees</td><td>up four percent in May 2024 [3]</td></tr></table>
<h2>References</h2><ol><li id="r1">Log. <a href="https://ferry.example/log">here</a></li><li>Survey. https://survey.example/a</li><li>Fees. https://port.example/fees</li></ol>
</body></html>`
	page := &extract.Page{Links: []extract.Link{{URL: "https://x.example/menu", Text: "Menu"}, {URL: "https://ferry.example/log", Text: "Log of the ferry"}}, Blocks: []extract.Block{
		{Text: "Menu [4]", Role: evidence.RoleItem},
		{Text: "Halden", Role: evidence.RoleHeading, Level: 1, Main: true},
		{Text: "The ferry carried 412 wagons in 2024 (Log of the ferry). The quay was dredged twice in 2023.² The pilots struck [7].", Main: true},
		{Text: "References", Role: evidence.RoleHeading, Level: 1, Main: true},
		{Text: "1. Log. https://ferry.example/log", Role: evidence.RoleItem, Main: true},
		{Text: "2. Survey. https://survey.example/a", Role: evidence.RoleItem, Main: true},
	}}
	for name, report := range map[string]Report{"html": {Text: []byte(src), HTML: true}, "page": {Page: page}} {
		r, err := Check(context.Background(), report, Options{Read: harbour.read})
		if err != nil {
			t.Fatal(err)
		}
		if c := r.find(t, "dredged"); c.Verdict != Supported {
			t.Errorf("%s: %+v", name, c)
		}
		if got := r.codes(); !slices.Contains(got, "dangling") {
			t.Errorf("%s: %v", name, r.Problems)
		}
		if c := r.find(t, "wagons"); c.Verdict != Supported {
			t.Errorf("%s: %+v", name, c)
		}
		for _, c := range r.Claims {
			if strings.Contains(c.Text, "Menu") {
				t.Errorf("%s: %+v", name, c)
			}
		}
	}
}

// A check ends in time and says what it did not ask; limits hold; nothing is asked twice.
func TestLimitsAndInterrupts(t *testing.T) {
	var report strings.Builder
	for i := range 6 {
		fmt.Fprintf(&report, "The ferry carried 412 wagons in 2024, of class %d [%d].\n\n", i, i+1)
	}
	report.WriteString("## References\n\n")
	for i := range 6 {
		fmt.Fprintf(&report, "%d. Log. https://ferry.example/%d\n", i+1, i%3)
	}
	ctx, cancel := context.WithCancel(context.Background())
	asked := make(chan string, 20)
	read := func(ctx context.Context, at string) (*corpus.Reading, error) {
		asked <- at
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}
	r, err := Check(ctx, Report{Text: []byte(report.String())}, Options{Read: read})
	if err != nil || r.Complete || r.Stopped != "interrupted" || r.Counts.Unread != 6 {
		t.Errorf("%v %+v", err, r.Counts)
	}
	if n := len(asked); n > 4 {
		t.Errorf("%d sources were asked", n)
	}
	r, err = Check(context.Background(), Report{Text: []byte(report.String())}, Options{Read: harbour.read, MaxSources: 1})
	if err != nil || r.Complete || r.Stopped != "sources" {
		t.Errorf("%v %+v", err, r)
	}
	wait := func(ctx context.Context, _ string) (*corpus.Reading, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	r, err = Check(context.Background(), Report{Text: []byte(report.String())}, Options{Read: wait, Time: time.Millisecond})
	if err != nil || r.Complete || r.Stopped != "time" || r.Counts.Unread != 6 {
		t.Errorf("%v %+v", err, r.Counts)
	}
	var many strings.Builder
	for i := range 12 {
		fmt.Fprintf(&many, "The ferry carried 412 wagons ([a](https://ferry.example/log?n=%d)).\n\n", i)
	}
	n := atomic.Int32{}
	large := func(ctx context.Context, at string) (*corpus.Reading, error) {
		n.Add(1)
		return harbour.read(ctx, "https://ferry.example/log")
	}
	r, err = Check(context.Background(), Report{Text: []byte(many.String())}, Options{Read: large, MaxBytes: 1})
	if err != nil || r.Stopped != "bytes" || n.Load() > parallel {
		t.Errorf("%v %s: %d sources were asked", err, r.Stopped, n.Load())
	}
	if _, err := Check(context.Background(), Report{Text: make([]byte, maxReport+1)}, Options{}); err == nil {
		t.Error("a report of any size is read")
	}
	for _, deep := range []string{strings.Repeat("> ", 2000) + "a", strings.Repeat("*a ", 10000), strings.Repeat("[", 20000), strings.Repeat("[a](", 20000), strings.Repeat("- ", 3000)} {
		if r, err := Check(context.Background(), Report{Text: []byte(deep)}, Options{}); err == nil && len(r.Claims) > 2 {
			t.Errorf("%.20s: %d claims", deep, len(r.Claims))
		}
	}
}

// A fault of the program is an error; a source that cannot be had is told with its reason, and is not an absence in it.
func TestUnreachable(t *testing.T) {
	r := check(t, "The ferry carried 412 wagons [1]. The quay is new [2].\n\n## References\n\n1. Gone. https://ferry.example/gone\n2. A book. Halden: Fjord Press, 1999.\n", harbour)
	if c := r.find(t, "wagons"); c.Verdict != Unreachable || !strings.Contains(c.Reasons[0].Message, "no such page") {
		t.Errorf("%+v", c)
	}
	if c := r.find(t, "quay"); c.Verdict != Unreachable || !slices.Contains(r.codes(), "no_address") {
		t.Errorf("%+v %v", c, r.Problems)
	}
	part := func(ctx context.Context, at string) (*corpus.Reading, error) {
		got, err := harbour.read(ctx, at)
		if err == nil {
			got.Source.Flags = append(got.Source.Flags, "paywall")
		}
		return got, err
	}
	r, err := Check(context.Background(), Report{Text: []byte("The keeper of the lamp resigned [1](https://ferry.example/log).")}, Options{Read: part})
	if c := r.find(t, "keeper"); err != nil || c.Verdict != NotFound || len(c.Reasons) != 1 || c.Reasons[0].Code != "in_part" {
		t.Errorf("%v %+v", err, c)
	}
	fault := func(context.Context, string) (*corpus.Reading, error) { return nil, fmt.Errorf("a fault") }
	if _, err := Check(context.Background(), Report{Text: []byte("So it is [1](https://a.example/).")}, Options{Read: fault}); err == nil {
		t.Error("a fault is no error")
	}
}

// A source that says of itself that it was taken back is a problem, however well it says what is claimed.
func TestWithdrawnSource(t *testing.T) {
	pages := web{"https://seals.example/": page("RETRACTED: Seals of turbines", "This article has been retracted by its authors.", "Type B seals lasted a median of 212 days at the site.")}
	r := check(t, "Type B seals lasted a median of 212 days at the site [1].\n\n## References\n\n1. Seals of turbines. https://seals.example/\n", pages)
	if r.OK || r.Sound() || !slices.ContainsFunc(r.Problems, func(p Problem) bool { return p.Code == Withdrawn }) || r.Claims[0].Verdict != Supported {
		t.Errorf("%+v", r)
	}
}

// An entry that says of its source that it was retracted is a problem, if the source cannot be looked at.
func TestWithdrawnEntry(t *testing.T) {
	for entry, told := range map[string]bool{"RETRACTED: Seals of turbines. https://gone.example/": true, "Seals [Retracted Article]. https://gone.example/": true,
		"How retracted papers are cited. https://gone.example/": false} {
		r := check(t, "Type B seals lasted a median of 212 days [1].\n\n## References\n\n1. "+entry+"\n", web{})
		if is := slices.ContainsFunc(r.Problems, func(p Problem) bool { return p.Code == Withdrawn }); is != told {
			t.Errorf("%s: %+v", entry, r.Problems)
		}
	}
}

// What both of two sources are said to say, each has to say.
func TestBothSay(t *testing.T) {
	pages := web{"https://a.example/": page("Log", "The ferry carried 412 wagons on both lines in its first year."), "https://b.example/": page("Fees", "The ferry carried 312 wagons in its first year."),
		"https://c.example/": page("Log", "In its first year the ferry carried 412 wagons on both lines.")}
	const list = "\n\n## References\n\n1. Log. https://a.example/\n2. Fees. https://b.example/\n3. Log. https://c.example/\n"
	for text, want := range map[string]Verdict{
		"Both report that the ferry carried 412 wagons in its first year [1][3].":           Supported,
		"Both report that the ferry carried 412 wagons in its first year [1][2].":           Contradicted,
		"Both sources state that the ferry carried 412 wagons in its first year [2, 1].":    Contradicted,
		"The ferry carried 412 wagons in its first year, on both lines, it is said [1, 3].": Supported,
	} {
		if got := check(t, text+list, pages).Claims[0]; got.Verdict != want && !(want == Contradicted && got.Verdict == Partly) {
			t.Errorf("%s: %s %+v", text, got.Verdict, got)
		}
	}
}

// The work of comparing has a limit, and what was not compared is told.
func TestComparisons(t *testing.T) {
	report := strings.Repeat("The ferry carried 412 wagons in 2024 [1].\n\n", 5) + "## References\n\n1. Log. https://ferry.example/log\n"
	r, err := Check(t.Context(), Report{Name: "report.md", Text: []byte(report)}, Options{Read: harbour.read, Comparisons: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Stopped != "comparisons" || r.Counts.Unread == 0 || r.Counts.Supported == 0 || r.Complete {
		t.Errorf("%+v", r)
	}
}
