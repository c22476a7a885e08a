package audit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"ibid/audit/claim"
	"ibid/internal/lazyregexp"
)

// A factClaim is a count of cited sources that the report states; it can be checked once all citations are seen.
type factClaim struct {
	statement
	want  float64
	cited bool // cited sources, or those not cited
}

// checkDates holds dates in a statement about the run against the day on which it ended or a source was read.
func (c *checker) checkDates(b *block, s statement, dates []string) {
	for _, d := range dates {
		day := d[:10]
		ok := false
		known := c.rec.Facts != nil && !c.rec.Facts.Finished.IsZero()
		if known {
			ok = sameTime(c.rec.Facts.Finished, d)
		}
		for _, src := range c.rec.Sources {
			ok = ok || src.Fetched.UTC().Format(time.DateOnly) == day && !known
		}
		switch {
		case ok:
		case known:
			c.wrongRun(b, s, "the date "+d)
		default:
			c.unchecked(b, s, "the date")
		}
	}
}

// sameTime reports whether a printed day or time is t, to the precision printed.
func sameTime(t time.Time, s string) bool {
	full := t.UTC().Format(time.RFC3339)
	return s == full || len(s) == 10 && strings.HasPrefix(full, s) || len(s) > 10 && strings.HasPrefix(full, strings.TrimSuffix(s, "Z"))
}

// clauseEnd parts a statement about the run into clauses with a figure each.
var clauseEnd = lazyregexp.New(`(?i),|;|\band\b|\(|\)|\bof which\b|\bin\b|\bwith\b|\bover\b`)

// checkCounts holds each figure of a statement about the run against the record.
func (c *checker) checkCounts(b *block, s statement, text string) {
	subject := ""
	for _, clause := range clauseEnd.Split(text, -1) {
		low := " " + strings.Join(words(clause), " ") + " "
		figs := claim.Numbers(clause)
		if n := noneOf(low); n {
			figs = append(figs, claim.Number{Value: 0, Text: "no"})
		}
		if one := oneOf(low); one {
			figs = append(figs, claim.Number{Value: 1, Text: "one"})
		}
		noun := c.countNoun(low, clause)
		if noun == "" && len(figs) > 0 {
			noun = subject // "6 sources were read and 4 of them are cited"
			if strings.Contains(low, "cited") && strings.HasPrefix(subject, "sources") {
				noun = citedNoun(low)
			}
		}
		if noun != "" {
			subject = noun
		}
		for _, f := range figs {
			c.checkCount(b, s, f, noun)
		}
	}
}

func noneOf(low string) bool { return strings.Contains(low, " no ") || strings.Contains(low, " none ") }
func oneOf(low string) bool {
	return strings.Contains(low, " one ") && !strings.Contains(low, " one hundred") && !strings.Contains(low, " one thousand")
}

func citedNoun(low string) string {
	if strings.Contains(low, "not cited") || strings.Contains(low, "uncited") || strings.Contains(low, "none") {
		return "sources not cited"
	}
	return "sources cited"
}

// countNoun says what the figure of a clause counts.
func (c *checker) countNoun(low, clause string) string {
	has := func(ws ...string) bool {
		for _, w := range ws {
			if strings.Contains(low, " "+w+" ") {
				return true
			}
		}
		return false
	}
	switch {
	case strings.Contains(clause, "$") || has("dollars", "dollar", "usd"):
		return "dollars"
	case has("tokens", "token"):
		return "tokens"
	case has("steps", "step"):
		return "steps"
	case has("documents", "document") && has("searched") && has("could") && has("not"):
		return "unsearched documents"
	case has("searches", "search", "queries", "searched"):
		if has("failed") {
			return "impaired searches"
		}
		return "searches"
	case has("findings", "finding", "claims", "quotes"):
		return "findings"
	case has("seconds", "second", "s"):
		return "seconds"
	case has("minutes", "minute"):
		return "minutes"
	case has("sources", "source", "pages", "page", "documents", "document", "reads"):
		switch {
		case has("cited", "uncited"):
			return citedNoun(low)
		case has("unavailable", "failed") || has("could") && has("not"):
			return "unavailable pages"
		}
		return "sources read"
	}
	return ""
}

// checkCount compares one figure of a statement about the run with what the record holds.
func (c *checker) checkCount(b *block, s statement, f claim.Number, noun string) {
	facts := c.rec.Facts
	read := 0
	for _, src := range c.rec.Sources {
		if !src.Fetched.IsZero() {
			read++
		}
	}
	live := 0
	for _, x := range c.rec.Findings {
		if x.Rejected == "" {
			live++
		}
	}
	var ok bool
	switch noun {
	case "sources read":
		ok = f.Value == float64(read) || facts != nil && f.Value == float64(facts.Reads)
	case "sources cited", "sources not cited":
		c.facts = append(c.facts, factClaim{s, f.Value, noun == "sources cited"})
		return
	case "findings":
		ok = f.Value == float64(live)
	case "":
		c.wrongRun(b, s, "what "+strconv.Quote(f.Text)+" counts")
		return
	default:
		if facts == nil {
			c.unchecked(b, s, "the "+noun)
			return
		}
		ok = facts.holds(noun, f)
	}
	if !ok {
		c.wrongRun(b, s, strings.TrimFunc(f.Text, unicode.IsSpace)+" "+noun)
	}
}

func (f *Facts) holds(noun string, x claim.Number) bool {
	// What lies half way may be rounded up as well as down: binary fractions do not keep where exactly it lay.
	rounded := func(have float64) bool {
		return math.Abs(have-x.Value) <= 0.5*math.Pow(10, -float64(x.Places))+1e-9
	}
	switch noun {
	case "searches":
		return x.Value == float64(f.Searches)
	case "impaired searches":
		return x.Value == float64(f.Impaired)
	case "steps":
		return x.Value == float64(f.Steps)
	case "tokens":
		return x.Value == float64(f.Tokens)
	case "unavailable pages":
		return x.Value == float64(f.Unavailable)
	case "unsearched documents":
		return x.Value == float64(len(f.Unsearched))
	case "seconds":
		return rounded(f.Seconds)
	case "minutes":
		return rounded(f.Seconds / 60)
	case "dollars":
		return rounded(f.Dollars)
	}
	return false
}

// settleFacts checks the counts of cited sources.
func (c *checker) settleFacts() {
	cited, read := 0, 0
	for _, s := range c.rec.Sources {
		if s.Fetched.IsZero() {
			continue
		}
		read++
		if c.usedID[s.ID] {
			cited++
		}
	}
	for _, f := range c.facts {
		have := cited
		if !f.cited {
			have = read - cited
		}
		if f.want != float64(have) {
			c.wrongRun(f.block, f.statement, fmt.Sprintf("%d sources are cited and %d are not", cited, read-cited))
		}
	}
}
