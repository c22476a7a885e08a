package evidence

import (
	"strings"
	"testing"
	"time"
)

func TestParseCitation(t *testing.T) {
	for _, s := range []string{
		"S1 para.2", "S2 p.2; S3 p.3", "S12 t=1:02:03", "S4 src/my%20file.go:L1-L20", "S5 sheet.Q3!A1:D9", "S1 para.2; S1 para.3; S9 p.1.2", "S2 ch.3 para.12; S3 slide.4.2", "S6 /rows/3/name; S7 cell.7",
	} {
		cs, err := ParseCitation(s)
		if err != nil {
			t.Errorf("%q: %v", s, err)
			continue
		}
		if got := FormatCitations(cs...); got != "["+s+"]" {
			t.Errorf("%q prints %q", s, got)
		}
		if again, err := ParseCitation("[" + s + "]"); err != nil || len(again) != len(cs) {
			t.Errorf("[%s]: %v", s, err)
		}
	}
	for _, s := range []string{
		"", "[]", "S1", "S1 ", "para.2", "S1  para.2", " S1 para.2", "S1 para.2 ", "S1 para.2;S2 p.3", "S1 para.2; ", "S1 para.2, S2 p.3", "S1:para.2",
		"S1\u00a0para.2", "s1 para.2", "S01 para.2", "F1 para.2", "[[S1 para.2]]", "[S1 para.2", "S1 para.2]", "S1 para.2\n", "S1 para.2 S2 p.3", "Ѕ1 para.2", "S1\u200b para.2",
		"S1 para.2; para.3", strings.Repeat("S1 para.2; ", maxJoint) + "S1 para.2",
	} {
		if cs, err := ParseCitation(s); err == nil {
			t.Errorf("%q parsed as %v", s, cs)
		}
	}
	if FormatCitations() != "" {
		t.Error("no citation prints as something")
	}
}

func TestParseKey(t *testing.T) {
	for _, s := range []string{"S5:para.2", "S1:t=00:16", "S4:a:b.go:L1-L20", "S4:sheet.Q3!A1", "S2:ch.3 para.12", "S6:/rows/3"} {
		k, err := ParseKey(s)
		if err != nil || k.String() != s {
			t.Errorf("%q = %v, %v", s, k, err)
		}
	}
	for _, s := range []string{"", "S5", "S5 para.2", "para.2", "s5:para.2", "S5:para.02", "S5::para.2"} {
		if k, err := ParseKey(s); err == nil {
			t.Errorf("%q parsed as %v", s, k)
		}
	}
}

