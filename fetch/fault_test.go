package fetch

import (
	"testing"
	"unicode/utf8"
)

func TestExcerpt(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"short", 5, "short"}, {"longer", 5, "longe…"}, {" two\n\t lines ", 20, "two lines"}, {"\xffx\x00", 9, "x\x00"}, {"ééé", 3, "é…"}, {"", 3, ""},
	} {
		if got := Excerpt(c.in, c.n); got != c.want || !utf8.ValidString(got) {
			t.Errorf("%q to %d: %q, want %q", c.in, c.n, got, c.want)
		}
	}
}
