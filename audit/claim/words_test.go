package claim

import (
	"os"
	"slices"
	"strings"
	"testing"
)

var ofWords = []Code{WordAdded, WordReplaced, Evaluation, WordDropped}

func TestNews(t *testing.T) {
	testRule(t, ofWords, []ruleCase{
		{"The bridge is 12 metres high and unsafe.", "The bridge is 12 metres high.", Flag},
		{"The tower was illegally built in 1931.", "The tower was built in 1931.", Flag},
		{"The committee reports to the mafia.", "The committee reports to the council.", Flag},
		{"The committee reports to the council in secret.", "The committee reports to the council.", Flag},
		{"The council funded the plan.", "The council approved the plan.", Flag},
		{"The new budget was leaked by the city council on Tuesday.", "The city council approved the new budget on Tuesday.", Flag},
		{"The bridge collapsed.", "The bridge opened.", Flag},
		{"The bridge is 12 metres tall.", "The bridge is 12 metres high.", ""},
		{"In 1931 workers built the tower.", "The tower was built by workers in 1931.", ""},
		{"The council passed the budget, the clerk says.", "The council approved the budget.", ""}, // the speaker is checkSpeaker's
		{"The council may have approved the plan.", "The council approved the plan.", ""},          // to hedge is no fault
		{"A majority approved the plan.", "63 percent approved the plan.", ""},
		{"Die Brücke ist hoch und gefährlich.", "Die Brücke ist hoch.", Flag},
		{"Die hohe Brücke wurde gebaut.", "Die Brücke ist hoch. Man baute sie.", ""},
		{"The bridge opened in Hamburg in 2017.", "Die Brücke wurde 2017 in Hamburg eröffnet.", ""}, // translated
		{"Sand, wind and rain spoil the harvest of grapes on the slopes.", "Vineyards lose fruit when storms carry dust uphill.", ""},
	})
}

// What a flag says are the words of both sides.
func TestNewsIsTold(t *testing.T) {
	for _, c := range []struct {
		claim, quote  string
		code          Code
		said, instead string
	}{
		{"The bridge is 12 metres high and unsafe.", "The bridge is 12 metres high.", Evaluation, "unsafe", ""},
		{"The committee reports to the mayor.", "The committee reports to the council.", WordReplaced, "mayor", "council"},
		{"The tower was built in 1931 by prisoners.", "The tower was built in 1931.", WordAdded, "prisoners", "The tower was built in 1931."},
	} {
		vs := Check(c.claim, c.quote, Context{})
		if len(vs) != 1 || vs[0].Code != c.code || vs[0].Claim != c.said || vs[0].Source != c.instead || vs[0].Severity != Flag || !strings.Contains(vs[0].Message, c.said) {
			t.Errorf("%s: %+v", c.claim, vs)
		}
	}
}

// What stands around the quote is no news, and what the question's author judged is none of the source's words.
func TestNewsAround(t *testing.T) {
	const said, quote = "The suspension bridge is 12 metres high.", "The bridge is 12 metres high."
	for where, c := range map[string]Context{"": {}, "title": {Title: "A suspension bridge"}, "heading": {Heading: "Suspension bridges"}, "before": {Before: "It is a suspension bridge."}, "after": {After: " Suspension made it cheap."}} {
		if vs := Check(said, quote, c); (len(vs) == 0) != (where != "") {
			t.Errorf("in the %s: %+v", where, vs)
		}
	}
}

func TestCovers(t *testing.T) {
	d := related()
	for _, c := range []struct {
		claim, quote string
		want         bool
	}{
		{"constructed", "built", true}, {"vehicle", "cars", true}, {"purchases", "bought", true}, {"killed", "murdered", true},
		{"murdered", "killed", false}, {"mafia", "council", false}, {"funded", "approved", false},
	} {
		if got := d.covers(d.readings(nil, c.claim), d.readings(nil, c.quote)); got != c.want {
			t.Errorf("%s for %s: %v", c.claim, c.quote, got)
		}
	}
}

func TestKin(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{{"construction", "constructed", true}, {"approval", "approve", true}, {"event", "even", false}, {"party", "particle", false}, {"corner", "corrupt", false}} {
		if got := kin(c.a, c.b); got != c.want {
			t.Errorf("%s, %s: %v", c.a, c.b, got)
		}
	}
	if !joinedWord("rainfall", "rain") || !joinedWord("playback", "playing") || joinedWord("portrait", "port") {
		t.Error("compounds")
	}
}

// The table is in order, and no line is without a meaning.
func TestRelatedTable(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(wordnetRelated, "\n"), "\n")
	if !slices.IsSortedFunc(lines, func(a, b string) int { return strings.Compare(strings.Fields(a)[0], strings.Fields(b)[0]) }) {
		t.Error("not in order")
	}
	for _, l := range lines {
		f := strings.Split(l, " ")
		if len(f) < 2 || len(f) > 3 || (len(f[1])+len(f[len(f)-1]))%3 != 0 {
			t.Fatalf("%q", l)
		}
	}
}

// Of invented pairs in several domains and languages nearly all additions, swaps and omissions are flagged, and few honest rewordings.
// Figures in percent, a little beside what was measured.
func TestWords(t *testing.T) {
	for _, tt := range []struct {
		file          string
		forged        float64 // at least
		honest, wrong float64 // at most: flagged; blocked
	}{{"words.txt", 98, 12, 2}, {"swaps.txt", 93, 12, 2}} {
		counts := invented(t, tt.file)
		forged, honest := counts["forged"], counts["honest"]
		t.Logf("%s: %d forged, %.1f %% told; %d honest, %.1f %% told, %.1f %% blocked", tt.file, forged.n, 100*part(forged.told, forged.n), honest.n, 100*part(honest.told, honest.n), 100*part(honest.blocked, honest.n))
		if got := 100 * part(forged.told, forged.n); got < tt.forged {
			t.Errorf("%s: %.1f %% of the forged pairs are told, %.0f were", tt.file, got, tt.forged)
		}
		if got := 100 * part(honest.told, honest.n); got > tt.honest {
			t.Errorf("%s: %.1f %% of the honest pairs are told, at most %.0f were", tt.file, got, tt.honest)
		}
		if got := 100 * part(honest.blocked, honest.n); got > tt.wrong {
			t.Errorf("%s: %.1f %% of the honest pairs are blocked, at most %.0f were", tt.file, got, tt.wrong)
		}
	}
}

// A count is of pairs of one kind, and of those of which a rule tells something, and that it blocks.
type count struct{ n, told, blocked int }

// invented counts the pairs of a file by kind. The rules about words never block.
func invented(t *testing.T, file string) map[string]*count {
	b, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]*count{"forged": {}, "honest": {}}
	for line := range strings.Lines(string(b)) {
		f := strings.Split(strings.TrimSpace(line), " | ")
		if len(f) != 3 {
			continue
		}
		c := counts[f[0]]
		vs := Check(f[2], f[1], Context{})
		c.n++
		c.told += b2i(len(vs) > 0)
		c.blocked += b2i(Blocks(vs))
		if slices.ContainsFunc(vs, func(v Verdict) bool { return v.Code.OfWords() && v.Severity == Block }) {
			t.Errorf("%s: %v", line, vs)
		}
		if (f[0] == "honest") == (len(vs) > 0) {
			t.Logf("%s: %s <- %s: %+v", f[0], f[2], f[1], vs)
		}
	}
	return counts
}
