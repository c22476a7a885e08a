package eval

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"ibid/index"
)

// depth is how many documents of a run are written for a question.
const depth = 100

// A passage is a document of a retrieval set, whole or as its sentences.
type passage struct {
	ID, Title, Text string
	Sents           []string
}

type question struct{ ID, Text string }

// Retrieval answers every question of a set (dir/corpus.jsonl, dir/queries.jsonl) from the set's documents and writes
// a run in TREC form: QUERY Q0 DOC RANK SCORE ibid.
func Retrieval(dir string, w io.Writer) error {
	docs, err := lines[passage](filepath.Join(dir, "corpus.jsonl"))
	if err != nil {
		return err
	}
	questions, err := lines[question](filepath.Join(dir, "queries.jsonl"))
	if err != nil {
		return err
	}
	x := index.New(index.Config{})
	items := make([]index.Item, len(docs))
	for i, d := range docs {
		if d.Text == "" {
			d.Text = strings.Join(d.Sents, " ")
		}
		items[i] = index.Item{Key: d.ID, Title: d.Title, Body: d.Text}
	}
	x.Add(items...)
	out := bufio.NewWriter(w)
	for _, q := range questions {
		for i, h := range x.Search(q.Text, depth) {
			fmt.Fprintf(out, "%s Q0 %s %d %.9f ibid\n", q.ID, h.Key, i+1, h.Score)
		}
	}
	return out.Flush()
}
