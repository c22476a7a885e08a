package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"ibid/corpus"
	"ibid/fetch"
	"ibid/knowledge"
	"ibid/research"
	"ibid/runs"
)

type kbAddCmd struct {
	Name    string    `arg:"" help:"The knowledge base; it is made where it is not there."`
	Sources []rawPath `arg:"" optional:"" name:"source" help:"Files, URLs of the corpus, or - for a text on stdin."`
	Runs    []string  `name:"run" help:"Remember the findings and the report of this run ('last': the newest)." placeholder:"RUN"`
	URL     string    `name:"url" help:"Where the text on stdin is from." placeholder:"URL"`
	Title   string    `help:"What that is called." placeholder:"TITLE"`
	Model   string    `help:"The model that draws the facts, as provider/model; left out: rules." placeholder:"MODEL" env:"IBID_KB_MODEL" config:"-"`
	Queue   bool      `help:"Accept only: what is remembered is absorbed later."`
	Corpus  string    `help:"Offline corpus that the URLs are in; the bundled one if left out." placeholder:"DIR" type:"existingdir" unset:""`
	Live    bool      `help:"Read the URLs from the live web."`
	OCR     bool      `help:"Recognise the text of scanned pages with the tesseract program."`
}

// added is what was remembered.
type added struct {
	Dataset  string `json:"dataset"`
	Snippets int    `json:"snippets"`
	Known    int    `json:"known"`   // of them, that were there
	Facts    int64  `json:"facts"`   // that the dataset has now
	Waiting  int64  `json:"waiting"` // snippets that are not absorbed yet
	Tokens   int64  `json:"tokens"`
	MicroUSD int64  `json:"micro_usd"`

	seqs []int64
}

// Run remembers what is named, and absorbs it.
func (c *kbAddCmd) Run(e *env) error {
	if len(c.Sources)+len(c.Runs) == 0 {
		return &runs.Error{Code: runs.Invalid, Message: "there is nothing to remember", Hint: "Name files, - for a text on stdin, or a run with --run."}
	}
	return e.withBase(func(d *desk, b *knowledge.Base, user string) error {
		if c.Model != "" {
			m, err := e.factModel(c.Model)
			if err != nil {
				return err
			}
			c.Model = m.Name
		}
		a := &added{Dataset: c.Name}
		for _, source := range c.Sources {
			list, err := c.read(e, string(source))
			if err != nil {
				return err
			}
			if err := c.accept(e, b, user, a, list); err != nil {
				return err
			}
		}
		for _, name := range c.Runs {
			if err := c.addRun(e, d, b, user, a, name); err != nil {
				return err
			}
		}
		if !c.Queue {
			toll, err := b.Wait(e.ctx, user, c.Name, a.seqs)
			if err != nil {
				return kbError(c.Name, err)
			}
			a.Tokens, a.MicroUSD = toll.Spent.Tokens, toll.Spent.MicroUSD
		}
		return a.tell(e, b, user)
	})
}

func (a *added) tell(e *env, b *knowledge.Base, user string) error {
	info, err := b.Info(e.ctx, user, a.Dataset)
	if err != nil {
		return kbError(a.Dataset, err)
	}
	a.Facts, a.Waiting = info.Facts, info.Waiting
	if e.cli.JSON {
		return json.NewEncoder(e.out).Encode(a)
	}
	fmt.Fprintf(e.err, "%s: %s remembered, %d known before; %s, %d to be absorbed\n", a.Dataset, count(a.Snippets, "snippet"), a.Known, count(a.Facts, "fact"), a.Waiting)
	if a.Tokens > 0 {
		fmt.Fprintf(e.err, "drawing facts took %d tokens, $%.4f\n", a.Tokens, float64(a.MicroUSD)/1e6)
	}
	return nil
}

// read makes snippets of a document, or of the text on stdin.
func (c *kbAddCmd) read(e *env, source string) ([]knowledge.Snippet, error) {
	if source == "-" {
		text, err := io.ReadAll(io.LimitReader(e.in, 8*knowledge.MaxText))
		if err != nil {
			return nil, fmt.Errorf("reading the text from stdin: %w", err)
		}
		return []knowledge.Snippet{{Text: string(text), Label: knowledge.User, URL: c.URL, Title: c.Title}}, nil
	}
	x := e.newExtractor(c.OCR)
	defer x.Close()
	in, err := (&extractCmd{Corpus: c.Corpus, Live: c.Live}).input(e, source)
	if err != nil {
		return nil, err
	}
	reading, err := corpus.Extractor(x.Extract).Given(e.ctx, &fetch.Document{Requested: in.URL, URL: in.URL, Body: in.Body, ContentType: in.ContentType, Fetched: time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return nil, &runs.Error{Code: runs.Invalid, Message: "reading " + source, Err: err}
	}
	list, err := research.NewOriginal(reading, reading.Raw).Snippets()
	if err == nil && len(list) == 0 {
		return nil, &runs.Error{Code: runs.Invalid, Message: "there is nothing to remember in " + source, Hint: "The code of a program is left out."}
	}
	return list, err
}

// accept puts snippets into the queue. What holds a secret is not remembered (law 10).
func (c *kbAddCmd) accept(e *env, b *knowledge.Base, user string, a *added, list []knowledge.Snippet) error {
	hidden := secrets(os.Environ(), e.keyVariables())
	for _, s := range list {
		for name, value := range hidden {
			if strings.Contains(s.Text, value) || s.Kept != nil && strings.Contains(string(s.Kept.Raw), value) {
				return &runs.Error{Code: runs.Invalid, Message: "what is to be remembered holds the value of " + name, Hint: "Take it out first."}
			}
		}
		s.Model = c.Model
		r, err := b.Remember(e.ctx, user, c.Name, s, false)
		if err != nil {
			return kbError(c.Name, err)
		}
		a.Snippets++
		if r.Known {
			a.Known++
		}
		a.seqs = append(a.seqs, r.Snippet)
	}
	return nil
}

// addRun remembers what a finished run has found, with its sources as they were read, and its report.
func (c *kbAddCmd) addRun(e *env, d *desk, b *knowledge.Base, user string, a *added, name string) error {
	id, err := newest(e, d.engine.Everyone(), name)
	if err != nil {
		return err
	}
	result, err := d.engine.Result(e.ctx, id)
	if err != nil {
		return err
	}
	if !result.Verified {
		return &runs.Error{Code: runs.Integrity, Message: "the report of run " + id + " does not pass its check", Hint: "Nothing of it was remembered."}
	}
	info, err := d.journal.Info(e.ctx, id)
	if err != nil {
		return err
	}
	var list []knowledge.Snippet
	left := len(result.Findings)
	for _, f := range knowledge.Worth(result.Findings) {
		s := knowledge.OfFinding(id, f)
		if s.Kept, err = research.Original(e.ctx, result.Read, f.Source, d.journal); err != nil {
			continue
		}
		list = append(list, s)
	}
	if left -= len(list); left > 0 {
		fmt.Fprintf(e.err, "%d of the run's findings are left out: they were rejected, their source gives orders to programs, or is not kept\n", left)
	}
	if err := c.accept(e, b, user, a, list); err != nil {
		return err
	}
	return b.RememberReport(e.ctx, user, c.Name, knowledge.Report{Run: id, Question: info.Question, Markdown: string(result.Markdown)})
}
