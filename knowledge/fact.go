package knowledge

import (
	"context"
	"slices"
	"strings"

	"ibid/audit/claim"
	"ibid/budget"
)

// Kind says what shape a fact has.
type Kind string

const (
	Definition Kind = "definition" // what something is
	Figure     Kind = "figure"     // a measure with its value
	Relation   Kind = "relation"   // how two things are related
	Statement  Kind = "statement"  // a sentence whose parts are not told apart
)

// A Draft is a fact as it is drawn from a snippet. All its words stand in the quote, and the quote stands in the snippet.
type Draft struct {
	Kind        Kind   `json:"kind"`
	Entity      string `json:"entity,omitempty"`   // what it is about
	Relation    string `json:"relation,omitempty"` // what is said of it: the verb with what belongs to it
	Target      string `json:"target,omitempty"`   // to what, or how much
	Description string `json:"description"`
	Quote       string `json:"quote"`
}

// An Extractor draws facts from snippets.
type Extractor interface {
	// Extract returns the facts of a snippet in its order, each once, who drew them, and what that took. On an error nothing was
	// drawn, and it may have cost something all the same.
	Extract(ctx context.Context, s Snippet) (facts []Draft, by string, spent budget.Amount, err error)
}

// gist is what makes a fact the same one: its words, whatever their forms, who reports them aside. Another figure, year or place,
// a "not", a "may" make another fact: what differs in a word that counts is rather told twice than taken for the same.
func (d Draft) gist() string { return hash("fact", words(core(d.Description))) }

// core is a sentence without "However," before it and ", the agency said" behind it.
func core(s string) string {
	ws := split(s)
	from, to := 0, len(ws)
	for from < len(ws)-1 && leading[ws[from].low] {
		from++
	}
	for i := len(ws) - 1; i > from; i-- {
		if hasDigit(ws[i].low) {
			break
		}
		if reporting[ws[i].low] {
			for k := i; k > from+2 && k > i-8; k-- {
				if ws[k-1].comma {
					to = k
					break
				}
			}
			break
		}
	}
	if from >= to {
		return s
	}
	return s[ws[from].start:ws[to-1].end]
}

// words are the words of a text without their forms: in order, without articles and what else says nothing, with every
// figure and denial.
func words(s string) string {
	var out []string
	for _, w := range claim.Read(s).Words {
		switch {
		case w.Mark && !strings.ContainsAny(w.Text, "%$€£+-"), articles[w.Text]:
		case w.Figure || w.Denies || w.Mark || auxiliaries[w.Text]:
			out = append(out, w.Text)
		default:
			out = append(out, w.Stem)
		}
	}
	return strings.Join(out, " ")
}

var articles = map[string]bool{"a": true, "an": true, "the": true}

// once leaves out what was drawn before, and what is beyond the limit.
func once(facts []Draft) []Draft {
	seen := map[string]bool{}
	facts = slices.DeleteFunc(facts, func(d Draft) bool {
		g := d.gist()
		again := seen[g]
		seen[g] = true
		return again
	})
	return facts[:min(len(facts), maxFacts)]
}

// kindOf says what shape a fact has by its parts.
func kindOf(relation, target string) Kind {
	verb, _, _ := strings.Cut(strings.ToLower(relation), " ")
	first, _, _ := strings.Cut(strings.ToLower(target), " ")
	switch {
	case hasFigure(target):
		return Figure
	case copulas[verb] && len(strings.Fields(relation)) == 1 && (articles[first] || first == "one"):
		return Definition
	}
	return Relation
}

// hasFigure reports whether a text states a quantity: a year alone is none.
func hasFigure(s string) bool { return len(claim.Quantities(s)) > 0 }
