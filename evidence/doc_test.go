package evidence

import (
	"strings"
	"sync"
	"testing"
)

// doc makes a document of "locator text" lines; a role may stand in front of the text in braces.
func doc(t *testing.T, kind Kind, lines ...string) *Doc {
	t.Helper()
	var spans []Span
	for _, line := range lines {
		loc, text, _ := strings.Cut(line, " ")
		l, err := ParseLocator(loc)
		if err != nil {
			t.Fatal(err)
		}
		s := Span{Source: "S1", Locator: l, Text: text}
		if strings.HasPrefix(text, "{") {
			role, rest, _ := strings.Cut(text[1:], "}")
			s.Role, s.Text = Role(role), rest
		}
		spans = append(spans, s)
	}
	return NewDoc(kind, spans)
}

func TestDocRunsOver(t *testing.T) {
	for _, c := range []struct {
		rule         string
		kind         Kind
		lines        []string
		quote, until string // "" where it must not run over
	}{
		{"the next paragraph", HTML, []string{"para.1 The tide is predictable,", "para.2 but the window is not."}, "tide is predictable, but the window", "para.2"},
		{"other typography on either side", HTML, []string{"para.1 The tide ‘is’ predictable", "para.2 but the “window” is not."}, `'is' predictable but the "window"`, "para.2"},
		{"a paragraph between was dropped", HTML, []string{"para.1 The tide is predictable,", "para.3 but the window is not."}, "tide is predictable, but the window", ""},
		{"not over two ends", HTML, []string{"para.1 The tide is", "para.2 predictable,", "para.3 but the window is not."}, "tide is predictable, but the window", ""},
		{"a paragraph of the same page", PDF, []string{"p.2.1 no stronger cur-", "p.2.2 rents were seen here"}, "no stronger currents were seen", "p.2.2"},
		{"soft hyphen at the end", PDF, []string{"p.2.1 no stronger cur\u00ad", "p.2.2 rents were seen here"}, "no stronger currents were seen", "p.2.2"},
		{"the next page", PDF, []string{"p.2.9 The tide is predictable,", "p.3.1 but the window is not."}, "tide is predictable, but the window", ""},
		{"whole pages", PDF, []string{"p.2 The tide is predictable,", "p.3 but the window is not."}, "tide is predictable, but the window", ""},
		{"the next window of a transcript, loose", Transcript, []string{"t=00:00 the tide is predictable", "t=00:30 but the window is not"}, "The tide is predictable, but the window is not.", "t=00:30"},
		{"the next lines of a file", Repo, []string{"a.go:L1-L2 x := 1\ny := x +", "a.go:L3-L4 z\nreturn y"}, "y := x + z return", "a.go:L3-L4"},
		{"another file", Repo, []string{"a.go:L1-L2 x := 1\ny := x +", "b.go:L3-L4 z\nreturn y"}, "y := x + z return", ""},
		{"lines between", Repo, []string{"a.go:L1-L2 x := 1\ny := x +", "a.go:L4-L5 z\nreturn y"}, "y := x + z return", ""},
		{"somebody else's words", HTML, []string{"para.1 The tide is predictable,", "para.2 {comment}but the window is not."}, "tide is predictable, but the window", ""},
		{"two comments", HTML, []string{"para.1 {comment}The tide is predictable,", "para.2 {comment}but the window is not."}, "tide is predictable, but the window", "para.2"},
		{"cut at the front", HTML, []string{"para.1 It was unpredictable", "para.2 but the window is not."}, "predictable but the window is not", ""},
		{"rows of a sheet", Sheet, []string{"sheet.A!A1:B1 North | 4.1", "sheet.A!A2:B2 South | 9.7"}, "North | 4.1 South | 9.7", "sheet.A!A2:B2"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			d := doc(t, c.kind, c.lines...)
			a, b := d.spans[0], d.spans[len(d.spans)-1]
			m := d.Match(a.Locator, c.quote)
			if m.OK() != (c.until != "") {
				t.Fatalf("%s %s", m.Kind, m.Reason)
			}
			if !m.OK() {
				return
			}
			if m.Locator != a.Locator || m.Until == nil || m.Until.String() != c.until {
				t.Fatalf("%s to %v", m.Locator, m.Until)
			}
			if head, tail := a.Text[m.Start:], b.Text[:m.End]; !strings.HasPrefix(m.Quote, head) || !strings.HasSuffix(m.Quote, tail) || len(m.Quote) > len(head)+len(tail)+1 {
				t.Errorf("%q is not %q and %q", m.Quote, head, tail)
			}
			if again := d.Match(a.Locator, m.Quote); again.Kind != MatchExact || again.Quote != m.Quote || *again.Until != *m.Until {
				t.Errorf("what was matched does not match: %+v", again)
			}
			if m := d.Match(b.Locator, c.quote); m.OK() {
				t.Errorf("found where it ends: %+v", m)
			}
			if m := d.Find(c.quote); !m.OK() || m.Locator != a.Locator {
				t.Errorf("Find: %+v", m)
			}
		})
	}
}

