package extractive

import (
	"os"
	"sort"
	"testing"
)

func TestGrid(t *testing.T) {
	if os.Getenv("GRID") == "" {
		t.Skip()
	}
	for _, set := range []string{"scifact", "hotpot100s"} {
		s := loadEvidence(t, set)
		r := newReader()
		for _, cw := range []float64{0, .15, .3, .5} {
			for _, cue_ := range []float64{0, .08, .15} {
				for _, pos := range []float64{-.1, -.05, 0, .05} {
					for _, nw := range []bool{false, true} {
						if (set == "hotpot100s") && cw != .3 {
							continue
						}
						r3, r5 := 0.0, 0.0
						for _, g := range s.pairs {
							all := s.sentences(r, []string{g.doc})
							p := newPart(r, subquestion{ID: "q1", Question: s.questions[g.question]}, relatives(r))
							l := newLens(p, weights([]part{p}, all))
							texts, terms := make([]string, len(all)), make([][]string, len(all))
							for i, x := range all {
								texts[i], terms[i] = x.text, x.terms
							}
							sc := relevance(r, p.Question, texts, terms, nil, 0)
							for i := range all {
								sc[i] = (1-cw)*sc[i] + cw*l.look(all[i].terms, all[i].above, all[i].around).coverage + cue_*cue(p.ask, all[i].text) + pos*all[i].early
								q := quality(&all[i], p.Question)
								if nw {
									q *= news(p, &all[i])
								}
								sc[i] *= q
							}
							ix := make([]int, len(sc))
							for i := range ix {
								ix[i] = i
							}
							sort.SliceStable(ix, func(a, b int) bool { return sc[ix[a]] > sc[ix[b]] })
							for k, i := range ix {
								if g.sents[i] {
									if k < 3 {
										r3 += 1 / float64(len(g.sents))
									}
									if k < 5 {
										r5 += 1 / float64(len(g.sents))
									}
								}
							}
						}
						n := float64(len(s.pairs))
						t.Logf("%s cover %.2f cue %.2f early %.2f news %v: %.3f %.3f", set, cw, cue_, pos, nw, r3/n, r5/n)
					}
				}
			}
		}
	}
}
