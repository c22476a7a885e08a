package evidence

import (
	"strings"
	"testing"
)

func TestMatchText(t *testing.T) {
	const page = "The operator’s report calls the 2019–2021 window “a low‑inertia period” — and adds that output fell by 41.6 %… " +
		"Harbor Street is not May’s branch. The Malmö ledger lists loads of 10² kN on six ﬂoats."
	for _, c := range []struct {
		rule, text, quote string
		kind              MatchKind
		reason            Reason
		got               string // the source's own bytes, if not obvious
	}{
		{"same bytes", page, "a low‑inertia period", MatchExact, "", ""},
		{"white space around is no part", page, "\n  output fell by 41.6 %…  ", MatchExact, "", "output fell by 41.6 %…"},
		{"plain typing of curly text", page, `The operator's report calls the 2019-2021 window "a low-inertia period" -- and adds`, MatchNormalised, "", "The operator’s report calls the 2019–2021 window “a low‑inertia period” — and adds"},
		{"ellipsis that the source has", page, "output fell by 41.6 %...", MatchNormalised, "", "output fell by 41.6 %…"},
		{"final stop is free", page, "output fell by 41.6 %.", MatchNormalised, "", "output fell by 41.6 %"},
		{"final comma is free", page, "lists loads of 10² kN,", MatchNormalised, "", "lists loads of 10² kN"},
		{"hanging dash is free", page, "a low-inertia period --", MatchNormalised, "", "a low‑inertia period”"[:len("a low‑inertia period")]},
		{"quotation marks around the whole are free", page, `"lists loads of 10² kN."`, MatchNormalised, "", "lists loads of 10² kN"},
		{"first letter in another case", page, "the operator's report calls", MatchNormalised, "", "The operator’s report calls"},
		{"first letter in another case behind a mark", page, `"A low-inertia period"`, MatchNormalised, "", "“a low‑inertia period”"},
		{"another letter in another case", page, "harbor street is not", MatchNone, ReasonNotFound, ""},
		{"an accent dropped", page, "The Malmo ledger lists", MatchNone, ReasonNotFound, ""},
		{"a superscript is no digit", page, "lists loads of 102 kN", MatchNone, ReasonNotFound, ""},
		{"a superscript dropped", page, "lists loads of 10", MatchNone, ReasonInsideNumber, ""},
		{"a look-alike letter", page, "output fell b\u0443 41.6 %", MatchNone, ReasonNotFound, ""},
		{"a word dropped", page, "Harbor Street is May's branch", MatchNone, ReasonNotFound, ""},
		{"a word moved", page, "output by fell 41.6 %", MatchNone, ReasonNotFound, ""},
		{"a number changed", page, "output fell by 41.7 %", MatchNone, ReasonNotFound, ""},
		{"a number cut at the front", page, "1.6 %… Harbor Street", MatchNone, ReasonInsideNumber, ""},
		{"a percent sign cut", page, "adds that output fell by 41.6", MatchNone, ReasonInsideNumber, ""},
		{"a number cut behind a free stop", page, "adds that output fell by 41.", MatchNone, ReasonInsideNumber, ""},
		{"half a range", page, "2021 window “a low-inertia period”", MatchNone, ReasonInsideNumber, ""},
		{"half a compound", page, "inertia period” — and adds", MatchNone, ReasonInsideWord, ""},
		{"half a word", page, "perator’s report calls", MatchNone, ReasonInsideWord, ""},
		{"half a ligature", page, "10² kN on six f", MatchNone, ReasonInsideWord, ""},
		{"one place cut, another whole", "twenty-six branches closed; six branches closed", "six branches closed", MatchExact, "", ""},
		{"one place cut, another whole in another typography", "twenty‑six “old” branches; six “old” branches", `six "old" branches`, MatchNormalised, "", "six “old” branches"},
		{"an ellipsis", page, "The operator's report … a low-inertia period", MatchNone, ReasonEllipsis, ""},
		{"an ellipsis in brackets", page, "report calls [...] window", MatchNone, ReasonEllipsis, ""},
		{"an ellipsis of spaced dots", page, "report calls . . . window", MatchNone, ReasonEllipsis, ""},
		{"an ellipsis at the end", page, "The operator's report calls...", MatchNone, ReasonEllipsis, ""},
		{"words put in", page, "report calls the [whole] 2019-2021 window", MatchNone, ReasonEllipsis, ""},
		{"brackets that the source has", "as [the] port said [sic]", "as [the] port said [sic]", MatchExact, "", ""},
		{"brackets of the source, other words altered", "as [the] port said so", "as [the] port says so", MatchNone, ReasonNotFound, ""},
		{"a word", page, "the", MatchNone, ReasonTooShort, ""},
		{"two words", page, "the port", MatchNone, ReasonTooShort, ""},
		{"a number", page, "41.6", MatchNone, ReasonTooShort, ""},
		{"nothing", page, "", MatchNone, ReasonTooShort, ""},
		{"white space", page, " \n\u200b ", MatchNone, ReasonTooShort, ""},
		{"nothing but marks", page, "— — — — — — —", MatchNone, ReasonTooShort, ""},
		{"short code that says something", "with n=24 samples", "n=24", MatchExact, "", ""},
		{"too long", page, strings.Repeat("word ", 2000), MatchNone, ReasonTooLong, ""},
		{"a text with nothing visible", "\u200b \n", "three plain words", MatchNone, ReasonEmptySpan, ""},
		{"hyphens at lines' ends, joined and kept", "stronger cur-\nrents; no fleet-\nwide replace-\nment", "stronger currents; no fleet-wide replacement", MatchNormalised, "", "stronger cur-\nrents; no fleet-\nwide replace-\nment"},
		{"hyphens at lines' ends, as flat copy", "stronger cur-\nrents; no fleet-\nwide", "stronger cur- rents; no fleet- wide", MatchNormalised, "", "stronger cur-\nrents; no fleet-\nwide"},
		{"a hyphen at a line's end of the quote", "no stronger currents here", "stronger cur-\nrents here", MatchNormalised, "", "stronger currents here"},
		{"soft and PDFium's hyphens at lines' ends", "stronger cur\u00ad\nrents; no fleet\u0002\r\nwide ones", "stronger currents; no fleet-wide ones", MatchNormalised, "", "stronger cur\u00ad\nrents; no fleet\u0002\r\nwide ones"},
		{"half a word over the line's end", "much stronger cur-\nrents here", "much stronger cur", MatchNone, ReasonInsideWord, ""},
		{"the other half", "much stronger cur-\nrents were here", "rents were here", MatchNone, ReasonInsideWord, ""},
		{"a range over the line's end is never one number", "from 2019-\n2021 it rose", "from 20192021 it rose", MatchNone, ReasonNotFound, ""},
		{"a range over the line's end", "from 2019-\n2021 it rose", "from 2019-2021 it rose", MatchNormalised, "", "from 2019-\n2021 it rose"},
		{"a hyphen in the middle of a line is no soft one", "a re-sign by staff", "a resign by staff", MatchNone, ReasonNotFound, ""},
		{"Han over lines", "前年度の発電\n量は上回った", "発電量は上回った", MatchNormalised, "", "発電\n量は上回った"},
		{"six Han are three words", "前年度の発電量は上回った", "発電量は上回", MatchExact, "", ""},
		{"three Han are not", "前年度の発電量は上回った", "発電量", MatchNone, ReasonTooShort, ""},
		{"NFD", "The Malmo\u0308 ledger lists it", "The Malmö ledger lists", MatchNormalised, "", "The Malmo\u0308 ledger lists"},
		{"half a letter", "the grand cafe\u0301", "the grand cafe", MatchNone, ReasonInsideWord, ""},
	} {
		t.Run(c.rule, func(t *testing.T) {
			m := MatchText(HTML, c.text, c.quote, Limits{})
			if m.Kind != c.kind || m.Reason != c.reason {
				t.Fatalf("%q in %q: %s %s; want %s %s", c.quote, c.text, m.Kind, m.Reason, c.kind, c.reason)
			}
			if c.kind == MatchExact && c.got == "" {
				c.got = c.quote
			}
			if m.Quote != c.got || m.OK() && m.Quote != c.text[m.Start:m.End] || m.OK() != (m.Message() == "") {
				t.Errorf("got %q; want %q", m.Quote, c.got)
			}
		})
	}
}

