package audit

import (
	"fmt"
	"slices"
	"strings"

	"ibid/audit/claim"
	"ibid/evidence"
)

// Open lists what a report is flagged for and a judge could decide: each claim or statement with the words that it rests on,
// in the order of the text, once. What a ruling of the record is about is not open any more, and neither is what a rule blocks.
func Open(markdown []byte, rec Record) []claim.Question {
	c, _ := inspect(markdown, rec)
	return c.open
}

// rulings indexes what was ruled by what was asked.
func (rec *Record) rulings() map[string]*evidence.Ruling {
	of := map[string]*evidence.Ruling{}
	for i := range rec.Findings {
		if r := rec.Findings[i].Judged; r != nil {
			of[r.Of] = r
		}
	}
	for i := range rec.Rulings {
		of[rec.Rulings[i].Of] = &rec.Rulings[i]
	}
	return of
}

// judged goes over the failures from the nth on, all of them about q at a range: flags that a ruling clears are marked so,
// and a contradiction is one more flag (FIND-8). Where nobody ruled, q is open. A claim that a rule blocks stays blocked,
// and one whose source gives orders is no judge's to clear.
func (c *checker) judged(n int, b *block, at Range, q claim.Question) {
	if n >= len(c.failures) || c.rec.Unweighed {
		return
	}
	var flags []*Failure
	for i := range c.failures[n:] {
		switch f := &c.failures[n+i]; {
		case f.Severity == Block, f.Severity == Accepted, f.Code == Code(claim.Injected):
			return
		case f.Severity == Flag && judgeable(f.Code):
			flags = append(flags, f)
		}
	}
	r := c.rulings[q.ID()]
	switch {
	case len(flags) == 0:
	case r == nil:
		if !slices.Contains(c.open, q) {
			c.open = append(c.open, q)
		}
	case r.Clears():
		for _, f := range flags {
			f.Severity, f.Judge = Cleared, r
		}
	default:
		for _, f := range flags {
			f.Judge = r
		}
		if r.Verdict == evidence.Contradicted {
			c.failAt(b, at, Failure{Code: Contradicted, Severity: Flag, Claim: q.Claim, Judge: r, Message: "A judge holds that the quote and this cannot both be right. Compare them."})
		}
	}
}

// judgeable reports whether a judge may clear a flag of this code: it is about what follows from the words that are cited.
func judgeable(code Code) bool {
	switch code {
	case WeakSupport, FigureElsewhere, FigureDerived, Unrelated:
		return true
	}
	return claim.Code(code).Judgeable()
}

// A Bench is what a judge did for a report: how many claims it cleared of their flags, how many it left flagged, and how many
// it was not asked about or gave no verdict on.
type Bench struct {
	Model    string `json:"model"`
	Cleared  int    `json:"cleared"`
	Kept     int    `json:"kept"`
	Unjudged int    `json:"unjudged"`
	// Of possible disagreements between findings: those of which it holds that not both can be right, and that both can.
	Confirmed int `json:"confirmed,omitempty"`
	Doubted   int `json:"doubted,omitempty"`
}

// JudgeSentences say what a judge did; none where there was none. They are the only sentences about it that pass.
func JudgeSentences(b *Bench) []string {
	if b == nil {
		return nil
	}
	var s []string
	if b.Cleared+b.Kept+b.Unjudged > 0 {
		s = append(s, fmt.Sprintf("The judge of this run cleared %s.", many(b.Cleared, "flagged claim")))
	}
	if b.Kept > 0 {
		s = append(s, fmt.Sprintf("It left %s marked.", many(b.Kept, "flagged claim")))
	}
	if b.Unjudged > 0 {
		s = append(s, fmt.Sprintf("It gave no verdict on %s.", many(b.Unjudged, "flagged claim")))
	}
	if b.Confirmed+b.Doubted > 0 {
		s = append(s, fmt.Sprintf("The judge of this run confirmed %s and doubted %d.", many(b.Confirmed, "possible disagreement"), b.Doubted))
	}
	return s
}

func many(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// judgeSentence reports whether a text says what a judge of the run did, and whether it says so rightly.
func (c *checker) judgeSentence(text string) (right, is bool) {
	low := strings.ToLower(text)
	if !strings.Contains(low, "flagged claim") && !strings.Contains(low, "possible disagreement") || !strings.HasPrefix(low, "the judge of this run") && !strings.HasPrefix(low, "it left") && !strings.HasPrefix(low, "it gave no verdict") {
		return false, false
	}
	if c.rec.Facts == nil {
		return false, false
	}
	for _, s := range JudgeSentences(c.rec.Facts.Judge) {
		if plain(s) == plain(text) {
			return true, true
		}
	}
	return false, true
}

// Judged counts what the rulings of a record come to in a report.
func Judged(markdown []byte, rec Record) Bench {
	c, _ := inspect(markdown, rec)
	of := map[string]Severity{}
	for _, f := range c.failures {
		if f.Judge == nil || f.Severity == Block {
			continue
		}
		if of[f.Judge.Of] != Flag {
			of[f.Judge.Of] = f.Severity
		}
		if f.Judge.Verdict == "" {
			of[f.Judge.Of] = ""
		}
	}
	b := Bench{Unjudged: len(c.open)}
	for _, severity := range of {
		switch severity {
		case Cleared:
			b.Cleared++
		case Flag:
			b.Kept++
		default:
			b.Unjudged++
		}
	}
	return b
}
