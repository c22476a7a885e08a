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

// alignment finds for each sentence of the claim the one of the quote that shares the most with it.
func (p *pair) alignment() alignment {
	c, q := p.claim, p.quote
	a := make(alignment, c.sents)
	at := make([][2]int, q.sents)
	for i := range q.words {
		s := q.words[i].sent
		if at[s][1] == 0 {
			at[s][0] = i
		}
		at[s][1] = i + 1
	}
	score := make([]float64, q.sents)
	seen := &seen{claim: make([]int, len(c.ids)), quote: make([]int, len(q.ids))}
	for i := 0; i < len(c.words); {
		s := c.words[i].sent
		clear(score)
		seen.round++
		n, from := 0, i
		for ; i < len(c.words) && c.words[i].sent == s; i++ {
			w := &c.words[i]
			if !w.tells() || !seen.first(seen.claim, w.id) {
				continue
			}
			n++
			last := -1
			places := p.there(w)
			rare := 1 + 1/float64(1+len(places))
			for _, k := range places {
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
			m.share, m.back = p.shared(m, seen, n)
			if m.share >= 0.6 && i-from <= maxCopied && m.quoteAt[1]-m.quoteAt[0] <= maxCopied {
				m.edits, m.copied = diff(c, q, m)
			}
		}
		a[s] = m
	}
	return a
}

// tells reports whether a word counts when two sentences are compared: a content word, or a number of a figure.
func (w *word) tells() bool { return w.content || w.figure && w.kind == digits }

// seen are the stems of a sentence of the claim and of one of the quote: by the number of each, the round in which it was seen.
type seen struct {
	claim, quote []int
	round        int
}

// first notes a stem, and reports whether it was not seen in this round.
func (s *seen) first(in []int, id int32) bool {
	again := in[id] == s.round
	in[id] = s.round
	return !again
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

// shared is the share of the content words of both sentences that the other has. Those of the claim's, n, are seen.
func (p *pair) shared(m match, s *seen, n int) (share, back float64) {
	all, both := 0, 0
	for i := m.quoteAt[0]; i < m.quoteAt[1]; i++ {
		if w := &p.quote.words[i]; w.tells() && s.first(s.quote, w.id) {
			all++
		}
	}
	for id, round := range s.claim {
		if other := p.ids[id]; round == s.round && other >= 0 && s.quote[other] == s.round {
			both++
		}
	}
	return float64(both) / float64(max(1, n)), float64(both) / float64(max(1, all))
}

// there are the places in the quote of the stem of a word of the claim.
func (p *pair) there(w *word) []int {
	if w.id < 0 {
		return nil
	}
	return p.quote.numbered(p.ids[w.id])
}

// said reports whether the claim has the stem of a word of the quote.
func (p *pair) said(q *word) bool { return q.id >= 0 && p.both[q.id] }

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
	sent, there := p.claim.words[i].sent, p.quote.words[j].sent
	for k := max(0, i-near); k < min(len(p.claim.words), i+near+1); k++ {
		w := &p.claim.words[k]
		if k == i || !w.tells() || w.sent != sent {
			continue
		}
		at := p.there(w)
		from := 0
		if len(at) > 8 {
			from, _ = slices.BinarySearch(at, j-near-2)
		}
		for _, x := range at[from:] {
			if x > j+near+2 {
				break
			}
			if x != j && x >= j-near-2 && p.quote.words[x].sent == there {
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
