package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// A Vocabulary is the words of an index, in the form in which an index is kept: what Kept.Words are numbers of.
type Vocabulary []byte

// Kept is an item as an index keeps it: without its text, which is not needed to find it.
type Kept struct {
	Key   string
	Title string // as it was added
	Doc   string // likewise
	Words []byte // of Index.Keep
}

var errKept = errors.New("index: this is no kept index, or a damaged one")

// Keep returns what Restore makes the index of again: its words, and by key the words of each item.
func (x *Index) Keep() (Vocabulary, map[string][]byte) {
	surfaces, stems, vocabulary := x.vocabulary()
	type count struct{ stem, n uint32 }
	counts := make([][]count, len(x.items))
	for s := range x.postings {
		for id, n := range x.postings[s].all() {
			counts[id] = append(counts[id], count{stems[s], n})
		}
	}
	items := make(map[string][]byte, len(x.items))
	for i := range x.items {
		it := &x.items[i]
		b := make([]byte, 0, 2*len(it.tokens)+3*len(counts[i])+16)
		for _, n := range []uint32{it.words, it.content, it.grams, it.title, uint32(len(it.tokens)), uint32(len(counts[i]))} {
			b = binary.AppendUvarint(b, uint64(n))
		}
		for _, t := range it.tokens {
			n := uint64(surfaces[t.id()]) << 1
			if t.isCapital() {
				n |= 1
			}
			b = binary.AppendUvarint(b, n)
		}
		for _, c := range counts[i] { // most hold a word once, and then one number says both
			if c.n == 1 {
				b = binary.AppendUvarint(b, uint64(c.stem)<<1|1)
			} else {
				b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(c.stem)<<1), uint64(c.n))
			}
		}
		items[it.key] = b
	}
	return vocabulary, items
}

// vocabulary numbers the words and stems that items hold anew, and writes them down.
func (x *Index) vocabulary() (surfaces, stems []uint32, written Vocabulary) {
	const unused = ^uint32(0)
	surfaces, stems = slices.Repeat([]uint32{unused}, len(x.surfaces)), slices.Repeat([]uint32{unused}, len(x.postings))
	roots := make([]string, len(x.postings))
	for root, s := range x.stems {
		roots[s] = root
	}
	n := uint32(0)
	var b []byte
	for s := range x.postings {
		if x.postings[s].n > 0 {
			stems[s], n = n, n+1
			b = append(binary.AppendUvarint(b, uint64(len(roots[s]))), roots[s]...)
		}
	}
	head := binary.AppendUvarint(nil, uint64(n))
	for i := range x.items {
		for _, t := range x.items[i].tokens {
			surfaces[t.id()] = 0
		}
	}
	n = 0
	for i, w := range x.surfaces {
		if surfaces[i] != unused {
			surfaces[i], n = n, n+1
			b = binary.AppendUvarint(append(binary.AppendUvarint(b, uint64(len(w.text))), w.text...), uint64(stems[w.stem]))
		}
	}
	return surfaces, stems, append(binary.AppendUvarint(head, uint64(n)), b...)
}

// Restore makes an index of what Keep returned, of all items or of some: it finds what an index finds to which the same
// items were added. More may be added to it. What was not written by Keep is an error, whatever it is.
func Restore(c Config, v Vocabulary, items []Kept) (*Index, error) {
	x := New(c)
	if err := x.learn(v); err != nil {
		return nil, err
	}
	return x, x.Recall(items...)
}

// Recall adds items that were kept with the vocabulary of which the index was restored.
func (x *Index) Recall(items ...Kept) error {
	for _, it := range items {
		if _, twice := x.keys[it.Key]; twice {
			return fmt.Errorf("%w: %q is there twice", errKept, it.Key)
		}
		if err := x.recall(it); err != nil {
			return err
		}
	}
	return nil
}

// A numbers reads numbers. After the first that is not there all are 0, and ok is false.
type numbers struct {
	rest []byte
	bad  bool
}

func (n *numbers) next(below uint64) uint32 {
	v, size := binary.Uvarint(n.rest)
	if size <= 0 || v >= below || n.bad {
		n.bad = true
		return 0
	}
	n.rest = n.rest[size:]
	return uint32(v)
}

// word reads a word with its length before it.
func (n *numbers) word() string {
	length := int(n.next(maxWord + 1))
	if n.bad || length > len(n.rest) {
		n.bad = true
		return ""
	}
	w := string(n.rest[:length])
	n.rest = n.rest[length:]
	return w
}

const keptLimit = 1 << 30 // of what is counted in a kept index

// learn takes in a vocabulary.
func (x *Index) learn(v Vocabulary) error {
	n := numbers{rest: v}
	stems, surfaces := n.next(keptLimit), n.next(keptLimit)
	if n.bad || int(stems)+int(surfaces) > len(v) {
		return errKept
	}
	x.stems, x.surface = make(map[string]uint32, stems), make(map[string]uint32, surfaces)
	x.postings, x.counts, x.surfaces = make([]postings, stems), make([]uint32, stems), make([]surfaceWord, surfaces)
	for i := range stems {
		x.stems[n.word()] = i
	}
	for i := range surfaces {
		text := n.word()
		x.surface[text] = i
		x.surfaces[i] = surfaceWord{text: text, stem: n.next(uint64(stems)), stop: stopWords[text], grams: gramCount(text)}
	}
	if n.bad || len(n.rest) > 0 || len(x.stems) != int(stems) || len(x.surface) != int(surfaces) {
		return errKept
	}
	x.learned = [2]uint32{stems, surfaces}
	return nil
}

// recall takes in an item.
func (x *Index) recall(k Kept) error {
	stems, surfaces := x.learned[0], x.learned[1]
	n := numbers{rest: k.Words}
	it := item{key: k.Key, words: n.next(keptLimit), content: n.next(keptLimit), grams: n.next(keptLimit), title: n.next(keptLimit)}
	tokens, counts := n.next(maxTokens+1), n.next(keptLimit)
	if n.bad || it.title > tokens || int(tokens)+int(counts) > len(k.Words) {
		return errKept
	}
	it.tokens = make([]token, tokens)
	for i := range it.tokens {
		t := n.next(2 * uint64(surfaces))
		it.tokens[i] = token(t >> 1).capital(t&1 != 0)
	}
	if n.bad {
		return errKept
	}
	id := uint32(len(x.items))
	var called [][]token
	if !x.config.Plain {
		called = x.called(k.Title)
	}
	it.doc = x.document(Item{Key: k.Key, Doc: k.Doc}, id, called)
	for range counts {
		s, count := n.next(2*uint64(stems)), uint32(1)
		if s&1 == 0 {
			count = n.next(keptLimit)
		}
		if n.bad || count == 0 || x.postings[s>>1].last == id+1 {
			return errKept
		}
		x.postings[s>>1].add(id, count)
	}
	if n.bad || len(n.rest) > 0 {
		return errKept
	}
	x.keys[k.Key], x.words = id, x.words+int(it.words)
	x.items = append(x.items, it)
	return nil
}

// called returns the names of a title as words, entering those that are new.
func (x *Index) called(title string) (list [][]token) {
	for _, name := range namesIn(title) {
		var ids []token
		words(name, func(w []byte, kind wordKind) {
			if kind == whole || kind == capital {
				text := string(w)
				id := x.intern(surfaceWord{text: text, stop: stopWords[text], grams: gramCount(text)}, stem(text))
				ids = append(ids, token(id).capital(kind == capital))
			}
		})
		list = append(list, ids)
	}
	return list
}
