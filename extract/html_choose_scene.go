package extract

import (
	"math"

	"golang.org/x/net/html"

	"ibid/evidence"
)

// A scene is a page with all that the features of its blocks are made of. Blocks and boxes are known by index, -1 is none.
type scene struct {
	*layout
	page     *Page
	marks    []mark
	ruled    []bool // what simple rules choose
	said     *declarations
	lead     []bool // what a site puts on top or at the bottom of any page: not counted
	words    []wording
	before   []quantity // of all blocks before each one, furniture left out; one more than blocks
	section  []quantity // from each heading to the next
	head     []int32    // the nearest heading before each block
	title    int        // the block of the page's title
	first    int        // the first and the last block of running text with the tag path that most of it has
	last     int
	same     map[uint32]int32 // how often each text stands on the page
	articles map[int]int32    // running words of each <article>
	boxRows  row              // features of each box
	general  row              // features of the page
	types    [typeCount]uint8 // of which type the page is: parts of 200
}

func newScene(page *Page, pageURL string, marks []mark, nodes []*html.Node, ruled []bool) *scene {
	n := len(page.Blocks)
	s := &scene{page: page, marks: marks, ruled: ruled, said: declare(pageURL, nodes), words: make([]wording, n), before: make([]quantity, n+1),
		head: make([]int32, n), section: make([]quantity, n), same: make(map[uint32]int32, n), articles: map[int]int32{}}
	read := reader{title: wordSet(page.Title), described: s.said.description}
	for i := range page.Blocks {
		s.words[i] = read.read(&page.Blocks[i])
	}
	lead, roots := s.leads(nodes)
	s.lead = lead
	s.know(read.long)
	tallies := make([]tally, n)
	last := int32(-1)
	for i := range page.Blocks {
		t := tallyOf(&page.Blocks[i], &s.words[i])
		tallies[i] = t
		s.before[i+1] = s.before[i]
		if s.counts(i) {
			s.before[i+1] = s.before[i].plus(t.quantity)
		}
		if !s.lead[i] {
			s.same[s.words[i].text]++
		}
		s.articles[marks[i].article] += t.running
		s.head[i] = last
		if page.Blocks[i].Role == evidence.RoleHeading {
			last = int32(i)
		}
		if last >= 0 {
			s.section[last] = s.section[last].plus(t.quantity)
		}
	}
	s.layout = s.layOut(nodes, tallies, roots)
	s.title = s.findTitle(int32(len(read.title)))
	s.first, s.last = s.mainStretch()
	s.boxRows = make(row, 0, len(s.boxes)*boxedFeatures)
	for k := range s.boxes {
		s.boxRow(&s.boxes[k], &s.boxRows)
	}
	s.overall(&s.general)
	return s
}

// counts reports whether a block is one of those that the features of the page count.
func (s *scene) counts(i int) bool { return !s.marks[i].chrome && !s.lead[i] }

// know counts in each block the longer words that running text elsewhere on the page uses, too: the text of a page speaks
// of one thing, and teasers speak of others. Words are told apart by a part of their hash, which is good enough.
func (s *scene) know(long []uint32) {
	var used [1 << 13]uint8
	each := func(do func(w *wording, list []uint32, own uint8)) {
		at := 0
		for i := range s.words {
			w := &s.words[i]
			do(w, long[at:at+int(w.long)], bit(w.running && s.counts(i)))
			at += int(w.long)
		}
	}
	each(func(_ *wording, list []uint32, own uint8) {
		for _, h := range list {
			if u := &used[h%uint32(len(used))]; *u < math.MaxUint8 {
				*u += own
			}
		}
	})
	each(func(w *wording, list []uint32, own uint8) {
		for _, h := range list {
			if used[h%uint32(len(used))] > own {
				w.known++
			}
		}
	})
}

// findTitle is the block that shows the page's title: the first heading of the first level, or that is most like it.
func (s *scene) findTitle(words int32) int {
	best, most := -1, int32(0)
	for i := range s.page.Blocks {
		w := &s.words[i]
		if !s.counts(i) || w.words > 40 {
			continue
		}
		score := int32(0)
		if s.page.Blocks[i].Role == evidence.RoleHeading {
			score = 1
			if s.boxes[s.own[i]].level == 1 {
				score = 3
			}
		}
		if words > 0 && w.title*2 > w.words {
			score += 4 * w.title / words
		}
		if score > most {
			best, most = i, score
		}
	}
	return best
}

// mainStretch is from the first to the last block of running text with the tag path that most of it has.
func (s *scene) mainStretch() (first, last int) {
	best := int32(0)
	for k := range s.paths {
		if s.paths[k].sum.running > s.paths[best].sum.running {
			best = int32(k)
		}
	}
	first = -1
	for i := range s.words {
		if s.words[i].running && s.boxes[s.own[i]].path == best {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	return max(first, 0), last
}

// overall puts the features of the page that each of its blocks has, too.
func (s *scene) overall(r *row) {
	t := s.before[len(s.words)]
	r.log(t.words)
	r.log(t.running)
	r.log(s.sum.blocks)
	r.share(t.linked, t.letters)
	r.share(t.running, t.words)
	r.log(s.sum.stops)
	r.log(int32(len(s.articles)) - 1)
	r.log(s.sum.headings)
	r.share(s.sum.items, s.sum.blocks)
	var inMain, comments, ruled, rows, codes int32
	for i, m := range s.marks {
		if s.lead[i] {
			continue
		}
		n := s.words[i].words
		if m.main {
			inMain += n
		}
		if s.ruled[i] {
			ruled += n
		}
		switch s.page.Blocks[i].Role {
		case evidence.RoleComment:
			comments += n
		case evidence.RoleRow:
			rows += n
		case evidence.RoleCode:
			codes += n
		}
	}
	for _, n := range [...]int32{inMain, comments, ruled, rows, codes} {
		r.share(n, t.words)
	}
	most := int32(0)
	for k := range s.paths {
		most = max(most, s.paths[k].sum.running)
	}
	r.share(most, t.running)
	size := int32(0)
	most = 0
	for k := range s.shapes {
		if g := &s.shapes[k]; g.boxes > 2 && !g.lead && g.sum.words > most {
			most, size = g.sum.words, g.boxes
		}
	}
	r.share(most, t.words)
	r.log(size)
	r.flag(s.title >= 0)
}
