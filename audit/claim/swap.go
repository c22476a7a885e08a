package claim

// pointed are those of the light words that say something definite where they stand in the place of another word.
var pointed = set(`leave leaves left receive receives received take takes took taken give gives gave given hold holds held keep keeps need needs needed want wants wanted let lie lies
 find finds found carry carries carried lead leads led follow follows followed remain remains remained start starts started begin begins began end ends
 long short high low large small big great new old good man men woman women away back together alone region regions country countries`)

// checkLight looks for light words that stand alone in the place of what the quote says: "left" for "married".
func (p *pair) checkLight(f *frame) {
	for i := f.m.claimAt[0]; i < f.m.claimAt[1]; i++ {
		w := &p.claim.words[i]
		if !w.content || w.often || !pointed[w.s] || f.to[i-f.m.claimAt[0]] >= 0 || p.stands(w) || len(w.s) > 3 && p.quote.family(w.s) || w.negated {
			continue
		}
		left, right := f.beside(i, i+1)
		a, b := f.gap(i, i+1)
		if n := f.replaced(a, b); n == 0 || n > 2 || f.accompanied(left, i, right) || right >= f.m.claimAt[1] && left < f.m.claimAt[0] || f.held(left, -1)+f.held(right, 1) < 4 {
			continue
		}
		mine := readingOf(w, nil)
		same := false
		for j := a; j < b; j++ {
			q := readingOf(&p.quote.words[j], nil)
			same = same || q.said(&mine) || mine.said(&q)
		}
		if !same {
			p.tell(i, i+1, place{true, f.trimmed(a, b), f.m.quoteAt})
		}
	}
}

// accompanied reports whether a word of the claim between two that stand in the quote has another content word beside it there.
func (f *frame) accompanied(left, i, right int) bool {
	for k := left + 1; k < right && k < f.m.claimAt[1]; k++ {
		if k >= f.m.claimAt[0] && k != i && f.p.claim.words[k].tells() {
			return true
		}
	}
	return false
}
