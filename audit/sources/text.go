package sources

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/evidence"
)

const (
	shingle   = 5       // words in a row that are compared (Broder 1997, On the resemblance and containment of documents)
	copied    = 0.5     // of the shorter text's shingles, from which on it is a copy
	fewest    = 4       // shingles that two texts share at least: eight words in a row
	maxHashes = 1 << 19 // of all sources together; of longer texts every second, fourth … shingle is kept
	maxText   = 4 << 20 // bytes of one source that are looked at
)

// A sketch is the shingles of a text as hashes, sorted, each once.
type sketch []uint64

// thinning is the mask that a hash must be clear of, so that the sketches of texts of so many bytes stay bounded.
func thinning(size int) uint64 {
	mask := uint64(0)
	for n := size / 5; n > maxHashes; n /= 2 {
		mask = mask<<1 | 1
	}
	return mask
}

// sketchOf makes a sketch of texts. A text shorter than a shingle has none.
func sketchOf(mask uint64, texts ...string) sketch {
	var s sketch
	for _, t := range texts {
		scan(t, func(h uint64, _, _ int) {
			if h&mask == 0 {
				s = append(s, h)
			}
		})
	}
	slices.Sort(s)
	return slices.Compact(s)
}

// within says how many shingles two sketches share, and of how many.
func within(a, b sketch) (common, of int) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			common, i, j = common+1, i+1, j+1
		}
	}
	return common, min(len(a), len(b))
}

// alike reports whether one of two texts holds most of the other, word for word.
func alike(a, b sketch) bool {
	common, of := within(a, b)
	return common >= fewest && float64(common) >= copied*float64(of)
}

// scan calls f with the hash of each run of words of a text, and with where the run begins and ends. Words are folded to
// lower case; where a script does not part its words, each letter is one.
func scan(text string, f func(hash uint64, start, end int)) {
	const prime = 0x9E3779B97F4A7C15
	var ring [shingle]struct {
		hash  uint64
		start int
	}
	n := 0
	word := func(h uint64, start, end int) {
		ring[n%shingle].hash, ring[n%shingle].start = h, start
		if n++; n < shingle {
			return
		}
		sum := uint64(0)
		for i := range shingle {
			sum = sum*prime + ring[(n+i)%shingle].hash
		}
		sum ^= sum >> 32
		sum *= prime
		f(sum^sum>>29, ring[n%shingle].start, end)
	}
	const offset = 14695981039346656037
	h, start := uint64(offset), -1
	for i, r := range text {
		if r < utf8.RuneSelf {
			if 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
			if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
				if start < 0 {
					start = i
				}
				h = (h ^ uint64(r)) * 1099511628211
				continue
			}
		} else if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) {
			alone := unspaced(r)
			if alone && start >= 0 {
				word(h, start, i)
				h, start = offset, -1
			}
			if start < 0 {
				start = i
			}
			h = (h ^ uint64(unicode.ToLower(r))) * 1099511628211
			if alone {
				word(h, start, i+utf8.RuneLen(r))
				h, start = offset, -1
			}
			continue
		}
		if start >= 0 && r != '\'' && r != '’' && r != 0xAD {
			word(h, start, i)
			h, start = offset, -1
		}
	}
	if start >= 0 {
		word(h, start, len(text))
	}
}

func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// shared is the longest run of words of b, in one span, that a has too.
func shared(a sketch, b []evidence.Span, mask uint64) (words string, at evidence.Locator) {
	const enough = 160 // bytes
	for _, s := range b {
		from, to := -1, -1
		scan(s.Text, func(h uint64, start, end int) {
			if len(words) >= enough {
				return
			}
			_, in := slices.BinarySearch(a, h)
			switch {
			case h&mask != 0 && from >= 0: // not known: goes on
			case !in:
				from = -1
				return
			case from < 0:
				from = start
			}
			if from >= 0 && in {
				if to = end; to-from > len(words) {
					words, at = s.Text[from:to], s.Locator
				}
			}
		})
		if len(words) >= enough {
			break
		}
	}
	return excerpt(words), at
}

// holds reports whether a text has one of some parts of words.
func holds(low string, stems []string) bool {
	return slices.ContainsFunc(stems, func(s string) bool { return strings.Contains(low, s) })
}
