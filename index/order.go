package index

import "strings"

// order sorts candidates: higher scores first, ties by key.
func (x *Index) order(a, b candidate) int {
	switch {
	case a.score > b.score:
		return -1
	case a.score < b.score:
		return 1
	}
	return compareKeys(x.items[a.item].key, x.items[b.item].key)
}

// compareKeys orders keys as a person would: S2 before S10.
func compareKeys(a, b string) int {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		if digit(rune(a[i])) && digit(rune(b[j])) {
			m, n := run(a[i:]), run(b[j:])
			x, y := strings.TrimLeft(a[i:i+m], "0"), strings.TrimLeft(b[j:j+n], "0")
			if len(x) != len(y) {
				return len(x) - len(y)
			}
			if c := strings.Compare(x, y); c != 0 {
				return c
			}
			i, j = i+m, j+n
			continue
		}
		if a[i] != b[j] {
			return int(a[i]) - int(b[j])
		}
		i, j = i+1, j+1
	}
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

func run(s string) (n int) {
	for n < len(s) && digit(rune(s[n])) {
		n++
	}
	return n
}
