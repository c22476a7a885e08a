package foreign

import (
	"slices"
	"strings"

	"ibid/audit"
	"ibid/audit/claim"
)

// decide takes the best passage that no rule objects to, unless one that says the opposite is nearer to the claim.
func (c *checker) decide(cl *Claim, words map[string]bool, all []judged) {
	good := slices.IndexFunc(all, func(j judged) bool { return !j.blocked() })
	bad := slices.IndexFunc(all, func(j judged) bool { _, is := j.conflict(); return is })
	var best judged
	if good >= 0 {
		best = all[good]
	}
	if bad >= 0 && (good < 0 || all[bad].share > best.share+0.001) && c.stands(cl, words, all, all[bad]) {
		c.contradict(cl, all[bad])
		return
	}
	agreeing := slices.DeleteFunc(slices.Clone(all), func(j judged) bool { _, is := j.conflict(); return is })
	together, parts := join(cl.Text, words, agreeing)
	switch {
	case good >= 0 && best.share >= enough:
		if whole := slices.IndexFunc(all, func(j judged) bool { return len(j.verdicts) == 0 && j.share >= enough && j.share >= best.share-asMany }); whole >= 0 {
			best = all[whole]
		}
		c.support(cl, best)
		return
	case parts != nil && !together.blocked() && together.share >= enough && together.share > best.share:
		together.verdicts = append(together.verdicts, apart(all, parts)...)
		c.support(cl, together, parts...)
		return
	}
	nearest := best
	if len(all) > 0 && (good < 0 || all[0].share > best.share+0.1) {
		nearest = all[0]
	}
	cl.Words = round2(nearest.share)
	if nearest.sourceText != nil {
		cl.Quotes = []Quote{c.quote(cl, nearest.passage)}
	}
	least := some
	if nearest.sourceText != nil && audit.HasNumber(cl.Text) && nearest.hasFigures() {
		least = figured
	}
	if nearest.sourceText == nil || nearest.share < least || nearest.own < least/2 {
		cl.Verdict = NotFound
		return
	}
	cl.Verdict = Partly
	c.reasons(cl, nearest)
	if len(nearest.verdicts) == 0 {
		cl.Reasons = append(cl.Reasons, Reason{Code: "words", Claim: strings.Join(lacking(cl.Text, nearest), ", "), Message: "The nearest sentence does not have these words of the claim."})
	}
}

// apart lists what rules find in the parts of a joined passage, each by itself, of what no other part can make good: a denial,
// an opposite, another name.
func apart(all []judged, parts []passage) (list []claim.Verdict) {
	for _, j := range all {
		if !slices.ContainsFunc(parts, func(p passage) bool { return p.sourceText == j.sourceText && p.from == j.from && p.to == j.to }) {
			continue
		}
		for _, v := range j.verdicts {
			switch v.Code {
			case claim.NegationAdded, claim.NegationLost, claim.Antonym, claim.Direction, claim.NameConflict, claim.HedgeLost:
				list = append(list, v)
			}
		}
	}
	return list
}

// hasFigures reports whether no rule misses a figure or date of the claim in a passage.
func (j judged) hasFigures() bool {
	return !slices.ContainsFunc(j.verdicts, func(v claim.Verdict) bool {
		return strings.HasPrefix(string(v.Code), "number_") || strings.HasPrefix(string(v.Code), "date_") || strings.HasPrefix(string(v.Code), "unit_")
	})
}

// stands reports whether a conflict stands: the passage has nearly all of the claim, or it is still found when the best
// passages are read together.
func (c *checker) stands(cl *Claim, words map[string]bool, all []judged, bad judged) bool {
	if bad.own >= near {
		return true
	}
	together, parts := join(cl.Text, words, all)
	if parts == nil {
		return true
	}
	together.own = 1
	_, is := together.conflict()
	return is
}

// join takes the sentences together that have the most words of a claim between them.
func join(text string, words map[string]bool, all []judged) (judged, []passage) {
	if len(all) == 0 {
		return judged{}, nil
	}
	parts := []passage{all[0].passage}
	for len(parts) < joined {
		best, gain := -1, 0.0
		now, _ := shares(words, parts...)
		for i, j := range all {
			if slices.ContainsFunc(parts, func(p passage) bool { return p.sourceText == j.sourceText && j.from < p.to && p.from < j.to }) {
				continue
			}
			own, _ := shares(words, append(slices.Clone(parts), j.passage)...)
			if own-now > gain+0.001 {
				best, gain = i, own-now
			}
		}
		if best < 0 {
			break
		}
		parts = append(parts, all[best].passage)
	}
	together := all[0]
	if len(parts) == 1 {
		return together, nil
	}
	around := parts[0].around()
	around.After = ""
	for _, p := range parts[1:] {
		more := p.around()
		around.Title += "\n" + more.Title
		around.Heading += "\n" + more.Heading
		around.Table += "\n" + more.Table
	}
	together.verdicts = claim.Check(text, joinedWords(parts), around)
	together.own, together.share = shares(words, parts...)
	return together, parts
}

func joinedWords(parts []passage) string {
	var said []string
	for _, p := range parts {
		said = append(said, p.words())
	}
	return strings.Join(said, "\n")
}

// support says that a claim is supported, or partly where a rule has a doubt.
func (c *checker) support(cl *Claim, j judged, parts ...passage) {
	cl.Verdict, cl.Words = Supported, round2(j.share)
	if parts == nil {
		parts = []passage{j.passage}
	}
	for _, p := range parts {
		cl.Quotes = append(cl.Quotes, c.quote(cl, p))
	}
	if len(j.verdicts) > 0 {
		cl.Verdict = Partly
		c.reasons(cl, j)
	}
}

func (c *checker) contradict(cl *Claim, j judged) {
	cl.Verdict, cl.Words = Contradicted, round2(j.share)
	cl.Quotes = []Quote{c.quote(cl, j.passage)}
	c.reasons(cl, j)
}

// reasons are what rules say of a passage.
func (c *checker) reasons(cl *Claim, j judged) {
	for _, v := range j.verdicts {
		cl.Reasons = append(cl.Reasons, Reason{Code: string(v.Code), Claim: v.Claim, Source: v.Source, Message: v.Message})
	}
}
