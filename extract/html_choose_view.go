package extract

// A view is a page in the light of a first guess: how much of each element, group and stretch of it is main content.
type view struct {
	*scene
	p             []float32 // of each block, that it is main content, 0…1
	before        []guessed // of all blocks before each one
	boxes         []guessed
	shapes, paths []guessed
	sections      []guessed
}

// guessed is a sum over blocks: words, and how many of them are thought to be main content.
type guessed struct{ words, main float32 }

func (a guessed) plus(b guessed) guessed { return guessed{a.words + b.words, a.main + b.main} }

func (a guessed) minus(b guessed) guessed { return guessed{a.words - b.words, a.main - b.main} }

func (s *scene) view(p []float32) *view {
	n := len(s.words)
	v := &view{scene: s, p: p, before: make([]guessed, n+1), boxes: make([]guessed, len(s.boxes)), shapes: make([]guessed, len(s.shapes)),
		paths: make([]guessed, len(s.paths)), sections: make([]guessed, n)}
	for i := range n {
		w := float32(s.words[i].words) + 0.1
		if s.lead[i] {
			w = 0
		}
		one := guessed{w, w * p[i]}
		v.before[i+1] = v.before[i].plus(one)
		v.boxes[s.own[i]] = v.boxes[s.own[i]].plus(one)
		if h := s.head[i]; h >= 0 {
			v.sections[h] = v.sections[h].plus(one)
		}
	}
	for k := len(v.boxes) - 1; k >= 0; k-- {
		b, g := &s.boxes[k], v.boxes[k]
		v.shapes[b.shape] = v.shapes[b.shape].plus(g)
		v.paths[b.path] = v.paths[b.path].plus(g)
		if b.parent >= 0 {
			v.boxes[b.parent] = v.boxes[b.parent].plus(g)
		}
	}
	return v
}

// mean puts how much of a stretch is main content.
func (r *row) mean(g guessed) {
	if g.words <= 0.05 {
		r.none(1)
		return
	}
	*r = append(*r, uint8(min(max(200*g.main/g.words, 0), 200)))
}

// part puts how much of the page's main content a stretch holds.
func (r *row) part(g, all guessed) {
	*r = append(*r, uint8(min(max(200*g.main/max(all.main, 1), 0), 200)))
}

// features puts what the first guess says about a block and what is around it; the block itself is left out of the sums.
func (v *view) features(i int, r *row) {
	n := len(v.words)
	all, one := v.before[n], v.before[i+1].minus(v.before[i])
	r.of(float64(v.p[i]))
	r.mean(all)
	for _, d := range [...]int{-1, 1, -2, 2, -3, 3} {
		if k := i + d; k >= 0 && k < n && (!v.lead[k] || v.lead[i]) {
			r.of(float64(v.p[k]))
		} else {
			r.none(1)
		}
	}
	for _, d := range [...]int{5, 20} {
		r.mean(v.before[i].minus(v.before[max(i-d, 0)]))
		r.mean(v.before[min(i+1+d, n)].minus(v.before[i+1]))
	}
	r.part(v.before[i], all)
	r.part(all.minus(v.before[i+1]), all)
	b := &v.scene.boxes[v.own[i]]
	at := v.own[i]
	for range 5 {
		v.boxed(at, one, all, r)
		if at >= 0 {
			at = v.scene.boxes[at].up
		}
	}
	v.boxed(b.half, one, all, r)
	v.boxed(b.fifth, one, all, r)
	v.grouped(b.item, all, r)
	v.grouped(v.above(b.item), all, r)
	r.mean(v.paths[b.path].minus(one))
	r.part(v.paths[b.path], all)
	if h := v.head[i]; h >= 0 {
		r.of(float64(v.p[h]))
		r.mean(v.sections[h].minus(one))
	} else {
		r.none(2)
	}
	r.mean(v.sections[i])
	if v.title >= 0 {
		r.of(float64(v.p[v.title]))
	} else {
		r.none(1)
	}
}

func (v *view) boxed(k int32, one, all guessed, r *row) {
	if k < 0 {
		r.none(2)
		return
	}
	others := v.boxes[k].minus(one)
	r.mean(others)
	r.part(others, all)
}

// grouped is of the elements that look like the one that the block is in.
func (v *view) grouped(item int32, all guessed, r *row) {
	if item < 0 {
		r.none(2)
		return
	}
	g := v.shapes[v.scene.boxes[item].shape]
	r.mean(g.minus(v.boxes[item]))
	r.part(g, all)
}
