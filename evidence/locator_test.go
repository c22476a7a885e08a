package evidence

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

func TestLocatorForms(t *testing.T) {
	for _, c := range []struct {
		text string
		want Locator
	}{
		{"para.7", Locator{Unit: Para, A: 7}},
		{"p.2", Locator{Unit: Page, A: 2}},
		{"p.2.3", Locator{Unit: Page, A: 2, B: 3}},
		{"t=00:00", Locator{Unit: Time}},
		{"t=00:16", Locator{Unit: Time, A: 16}},
		{"t=59:59", Locator{Unit: Time, A: 3599}},
		{"t=1:02:03", Locator{Unit: Time, A: 3723}},
		{"t=100:00:00", Locator{Unit: Time, A: 360000}},
		{"budget.py:L10-L24", Locator{Unit: Lines, Path: "budget.py", A: 10, B: 24}},
		{"budget.py:L5", Locator{Unit: Lines, Path: "budget.py", A: 5, B: 5}},
		{"a/b-L2.go:L1-L9", Locator{Unit: Lines, Path: "a/b-L2.go", A: 1, B: 9}},
		{"a:L3:L1", Locator{Unit: Lines, Path: "a:L3", A: 1, B: 1}},
		{"sheet.Q3!A1:D9", Locator{Unit: Cells, Path: "Q3!A1:D9"}},
		{"sheet.Q3!XFD1048576", Locator{Unit: Cells, Path: "Q3!XFD1048576"}},
		{"sheet.x%21y!A1", Locator{Unit: Cells, Path: "x!y!A1"}},
		{"slide.4", Locator{Unit: Slide, A: 4}},
		{"slide.4.2", Locator{Unit: Slide, A: 4, B: 2}},
		{"cell.7.1", Locator{Unit: Cell, A: 7, B: 1}},
		{"ch.3 para.12", Locator{Unit: Chapter, A: 3, B: 12}},
		{"/rows/3/na~1me", Locator{Unit: Pointer, Path: "/rows/3/na~1me"}},
		{"/", Locator{Unit: Pointer, Path: "/"}},
		{"/a%3AL5", Locator{Unit: Pointer, Path: "/a:L5"}},
		{"/a%20b%5D", Locator{Unit: Pointer, Path: "/a b]"}},
		{"sheet.Q3%21A1:L9", Locator{Unit: Lines, Path: "sheet.Q3!A1", A: 9, B: 9}},
		{"para.7:L1", Locator{Unit: Lines, Path: "para.7", A: 1, B: 1}},
	} {
		got, err := ParseLocator(c.text)
		if err != nil || got != c.want {
			t.Errorf("ParseLocator(%q) = %+v, %v; want %+v", c.text, got, err, c.want)
		}
		if s := c.want.String(); s != c.text {
			t.Errorf("%+v prints %q; want %q", c.want, s, c.text)
		}
	}
	if l, err := ParseLocator("a.py:L5-L5"); err != nil || l.String() != "a.py:L5" {
		t.Errorf("a single line written as a range = %v, %v", l, err)
	}
}

