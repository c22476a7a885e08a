package claim

import (
	"fmt"
	"strings"
)

// checkAround looks at what stands just outside of the quote in its sentence and its neighbours: a negator or reporting verb
// before it, a condition or concession before or after it, a denial after it.
func (p *pair) checkAround() {
	if p.before != nil {
		p.checkBefore(p.before)
	}
	p.checkOrders()
	if p.voice != "" && !p.claim.anyOf(saying, [2]int{0, len(p.claim.words)}) && !p.claim.says(p.quote) {
		p.add(OtherVoice, Flag, p.claim.span(0, 8), p.quote.span(0, 8), fmt.Sprintf("The quote is of %s. Say who says it.", p.voice))
	}
	if p.after != nil {
		p.checkAfter(p.after)
	}
}

// lastPart is the part of a text that belongs to the sentence which goes on behind it, nil if none does.
func lastPart(s string) *text {
	s = strings.TrimRight(s, " \t\n\r")
	if s == "" || strings.ContainsRune(".!?", rune(s[len(s)-1])) {
		return nil
	}
	t := read(clipFront(s, 600))
	last := t.sents - 1
	i := len(t.words)
	for i > 0 && t.words[i-1].sent == last {
		i--
	}
	t.words = t.words[i:]
	if len(t.words) == 0 {
		return nil
	}
	return t
}

// firstPart is the part of a text that belongs to the sentence before it.
func firstPart(s string) *text {
	s = strings.TrimLeft(s, " \t")
	if s == "" || strings.ContainsRune(".!?\n", rune(s[0])) {
		return nil
	}
	t := read("x " + clip(s, 600)) // so that a capital begins no sentence
	t.words = t.words[1:]
	for i, w := range t.words {
		if w.sent != 0 {
			t.words = t.words[:i]
			break
		}
	}
	if len(t.words) == 0 {
		return nil
	}
	return t
}

func clipFront(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	for len(s) > 0 && s[0]&0xC0 == 0x80 {
		s = s[1:]
	}
	return s
}

// beginsSentence reports whether the quote begins a sentence by itself although no stop stands before it: a list, a title.
func (t *text) beginsSentence(before string) bool {
	return strings.HasSuffix(strings.TrimRight(before, " \t"), "\n") && len(t.words) > 0 && t.words[0].capital
}

// ends reports whether the quote ends with its sentence.
func (t *text) ends() bool {
	for i := len(t.words) - 1; i >= 0; i-- {
		switch s := t.words[i].s; {
		case s == "." || s == "!" || s == "?":
			return true
		case t.words[i].kind != mark:
			return false
		}
	}
	return false
}

// checkBefore judges the words before the quote in its sentence.
func (p *pair) checkBefore(b *text) {
	n := len(b.words)
	lastClause := b.words[n-1].clause
	for i := n - 1; i >= 0; i-- {
		w := b.words[i]
		here := w.clause == lastClause
		there := b.span(max(0, i-3), n) + " | " + p.quote.span(0, min(8, len(p.quote.words)))
		switch {
		case here && b.negator(i) && !p.keepsNegation():
			p.add(ContextCut, Block, p.quote.span(0, min(8, len(p.quote.words))), there, fmt.Sprintf("The quote begins behind %q. Quote the sentence from its beginning, and claim what it says.", w.s))
			return
		case here && saying[w.s] && n-i <= 8 && !b.firstPerson(i) && !p.attributed():
			p.add(ContextCut, Block, p.quote.span(0, min(8, len(p.quote.words))), there, fmt.Sprintf("The quote leaves out that it is what somebody else says (%q). Quote the sentence from its beginning, and say whose view it is.", w.s))
			return
		case conditions[w.s] && !p.claim.anyOf(conditions, [2]int{0, len(p.claim.words)}):
			p.add(ContextCut, Flag, p.quote.span(0, min(8, len(p.quote.words))), there, fmt.Sprintf("The quote leaves out its condition (%q). Keep it.", w.s))
			return
		case here && hedging[w.s] && !p.claim.anyOf(hedges, [2]int{0, len(p.claim.words)}):
			p.add(ContextCut, Flag, p.quote.span(0, min(8, len(p.quote.words))), there, fmt.Sprintf("The quote begins behind %q, which leaves it open. Keep it.", w.s))
			return
		}
	}
}

var (
	// saying are reporting verbs of those whose view the text does not make its own.
	saying = set(`say says said saying claim claims claimed claiming believe believes believed think thinks thought argue argues argued insist insists insisted allege alleges alleged
		assume assumes assumed rumour rumor rumours rumors myth pretend pretends assert asserts asserted imagine supposedly allegedly according suppose supposed`)
	hedging = set("may might could possibly perhaps probably whether maybe")
)

// firstPerson reports whether the verb at i is the text's own: "I would say".
func (t *text) firstPerson(i int) bool {
	for k := i - 1; k >= 0 && i-k <= 4; k-- {
		if s := t.words[k].s; s == "i" || s == "we" {
			return true
		}
	}
	return false
}

// keepsNegation reports whether the claim has a negator, or quotes from its own beginning the whole of what is denied.
func (p *pair) keepsNegation() bool {
	for i := range p.claim.words {
		if p.claim.negator(i) {
			return true
		}
	}
	return false
}

// attributed reports whether the claim says that it is somebody's view.
func (p *pair) attributed() bool {
	for i, w := range p.claim.words {
		if saying[w.s] && !p.ownSpeaker(i) {
			return true
		}
	}
	return false
}

// ownSpeaker reports whether the claim gives the words to a speaker of whom the text says nothing there: then it is not
// the attribution that was cut off.
func (p *pair) ownSpeaker(i int) bool {
	for k := 0; k < i; k++ {
		if c := p.claim.words[k]; c.content && (p.around.has(c.stem) || p.quote.has(c.stem)) {
			return false
		}
	}
	return p.claim.words[i].s != "according" && i > 0 && p.claim.words[i-1].s != "people" && p.claim.words[i-1].s != "some" && p.claim.words[i-1].s != "many" && p.claim.words[i-1].s != "is"
}

var (
	taking = set("although though but except unless if however provided until despite assuming")
	denial = set("false untrue wrong myth incorrect debunked misleading denied retracted")
)

// checkAfter judges the words behind the quote in its sentence.
func (p *pair) checkAfter(a *text) {
	for i, w := range a.words {
		if i > 14 {
			return
		}
		there := p.quote.span(len(p.quote.words)-6, len(p.quote.words)) + " | " + a.span(0, min(len(a.words), i+8))
		switch {
		case taking[w.s] && i < 4 && !p.claim.anyOf(taking, [2]int{0, len(p.claim.words)}):
			p.add(ContextCut, Flag, p.quote.span(len(p.quote.words)-6, len(p.quote.words)), there, fmt.Sprintf("The sentence goes on with %q. Quote it to its end, and keep what it takes back.", w.s))
			return
		case denial[w.s] && i < 6:
			p.add(ContextCut, Block, p.quote.span(len(p.quote.words)-6, len(p.quote.words)), there, fmt.Sprintf("The sentence goes on to say that it is %q. Quote it to its end.", w.s))
			return
		}
	}
}
