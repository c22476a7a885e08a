package extract

import (
	"slices"

	"ibid/evidence"
)

// choose is the learned choice of the main content (docs/decisions/012-main-content.md): a first guess at each block,
// then a second one that sees the first guesses around it, then as many blocks as give the best expected F1 of words, and
// with them headings and items that are a little less likely.
func (s *scene) choose(m *model) []bool {
	chances := s.chances(m)
	s.settle(chances)
	least := s.threshold(chances)
	main := make([]bool, len(chances))
	for i, p := range chances {
		main[i] = p >= least*s.leniency(i)
	}
	return main
}

// chances are those of each block that it is main content.
func (s *scene) chances(m *model) []float32 {
	var r row
	s.typeFeatures(&r)
	s.types = m.typesOf(r)
	shift := 0.0
	for t, by := range typeShift {
		shift += by * float64(s.types[t]) / 200
	}
	n := len(s.words)
	p := make([]float32, n)
	for i := range n {
		r = r[:0]
		s.features(i, &r)
		p[i] = logistic(m.first.odds(r))
	}
	v := s.view(slices.Clone(p))
	_, forum := s.pageType()
	for i := range n { // features are made again: those of a page of a hundred thousand blocks would take as much memory as all else
		r = r[:0]
		s.features(i, &r)
		v.features(i, &r)
		p[i] = logistic(m.second.odds(r) + shift)
		if !forum && s.page.Blocks[i].Role == evidence.RoleComment {
			p[i] = 0
		}
	}
	return p
}

// typeShift is what the type of a page adds to the logarithm of the odds of each of its blocks. News asks for precision:
// what stands around a report is rarely part of it.
var typeShift = [typeCount]float64{typeNews: -1.2}

// surely is the part of 200 from which on a type is told.
const surely = 120

// pageType is the type of the page, "" where it is not plain, and whether what people said is its content.
func (s *scene) pageType() (name string, forum bool) {
	t := s.types
	t[typeArticle] += t[typeNews]
	t[typeNews] = 0
	for i, part := range t {
		if part >= surely {
			name = typeNames[i]
		}
	}
	return name, t[typeForum] >= 60
}

// threshold is the chance from which on blocks are taken, so that the F1 of their words is the best that can be expected.
func (s *scene) threshold(p []float32) float32 {
	const steps = 1024
	var words, main [steps + 1]float64
	all := 0.0
	for i, q := range p {
		if s.lead[i] {
			continue
		}
		k, n := int(q*steps), float64(s.words[i].words)
		words[k] += n
		main[k] += n * float64(q)
		all += n * float64(q)
	}
	best, at, taken, right := 0.0, steps, 0.0, 0.0
	for k := steps; k > steps/8; k-- {
		taken += words[k]
		right += main[k]
		if f := 2 * right / (taken + all + 1e-9); f >= best {
			best, at = f, k
		}
	}
	return float32(at) / steps
}
