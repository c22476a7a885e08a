package audit

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ibid/audit/sources"
	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

// asOf is the day that the evidence of a record is of: a run's end, or when the last of its sources was read. It is never
// the clock's.
func (c *checker) asOf() time.Time {
	if f := c.rec.Facts; f != nil && !f.Finished.IsZero() {
		return f.Finished
	}
	var last time.Time
	for _, s := range c.rec.Sources {
		if s.Fetched.After(last) {
			last = s.Fetched
		}
	}
	return last
}

// checkStale flags what is said of the present on the word of sources that are too old for it.
func (c *checker) checkStale(b *block, s statement, cites []evidence.Citation) {
	if c.rec.Cards == CardsIgnored {
		return
	}
	var ids []string
	for _, ci := range cites {
		if !slices.Contains(ids, ci.Source) {
			ids = append(ids, ci.Source)
		}
	}
	if old, is := c.standing().Stale(s.text, ids, c.asOf()); is {
		c.failAt(b, s.Range, Failure{Code: Stale, Claim: s.text, Text: old.Words, Message: old.Message()})
	}
}

// fallen are the statuses that a reader must be told of beside what is cited, and the codes of silence about them.
var fallen = []struct {
	status string
	code   Code
	advice string
}{
	{sources.Retracted, Retracted, "Say so beside the claim, or cite something that stands."},
	{sources.Doubted, Retracted, "Say so beside the claim, or cite something that stands."},
	{sources.Superseded, Stale, "Cite what stands in its place, or say as of when it was so."},
	{sources.Expired, Stale, "Cite what stands in its place, or say as of when it was so."},
}

// A citedFirst is where a source is cited first.
type citedFirst struct {
	block *block
	mention
	source, said string
}

// checkFallen flags each source that is cited, was taken back or superseded, and is not said to be.
func (c *checker) checkFallen() {
	if c.rec.Cards == CardsIgnored {
		return
	}
	for _, m := range c.first {
		card := c.standing().Card(m.source)
		if card == nil {
			continue
		}
		for _, k := range fallen {
			status := card.Has(k.status)
			if status == nil || c.told[m.source+" "+k.status] {
				continue
			}
			c.failAt(m.block, m.Range, Failure{Code: k.code, Claim: m.said, Text: m.source,
				Message: fmt.Sprintf("%s is cited and was %s: %s. %s", m.source, k.status, clip(status.Why()), k.advice)})
			break
		}
	}
}

// StatusSentence says of a source what a reader must know beside what is cited from it, "" if nothing.
func StatusSentence(card *sources.Card) string {
	for _, k := range fallen {
		if card != nil && card.Has(k.status) != nil {
			return fmt.Sprintf("%s is %s.", card.Source, k.status)
		}
	}
	return ""
}

var statusSentence = lazyregexp.New(`^(S[1-9][0-9]{0,8}) (?:is|was|has been) (` + strings.Join(sources.Statuses, "|") + `)\.?$`)

// isStatus reports whether a sentence says no more than the status of a source, and checks it.
func (c *checker) isStatus(b *block, s statement) bool {
	m := statusSentence.FindStringSubmatch(strings.TrimSpace(s.text))
	if m == nil || c.rec.Cards == CardsIgnored {
		return false
	}
	card := c.standing().Card(m[1])
	switch {
	case card == nil:
		c.failAt(b, s.Range, Failure{Code: UnknownSource, Claim: s.text, Message: fmt.Sprintf("There is no source %s in this run.", m[1])})
	case card.Has(m[2]) == nil:
		c.failAt(b, s.Range, Failure{Code: SourceList, Claim: s.text, Message: fmt.Sprintf("Nothing in the record of %s says that it is %s.", m[1], m[2])})
	default:
		c.told[m[1]+" "+m[2]] = true
	}
	return true
}

// sayStatus notes that a sentence speaks of the status of the sources that it cites.
func (c *checker) sayStatus(s statement, cites []evidence.Citation) {
	low := strings.ToLower(s.text)
	for _, k := range fallen {
		if strings.Contains(low, k.status) || k.status == sources.Retracted && strings.Contains(low, "withdrawn") {
			for _, ci := range cites {
				c.told[ci.Source+" "+k.status] = true
			}
		}
	}
}

// checkEntryCard holds what an entry of the list of sources says of its source's standing against the record. A list that says
// it of one says it of all: what is left out would be taken for nothing.
func (c *checker) checkEntryCard(src *evidence.Source, said []string, wrong func(string, ...any)) {
	if c.rec.Cards == CardsIgnored {
		return
	}
	card := c.standing().Card(src.ID)
	class := false
	for _, w := range said {
		switch {
		case slices.Contains(sources.Classes, w):
			class = true
			if w != card.Class.Value {
				wrong("The list calls %s %s; it is %s: %s.", src.ID, w, card.Class.Value, clip(card.Class.Basis))
			}
		case card.Has(w) == nil:
			wrong("The list calls %s %s, and nothing in its record says so.", src.ID, w)
		}
	}
	if !class && c.carded && card.Class.Value != sources.Unknown {
		wrong("The list does not say what %s is: %s.", src.ID, card)
	}
	if !c.carded {
		return
	}
	for _, st := range card.Status {
		if !slices.Contains(said, st.Value) {
			wrong("The list does not say that %s is %s: %s.", src.ID, st.Value, clip(st.Why()))
		}
	}
}

var classed = lazyregexp.New(`\([a-z]+, (?:` + strings.Join(sources.Classes, "|") + `)\b`)

// namesClass reports whether an entry of the list of sources says what its source is, behind its kind.
func (b *block) namesClass() bool { return classed.Match(b.text) }

// isStanding reports whether a word of an entry says what a source is worth.
func isStanding(w string) bool {
	return slices.Contains(sources.Classes, w) || slices.Contains(sources.Statuses, w)
}
