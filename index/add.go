package index

import (
	"runtime"
	"sync"
)

// A token is one word of a text: its position in Index.surfaces, and whether a name may begin with it.
type token uint32

const (
	capitalBit  token = 1 << 31
	unknownWord token = capitalBit - 1 // of a query: no item holds it
	// maxTokens is how much of an item's word order is kept. Words beyond are found, but not as neighbours.
	maxTokens = 1 << 15
)

func (t token) id() uint32      { return uint32(t &^ capitalBit) }
func (t token) isCapital() bool { return t&capitalBit != 0 }

func (t token) capital(yes bool) token {
	if yes {
		return t | capitalBit
	}
	return t
}

// Add puts items into the index. An item whose key is there already is ignored: texts that were read do not change. Many
// items at once are read side by side.
func (x *Index) Add(items ...Item) {
	shares := split(items, runtime.GOMAXPROCS(0))
	read := make([]*reading, len(shares))
	var wg sync.WaitGroup
	for i := 1; i < len(shares); i++ {
		wg.Go(func() { read[i] = x.read(shares[i]) })
	}
	read[0] = x.read(shares[0])
	wg.Wait()
	for i, share := range shares {
		x.enter(share, read[i])
	}
}

// split cuts items into at most n runs of about one length; short lists are not worth it.
func split(items []Item, n int) [][]Item {
	const worth = 64 << 10 // bytes of text
	size := 0
	for _, it := range items {
		size += len(it.Title) + len(it.Body)
	}
	n = min(n, size/worth+1)
	shares, from, sum := [][]Item{}, 0, 0
	for i, it := range items {
		sum += len(it.Title) + len(it.Body)
		if len(shares) < n-1 && sum >= size/n*(len(shares)+1) {
			shares, from = append(shares, items[from:i+1]), i+1
		}
	}
	return append(shares, items[from:])
}

// reading is what was read of some items before they enter the index. Words that the index has not are numbered from
// base on.
type reading struct {
	texts []text
	base  uint32
	fresh []surfaceWord
	roots []string // stems of the fresh words
}

// text is an item as words: of title and body in order, and those that are found beside them.
type text struct {
	title, body []token
	beside      []token // parts and other spellings; capitalBit marks those of the title
	name        [][]token
}

// read takes items apart. It changes nothing, so several can read at a time.
func (x *Index) read(items []Item) *reading {
	r := &reading{base: uint32(len(x.surfaces)), texts: make([]text, len(items))}
	fresh := map[string]uint32{}
	id := func(w []byte) token {
		if id, ok := x.surface[string(w)]; ok {
			return token(id)
		}
		if id, ok := fresh[string(w)]; ok {
			return token(id)
		}
		word := string(w)
		n := r.base + uint32(len(r.fresh))
		fresh[word] = n
		r.fresh = append(r.fresh, surfaceWord{text: word, stop: stopWords[word], grams: gramCount(word)})
		r.roots = append(r.roots, stem(word))
		return token(n)
	}
	for i, it := range items {
		t := &r.texts[i]
		take := func(to *[]token, title bool) func([]byte, wordKind) {
			return func(w []byte, kind wordKind) {
				if kind == part || kind == also {
					t.beside = append(t.beside, id(w).capital(title))
				} else {
					*to = append(*to, id(w).capital(kind == capital))
				}
			}
		}
		t.title = make([]token, 0, len(it.Title)/6+1)
		t.body = make([]token, 0, len(it.Body)/6+1)
		words(it.Title, take(&t.title, true))
		words(it.Body, take(&t.body, false))
		if x.config.Plain {
			continue
		}
		for _, name := range namesIn(it.Title) {
			var ids []token
			words(name, func(w []byte, kind wordKind) {
				if kind == whole || kind == capital {
					ids = append(ids, id(w))
				}
			})
			t.name = append(t.name, ids)
		}
	}
	return r
}

// enter puts what was read into the index.
func (x *Index) enter(items []Item, r *reading) {
	ids := make([]uint32, len(r.fresh)) // another reading may have brought the same words
	for i, w := range r.fresh {
		ids[i] = x.intern(w, r.roots[i])
	}
	settle := func(tokens []token) {
		for i, t := range tokens {
			if id := t.id(); id >= r.base {
				tokens[i] = token(ids[id-r.base]).capital(t.isCapital())
			}
		}
	}
	for i, it := range items {
		t := &r.texts[i]
		settle(t.title)
		settle(t.body)
		settle(t.beside)
		for _, name := range t.name {
			settle(name)
		}
		if _, twice := x.keys[it.Key]; !twice {
			x.keys[it.Key] = uint32(len(x.items))
			x.put(it, t)
		}
	}
}

// intern returns the position of a word, entering it and its stem if they are new.
func (x *Index) intern(w surfaceWord, root string) uint32 {
	if id, ok := x.surface[w.text]; ok {
		return id
	}
	s, ok := x.stems[root]
	if !ok {
		s = uint32(len(x.postings))
		x.stems[root] = s
		x.postings, x.counts = append(x.postings, postings{}), append(x.counts, 0)
	}
	w.stem = s
	id := uint32(len(x.surfaces))
	x.surface[w.text] = id
	x.surfaces = append(x.surfaces, w)
	return id
}

func (x *Index) put(it Item, t *text) {
	id := uint32(len(x.items))
	added := item{key: it.Key, doc: x.document(it, id, t.name), words: uint32(len(t.title) + len(t.body))}
	var seen []uint32
	count := func(tok token, n uint32) {
		s := x.surfaces[tok.id()].stem
		if x.counts[s] == 0 {
			seen = append(seen, s)
		}
		x.counts[s] += n
	}
	for _, tok := range t.title {
		count(tok, titleWeight)
	}
	for _, tok := range t.body {
		count(tok, 1)
	}
	for _, tok := range t.beside {
		if tok.isCapital() {
			count(tok, titleWeight)
		} else {
			count(tok, 1)
		}
	}
	for _, s := range seen {
		x.postings[s].add(id, x.counts[s])
		x.counts[s] = 0
	}
	x.words += int(added.words)
	if !x.config.Plain {
		all := append(t.title, t.body...)
		all = all[:min(len(all), maxTokens)]
		added.tokens = append(make([]token, 0, len(all)), all...)
		added.title = uint32(min(len(t.title), len(all)))
		for _, tok := range all {
			if w := &x.surfaces[tok.id()]; !w.stop {
				added.content++
				added.grams += uint32(w.grams)
			}
		}
	}
	x.items = append(x.items, added)
}
