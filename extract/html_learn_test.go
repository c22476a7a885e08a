package extract

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
)

var newWeights = flag.String("weights", "", "learn the choice of main content anew and write it to this `file`")

// folds is in how many parts the sites are parted for cross-validation, and within it for the first guesses that the
// second is learned from.
const folds, innerFolds = 5, 3

// The settings of the forests. They were chosen by cross-validation, coarsely: it tells differences of half a point.
var (
	typeTrees   = boosting{trees: 80, leaves: 5, rate: 0.15, l2: 1, least: 1, columns: 0.3, pages: 0.7, seed: 3}
	firstTrees  = boosting{trees: 80, leaves: 10, rate: 0.12, l2: 1, least: 0.5, columns: 0.25, pages: 0.7, always: typeCount, seed: 1}
	secondTrees = boosting{trees: 120, leaves: 12, rate: 0.08, l2: 1, least: 0.5, columns: 0.25, pages: 0.7, always: typeCount, seed: 1}
)

// TestWeights learns the weights and tells what cross-validation says of them (make weights).
func TestWeights(t *testing.T) {
	if *newWeights == "" {
		t.Skip("only with -weights")
	}
	c := newCourse(t)
	fmt.Println(c.crossValidate())
	m := c.learn(c.pages(func(*lesson) bool { return true }))
	if err := os.WriteFile(*newWeights, m.source(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A lesson is a page to learn from.
type lesson struct {
	*goldPage
	walked
	kind   row       // features of its type
	rows   []row     // features of its blocks
	gold   []float64 // how much of each block is main content; below zero nobody knows
	weight []float64
	scene  *scene
}

// A course are all lessons, as samples to learn from.
type course struct {
	lessons []*lesson
	kinds   *matrix // a row a page
	blocks  *matrix // a row a block
	at      [][]int32
}

func newCourse(t testing.TB) *course {
	c := &course{kinds: &matrix{}, blocks: &matrix{}}
	for _, set := range goldSets {
		for _, g := range goldPages(t, set) {
			c.lessons = append(c.lessons, &lesson{goldPage: g})
		}
	}
	var wait sync.WaitGroup
	for part := range 2 {
		wait.Go(func() {
			for i := part; i < len(c.lessons); i += 2 {
				c.lessons[i].prepare(t)
			}
		})
	}
	wait.Wait()
	for p, l := range c.lessons {
		rows := make([]int32, len(l.rows))
		for i, r := range l.rows {
			rows[i] = int32(len(c.blocks.y))
			c.blocks.add(r, max(l.gold[i], 0), l.weight[i], p)
		}
		c.at = append(c.at, rows)
		w := 0.0
		if l.typeIndex() >= 0 {
			w = 1
		}
		c.kinds.add(l.kind, 0, w, p)
		l.rows = nil
	}
	return c
}

func (l *lesson) prepare(t testing.TB) {
	l.walked = l.walk(t)
	l.gold = label(l.goldPage, l.page.Blocks)
	marks := slices.Clone(l.marks)
	judgeRoots(marks, l.roots)
	l.scene = newScene(l.page, l.input().URL, marks, l.nodes, byRules(l.page, marks))
	l.scene.typeFeatures(&l.kind)
	for i := range l.page.Blocks {
		var r row
		l.scene.features(i, &r)
		l.rows = append(l.rows, r)
	}
	l.weigh()
}

// typeIndex is the type of the page, -1 if nobody knows.
func (l *lesson) typeIndex() int {
	if l.Set == "html-aeb" {
		return typeNews
	}
	return slices.Index(typeNames[:typeNews], l.Type)
}

// weigh makes blocks count by their words, so that the loss is like the F1 of a page, and pages alike: one of ten thousand
// words as much as one of a hundred. Of the blocks of a very long page a sample will do.
func (l *lesson) weigh() {
	const most = 300
	rng := rand.New(rand.NewPCG(1, uint64(len(l.gold))))
	phrases := l.Set == "html-segments"
	l.weight = make([]float64, len(l.gold))
	yes, no := 0.0, 0.0
	for i, y := range l.gold {
		if y >= 0 {
			l.weight[i] = float64(len(terms(l.page.Blocks[i].Text)) + 1)
			if phrases {
				l.weight[i] = 1
			}
			yes += l.weight[i] * y
			no += l.weight[i] * (1 - y)
		}
	}
	for i, y := range l.gold {
		w := &l.weight[i]
		switch {
		case phrases && y > 0.5:
			*w *= 0.7 / yes
		case phrases:
			*w *= 0.7 / max(no, 1)
		default:
			*w /= max(yes, 20)
			if no > 3*yes && y < 0.5 {
				*w *= 3 * yes / no
			}
			if l.Set == "html-aeb" {
				*w *= 1.5
			}
			if n := float64(len(l.gold)); n > most {
				*w *= n / most
				if rng.Float64() > most/n {
					*w = 0
				}
			}
		}
	}
}

func (c *course) pages(in func(*lesson) bool) (list []int) {
	for p, l := range c.lessons {
		if in(l) {
			list = append(list, p)
		}
	}
	return list
}

// part is the part of a site, of n.
func part(site string, n int) int {
	h := fnv.New32a()
	h.Write([]byte(site))
	return int(h.Sum32()>>4) % n
}

// parted calls do for each part of the pages with the pages of the other parts and its own.
func (c *course) parted(pages []int, n int, salt string, do func(others, own []int)) {
	for k := range n {
		var others, own []int
		for _, p := range pages {
			if part(salt+c.lessons[p].Site, n) == k {
				own = append(own, p)
			} else {
				others = append(others, p)
			}
		}
		do(others, own)
	}
}

// A learnt model, before it is written.
type learnt struct {
	types         [typeCount]*ensemble
	first, second *ensemble
}

// learn learns from pages. What the second guess sees of types and first guesses comes from models that have not seen
// the page, as it will be with new pages.
func (c *course) learn(pages []int) *learnt {
	m := &learnt{types: c.learnTypes(pages)}
	types := make([][typeCount]uint8, len(c.lessons))
	c.parted(pages, innerFolds, "inner ", func(others, own []int) {
		told := (&learnt{types: c.learnTypes(others)}).model()
		for _, p := range own {
			types[p] = told.typesOf(c.lessons[p].kind)
		}
	})
	s := c.withTypes(types)
	m.first = firstTrees.fit(s, c.rows(pages))
	guess := make([]float32, len(s.y))
	c.parted(pages, innerFolds, "inner ", func(others, own []int) {
		s.predict(firstTrees.fit(s, c.rows(others)), c.rows(own), guess)
	})
	m.second = secondTrees.fit(c.withView(s, pages, guess), c.rows(pages))
	return m
}

func (c *course) learnTypes(pages []int) (types [typeCount]*ensemble) {
	rows := make([]int32, len(pages))
	for i, p := range pages {
		rows[i] = int32(p)
	}
	for t := range types {
		s := *c.kinds
		s.y = make([]float64, len(c.lessons))
		for p, l := range c.lessons {
			s.y[p] = float64(bit(l.typeIndex() == t))
		}
		types[t] = typeTrees.fit(&s, rows)
	}
	return types
}

func (c *course) rows(pages []int) (rows []int32) {
	for _, p := range pages {
		rows = append(rows, c.at[p]...)
	}
	return rows
}

// withTypes is the sample with the types of the pages in their place.
func (c *course) withTypes(types [][typeCount]uint8) *matrix {
	s := *c.blocks
	s.cols = slices.Clone(s.cols)
	for t := range typeCount {
		s.cols[t] = make([]uint8, len(s.y))
		for i, p := range s.page {
			s.cols[t][i] = types[p][t]
		}
	}
	return &s
}

// withView is the sample with what the first guesses say.
func (c *course) withView(s *matrix, pages []int, guess []float32) *matrix {
	out := *s
	out.cols = slices.Clone(s.cols)
	base := len(out.cols)
	for _, p := range pages {
		q := make([]float32, len(c.at[p]))
		for i, k := range c.at[p] {
			q[i] = guess[k]
		}
		v := c.lessons[p].scene.view(q)
		for i, k := range c.at[p] {
			var r row
			v.features(i, &r)
			for len(out.cols) < base+len(r) {
				out.cols = append(out.cols, make([]uint8, len(out.y)))
			}
			for j, x := range r {
				out.cols[base+j][k] = x
			}
		}
	}
	return &out
}

func (s *matrix) predict(f *ensemble, rows []int32, out []float32) {
	for _, i := range rows {
		v := f.base
		for k := range f.trees {
			v += f.trees[k].at(s, i)
		}
		out[i] = float32(1 / (1 + math.Exp(-v)))
	}
}

// crossValidate learns from the pages of all sites but a part, and chooses in those of the part, for each part.
func (c *course) crossValidate() *scores {
	var sum scores
	var lock sync.Mutex
	var wait sync.WaitGroup
	c.parted(c.pages(func(*lesson) bool { return true }), folds, "", func(others, own []int) {
		wait.Go(func() {
			m := c.learn(others).model()
			lock.Lock()
			defer lock.Unlock()
			for _, p := range own {
				l := c.lessons[p]
				page := l.choose(m)
				sum.add(l.goldPage, page)
			}
		})
	})
	wait.Wait()
	return &sum
}

// choose is a page of the lesson as a model chooses its main content.
func (l *lesson) choose(m *model) *Page {
	page := *l.page
	page.Blocks = slices.Clone(page.Blocks)
	classifyBy(m, &page, l.input().URL, slices.Clone(l.marks), slices.Clone(l.roots), l.nodes)
	return &page
}
