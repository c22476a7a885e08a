package evidence

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A generator writes invented prose in plain typography, and sets it as pages and careful copyists do.
type generator struct{ *rand.Rand }

func newGenerator(seed uint64) generator { return generator{rand.New(rand.NewPCG(seed, 7))} }

func (g generator) pick(s ...string) string { return s[g.IntN(len(s))] }

// word is an invented word of one to four syllables; none of them is a number word.
func (g generator) word() string {
	var b strings.Builder
	for range 1 + g.IntN(4) {
		b.WriteString(g.pick("b", "d", "f", "g", "k", "l", "m", "p", "r", "s", "t", "v", "st", "fl", "ff", "tr"))
		b.WriteString(g.pick("a", "e", "i", "o", "u", "é", "ö", "ia", "ou"))
		b.WriteString(g.pick("", "n", "r", "l", "m", "s", "x"))
	}
	return b.String()
}

// token is a word, a number or something between.
func (g generator) token() string {
	switch g.IntN(20) {
	case 0:
		return fmt.Sprintf("%d.%d", g.IntN(90)+1, g.IntN(9)+1)
	case 1:
		return fmt.Sprintf("$%d,%03d", g.IntN(900)+1, g.IntN(1000))
	case 2:
		return fmt.Sprintf("%d", 1000+g.IntN(1100))
	case 3:
		return fmt.Sprintf("%d-%d", 10+g.IntN(40), 50+g.IntN(40))
	case 4:
		return g.word() + "-" + g.word()
	case 5:
		return g.word() + "'s"
	case 6:
		return `"` + g.word() + " " + g.word() + `"`
	case 7:
		return g.word() + ","
	case 8:
		return g.word() + " - " + g.word()
	case 9:
		return g.word() + "; " + g.word()
	case 10:
		return "(" + g.word() + " = " + fmt.Sprint(g.IntN(99)) + ")"
	}
	return g.word()
}

// text is about n bytes of sentences.
func (g generator) text(n int) string {
	var b strings.Builder
	for b.Len() < n {
		s := g.word()
		b.WriteString(strings.ToUpper(s[:1]) + s[1:])
		for range 8 + g.IntN(16) {
			b.WriteString(" " + g.token())
		}
		b.WriteString(" " + g.word() + ". ")
	}
	return strings.TrimSpace(b.String())
}

