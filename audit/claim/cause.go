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
	for j, q := range p.quote.words {
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
