package claim

import (
	_ "embed"
	"strings"
	"sync"
)

// wordnetRelated is what WordNet says of words that belong together. A line is a word, the numbers (of three characters) of
// the meanings that it has or is derived of, and those of wider meanings.
//
//go:embed wordnet/related.txt
var wordnetRelated string

// A reading is a word with its meanings.
type reading struct {
	*word
	meanings []int32 // indexes in related
	own, all set64   // of the meanings, without and with wider ones
	groups   []int   // lines of ownRelated
}

// A meaning is what the table has of a word: numbers of meanings, and of wider ones.
type meaning struct {
	own, wider string
	mine, all  set64 // of own, and of both
}

// A dictionary is the table of WordNet.
type dictionary struct {
	at       map[string]int32 // by word
	meanings []meaning
}

var related = sync.OnceValue(func() *dictionary {
	n := strings.Count(wordnetRelated, "\n")
	d := &dictionary{make(map[string]int32, n), make([]meaning, 0, n)}
	for line := range strings.Lines(wordnetRelated) {
		w, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		own, wider, _ := strings.Cut(rest, " ")
		d.at[w] = int32(len(d.meanings))
		mine := setOf(own)
		d.meanings = append(d.meanings, meaning{own, wider, mine, mine | setOf(wider)})
	}
	return d
})

// groups are the numbers of the lines of ownRelated that each stem is in.
var groups = sync.OnceValue(func() map[string][]int {
	m := make(map[string][]int)
	n := 0
	for line := range strings.Lines(ownRelated) {
		n++
		for _, w := range strings.Fields(line) {
			m[stem(w)] = append(m[stem(w)], n)
		}
	}
	return m
})

// endings are those of inflected words, and what stands in their place in a dictionary.
var endings = []struct{ end, base string }{{"s", ""}, {"es", ""}, {"ies", "y"}, {"ed", ""}, {"ed", "e"}, {"ied", "y"}, {"ing", ""}, {"ing", "e"}, {"er", ""}, {"er", "e"}, {"ier", "y"}, {"est", ""}, {"iest", "y"}, {"ly", ""}, {"ily", "y"}}

// lastOfEndings are the letters that they end in.
const lastOfEndings = "sdgrty"

// readings appends what WordNet has of a word and of those that it may be a form of: indexes of its meanings.
func (d *dictionary) readings(out []int32, s string) []int32 {
	put := func(s string) {
		if m, ok := d.at[s]; ok {
			out = append(out, m)
		}
	}
	put(s)
	if base := irregular[s]; base != "" {
		put(base)
	}
	if len(s) < 3 || strings.IndexByte(lastOfEndings, s[len(s)-1]) < 0 {
		return out
	}
	for _, e := range endings {
		base, ok := strings.CutSuffix(s, e.end)
		if !ok || len(base) < 2 {
			continue
		}
		put(base + e.base)
		if short := undouble(base); short != base && e.base == "" {
			put(short)
		}
	}
	return out
}

// covers reports whether one of the readings of a word of a claim means the same as, or something wider than, one of those
// of a word of its quote.
func (d *dictionary) covers(claim, quote []int32) bool {
	for _, x := range claim {
		for _, y := range quote {
			a, b := &d.meanings[x], &d.meanings[y]
			if a.mine&b.all == 0 {
				continue
			}
			for i := 0; i+3 <= len(a.own); i += 3 {
				if holds(b.own, a.own[i:i+3]) || holds(b.wider, a.own[i:i+3]) {
					return true
				}
			}
		}
	}
	return false
}

func holds(numbers, n string) bool {
	for i := 0; i+3 <= len(numbers); i += 3 {
		if numbers[i+2] == n[2] && numbers[i+1] == n[1] && numbers[i] == n[0] {
			return true
		}
	}
	return false
}

// set64 tells of a set of meanings, by a bit for several each, that it has none of another set.
type set64 uint64

func setOf(numbers string) set64 {
	var s set64
	for i := 0; i+3 <= len(numbers); i += 3 {
		s |= 1 << ((uint(numbers[i+2])*11 + uint(numbers[i+1])*5 + uint(numbers[i])) % 64)
	}
	return s
}

// grouped reports whether two words are in one line of ownRelated, or move in the same direction.
func grouped(a, b *reading) bool {
	for _, x := range a.groups {
		for _, y := range b.groups {
			if x == y {
				return true
			}
		}
	}
	return up[a.stem] && up[b.stem] || down[a.stem] && down[b.stem]
}

// readingOf looks a word up. Its meanings are kept behind room's.
func readingOf(w *word, room []int32) reading {
	d := related()
	r := reading{word: w, groups: groups()[w.stem]}
	r.meanings = d.readings(room, w.s)[len(room):]
	for _, m := range r.meanings {
		r.own |= d.meanings[m].mine
		r.all |= d.meanings[m].all
	}
	return r
}

// said reports whether a word of the claim is another word for q.
func (q *reading) said(w *reading) bool {
	return (grouped(w, q) || w.own&q.all != 0 && related().covers(w.meanings, q.meanings)) && !opposites(w.word, q.word) && !partner(w.s, q.s) && !partner(q.s, w.s)
}
