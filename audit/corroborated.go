package audit

import (
	"fmt"
	"slices"
	"strings"

	"ibid/audit/claim"
	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

// Corroboration says by how many sources a thing is stated, counted by origins (FIND-3); groups are those of
// sources.Standing.Origins. Without a stop: the citation of all of them follows.
func Corroboration(groups [][]string) string {
	n := 0
	for _, g := range groups {
		n += len(g)
	}
	switch k := len(groups); {
	case k == n:
		return fmt.Sprintf("Stated by %d independent sources", n)
	case k == 1:
		return fmt.Sprintf("Stated by %d sources of one origin", n)
	default:
		return fmt.Sprintf("Stated by %d sources, %d of them independent", n, k)
	}
}

var counted = lazyregexp.New(`(?i)^(?:also )?stated by (?:\S+ )?(?:independent )?sources?\b`)

// checkStated reports whether a sentence counts who states what stands before it, and holds it against the sources that it cites:
// their number, their origins, and whether they state one thing.
func (c *checker) checkStated(b *block, s statement, groups []citedGroup) bool {
	if c.rec.Cards == CardsIgnored || !counted.MatchString(s.text) {
		return false
	}
	var cites []evidence.Citation
	for _, g := range groups {
		cites = append(cites, g.cites...)
	}
	origins, links := c.standing().Origins(keysOf(cites))
	if want := Corroboration(origins); strings.TrimRight(s.text, " .") != want {
		f := Failure{Code: NotIndependent, Claim: s.text, Message: fmt.Sprintf("The record says otherwise: %s.", want)}
		if len(links) > 0 {
			f.Message += " One origin are: " + reasons(links) + "."
		}
		c.failAt(b, s.Range, f)
	}
	for i, ci := range cites {
		if i > 0 && !c.sayTheSame(cites[0], ci) {
			c.failAt(b, s.Range, Failure{Code: ClaimMismatch, Claim: s.text, Text: ci.String(),
				Message: fmt.Sprintf("What is recorded at [%s] is not what is recorded at [%s]. Count only what states the same.", ci, cites[0])})
		}
	}
	return true
}

func (c *checker) sayTheSame(a, b evidence.Citation) bool {
	for _, i := range c.findings[evidence.Key(a)] {
		for _, j := range c.findings[evidence.Key(b)] {
			if i == j || Same(c.rec.Findings[i], c.rec.Findings[j]) {
				return true
			}
		}
	}
	return false
}

// Same reports whether two findings of different sources state the same (FIND-3): the words of the one are nearly those of the
// other, figures and denials are the same, and by no rule does either quote fall short of the other's claim.
func Same(a, b evidence.Finding) bool { return gist(a).same(gist(b)) }

// A point is what a finding states, made ready for comparing.
type point struct {
	evidence.Finding
	stems   map[string]bool
	figs    []claim.Number
	negated int
}

func gist(f evidence.Finding) point {
	return point{f, stems(f.Claim), claim.Numbers(f.Claim), negations(f.Claim)}
}

func (a point) same(b point) bool {
	if a.Source == b.Source || a.Rejected != "" || b.Rejected != "" || a.Accepted != nil || b.Accepted != nil || a.negated != b.negated || len(a.figs) != len(b.figs) {
		return false
	}
	in, _ := share(a.stems, b.stems)
	if in < 3 || in*10 < min(len(a.stems), len(b.stems))*8 || in*2 < max(len(a.stems), len(b.stems)) {
		return false
	}
	for _, f := range a.figs {
		if !slices.ContainsFunc(b.figs, func(g claim.Number) bool {
			return f.Value == g.Value && (f.Counts == g.Counts || f.Counts == "" || g.Counts == "")
		}) {
			return false
		}
	}
	return follows(a.Claim, b.Quote) && follows(b.Claim, a.Quote)
}

// maxJoined is how many findings are compared with each other. Those after them stand by themselves.
const maxJoined = 400

// Joined groups the findings that state the same (FIND-3), each by its first, which all others agree with; none is of one. The
// groups are in the order of the findings, which are given by their indexes.
func Joined(findings []evidence.Finding) (groups [][]int) {
	var points []point
	var leads []int // of each group, an index of points
	for i, f := range findings[:min(len(findings), maxJoined)] {
		p := gist(f)
		points = append(points, p)
		at := slices.IndexFunc(leads, func(lead int) bool { return points[lead].same(p) })
		if at < 0 {
			leads, groups = append(leads, i), append(groups, []int{i})
			continue
		}
		groups[at] = append(groups[at], i)
	}
	return slices.DeleteFunc(groups, func(g []int) bool { return len(g) == 1 })
}

// follows reports whether no rule finds anything in a quote for a claim to fall short of.
func follows(said, quote string) bool {
	return !slices.ContainsFunc(claim.Check(said, quote, claim.Context{}), func(v claim.Verdict) bool {
		return v.Severity == claim.Block || v.Code != claim.Unsupported && v.Code != claim.HedgeLost && !v.Code.OfWords()
	})
}
