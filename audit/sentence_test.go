package audit

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"ibid/evidence"
)

// split is the sentences of text, citations seen.
func split(text string) []string {
	var cites []Range
	for _, m := range evidence.ScanCitations(text) {
		cites = append(cites, Range{m.Start, m.End})
	}
	var out []string
	for _, r := range sentences(text, cites) {
		out = append(out, text[r.Start:r.End])
	}
	return out
}

func TestSentences(t *testing.T) {
	for _, want := range [][]string{
		{"The array opened in 2024.", "It cost 3.1 million."},
		{"Maintenance cost approx. 3.1 cents, i.e. more than next door.", "That is high."},
		{"The U.S. Navy bought two.", "It paid in the U.S.", "The price was fair."},
		{"Boats left at 5 p.m. on Monday.", "They came back at 9 a.m.", "Nobody slept."},
		{"Smith et al. 2019 disagree.", "So does J. R. Hall."},
		{"Dr. Weir of St. Mary's said so.", `"It is done."`, "They left."},
		{"See Fig. 3 and No. 7.", "The end."},
		{"Version 2.0.1 of tide.go is out!", "Really?", "Yes…", "Good."},
		{"Fell by 8 percent. [S1 para.2]", "It began on 14 March [S1 para.1]."},
		{"Fell by 8 percent.[S1 para.2][S2 p.3]", "[S3 p.1] says more."},
		{"It fell.", "[S1 para.2] shows that it rose."},
		{"1. Output"},
		{"2.1. Output of the array"},
		{"数字は十四です。", "次の文です。"},
		{"Is it true?", "No. 7 is."},
		{"He said \"stop.\"", "She did (at last).", "Done"},
		{"The firm is Halden Inc. of Oslo.", "It was Halden Inc.", "They sold it."},
		{"the word e.g. is short"},
		{"It ran for 3.5 h.", "Then it stopped"},
		{"Wait...", "It moved.", "Fine."},
	} {
		text := strings.Join(want, " ")
		if got := split(text); !slices.Equal(got, want) {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
	if got := split("Costs rose\nOutput fell"); len(got) != 2 {
		t.Errorf("a line break must part sentences: %q", got)
	}
}

func FuzzSentences(f *testing.F) {
	f.Add("It is 3.1 p.m. [S1 para.2] The U.S. …")
	f.Fuzz(func(t *testing.T, s string) {
		last := 0
		for _, r := range Sentences(s) {
			if r.Start < last || r.End <= r.Start || r.End > len(s) {
				t.Fatalf("range %v after %d in %q", r, last, s)
			}
			if strings.TrimFunc(s[last:r.Start], unicode.IsSpace) != "" {
				t.Fatalf("text left out before %v in %q", r, s)
			}
			last = r.End
		}
		if strings.TrimFunc(s[last:], unicode.IsSpace) != "" {
			t.Fatalf("text left out after %d in %q", last, s)
		}
	})
}
