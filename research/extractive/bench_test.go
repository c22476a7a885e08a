package extractive

import (
	"math/rand"
	"testing"
)

// TestEvidence measures how many of the gold sentences of a document stand among the first three and five that this
// researcher would take from it.
func TestEvidence(t *testing.T) {
	for _, want := range []struct {
		set    string
		r3, r5 float64
	}{{"scifact", 0.762, 0.905}, {"hotpot100s", 0.975, 0.99}} {
		s := loadEvidence(t, want.set)
		r := newReader(english)
		r3, r5 := 0.0, 0.0
		for _, g := range s.pairs {
			all := s.sentences(r, []string{g.doc})
			p := newPart(r, subquestion{ID: "q1", Question: s.questions[g.question]}, relatives(r))
			l := newLens(p, all.weights([]part{p}))
			some := make([]scored, len(all.list))
			for i := range all.list {
				e := &all.list[i]
				some[i] = scored{sentence: e, index: i, coverage: l.look(e.terms, e.above, all.near(i), all.topics[e.source]).coverage}
			}
			order(r, p, all, some)
			fitted(p, some)
			for k, x := range some {
				for i := range g.sents {
					if s.docs[g.doc].Sents[i] == x.text {
						if k < 3 {
							r3 += 1 / float64(len(g.sents))
						}
						if k < 5 {
							r5 += 1 / float64(len(g.sents))
						}
					}
				}
			}
		}
		n := float64(len(s.pairs))
		t.Logf("%s: %d pairs, R@3 %.3f, R@5 %.3f", want.set, len(s.pairs), r3/n, r5/n)
		if r3/n < want.r3 || r5/n < want.r5 {
			t.Errorf("%s: R@3 %.3f R@5 %.3f, want at least %.2f and %.2f", want.set, r3/n, r5/n, want.r3, want.r5)
		}
	}
}

// TestFloor asks questions of documents that answer them and of documents of other questions: findings of the first
// kind must stay, those of the second must be rare.
func TestFloor(t *testing.T) {
	for _, want := range []struct {
		set         string
		kept, false float64
	}{{"scifact", 0.77, 0.016}, {"hotpot100s", 0.82, 0.025}} {
		s := loadEvidence(t, want.set)
		r := newReader(english)
		rnd := rand.New(rand.NewSource(1))
		kept, wrong, gold := 0, 0, 0
		for i, q := range s.asked {
			var around []string
			for len(around) < 8 {
				around = append(around, s.ids[rnd.Intn(len(s.ids))])
			}
			p := newPart(r, subquestion{ID: "q1", Question: s.questions[q]}, relatives(r))
			found := func(docs []string) []scored {
				all := s.sentences(r, append(append([]string{}, docs...), around...))
				list := weigh(r, p, all, all.weights([]part{p}))
				if p.compares != nil && len(list) == 0 {
					c := chooser{notes: &notes{}, have: map[string]int{}, used: map[string]bool{}}
					for _, x := range c.pair(p, all) {
						list = append(list, x.scored)
					}
				}
				return list
			}
			if f := found(s.gold[q]); len(f) > 0 {
				kept++
				for _, id := range s.gold[q] {
					for _, text := range s.docs[id].Sents {
						if text == f[0].text {
							gold++
						}
					}
				}
			}
			other := s.asked[(i+37)%len(s.asked)]
			if f := found(s.gold[other]); len(f) > 0 {
				wrong++
				if wrong < 6 {
					t.Logf("false: %q <- %q %.2f", s.questions[q], f[0].text, f[0].coverage)
				}
			}
		}
		n := float64(len(s.asked))
		t.Logf("%s: %d questions, kept %.3f (best one of a gold document %.3f), false %.3f", want.set, len(s.asked), float64(kept)/n, float64(gold)/n, float64(wrong)/n)
		if float64(kept)/n < want.kept || float64(wrong)/n > want.false {
			t.Errorf("%s: kept %.3f, false %.3f, want at least %.2f and at most %.2f", want.set, float64(kept)/n, float64(wrong)/n, want.kept, want.false)
		}
	}
}
