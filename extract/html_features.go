package extract

import (
	"math"
	"math/bits"
	"slices"

	"ibid/evidence"
)

// A row are the features of a block or of a page, each a number of 0…255, in the order in which they are put: the table
// of weights knows them by their place only.
type row []uint8

// none is the feature of what is not there.
const none = 255

func (r *row) num(n int32) { *r = append(*r, uint8(min(max(n, 0), 255))) }

func (r *row) flag(b bool) { *r = append(*r, bit(b)) }

func (r *row) none(n int) {
	for range n {
		*r = append(*r, none)
	}
}

// share puts a part of a whole as 0…200.
func (r *row) share(a, of int32) {
	if of <= 0 {
		*r = append(*r, none)
		return
	}
	*r = append(*r, uint8(min(max(200*int64(a)/int64(of), 0), 200)))
}

// of puts a share that is known.
func (r *row) of(share float64) { r.num(int32(200 * share)) }

// log puts a number by its size: 12 a doubling.
func (r *row) log(n int32) { *r = append(*r, size(n)) }

func size(n int32) uint8 {
	extra := 0
	for n >= int32(len(sizes)) {
		n, extra = n/2, extra+12
	}
	return uint8(min(int(sizes[max(n, 0)])+extra, 255))
}

var sizes = func() (t [1024]uint8) {
	for n := range t {
		t[n] = uint8(12 * math.Log2(float64(n+1)))
	}
	return t
}()

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// set puts a flag for each of the first n bits of a set.
func (r *row) set(set topics, n int) {
	for i := range n {
		*r = append(*r, uint8(set>>i&1))
	}
}

// features puts the row of a block.
func (s *scene) features(i int, r *row) {
	*r = append(*r, s.types[:]...)
	*r = append(*r, s.general...)
	s.textFeatures(i, r)
	s.placeFeatures(i, r)
	s.headFeatures(i, r)
	s.neighbourFeatures(i, r)
	s.boxFeatures(s.own[i], r)
}

// textFeatures are those of the block's own text.
func (s *scene) textFeatures(i int, r *row) {
	b, w := &s.page.Blocks[i], &s.words[i]
	r.log(w.words)
	r.log(w.letters)
	r.of(b.LinkText)
	r.share(w.letters, max(w.words, 1)*10)
	r.share(w.digits, w.letters+w.digits)
	r.share(w.upper, w.words)
	r.share(w.caps, w.words)
	r.log(w.stops)
	r.share(w.commas*10, w.words)
	r.flag(w.dated)
	r.flag(w.priced)
	r.flag(w.ends)
	r.flag(w.colon)
	r.flag(w.opens)
	r.flag(w.sign)
	r.flag(w.running)
	r.set(w.says, textTopics)
	r.num(int32(bits.OnesCount32(uint32(w.says))))
	for _, role := range roles {
		r.flag(b.Role == role)
	}
	r.num(int32(b.Level))
	r.num(int32(s.marks[i].cells))
	r.share(w.title, w.words)
	r.share(w.described, w.words)
	r.share(w.described, int32(len(s.said.description)))
	r.share(w.known, w.long)
	r.num(min(s.same[w.text], 10))
	r.share(w.words, s.sum.words)
	r.log(s.boxes[s.own[i]].sum.links)
}

var roles = [...]evidence.Role{evidence.RoleHeading, evidence.RoleItem, evidence.RoleRow, evidence.RoleCaption, evidence.RoleCode, evidence.RoleQuote, evidence.RoleComment}

// placeFeatures are those of where the block stands in the page.
func (s *scene) placeFeatures(i int, r *row) {
	m, before, all := &s.marks[i], s.before[i], s.before[len(s.words)]
	r.flag(m.chrome)
	r.flag(m.root > 0)
	r.flag(m.main)
	r.flag(m.aside)
	r.flag(s.ruled[i])
	r.flag(m.article > 0)
	if m.article > 0 {
		r.share(s.articles[m.article], all.running)
	} else {
		r.none(1)
	}
	r.share(before.words, all.words)
	r.share(before.running, all.running)
	r.log(before.words)
	r.log(all.words - before.words)
	r.log(before.running)
	r.log(all.running - before.running)
	switch {
	case i < s.first:
		r.num(0)
		r.log(s.before[s.first].words - before.words)
	case i > s.last:
		r.num(2)
		r.log(before.words - s.before[s.last].words)
	default:
		r.num(1)
		r.num(0)
	}
	r.flag(i == s.title)
	r.flag(i < s.title)
	switch {
	case s.title < 0:
		r.num(128)
		r.none(2)
	case i < s.title:
		r.num(128 - int32(size(int32(s.title-i))))
		r.none(2)
	default:
		r.num(128 + int32(size(int32(i-s.title))))
		r.log(before.words - s.before[s.title].words)
		r.log(before.running - s.before[s.title].running)
	}
}

