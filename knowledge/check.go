package knowledge

import (
	"slices"
	"strings"

	"ibid/audit/claim"
	"ibid/evidence"
)

// hold holds a fact that a model has drawn against the text: its quote must stand there, and every word of it in the quote. What
// the quote denies, bounds or restricts, the fact must, too: the rules for claims decide that. The quote that is kept is the
// text's own.
func hold(text string, d Draft) (Draft, bool) {
	m := evidence.MatchText(evidence.Text, text, d.Quote, evidence.Limits{})
	if !m.OK() || len(m.Quote) > maxSentence {
		return d, false
	}
	d.Quote = m.Quote
	for _, part := range []*string{&d.Entity, &d.Relation, &d.Target, &d.Description} {
		*part = strings.Join(strings.Fields(*part), " ")
	}
	if d.Entity == "" || d.Relation == "" || d.Target == "" {
		return d, false
	}
	if d.Description == "" {
		d.Description = d.Quote
	}
	said := stems(d.Quote)
	for _, part := range []string{d.Entity, d.Relation, d.Target, d.Description} {
		if !wordsIn(part, said) {
			return d, false
		}
	}
	for _, whole := range []string{d.Description, d.Entity + " " + d.Relation + " " + d.Target} {
		if claim.Blocks(claim.Check(whole, d.Quote, claim.Context{})) {
			return d, false
		}
	}
	d.Kind = kindOf(d.Relation, d.Target)
	return d, true
}

// stems are the words of a text, as they are and as their stems, sorted.
func stems(s string) []string {
	var out []string
	for _, w := range claim.Read(s).Words {
		if !w.Mark {
			out = append(out, w.Stem, w.Text)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// wordsIn reports whether a text has no word that is not among those: articles and marks aside. Figures must be the same.
func wordsIn(s string, said []string) bool {
	for _, w := range claim.Read(s).Words {
		if w.Mark || articles[w.Text] {
			continue
		}
		_, whole := slices.BinarySearch(said, w.Text)
		_, stem := slices.BinarySearch(said, w.Stem)
		if !whole && (w.Figure || !stem) {
			return false
		}
	}
	return true
}