func TestMatchLimits(t *testing.T) {
	for _, c := range []struct {
		quote  string
		limits Limits
		ok     bool
	}{
		{"the port", Limits{}, false}, {"the port", Limits{MinWords: 2}, true}, {"the port", Limits{MinChars: 8}, true}, {"the port", Limits{MinChars: 9}, false},
		{"the port handled", Limits{MinWords: 4, MinChars: 40}, false},
	} {
		if m := MatchText(HTML, "In 2024 the port handled more", c.quote, c.limits); m.OK() != c.ok {
			t.Errorf("%q, %+v: %s", c.quote, c.limits, m.Kind)
		}
	}
}

func TestMatchCode(t *testing.T) {
	const code = "MAX_RETRIES = 3\n\nfunc NewWindow(a int) {\n\tfor i := a; i > 0; i-- {\n\t\tx = a -\n\t\t\tb // “the” window\n\t}\n}\n"
	for _, c := range []struct {
		quote  string
		kind   MatchKind
		reason Reason
	}{
		{"MAX_RETRIES = 3", MatchExact, ""},
		{"for i := a; i > 0; i-- { x = a - b", MatchNormalised, ""},
		{`b // "the" window`, MatchNormalised, ""},
		{"newWindow(a int)", MatchNone, ReasonNotFound},       // another name
		{"i > 0; i - {", MatchNone, ReasonNotFound},           // another operator
		{"func NewWindow(a int).", MatchNone, ReasonNotFound}, // nothing at the end is free
		{"RETRIES = 3 func", MatchNone, ReasonInsideWord},
		{"for i := b[i]; i > 0", MatchNone, ReasonNotFound}, // brackets are code
		{"i--", MatchNone, ReasonTooShort},
	} {
		if m := MatchText(Repo, code, c.quote, Limits{}); m.Kind != c.kind || m.Reason != c.reason {
			t.Errorf("%q: %s %s; want %s %s", c.quote, m.Kind, m.Reason, c.kind, c.reason)
		}
	}
}

