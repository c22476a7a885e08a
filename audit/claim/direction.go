package claim

import "fmt"

// opposedPrepositions turn what is said of two things around where the one stands for the other between the same words. What is on
// the left is opposed to each on the right.
var opposedPrepositions = func() map[string]bool {
	m := make(map[string]bool)
	for _, pair := range [][2]string{
		{"to into onto toward towards", "from off away"}, {"for with alongside", "against"}, {"with within", "without"}, {"from", "for"},
		{"in into on onto", "against"}, {"by", "against"}, {"to", "against"}, {"before until", "after since"}, {"for", "despite"}, {"because", "despite"}, {"like", "unlike"},
		{"above over", "below under beneath"}, {"inside", "outside"}, {"before", "during"}, {"during", "after"},
	} {
		for a := range set(pair[0]) {
			for b := range set(pair[1]) {
				m[a+" "+b], m[b+" "+a] = true, true
			}
		}
	}
	return m
}()

// checkPrepositions looks in a sentence of the claim that has no words of its own for a preposition between two words of the quote that
// says the opposite of the one that stands there.
func (p *pair) checkPrepositions(f *frame, at []int) {
	for i := f.m.claimAt[0] + 1; i+1 < f.m.claimAt[1]; i++ {
		w := &p.claim.words[i]
		left := i - 1
		if p.claim.words[left].s == "away" {
			left--
		}
		if w.kind != letters || w.content || f.to[i-f.m.claimAt[0]] >= 0 || left < f.m.claimAt[0] || !p.claim.words[left].tells() || f.to[left-f.m.claimAt[0]] < 0 {
			continue
		}
		a := f.to[left-f.m.claimAt[0]] + 1
		right := i + 1
		for right < f.m.claimAt[1] && right-i <= 3 && !p.claim.words[right].tells() {
			right++
		}
		if right == f.m.claimAt[1] || !p.claim.words[right].tells() || f.to[right-f.m.claimAt[0]] < 0 || f.to[right-f.m.claimAt[0]]-a > 4 {
			continue
		}
		for j := a; j < f.to[right-f.m.claimAt[0]]; j++ {
			q := &p.quote.words[j]
			if q.content {
				break
			}
			if at[j-f.m.quoteAt[0]] < 0 && opposedPrepositions[w.s+" "+q.s] {
				if p.told(i) {
					return
				}
				said, there := p.claim.span(left, right+1), p.quote.span(a-1, f.to[right-f.m.claimAt[0]]+1)
				p.add(WordReplaced, Flag, said, there, fmt.Sprintf("The claim says %q where the quote says %q. Keep its %q.", said, there, q.s))
				return
			}
		}
	}
}
