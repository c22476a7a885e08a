package audit

import (
	"fmt"
	"strings"

	"ibid/internal/lazyregexp"
)

// runWords are all that a statement about the run may be made of, besides figures, dates, the run's id and queries.
var runWords = set(`a an the this that these those it its of for in on at by to from with and or but not no none all each every any
	is are was were be been has have had made make took take used use run runs report research question answer agent ibid
	source sources page pages document documents search searches searched searching query queries read reads reading cited uncited listed
	opened fetched found recorded finding findings claim claims quote quotes verified checked span spans step steps token tokens
	second seconds minute minutes hour hours dollar dollars cost costs spent budget limit stopped stop because when after before done
	finished ended generated written assembled produced version model models could unavailable failed which who them they as so
	only more than other also there here below above during given time times total altogether s ms utc web corpus evidence last gave part full`)

// runMarks are words without one of which a sentence is not about the run.
var runMarks = set(`run report source sources page pages search searches searched queries query read reads step steps generated finding findings
	agent ibid tokens budget stopped`)

var isoDate = lazyregexp.New(`\b[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:]{5,8}Z?)?\b`)

// isRunStatement reports whether a sentence is about the run that made the report, and checks what it says.
func (c *checker) isRunStatement(b *block, s statement) bool {
	text := s.text
	for _, q := range b.quotations(s.Range) {
		said := trimQuoted(b.without(q))
		if !c.isQuery(said) && !(c.rec.Facts == nil && strings.HasPrefix(strings.ToLower(text), "searched")) {
			return false
		}
		text = strings.Replace(text, b.without(q), "", 1)
	}
	text = c.dropShortQueries(text)
	if stop, ok := c.stopSentence(text); ok {
		if !stop {
			c.wrongRun(b, s, "why the run stopped")
		}
		return true
	}
	if right, ok := c.judgeSentence(text); ok {
		if !right {
			c.wrongRun(b, s, "what the judge did")
		}
		return true
	}
	rest := text
	if f := c.rec.Facts; f != nil && f.Run != "" {
		rest = strings.ReplaceAll(rest, f.Run, " ")
	} else {
		rest = runID.ReplaceAllString(rest, "run ")
	}
	if f := c.rec.Facts; f != nil && f.Root != "" {
		rest = strings.ReplaceAll(rest, "root "+f.Root, " ")
	}
	var dates []string
	rest = isoDate.ReplaceAllStringFunc(rest, func(d string) string { dates = append(dates, d); return " " })
	about := false
	for _, w := range words(rest) {
		if !runWords[w] && !isRunFigure(w) {
			return false
		}
		about = about || runMarks[w]
	}
	if !about {
		return false
	}
	c.checkDates(b, s, dates)
	c.checkCounts(b, s, rest)
	return true
}

// runID is how a run's id is named where the record does not hold it.
var runID = lazyregexp.New(`(?i)\brun [a-z0-9]+(?:-[a-z0-9]+)*\b`)

// isRunFigure reports whether a word is a figure that can stand in a statement about the run.
func isRunFigure(w string) bool {
	if countWords[w] || w == "one" {
		return true
	}
	for _, part := range strings.Split(w, "-") {
		if !countWords[part] && part != "one" && strings.Trim(part, "0123456789.,$") != "" && strings.TrimRight(strings.Trim(part, "0123456789."), "s") != "" {
			return false
		}
	}
	return true
}

// dropShortQueries takes out the quoted queries that are too short to count as quotations.
func (c *checker) dropShortQueries(text string) string {
	if c.rec.Facts == nil {
		return text
	}
	for _, q := range c.rec.Facts.Queries {
		q = strings.Join(strings.Fields(q), " ")
		for _, quoted := range []string{"“" + q + "”", `"` + q + `"`} {
			text = strings.ReplaceAll(text, quoted, "“”")
		}
	}
	return text
}

// wrongRun notes a statement about the run that its record contradicts. Without the run's facts the record is only a
// part, and contradicting it is a flag.
func (c *checker) wrongRun(b *block, s statement, what string) {
	if c.rec.Facts == nil {
		c.failAt(b, s.Range, Failure{Code: RunUnchecked, Claim: s.text,
			Message: fmt.Sprintf("What is recorded of the run does not show this: %s.", what)})
		return
	}
	c.failAt(b, s.Range, Failure{Code: RunStatement, Claim: s.text,
		Message: fmt.Sprintf("The record of the run does not say so: %s. Leave it to the line that code writes.", what)})
}

func (c *checker) unchecked(b *block, s statement, what string) {
	c.failAt(b, s.Range, Failure{Code: RunUnchecked, Claim: s.text, Text: what,
		Message: fmt.Sprintf("The record does not hold %s of the run, so this cannot be checked.", what)})
}
