package extract

import (
	"math"

	"ibid/evidence"
)

// settle makes blocks that belong together be judged more alike: the items of a list, the rows of a table, the paragraphs
// of an element, and a heading with the text below it.
func (s *scene) settle(p []float32) {
	type pool struct{ odds, weight float64 }
	pools := map[int32]pool{}
	for i, q := range p {
		if k := s.series(i); k >= 0 {
			w := math.Sqrt(float64(s.words[i].words) + 1)
			pools[k] = pool{pools[k].odds + w*logit(q), pools[k].weight + w}
		}
	}
	for i, q := range p {
		if k := s.series(i); k >= 0 {
			p[i] = logistic((logit(q) + pools[k].odds/pools[k].weight) / 2)
		}
	}
	for i := max(s.title, -1) + 1; i < len(p); i++ {
		if b := &s.page.Blocks[i]; b.Role == evidence.RoleHeading && b.LinkText <= 0.5 {
			p[i] = max(p[i], s.below(p, i))
		}
	}
}

// series is the box of the list or table that a block is an item or a row of, or that of the paragraphs beside it, -1 for
// other blocks.
func (s *scene) series(i int) int32 {
	k := s.own[i]
	switch b := &s.boxes[k]; s.page.Blocks[i].Role {
	case evidence.RoleItem, evidence.RoleRow:
	case evidence.RoleText:
		if b.tag != tagNumbers["p"] || s.shapes[b.shape].boxes < 3 {
			return -1
		}
		return b.parent
	default:
		return -1
	}
	for k >= 0 && s.boxes[k].tag < tagSeries {
		k = s.boxes[k].parent
	}
	return k
}

// below is the chance of the text from a heading to the next one, the first hundred words of it, 0 if it is but a few.
func (s *scene) below(p []float32, heading int) float32 {
	sum, words := float32(0), float32(0)
	for k := heading + 1; k < len(p) && s.page.Blocks[k].Role != evidence.RoleHeading && words < 100; k++ {
		w := float32(s.words[k].words)
		sum, words = sum+w*p[k], words+w
	}
	if words <= 10 {
		return 0
	}
	return sum / words
}

// leniency is by how much less than other blocks a block must be likely to be taken. A heading or an item too much costs
// a few words and one too little leaves a gap in what can be found. Around news, and the posts of a forum, are many of
// both that are not of the text.
func (s *scene) leniency(i int) float32 {
	strict := min(float32(s.types[typeNews]+s.types[typeForum])/100, 1)
	by := float32(1)
	switch b := &s.page.Blocks[i]; {
	case b.Role == evidence.RoleHeading:
		by = 0.5
	case b.Role == evidence.RoleItem && s.words[i].words < 30:
		by = 0.3
	}
	return by + (1-by)*strict
}

func logit(p float32) float64 {
	q := min(max(float64(p), 1e-4), 1-1e-4)
	return math.Log(q / (1 - q))
}
