package forms

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"ibid/audit"
	"ibid/internal/lazyregexp"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

// page is the template of a report. Its policy lets the browser load nothing and run nothing; the one style sheet is named by
// its hash (Content Security Policy Level 3).
var page = template.Must(template.New("page").Parse(strings.NewReplacer("POLICY", Policy(), "STYLE", pageStyle).Replace(pageText)))

// Policy is the content security policy of a page, also for the header of whoever serves it.
func Policy() string {
	sum := sha256.Sum256([]byte(pageStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}

// A htmlPage is what the template prints.
type htmlPage struct {
	Title  string
	Static bool // for paper: quotes stand at the end, and citations are links to them
	Blocks []block
	Quotes []htmlQuote
}

type htmlQuote struct {
	quote
	Title, About, Columns, Language, Where string
	Links                                  []htmlLink
	Marks                                  []string
}

type htmlLink struct{ URL, Text string }

// HTML writes the report as one page that needs nothing else: no script, no request. A citation opens its quote in the words
// around it, with a link to the very place, by what browsers do themselves (popover).
func (r *Report) HTML() ([]byte, error) { return r.html(false) }

// Paper writes the report as a page to be printed: the quotes stand at its end.
func (r *Report) Paper() ([]byte, error) { return r.html(true) }

func (r *Report) html(static bool) ([]byte, error) {
	p := htmlPage{Title: r.title, Static: static, Blocks: r.blocks}
	if static {
		p.Blocks = onPaper(r.blocks)
	}
	for _, q := range r.quotes {
		p.Quotes = append(p.Quotes, shown(q))
	}
	var b bytes.Buffer
	if err := page.Execute(&b, p); err != nil {
		return nil, fmt.Errorf("forms: writing HTML: %w", err)
	}
	return b.Bytes(), nil
}

// onPaper makes links of citations.
func onPaper(blocks []block) []block {
	out := make([]block, len(blocks))
	for i, b := range blocks {
		b.Blocks = onPaper(b.Blocks)
		runs := make([]run, len(b.Runs))
		for k, x := range b.Runs {
			x.Static = true
			runs[k] = x
		}
		b.Runs = runs
		out[i] = b
	}
	return out
}

var languageTag = lazyregexp.New(`^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$`)

// shown says of a quote what a reader wants to know of it.
func shown(q quote) htmlQuote {
	h := htmlQuote{quote: q, Title: audit.Shown(q.Source.Title), Columns: audit.Shown(q.Span.Columns), Where: shownURL(q.Source.URL)}
	h.About = q.about()
	if languageTag.MatchString(q.Source.Language) {
		h.Language = q.Source.Language
	}
	h.Links, h.Marks = q.links(), q.marks()
	return h
}

// links lead to the places of a quote, each once.
func (q quote) links() []htmlLink {
	var list []htmlLink
	for _, f := range q.Found {
		if f.URL == "" || slices.ContainsFunc(list, func(l htmlLink) bool { return l.URL == f.URL }) {
			continue
		}
		l := htmlLink{f.URL, "Open this place in the source: “" + f.Words + "”"}
		if f.URL == q.Source.URL {
			l.Text = "Open the source"
		}
		list = append(list, l)
	}
	if len(list) == 1 && list[0].URL != q.Source.URL {
		list[0].Text = "Open this place in the source"
	}
	return list
}

// about says where a quote stands and what it stands in.
func (q quote) about() string {
	parts := []string{"At " + q.Citation.Locator.String()}
	if q.Printed != "" {
		parts[0] += " " + q.Printed
	}
	for _, under := range []string{q.Span.Heading, q.Span.Caption} {
		if under = audit.Shown(under); under != "" {
			parts = append(parts, "under “"+under+"”")
		}
	}
	kind := string(q.Source.Kind)
	if role := string(q.Span.Role); role == "quote" || role == "comment" {
		kind += ", a " + role + " in it"
	}
	return strings.Join(append(parts, kind, "read on "+q.Source.Fetched.UTC().Format("2006-01-02 at 15:04 UTC")), "; ") + "."
}