// headFeatures are those of the nearest heading above, and of what a heading stands above.
func (s *scene) headFeatures(i int, r *row) {
	own := s.section[i]
	r.log(own.words - s.words[i].words)
	r.share(own.linked, own.letters)
	r.share(own.running, own.words)
	h := s.head[i]
	if h < 0 {
		r.none(11)
		return
	}
	w, section := &s.words[h], s.section[h]
	r.num(int32(bits.OnesCount32(uint32(w.says))))
	r.flag(w.says&saysRelated != 0)
	r.flag(w.says&(saysComments|saysForum) != 0)
	r.flag(w.says&(saysSubscribe|saysShare|saysAccount|saysConsent) != 0)
	r.num(int32(s.boxes[s.own[h]].level))
	r.log(int32(i) - h)
	r.log(section.words)
	r.share(section.linked, section.letters)
	r.share(section.running, section.words)
	r.flag(int(h) == s.title)
	r.of(s.page.Blocks[h].LinkText)
}

// neighbourFeatures are those of the blocks before and after.
func (s *scene) neighbourFeatures(i int, r *row) {
	for _, d := range [...]int{-1, 1, -2, 2} {
		k := i + d
		if k < 0 || k >= len(s.words) || s.lead[k] && !s.lead[i] {
			r.none(6)
			continue
		}
		b, w := &s.page.Blocks[k], &s.words[k]
		r.log(w.words)
		r.of(b.LinkText)
		r.num(int32(slices.Index(roles[:], b.Role)) + 1)
		r.flag(w.running)
		r.num(int32(bits.OnesCount32(uint32(w.says))))
		r.flag(s.marks[k].chrome || s.marks[k].root > 0)
	}
	for _, d := range [...]int{3, 10} {
		t := s.before[min(i+d+1, len(s.words))].minus(s.before[max(i-d, 0)])
		r.log(t.words)
		r.share(t.linked, t.letters)
		r.share(t.running, t.words)
	}
}

// boxFeatures are those of the elements that a block is in.
func (s *scene) boxFeatures(k int32, r *row) {
	b := &s.boxes[k]
	r.num(b.depth)
	r.num(int32(b.tag))
	r.set(topics(b.tags), tagKinds)
	r.set(b.near, nameTopics)
	if b.up >= 0 {
		r.set(s.boxes[b.up].near, nameTopics)
	} else {
		r.set(0, nameTopics)
	}
	r.set(b.all, nameTopics)
	at := k
	for range 4 {
		s.boxed(at, r)
		if at >= 0 {
			at = s.boxes[at].up
		}
	}
	s.boxed(b.half, r)
	r.num(b.depth - s.boxes[b.half].depth)
	s.boxed(b.fifth, r)
	s.grouped(b.item, r)
	s.grouped(s.above(b.item), r)
	p := &s.paths[b.path]
	r.log(p.boxes)
	r.log(p.sum.words)
	r.share(p.sum.linked, p.sum.letters)
	r.share(p.sum.running, p.sum.words)
	r.share(p.sum.running, s.sum.running)
}

// above is the next box around one of several alike that is one of several alike itself.
func (s *scene) above(item int32) int32 {
	if item < 0 || s.boxes[item].parent < 0 {
		return -1
	}
	return s.boxes[s.boxes[item].parent].item
}

const boxedFeatures = 16

// boxed are the features of an element.
func (s *scene) boxed(k int32, r *row) {
	if k < 0 {
		r.none(boxedFeatures)
		return
	}
	*r = append(*r, s.boxRows[int(k)*boxedFeatures:][:boxedFeatures]...)
}

func (s *scene) boxRow(b *box, r *row) {
	t := &b.sum
	r.log(t.words)
	r.share(t.linked, t.letters)
	r.share(t.running, t.words)
	r.share(t.running, s.sum.running)
	r.log(t.blocks)
	r.log(t.words / max(t.blocks, 1))
	r.share(t.headings, t.blocks)
	r.share(t.stops*10, t.words)
	r.share(t.known, t.words)
	r.share(t.dated, t.blocks)
	r.share(t.priced, t.blocks)
	r.share(t.spoken, t.blocks)
	r.log(t.images)
	r.share(t.here, t.links)
	r.share(t.away, t.links)
	r.log(t.inputs + t.buttons)
}

// grouped are the features of the group of alike elements that the block is in one of.
func (s *scene) grouped(item int32, r *row) {
	if item < 0 {
		r.none(13)
		return
	}
	b := &s.boxes[item]
	g := &s.shapes[b.shape]
	r.log(g.boxes)
	r.num(b.ordinal)
	r.log(g.sum.words / g.boxes)
	r.share(g.sum.linked, g.sum.letters)
	r.share(g.sum.running, g.sum.words)
	r.share(g.sum.words, s.sum.words)
	r.log(b.sum.words)
	r.log(b.sum.blocks)
	r.share(g.sum.known, g.sum.words)
	r.share(g.sum.dated, g.boxes)
	r.share(g.sum.priced, g.boxes)
	r.share(g.sum.images, g.boxes)
	r.share(g.sum.headings, g.boxes)
}
