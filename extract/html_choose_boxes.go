package extract

import (
	"golang.org/x/net/html"

	"ibid/evidence"
)

// A quantity sums up blocks.
type quantity struct {
	words, letters, linked int32
	running                int32 // words of running text
}

// A tally sums up the blocks of an element.
type tally struct {
	quantity
	blocks, headings, items, stops int32
	dated, priced, spoken          int32 // blocks with a date, with a price, on a topic of furniture
	known                          int32 // words that other running text uses, too
	images, inputs, buttons        int32
	links, here, away              int32 // all, those within the page, those to other sites
}

func (a quantity) plus(b quantity) quantity {
	return quantity{a.words + b.words, a.letters + b.letters, a.linked + b.linked, a.running + b.running}
}

func (a quantity) minus(b quantity) quantity {
	return quantity{a.words - b.words, a.letters - b.letters, a.linked - b.linked, a.running - b.running}
}

func (t *tally) add(o *tally) {
	t.quantity = t.plus(o.quantity)
	t.blocks += o.blocks
	t.headings += o.headings
	t.items += o.items
	t.stops += o.stops
	t.dated += o.dated
	t.priced += o.priced
	t.spoken += o.spoken
	t.known += o.known
	t.images += o.images
	t.inputs += o.inputs
	t.buttons += o.buttons
	t.links += o.links
	t.here += o.here
	t.away += o.away
}

// tallyOf is a single block's.
func tallyOf(b *Block, w *wording) tally {
	t := tally{blocks: 1, stops: w.stops, known: w.known}
	t.words, t.letters = w.words, w.letters+w.digits
	t.linked = int32(b.LinkText * float64(t.letters))
	if w.running {
		t.running = w.words
	}
	t.dated, t.priced, t.spoken = int32(bit(w.dated)), int32(bit(w.priced)), int32(bit(w.says != 0))
	t.headings, t.items = int32(bit(b.Role == evidence.RoleHeading)), int32(bit(b.Role == evidence.RoleItem))
	return t
}

// A box is an element that holds blocks. Indexes of boxes are -1 for none.
type box struct {
	parent      int32
	depth       int32
	sum         tally
	names       topics // what its own names speak of
	near, all   topics // likewise of it and the boxes around it: to the next larger one; to <body>
	tags        tags   // kinds of elements that it is in
	lead        bool   // it or a box around it is a lead
	tag, level  uint8  // kind of element; level of the heading it is in
	shape       int32  // its group among the children of its parent that look alike
	ordinal     int32  // in that group
	path        int32  // the group of all boxes with the same tag path
	up          int32  // the nearest box around it with more blocks
	half, fifth int32  // the largest box that it is in that holds less than half, a fifth of the running text
	item        int32  // the nearest box, from it on, that looks like two others at least
}

// A group are boxes that look alike: the children of one parent with the same name and class, or all with one tag path.
type group struct {
	boxes int32
	lead  bool   // of leads
	names topics // of any of them
	sum   tally
}

// A layout is where the blocks of a page stand.
type layout struct {
	boxes  []box
	own    []int32 // the box of each block
	shapes []group
	paths  []group
	sum    tally // of all blocks but the furniture
}

// layOut finds the boxes of a page, children after their parents.
func (s *scene) layOut(nodes []*html.Node, tallies []tally, leads map[*html.Node]bool) *layout {
	l := &layout{own: make([]int32, len(nodes)), boxes: make([]box, 0, 2*len(nodes)+20), shapes: make([]group, 0, len(nodes)+20)}
	f := boxFinder{layout: l, leads: leads, index: make(map[*html.Node]int32, 2*len(nodes)), named: map[string]topics{}, shapes: map[uint32]int32{}, paths: map[uint32]int32{}}
	for i, n := range nodes {
		k := f.find(n)
		l.own[i] = k
		l.boxes[k].sum.add(&tallies[i])
		if s.counts(i) {
			l.sum.add(&tallies[i])
		}
	}
	if len(nodes) > 0 {
		s.said.survey(top(nodes[0]), -1, &f)
	}
	for k := len(l.boxes) - 1; k >= 0; k-- {
		b := &l.boxes[k]
		l.shapes[b.shape].sum.add(&b.sum)
		l.paths[b.path].sum.add(&b.sum)
		if b.parent >= 0 && b.lead == l.boxes[b.parent].lead {
			l.boxes[b.parent].sum.add(&b.sum)
		}
	}
	for k := range l.boxes {
		l.inherit(int32(k))
	}
	return l
}

