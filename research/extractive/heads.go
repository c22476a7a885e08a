package extractive

import "strings"

// headLength is how many letters of a word a head has, five bits each.
const headLength = 4

// heads is a set of beginnings of words. A stem keeps the beginning of its word, so a word with another one has none of
// the stems that are wanted and need not be stemmed.
type heads [1 << (5*headLength - 6)]uint64

// head is the place of a word's beginning; ok is false for a word that does not begin with ASCII letters alone.
func head(w string) (place int, ok bool) {
	for i := range headLength {
		place <<= 5
		if i < len(w) {
			c := w[i] | 0x20
			if c < 'a' || c > 'z' {
				return 0, false
			}
			if c == 'y' { // cries, cry
				c = 'i'
			}
			place |= int(c-'a') + 1
		}
	}
	return place, true
}

// add notes a beginning; a short one stands for all that begin with it. A short stem may have got its "e" from the
// stemmer: use, using.
func (h *heads) add(s string) {
	if len(s) <= headLength {
		s = strings.TrimSuffix(s, "e")
	}
	place, ok := head(s)
	if !ok {
		return
	}
	many := 1
	for i := len(s); i < headLength; i++ {
		many <<= 5
	}
	for p := place; p < place+many; p++ {
		h[p/64] |= 1 << (p % 64)
	}
}

// has says whether a word may have one of the beginnings.
func (h *heads) has(w string) bool {
	place, ok := head(w)
	return !ok || h[place/64]>>(place%64)&1 == 1
}

// only returns a reader for words with one of these stems, and for those that are suspect.
func only(lang *language, stems []string) *reader {
	r := newReader(lang)
	r.stems, r.suspects = new(heads), new(heads)
	for _, s := range stems {
		r.stems.add(s)
		if lang == german { // whose stems have lost the "ge" in front
			r.stems.add("ge" + s)
		}
	}
	for s := range suspects {
		r.suspects.add(s)
	}
	return r
}

// matters says whether a word may be one that the reader is for.
func (r *reader) matters(w string) bool {
	return r.stems == nil || r.stems.has(w) || r.suspects.has(w)
}
