package extractive

import (
	"strings"
	"unicode"
)

// mostTopic bounds the terms of a topic that has to be met; a longer one is left to coverage.
const mostTopic = 3

// A part is a sub-question made ready for scoring.
type part struct {
	subquestion
	ask   ask
	terms []term
	topic []string // stems of what it is about, where that is short
	named bool     // some terms are names
}

// A term is one content word of a part.
type term struct {
	stem string
	word string   // as asked
	kin  []string // words that answers use in its place
	alts []string // their stems
	name bool     // written as a name or a number
	own  bool     // no other part has it
	head bool     // an answer has to speak of it
}

// ready prepares the sub-questions of the plan.
func (n *notes) ready(r *reader) []part {
	related := relatives(r)
	parts := make([]part, len(n.plan))
	times := map[string]int{}
	for i, q := range n.plan {
		parts[i] = newPart(r, q, related)
		for _, t := range parts[i].terms {
			times[t.stem]++
		}
	}
	for i := range parts {
		for j := range parts[i].terms {
			parts[i].terms[j].own = len(parts) > 1 && times[parts[i].terms[j].stem] == 1
		}
	}
	return parts
}

func newPart(r *reader, q subquestion, related map[string][]string) part {
	p := part{subquestion: q, ask: askOf(q.Question)}
	seen := map[string]bool{}
	for i, w := range split(q.Question) {
		stem := r.term(w.text)
		if stem == "" || seen[stem] {
			continue
		}
		seen[stem] = true
		first := []rune(w.text)[0]
		t := term{stem: stem, word: w.text, name: i > 0 && (unicode.IsUpper(first) || unicode.IsDigit(first))}
		if !t.name {
			t.kin = related[stem]
			for _, k := range t.kin {
				t.alts = append(t.alts, r.term(k))
			}
		}
		p.named = p.named || t.name
		p.terms = append(p.terms, t)
	}
	if headed(p.ask) && len(p.terms) > 1 {
		p.terms[0].head = true
	}
	if asking.MatchString(q.Question) {
		p.topic = shortTopic(r, q.Question)
	}
	return p
}

// shortTopic is the stems of the noun phrase that a question is about, without what is said of it; nil if they are many.
func shortTopic(r *reader, question string) []string {
	topic := topicOf(strings.TrimRight(question, "?"))
	topic, _, _ = strings.Cut(topic, " being ")
	var out []string
	for t := range r.set(topic) {
		out = append(out, t)
	}
	if len(out) > mostTopic {
		return nil
	}
	return out
}

// relatives is the table of related words by stem, a term's own forms left out.
func relatives(r *reader) map[string][]string {
	table := map[string][]string{}
	have := map[string]bool{}
	for _, group := range kin {
		for _, w := range group {
			t := r.term(w)
			have[t+" "+t] = true
			for _, other := range group {
				if o := r.term(other); t != "" && o != "" && !have[t+" "+o] {
					have[t+" "+o] = true
					table[t] = append(table[t], other)
				}
			}
		}
	}
	return table
}

// set is the distinct terms of a text.
func (r *reader) set(s string) map[string]bool {
	m := map[string]bool{}
	for _, t := range r.terms(s) {
		m[t] = true
	}
	return m
}
