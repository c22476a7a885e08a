package eval

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"ibid/research/extractive"
)

// Evidence ranks, for every question of a set, the sentences of the documents that hold its evidence
// (dir/evidence.jsonl names them), as the extractive researcher does, and writes an evidence run:
// QUERY DOC SENT RANK SCORE ibid, with sentences counted from 0.
func Evidence(dir string, w io.Writer) error {
	docs, err := lines[passage](filepath.Join(dir, "corpus.jsonl"))
	if err != nil {
		return err
	}
	questions, err := lines[question](filepath.Join(dir, "queries.jsonl"))
	if err != nil {
		return err
	}
	pairs, err := lines[struct{ Query, Doc string }](filepath.Join(dir, "evidence.jsonl"))
	if err != nil {
		return err
	}
	byID := map[string]passage{}
	for _, d := range docs {
		byID[d.ID] = d
	}
	wanted := map[string][]string{}
	for _, p := range pairs {
		if !slices.Contains(wanted[p.Query], p.Doc) {
			wanted[p.Query] = append(wanted[p.Query], p.Doc)
		}
	}
	out := bufio.NewWriter(w)
	for _, q := range questions {
		var texts []extractive.Text
		for _, id := range wanted[q.ID] {
			d := byID[id]
			texts = append(texts, extractive.Text{Title: d.Title, Sentences: d.Sents})
		}
		for i, s := range extractive.Rank(q.Text, texts) {
			fmt.Fprintf(out, "%s %s %d %d %.9f ibid\n", q.ID, wanted[q.ID][s.Text], s.Sentence, i+1, s.Score)
		}
	}
	return out.Flush()
}
