package claim

import "fmt"

// statistics are the words for what a figure is of a set of values.
var statistics = map[string]string{"median": "median", "mean": "mean", "average": "mean", "averaged": "mean", "averages": "mean", "averaging": "mean",
	"maximum": "maximum", "max": "maximum", "minimum": "minimum", "min": "minimum", "mode": "mode", "total": "total", "cumulative": "total", "peak": "maximum"}

// checkStatistic looks whether the claim calls a mean what the quote calls a median.
func (p *pair) checkStatistic() {
	for i, w := range p.claim.words {
		mine := statistics[w.s]
		if mine == "" || w.often || !p.claim.figureNear(i) {
			continue
		}
		other := -1
		has := false
		for j, q := range p.quote.words {
			if q.often {
				continue
			}
			switch theirs := statistics[q.s]; {
			case theirs == mine:
				has = true
			case theirs != "" && p.quote.figureNear(j) && p.common(i, j) > 0:
				other = j
			}
		}
		if has || other < 0 {
			continue
		}
		if mine == "total" || statistics[p.quote.words[other].s] == "total" {
			continue
		}
		p.add(Statistic, Block, p.claim.about(i), p.quote.about(other), fmt.Sprintf("The claim speaks of the %s, the quote of the %s.", w.s, p.quote.words[other].s))
	}
}

// figureNear reports whether a figure stands within a few words of word i.
func (t *text) figureNear(i int) bool {
	for _, f := range t.figures {
		if !f.ordinal && f.from-i < 6 && i-f.to < 4 {
			return true
		}
	}
	return false
}
