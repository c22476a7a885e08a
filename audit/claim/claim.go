// Package claim holds a claim against the quote that it rests on (FIND-2): does the quote say what the claim says, as
// far as rules can decide? Figures with their units, dates, negation, direction, quantifiers, "only", hedges, causes and
// names are compared word by word; nothing is guessed. What is surely wrong blocks, what a judge or a person should look
// at is flagged (FIND-8). It is plain code: the same texts give the same verdicts, in a fraction of a millisecond.
//
// The rules are of English; of a claim in another language only its figures are compared.
package claim

import (
	"cmp"
	"slices"
)

// A Code names what is wrong between a claim and its quote.
type Code string

const (
	NumberConflict Code = "number_conflict"         // the quote has another figure for it
	NumberAbsent   Code = "number_absent"           // the quote has no such figure
	NumberRole     Code = "number_role"             // the figure belongs to something else there
	UnitConflict   Code = "unit_conflict"           // the same figure of another unit
	UnitAbsent     Code = "unit_absent"             // the quote's figure has no unit
	BoundFlip      Code = "bound_flip"              // more than for less than, or a bound that the quote has not
	DerivedWrong   Code = "derived_wrong"           // said to be computed, and computed wrongly
	Derived        Code = "figure_derived"          // computed or counted from what the quote says
	OrdinalDiffers Code = "ordinal_conflict"        // second for first
	Statistic      Code = "statistic_changed"       // mean for median
	DateConflict   Code = "date_conflict"           // another date
	DateAbsent     Code = "date_absent"             // no such date
	DateRole       Code = "date_role"               // the date of something else
	NegationAdded  Code = "negation_added"          // the claim denies what the quote says
	NegationLost   Code = "negation_dropped"        // the claim says what the quote denies
	Antonym        Code = "antonym"                 // the opposite word
	Direction      Code = "direction_flip"          // up for down
	Quantifier     Code = "quantifier_strengthened" // all for some
	Exclusivity    Code = "exclusivity_added"       // only
	Scope          Code = "scope_widened"           // everywhere, always, in general
	Superlative    Code = "superlative_added"       // the best, a record
	HedgeLost      Code = "hedge_lost"              // is for may be
	ConditionLost  Code = "condition_dropped"       // the quote's "if" is gone
	Causal         Code = "causal_strengthened"     // because for associated with
	Attribution    Code = "attribution_changed"     // another speaker, or one that the quote does not have
	NameAbsent     Code = "name_absent"             // the quote has no such name
	NameConflict   Code = "name_conflict"           // it has another one in its place
	KindConflict   Code = "kind_conflict"           // a novel for a film, German for French
	Unsupported    Code = "unsupported_clause"      // nothing of the clause is in the quote
	Injected       Code = "injected_text"           // the source gives orders to programs that read it
	OtherVoice     Code = "quoted_speech"           // the quote is not its source's own words
	ContextCut     Code = "context_cut"             // what stands just outside of the quote turns it
	WordAdded      Code = "word_added"              // a word that stands neither in the quote nor around it
	WordReplaced   Code = "word_replaced"           // such a word, in the place of one of the quote's
	Evaluation     Code = "evaluation_added"        // a judgement or accusation that the quote does not have
	WordDropped    Code = "word_dropped"            // a word of the quote without which it says something else
)

// OfWords reports whether a code is of the rule about single words, which runs of before did not know.
func (c Code) OfWords() bool {
	return c == WordAdded || c == WordReplaced || c == Evaluation || c == WordDropped
}

// Severity says what a verdict does to the claim.
type Severity string

const (
	Block Severity = "block" // the claim must not be recorded or shown
	Flag  Severity = "flag"  // it may, marked
)

// A Verdict is one thing that is wrong, or may be, between a claim and its quote.
type Verdict struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"`
	Claim    string   `json:"claim"`   // the words of the claim that were compared
	Source   string   `json:"source"`  // the words of the source that they were compared with, "" where there are none
	Message  string   `json:"message"` // what is wrong and what to do, for a person or a model
}

