// Package foreign checks a report that ibid did not write (REPORT-7): it reads the report's citations in the styles that
// people and programs use, reads the sources that they lead to, and holds each claim against what these say, by the rules of
// package claim. What it says is what was found and not more: that a source has the words of a claim and no rule objects, that
// a rule found the opposite, that nothing was found, or that a source could not be read.
//
// A report and its sources are text from outside: nothing of them is followed but the addresses that the report cites.
package foreign

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"ibid/audit"
	"ibid/corpus"
	"ibid/evidence"
	"ibid/extract"
)

// Limits of a report.
const (
	maxReport  = 2 << 20 // bytes
	maxClaims  = 5000    // statements that are held against sources; the rest is counted
	maxEntries = 2000
	maxBlock   = 64 << 10 // bytes of one paragraph, item or row
)

// A Report is a text that cites sources.
type Report struct {
	Name string // what it is called: the name of its file
	Text []byte
	HTML bool          // it is HTML and not Markdown
	Page *extract.Page // it is another document, as it was read; nil: it is Markdown or HTML
}

// Options say how sources are read.
type Options struct {
	// Read reads a document by its address. What cannot be had is a *fetch.Unavailable; any other error is a fault of the
	// program. Nil: no source is read, and only what the report itself shows is told.
	Read func(ctx context.Context, address string) (*corpus.Reading, error)
	// Find returns the address of a document that an entry means which has none, or whose own cannot be read: by its file's
	// name or its title. Nil: there are no such documents.
	Find func(ctx context.Context, text string) (address string, ok bool)

	MaxSources  int           // that are read; 0 means DefaultSources
	MaxBytes    int64         // of all sources together; 0 means DefaultBytes
	Time        time.Duration // for reading all of them; 0 means DefaultTime
	Comparisons int           // sentences that are held against the claims of the report; 0 means DefaultComparisons
	Progress    func(done, all int, r Reference)
}

// Default limits of what is read.
const (
	DefaultSources     = 200
	DefaultBytes       = 256 << 20
	DefaultComparisons = 300_000 // some tens of seconds of work
	DefaultTime        = 10 * time.Minute
)

// A Verdict is what was found out about a claim.
type Verdict string

const (
	Supported    Verdict = "supported"    // a cited source has its words and figures, and no rule objects
	Partly       Verdict = "partly"       // the nearest sentence has most of it; what is missing or doubtful is said
	Contradicted Verdict = "contradicted" // the nearest sentence is about the same and has another figure, date, or the opposite
	Misquoted    Verdict = "misquoted"    // words in quotation marks do not stand in the cited source
	NotFound     Verdict = "not_found"    // the cited sources were read, and none has a sentence that says so
	Unreachable  Verdict = "unreachable"  // no cited source could be read
	Unread       Verdict = "unread"       // cited in a way that is not read, or sources were not asked
	Dangling     Verdict = "dangling"     // cited by a mark for which there is no entry
	Uncited      Verdict = "uncited"      // states something and cites nothing
)

// A Result is the outcome of a check.
type Result struct {
	Version    int         `json:"version"`
	Report     string      `json:"report"`
	OK         bool        `json:"ok"`       // every cited claim is supported, and no mark dangles
	Complete   bool        `json:"complete"` // every source was asked
	Stopped    string      `json:"stopped,omitempty"`
	Counts     Counts      `json:"counts"`
	Claims     []Claim     `json:"claims"`
	References []Reference `json:"references"`
	Problems   []Problem   `json:"problems"`
}

// Counts are the numbers of claims by verdict.
type Counts struct {
	Claims       int `json:"claims"`
	Supported    int `json:"supported"`
	Partly       int `json:"partly"`
	Contradicted int `json:"contradicted"`
	Misquoted    int `json:"misquoted"`
	NotFound     int `json:"not_found"`
	Unreachable  int `json:"unreachable"`
	Unread       int `json:"unread"`
	Dangling     int `json:"dangling"`
	Uncited      int `json:"uncited"`
	References   int `json:"references"`
	Read         int `json:"read"` // sources
}

// A Claim is a statement of the report, or the part of a sentence that one citation stands for.
type Claim struct {
	ID      string   `json:"id"`   // C1, C2 …
	Line    int      `json:"line"` // of the report
	Text    string   `json:"text"` // without its citations
	Marks   []string `json:"marks"`
	Cites   []string `json:"cites"` // ids of references
	Verdict Verdict  `json:"verdict"`
	Quotes  []Quote  `json:"quotes"`              // what the verdict rests on; of one that is not found, what is nearest
	Words   float64  `json:"words"`               // share of the claim's content words that the quotes have, 0…1
	Reasons []Reason `json:"reasons"`             // what speaks against it
	Also    []Quote  `json:"elsewhere,omitempty"` // another source of the list that says it, where the cited ones do not

	marks []mark
	heads []string
	said  []string // words in quotation marks
}

// A Quote is what a source says, in its own words.
type Quote struct {
	Reference string           `json:"reference"`
	URL       string           `json:"url"`
	Locator   evidence.Locator `json:"locator"`
	Text      string           `json:"text"`
}

// A Reason is one thing that is wrong, or may be, with a claim.
type Reason struct {
	Code    string `json:"code"`
	Claim   string `json:"claim,omitempty"`  // the words of the claim
	Source  string `json:"source,omitempty"` // the words of the source that they were compared with
	Message string `json:"message"`
}