// Everything else is refused, and where a right form is near, it is named.
func TestLocatorRefused(t *testing.T) {
	for _, c := range []struct{ text, near string }{
		{"", ""}, {"para", ""}, {"para.", ""}, {"para.0", ""}, {"p.0", ""}, {"p.1.0", "p.1"}, {"chunk_47", ""}, {"7", ""},
		{"para.07", "para.7"}, {"PARA.2", "para.2"}, {"para 2", "para.2"}, {"paragraph 2", "para.2"}, {"¶ 2", "para.2"},
		{" para.2", "para.2"}, {"para.2 ", "para.2"}, {"para.+2", ""}, {"para.٢", "para.2"}, {"para.２", "para.2"}, {"раrа.2", "para.2"},
		{"para.2-para.6", "para.2"}, {"para.9999999999", ""},
		{"p.3-4", "p.3"}, {"p. 3", "p.3"}, {"page 3", "p.3"}, {"p.01", "p.1"}, {"p.2.3.4", "p.2.3"},
		{"t=0:60", "t=01:00"}, {"t=00:75", "t=01:15"}, {"t=1:5", "t=01:05"}, {"t=0:01:05", "t=01:05"}, {"t=61:00", "t=1:01:00"}, {"t=1:02:3", "t=1:02:03"},
		{"00:16", "t=00:16"}, {"t=16", ""}, {"t=1:2:3:4", "t=1:02:03"},
		{"a.py:L5-L3", "a.py:L3-L5"}, {"a.py:L0", ""}, {"a.py:L05", "a.py:L5"}, {"a.py:L10-24", "a.py:L10-L24"}, {"a.py#L10-L24", "a.py:L10-L24"},
		{"a.py:10-24", "a.py:L10-L24"}, {"a.py lines 10-24", "a.py:L10-L24"}, {":L5", ""}, {"a b.py:L5", "b.py:L5"},
		{"a%zz:L5", ""}, {"a%2:L5", ""}, {"%61.py:L5", "a.py:L5"}, {"a%5b.py:L5", "a%5B.py:L5"},
		{"sheet.Q3!a1", "sheet.Q3!A1"}, {"ch.3", ""}, {"ch.3.12", ""}, {"chapter 3, para 12", "ch.3 para.12"}, {"slide 4", "slide.4"}, {"slide.0", ""}, {"cell.2.0", ""}, {"sheet.Q3!A1:A1", ""}, {"sheet.Q3!D9:A1", ""}, {"sheet.Q3!XFE1", ""}, {"sheet.!A1", ""}, {"sheet.Q3!A01", ""},
	} {
		l, err := ParseLocator(c.text)
		var le *LocatorError
		if !errors.As(err, &le) {
			t.Errorf("ParseLocator(%q) = %v, %v; want an error", c.text, l, err)
			continue
		}
		if l != (Locator{}) {
			t.Errorf("ParseLocator(%q) gave %v with its error", c.text, l)
		}
		if c.near != "" && le.Near != c.near {
			t.Errorf("ParseLocator(%q) suggests %q; want %q", c.text, le.Near, c.near)
		}
		if le.Near != "" {
			if _, err := ParseLocator(le.Near); err != nil {
				t.Errorf("ParseLocator(%q) suggests %q, which is none: %v", c.text, le.Near, err)
			}
		}
	}
	if _, err := ParseLocator(strings.Repeat("a", maxLocator) + ":L1"); err == nil {
		t.Error("a locator without end parsed")
	}
}

// A printed locator stands in a citation without ending it, and names the same path again.
func TestLocatorPaths(t *testing.T) {
	for _, path := range []string{
		"my file.txt", "a]b[c.txt", "a;b; S1 p.2.txt", "100%.txt", "%41.txt", "tab\there", "line\nbreak", "nul\x00", "bad\xff\xfeutf8", "a|b", "<b>", "`x`",
		"*x*", "R&D.md", `back\slash`, `"q"`, "a!b", "café.md", norm.NFD.String("café.md"), "\u0301x", "zero\u200bwidth", "rtl\u202e.md", "nbsp\u00a0.md",
		"отчёт.md", "年報.txt", "a:L1-L2", "sheet.Q3!A1", "-L3", "x:", "~", "Å.md", strings.Repeat("\u0085", maxPath/2),
	} {
		for _, l := range []Locator{{Unit: Lines, Path: path, A: 1, B: 20}, {Unit: Lines, Path: path, A: 3, B: 3}, {Unit: Cells, Path: path + "!A1:B2"}, {Unit: Pointer, Path: "/" + path}} {
			if !l.Valid() {
				continue
			}
			s := l.String()
			if got, err := ParseLocator(s); err != nil || got != l {
				t.Errorf("%q prints %q, which reads as %q, %v", path, s, got.Path, err)
			}
			if strings.ContainsAny(s, " ][;\n\t\x00|<>`*") || !norm.NFC.IsNormalString(s) {
				t.Errorf("%q prints %q", path, s)
			}
			if got, err := ParseCitation(FormatCitations(Citation{"S1", l}, Citation{"S2", l})); err != nil || len(got) != 2 || got[1] != (Citation{"S2", l}) {
				t.Errorf("citation of %q = %v, %v", path, got, err)
			}
		}
	}
}

func TestLocatorJSON(t *testing.T) {
	f := Finding{Locator: Locator{Unit: Para, A: 7}, Until: &Locator{Unit: Para, A: 8}}
	b, err := json.Marshal(f)
	if err != nil || !strings.Contains(string(b), `"locator":"para.7","until":"para.8"`) {
		t.Fatalf("%s, %v", b, err)
	}
	var g Finding
	if err := json.Unmarshal(b, &g); err != nil || g.Locator != f.Locator || *g.Until != *f.Until {
		t.Errorf("%+v, %v", g, err)
	}
	if err := json.Unmarshal([]byte(`{"locator":"para.07"}`), &g); err == nil {
		t.Error("para.07 passed")
	}
	if _, err := json.Marshal(Locator{Unit: Para}); err == nil {
		t.Error("an invalid locator was written")
	}
	m := map[Key]int{{"S5", Locator{Unit: Para, A: 2}}: 1}
	b, err = json.Marshal(m)
	if err != nil || string(b) != `{"S5:para.2":1}` {
		t.Errorf("%s, %v", b, err)
	}
	var back map[Key]int
	if err := json.Unmarshal(b, &back); err != nil || back[Key{"S5", Locator{Unit: Para, A: 2}}] != 1 {
		t.Errorf("%v, %v", back, err)
	}
}