func top(n *html.Node) *html.Node {
	for n.Parent != nil {
		n = n.Parent
	}
	return n
}

// inherit notes in a box what is known of those around it.
func (l *layout) inherit(k int32) {
	b := &l.boxes[k]
	b.item, b.up, b.half, b.fifth = -1, -1, k, k
	if l.shapes[b.shape].boxes > 2 {
		b.item = k
	}
	b.near, b.all = b.names, b.names
	if b.parent < 0 {
		return
	}
	p := &l.boxes[b.parent]
	b.up = b.parent
	b.all |= p.all
	if p.sum.blocks == b.sum.blocks {
		b.up = p.up
		b.near |= p.near
	}
	b.tags |= p.tags
	if b.level == 0 {
		b.level = p.level
	}
	if b.item < 0 {
		b.item = p.item
	}
	if p.sum.running*2 < l.sum.running {
		b.half = p.half
	}
	if p.sum.running*5 < l.sum.running {
		b.fifth = p.fifth
	}
}

// boxFinder makes the boxes of a page, each once.
type boxFinder struct {
	*layout
	leads         map[*html.Node]bool
	index         map[*html.Node]int32
	named         map[string]topics
	shapes, paths map[uint32]int32 // keys of groups to their indexes
	keys          []uint32         // of each box, the hash of its tag path
	fresh         []*html.Node
}

// find returns the box of an element, made with all those around it that are not there yet.
func (f *boxFinder) find(n *html.Node) int32 {
	f.fresh = f.fresh[:0]
	k := int32(-1)
	for ; n != nil && n.Type == html.ElementNode; n = n.Parent {
		if i, ok := f.index[n]; ok {
			k = i
			break
		}
		f.fresh = append(f.fresh, n)
	}
	if k < 0 && len(f.fresh) == 0 {
		f.fresh = append(f.fresh, n) // the document itself
	}
	for i := len(f.fresh) - 1; i >= 0; i-- {
		k = f.make(f.fresh[i], k)
	}
	return k
}

func (f *boxFinder) make(n *html.Node, parent int32) int32 {
	if k, ok := f.index[n]; ok {
		return k
	}
	b := box{parent: parent}
	name, class := "", ""
	key, shape := uint32(hashSeed), mix(hashSeed, uint32(parent))
	if n.Type == html.ElementNode {
		name = n.Data
		b.tags, b.tag = tagBits[name], tagNumbers[name]
		if len(name) == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6' {
			b.level = name[1] - '0'
		}
		if name != "body" && name != "html" {
			class = f.topics(n, &b)
		}
	}
	if parent >= 0 {
		b.depth = f.boxes[parent].depth + 1
		key = f.keys[parent]
	}
	h := hashOf(name)
	if b.lead = f.leads[n] || parent >= 0 && f.boxes[parent].lead; b.lead {
		key = mix(key, 1)
	}
	key = mix(key, h)
	b.path = groupOf(f.paths, &f.layout.paths, key)
	b.shape = groupOf(f.shapes, &f.layout.shapes, mix(mix(shape, h), hashOf(class)))
	p, s := &f.layout.paths[b.path], &f.layout.shapes[b.shape]
	b.ordinal = s.boxes
	p.boxes++
	s.boxes++
	s.names |= b.names
	p.lead, s.lead = b.lead, b.lead
	f.boxes, f.keys = append(f.boxes, b), append(f.keys, key)
	f.index[n] = int32(len(f.boxes) - 1)
	return int32(len(f.boxes) - 1)
}

func groupOf(index map[uint32]int32, groups *[]group, key uint32) int32 {
	i, ok := index[key]
	if !ok {
		i = int32(len(*groups))
		index[key] = i
		*groups = append(*groups, group{})
	}
	return i
}
