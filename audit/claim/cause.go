package claim

import "fmt"

var (
	causal = set(`cause causes caused causing because due leads led leading results resulted resulting produces produced triggers triggered
		prevents prevented induces induced owing thanks thereby responsible consequence drives drove driven`)
	// association is what the quote may say of two things without saying that one makes the other.
	association = set(`associated association associate link linked links correlated correlate correlates correlation correlations related relationship tied coincided coincides coincide
		attribute attributes attributed attributing predictor predicts linking hypothesise hypothesize hypothesised hypothesized speculate speculated credit credited credits blame blames blamed`)
	// effects are verbs of making something so that are no causal words by themselves.
	effects = stems("stimulate promote increase decrease reduce improve enhance inhibit suppress drive enable allow affect alter trigger elicit activate impair block protect")
)

// checkCause looks for a cause in the claim where the quote has an association or somebody's attribution.
func (p *pair) checkCause() {
	for i, w := range p.claim.words {
		if p.claim.movesRisk(i) && !w.often && !w.negated {
			p.riskAt(i)
			continue
		}
		if w.often || !causal[w.s] || w.hyphen || p.claim.at(i+1).hyphen || w.s == "due" && p.claim.at(i+1).s != "to" || (w.s == "leads" || w.s == "led" || w.s == "leading") && p.claim.at(i+1).s != "to" ||
			(w.stem == "result" || w.s == "resulting") && p.claim.at(i+1).s != "in" && p.claim.at(i+1).s != "from" || w.stem == "produc" && p.claim.at(i+1).s == "by" {
			continue
		}
		p.causeAt(i)
	}
}

func (p *pair) causeAt(i int) {
	w := p.claim.words[i]
	for _, c := range p.claim.words { // it keeps what the quote hedges with
		if association[c.s] || hedges[c.s] {
			return
		}
	}
	soft := -1
	for j := range p.quote.words {
		q := &p.quote.words[j]
		if q.often {
			continue
		}
		if effects[q.stem] && p.common(i, j) > 1 {
			return
		}
		if causal[q.s] && (q.stem == w.stem || p.common(i, j) > 0) || q.s == "as" && p.quote.at(j+1).s == "a" && p.quote.at(j+2).s == "result" {
			return
		}
		if association[q.s] && (soft < 0 || p.common(i, j) > p.common(i, soft)) {
			soft = j
		}
	}
	if soft >= 0 && p.common(i, soft) > 1 {
		p.add(Causal, Block, p.claim.about(i), p.quote.about(soft), fmt.Sprintf("The quote says %q, which is no cause. Keep its word.", p.quote.words[soft].s))
	} else if w.s == "because" {
		p.add(Causal, Flag, p.claim.about(i), "", fmt.Sprintf("The quote does not say %q.", w.s))
	}
}

var (
	riskMovers = stems("reduce lower decrease cut halve increase raise elevate double")
	risks      = stems("risk odds likelihood chance incidence mortality prevalence rate hazard")
)

// movesRisk reports whether the word at i says that something makes a risk larger or smaller.
func (t *text) movesRisk(i int) bool {
	w := t.words[i]
	if !riskMovers[w.stem] || w.s == "lower" || functionWords[t.at(i-1).s] && t.at(i-1).s != "can" && t.at(i-1).s != "to" && t.at(i-1).s != "may" && t.at(i-1).s != "also" {
		return false // a lower risk
	}
	for k := i + 1; k < i+4 && t.at(k).kind == letters; k++ {
		if risks[t.words[k].stem] {
			return true
		}
	}
	return false
}

// riskAt looks whether the quote only says that a risk was larger or smaller in one group than in another.
func (p *pair) riskAt(i int) {
	at := -1
	for j, q := range p.quote.words {
		switch {
		case q.often:
		case causal[q.s], effects[q.stem], p.quote.movesRisk(j):
			return
		case association[q.s], risks[q.stem] && (compared[p.quote.at(j-1).s] || compared[p.quote.at(j-2).s]):
			if at < 0 {
				at = j
			}
		}
	}
	if at < 0 {
		return
	}
	p.add(Causal, Flag, p.claim.about(i), p.quote.about(at), fmt.Sprintf("The quote says %q: that the risk differs, and not what makes it differ. Keep its words.", p.quote.about(at)))
}

var compared = set("lower higher smaller larger greater less fewer")
