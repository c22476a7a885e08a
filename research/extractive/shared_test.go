package extractive

import (
	"bufio"
	"encoding/json"
	"ibid/internal/testset"
	"os"
	"strconv"
	"testing"
)

// doc is one document of a retrieval set.
type doc struct {
	ID, Title string
	Sents     []string
}

// evidenceSet is a set of questions with the sentences that answer them.
type evidenceSet struct {
	docs      map[string]doc
	ids       []string
	questions map[string]string
	pairs     []goldPair // one a question and document
	asked     []string   // questions with evidence, in order
	gold      map[string][]string
}

type goldPair struct {
	question, doc string
	sents         map[int]bool
}

func loadEvidence(t testing.TB, name string) evidenceSet {
	t.Helper()
	s := evidenceSet{docs: map[string]doc{}, questions: map[string]string{}, gold: map[string][]string{}}
	for _, d := range lines[doc](t, name, "corpus.jsonl") {
		s.docs[d.ID] = d
		s.ids = append(s.ids, d.ID)
	}
	for _, q := range lines[struct{ ID, Text string }](t, name, "queries.jsonl") {
		s.questions[q.ID] = q.Text
	}
	at := map[string]int{}
	for _, g := range lines[struct {
		Query, Doc string
		Sents      []int
	}](t, name, "evidence.jsonl") {
		key := g.Query + " " + g.Doc
		if _, ok := at[key]; !ok {
			at[key] = len(s.pairs)
			s.pairs = append(s.pairs, goldPair{g.Query, g.Doc, map[int]bool{}})
			if len(s.gold[g.Query]) == 0 {
				s.asked = append(s.asked, g.Query)
			}
			s.gold[g.Query] = append(s.gold[g.Query], g.Doc)
		}
		for _, i := range g.Sents {
			s.pairs[at[key]].sents[i] = true
		}
	}
	return s
}

// sentences makes what this researcher would see of documents, each one span.
func (s evidenceSet) sentences(r *reader, docs []string) *pool {
	all := &pool{}
	for n, id := range docs {
		d := s.docs[id]
		above := map[string]float64{}
		r.credit(above, d.Title, aboveCredit)
		for i, text := range d.Sents {
			e := sentence{span: "S" + strconv.Itoa(n+1) + ":para.1", source: "S" + strconv.Itoa(n+1), kind: "html", text: text, terms: r.terms(text), above: above, n: len(split(text)), at: i, of: len(d.Sents)}
			all.list = append(all.list, e)
		}
	}
	return all
}

func lines[T any](t testing.TB, path ...string) []T {
	t.Helper()
	name := testset.Path(t, append([]string{"data", "retrieval"}, path...)...)
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []T
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 1<<24)
	for scan.Scan() {
		var v T
		if err := json.Unmarshal(scan.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out = append(out, v)
	}
	if err := scan.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
