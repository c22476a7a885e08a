package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"ibid/corpus"
	"ibid/evidence"
	"ibid/fetch"
	"ibid/gate"
	"ibid/recheck"
	"ibid/report"
	"ibid/research"
)

type recheckCmd struct {
	ID string `arg:"" name:"run" help:"The run's id, or 'last'."`
}

// Run asks every source again. It ends with 5 if a quote does not stand any more where the report says, with 3 if a
// source of a quote could not be asked.
func (c *recheckCmd) Run(e *env) error {
	return e.withRun(c.ID, func(d *desk, e *env, id string) error {
		result, err := d.engine.Result(e.ctx, id)
		if err != nil {
			return err
		}
		info, err := d.journal.Info(e.ctx, id)
		if err != nil {
			return err
		}
		config, err := research.ParseConfig(info.Config)
		if err != nil {
			return err
		}
		b, err := report.ParseJSON(result.JSON)
		if err != nil {
			return err
		}
		read, release, err := e.rereaders(config)
		if err != nil {
			return errors.Join(err, release())
		}
		list, err := recheck.Report(e.ctx, b, read)
		if err = errors.Join(err, release()); err != nil {
			return err
		}
		if e.cli.JSON {
			err = json.NewEncoder(e.out).Encode(struct {
				Run     string           `json:"run"`
				Sources []recheck.Source `json:"sources"`
			}{id, list})
		} else {
			err = printRecheck(e.out, list)
		}
		if err != nil {
			return err
		}
		return recheckExit(list)
	})
}

// rereaders opens what a run's sources are read with once more: nothing is taken from a cache, everything else is as in the
// run.
func (e *env) rereaders(c research.Config) (read func(evidence.Source) recheck.Reader, release func() error, err error) {
	x := e.newExtractor(c.OCR == "allow")
	release = x.Close
	var fetcher fetch.Fetcher
	var rendered recheck.Reader
	if len(c.Search) == 0 || slices.Contains(c.Search, localSearch) {
		shelf, closed, err := openShelf(c)
		release = func() error { return errors.Join(x.Close(), closed()) }
		if err != nil {
			return nil, release, err
		}
		fetcher = shelf
	}
	if len(c.Search) > 0 {
		web, client, _, err := e.web(nil, research.TypedURLs(c.Question))
		if err != nil {
			return nil, release, err
		}
		renderer, err := e.renderer(c, client)
		if err != nil {
			return nil, release, err
		}
		if renderer != nil {
			rendered = renderer
		}
		if fetcher == nil {
			fetcher = web
		} else {
			fetcher = fetch.Either{Shelf: fetcher, Web: web}
		}
	}
	if c.Workspace != "" {
		_, folder, closed, err := openWorkspace(c.Workspace)
		before := release
		release = func() error { return errors.Join(before(), closed()) }
		if err != nil {
			return nil, release, err
		}
		fetcher = either{folder, fetcher}
	}
	reader := &corpus.Reader{Fetcher: fetcher, Extract: x.Extract}
	return func(s evidence.Source) recheck.Reader {
		if rendered != nil && slices.Contains(s.Flags, fetch.FlagRendered) {
			return rendered
		}
		return reader
	}, release, nil
}

func printRecheck(w io.Writer, list []recheck.Source) error {
	counts := map[recheck.State]int{}
	var failed error
	print := func(format string, args ...any) {
		if _, err := fmt.Fprintf(w, format, args...); err != nil && failed == nil {
			failed = err
		}
	}
	for _, s := range list {
		counts[s.State]++
		print("%-5s %-12s %s", s.ID, s.State, gate.Printable(s.URL))
		if s.Reason != "" {
			print("  (%s)", gate.Printable(s.Reason))
		}
		if s.NowAt != "" {
			print("  now at %s", gate.Printable(s.NowAt))
		}
		if !s.Cited {
			print("  (not cited)")
		}
		print("\n")
		for _, q := range s.Quotes {
			switch q.State {
			case recheck.Moved:
				print("      %s stands at %s now, not %s\n", q.Finding, q.Now, q.Was)
			case recheck.Edited:
				print("      %s does not stand there any more (%s)\n", q.Finding, q.Was)
				if q.Nearest != "" {
					print("        nearest: %s\n", gate.Printable(q.Nearest))
				}
			}
		}
	}
	print("%s: %d unchanged, %d moved, %d edited, %d gone, %d could not be asked\n", count(len(list), "source"), counts[recheck.Unchanged], counts[recheck.Moved], counts[recheck.Edited], counts[recheck.Gone], counts[recheck.Unreachable])
	return failed
}

func recheckExit(list []recheck.Source) error {
	has := func(states ...recheck.State) bool {
		return slices.ContainsFunc(list, func(s recheck.Source) bool { return s.Cited && slices.Contains(states, s.State) })
	}
	switch {
	case has(recheck.Edited, recheck.Gone):
		return exit(exitIntegrity)
	case has(recheck.Unreachable):
		return exit(exitIncomplete)
	}
	return nil
}