// Context is what a reader of the quote sees around it. It may resolve a pronoun, name a year or a unit; it supports no
// claim by itself.
type Context struct {
	Title   string `json:"title"`   // of the source
	Heading string `json:"heading"` // above the quote
	Table   string `json:"table"`   // caption and column heads, where the quote is of a table
	Before  string `json:"before"`  // the text of the span before the quote
	After   string `json:"after"`   // and after it
	Voice   string `json:"voice"`   // whose words they are, where they are not the source's own: "a quotation"
}

// Limits of what is compared, in bytes. A claim is a sentence or a paragraph, a quote at most a page.
const (
	MaxClaim = 4 << 10
	MaxQuote = 64 << 10
)

// Check holds a claim against a quote. The verdicts come worst first; none means that no rule found anything.
func Check(claim, quote string, c Context) []Verdict { return On(quote, c).Check(claim) }

// Check holds a claim against a quote that was read.
func (b *Basis) Check(claim string) []Verdict {
	p := b.pair(claim)
	if len(p.claim.words) == 0 || p.claim.says(p.quote) {
		p.checkAround()
		return p.sorted()
	}
	for _, rule := range rules {
		rule(p)
	}
	p.checkAround()
	p.checkNews()
	p.checkUndone()
	return p.sorted()
}

// rules are in the order in which they may use each other's findings: what one has explained, the next leaves alone.
var rules = []func(*pair){
	(*pair).checkDates, (*pair).checkLife, (*pair).checkFigures, (*pair).checkOrdinals, (*pair).checkCopied, (*pair).checkOrder, (*pair).checkRoles, (*pair).checkStatistic,
	(*pair).checkExclusive, (*pair).checkNegation, (*pair).checkAbsence, (*pair).checkAntonyms, (*pair).checkAffixes, (*pair).checkKinds, (*pair).checkQuantifiers, (*pair).checkShares,
	(*pair).checkCause, (*pair).checkHedges, (*pair).checkPrivatives, (*pair).checkUnrealised, (*pair).checkUnshown, (*pair).checkProofs, (*pair).checkSuperlatives, (*pair).checkNames, (*pair).checkClauses,
}

// A pair is a claim and its quote, read, and what was found so far.
type pair struct {
	*Basis
	claim    *text
	ids      []int32 // for the number of each stem of the claim that of the quote, -1 where it has none
	both     []bool  // whether the claim has the stem of that number of the quote
	align    alignment
	knows    []answer  // of known, by word of the claim
	unsaid   []reading // words of the quote that the claim does not have; nil: not looked for yet
	laid     *frame    // of the sentence that was looked at last
	verdicts []Verdict
}

func (b *Basis) pair(claim string) *pair {
	p := &pair{Basis: b, claim: read(clip(claim, MaxClaim))}
	p.ids = p.claim.idsIn(p.quote)
	p.both = make([]bool, len(p.quote.ids))
	for _, id := range p.ids {
		if id >= 0 {
			p.both[id] = true
		}
	}
	p.align = p.alignment()
	return p
}

// add notes a verdict, once for each code and words of the claim.
func (p *pair) add(code Code, s Severity, claim, source, message string) {
	for i, v := range p.verdicts {
		if v.Code == code && v.Claim == claim {
			if s == Block && v.Severity == Flag {
				p.verdicts[i] = Verdict{code, s, claim, source, message}
			}
			return
		}
	}
	if len(p.verdicts) < maxVerdicts {
		p.verdicts = append(p.verdicts, Verdict{code, s, claim, source, message})
	}
}

// explained reports whether a verdict of this code on these words of the claim was noted.
func (p *pair) explained(code Code, claim string) bool {
	return slices.ContainsFunc(p.verdicts, func(v Verdict) bool { return v.Code == code && v.Claim == claim })
}

// maxVerdicts are told of one claim. More say nothing new.
const maxVerdicts = 40

func (p *pair) sorted() []Verdict {
	slices.SortStableFunc(p.verdicts, func(a, b Verdict) int { return cmp.Compare(a.Severity, b.Severity) })
	return p.verdicts
}

// Blocks reports whether one of the verdicts blocks.
func Blocks(vs []Verdict) bool {
	return slices.ContainsFunc(vs, func(v Verdict) bool { return v.Severity == Block })
}
