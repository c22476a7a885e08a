package eval

import (
	"bufio"
	"context"
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
// a run in TREC form: QUERY Q0 DOC RANK SCORE ibid. meaning may be nil; it is used if its model passes its trial, of which
// say is told.
func Retrieval(ctx context.Context, dir string, meaning *index.Meaning, say func(string), w io.Writer) error {
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
	if meaning, err = understood(ctx, meaning, items, say); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	for _, q := range questions {
		var near []index.Hit
		if meaning != nil {
			if near, _, err = meaning.Search(ctx, q.Text, depth); err != nil {
				return fmt.Errorf("question %s: %w", q.ID, err)
			}
		}
		for i, h := range x.SearchWith(q.Text, near, depth) {
			fmt.Fprintf(out, "%s Q0 %s %d %.9f ibid\n", q.ID, h.Key, i+1, h.Score)
		}
	}
	return out.Flush()
}

// understood embeds a set's documents and tries the model; nil if it is too weak, or there is none.
func understood(ctx context.Context, meaning *index.Meaning, items []index.Item, say func(string)) (*index.Meaning, error) {
	if meaning == nil {
		return nil, nil
	}
	if _, err := meaning.Add(ctx, items...); err != nil {
		return nil, fmt.Errorf("embedding the set: %w", err)
	}
	trial, _, err := meaning.Try(ctx)
	if err != nil {
		return nil, fmt.Errorf("trying the model of embeddings: %w", err)
	}
	if !trial.Passed() {
		say("not fused: " + trial.String())
		return nil, nil
	}
	say("fused: " + trial.String())
	return meaning, nil
}
