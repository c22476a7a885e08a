package extractive

import (
	"strings"
	"testing"
)

// A finding has what its question asks for; what only speaks of the same matter is none.
func TestWhatAnswers(t *testing.T) {
	mill := paper{url: "https://mill.example/", title: "The mill on Halden", paras: []string{
		"The mill on Halden was built in 1874 by the miller Jens Brandt. It is 12 metres high.",
		"The warehouse on the neighbouring island Torsoe was built in 1902 and is 18 metres high.",
		"Visitors come from all over, and Anna Lie has written a book on the mill on Halden.",
		"The last miller, Sigrid Moen, left the mill in 1961.",
		"The wheel turns five times a day. A round takes 40 minutes.",
		"The old wheel carried 80 buckets. The new wheel carries 120 buckets.",
		"At the weir the current is dangerous, so nobody should swim there.",
		"Dogs are not allowed in the mill.",
		"The old wheel and the new wheel are both of oak, and both turn in the same water.",
		"A sluice is a gate that keeps the mill dry when storms come, so that the wheel is not broken.",
		"Sluices are painted each year because the paint peels.",
	}}
	for _, c := range []struct {
		question  string
		want, not []string
	}{
		{"Who built the mill on Halden?", []string{"Jens Brandt"}, []string{"Anna Lie", "Torsoe"}},
		{"How high is the mill on Halden?", []string{"12 metres"}, []string{"18 metres"}},
		{"Who was the last miller, and when did she leave?", []string{"Sigrid Moen"}, nil},
		{"How long does a round of the wheel take?", []string{"40 minutes"}, nil},
		{"Which carries more buckets, the old wheel or the new wheel?", []string{"80 buckets", "120 buckets"}, nil},
		{"Which carries more buckets, the old wheel or the red wheel?", nil, []string{"buckets"}},
		{"Does the old wheel or the new wheel carry more buckets?", []string{"80 buckets", "120 buckets"}, nil},
		{"Is the old wheel or the new wheel older?", nil, []string{"wheel"}},
		{"Is the old wheel older than the new wheel?", nil, []string{"wheel"}},
		{"Why do sluices exist?", []string{"keeps the mill dry"}, []string{"peels"}},
		{"Why are sluices noisy?", nil, []string{"luice"}},
		{"How are sluices repaired?", nil, []string{"luice"}},
		{"Should I swim at the weir?", []string{"nobody should swim"}, nil},
		{"Should I buy the mill on Halden?", nil, []string{"mill"}},
		{"Are dogs allowed in the mill?", []string{"not allowed"}, nil},
		{"Who owns the mill on Halden?", nil, []string{"mill"}},
	} {
		w := newWorld(mill, baking).run(t, c.question, "standard")
		for _, words := range c.want {
			if !w.said(words) {
				t.Errorf("%s: %v lack %q", c.question, w.findings, words)
			}
		}
		for _, words := range c.not {
			if w.said(words) {
				t.Errorf("%s: %v have %q", c.question, w.findings, words)
			}
		}
		for _, p := range w.plan {
			if asked := strings.ToLower(strings.TrimRight(p.Question, "?")); !strings.Contains(strings.ToLower(c.question), asked) {
				t.Errorf("%s: nobody asked %q", c.question, p.Question)
			}
		}
	}
}

// Questions of other languages have parts, too, and what is not answered of them is open.
func TestClausesOfOtherLanguages(t *testing.T) {
	for _, c := range []struct {
		question, text string
		found          []int // findings by part
	}{
		{"Wann wurde die Räucherei gegründet, und wo steht sie?", "Die Räucherei wurde 1931 von Olaf Berg gegründet. Der Hafen ist tief.", []int{1, 0}},
		{"Wer gründete die Genossenschaft?", "Die Genossenschaft wurde 1931 von Olaf Berg gegründet.", []int{1}},
		{"¿Por qué está cerrada la torre y cuánto costará la reparación?", "La torre está cerrada porque la escalera está en mal estado. La reparación costará 95.000 euros.", []int{1, 1}},
		{"Combien d'élèves compte l'école, et depuis quand ?", "L'école compte 184 élèves. La cantine est grande.", []int{1, 0}},
		{"Qui est la directrice de l'école et depuis quand ?", "La directrice de l'école est Solveig Dahl depuis 2016.", []int{1, 1}},
	} {
		w := newWorld(paper{url: "https://a.example/", title: "Notes", paras: []string{c.text}}, baking).run(t, c.question, "standard")
		if len(w.plan) != len(c.found) {
			t.Errorf("%s: plan %v", c.question, w.plan)
			continue
		}
		for i, n := range c.found {
			if got := w.plan[i].Findings; got != n {
				t.Errorf("%s: %d findings for %q, want %d: %v", c.question, got, w.plan[i].Question, n, w.findings)
			}
		}
	}
}

// Code that a line announces is what the line says of it; other code is not.
func TestAnnouncedCode(t *testing.T) {
	blocks := []block{
		{At: "para.1", Text: "The levels that the gauges have are printed by this command:"},
		{At: "para.2", Role: "code", Text: "tidectl --all"},
		{At: "para.3", Text: "The gauges are read twice a day."},
		{At: "para.4", Role: "code", Text: "gauges --help"},
	}
	places := map[string]place{}
	outline("S1", blocks, places)
	r := newReader(english)
	n := &notes{pages: []page{{Source: "S1", Title: "Gauges", Text: []byte(toJSON(blocks))}}}
	for question, want := range map[string]string{"How are the levels of the gauges printed?": "tidectl --all", "Why are the levels of the gauges printed?": ""} {
		p := newPart(r, subquestion{ID: "1", Question: question}, relatives(r))
		all := n.pool(english, []part{p})
		got := ""
		for _, s := range weigh(r, p, all, all.weights([]part{p})) {
			if s.role == "code" {
				got += s.text
			}
		}
		if got != want {
			t.Errorf("%s: code %q, want %q", question, got, want)
		}
	}
}

// A run's requests carry the name that it began with, and a new run's the name of today: a replay makes the same ones.
func TestNameOfARun(t *testing.T) {
	for pinned, want := range map[string]string{"": "extractive/3", "extractive/4": "extractive/4", ID: ID} {
		if name := New(pinned).Name(); name != want {
			t.Errorf("pinned as %q: called %q, want %q", pinned, name, want)
		}
	}
	if New(ID).Name() == New("").Name() {
		t.Error("a run that pins no version is taken for one of today")
	}
}
