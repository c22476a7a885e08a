package extractive

import (
	"math"
	"strings"

	"ibid/internal/lazyregexp"
)

// position is the prior of a sentence's place. A report on research ends with what it comes to, and says first what was
// looked at and how; other texts begin with what matters.
func (p *pool) position(i int) float64 {
	e := &p.list[i]
	late := 0.0
	if e.of > 1 {
		late = float64(e.at) / float64(e.of-1)
	}
	if !p.reports(i) {
		return earlyWeight * (1 - late)
	}
	size := math.Max(-1.5, math.Min(1, math.Log(float64(e.n+1)/usualSize)))
	prior := lateWeight*late + sizeWeight*size
	if about.MatchString(e.text) {
		prior -= aboutWeight
	}
	return prior
}

// about are the headings of abstracts under which nothing is found yet.
var about = lazyregexp.New(`^(?i:METHODS?|DESIGN|SETTING|PARTICIPANTS?|PATIENTS|OBJECTIVES?|BACKGROUND|AIMS?|PURPOSE|INTRODUCTION|CONTEXT|IMPORTANCE|DATA|STUDY|MAIN OUTCOME|INTERVENTIONS?|RATIONALE)\b`)

// Bounds of a report on research.
const (
	fewestReport = 4    // sentences
	reportShare  = 0.12 // of them that speak as reports do
)

// reporting are words of reports on research.
var reporting = set(`we our result results conclusion conclusions patients significant significantly study findings method methods
	objective objectives ci`)

// reportsOn says whether a sentence has one of those words.
func reportsOn(s string) bool {
	for w := range strings.FieldsFuncSeq(s, func(c rune) bool { return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') }) {
		if reporting[w] || w[0] < 'a' && reporting[strings.ToLower(w)] {
			return true
		}
	}
	return false
}

// reports says whether the paragraph of a sentence reads like the abstract of a report on research.
func (p *pool) reports(i int) bool {
	e := &p.list[i]
	if e.of < fewestReport {
		return false
	}
	first := i - e.at
	if p.reported == nil {
		p.reported = map[int]bool{}
	}
	known, ok := p.reported[first]
	if !ok {
		n := 0
		for j := first; j < first+e.of; j++ {
			if reportsOn(p.list[j].text) {
				n++
			}
		}
		known = float64(n) >= reportShare*float64(e.of)
		p.reported[first] = known
	}
	return known
}