// One row a rule: in the text, what is between « and » is a mention, followed by =NEAR» if it is malformed.
func TestScanCitations(t *testing.T) {
	for _, text := range []string{
		// Citations.
		"The bill fell «[S1 para.2]».",
		"«[S1 para.2]» starts, «[S2 p.2; S3 p.3]» joins, «[S1 para.2]»«[S6 para.1]» stand side by side.",
		"According to «[S1 para.5]», it rained. It was «[S1 para.5]»: wet. (See «[S1 para.5]».)",
		"| North | 4.1 percent | «[S1 para.2]» |",
		"[^1]: «[S1 para.5]»",
		"The [array](https://x.example/) did «[S4 app/(group)/a_b__init__.py:L1-L20]».",
		"[see «[S1 para.2]» for more]", "As **said «[S3 t=00:16]»**.", "x «[S1 para.2]»\n\ny «[S2 p.1]»",
		// Nothing of ours.
		"Prose, [x], [ ] and [1], [^1] and [12, 13], (S1), (see S1 Table), (p. 3), (page 12), a[3], (Okafor 2025), [a link](https://x.example/S1), 12:30.",
		"The S1 and S2 lines, F3, stage [IV], [sic], [emphasis added in 2024], (F1), (see section 3).",
		"[Chapter 3 says on page 12 that the cap on steps cut the bill by half](https://x.example)",
		// Wrong separators, case and zeros.
		"Losses fell. «[S1 para 2]=S1 para.2»", "Covered. «(S1, para.5)=S1 para.5»", "Fell. «[S2 p.3-4]=S2 p.3»", "Rained. «[s1 PARA.2]=S1 para.2»",
		"«[S1, para.2]=S1 para.2» «[S1: para.2]=S1 para.2» «[S1:para.2]=S1 para.2» «[S1  para.2]=S1 para.2» «[S01 para.2]=S1 para.2» «[S1 para.02]=S1 para.2»",
		"«[S2 p.2, S3 p.3]=S2 p.2; S3 p.3» «[S2 p.2;S3 p.3]=S2 p.2; S3 p.3» «[S2 p.2; p.3]=S2 p.2; S2 p.3» «[S2 p.2 and S3 p.3]=S2 p.2; S3 p.3»",
		"«[S1 para.2-para.6]=S1 para.2» «[S1 paragraph 2]=S1 para.2» «[S2 page 3]=S2 p.3» «[S3 00:16]=S3 t=00:16» «[S3 t=0:75]=S3 t=01:15»",
		"«[see S1 para.2]=S1 para.2» «[source: S1, p. 4]=S1 p.4» «[Source 1, para 2]=S1 para.2» «(see S1 para.2)=S1 para.2»",
		"«[S4 budget.py L1]=S4 budget.py:L1» «[S3 budget.py:L3-L1]=S3 budget.py:L1-L3» «[S4 a.py#L1-L3]=S4 a.py:L1-L3»",
		// No source, no locator, or a finding.
		"It is used once. «[code: budget.py L1]=» «[budget.py:L1-L3]=» «[para.2]=» «[p. 3]=» «(para.5)=» «[t=00:16]=»",
		"«[S1]=» «[S1; S2]=» «[F3]=» «[F3, F4]=» «[f3]=» «[S1 Table]=»",
		// Disguises.
		"«[Ѕ1 para.2]=S1 para.2» «[S1 раrа.2]=S1 para.2» «[S１ para.2]=S1 para.2» «[S1 para.２]=S1 para.2» «[S1 para.٢]=S1 para.2» «[𝐒1 para.2]=S1 para.2»",
		"«[S1\u200b para.2]=S1 para.2» «[S1\u00a0para.2]=S1 para.2» «[S\u00ad1 para.2]=S1 para.2» «[S1 para\u2024 2]=S1 para.2» «[S1\tpara.2]=S1 para.2» «[S1\npara.2]=S1 para.2»",
		"«[S1&nbsp;para.2]=S1 para.2» «[S1 para&#46;2]=S1 para.2» «&#91;S1 para.2&#93;=S1 para.2» «&lbrack;S1 para.2]=S1 para.2»",
		"«\\[S1 para.2\\]=S1 para.2» «\\[S1 para.2]=S1 para.2» «[S1 para.2\\]=S1 para.2» «[S1 para\\.2]=S1 para.2»",
		"«［S1 para.2］=S1 para.2» «【S1 para.2】=S1 para.2» «（S1 para.2）=S1 para.2»",
		// Brackets.
		"«[[S1 para.2]]=S1 para.2» «[S2 [S1 para.5] p.1]=S1 para.5» !«[[S1 para.5]]=S1 para.5»(dot.png)",
		"It fell «[S1 para.2=S1 para.2» and rose. It fell «S1 para.2=S1 para.2». It fell «S1:para.2=S1 para.2», «S3, t=00:16=S3 t=00:16».",
		// Links.
		"«[S1 para.2]=S1 para.2»(https://x.example/) and\n«[S1 para.5]=S1 para.5»: https://x.example/\n",
	} {
		type mark struct {
			start, end int
			near       string
			malformed  bool
		}
		var want []mark
		var b strings.Builder
		rest := text
		for {
			before, after, ok := strings.Cut(rest, "«")
			b.WriteString(before)
			if !ok {
				break
			}
			inside, tail, _ := strings.Cut(after, "»")
			m := mark{start: b.Len()}
			if i := strings.LastIndexByte(inside, '='); i >= 0 && !strings.HasPrefix(inside[i:], "=00:") && !strings.HasPrefix(inside[i:], "=01:") {
				inside, m.near, m.malformed = inside[:i], inside[i+1:], true
			} else if i := strings.Index(inside, "]="); i >= 0 { // a time in the suggestion
				inside, m.near, m.malformed = inside[:i+1], inside[i+2:], true
			} else if i := strings.Index(inside, "=S"); i >= 0 {
				inside, m.near, m.malformed = inside[:i], inside[i+1:], true
			}
			b.WriteString(inside)
			m.end = b.Len()
			want = append(want, m)
			rest = tail
		}
		clean := b.String()
		got := ScanCitations(clean)
		for i, m := range got {
			if i >= len(want) || m.Start != want[i].start || m.End != want[i].end {
				t.Errorf("%q:\n\tunexpected mention %q (%s)", clean, clean[m.Start:m.End], m.Problem)
				break
			}
			if (m.Problem != "") != want[i].malformed || (m.Citations == nil) != want[i].malformed {
				t.Errorf("%q:\n\t%q: problem %q", clean, clean[m.Start:m.End], m.Problem)
			}
			if m.Near != want[i].near {
				t.Errorf("%q:\n\t%q suggests %q; want %q", clean, clean[m.Start:m.End], m.Near, want[i].near)
			}
		}
		if len(got) < len(want) {
			m := want[len(got)]
			t.Errorf("%q:\n\t%q (or one before) was not seen", clean, clean[m.start:m.end])
		}
	}
}

// A text made of nothing but openings, or of one bracket in another, is read in time that grows with its length.
func TestScanHostile(t *testing.T) {
	start := time.Now()
	for _, unit := range []string{"[", "[S1 ", "(S1, para.5 ", "[[S1 para.2]", "[1", "]", "&#91;1"} {
		ScanCitations(strings.Repeat(unit, 200_000/len(unit)))
		ScanCitations(strings.Repeat(unit, 1000) + strings.Repeat("]", 1000))
	}
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("took %v", d)
	}
}
