package evidence

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// letters are the letters and digits of a text, which no typography changes.
func letters(s string) []rune {
	var rs []rune
	for _, r := range fold(s, false).text {
		if wordRune(r) {
			rs = append(rs, r)
		}
	}
	return rs
}

func digits(s string) string {
	var b strings.Builder
	for _, r := range fold(s, false).text {
		if numeric(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// sameLetters compares letters but for the case of the first, or of all.
func sameLetters(a, b []rune, loose bool) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := a[i], b[i]
		if x == y || (i == 0 || loose) && (unicode.ToLower(x) == unicode.ToLower(y) || unicode.ToUpper(x) == unicode.ToUpper(y) || unicode.ToLower(x) == y || unicode.ToLower(y) == x) {
			continue
		}
		return false
	}
	return true
}

func FuzzMatch(f *testing.F) {
	g := newGenerator(5)
	for i := range 20 {
		text := g.text(400)
		f.Add(g.set(text, 0.2, true), g.set(g.slice(text, 5), 0.2, false), uint8(i), uint16(i*7), uint16(i*11+40))
	}
	f.Add("a—b", "a - b c", uint8(0), uint16(0), uint16(5))
	f.Add("e\u0301 \u0301 \u1100\u1161\u11a8 ﬁ…", "é 각 fi...", uint8(2), uint16(0), uint16(9))
	f.Add("14 306 −5 10² ½ twenty\u00ad\nsix", "twenty-six", uint8(1), uint16(0), uint16(9))
	kinds := []Kind{HTML, PDF, Transcript, Repo}
	f.Fuzz(func(t *testing.T, text, quote string, k uint8, i, j uint16) {
		kind := kinds[int(k)%len(kinds)]
		checkMap(t, text, fold(text, kind == Repo))
		check := func(quote string) Match {
			m := MatchText(kind, text, quote, Limits{1, 1})
			if !m.OK() {
				if m.Reason == "" || m.Quote != "" {
					t.Fatalf("%q in %q: %+v", quote, text, m)
				}
				return m
			}
			if m.Start < 0 || m.Start >= m.End || m.End > len(text) || m.Quote != text[m.Start:m.End] || m.Reason != "" {
				t.Fatalf("%q in %q: %+v", quote, text, m)
			}
			if utf8.ValidString(text) && !utf8.ValidString(m.Quote) {
				t.Fatalf("%q in %q: cuts a character: %+v", quote, text, m)
			}
			if cuts(text, m.Start, m.End, kind == Repo) != cutNothing {
				t.Fatalf("%q in %q: cut: %+v", quote, text, m)
			}
			if digits(quote) != digits(m.Quote) || !sameLetters(letters(quote), letters(m.Quote), m.Kind == MatchLoose) {
				t.Fatalf("%q in %q: other letters: %+v", quote, text, m)
			}
			if m.Kind == MatchExact && strings.TrimSpace(quote) != m.Quote {
				t.Fatalf("%q in %q: not exact: %+v", quote, text, m)
			}
			if again := MatchText(kind, text, m.Quote, Limits{1, 1}); len(m.Quote) <= maxQuote && again.Kind != MatchExact {
				t.Fatalf("%q in %q: what was matched does not match: %+v, %+v", quote, text, m, again)
			}
			return m
		}
		if m := check(quote); m.OK() {
			for at, r := range quote {
				if r >= '0' && r <= '9' { // another digit, and one less
					check(quote[:at] + string('0'+(r-'0'+1)%10) + quote[at+1:])
					check(quote[:at] + quote[at+1:])
				}
			}
		}
		// Any whole slice of the text matches it.
		start, end := min(int(i), len(text)), min(int(j), len(text))
		if start < end && utf8.ValidString(text) && utf8.RuneStart(text[start]) && (end == len(text) || utf8.RuneStart(text[end])) && cuts(text, start, end, kind == Repo) == cutNothing {
			slice := strings.TrimSpace(text[start:end])
			m := MatchText(kind, text, slice, Limits{1, 1})
			if !m.OK() && m.Reason != ReasonTooShort && m.Reason != ReasonTooLong && m.Reason != ReasonEmptySpan && !strings.ContainsFunc(edges(slice), invisible) {
				t.Fatalf("slice %q of %q: %s", slice, text, m.Reason)
			}
		}
		d := NewDoc(kind, []Span{{Locator: Locator{Unit: Para, A: 1}, Text: text}, {Locator: Locator{Unit: Para, A: 2}, Text: quote}})
		if c := d.Closest(Locator{Unit: Para, A: 1}, quote); !strings.Contains(text, c) {
			t.Fatalf("closest %q is not in %q", c, text)
		}
		d.Find(quote + " " + text)
	})
}

// edges are the first and last runes of s.
func edges(s string) string {
	a, _ := utf8.DecodeRuneInString(s)
	b, _ := utf8.DecodeLastRuneInString(s)
	return string([]rune{a, b})
}

func FuzzLocator(f *testing.F) {
	for _, s := range []string{"para.7", "p.2.3", "t=1:02:03", "a b.py:L1-L2", "sheet.x!y!A1:B2", "a%20b:L5", "S1 para 2", "ch.3 para.12", "slide.4.2", "cell.7", "/rows/3/na~1me:L2"} {
		f.Add(s, uint8(4), 1, 2)
	}
	f.Fuzz(func(t *testing.T, s string, unit uint8, a, b int) {
		l, err := ParseLocator(s)
		if err == nil {
			if !l.Valid() {
				t.Fatalf("%q parses as %+v, which is none", s, l)
			}
			if again, err := ParseLocator(l.String()); err != nil || again != l {
				t.Fatalf("%q prints %q: %v, %v", s, l, again, err)
			}
		} else if l != (Locator{}) {
			t.Fatalf("%q: %v with %v", s, l, err)
		}
		m := Locator{Unit: Unit(unit % 7), A: a, B: b, Path: s}
		p := m.String()
		again, err := ParseLocator(p)
		if m.Valid() != (err == nil && again == m) {
			t.Fatalf("%+v prints %q: %+v, %v", m, p, again, err)
		}
		if Compare(l, l) != 0 || Compare(l, m) != -Compare(m, l) {
			t.Fatalf("%v and %v have no order", l, m)
		}
	})
}

func FuzzCitation(f *testing.F) {
	for _, s := range []string{"S1 para.2", "x [S1 p.2; S2 p.3] y", "[[S1 para.2]]", "\\[Ѕ1 para.2\\]", "(S1, para.5) [F3] S1:para.2", "&#91;S1 a%20b:L1-L2&#93;", "[S1 [S2 p.1] ]]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if cs, err := ParseCitation(s); err == nil {
			again, err := ParseCitation(FormatCitations(cs...))
			if err != nil || len(again) != len(cs) {
				t.Fatalf("%q: %v, %v", s, again, err)
			}
			for i := range cs {
				if cs[i] != again[i] {
					t.Fatalf("%q: %v, %v", s, cs[i], again[i])
				}
			}
		}
		end := 0
		for _, m := range ScanCitations(s) {
			if m.Start < end || m.End <= m.Start || m.End > len(s) || !strings.Contains(s[m.Start:m.End], m.Inner) {
				t.Fatalf("%q: %+v after %d", s, m, end)
			}
			end = m.End
			if (m.Problem == "") != (m.Citations != nil) {
				t.Fatalf("%q: %+v", s, m)
			}
			if m.Near != "" {
				if _, err := ParseCitation("[" + m.Near + "]"); err != nil {
					t.Fatalf("%q: suggests %q: %v", s, m.Near, err)
				}
			}
			if cs, err := ParseCitation(s[m.Start:m.End]); m.Problem == "" && (err != nil || len(cs) != len(m.Citations)) {
				t.Fatalf("%q: %q: %v", s, s[m.Start:m.End], err)
			}
		}
	})
}