func TestCompare(t *testing.T) {
	for _, order := range [][]string{
		{"para.2", "para.10"},
		{"p.1.9", "p.2", "p.2.1", "p.2.10", "p.10"},
		{"t=00:59", "t=01:00", "t=59:59", "t=1:00:00"},
		{"a.py:L21-L40", "b.py:L1-L20", "b.py:L9", "b.py:L9-L10", "b.py:L100"},
		{"sheet.A!B2", "sheet.A!C2", "sheet.A!A10", "sheet.B!A1"},
	} {
		var ls []Locator
		for _, s := range order {
			l, err := ParseLocator(s)
			if err != nil {
				t.Fatal(err)
			}
			ls = append(ls, l)
		}
		if !slices.IsSortedFunc(ls, Compare) {
			t.Errorf("%v is not in order", order)
		}
		slices.Reverse(ls)
		slices.SortFunc(ls, Compare)
		for i, l := range ls {
			if l.String() != order[i] {
				t.Errorf("sorted: %v; want %v", ls, order)
				break
			}
		}
	}
}

func TestSamePage(t *testing.T) {
	for _, c := range []struct {
		a, b          string
		same, follows bool
	}{
		{"para.1", "para.2", true, true},
		{"para.1", "para.3", true, false},
		{"p.2.1", "p.2.2", true, true},
		{"p.2.1", "p.2.3", true, false},
		{"p.2", "p.2.1", true, false},
		{"p.2.9", "p.3.1", false, false},
		{"t=00:00", "t=00:30", true, true},
		{"a.go:L1-L20", "a.go:L21-L40", true, true},
		{"a.go:L1-L20", "a.go:L41-L60", true, false},
		{"a.go:L1-L20", "b.go:L21-L40", false, false},
		{"sheet.A!A1:D1", "sheet.A!A2:D2", true, true},
		{"sheet.A!A1:D1", "sheet.B!A2:D2", false, false},
		{"para.1", "p.2", false, false},
	} {
		a, _ := ParseLocator(c.a)
		b, _ := ParseLocator(c.b)
		if a.SamePage(b) != c.same || b.SamePage(a) != c.same || a.follows(b) != c.follows || b.follows(a) {
			t.Errorf("%s, %s: same page %v, follows %v", a, b, a.SamePage(b), a.follows(b))
		}
	}
}

func TestIDs(t *testing.T) {
	for n := 1; n < 2000; n += 37 {
		if m, ok := ParseSourceID(SourceID(n)); !ok || m != n {
			t.Errorf("source %d reads as %d", n, m)
		}
		if m, ok := ParseFindingID(FindingID(n)); !ok || m != n {
			t.Errorf("finding %d reads as %d", n, m)
		}
	}
	for _, s := range []string{"", "S", "S0", "S01", "s1", "S1 ", "S-1", "S１", "F1x", "1", "S99999999999"} {
		if n, ok := ParseSourceID(s); ok {
			t.Errorf("source id %q reads as %d", s, n)
		}
	}
}

func TestTextHash(t *testing.T) {
	para := func(n int, text string) Span { return Span{Locator: Locator{Unit: Para, A: n}, Text: text} }
	seen := map[string]int{}
	for i, spans := range [][]Span{
		nil, {para(1, "")}, {para(1, "ab")}, {para(2, "ab")}, {para(1, "a"), para(2, "b")}, {para(2, "b"), para(1, "a")},
		{para(1, "a\n6 para.2 1 b")}, {para(1, "a 6 para.2 1 b")}, {para(1, "a\n")},
	} {
		h := TextHash(spans)
		if j, ok := seen[h]; ok || len(h) != 64 {
			t.Errorf("lists %d and %d hash to %s", i, j, h)
		}
		seen[h] = i
	}
	a := []Span{{Source: "S1", Locator: Locator{Unit: Para, A: 1}, Text: "x", Heading: "h", Role: RoleItem}}
	if TextHash(a) != TextHash([]Span{para(1, "x")}) {
		t.Error("context changes the hash")
	}
}
