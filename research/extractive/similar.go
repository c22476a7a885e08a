package extractive

import "unicode"

// shingles are hashes of the character 5-grams of a text, letters and digits only.
func shingles(s string) map[uint32]bool {
	out := make(map[uint32]bool, len(s))
	var window [5]rune
	n := 0
	for _, c := range s {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			continue
		}
		copy(window[:], window[1:])
		window[4] = unicode.ToLower(c)
		if n++; n < 5 {
			continue
		}
		h := uint32(2166136261)
		for _, c := range window {
			h = (h ^ uint32(c)) * 16777619
		}
		out[h] = true
	}
	return out
}

// jaccard is the share that two sets have in common, 0…1.
func jaccard(a, b map[uint32]bool) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	both := 0
	for h := range a {
		if b[h] {
			both++
		}
	}
	if all := len(a) + len(b) - both; all > 0 {
		return float64(both) / float64(all)
	}
	return 0
}

// within is the share of a that b has, 0…1.
func within(a, b map[uint32]bool) float64 {
	if len(a) == 0 {
		return 0
	}
	both := 0
	for h := range a {
		if b[h] {
			both++
		}
	}
	return float64(both) / float64(len(a))
}
