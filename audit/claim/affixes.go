package claim

import (
	"fmt"
	"strings"
)

// denyingPrefixes turn a word into its opposite.
var denyingPrefixes = []string{"un", "in", "im", "ir", "il", "dis", "non", "mis", "anti", "de"}

// notDenied are words that begin like a denied one and are none.
var notDenied = set(`inform information income install invest investment investor input inside intake insight instead discover discovery discount display discharge dispose
	distress impress impression import imported imports impart impose imposed improve improved improvement immigrate immigration intent intense inhabit inhabited indent
	illuminate invaluable infamous inflammable intention depart department detail design designed designer designated demand deliver decide declare declared deform defend
	define describe descend desert desire destroy determine develop devote delight degrade depose deposit depend depict deport derive despite detect deter
	inborn inbound incoming inland inner inset inspire inspired instate intend intended international interior interest include inclined increased inquest inquire institution distill
	uniform union unit united unite universal until undergo understand understood under unanimous innovate innovation innate display disease distant discern disco discord
	misty mission missing anticipate indeed incase inline indoor indoors inward install inflow inlet inning insure inure impact impassioned imprint implant implied
	deliberate delicate demean denote deform delay depress debase defile define devolve decry decode`)

// mayDeny reports whether a word begins or ends as those do that prefixed takes for denied.
func mayDeny(s string) bool {
	if s != "" && strings.IndexByte("uindma", s[0]) >= 0 {
		for _, prefix := range denyingPrefixes {
			if strings.HasPrefix(s, prefix) {
				return true
			}
		}
	}
	return strings.HasSuffix(s, "less")
}

// prefixed reports whether a is b with a denying prefix, or with -less.
func prefixed(a, b string) bool {
	if len(b) < 4 || len(a) <= len(b) {
		return false
	}
	for _, prefix := range denyingPrefixes {
		if base, ok := strings.CutPrefix(a, prefix); ok && len(base) >= 4 && (prefix != "de" || strings.HasPrefix(base, "activ") || strings.HasPrefix(base, "central") || strings.HasPrefix(base, "motiv") || strings.HasPrefix(base, "regul")) {
			if (base == b || stem(base) == stem(b)) && !notDenied[a] {
				return true
			}
		}
	}
	base, ok := strings.CutSuffix(a, "less")
	return ok && len(base) >= 3 && (base == b || base+"ful" == b || base == stem(b))
}

// checkAffixes looks for words that the claim has with a denying prefix and the quote without, or the other way round.
func (p *pair) checkAffixes() {
	var all, denied []int // of the quote
	for i := range p.claim.words {
		w := &p.claim.words[i]
		if w.often || !w.content || len(w.s) < 4 || len(p.there(w)) > 0 {
			continue
		}
		if all == nil {
			all, denied = p.quote.affixed()
		}
		others := denied
		if mayDeny(w.s) {
			others = all
		}
		for _, j := range others {
			q := &p.quote.words[j]
			if w.s[len(w.s)-1] != q.s[len(q.s)-1] && w.stem[len(w.stem)-1] != q.stem[len(q.stem)-1] && !strings.HasSuffix(w.s, "less") && !strings.HasSuffix(q.s, "less") {
				continue
			}
			if !prefixed(w.s, q.s) && !prefixed(q.s, w.s) || w.negated != q.negated || p.said(q) {
				continue
			}
			s := Flag
			if p.common(i, j) > 0 && !p.quote.denies(j-4, j) {
				s = Block
			}
			p.add(Antonym, s, p.claim.about(i), p.quote.about(j), fmt.Sprintf("The claim says %q where the quote says %q.", w.s, q.s))
		}
	}
}

// affixed lists the content words that may have a denying prefix or ending, or be what another has without, and those of them
// that may have it.
func (t *text) affixed() (all, denied []int) {
	all = make([]int, 0, len(t.words)/2)
	for j := range t.words {
		if q := &t.words[j]; !q.often && q.content && len(q.s) >= 4 {
			all = append(all, j)
			if mayDeny(q.s) {
				denied = append(denied, j)
			}
		}
	}
	return all, denied
}
