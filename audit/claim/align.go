package claim

import "slices"

// alignment says for each sentence of the claim which sentence of the quote it is about.
type alignment []match

// A match is a sentence of the quote, and how much of the content words it shares with one of the claim.
type match struct {
	sent    int     // -1 if none shares a word
	share   float64 // of the claim's sentence
	back    float64 // of the quote's
	edits   []edit  // how to make the one of the other, where the two are nearly the same
	copied  bool    // nearly the same: edits holds the differences
	claimAt [2]int  // the words of the claim's sentence
	quoteAt [2]int  // and of the quote's
}

// An edit replaces words of the quote with words of the claim; one side may be empty.
type edit struct{ claim, quote [2]int }

// align finds for each sentence of the claim the one of the quote that shares the most with it.
func align(c, q *text) alignment {
	a := make(alignment, c.sents)
	total := make([]int, q.sents)
	at := make([][2]int, q.sents)
	for i, w := range q.words {
		if w.content || w.figure && w.kind == digits {
			total[w.sent]++
		}
		if at[w.sent][1] == 0 {
			at[w.sent][0] = i
		}
		at[w.sent][1] = i + 1
	}
	score := make([]float64, q.sents)
	for i := 0; i < len(c.words); {
		s := c.words[i].sent
		clear(score)
		n, from := 0, i
		seen := map[string]bool{}
		for ; i < len(c.words) && c.words[i].sent == s; i++ {
			w := c.words[i]
			if !w.content && (!w.figure || w.kind != digits) || seen[w.stem] {
				continue
			}
			seen[w.stem] = true
			n++
			last := -1
			rare := 1 + 1/float64(1+len(q.places[w.stem]))
			for _, k := range q.places[w.stem] {
				if x := q.words[k].sent; x != last {
					score[x] += rare
					last = x
				}
			}
		}
		m := match{sent: -1, claimAt: [2]int{from, i}}
		best := 0.0
		for x, v := range score {
			if v > best {
				best, m.sent = v, x
			}
		}
		if s >= maxSents {
			m.sent = -1
		}
		if m.sent >= 0 && n > 0 {
			m.quoteAt = at[m.sent]
			m.share, m.back = shared(c, q, m)
			if m.share >= 0.6 && i-from <= maxCopied && m.quoteAt[1]-m.quoteAt[0] <= maxCopied {
				m.edits, m.copied = diff(c, q, m)
			}
		}
		a[s] = m
	}
	return a
}

// editAt is the edit that word i of the claim is in.
func (m match) editAt(i int) (edit, bool) {
	for _, e := range m.edits {
		if i >= e.claim[0] && i < e.claim[1] {
			return e, true
		}
	}
	return edit{}, false
}

// inPlace reports whether an edit puts a few words in the place of a few.
func (e edit) inPlace() bool {
	return e.claim[1]-e.claim[0] <= 3 && e.quote[1]-e.quote[0] <= 3
}

// maxCopied is how long a sentence may be, in words, to be compared word by word.
const maxCopied = 160

// shared is the share of the content words of both sentences that the other has.
func shared(c, q *text, m match) (share, back float64) {
	of := func(t *text, at [2]int) map[string]bool {
		set := make(map[string]bool)
		for _, w := range t.words[at[0]:at[1]] {
			if w.content || w.figure && w.kind == digits {
				set[w.stem] = true
			}
		}
		return set
	}
	a, b := of(c, m.claimAt), of(q, m.quoteAt)
	both := 0
	for s := range a {
		if b[s] {
			both++
		}
	}
	return float64(both) / float64(max(1, len(a))), float64(both) / float64(max(1, len(b)))
}

// diff lists the edits between the words of two sentences (the longest common subsequence), and reports whether the
// claim's is nearly a copy: at most a quarter of its words are its own.
func diff(c, q *text, m match) ([]edit, bool) {
	a, b := c.words[m.claimAt[0]:m.claimAt[1]], q.words[m.quoteAt[0]:m.quoteAt[1]]
	n, k := len(a), len(b)
	table := make([]uint16, (n+1)*(k+1))
	for i := n - 1; i >= 0; i-- {
		for j := k - 1; j >= 0; j-- {
			if a[i].s == b[j].s {
				table[i*(k+1)+j] = table[(i+1)*(k+1)+j+1] + 1
			} else {
				table[i*(k+1)+j] = max(table[(i+1)*(k+1)+j], table[i*(k+1)+j+1])
			}
		}
	}
	if same := int(table[0]); same*4 < n*3 || same < 4 {
		return nil, false
	}
	var out []edit
	open := false
	for i, j := 0, 0; i < n || j < k; {
		if i < n && j < k && a[i].s == b[j].s {
			i, j, open = i+1, j+1, false
			continue
		}
		if !open {
			out = append(out, edit{[2]int{m.claimAt[0] + i, m.claimAt[0] + i}, [2]int{m.quoteAt[0] + j, m.quoteAt[0] + j}})
			open = true
		}
		e := &out[len(out)-1]
		if j < k && (i == n || table[i*(k+1)+j+1] > table[(i+1)*(k+1)+j]) {
			j++
			e.quote[1]++
		} else {
			i++
			e.claim[1]++
		}
	}
	return out, true
}

// sentenceOf is the match of the claim's sentence that word i is in.
func (p *pair) sentenceOf(i int) match { return p.align[p.claim.words[i].sent] }

// common counts the content words near word i of the claim that stand near word j of the quote too. The words themselves
// do not count.
func (p *pair) common(i, j int) int {
	n := 0
	for k := max(0, i-near); k < min(len(p.claim.words), i+near+1); k++ {
		w := p.claim.words[k]
		if k == i || !w.content && !(w.figure && w.kind == digits) || w.sent != p.claim.words[i].sent {
			continue
		}
		at := p.quote.places[w.stem]
		from, _ := slices.BinarySearch(at, j-near-2)
		for _, x := range at[from:] {
			if x > j+near+2 {
				break
			}
			if x != j && p.quote.words[x].sent == p.quote.words[j].sent {
				n++
				break
			}
		}
	}
	return n
}

// near is how many words on each side are looked at.
const near = 7

// sentence is the range of the words of the quote's sentence s that j is in.
func (t *text) sentence(j int) (from, to int) {
	from, to = j, j+1
	for from > 0 && t.words[from-1].sent == t.words[j].sent {
		from--
	}
	for to < len(t.words) && t.words[to].sent == t.words[j].sent {
		to++
	}
	return from, to
}
