package extract

import (
	"math"
	"math/rand/v2"
	"slices"
)

// A matrix is a set of rows to learn from, column by column.
type matrix struct {
	cols [][]uint8
	y, w []float64 // what each row should come to, 0…1, and how much it counts
	page []int     // of each row; rows of a page are drawn together
}

func (s *matrix) add(r row, y, w float64, page int) {
	if s.cols == nil {
		s.cols = make([][]uint8, len(r))
	}
	for c, v := range r {
		s.cols[c] = append(s.cols[c], v)
	}
	s.y, s.w, s.page = append(s.y, y), append(s.w, w), append(s.page, page)
}

// boosting are the settings of gradient boosted trees for the logistic loss, grown leaf by leaf on histograms.
type boosting struct {
	trees, leaves  int
	rate, l2       float64
	least          float64 // weight in a leaf
	columns, pages float64 // share of them that a tree sees
	always         int     // columns that every tree sees, from the first on
	seed           uint64
}

// A branch parts rows by whether a feature is at most at. Children below zero are leaves, -1 the first.
type branch struct {
	feature     int
	at          uint8
	left, right int
}

type tree struct {
	forks  []branch
	leaves []float64
}

type ensemble struct {
	base  float64
	trees []tree
}

// at is the value of a row of a matrix.
func (t *tree) at(s *matrix, i int32) float64 {
	if len(t.forks) == 0 {
		return t.leaves[0]
	}
	k := 0
	for k >= 0 {
		p := &t.forks[k]
		if s.cols[p.feature][i] <= p.at {
			k = p.left
		} else {
			k = p.right
		}
	}
	return t.leaves[-k-1]
}

type slope struct{ g, h float32 } // first and second derivative of the loss

type bins [256]struct{ g, h float64 }

// A leaf being grown: its rows, and its best split.
type growing struct {
	rows        []int32
	g, h        float64
	hist        []bins
	gain        float64
	feature, at int
	parent      int // split, or -1
	isRight     bool
}

// grower holds what the trees of a ensemble have in common.
type grower struct {
	boosting
	s     *matrix
	slope []slope // of each row
	cols  []int   // that the tree sees
	local []slope // those of a leaf, side by side
	spare [][]bins
}

func (o boosting) fit(s *matrix, rows []int32) *ensemble {
	rng := rand.New(rand.NewPCG(o.seed, 7))
	f := &ensemble{}
	rows = slices.DeleteFunc(slices.Clone(rows), func(i int32) bool { return s.w[i] == 0 })
	sumY, sumW := 0.0, 0.0
	for _, i := range rows {
		sumY += s.y[i] * s.w[i]
		sumW += s.w[i]
	}
	p := min(max(sumY/sumW, 0.01), 0.99)
	f.base = math.Log(p / (1 - p))
	score := make([]float64, len(s.y))
	for _, i := range rows {
		score[i] = f.base
	}
	g := &grower{boosting: o, s: s, slope: make([]slope, len(s.y)), local: make([]slope, len(rows))}
	pages := map[int]bool{}
	for range o.trees {
		clear(pages)
		var seen []int32
		for _, i := range rows {
			in, known := pages[s.page[i]]
			if !known {
				in = rng.Float64() < o.pages
				pages[s.page[i]] = in
			}
			if in {
				q := 1 / (1 + math.Exp(-score[i]))
				g.slope[i] = slope{float32(s.w[i] * (q - s.y[i])), float32(s.w[i] * q * (1 - q))}
				seen = append(seen, i)
			}
		}
		g.cols = g.cols[:0]
		for c := range s.cols {
			if c < o.always || rng.Float64() < o.columns {
				g.cols = append(g.cols, c)
			}
		}
		t := g.grow(seen)
		f.trees = append(f.trees, t)
		for _, i := range rows {
			score[i] += t.at(s, i)
		}
	}
	return f
}

func (g *grower) grow(rows []int32) tree {
	root := &growing{rows: rows, parent: -1}
	g.histogram(root)
	g.best(root)
	open := []*growing{root}
	var t tree
	for len(open) < g.leaves {
		k := 0
		for i, l := range open {
			if l.gain > open[k].gain {
				k = i
			}
		}
		l := open[k]
		if l.gain <= 1e-9 {
			break
		}
		t.forks = append(t.forks, branch{feature: l.feature, at: uint8(l.at)})
		n := len(t.forks) - 1
		t.link(l, n)
		open[k], l = g.part(l, n)
		open = append(open, l)
	}
	for i, l := range open {
		t.leaves = append(t.leaves, -g.rate*l.g/(l.h+g.l2))
		t.link(l, -i-1)
		g.spare = append(g.spare, l.hist)
	}
	return t
}

// part forks a leaf at its best.
func (g *grower) part(l *growing, n int) (a, b *growing) {
	a, b = &growing{parent: n}, &growing{parent: n, isRight: true}
	col := g.s.cols[l.feature]
	for _, i := range l.rows {
		if int(col[i]) <= l.at {
			a.rows = append(a.rows, i)
		} else {
			b.rows = append(b.rows, i)
		}
	}
	small, large := a, b
	if len(a.rows) > len(b.rows) {
		small, large = b, a
	}
	g.histogram(small)
	large.g, large.h, large.hist = l.g-small.g, l.h-small.h, l.hist
	for c := range large.hist {
		x, y := &large.hist[c], &small.hist[c]
		for v := range x {
			x[v].g -= y[v].g
			x[v].h -= y[v].h
		}
	}
	g.best(a)
	g.best(b)
	return a, b
}

func (t *tree) link(l *growing, to int) {
	switch {
	case l.parent < 0:
	case l.isRight:
		t.forks[l.parent].right = to
	default:
		t.forks[l.parent].left = to
	}
}

func (g *grower) histogram(l *growing) {
	if n := len(g.spare); n > 0 && cap(g.spare[n-1]) >= len(g.cols) {
		l.hist = g.spare[n-1][:len(g.cols)]
		g.spare = g.spare[:n-1]
		clear(l.hist)
	} else {
		l.hist = make([]bins, len(g.cols), len(g.cols)+20)
	}
	local := g.local[:len(l.rows)]
	for k, i := range l.rows {
		s := g.slope[i]
		local[k] = s
		l.g += float64(s.g)
		l.h += float64(s.h)
	}
	for c := range g.cols {
		col, hist := g.s.cols[g.cols[c]], &l.hist[c]
		for k, i := range l.rows {
			b := &hist[col[i]]
			b.g += float64(local[k].g)
			b.h += float64(local[k].h)
		}
	}
}

func (g *grower) best(l *growing) {
	l.gain = 0
	whole := l.g * l.g / (l.h + g.l2)
	for c := range l.hist {
		x, y := 0.0, 0.0
		for v := range 255 {
			b := &l.hist[c][v]
			if b.h == 0 {
				continue
			}
			x += b.g
			y += b.h
			if y < g.least || l.h-y < g.least {
				continue
			}
			if gain := x*x/(y+g.l2) + (l.g-x)*(l.g-x)/(l.h-y+g.l2) - whole; gain > l.gain+1e-12 {
				l.gain, l.feature, l.at = gain, g.cols[c], v
			}
		}
	}
}
