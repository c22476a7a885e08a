package runs

import (
	"context"
	"errors"
	"slices"

	"ibid/report"
	"ibid/report/forms"
)

// A Form is one that a report is printed in (REPORT-4).
type Form struct {
	Name   string
	Ending string // of a file's name
	Type   string // of its content, as HTTP says it
	Binary bool
	print  func(ctx context.Context, e *Engine, b report.Bundle, r *forms.Report) ([]byte, error)
}

// Forms are all of them; the first is Markdown.
var Forms = []Form{
	{"markdown", ".md", "text/markdown; charset=utf-8", false, func(_ context.Context, _ *Engine, b report.Bundle, _ *forms.Report) ([]byte, error) {
		return []byte(b.Report), nil
	}},
	{"json", ".json", "application/json", false, func(_ context.Context, _ *Engine, b report.Bundle, _ *forms.Report) ([]byte, error) { return b.JSON() }},
	{"html", ".html", "text/html; charset=utf-8", false, func(_ context.Context, _ *Engine, _ report.Bundle, r *forms.Report) ([]byte, error) { return r.HTML() }},
	{"pdf", ".pdf", "application/pdf", true, func(ctx context.Context, e *Engine, _ report.Bundle, r *forms.Report) ([]byte, error) {
		return e.pdf(ctx, r)
	}},
	{"docx", ".docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", true, func(_ context.Context, _ *Engine, _ report.Bundle, r *forms.Report) ([]byte, error) { return r.DOCX() }},
	{"csl", ".csljson", "application/vnd.citationstyles.csl+json", false, func(_ context.Context, _ *Engine, _ report.Bundle, r *forms.Report) ([]byte, error) { return r.CSL() }},
	{"bibtex", ".bib", "application/x-bibtex; charset=utf-8", false, func(_ context.Context, _ *Engine, _ report.Bundle, r *forms.Report) ([]byte, error) {
		return r.BibTeX(), nil
	}},
	{"ris", ".ris", "application/x-research-info-systems; charset=utf-8", false, func(_ context.Context, _ *Engine, _ report.Bundle, r *forms.Report) ([]byte, error) {
		return r.RIS(), nil
	}},
	{"annotations", ".jsonld", `application/ld+json; profile="http://www.w3.org/ns/anno.jsonld"`, false, func(_ context.Context, _ *Engine, _ report.Bundle, r *forms.Report) ([]byte, error) {
		return r.Annotations()
	}},
}

// FormOf finds a form by its name.
func FormOf(name string) (Form, bool) {
	i := slices.IndexFunc(Forms, func(f Form) bool { return f.Name == name })
	if i < 0 {
		return Form{}, false
	}
	return Forms[i], true
}

// Print checks a report once more and prints it. One that does not pass is a *forms.FailedError.
func (e *Engine) Print(ctx context.Context, b report.Bundle, f Form) ([]byte, error) {
	r, err := forms.New(b)
	if err != nil {
		return nil, err
	}
	return f.print(ctx, e, b, r)
}

// pdf has the page printed by a browser.
func (e *Engine) pdf(ctx context.Context, r *forms.Report) ([]byte, error) {
	if e.Browser == nil {
		return nil, errors.New("a PDF is printed by a browser, and this program was built without one")
	}
	page, err := r.Paper()
	if err != nil {
		return nil, err
	}
	return e.Browser(ctx, page)
}
