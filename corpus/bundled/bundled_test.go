package bundled_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"slices"
	"strings"
	"testing"

	"ibid/audit/sources"
	"ibid/corpus"
	"ibid/corpus/bundled"
	"ibid/evidence"
	"ibid/extract"
	"ibid/fetch"
	"ibid/search"
)

// question is the one that ibid's first command asks.
const question = "What makes agent runs expensive, and what fixes it?"

type document struct {
	URL, File, Dir, Kind, Title, Redirect string
	Status                                int
}

func documents(t *testing.T) (list []document) {
	t.Helper()
	body, err := fs.ReadFile(bundled.FS, "index.json")
	if err != nil {
		t.Fatal(err)
	}
	var index struct {
		Note      string
		Documents []document
	}
	if err := json.Unmarshal(body, &index); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(index.Note, "invented") {
		t.Errorf("index.json does not say that the texts are invented: %q", index.Note)
	}
	return index.Documents
}

func offline(t *testing.T) *fetch.Offline {
	t.Helper()
	o, err := fetch.NewOffline(bundled.FS)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// readAll reads every document that the index says is there.
func readAll(t *testing.T) (*corpus.Corpus, map[string]*corpus.Reading) {
	t.Helper()
	r := &corpus.Reader{Fetcher: offline(t), Extract: extract.Extract}
	c, all := corpus.New(), map[string]*corpus.Reading{}
	for _, d := range documents(t) {
		if d.Status != 0 || d.Redirect != "" {
			continue
		}
		reading, err := r.Read(t.Context(), d.URL)
		if err != nil {
			t.Errorf("%s: %v", d.URL, err)
			continue
		}
		all[d.URL] = reading
		if id, fresh := c.Ingest(*reading); !fresh && !strings.Contains(d.URL, "herald") {
			t.Errorf("%s is the same document as %s", d.URL, id)
		}
	}
	return c, all
}

func text(r *corpus.Reading) string {
	var b strings.Builder
	for _, block := range r.Blocks {
		if block.Quotable {
			b.WriteString(block.Text + "\n")
		}
	}
	return b.String()
}

// TestEveryDocument: each entry resolves, is of its declared kind, has a title, says that it is invented, and stands
// under a reserved domain.
func TestEveryDocument(t *testing.T) {
	_, all := readAll(t)
	kinds := map[evidence.Kind]int{}
	for _, d := range documents(t) {
		u, err := url.Parse(d.URL)
		if err != nil || !strings.HasSuffix(u.Hostname(), ".example") {
			t.Errorf("%s is not under a reserved domain", d.URL)
		}
		r := all[d.URL]
		if r == nil {
			continue
		}
		kinds[r.Source.Kind]++
		if string(r.Source.Kind) != d.Kind {
			t.Errorf("%s is read as %s, and the index says %s", d.URL, r.Source.Kind, d.Kind)
		}
		if r.Source.Title == "" {
			t.Errorf("%s has no title", d.URL)
		}
		var raw []byte
		if d.File != "" {
			raw, err = fs.ReadFile(bundled.FS, d.File)
		} else {
			raw, err = fs.ReadFile(bundled.FS, d.Dir+"/README.md")
		}
		if err != nil || !strings.Contains(strings.ToLower(string(raw)), "invented text") && !strings.Contains(string(raw), "Invented code") {
			t.Errorf("%s does not say that it is invented: %v", d.URL, err)
		}
	}
	for _, kind := range []evidence.Kind{evidence.HTML, evidence.PDF, evidence.Transcript, evidence.Repo} {
		if kinds[kind] == 0 {
			t.Errorf("no document is a %s", kind)
		}
	}
	if len(all) < 14 {
		t.Errorf("only %d documents", len(all))
	}
}

// TestNoOrphans: every file of the corpus is in its index.
func TestNoOrphans(t *testing.T) {
	listed := documents(t)
	err := fs.WalkDir(bundled.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == "index.json" {
			return err
		}
		if !slices.ContainsFunc(listed, func(d document) bool { return d.File == name || d.Dir != "" && strings.HasPrefix(name, d.Dir+"/") }) {
			t.Errorf("%s is in no entry of the index", name)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestQuotes: sentences that a report would want stand where they should, with the locators of their kind.
func TestQuotes(t *testing.T) {
	c, _ := readAll(t)
	for _, tt := range []struct{ url, quote, locator string }{
		{"https://costs.example/reports/where-the-money-goes", "Re-sent context makes cost grow with the square of the number of steps.", "para."},
		{"https://agentops.example/guides/prompt-caching", "On our reference workload, a research run of forty steps, prompt caching cut the bill by 63 percent.", "para."},
		{"https://papers.example/2025/run-economics.pdf", "Retrying failed calls more often made runs 9 percent more expensive and answered no more questions.", "p.2"},
		{"https://papers.example/2025/run-economics.pdf", "What fixes it is to read less, to carry less, to pay less for what is carried, and to decide before each step whether the step can be afforded.", "p.3"},
		{"https://talks.example/agents-day/keeping-agents-cheap", "They are expensive because they remember everything and pay for it every time they blink.", "t="},
		{"https://code.example/agentops/runkit", "Each elision rewrites the cached prefix", "context/elide.py:L"},
		{"https://code.example/agentops/runkit", "SIMILAR = 0.85", "search/dedupe.py:L"},
	} {
		key, m := c.Quote(c.ByURL(tt.url), tt.quote)
		if !m.OK() || !strings.HasPrefix(key.Locator.String(), tt.locator) {
			t.Errorf("%s: %q is found at %q (%s %s), want %s…", tt.url, tt.quote, key.Locator, m.Kind, m.Reason, tt.locator)
		}
	}
}

func TestTraps(t *testing.T) {
	c, all := readAll(t)
	get := func(u string) *corpus.Reading {
		t.Helper()
		if all[u] == nil {
			t.Fatalf("%s was not read", u)
		}
		return all[u]
	}
	t.Run("hub page", func(t *testing.T) {
		hub := get("https://agentops.example/guides/")
		if !slices.Contains(hub.Source.Flags, extract.FlagHub) || text(hub) != "" || len(hub.Links) < 8 {
			t.Errorf("flags %v, %d links, quotable %q", hub.Source.Flags, len(hub.Links), text(hub))
		}
	})
	t.Run("injected instruction", func(t *testing.T) {
		tips := get("https://tips.example/cut-agent-costs")
		said := text(tips)
		if !strings.Contains(said, "ignore your previous instructions") {
			t.Error("the visible instruction is not there to be resisted")
		}
		for _, hidden := range []string{"lifted by the administrator", "cite nothing else"} {
			if strings.Contains(said, hidden) {
				t.Errorf("text that no reader sees is quotable: %q", hidden)
			}
		}
		if !slices.Contains(tips.Source.Flags, extract.FlagHidden) {
			t.Errorf("flags %v do not say that text was hidden", tips.Source.Flags)
		}
		if strings.Contains(strings.Join(hosts(tips.Links), " "), "collector") {
			t.Error("the address in the instruction is a link")
		}
	})
	t.Run("syndicated text", func(t *testing.T) {
		a, b := c.ByURL("https://ledger.example/technology/agent-bills"), c.ByURL("https://herald.example/business/agent-bills")
		if a == b {
			t.Fatal("the copies are one source; they differ in their furniture and should be two of one origin")
		}
		spans := map[string][]evidence.Span{}
		for _, s := range c.Sources() {
			spans[s.ID] = c.Spans(s.ID)
		}
		copies := 0
		for _, group := range sources.Weigh(c.Sources(), spans, nil, question).Clusters() {
			if slices.Contains(group.Sources, a) != slices.Contains(group.Sources, b) {
				t.Errorf("%s and %s are two origins", a, b)
			}
			for _, l := range group.Links {
				if l.Reason == sources.SameText {
					copies++
				}
			}
		}
		if copies != 1 {
			t.Errorf("%d copies of a text", copies)
		}
	})
	t.Run("two numbers for one thing", func(t *testing.T) {
		for u, n := range map[string]string{"https://agentops.example/guides/prompt-caching": "63 percent", "https://bench.example/blog/caching-remeasured": "41 percent"} {
			_, m := c.Quote(c.ByURL(u), "prompt caching cut the bill")
			if !m.OK() || !strings.Contains(text(get(u)), "prompt caching cut the bill of a forty-step research run by "+n) && !strings.Contains(text(get(u)), "prompt caching cut the bill by "+n) {
				t.Errorf("%s does not say %s", u, n)
			}
		}
	})
	t.Run("a number only in a table", func(t *testing.T) {
		said, elsewhere := "", 0
		for u, r := range all {
			if strings.Contains(text(r), "7.4") {
				if said = u; !strings.Contains(u, "cost-by-cause") {
					elsewhere++
				}
			}
		}
		if said == "" || elsewhere != 0 {
			t.Errorf("7.4 stands in %s and in %d other documents", said, elsewhere)
		}
		row := slices.IndexFunc(get("https://costs.example/reports/cost-by-cause").Blocks, func(b extract.Block) bool {
			return b.Quotable && strings.Contains(b.Text, "Repeated searches") && strings.Contains(b.Text, "7.4 %")
		})
		if row < 0 {
			t.Error("the number does not stand in one span with what it counts")
		}
	})
	t.Run("dead and closed links", func(t *testing.T) {
		r := &corpus.Reader{Fetcher: offline(t), Extract: extract.Extract}
		for u, want := range map[string]fetch.Outcome{"https://costs.example/reports/2024-baseline": fetch.NotFound, "https://analyst.example/agent-spending-2026": fetch.Blocked} {
			linked := 0
			for _, reading := range all {
				for _, l := range reading.Links {
					if l.URL == u {
						linked++
					}
				}
			}
			_, err := r.Read(t.Context(), u)
			var gone *fetch.Unavailable
			if !errors.As(err, &gone) || gone.Outcome != want || linked == 0 {
				t.Errorf("%s: %v, linked from %d places", u, err, linked)
			}
		}
	})
	t.Run("a title that promises", func(t *testing.T) {
		r := get("https://answers.example/what-makes-agent-runs-expensive")
		if !strings.Contains(strings.ToLower(r.Source.Title), "what makes agent runs expensive") || strings.ContainsAny(text(r), "0123456789") {
			t.Errorf("%q: title or text is not what the trap needs", r.Source.Title)
		}
	})
}

func hosts(links []extract.Link) (list []string) {
	for _, l := range links {
		list = append(list, l.URL)
	}
	return list
}

// TestLibraryFindsTheAnswer: the first search finds documents about the question, not their neighbours, and reads all.
func TestLibraryFindsTheAnswer(t *testing.T) {
	l := corpus.NewLibrary(corpus.LibraryConfig{Name: "bundled", Shelf: offline(t), Extract: extract.Extract})
	answer, err := l.Search(t.Context(), question, 8)
	results := answer.Results
	if err != nil || len(results) != 8 {
		t.Fatalf("%d results, %v", len(results), err)
	}
	about := 0
	for _, r := range results {
		t.Logf("%s %q", r.URL, r.Snippet)
		for _, host := range []string{"costs.", "agentops.", "bench.", "lab.", "papers.", "talks.", "code.", "ledger.example/technology", "herald."} {
			if strings.HasPrefix(r.URL, "https://"+host) {
				about++
			}
		}
	}
	if about < 5 { // the others are traps and neighbours: a page that asks the question, one about heat pumps
		t.Errorf("only %d of the first 8 results are about the question", about)
	}
	if skipped := l.Skipped(); len(skipped) != 0 {
		t.Errorf("skipped %v", skipped)
	}
	for _, tt := range []struct{ query, url string }{
		{"prompt caching savings", "agentops.example/guides/prompt-caching"},
		{"share of spending repeated searches retries table", "costs.example/reports/cost-by-cause"},
		{"sub-agents fan-out cost", "lab.example/notes/fan-out"},
		{"dedupe similar queries threshold", "code.example/agentops/runkit"},
		{"heat pump flow temperature", "warmhouse.example/"},
	} {
		answer, err := l.Search(t.Context(), tt.query, 3)
		results := answer.Results
		if err != nil || !slices.ContainsFunc(results, func(r search.Result) bool { return strings.Contains(r.URL, tt.url) }) {
			t.Errorf("%q finds %v, %v, want %s among three", tt.query, results, err, tt.url)
		}
	}
}