// An EntryKind says where a reference stands.
type EntryKind string

const (
	Listed     EntryKind = "entry"      // in a list of references
	Footnote   EntryKind = "footnote"   //
	Definition EntryKind = "definition" // an address with a name, as in [1]: https://…
	Linked     EntryKind = "link"       // in the text itself
)

// A State is what became of a reference's source.
type State string

const (
	Read      State = "read"
	Failed    State = "unreachable" // Outcome and Reason say why
	NoAddress State = "no_address"  // the entry says nothing that could be followed
	NotAsked  State = "not_asked"   // nobody cites it, a limit was reached, or the check was stopped
)

// A Reference is a source as the report names it.
type Reference struct {
	ID      string    `json:"id"`    // R1, R2 …
	Label   string    `json:"label"` // 3, ^a; "" where it has none
	Kind    EntryKind `json:"kind"`
	Line    int       `json:"line"`
	Text    string    `json:"text"`
	Address string    `json:"address"` // as the report gives it
	Cited   int       `json:"cited"`   // times
	State   State     `json:"state"`
	Outcome string    `json:"outcome,omitempty"` // of one that cannot be read: not_found, blocked, rate_limited …
	Reason  string    `json:"reason,omitempty"`
	URL     string    `json:"url,omitempty"`   // where it was read
	Title   string    `json:"title,omitempty"` // as its source states it
	SHA256  string    `json:"sha256,omitempty"`
	Fetched string    `json:"fetched,omitempty"` // RFC 3339, UTC
	Flags   []string  `json:"flags,omitempty"`
	SameAs  string    `json:"same_as,omitempty"` // the reference of the same source that stands first

	addresses []string
	list      int
	ids       []string
	cites     []mark // of a footnote that cites an entry
	source    string // id in the corpus
}

// A Problem is something that is wrong with how the report cites.
type Problem struct {
	Code      ProblemCode `json:"code"`
	Line      int         `json:"line"`
	Text      string      `json:"text"` // the mark or the entry
	Reference string      `json:"reference,omitempty"`
	Message   string      `json:"message"`
}

// A ProblemCode names what is wrong with how a report cites.
type ProblemCode string

const (
	DanglingMark   ProblemCode = "dangling"        // a mark without an entry
	Unused         ProblemCode = "unused"          // an entry that nothing cites
	Doubled        ProblemCode = "doubled"         // two entries of one source
	Ambiguous      ProblemCode = "ambiguous_label" // one label, two sources
	WithoutAddress ProblemCode = "no_address"      // an entry that is cited and cannot be followed
	UnreadStyle    ProblemCode = "unread_style"    // a citation in a style that is not read
	Mismatched     ProblemCode = "mismatched_link" // a mark that leads elsewhere than its entry
	Withdrawn      ProblemCode = "retracted"       // a source that is cited was taken back, or something newer stands in its place
	TooMuch        ProblemCode = "too_much"        // more than is checked
)

// Check reads a report and its sources, and holds its claims against them. When ctx ends, what is there by then is told, with
// Stopped set. An error is a fault of the program, or a report that cannot be read at all.
func Check(ctx context.Context, r Report, o Options) (Result, error) {
	doc, err := read(ctx, r)
	if err != nil {
		return Result{}, err
	}
	c := newChecker(doc, o)
	c.result.Report = r.Name
	for _, b := range doc.blocks {
		if b.cut {
			c.problem(TooMuch, b.line(0), string(b.text), "", fmt.Sprintf("This paragraph has more than %d bytes; what is beyond is not looked at.", maxBlock))
		}
	}
	c.resolve()
	c.claims()
	if err := c.readSources(ctx); err != nil {
		return Result{}, err
	}
	c.compareSources()
	c.hold(ctx)
	c.finish()
	return c.result, nil
}

// A BadReport says why a text is not checked.
type BadReport struct{ Reason string }

func (e *BadReport) Error() string { return "the report is not checked: " + e.Reason }

// read takes a report apart and finds its citations.
func read(ctx context.Context, r Report) (*document, error) {
	if len(r.Text) > maxReport {
		return nil, &BadReport{fmt.Sprintf("it has %d bytes, and at most %d are read", len(r.Text), maxReport)}
	}
	doc, err := parse(r)
	if err != nil {
		return nil, err
	}
	for _, b := range doc.blocks {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		b.limit()
		b.scan()
	}
	return doc, nil
}

// limit cuts a block that is longer than any paragraph.
func (b *block) limit() {
	if len(b.text) <= maxBlock {
		return
	}
	end := maxBlock
	for end > maxBlock-utf8.UTFMax && !utf8.RuneStart(b.text[end]) {
		end--
	}
	beyond := func(r audit.Range) bool { return r.End > end }
	b.text, b.cut = b.text[:end], true
	b.links = slices.DeleteFunc(b.links, func(l link) bool { return beyond(l.Range) })
	b.notes = slices.DeleteFunc(b.notes, func(n noteRef) bool { return beyond(n.Range) })
	b.sups, b.dead, b.cells = slices.DeleteFunc(b.sups, beyond), slices.DeleteFunc(b.dead, beyond), slices.DeleteFunc(b.cells, beyond)
	b.breaks = slices.DeleteFunc(b.breaks, func(at int) bool { return at >= end })
}

// stopped says why a context ended.
func stopped(ctx context.Context) string {
	switch {
	case ctx.Err() == nil:
		return ""
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return "time"
	}
	return "interrupted"
}
