package foreign

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"ibid/corpus"
	"ibid/extract"
	"ibid/fetch"
	"ibid/internal/testset"
)

// web serves pages by address to a check.
type web map[string]string

func (w web) Fetch(_ context.Context, address string) (*fetch.Document, error) {
	body, ok := w[address]
	if !ok {
		return nil, &fetch.Unavailable{URL: address, Outcome: fetch.NotFound, Reason: "there is no such page"}
	}
	return &fetch.Document{Requested: address, URL: address, ContentType: "text/html; charset=utf-8", Body: []byte(body)}, nil
}

func (w web) read(ctx context.Context, address string) (*corpus.Reading, error) {
	return (&corpus.Reader{Fetcher: w, Extract: extract.Extract}).Read(ctx, address)
}

type sharedPair struct{ ID, Claim, Evidence, Label, Context, Edit string }

func sharedPairs(t testing.TB, name string) (out []sharedPair) {
	t.Helper()
	f, err := os.Open(testset.Path(t, "data", "claims", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var p sharedPair
		if err := json.Unmarshal(sc.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// reportOf is a report that makes the claims of some pairs, each with a marker, over pages of eight texts of evidence.
func reportOf(pairs []sharedPair) (string, web) {
	pages, at := web{}, map[string]int{}
	var text, list, page strings.Builder
	n := 0
	flush := func() {
		if page.Len() > 0 {
			pages[fmt.Sprintf("https://evidence.example/%d", n)] = fmt.Sprintf("<!doctype html><title>Notes %d</title><main>%s</main>", n, page.String())
			fmt.Fprintf(&list, "[%d] Notes. https://evidence.example/%d\n\n", n, n)
			page.Reset()
		}
	}
	esc := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	for i, p := range pairs {
		if i%8 == 0 {
			flush()
			n++
		}
		if at[p.Evidence] == 0 {
			at[p.Evidence] = n
			if p.Context != "" {
				fmt.Fprintf(&page, "<h2>%s</h2>", esc.Replace(p.Context))
			}
			fmt.Fprintf(&page, "<p>%s</p>\n", esc.Replace(p.Evidence))
		}
		fmt.Fprintf(&text, "%s [%d]\n\n", md(p.Claim), at[p.Evidence])
	}
	flush()
	return text.String() + "## References\n\n" + list.String(), pages
}

func md(s string) string {
	return strings.NewReplacer("*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", "`", "\\`", "#", `\#`).Replace(oneLine(s))
}

// TestSharedPairs: reports made of the shared claims, each cited to a page that holds its evidence among others. What is right is
// hardly ever called contradicted, and what is wrong seldom supported: most of it by what no rule sees. Figures in percent, a
// little beside what was measured over the pairs that are looked at.
func TestSharedPairs(t *testing.T) {
	for _, tt := range []struct {
		set                         string
		pairs                       int
		alarms, passed              float64 // at most: right ones called contradicted, wrong ones called supported
		recall, accepted, agreement float64 // at least: wrong ones called contradicted, right ones supported; supported or partly
	}{
		{"synthetic", 150, 1, 3, 62, 98, 98},
		{"own", 87, 0.1, 0.1, 48, 68, 90},
		{"fever", 160, 1, 6, 23, 42, 85},
		{"scifact", 130, 3, 6, 7, 14, 60},
	} {
		if testing.Short() && tt.set != "own" {
			continue
		}
		pairs := sharedPairs(t, tt.set)
		step := max(1, len(pairs)/tt.pairs)
		var some []sharedPair
		for i := 0; i < len(pairs); i += step {
			some = append(some, pairs[i])
		}
		table := held(t, some)
		t.Logf("%s: %v", tt.set, table)
		for _, c := range []struct {
			what     string
			got, max float64
		}{
			{"right claims called contradicted", table.share("SUPPORTS", Contradicted), tt.alarms},
			{"wrong claims called supported", table.share("REFUTES", Supported), tt.passed},
			{"wrong claims not called contradicted", 100 - table.share("REFUTES", Contradicted), 100 - tt.recall},
			{"right claims not called supported", 100 - table.share("SUPPORTS", Supported), 100 - tt.accepted},
			{"right claims neither supported nor partly", 100 - table.share("SUPPORTS", Supported, Partly), 100 - tt.agreement},
		} {
			if c.got > c.max {
				t.Errorf("%s: %.1f %% of the %s, at most %.1f %% were", tt.set, c.got, c.what, c.max)
			}
		}
	}
}

// A tally counts verdicts by label.
type tally map[string]map[Verdict]int

func (y tally) share(label string, verdicts ...Verdict) float64 {
	n, all := 0, 0
	for v, k := range y[label] {
		all += k
		if slices.Contains(verdicts, v) {
			n += k
		}
	}
	return 100 * float64(n) / float64(max(1, all))
}

// held holds some claims against their pages. Of a claim of several sentences the last cites.
func held(t *testing.T, pairs []sharedPair) tally {
	t.Helper()
	y := tally{"SUPPORTS": {}, "REFUTES": {}, "NEI": {}}
	text, pages := reportOf(pairs)
	res, err := Check(context.Background(), Report{Name: "report.md", Text: []byte(text)}, Options{Read: pages.read, MaxSources: len(pages)})
	if err != nil {
		t.Fatal(err)
	}
	at := map[int]Verdict{}
	for _, c := range res.Claims {
		at[c.Line] = c.Verdict
	}
	for i, p := range pairs {
		if at[2*i+1] == "" {
			t.Errorf("%s is no claim: %s", p.ID, p.Claim)
		}
		y[p.Label][at[2*i+1]]++
	}
	return y
}

// Benchmark holds a report of four hundred claims over fifty pages.
func BenchmarkCheck(b *testing.B) {
	text, pages := reportOf(sharedPairs(b, "fever")[:400])
	for b.Loop() {
		if _, err := Check(context.Background(), Report{Text: []byte(text)}, Options{Read: pages.read}); err != nil {
			b.Fatal(err)
		}
	}
}
