package audit

import (
	"cmp"
	"fmt"
	"slices"

	"ibid/evidence"
)

// A Code names a kind of failure: one of these, or of a claim and its quote (claim.Code).
type Code string

const (
	UncitedClaim    Code = "uncited_claim"           // a statement without a citation with or after it
	Malformed       Code = "malformed_citation"      // looks like a citation and is none
	UnknownSource   Code = "unknown_source"          // the run has no such source
	UnknownLocator  Code = "unknown_locator"         // the source has no such place
	Unrecorded      Code = "unrecorded_citation"     // the span was read, no finding was recorded in it
	NotFetched      Code = "source_not_fetched"      // the source was never read
	HashMismatch    Code = "content_hash_mismatch"   // the stored text is not the text that was recorded
	QuoteNotFound   Code = "quote_not_found"         // a finding's quote is not in its source
	QuoteWrongSpan  Code = "quote_wrong_span"        // it is in another span
	QuoteBoundary   Code = "quote_boundary"          // it cuts a word or a number
	QuoteTooShort   Code = "quote_too_short"         // it means nothing
	QuotedText      Code = "quoted_text_not_found"   // words in quotation marks, a block quote or code that no cited span has
	ClaimMismatch   Code = "claim_citation_mismatch" // the cited spans were recorded for something else
	UnsupportedFig  Code = "unsupported_figure"      // a figure in the title that was found nowhere
	ForbiddenChar   Code = "forbidden_character"     // a character that makes text look like other text
	RawHTML         Code = "raw_html"                // markup that can hide or move text
	UnreadLink      Code = "unread_link"             // a link to what was never read, or a picture from elsewhere
	GivenNotRead    Code = "given_not_read"          // a link that the user gave and nobody opened
	SourceList      Code = "source_list_mismatch"    // the list of sources differs from the record
	RunStatement    Code = "run_statement_wrong"     // the report says of its run what the run's record does not
	ConflictHidden  Code = "conflict_hidden"         // sources are said to agree that do not; flag: one side of a conflict is told as if there were no other
	NotIndependent  Code = "sources_not_independent" // one source counted as two
	Retracted       Code = "source_retracted"        // flag: what is cited was taken back, or stands in doubt
	Stale           Code = "source_stale"            // flag: the present on the word of what is old, or was superseded
	Unrelated       Code = "unsupported_relation"    // flag: nothing recorded makes one of two claims the reason of the other
	DerivedWrong    Code = "derived_wrong"           // a computed figure is not what its computation gives, or is nowhere stated
	OperandAbsent   Code = "operand_absent"          // a computation has a figure that no recorded quote has
	OperandUncited  Code = "operand_uncited"         // or one from where it does not cite
	MalformedComp   Code = "malformed_computation"   // looks like a computation and is none
	TooLarge        Code = "report_too_large"
	Empty           Code = "empty_report"            // no claim, and no list of what its run read: nothing was checked
	RunUnchecked    Code = "run_statement_unchecked" // flag: the record holds no such fact
	WeakSupport     Code = "weak_support"            // flag: few words in common with what is recorded there
	FigureElsewhere Code = "figure_outside_quote"    // flag: the figure stands in the span and in no recorded quote
	FigureDerived   Code = "figure_derived"          // flag: computed, counted or rounded
	UnusedInvalid   Code = "invalid_finding"         // flag: a finding that the report does not use fails its own check
	Unmarked        Code = "acceptance_unmarked"     // a person accepted a finding against a rule, and the report does not say so, or says it otherwise
	Contradicted    Code = "judge_contradicts"       // flag: a judge says that claim and quote cannot both be right
)

// Severity says what a failure does.
type Severity string

const (
	Block Severity = "block" // the report must not be shown
	Flag  Severity = "flag"  // shown, marked; a judge or a person may look at it (FIND-8)
	// Cleared is a flag that a judge has cleared: there is nothing more to look at.
	Cleared Severity = "cleared"
	// Accepted is a block that a person has lifted, with a reason that the report tells.
	Accepted Severity = "accepted"
)

var flags = []Code{RunUnchecked, WeakSupport, FigureElsewhere, FigureDerived, UnusedInvalid, Unrelated, Retracted, Stale}

// A Failure is one thing wrong with a report. Its message is written for whoever has to mend it, a model or a person.
type Failure struct {
	Code       Code     `json:"code"`
	Severity   Severity `json:"severity"`
	Start      int      `json:"start"` // bytes in the Markdown; 0, 0 where the whole report is meant
	End        int      `json:"end"`
	Line       int      `json:"line"`            // from 1; 0 where the whole report is meant
	Text       string   `json:"text"`            // what is wrong, as the report has it
	Claim      string   `json:"claim,omitempty"` // the statement that it stands in, without citations
	Message    string   `json:"message"`
	Suggestion string   `json:"suggestion,omitempty"` // the nearest right form, without brackets
	// Judge is what a judge says of it, where one was asked. Its reason may repeat a source's words.
	Judge *evidence.Ruling `json:"judge,omitempty"`
}

// fail notes a failure. Its line follows from its place, and its severity from its code where none is given.
func (c *checker) fail(f Failure) {
	switch {
	case f.Severity != "":
	case slices.Contains(flags, f.Code):
		f.Severity = Flag
	default:
		f.Severity = Block
	}
	if f.End > 0 {
		line, _ := slices.BinarySearch(c.lines, f.Start+1)
		f.Line = line
	}
	f.Text, f.Claim = clip(f.Text), clip(f.Claim)
	c.blocked = c.blocked || f.Severity == Block
	if len(c.failures) >= maxFailures {
		c.unlisted++
		return
	}
	c.failures = append(c.failures, f)
}

const (
	maxText     = 300  // bytes of the report in one failure
	maxFailures = 1000 // that are listed
)

func clip(s string) string { return evidence.Clip(s, maxText) }

// result sorts the failures and closes the check.
func (c *checker) result() Result {
	slices.SortStableFunc(c.failures, func(a, b Failure) int {
		whole := func(f Failure) int {
			if f.Line == 0 {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(whole(a), whole(b)), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	if c.unlisted > 0 {
		c.failures = append(c.failures, Failure{Code: TooLarge, Severity: Block, Message: fmt.Sprintf("%d more failures are not listed.", c.unlisted)})
	}
	return Result{OK: !c.blocked && c.unlisted == 0, Claims: c.claims, Citations: c.cited, Computed: c.computed, Failures: append([]Failure{}, c.failures...)}
}