func TestDocFind(t *testing.T) {
	d := doc(t, HTML, "para.1 The survey covered 412 households in the coastal zone.", "para.2 \u200b", "para.4 A second survey covered 90 boats.",
		"para.7 Only 9 of the 412 households had a second meter installed.", "para.8 Only 9 of the 412 households had a second meter installed.")
	const quote = "Only 9 of the 412 households had a second meter"
	para := func(n int) Locator { return Locator{Unit: Para, A: n} }
	if ms := d.FindAll(quote, 5); len(ms) != 2 || ms[0].Locator != para(7) || ms[1].Locator != para(8) {
		t.Errorf("%+v", ms)
	}
	if m := d.Find("only 9 of the 412 households"); m.Locator != para(7) || m.Kind != MatchNormalised {
		t.Errorf("%+v", m)
	}
	for quote, want := range map[string]Reason{"Only 8 of the 412 households": ReasonNotFound, "the": ReasonTooShort, strings.Repeat("x y ", 4000): ReasonTooLong} {
		if m := d.Find(quote); m.Reason != want || m.OK() {
			t.Errorf("%.20q: %+v", quote, m)
		}
	}
	for _, c := range []struct {
		loc    Locator
		quote  string
		reason Reason
		says   string
	}{
		{para(1), quote, ReasonNotFound, "found in para.7 and para.8, not in para.1"},
		{para(2), quote, ReasonEmptySpan, "found in para.7"},
		{para(9), quote, ReasonUnknownSpan, "found in para.7"},
		{para(9), "no such words anywhere", ReasonUnknownSpan, "nearest span is para.8"},
		{para(3), "no such words anywhere", ReasonUnknownSpan, "nearest span is para.4"},
		{Locator{Unit: Page, A: 1}, "no such words anywhere", ReasonUnknownSpan, "nearest span is para.1"},
		{para(7), "9 of the 412 households had … meter", ReasonEllipsis, "ellips"},
		{para(7), "2 households had a second meter", ReasonInsideNumber, "number"},
		{para(7), "the", ReasonTooShort, "three words"},
	} {
		m := d.Match(c.loc, c.quote)
		if m.Reason != c.reason {
			t.Errorf("%s %q: %s; want %s", c.loc, c.quote, m.Reason, c.reason)
		}
		r := d.Explain(c.loc, c.quote, m)
		if r.Reason != c.reason || !strings.Contains(r.Message, c.says) {
			t.Errorf("%s %q: %q does not say %q", c.loc, c.quote, r.Message, c.says)
		}
	}
	if m := NewDoc(HTML, nil).Match(para(1), quote); m.Reason != ReasonUnknownSpan {
		t.Errorf("%+v", m)
	}
	if r := d.Explain(para(7), quote, d.Match(para(7), quote)); r.Message != "" {
		t.Errorf("explains a match: %+v", r)
	}
}

func TestDocConcurrent(t *testing.T) {
	g := newGenerator(3)
	clean, d := g.page(PDF, 10, 500, 0.1)
	quotes := make([]string, 50)
	for i := range quotes {
		quotes[i] = g.slice(clean[i%10], 6)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i, q := range quotes {
				if m := d.Match(Locator{Unit: Para, A: i%10 + 1}, q); !m.OK() {
					t.Errorf("%q: %s", q, m.Reason)
				}
				if m := d.Find(q); !m.OK() {
					t.Errorf("%q: %s", q, m.Reason)
				}
			}
		})
	}
	wg.Wait()
}

func TestClosest(t *testing.T) {
	d := doc(t, HTML, "para.1 The sample is small. We do not recommend fleet-wide replacement (n = 24) before a second trial. It cost $12,000 to 41.6 % of users, roughly.",
		"para.2 前年度の発電量は上回ったが、費用は下回った。")
	for _, c := range []struct{ near, want string }{
		{"We do recommend fleet-wide replacement", "We do not recommend fleet-wide replacement"},
		{"we did not recommend fleet wide replacements (n = 25)", "We do not recommend fleet-wide replacement (n = 24)"},
		{"it cost 12,000 to 41.6", "It cost $12,000 to 41.6 %"},
		{"recommend ... before a second trial", "recommend fleet-wide replacement (n = 24) before a second trial"},
		{"words that nobody ever wrote there", ""},
		{"", ""},
	} {
		if got := d.Closest(Locator{Unit: Para, A: 1}, c.near); got != c.want {
			t.Errorf("%q: %q; want %q", c.near, got, c.want)
		}
	}
	if got := d.Closest(Locator{Unit: Para, A: 2}, "前年度の発電量は下回ったが"); !strings.Contains(got, "前年度の発電量は上回ったが") {
		t.Errorf("%q", got)
	}
}

// Whatever was altered, the closest text is the source's own and would itself pass as a quote.
func TestClosestGenerated(t *testing.T) {
	g := newGenerator(4)
	clean, d := g.page(PDF, 10, 600, 0.05)
	for range 500 {
		i := g.IntN(len(clean))
		loc := Locator{Unit: Para, A: i + 1}
		quote := g.slice(clean[i], 8)
		bad, how := g.alter(quote)
		got := d.Closest(loc, bad)
		if got == "" || !strings.Contains(d.spans[i].Text, got) {
			t.Fatalf("%s in %q: closest %q", how, bad, got)
		}
		if m := d.Match(loc, got); m.Kind != MatchExact && !strings.Contains(got, "\u200b") {
			t.Fatalf("closest %q does not match: %s", got, m.Reason)
		}
		if len(got) > 2*len(quote)+120 {
			t.Errorf("closest to %q is %q", bad, got)
		}
	}
}
