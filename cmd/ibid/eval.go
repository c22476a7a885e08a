package main

import (
	"errors"
	"fmt"
	"io/fs"

	"ibid/eval"
	"ibid/index"
	"ibid/runs"
)

type evalCmd struct {
	Extract   evalExtractCmd   `cmd:"" help:"Read the documents of extraction sets; their scorer reads the result."`
	Retrieval evalRetrievalCmd `cmd:"" help:"Answer the questions of a retrieval set with documents: a TREC run on stdout."`
	Cost      evalCostCmd      `cmd:"" help:"Price scripted runs of 40 and 120 steps through the loop; exit status 1 when a goal is missed."`
	Evidence  evalEvidenceCmd  `cmd:"" help:"Answer the questions of a retrieval set with sentences: an evidence run on stdout."`
}

type evalExtractCmd struct {
	Dir string `arg:"" help:"A folder of sets, each a folder with a gold.jsonl.gz and the documents that it names." type:"existingdir"`
	Out string `required:"" help:"Where the texts go: OUT/SET/ID.txt." placeholder:"DIR" type:"path"`
	OCR bool   `help:"Recognise the text of scanned pages with the tesseract program."`
}

func (c *evalExtractCmd) Run(e *env) error {
	x := e.newExtractor(c.OCR)
	defer x.Close()
	err := eval.Extract(e.ctx, x, c.Dir, c.Out, func(set string, n int) { fmt.Fprintf(e.err, "%s: %s\n", set, count(n, "document")) })
	return badSet(err)
}

type evalRetrievalCmd struct {
	Dir        string `arg:"" help:"A folder with corpus.jsonl and queries.jsonl." type:"existingdir"`
	Embeddings bool   `help:"Search by meaning too, with the model of [embeddings] in the configuration."`
}

func (c *evalRetrievalCmd) Run(e *env) error {
	say := func(what string) { fmt.Fprintln(e.err, "embeddings", what) }
	if !c.Embeddings {
		return badSet(eval.Retrieval(e.ctx, c.Dir, nil, say, e.out))
	}
	return e.withDesk(func(*desk) error {
		m, err := e.embeddings()
		if err == nil && m == nil {
			err = &runs.Error{Code: runs.Unready, Message: "no model of embeddings is set", Hint: "Set model and url under [embeddings]; docs/configuration.md shows the form."}
		}
		if err != nil {
			return err
		}
		return badSet(eval.Retrieval(e.ctx, c.Dir, index.NewMeaning(m.MeaningConfig), say, e.out))
	})
}

type evalEvidenceCmd struct {
	Dir      string `arg:"" help:"A folder with corpus.jsonl, queries.jsonl and evidence.jsonl." type:"existingdir"`
	Retrieve int    `help:"Search for the documents and take this many of them, instead of those that hold the evidence." placeholder:"N"`
}

func (c *evalEvidenceCmd) Run(e *env) error { return badSet(eval.Evidence(c.Dir, c.Retrieve, e.out)) }

type evalCostCmd struct{}

// Run prints the table. It makes no call to anybody.
func (*evalCostCmd) Run(e *env) error {
	known, err := e.origin.catalog()
	if err != nil {
		return err
	}
	missed, err := eval.Cost(e.ctx, known, e.out)
	if err != nil {
		return err
	}
	for _, why := range missed {
		fmt.Fprintln(e.err, why)
	}
	if len(missed) > 0 {
		return exit(exitFailed)
	}
	return nil
}

// badSet tells a set that is not there from a failure.
func badSet(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &runs.Error{Code: runs.NotFound, Message: "reading the set", Err: err}
	}
	return err
}
