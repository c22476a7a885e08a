package forms

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"ibid/audit"
	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

// An entry is one source of a bibliography, in CSL-JSON (citationstyles.org, csl-data.json). BibTeX and RIS are made of it.
type entry struct {
	ID        string   `json:"id"` // as the report cites it: S1
	Type      string   `json:"type"`
	Title     string   `json:"title,omitempty"`
	Author    []name   `json:"author,omitempty"`
	Publisher string   `json:"publisher,omitempty"`
	Issued    *cslDate `json:"issued,omitempty"`
	Accessed  *cslDate `json:"accessed,omitempty"`
	URL       string   `json:"URL,omitempty"`
	DOI       string   `json:"DOI,omitempty"`
	Language  string   `json:"language,omitempty"`
	Note      string   `json:"note,omitempty"`
}

// A name is as the source states it: which part of it is the family's is not guessed.
type name struct {
	Literal string `json:"literal"`
}

type cslDate struct {
	Parts   [][]int `json:"date-parts,omitempty"`
	Literal string  `json:"literal,omitempty"` // of a date that could not be read
}

// cslTypes are the types of CSL 1.0.2 for kinds of sources.
var cslTypes = map[evidence.Kind]string{evidence.HTML: "webpage", evidence.PDF: "document", evidence.Transcript: "motion_picture", evidence.Repo: "software", evidence.Text: "document",
	evidence.Markdown: "document", evidence.Sheet: "dataset", evidence.Document: "document", evidence.Slides: "speech", evidence.Book: "book", evidence.Notebook: "software", evidence.Data: "dataset",
	evidence.Feed: "webpage", evidence.Mail: "personal_communication"}

// bibliography lists the sources that the report cites.
func (r *Report) bibliography() []entry {
	list := []entry{}
	for _, s := range r.cited() {
		e := entry{ID: s.ID, Type: cslTypes[s.Kind], Title: audit.Shown(s.Title), Publisher: audit.Shown(s.Publisher), Issued: stated(s.Published),
			Accessed: day(s.Fetched), DOI: audit.Shown(s.DOI), Language: audit.Shown(s.Language), Note: "sha256 " + s.SHA256}
		if e.Type == "" {
			e.Type = "document"
		}
		if e.DOI != "" && s.Kind != evidence.Book && e.Type == "document" {
			e.Type = "article"
		}
		if webURL(s.URL) {
			e.URL = audit.ShownURL(s.URL)
		} else if s.URL != "" {
			e.Note += "; read at " + audit.ShownURL(s.URL)
		}
		for n := range strings.SplitSeq(s.Author, ";") {
			if n = audit.Shown(n); n != "" {
				e.Author = append(e.Author, name{n})
			}
		}
		list = append(list, e)
	}
	return list
}

var isoDate = lazyregexp.New(`^([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?(?:$|T)`)

// stated is a date as a source states it.
func stated(s string) *cslDate {
	s = audit.Shown(s)
	m := isoDate.FindStringSubmatch(s)
	switch {
	case s == "":
		return nil
	case m == nil:
		return &cslDate{Literal: s}
	}
	var parts []int
	for _, p := range m[1:] {
		if n, err := strconv.Atoi(p); err == nil {
			parts = append(parts, n)
		}
	}
	return &cslDate{Parts: [][]int{parts}}
}

func day(t time.Time) *cslDate {
	t = t.UTC()
	return &cslDate{Parts: [][]int{{t.Year(), int(t.Month()), t.Day()}}}
}

// iso prints as much of a date as is known.
func (d *cslDate) iso() string {
	if d == nil {
		return ""
	}
	if len(d.Parts) == 0 {
		return d.Literal
	}
	out := fmt.Sprintf("%04d", d.Parts[0][0])
	for _, n := range d.Parts[0][1:] {
		out += fmt.Sprintf("-%02d", n)
	}
	return out
}

// CSL writes the sources that the report cites as CSL-JSON, which reference managers and citation processors read.
func (r *Report) CSL() ([]byte, error) { return indented(r.bibliography()) }

func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("forms: %w", err)
	}
	return b.Bytes(), nil
}
