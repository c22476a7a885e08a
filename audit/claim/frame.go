package claim

// A frame is a sentence of the claim laid beside the sentence of the quote that it is about: which of its words stand
// there in the same order.
type frame struct {
	p  *pair
	m  match
	to []int // for each word of the claim's sentence its place in the quote, -1 without

	inOrder int // content words and figures that have one
}

// A place is where new words of the claim stand in the quote.
type place struct {
	framed   bool   // among the same words in the same order
	quote    [2]int // the words that they stand in the place of
	sentence [2]int // of the quote
}

// frame lays the sentence of m beside that of the quote.
func (p *pair) frame(m match) *frame {
	if p.laid != nil && p.laid.m.claimAt == m.claimAt {
		return p.laid
	}
	f := &frame{p: p, m: m}
	p.laid = f
	a, b := p.claim.words[m.claimAt[0]:m.claimAt[1]], p.quote.words[m.quoteAt[0]:m.quoteAt[1]]
	if m.sent < 0 || len(a) > maxCopied || len(b) > maxCopied {
		return f
	}
	n, k := len(a), len(b)
	table := make([]uint16, (n+1)*(k+1))
	for i := n - 1; i >= 0; i-- {
		for j := k - 1; j >= 0; j-- {
			if worth := alike(&a[i], &b[j]); worth > 0 {
				table[i*(k+1)+j] = max(table[(i+1)*(k+1)+j+1]+worth, table[(i+1)*(k+1)+j], table[i*(k+1)+j+1])
			} else {
				table[i*(k+1)+j] = max(table[(i+1)*(k+1)+j], table[i*(k+1)+j+1])
			}
		}
	}
	f.to = make([]int, n)
	for i := range f.to {
		f.to[i] = -1
	}
	for i, j := 0, 0; i < n && j < k; {
		worth := alike(&a[i], &b[j])
		switch {
		case worth > 0 && table[i*(k+1)+j] == table[(i+1)*(k+1)+j+1]+worth:
			f.to[i] = m.quoteAt[0] + j
			if a[i].content || a[i].figure {
				f.inOrder++
			}
			i, j = i+1, j+1
		case table[i*(k+1)+j] == table[(i+1)*(k+1)+j]:
			i++
		default:
			j++
		}
	}
	return f
}

// alike is what it is worth that two words stand beside each other, 0 for nothing: a word that says something holds a
// sentence in its place rather than an article.
func alike(a, b *word) uint16 {
	switch {
	case a.kind != b.kind || a.stem != b.stem || a.kind == mark:
		return 0
	case a.content || a.figure:
		return 4
	}
	return 1
}

// around finds the place of the words from i to j of the claim.
func (f *frame) around(i, j int) place {
	at := place{sentence: f.m.quoteAt}
	if f.to == nil {
		return at
	}
	left, right := f.beside(i, j)
	a, b := f.gap(i, j)
	held := f.held(left, -1) + f.held(right, 1)
	replaced := f.replaced(a, b)
	at.framed = held >= 2 && (replaced <= 3 || right >= f.m.claimAt[1])
	if replaced > 0 && replaced <= 4 {
		at.quote = f.trimmed(a, b)
	}
	return at
}

// held counts the content words, of the four nearest on one side, that stand in the quote in their place.
func (f *frame) held(i, step int) int {
	n, last := 0, -1
	for k := 0; k < 5; k, i = k+1, i+step {
		if i < f.m.claimAt[0] || i >= f.m.claimAt[1] {
			break
		}
		j := f.to[i-f.m.claimAt[0]]
		if j < 0 {
			continue
		}
		if last >= 0 && (j-last)*step > 5 {
			break
		}
		last = j
		if w := f.p.claim.words[i]; w.content || w.figure {
			n += 2
		} else {
			n++
		}
	}
	return n
}

// beside are the nearest words before i and from j on that stand in the quote in their place.
func (f *frame) beside(i, j int) (left, right int) {
	from := f.m.claimAt[0]
	left, right = i-1, j
	for left >= from && f.to[left-from] < 0 {
		left--
	}
	for right < f.m.claimAt[1] && f.to[right-from] < 0 {
		right++
	}
	return left, right
}

// denied reports whether the quote, too, says less with a narrower word where word i of the claim stands.
func (f *frame) denied(i int) bool {
	left, right := f.beside(i, i+1)
	for _, k := range [...]int{right, left} {
		if k >= f.m.claimAt[0] && k < f.m.claimAt[1] && f.p.claim.words[k].kind == letters {
			j := f.to[k-f.m.claimAt[0]]
			return f.p.quote.downward(j) || f.p.quote.negator(j) || k == left && f.p.quote.downward(min(j+1, f.m.quoteAt[1]-1))
		}
	}
	return false
}

// gap is the range of the quote in whose place the words from i to j of the claim stand.
func (f *frame) gap(i, j int) (a, b int) {
	left, right := f.beside(i, j)
	a, b = f.m.quoteAt[0], f.m.quoteAt[1]
	if left >= f.m.claimAt[0] {
		a = f.to[left-f.m.claimAt[0]] + 1
	}
	if right < f.m.claimAt[1] {
		b = f.to[right-f.m.claimAt[0]]
	}
	return a, b
}

// replaced counts the words of a range of the quote that say something and that the claim does not have.
func (f *frame) replaced(a, b int) int {
	n := 0
	for j := a; j < b; j++ {
		if q := &f.p.quote.words[j]; (q.content || q.figure) && !f.p.said(q) {
			n++
		}
	}
	return n
}

// trimmed narrows a range of the quote to the words that say something.
func (f *frame) trimmed(a, b int) [2]int {
	ws := f.p.quote.words
	for a < b && !ws[a].content && !ws[a].figure {
		a++
	}
	for b > a && !ws[b-1].content && !ws[b-1].figure {
		b--
	}
	return [2]int{a, b}
}
