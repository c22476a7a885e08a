package evidence

import (
	"iter"
	"strings"
)

// Bones are a folded text without its spaces and hyphens, which is what stays the same however a word that was broken
// at a line's end is read.
type bones struct {
	text string // the folded text
	key  string // without spaces, hyphens and the marks of hyphens at a line's end
	pos  []int  // where each byte of key stands in text
}

func skeleton(text string) bones {
	key, pos := make([]byte, 0, len(text)), make([]int, 0, len(text))
	for i := 0; i < len(text); i++ {
		if !gapByte(text[i]) {
			key, pos = append(key, text[i]), append(pos, i)
		}
	}
	return bones{text, string(key), pos}
}

func gapByte(c byte) bool { return c == ' ' || c == '-' || c == lineHyphen || c == hardLineHyphen }

// find yields where form stands in the text if each hyphen at a line's end, on either side, is read the way that suits.
func (b bones) find(form string) iter.Seq[extent] {
	return func(yield func(extent) bool) {
		q := skeleton(form)
		if q.key == "" {
			return
		}
		for k := range occurrences(b.key, q.key) {
			if e, ok := b.fit(q, k); ok && !yield(e) {
				return
			}
		}
	}
}

// fit compares the gaps between the letters of q with those of the text from key byte k on.
func (b bones) fit(q bones, k int) (extent, bool) {
	n := len(q.key)
	start, end := b.pos[k], b.pos[k+n-1]+1
	lead, trail := q.text[:q.pos[0]], q.text[q.pos[n-1]+1:]
	if !strings.HasSuffix(b.text[:start], lead) || !strings.HasPrefix(b.text[end:], trail) {
		return extent{}, false
	}
	for i := 1; i < n; i++ {
		if !sameGap(b.text[b.pos[k+i-1]+1:b.pos[k+i]], q.text[q.pos[i-1]+1:q.pos[i]]) {
			return extent{}, false
		}
	}
	return extent{start - len(lead), end + len(trail)}, true
}

// sameGap reports whether two gaps between letters have a reading in common.
func sameGap(a, b string) bool {
	if a == b {
		return true
	}
	for _, x := range readings(a) {
		for _, y := range readings(b) {
			if x == y {
				return true
			}
		}
	}
	return false
}

func readings(gap string) []string {
	switch gap {
	case string(lineHyphen):
		return []string{"", "-", "- "}
	case string(hardLineHyphen):
		return []string{"-", "- "}
	}
	return []string{gap}
}
