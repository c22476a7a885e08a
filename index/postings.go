package index

import (
	"encoding/binary"
	"iter"
)

// postings is where a stem stands: for each item, in order of adding, how far it is from the one before and how often it
// holds the stem, a word of the title counted titleWeight times. Most holds are single words, and then one number says
// both; an entry takes two bytes where eight would be plain.
type postings struct {
	packed []byte
	n      int
	last   uint32 // item, plus one
}

func (p *postings) add(item, count uint32) {
	gap := uint64(item+1-p.last) << 1
	p.last = item + 1
	p.n++
	if count == 1 {
		p.packed = binary.AppendUvarint(p.packed, gap|1)
		return
	}
	p.packed = binary.AppendUvarint(binary.AppendUvarint(p.packed, gap), uint64(count))
}

// all yields the items and their counts.
func (p *postings) all() iter.Seq2[uint32, uint32] {
	return func(yield func(item, count uint32) bool) {
		item := uint64(0)
		for rest := p.packed; len(rest) > 0; {
			gap, n := binary.Uvarint(rest)
			rest = rest[n:]
			item += gap >> 1
			count := uint64(1)
			if gap&1 == 0 {
				count, n = binary.Uvarint(rest)
				rest = rest[n:]
			}
			if !yield(uint32(item-1), uint32(count)) {
				return
			}
		}
	}
}
