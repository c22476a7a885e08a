package eval

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"ibid/index"
	"ibid/research/extractive"
)

// Evidence ranks sentences for every question of a set as the extractive researcher does, and writes an evidence run:
// QUERY DOC SENT RANK SCORE ibid, with sentences counted from 0. The sentences are those of the documents that hold the
// question's evidence (dir/evidence.jsonl names them), or, if retrieve is not 0, of so many documents that a search for
// the question finds.
func Evidence(dir string, retrieve int, w io.Writer) error {
	docs, err := lines[passage](filepath.Join(dir, "corpus.jsonl"))
	if err != nil {
		return err
	}
	questions, err := lines[question](filepath.Join(dir, "queries.jsonl"))
	if err != nil {
		return err
	}
	byID := map[string]passage{}
	for _, d := range docs {
		byID[d.ID] = d
	}
	read, err := goldDocuments(dir, byID)
	if err != nil {
		return err
	}
	if retrieve > 0 {
		read = searched(docs, byID, read, retrieve)
	}
	out := bufio.NewWriter(w)
	for _, q := range questions {
		texts := read(q)
		for i, s := range extractive.Rank(q.Text, texts) {
			fmt.Fprintf(out, "%s %s %d %d %.9f ibid\n", q.ID, texts[s.Text].ID, s.Sentence, i+1, s.Score)
		}
	}
	return out.Flush()
}

// goldDocuments returns what finds the documents that hold a question's evidence.
func goldDocuments(dir string, byID map[string]passage) (func(question) []extractive.Text, error) {
	pairs, err := lines[struct{ Query, Doc string }](filepath.Join(dir, "evidence.jsonl"))
	if err != nil {
		return nil, err
	}
	wanted := map[string][]string{}
	for _, p := range pairs {
		if !slices.Contains(wanted[p.Query], p.Doc) {
			wanted[p.Query] = append(wanted[p.Query], p.Doc)
		}
	}
	return func(q question) (texts []extractive.Text) {
		for _, id := range wanted[q.ID] {
			d := byID[id]
			texts = append(texts, extractive.Text{ID: id, Title: d.Title, Sentences: d.Sents})
		}
		return texts
	}, nil
}

// searched returns what finds n documents by searching, for the questions that have evidence.
func searched(docs []passage, byID map[string]passage, gold func(question) []extractive.Text, n int) func(question) []extractive.Text {
	x := index.New(index.Config{})
	for _, d := range docs {
		x.Add(index.Item{Key: d.ID, Title: d.Title, Body: strings.Join(d.Sents, " ")})
	}
	return func(q question) (texts []extractive.Text) {
		if len(gold(q)) == 0 {
			return nil
		}
		hits := x.Search(q.Text, n)
		for _, h := range hits {
			d := byID[h.Key]
			texts = append(texts, extractive.Text{ID: h.Key, Title: d.Title, Sentences: d.Sents, Score: h.Score / max(hits[0].Score, 1e-9)})
		}
		return texts
	}
}
