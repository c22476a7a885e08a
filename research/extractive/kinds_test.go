package extractive

import (
	"fmt"
	"slices"
	"testing"
)

// TestKinds asks questions of each kind of a few sentences. Those under yes are answers; those under no speak of the
// same things and answer nothing.
func TestKinds(t *testing.T) {
	for _, c := range []struct {
		question string
		yes, no  []string
	}{
		{"What is a tidewheel?", []string{
			"A tidewheel is a wheel that the ebb and the flood turn.",
		}, []string{
			"If the tidewheel is blocked, the gate stays shut.",
			"Three of the mills have bought a second tidewheel since.",
			"On a tidewheel the paddles wear out first.",
			"The town voted on the tidewheel, a decision falls in May.",
		}},
		{"What is a tidewheel?", []string{
			"Such a mill has a device called a tidewheel at its outer gate.",
			"The tidewheel, with its forty paddles, is the largest machine of the mill.",
			"Each mill has a wheel for both ways of the water, or tidewheel, behind the gate.",
		}, []string{"Visitors may not touch the tidewheel."}},
		{"What is a fixed gate?", []string{
			"If it cannot be lifted at all, the gate is fixed and the water stays outside.",
		}, []string{"A receipt hangs beside every fixed gate."}},
		{"Was ist eine Gezeitenmühle?", []string{
			"Eine Gezeitenmühle ist eine Mühle, die von Ebbe und Flut getrieben wird.",
		}, []string{
			"Zudem ist eine Gezeitenmühle deutlich teurer im Unterhalt.",
			"Viele Besucher kommen im Sommer zu der Gezeitenmühle am Hafen.",
		}},
		{"¿Qué es una noria?", []string{
			"Una noria es una rueda que saca agua de un río.",
		}, []string{"Los vecinos pintaron la noria de verde el año pasado."}},
		{"Who built the Harrow tidewheel?", []string{
			"The Harrow tidewheel was built by the carpenter Anna Holm.",
		}, []string{
			"The Harrow tidewheel was built of oak and iron.",
		}},
		{"When was the tidewheel built?", []string{
			"The tidewheel was built in the spring of 1911.",
			"The tidewheel was built, and opened on Nov. 18 by the mayor.",
		}, []string{"The tidewheel was built of oak and iron."}},
		{"How many mills have a tidewheel?", []string{
			"Along this coast 34 old grain mills have a tidewheel.",
		}, []string{
			"Most mills have a tidewheel with 40 paddles.",
			"Of the mills, 12 percent have lost the tidewheel that they had.",
		}},
		{"How big is the tidewheel?", []string{
			"The tidewheel has a diameter of nine metres.",
		}, []string{"The big tidewheel draws 4 percent of its power from the wind."}},
		{"Why do tidewheels wear out?", []string{
			"Tidewheels wear out because sand grinds their paddles.",
			"Floating ice makes most tidewheels wear out within ten winters.",
		}, []string{
			"Tidewheels wear out more often than the owners admit.",
			"Well kept tidewheels do not wear out because of the salt.",
		}},
		{"Why are tidewheels expensive?", []string{
			"Tidewheels are expensive because the oak has to be dry.",
		}, []string{
			"Tidewheels need not be expensive because pine does as well.",
			"The most expensive third of tidewheels causes half of all that is spent on tidewheels.",
		}},
		{"What prevents wear on tidewheels?", []string{
			"A coat of tar prevents wear on tidewheels for years.",
		}, []string{"Wear on tidewheels was measured in each of eleven summers."}},
		{"How does a tidewheel work?", []string{
			"A tidewheel turns the stones by the force of the tide.",
		}, []string{"The smith who mended the old tidewheel says that it will do some work next year."}},
		{"Which gates hold back the flood?", []string{"Sluice gates hold back the flood."}, nil},
		{"What does the sluice keeper do?", []string{
			"The sluice keeper opens the gates an hour before high water.",
		}, []string{"Nobody has yet paid anything to the sluice keeper."}},
		{"How do tidewheels and millponds compare?", []string{
			"Unlike millponds, tidewheels give power twice a day.",
		}, []string{"Most tidewheels stand idle now."}},
		{"Is the tidewheel older than the church?", []string{
			"The tidewheel is older than the church beside it by a hundred years.",
		}, []string{"The school is older than the church by ten years."}},
	} {
		t.Run(c.question, func(t *testing.T) {
			r := newReader(languageOf(c.question))
			p := newPart(r, subquestion{ID: "q1", Question: c.question}, relatives(r))
			all := &pool{}
			for i, text := range slices.Concat(c.yes, c.no) {
				all.list = append(all.list, sentence{span: fmt.Sprintf("S%d:para.1", i+1), source: fmt.Sprintf("S%d", i+1), kind: "html", text: text, terms: r.terms(text), n: len(split(text)), of: 1})
			}
			var kept []string
			for _, s := range weigh(r, p, all, all.weights([]part{p})) {
				kept = append(kept, s.text)
			}
			for _, text := range c.yes {
				if !slices.Contains(kept, text) {
					t.Errorf("left out: %s", text)
				}
			}
			for _, text := range c.no {
				if slices.Contains(kept, text) {
					t.Errorf("kept: %s", text)
				}
			}
		})
	}
}

