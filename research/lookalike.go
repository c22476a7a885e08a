package research

import (
	"slices"
	"strings"

	"ibid/audit/claim"
	"ibid/audit/conflict"
	"ibid/evidence"
	"ibid/index"
	"ibid/internal/lazyregexp"
)

var figure = lazyregexp.New(`\d[\d.,]*\d|\d`)

// lookAlikes finds the disagreements of runs that began before there was audit/conflict, so that they replay as they were:
// pairs of findings from different sources that name different figures, or of which one denies what the other says, and
// that share at least three content words that are rare among the findings, half of the longer claim.
func lookAlikes(findings []evidence.Finding) []conflict.Conflict {
	terms := make([]map[string]bool, len(findings))
	count := map[string]int{}
	for i, f := range findings {
		terms[i] = map[string]bool{}
		for _, t := range index.Terms(f.Claim) {
			if !terms[i][t] && !figure.MatchString(t) {
				terms[i][t] = true
				count[t]++
			}
		}
	}
	var list []conflict.Conflict
	for i := range findings {
		for j := i + 1; j < len(findings) && len(list) < 5; j++ {
			a, b := findings[i], findings[j]
			if a.Source == b.Source {
				continue
			}
			figures := otherFigures(a.Claim, b.Claim)
			var shared []string
			for _, t := range index.Terms(a.Claim) {
				if terms[j][t] && count[t] <= 3 {
					shared = append(shared, t)
				}
			}
			if len(shared) < 3 || 2*len(shared) < max(len(terms[i]), len(terms[j])) {
				continue
			}
			switch {
			case figures:
				list = append(list, conflict.Conflict{A: a.ID, B: b.ID, About: "their figures"})
			case opposed(a.Claim, b.Claim):
				list = append(list, conflict.Conflict{A: a.ID, B: b.ID, About: "what they say"})
			}
		}
	}
	return list
}

// denied is a denial of what a text says.
var denied = lazyregexp.New(`(?i)\b(?:not|never|cannot|nicht|kein\w*)\b|n['’]t\b|\bno (?:\w+ )?(?:effect|evidence|difference|influence|impact|association|longer|use)\b`)

// opposed says whether one text seems to deny what the other says, or has the opposite word in its place.
func opposed(a, b string) bool {
	return denied.MatchString(a) != denied.MatchString(b) || slices.ContainsFunc(claim.Check(a, b, claim.Context{}), func(v claim.Verdict) bool {
		return v.Code == claim.NegationAdded || v.Code == claim.NegationLost || v.Code == claim.Antonym || v.Code == claim.Direction
	})
}

// otherFigures says whether both texts name figures and none of them is the same.
func otherFigures(a, b string) bool {
	x, y := figures(a), figures(b)
	if len(x) == 0 || len(y) == 0 {
		return false
	}
	for _, n := range x {
		for _, m := range y {
			if n == m {
				return false
			}
		}
	}
	return true
}

var year = lazyregexp.New(`^(19|20)\d\d$`)

// figures are the numbers of a text, without years: those say when, and not how much.
func figures(s string) (list []string) {
	for _, f := range figure.FindAllString(s, -1) {
		if f = strings.Trim(f, ".,"); !year.MatchString(f) {
			list = append(list, f)
		}
	}
	return list
}
