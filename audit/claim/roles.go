package claim

import (
	"fmt"
	"slices"
)

// checkRoles looks for a claim that has the very words of a sentence of the quote, with two of its parts in each other's
// place: "Jones defeated Smith" for "Smith defeated Jones".
func (p *pair) checkRoles() {
	for _, m := range p.align {
		if m.sent < 0 || m.share < 1 || m.back < 1 {
			continue
		}
		a, b := p.claim.plainWords(m.claimAt), p.quote.plainWords(m.quoteAt)
		if len(a) != len(b) || len(a) > maxCopied || len(a) < 3 || slices.EqualFunc(a, b, sameWord) {
			continue
		}
		if x, y, ok := exchanged(a, b); ok {
			said, there := p.claim.span(m.claimAt[0], m.claimAt[1]), p.quote.span(m.quoteAt[0], m.quoteAt[1])
			p.add(NumberRole, Block, said, there, fmt.Sprintf("%q and %q have changed places. Give each what the quote gives it.", join(x), join(y)))
		}
	}
}

// plainWords are the words of a range without punctuation.
func (t *text) plainWords(at [2]int) []word {
	var out []word
	for _, w := range t.words[at[0]:at[1]] {
		if w.kind != mark {
			out = append(out, w)
		}
	}
	return out
}

func sameWord(a, b word) bool { return a.s == b.s }

// maxPart is how many words a part has that changes places.
const maxPart = 5

// exchanged reports whether b is a with two of its parts, x and y, in each other's place, and a word between them that
// gives them different roles.
func exchanged(a, b []word) (x, y []word, ok bool) {
	from := false // Peru to Chile
	for len(a) > 0 && sameWord(a[0], b[0]) {
		from = a[0].s == "from"
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && sameWord(a[len(a)-1], b[len(b)-1]) {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	n := len(a)
	for i := 1; i <= min(maxPart, n-2); i++ {
		if !slices.EqualFunc(a[:i], b[n-i:], sameWord) {
			continue
		}
		for j := 1; j <= min(maxPart, n-i-1); j++ {
			if slices.EqualFunc(a[n-j:], b[:j], sameWord) && slices.EqualFunc(a[i:n-j], b[j:n-i], sameWord) && (from && n-j-i == 1 && a[i].s == "to" || directed(a[i:n-j])) {
				return a[:i], a[n-j:], true
			}
		}
	}
	return nil, nil, false
}

// directed reports whether the words between two parts give each a role of its own: a verb or a comparison does, "and", "is"
// and "meets" do not.
func directed(between []word) bool {
	return len(between) > 0 && slices.ContainsFunc(between, func(w word) bool { return !mutual[w.s] })
}

var mutual = set(`and or nor plus with meet meets met marry marries married border borders bordered equal equals resemble resembles versus vs against is are was were be been being
	as well both the a an of in to for also like unlike adjoin adjoins differ differs from between while whereas but about`)

func join(ws []word) string {
	s := ""
	for i, w := range ws {
		if i > 0 {
			s += " "
		}
		s += w.s
	}
	return s
}