func TestGermanStem(t *testing.T) {
	for _, same := range [][]string{
		{"entwickelt", "entwickelten", "entwickeln", "entwickelte"},
		{"häuser", "haus"}, {"mühlen", "mühle"}, {"gekauft", "kaufen", "kaufte"}, {"beschleunigung", "beschleunigt"},
	} {
		for _, w := range same {
			if got, want := germanStem(w), germanStem(same[0]); got != want {
				t.Errorf("%s: %s, but %s: %s", w, got, same[0], want)
			}
		}
	}
	if germanStem("wasser") == germanStem("wagen") {
		t.Error("two words have one stem")
	}
}

func TestSharedHead(t *testing.T) {
	for question, want := range map[string]string{
		"What is the difference between a fixed and a moving gate?":     "What is a fixed gate?",
		"What is the difference between a tide and a current?":          "What is a tide?",
		"How does the new tidewheel differ from the old one?":           "How does the new tidewheel differ from the old one?",
		"What is the difference between oak and pine in salt water?":    "How is oak in salt water?",
		"Compare the northern and the southern mill":                    "What is the northern mill?",
		"What is the difference between tidewheels and a river's wheel": "What is tidewheels?",
	} {
		c, ok := compared(english, question)
		if got := asQuestion(c.sides[0]); ok && got != want || !ok && want != question {
			t.Errorf("%s: %s, want %s", question, got, want)
		}
	}
}

// TestRowsOfAnotherThing asks for a row of a table by name and day.
func TestRowsOfAnotherThing(t *testing.T) {
	r := newReader(english)
	p := newPart(r, subquestion{ID: "q1", Question: "What was the toll of gate B on 2024-01-07?"}, relatives(r))
	all := &pool{}
	above := map[string]float64{}
	r.credit(above, "Gate | Day | Toll", headCredit)
	rows := []string{"Gate B | 2024-01-07 | 500", "Gate C | 2024-01-07 | 700", "Gate B | 2024-01-14 | 900"}
	for _, row := range rows {
		all.list = append(all.list, sentence{span: "S1:sheet.A!A1", source: "S1", kind: "sheet", role: "row", text: row, terms: r.terms(row), above: above, n: len(split(row)), of: 1})
	}
	if got := weigh(r, p, all, all.weights([]part{p})); len(got) != 1 || got[0].text != rows[0] {
		t.Errorf("%d rows, want the first alone: %+v", len(got), got)
	}
}

// TestContrary gives two sources that say the opposite, and one that says the same in other words.
func TestContrary(t *testing.T) {
	yes := paper{url: "https://a.example/tar", title: "Tar on tidewheels", paras: []string{"A coat of tar prevents the wear of tidewheel paddles in salt water."}}
	no := paper{url: "https://b.example/tar", title: "Tar tried", paras: []string{"A coat of tar does not prevent the wear of tidewheel paddles in salt water."}}
	w := newWorld(yes, no).run(t, "Does a coat of tar prevent the wear of tidewheels?", "standard")
	sources := map[string]bool{}
	for _, f := range w.findings {
		sources[f.Span[:2]] = true
	}
	if len(sources) != 2 {
		t.Errorf("one side of two: %+v", w.findings)
	}
}
