package cases

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"ibid/audit/sources"
	"ibid/evidence"
	"ibid/extract"
	"ibid/fetch"
	"ibid/index"
)

var kinds = map[string]evidence.Kind{"html": evidence.HTML, "pdf": evidence.PDF, "transcript": evidence.Transcript, "text": evidence.Text}

// wanted is what a case expects of one quote.
type wanted struct {
	Match   bool     `json:"match"`
	Kind    string   `json:"kind"`
	Reason  string   `json:"reason"`
	FoundIn []string `json:"found_in"`
}

func results(t *testing.T, v any) []wanted {
	t.Helper()
	body, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var list []wanted
	if err := json.Unmarshal(body, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

func holds(t *testing.T, quote string, m evidence.Match, w wanted) {
	t.Helper()
	kind := strings.Replace(string(m.Kind), "normalised", "normalized", 1)
	if m.OK() != w.Match || kind != w.Kind {
		t.Errorf("%q: %s (%s), want %s", quote, kind, m.Reason, w.Kind)
	}
	if w.Reason != "" && string(m.Reason) != w.Reason {
		t.Errorf("%q: reason %s, want %s", quote, m.Reason, w.Reason)
	}
}

func verifyQuote(t *testing.T, c failureCase) {
	text := string(c.file(t, c.str("source")))
	var limits evidence.Limits
	if n, ok := c.Input["min_chars"].(float64); ok {
		limits.MinChars = int(n)
	}
	if n, ok := c.Input["min_words"].(float64); ok {
		limits.MinWords = int(n)
	}
	quotes := strs(c.Input["quotes"])
	for i, w := range results(t, c.Expect["results"]) {
		m := evidence.MatchText(kinds[c.str("source_kind")], text, quotes[i], limits)
		holds(t, quotes[i], m, w)
		if m.OK() && text[m.Start:m.End] != m.Quote {
			t.Errorf("%q: the offsets give %q, the quote is %q", quotes[i], text[m.Start:m.End], m.Quote)
		}
	}
	if other := c.str("same_quotes_as_kind"); other != "" {
		for i, w := range results(t, c.Expect["results_as_"+other]) {
			holds(t, quotes[i], evidence.MatchText(kinds[other], text, quotes[i], limits), w)
		}
	}
	if n, ok := c.Expect["invisible_chars_in_source"].(float64); ok && evidence.CountInvisible(text) != int(n) {
		t.Errorf("%d invisible characters counted, want %v", evidence.CountInvisible(text), n)
	}
}

func verifyQuoteInChunks(t *testing.T, c failureCase) {
	var chunks map[string]string
	c.json(t, "chunks", &chunks)
	docs := spanDocs(t, chunks)
	pairs := c.Input["pairs"].([]any)
	for i, w := range results(t, c.Expect["results"]) {
		pair := strs(pairs[i])
		key, err := evidence.ParseKey(pair[0])
		if err != nil {
			t.Fatal(err)
		}
		holds(t, pair[1], docs[key.Source].Match(key.Locator, pair[1]), w)
		var found []string
		for _, id := range sortedKeys(docs) {
			for _, m := range docs[id].FindAll(pair[1], 5) {
				found = append(found, evidence.Key{Source: id, Locator: m.Locator}.String())
			}
		}
		if len(w.FoundIn) > 0 && strings.Join(found, " ") != strings.Join(w.FoundIn, " ") {
			t.Errorf("found in %v, want %v", found, w.FoundIn)
		}
	}
}

// spanDocs makes a document of each source from spans by key.
func spanDocs(t *testing.T, chunks map[string]string) map[string]*evidence.Doc {
	t.Helper()
	spans := map[string][]evidence.Span{}
	for k, text := range chunks {
		key, err := evidence.ParseKey(k)
		if err != nil {
			t.Fatal(err)
		}
		spans[key.Source] = append(spans[key.Source], evidence.Span{Source: key.Source, Locator: key.Locator, Text: text})
	}
	docs := map[string]*evidence.Doc{}
	for id, list := range spans {
		sort.Slice(list, func(a, b int) bool { return evidence.Compare(list[a].Locator, list[b].Locator) < 0 })
		docs[id] = evidence.NewDoc(evidence.HTML, list)
	}
	return docs
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func fullText(t *testing.T, c failureCase) {
	var docs map[string]string
	c.json(t, "docs", &docs)
	var queries [][]*string
	c.json(t, "queries", &queries)
	ix := index.New(index.Config{})
	for _, id := range sortedKeys(docs) {
		ix.Add(index.Item{Key: id, Body: docs[id]})
	}
	for _, q := range queries {
		hits := ix.Search(*q[0], 5)
		if q[1] != nil && (len(hits) == 0 || hits[0].Key != *q[1]) {
			t.Errorf("%q: %v, want %s", *q[0], hits, *q[1])
		}
	}
}

func searchCorpus(t *testing.T, c failureCase) {
	var docs map[string]string
	c.json(t, "corpus", &docs)
	ix := index.New(index.Config{})
	for _, id := range sortedKeys(docs) {
		ix.Add(index.Item{Key: id, Body: docs[id]})
	}
	want := strs(c.Expect["top_hit"])
	for i, q := range strs(c.Input["queries"]) {
		if hits := ix.Search(q, 5); len(hits) == 0 || hits[0].Key != want[i] {
			t.Errorf("%q: %v, want %s", q, hits, want[i])
		}
	}
}

func queryDedupe(t *testing.T, c failureCase) {
	var pairs [][]string
	c.json(t, "pairs", &pairs)
	for _, p := range pairs {
		if same := index.SameQuery(p[0], p[1]); same != (p[2] == "duplicate") {
			t.Errorf("%q and %q: same %v, want %s", p[0], p[1], same, p[2])
		}
	}
}

func transcript(t *testing.T, c failureCase) {
	page, err := extract.Extract(context.Background(), extract.Input{URL: "https://talks.example/" + c.str("file"), Body: c.file(t, c.str("file"))})
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, b := range page.Blocks {
		words = append(words, strings.Fields(b.Text)...)
	}
	if want, ok := c.Expect["text_exact_norm"].(string); ok && strings.Join(words, " ") != want {
		t.Errorf("text %q, want %q", strings.Join(words, " "), want)
	}
	if want, ok := c.Expect["word_count"].(float64); ok && len(words) != int(want) {
		t.Errorf("%d words, want %v", len(words), want)
	}
	locators, _ := c.Expect["locator_of"].(map[string]any)
	for text, at := range locators {
		found := false
		for _, b := range page.Blocks {
			if i := strings.Index(b.Text, text); i >= 0 {
				found = true
				if got := b.At(i).String(); got != at {
					t.Errorf("%q is at %s, want %v", text, got, at)
				}
			}
		}
		if !found {
			t.Errorf("%q is not there", text)
		}
	}
}

func repoFile(t *testing.T, c failureCase) {
	read := func(file, path string) (*extract.Page, error) {
		return extract.Extract(context.Background(), extract.Input{URL: "https://code.example/" + path, ContentType: "text/plain", Body: c.file(t, file)})
	}
	page, err := read(c.str("file"), c.str("path"))
	if want, ok := c.Expect["outcome"].(string); ok && want == "skipped" {
		if err == nil {
			for _, b := range page.Blocks {
				if b.Quotable {
					t.Errorf("%s can be quoted: %q", b.Locator, b.Text)
				}
			}
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	line := func(page *extract.Page, text string) int {
		for _, b := range page.Blocks {
			for i, l := range strings.Split(b.Text, "\n") {
				if strings.Contains(l, text) {
					return b.Locator.A + i
				}
			}
		}
		return 0
	}
	check := func(page *extract.Page, key string) {
		want, _ := c.Expect[key].(map[string]any)
		for text, n := range want {
			if got := line(page, text); got != int(n.(float64)) {
				t.Errorf("%q is on line %d, want %v", text, got, n)
			}
		}
	}
	check(page, "line_of")
	if n, ok := c.Expect["total_lines"].(float64); ok && page.Blocks[len(page.Blocks)-1].Locator.B != int(n) {
		t.Errorf("the file ends at line %d, want %v", page.Blocks[len(page.Blocks)-1].Locator.B, n)
	}
	if also := c.str("also"); also != "" {
		page, err := read(also, also)
		if err != nil {
			t.Fatal(err)
		}
		check(page, "crlf_line_of")
	}
}

// extractCase checks what is read of a page. Case files of a later issue may expect more than this one promises: a case
// that fails on a format that is only in its simplest form is reported as not run, by class.
func extractCase(t *testing.T, c failureCase) {
	page, err := extract.Extract(context.Background(), extract.Input{URL: c.str("url"), ContentType: c.str("content_type"), Body: c.file(t, c.str("file"))})
	if _, any := c.Expect["outcome_any"]; any {
		return // it ended, and in time: the test's own limit is shorter than a hang
	}
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, b := range page.Blocks {
		if b.Quotable {
			texts = append(texts, b.Text)
		}
	}
	text := strings.Join(strings.Fields(strings.Join(texts, "\n")), " ")
	at := 0
	for _, want := range strs(c.Expect["text_contains"]) {
		if !strings.Contains(text, strings.Join(strings.Fields(want), " ")) {
			t.Errorf("missing %q in %q", want, text)
		}
	}
	for _, no := range strs(c.Expect["text_not_contains"]) {
		if strings.Contains(text, no) {
			t.Errorf("%q is in %q", no, text)
		}
	}
	for _, want := range strs(c.Expect["ordered"]) {
		i := strings.Index(text[at:], want)
		if i < 0 {
			t.Errorf("%q does not follow", want)
			break
		}
		at += i
	}
	var spans []evidence.Span
	for _, b := range page.Blocks {
		if b.Quotable {
			spans = append(spans, evidence.Span{Locator: b.Locator, Text: b.Text, Role: b.Role})
		}
	}
	doc := evidence.NewDoc(page.Kind, spans)
	for _, q := range strs(c.Expect["quotes_verify"]) {
		if !doc.Find(q).OK() {
			t.Errorf("not quotable: %q", q)
		}
	}
	if n, ok := c.Expect["chunks_min"].(float64); ok && len(texts) < int(n) {
		t.Errorf("%d spans, want at least %v", len(texts), n)
	}
	if n, ok := c.Expect["chunks_max"].(float64); ok && len(texts) > int(n) {
		t.Errorf("%d spans, want at most %v", len(texts), n)
	}
	for _, f := range strs(c.Expect["flags"]) {
		if !strings.Contains(strings.Join(page.Flags, " "), f) {
			t.Errorf("flag %s is missing: %v", f, page.Flags)
		}
	}
}

func localCorpus(t *testing.T, c failureCase) {
	folder, err := fetch.NewFolder(c.dir, nowUTC)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	var ask struct{ Names []string }
	c.json(t, "ask", &ask)
	urls := map[string]bool{}
	abs, err := filepath.Abs(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range ask.Names {
		doc, err := folder.Fetch(context.Background(), fileURL(abs, name))
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		urls[doc.URL] = true
	}
	if len(urls) != 1 {
		t.Errorf("%d sources for one file", len(urls))
	}
	listed := 0
	for _, e := range folder.Entries() {
		if e.Title == c.Expect["display_name"] {
			listed++
		}
	}
	if listed != 1 {
		t.Errorf("listed %d times as %q", listed, c.Expect["display_name"])
	}
}

func independentOrigins(t *testing.T, c failureCase) {
	body := c.file(t, c.str("sources"))
	var byID map[string]struct{ URL, Title, Text string }
	var list []struct{ ID, URL, Title, Text string }
	if json.Unmarshal(body, &list) != nil {
		if err := json.Unmarshal(body, &byID); err != nil {
			t.Skipf("not run: the sources have another shape: %v", err)
		}
		for _, id := range sortedKeys(byID) {
			s := byID[id]
			list = append(list, struct{ ID, URL, Title, Text string }{id, s.URL, s.Title, s.Text})
		}
	}
	var read []evidence.Source
	spans := map[string][]evidence.Span{}
	for i, s := range list {
		url := s.URL
		if url == "" {
			url = fmt.Sprintf("https://s%d.example/", i)
		}
		read = append(read, evidence.Source{ID: s.ID, URL: url, Title: s.Title, Kind: evidence.HTML})
		spans[s.ID] = []evidence.Span{{Source: s.ID, Locator: evidence.Locator{Unit: evidence.Para, A: 1}, Text: s.Text}}
	}
	groups := [][]string{}
	for _, cluster := range sources.Weigh(read, spans, nil, "").Clusters() {
		groups = append(groups, cluster.Sources)
	}
	got, err := json.Marshal(groups)
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(c.Expect["groups"])
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("groups %s, want %s", got, want)
	}
}

// archive: what leads out of an archive is refused and named; the rest is read. Nothing is ever written.
func archive(t *testing.T, c failureCase) {
	a, err := extract.OpenArchive(c.file(t, c.str("file")))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range a.Files {
		names = append(names, f.Path)
	}
	if strings.Join(names, " ") != strings.Join(strs(c.Expect["readable"]), " ") {
		t.Errorf("readable %v, want %v", names, c.Expect["readable"])
	}
	if n, ok := c.Expect["rejected_min"].(float64); ok && len(a.Refused) < int(n) {
		t.Errorf("refused %v, want at least %v", a.Refused, n)
	}
}
