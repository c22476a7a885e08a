// Package forms prints a report that passed its check in the forms that people and programs want: HTML, DOCX, CSL-JSON,
// BibTeX, RIS, Web Annotations (REPORT-4). All of them are made from one model, which is made of a checked bundle: a form
// never says what the check did not see, and whatever a source says stays text in it.
package forms

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ibid/audit"
	"ibid/evidence"
	"ibid/report"
)

// A Report is a report that passed its check, taken apart for printing.
type Report struct {
	bundle   report.Bundle
	title    string
	blocks   []block
	quotes   []quote                     // the cited spans, in the order of their first citation
	numbers  map[evidence.Citation]int   // of quotes, from 1
	sources  map[string]*evidence.Source // by id
	docs     map[string]*evidence.Doc    // likewise, made when needed
	extracts map[string]extracted        // likewise
	pages    map[string]string           // likewise: all that a source says
	links    map[string]string           // what may be linked, as written, to the address it means
}

// A FailedError says that a report did not pass its check, so that no form of it is made.
type FailedError struct{ Result audit.Result }

func (e *FailedError) Error() string {
	return fmt.Sprintf("the report did not pass its check: %d of %d failures block", e.Result.Blocks(), len(e.Result.Failures))
}

// New checks a bundle and takes its report apart. One that does not pass is a *FailedError.
func New(b report.Bundle) (*Report, error) {
	check := b.Verify()
	if !check.OK {
		return nil, &FailedError{check}
	}
	r := take(b)
	r.remark(check)
	return r, nil
}

// remark adds what the check of the report remarks on it.
func (r *Report) remark(check audit.Result) {
	r.blocks = append(r.blocks, remarks(check)...)
	r.levels()
}

// take takes apart a report, which is not too complex to be read.
func take(b report.Bundle) *Report {
	r := &Report{bundle: b, numbers: map[evidence.Citation]int{}, sources: map[string]*evidence.Source{}, docs: map[string]*evidence.Doc{},
		extracts: map[string]extracted{}, pages: map[string]string{}, links: map[string]string{}}
	for i := range b.Sources {
		s := &b.Sources[i]
		r.sources[s.ID] = s
		if webURL(s.URL) {
			r.links[s.URL] = s.URL
			r.links[audit.ShownURL(s.URL)] = s.URL
		}
	}
	root, cites := audit.Parse([]byte(b.Report))
	slices.SortStableFunc(cites, func(a, b audit.Cited) int { return cmp.Compare(a.Start, b.Start) })
	t := &taker{report: r, src: []byte(b.Report), cites: cites, listed: map[string]bool{}}
	r.blocks = t.children(root)
	r.title = strings.TrimSpace(b.Question)
	if len(r.blocks) > 0 && r.blocks[0].Kind == heading && r.blocks[0].Level == 1 {
		r.title = plain(r.blocks[0].Runs)
	}
	r.levels()
	return r
}

// cite is the number of a cited span, which has one from its first citation on.
func (r *Report) cite(c evidence.Citation) int {
	if n := r.numbers[c]; n > 0 {
		return n
	}
	r.quotes = append(r.quotes, r.quote(c))
	r.numbers[c] = len(r.quotes)
	return len(r.quotes)
}

// levels makes headings an outline: one title, and no level left out on the way down.
func (r *Report) levels() {
	last := 0
	for i := range r.blocks {
		b := &r.blocks[i]
		if b.Kind != heading {
			continue
		}
		if i > 0 {
			b.Level = max(b.Level, 2)
		}
		b.Level = min(b.Level, last+1)
		last = b.Level
	}
}

// cited are the sources that the report cites, in the order of their ids.
func (r *Report) cited() []*evidence.Source {
	used := map[string]bool{}
	for _, q := range r.quotes {
		used[q.Citation.Source] = true
	}
	var list []*evidence.Source
	for i := range r.bundle.Sources {
		if s := &r.bundle.Sources[i]; used[s.ID] {
			list = append(list, s)
		}
	}
	return list
}

// doc is a source's text, ready for looking up quotes.
func (r *Report) doc(source string) *evidence.Doc {
	d := r.docs[source]
	if d == nil {
		var kind evidence.Kind
		if s := r.sources[source]; s != nil {
			kind = s.Kind
		}
		d = evidence.NewDoc(kind, r.bundle.Spans[source])
		r.docs[source] = d
	}
	return d
}