func TestMatchTranscript(t *testing.T) {
	const talk = "so we put a cap of twenty steps on every run and the bill fell by half i can't say it was 41.6 or $12 or 5% more in 2019-2021 twenty six runs failed"
	for _, c := range []struct {
		quote  string
		kind   MatchKind
		reason Reason
	}{
		{"we put a cap of twenty steps", MatchExact, ""},
		{"So we put a cap of twenty steps on every run, and the bill fell by half.", MatchLoose, ""},
		{"“We put a cap — of twenty steps! — on EVERY run”", MatchLoose, ""},
		{"I can't say it was 41.6, or $12, or 5% more.", MatchLoose, ""},
		{"We put a cap of thirty steps", MatchNone, ReasonNotFound},
		{"We put a cap, twenty steps on every run", MatchNone, ReasonNotFound},
		{"I cant say it was 41.6", MatchNone, ReasonNotFound},
		{"I can't say it was 416, or $12", MatchNone, ReasonNotFound},
		{"Say it was 41.6, or 12, or 5% more", MatchNone, ReasonNotFound},
		{"Say it was 41.6, or $12, or 5 more", MatchNone, ReasonNotFound},
		{"More, in 2019 2021.", MatchNone, ReasonNotFound},
		{"Say it was 41.6, or $12, or 5", MatchNone, ReasonInsideNumber},
		{"Six runs failed.", MatchNone, ReasonInsideNumber},
		{"We put a cap ... on every run", MatchNone, ReasonEllipsis},
		{"We put a cap of ... twenty steps", MatchNone, ReasonEllipsis}, // even if nothing is left out
		{"A bill fell, by half", MatchNone, ReasonNotFound},
		{"T say it was 41.6", MatchNone, ReasonInsideWord},
	} {
		m := MatchText(Transcript, talk, c.quote, Limits{})
		if m.Kind != c.kind || m.Reason != c.reason {
			t.Errorf("%q: %s %s; want %s %s", c.quote, m.Kind, m.Reason, c.kind, c.reason)
		}
		if m.Quote != talk[m.Start:m.End] {
			t.Errorf("%q: %q", c.quote, m.Quote)
		}
		if c.kind == MatchLoose && MatchText(HTML, talk, c.quote, Limits{}).OK() {
			t.Errorf("%q passes for a page", c.quote)
		}
	}
}
