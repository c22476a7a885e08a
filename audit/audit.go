// Package audit decides whether a finished report is true to its sources. It reads the report as a reader would, by its
// Markdown syntax tree, and holds every statement in it against the record of the run: each claim needs a citation, each
// citation a recorded finding, each finding its quote in the very span, each line about the run the run's own figures
// (REPORT-2). It is plain code: the same report and record give the same result, in milliseconds, without a network.
//
// What it does not decide is whether a claim follows from its quote beyond figures and common words; that is the
// business of a claim check or a judge.
package audit

import (
	"fmt"
	"time"

	"ibid/audit/sources"
	"ibid/evidence"
)

// A Record is what a run holds when its report is checked.
type Record struct {
	Question string
	Sources  []evidence.Source
	Spans    map[string][]evidence.Span // by source id, in document order
	Findings []evidence.Finding
	Rulings  []evidence.Ruling // of a judge, on what the report says; those on findings stand with them
	Given    []string          // addresses that the user gave with the question
	// Unweighed is of a run that began before claims were held against their quotes: it goes on without.
	Unweighed bool
	// Unworded is of a run that began before the words were looked for that claims add to their quotes: it goes on without.
	Unworded bool
	// Standing is what the sources are worth; nil: found out when it is asked for.
	Standing *sources.Standing
	Cards    Cards
	Facts    *Facts // nil: nothing is known about the run itself, so what is said about it can only be flagged
}

// Cards says what a check makes of the standing of sources.
type Cards uint8

const (
	CardsChecked  Cards = iota // what a report says of it must be so
	CardsRequired              // and its list of sources must say it
	CardsIgnored               // of a run that began before sources were weighed
)

// Facts are what a report may say about the run that made it.
type Facts struct {
	Run         string    `json:"run"`                // its id
	Finished    time.Time `json:"finished"`           // UTC, when its last effect was recorded
	Searches    int       `json:"searches"`           // asked for and answered, from whatever provider
	Impaired    int       `json:"impaired,omitempty"` // searches that did not work, or only in part
	Reads       int       `json:"reads"`              // pages asked for, failed ones included
	Unavailable int       `json:"unavailable"`
	// Unsearched are documents that the user had searched and that could not be, or not in full.
	Unsearched []Unsearched `json:"unsearched,omitempty"`
	Steps      int          `json:"steps"`
	Tokens     int          `json:"tokens"`
	Seconds    float64      `json:"seconds"`
	Dollars    float64      `json:"dollars"`
	Unpriced   bool         `json:"unpriced,omitempty"` // Dollars lacks what has no known price
	Stop       string       `json:"stop"`               // LOOP-7: done, budget:searches, cancelled …
	Queries    []string     `json:"queries"`            // as journaled, in order
	Root       string       `json:"root,omitempty"`     // over its sources and findings, in hex; runs of before have none
	Judge      *Bench       `json:"judge,omitempty"`    // nil: the run had no judge
}

// An Unsearched document is one of the user's that searches could not look into, or not in full.
type Unsearched struct {
	URL    string `json:"url"`
	Reason string `json:"reason"` // a clause about the document
}

// Fragment checks a part of a report by itself: its statements and citations, and neither a list of sources nor the
// findings that it does not use.
func Fragment(markdown []byte, rec Record) Result {
	c, _ := inspect(markdown, rec)
	return c.result()
}

// maxReport is how much Markdown is looked at. A report of this size is no report.
const maxReport = 4 << 20

// Result is the outcome of a check.
type Result struct {
	OK        bool      `json:"ok"`                 // no failure blocks
	Claims    int       `json:"claims"`             // statements that needed a source
	Citations int       `json:"citations"`          // places where a span is cited, members of one bracket counted each
	Computed  int       `json:"computed,omitempty"` // figures that the report computes, and that were computed again
	Failures  []Failure `json:"failures"`           // in the order of the text, those about the whole report last
}

// Blocks counts the failures that block.
func (r Result) Blocks() int { return r.Count(Block) }

// Count counts the failures of a severity.
func (r Result) Count(s Severity) int {
	n := 0
	for _, f := range r.Failures {
		if f.Severity == s {
			n++
		}
	}
	return n
}

// Report checks a report against its record.
func Report(markdown []byte, rec Record) Result {
	c, doc := inspect(markdown, rec)
	if doc != nil {
		c.checkSources(doc)
		c.checkRecord()
		c.checkAccepted()
		c.checkConflicts(doc)
	}
	return c.result()
}

// inspect checks what a report says, block by block. The document is nil if the report is too large to look at.
func inspect(markdown []byte, rec Record) (*checker, *document) {
	c := newChecker(markdown, rec)
	if len(markdown) > maxReport {
		c.fail(Failure{Code: TooLarge, Message: fmt.Sprintf("The report has %d bytes and at most %d are checked. Shorten it.", len(markdown), maxReport)})
		return c, nil
	}
	if TooComplex(markdown) {
		c.fail(Failure{Code: TooLarge, Message: "The report nests quotes or lists, or piles up emphasis or links, as no report does. Simplify it."})
		return c, nil
	}
	c.checkCharacters()
	doc := parse(markdown)
	c.resolve(doc)
	c.checkReferences(doc)
	for _, b := range doc.blocks {
		c.check(b)
	}
	c.settle()
	c.checkFallen()
	return c, doc
}