// slice is a stretch of words of a text whose edges stand between two plain words.
func (g generator) slice(text string, words int) string {
	plain := func(w string) bool {
		return strings.IndexFunc(w, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
	}
	fields := strings.Fields(text)
	for tries := 1; ; tries++ {
		if tries%200 == 0 {
			words++
		}
		i := 1 + g.IntN(len(fields)-words-2)
		j := i + words
		if plain(fields[i-1]) && plain(fields[i]) && plain(fields[j-1]) && plain(fields[j]) {
			return strings.Join(fields[i:j], " ")
		}
	}
}

// set gives a text other typography: with chance p a place in it is set otherwise. asSource also breaks words over lines.
func (g generator) set(text string, p float64, asSource bool) string {
	var b strings.Builder
	rs := []rune(text)
	open := false
	for i, r := range rs {
		var before, after rune
		if i > 0 {
			before = rs[i-1]
		}
		if i+1 < len(rs) {
			after = rs[i+1]
		}
		s := string(r)
		inWord := unicode.IsLetter(before) && unicode.IsLetter(r) && unicode.IsLetter(after)
		if g.Float64() < p {
			switch {
			case r == ' ' && before != '-' && after != '-':
				s = g.pick("\u00a0", "  ", "\n", "\r\n", "\t", "\u2009", " \u200b ", "\u202f")
			case r == '"' && open:
				s = g.pick("”", "“", "»", "″")
			case r == '"':
				s = g.pick("“", "„", "«")
			case r == '\'':
				s = g.pick("’", "′", "ʼ")
			case r == '-' && before == ' ' && after == ' ':
				s = g.pick("–", "—", "--", "―")
			case r == '-':
				s = g.pick("‐", "‑", "–", "−")
				if asSource && unicode.IsLetter(before) && unicode.IsLetter(after) {
					s = g.pick("-\n", "‐\r\n", "\u0002\r\n", "\u0002")
				}
			case r == 'i' && before == 'f' || r == 'l' && before == 'f' || r == 'f' && before == 'f':
			case r == 'f' && (after == 'i' || after == 'l' || after == 'f') && inWord:
			case r == 's' && inWord && g.IntN(4) == 0:
				s = "ſ"
			case inWord && asSource && i > 2 && unicode.IsLetter(rs[i-2]) && i+2 < len(rs) && unicode.IsLetter(rs[i+2]):
				s = g.pick("-\n", "\u00ad\n", "\u0002\r\n", "\u00ad", "\u200b") + s
			case inWord:
				s = g.pick("\u00ad", "\u200b", "\u2060") + s
			case unicode.IsDigit(r) && g.IntN(4) == 0:
				s = string(r - '0' + g.any('０', '𝟎', '𝟗'-9))
			case r == 'é' || r == 'ö':
				s = norm.NFD.String(s)
			}
		}
		if r == '"' {
			open = !open
		}
		b.WriteString(s)
	}
	s := b.String()
	if g.Float64() < p {
		s = strings.NewReplacer("ffi", "ﬃ", "ffl", "ﬄ", "ff", "ﬀ", "fi", "ﬁ", "fl", "ﬂ").Replace(s)
	}
	if g.Float64() < p {
		s = norm.NFD.String(s)
	}
	return s
}

func (g generator) any(rs ...rune) rune { return rs[g.IntN(len(rs))] }

// alter returns the text with another letter, digit, word or edge, and what was done.
func (g generator) alter(text string) (string, string) {
	rs := []rune(text)
	words := strings.Fields(text)
	for {
		i := 1 + g.IntN(len(rs)-1)
		k := 1 + g.IntN(len(words)-2)
		switch r := rs[i]; g.IntN(8) {
		case 0:
			if unicode.IsDigit(r) {
				rs[i] = '0' + (r-'0'+1+rune(g.IntN(9)))%10
				return string(rs), "digit changed"
			}
		case 1:
			if unicode.IsDigit(r) {
				return string(rs[:i]) + string(rs[i+1:]), "digit dropped"
			}
		case 2:
			if r >= 'a' && r <= 'z' {
				rs[i] = 'a' + (r-'a'+1+rune(g.IntN(25)))%26
				return string(rs), "letter changed"
			}
		case 3:
			if unicode.IsLetter(r) && unicode.IsLetter(rs[i-1]) {
				rs[i] = unicode.ToUpper(r)
				return string(rs), "case changed"
			}
		case 4:
			if r == 'é' || r == 'ö' {
				rs[i] = map[rune]rune{'é': 'e', 'ö': 'o'}[r]
				return string(rs), "accent dropped"
			}
		case 5:
			return strings.Join(append(words[:k:k], words[k+1:]...), " "), "word dropped"
		case 6:
			return strings.Join(append(words[:k:k], append([]string{"...", g.word()}, words[k+1:]...)...), " "), "ellipsis"
		case 7:
			if n := len([]rune(words[0])); n > 3 {
				return string(rs[n-2:]), "word cut"
			}
		}
	}
}

// page returns n spans of about size bytes, clean and as set, as one document.
func (g generator) page(kind Kind, n, size int, noise float64) (clean []string, d *Doc) {
	var spans []Span
	for i := range n {
		c := g.text(size)
		clean = append(clean, c)
		spans = append(spans, Span{Source: "S1", Locator: Locator{Unit: Para, A: i + 1}, Text: g.set(c, noise, kind == PDF)})
	}
	return clean, NewDoc(kind, spans)
}

// same is how a test compares a quote with what was matched: without spaces, hyphens and what is at the ends, and with
// the first letter small; everything else must agree.
func same(a, b string) bool {
	key := func(s string) string {
		s = strings.Trim(skeleton(fold(s, false).text).key, `"'.,;:`)
		return strings.ToLower(s[:min(1, len(s))]) + s[min(1, len(s)):]
	}
	return key(a) == key(b)
}

// Honest copies of any slice match, whatever the typography of either side; the same slices altered do not.
func TestMatchGenerated(t *testing.T) {
	g := newGenerator(1)
	for _, kind := range []Kind{HTML, PDF} {
		for _, noise := range []float64{0, 0.03, 0.3} {
			t.Run(fmt.Sprint(kind, noise), func(t *testing.T) {
				clean, d := g.page(kind, 20, 700, noise)
				for range 500 {
					i := g.IntN(len(clean))
					loc := Locator{Unit: Para, A: i + 1}
					quote := g.slice(clean[i], 4+g.IntN(12))
					for _, copied := range []string{quote, g.set(quote, 0.1, false), g.set(quote, 0.5, false), quote + ".", `"` + quote + `"`, strings.ToUpper(quote[:1]) + quote[1:]} {
						m := d.Match(loc, copied)
						if !m.OK() || !same(m.Quote, copied) || m.Quote != d.spans[i].Text[m.Start:m.End] {
							t.Fatalf("%s: honest copy refused (%s)\n quote  %q\n copied %q\n source %q", kind, m.Reason, quote, copied, d.spans[i].Text)
						}
					}
					if m := d.Match(loc, quote); (m.Kind == MatchExact) != (m.Quote == quote) {
						t.Fatalf("%s, and %q for %q", m.Kind, m.Quote, quote)
					}
					bad, how := g.alter(quote)
					if m := d.Match(loc, bad); m.OK() {
						t.Fatalf("%s accepted (%s)\n quote  %q\n forged %q\n source %q", how, m.Kind, quote, bad, m.Quote)
					} else if how == "word cut" && m.Reason != ReasonInsideWord || how == "ellipsis" && m.Reason != ReasonEllipsis {
						t.Fatalf("%s: reason %s\n quote  %q\n forged %q", how, m.Reason, quote, bad)
					}
				}
			})
		}
	}
}

// Every single letter and digit of a quote counts.
func TestMatchEveryCharacter(t *testing.T) {
	g := newGenerator(2)
	clean, d := g.page(HTML, 3, 700, 0.05)
	for i, text := range clean {
		quote := g.slice(text, 25)
		rs := []rune(quote)
		for k, r := range rs {
			var to []rune
			switch {
			case unicode.IsDigit(r):
				to = []rune{'0' + (r-'0'+1)%10, '0' + (r-'0'+7)%10, -1}
			case unicode.IsLetter(r):
				to = []rune{'a' + (unicode.ToLower(r)+1)%26, -1}
				if k > 0 {
					to = append(to, unicode.ToUpper(r))
				}
			default:
				continue
			}
			for _, c := range to {
				if c == r {
					continue
				}
				forged := string(rs[:k]) + string(c) + string(rs[k+1:])
				if c == -1 {
					forged = string(rs[:k]) + string(rs[k+1:])
				}
				if same(forged, quote) { // one of two like letters at the front dropped
					continue
				}
				if m := d.Match(Locator{Unit: Para, A: i + 1}, forged); m.OK() {
					t.Fatalf("%q passed for %q", forged, quote)
				}
			}
		}
	}
}
