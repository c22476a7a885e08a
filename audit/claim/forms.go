package claim

import (
	"slices"
	"strings"
	"unicode"
)

// family reports whether the text has a word that a word is derived of or made of, or the other way round.
func (t *text) family(s string) bool {
	for i := range t.words {
		q := &t.words[i]
		if q.kind == letters && len(q.s) > 3 && q.s[0] == s[0] && q.s[:3] == s[:3] && (kin(s, q.s) || joinedWord(s, q.s) || joinedWord(q.s, s)) {
			return true
		}
	}
	return false
}

// joinedWord reports whether one word is another with a third one behind it: rainfall, playback.
func joinedWord(long, short string) bool {
	rest, ok := strings.CutPrefix(long, cutEnding(short))
	return ok && len(rest) >= 3 && len(short) >= 4 && len(related().readings(nil, rest)) > 0
}

// inflected reports whether the text has a word that differs from s in at most its last three letters, as those of other
// languages do.
func (t *text) inflected(s string) bool {
	if len(s) < 4 {
		return false
	}
	for i := range t.words {
		q := &t.words[i]
		if q.kind == letters && len(q.s) > 3 && q.s[:3] == s[:3] {
			k := 0
			for k < len(q.s) && k < len(s) && q.s[k] == s[k] {
				k++
			}
			if k >= 4 && max(len(q.s), len(s))-k <= 3 || k >= 6 && max(len(q.s), len(s))-k <= 5 {
				return true
			}
		}
		if base, ok := strings.CutPrefix(q.s, "ge"); ok && len(base) > 4 && base[:4] == s[:4] {
			return true
		}
		if base, ok := strings.CutPrefix(s, "ge"); ok && len(base) > 4 && len(q.s) > 4 && base[:4] == q.s[:4] {
			return true
		}
	}
	return false
}

// A compound is a word with what it may be one of: one word with the one beside it, or two by itself.
type compound struct {
	joined []string // stems of it and the word beside it in one
	s      string
	heads  []string // stems of its beginnings, from three letters on
}

// compound is what word i may be a compound of or belong to.
func (t *text) compound(i int) compound {
	c := compound{s: t.words[i].s}
	if next := t.at(i + 1); next.kind == letters {
		c.joined = append(c.joined, stem(c.s+next.s))
	}
	if before := t.at(i - 1); before.kind == letters {
		c.joined = append(c.joined, stem(before.s+c.s))
	}
	if len(c.s) >= 6 {
		for cut := 3; cut+3 <= len(c.s); cut++ {
			c.heads = append(c.heads, stem(c.s[:cut]))
		}
	}
	return c
}

// compounds reports whether the text has a word of another in one with the one beside it, or in two.
func (t *text) compounds(c compound) bool {
	if slices.ContainsFunc(c.joined, t.has) {
		return true
	}
	for k, head := range c.heads {
		for _, j := range t.places(head) {
			if next, rest := t.at(j+1), c.s[3+k:]; next.kind == letters && next.s != "" && (next.s == rest || next.stem == stem(rest)) {
				return true
			}
		}
	}
	return false
}

// abbreviates reports whether the text has, for word i of another, a shorter form that ends in a full stop (dept.), or the
// initials of the words that it stands among (AI).
func (t *text) abbreviates(c *text, i int) bool {
	w := &c.words[i]
	for j := range t.words {
		q := &t.words[j]
		if q.kind != letters || q.s == "" || len(w.s) <= len(q.s) {
			continue
		}
		if len(q.s) > 1 && q.s[0] == w.s[0] && t.at(j+1).s == "." && t.at(j+1).start == q.end && subsequence(q.s, w.s) {
			return true
		}
		if n := len(q.s); n >= 2 && n <= 5 && q.capital && inCapitals(t.raw[q.start:q.end]) && (c.initials(i, q.s) || c.sameNumber(i, t, j) && q.s[0] == w.s[0] && subsequence(q.s, w.s)) {
			return true
		}
	}
	return false
}

// inCapitals reports whether a text has no letter that could be a capital and is none.
func inCapitals(s string) bool {
	for _, r := range s {
		if unicode.ToUpper(r) != r {
			return false
		}
	}
	return true
}

// sameNumber reports whether the same number stands behind word i of a text and word j of another: interleukin-2, IL-2.
func (t *text) sameNumber(i int, o *text, j int) bool {
	a, b := t.at(i+1), o.at(j+1)
	return a.kind == digits && b.kind == digits && a.s == b.s
}

// subsequence reports whether the letters of a stand in b in their order.
func subsequence(a, b string) bool {
	k := 0
	for i := 0; i < len(b) && k < len(a); i++ {
		if a[k] == b[i] {
			k++
		}
	}
	return k == len(a)
}

// initials reports whether word i is one of as many in a row as s has letters, which are their initials.
func (t *text) initials(i int, s string) bool {
	for from := i - len(s) + 1; from <= i; from++ {
		ok := from >= 0
		for k := 0; ok && k < len(s); k++ {
			w := t.at(from + k)
			ok = w.kind == letters && w.s != "" && w.s[0] == s[k]
		}
		if ok {
			return true
		}
	}
	return false
}

// derivations are endings that make a word of another: of two words with one beginning and such endings, one is said of
// what the other is.
var derivations = set(`e s ed ing er or ers ors ion ions tion ation ations ition sion ment ments al ally ial ance ence ant ent ants ents able ible ive ively ative ity ties ness y ies ic ics ical ically
 ist ists ism ize ise ized ised izing ising ization isation ian ians an en ful fully ous ly th ry ery age ship hood dom ees ee ure ures is es us um ette`)

// partner reports whether a is who does and b to whom it is done: employer and employee.
func partner(a, b string) bool {
	a, b = strings.TrimSuffix(a, "s"), strings.TrimSuffix(b, "s")
	base, ok := strings.CutSuffix(b, "ee")
	return ok && (a == base+"er" || a == base+"or")
}

// kin reports whether two words are, as far as their letters tell, of one family: they begin alike and end in what derives
// words.
func kin(a, b string) bool {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n < 4 || 5*n < 3*max(len(a), len(b)) || partner(a, b) || partner(b, a) {
		return false
	}
	for cut := n; cut >= max(4, n-2); cut-- { // decid-e, deci-sion
		if (a[cut:] == "" || derivations[a[cut:]]) && (b[cut:] == "" || derivations[b[cut:]]) {
			return true
		}
	}
	return false
}
