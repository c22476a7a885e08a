package audit

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// A factClaim is a count of cited sources that the report states; it can be checked once all citations are seen.
type factClaim struct {
	statement
	want  float64
	cited bool // cited sources, or those not cited
}

// runWords are all that a statement about the run may be made of, besides figures, dates, the run's id and queries.
var runWords = set(`a an the this that these those it its of for in on at by to from with and or but not no none all each every any
	is are was were be been has have had made make took take used use run runs report research question answer agent ibid
	source sources page pages document documents search searches searched searching query queries read reads reading cited uncited listed
	opened fetched found recorded finding findings claim claims quote quotes verified checked span spans step steps token tokens
	second seconds minute minutes hour hours dollar dollars cost costs spent budget limit stopped stop because when after before done
	finished ended generated written assembled produced version model models could unavailable failed which who them they as so
	only more than other also there here below above during given time times total altogether s ms utc web corpus evidence last`)

// runMarks are words without one of which a sentence is not about the run.
var runMarks = set(`run report source sources page pages search searches searched queries query read reads step steps generated finding findings
	agent ibid tokens budget stopped`)

var isoDate = regexp.MustCompile(`\b[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:]{5,8}Z?)?\b`)

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
	rest := text
	if f := c.rec.Facts; f != nil && f.Run != "" {
		rest = strings.ReplaceAll(rest, f.Run, " ")
	} else {
		rest = runID.ReplaceAllString(rest, "run ")
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
var runID = regexp.MustCompile(`(?i)\brun [a-z0-9]+(?:-[a-z0-9]+)*\b`)

// isRunFigure reports whether a word is a figure that can stand in a statement about the run.
func isRunFigure(w string) bool {
	if hasSmall(w) || scaleWord[w] != 0 {
		return true
	}
	for _, part := range strings.Split(w, "-") {
		if !hasSmall(part) && strings.Trim(part, "0123456789.,$") != "" && strings.TrimRight(strings.Trim(part, "0123456789."), "s") != "" {
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

// StopSentence says why a run stopped, for the stop reason as recorded (LOOP-7). It is the only sentence about it that
// passes.
func StopSentence(stop string) string {
	switch kind, which, _ := strings.Cut(stop, ":"); kind {
	case "done", "":
		return "The run stopped because it was done."
	case "budget":
		if which == "" {
			which = "whole"
		}
		return "The run stopped because its budget of " + which + " was spent."
	case "cancelled":
		return "The run was cancelled before it was done."
	case "stopped":
		return "The run was stopped early by a person."
	case "stalled":
		return "The run stopped because its last steps brought nothing new."
	case "failed":
		return "The run stopped because the model could not be reached any more."
	case "parked":
		return "The run is waiting for a person."
	default:
		return "The run stopped for another reason: " + kind + "."
	}
}

// stopSentence reports whether a text says why the run stopped, and whether it says so rightly.
func (c *checker) stopSentence(text string) (right, is bool) {
	low := strings.ToLower(text)
	if !strings.HasPrefix(low, "the run stopped") && !strings.HasPrefix(low, "the run was") && !strings.HasPrefix(low, "the run is") && !strings.HasPrefix(low, "it stopped") {
		return false, false
	}
	if c.rec.Facts == nil {
		return false, false
	}
	if plain(text) == plain(StopSentence(c.rec.Facts.Stop)) {
		return true, true
	}
	return false, strings.Contains(low, "stopped") || strings.Contains(low, "cancelled") || strings.Contains(low, "waiting")
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
var clauseEnd = regexp.MustCompile(`(?i),|;|\band\b|\(|\)|\bof which\b|\bin\b|\bwith\b|\bover\b`)

// checkCounts holds each figure of a statement about the run against the record.
func (c *checker) checkCounts(b *block, s statement, text string) {
	subject := ""
	for _, clause := range clauseEnd.Split(text, -1) {
		low := " " + strings.Join(words(clause), " ") + " "
		figs := figures(clause)
		if n := noneOf(low); n {
			figs = append(figs, figure{value: 0, text: "no"})
		}
		if one := oneOf(low); one {
			figs = append(figs, figure{value: 1, text: "one"})
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
	case has("searches", "search", "queries", "searched"):
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
func (c *checker) checkCount(b *block, s statement, f figure, noun string) {
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
		ok = f.value == float64(read) || facts != nil && f.value == float64(facts.Reads)
	case "sources cited", "sources not cited":
		c.facts = append(c.facts, factClaim{s, f.value, noun == "sources cited"})
		return
	case "findings":
		ok = f.value == float64(live)
	case "":
		c.wrongRun(b, s, "what "+strconv.Quote(f.text)+" counts")
		return
	default:
		if facts == nil {
			c.unchecked(b, s, "the "+noun)
			return
		}
		ok = facts.holds(noun, f)
	}
	if !ok {
		c.wrongRun(b, s, strings.TrimFunc(f.text, unicode.IsSpace)+" "+noun)
	}
}

func (f *Facts) holds(noun string, x figure) bool {
	rounded := func(have float64) bool {
		places := 0
		if i := strings.IndexByte(x.text, '.'); i >= 0 {
			places = len(strings.TrimRight(x.text[i+1:], "s $"))
		}
		p := math.Pow(10, float64(places))
		return math.Abs(math.Round(have*p)/p-x.value) < 1e-9
	}
	switch noun {
	case "searches":
		return x.value == float64(f.Searches)
	case "steps":
		return x.value == float64(f.Steps)
	case "tokens":
		return x.value == float64(f.Tokens)
	case "unavailable pages":
		return x.value == float64(f.Unavailable)
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
