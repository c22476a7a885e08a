package claim

import "fmt"

// reporting verbs say that somebody says it.
var reporting = set(`said says say saying wrote writes told tells claimed claims stated states reported reports argued argues announced announces found finds concluded concludes
	warned warns insisted insists believes believe believed think thinks suggests estimates estimated according noted notes admitted admits`)

// checkClauses looks for clauses of the claim of which the quote has next to nothing, and for speakers that it has not.
func (p *pair) checkClauses() {
	for i := 0; i < len(p.claim.words); {
		from, clause := i, p.claim.words[i].clause
		said, known := 0, 0
		for ; i < len(p.claim.words) && p.claim.words[i].clause == clause; i++ {
			if w := &p.claim.words[i]; w.content {
				said++
				if w.often || p.known(i) {
					known++
				}
			}
		}
		if said >= 2 && float64(known) <= 0.25*float64(said) && p.claim.english {
			words := p.claim.span(from, i)
			p.add(Unsupported, Flag, words, "", fmt.Sprintf("The quote says nothing of %q. Quote the words that do, or leave it out.", words))
		}
	}
	p.checkSpeaker()
}

// checkSpeaker looks for somebody who says it in the claim and not in the quote.
func (p *pair) checkSpeaker() {
	for i, w := range p.claim.words {
		if !reporting[w.s] || i == 0 || be[p.claim.at(i-1).s] || i > 6 || p.quote.has(w.stem) {
			continue
		}
		missing, n := true, 0
		for k := 0; k < i; k++ {
			if c := p.claim.words[k]; c.content {
				n++
				missing = missing && !c.often && !p.known(k)
			}
		}
		if n > 0 && missing {
			said := p.claim.span(0, i+1)
			p.add(Attribution, Flag, said, "", fmt.Sprintf("The quote does not say that it is what %q. Name the speaker that it names.", said))
		}
	}
}

// inEnglish reports whether words are in English, as far as those that hold sentences together tell.
func inEnglish(ws []word) bool {
	ours, theirs := 0, 0
	for i := range ws {
		switch w := &ws[i]; {
		case w.is&foreign != 0:
			theirs++
		case w.is&functional != 0 && len(w.s) > 1:
			ours++
		}
	}
	return ours >= theirs
}

// foreignWords hold the sentences of other languages together, and are none in English.
var foreignWords = set(`der die das und ist von den dem des mit für nicht ein eine einer einem im zum zur auf bei sich aus nach wurde wurden sind
	le la les du et est une dans pour sur par avec qui que aux ont été el los las y es del con por para una su se lo al il di della che per sono
	het een van en op te voor met zijn o da os um na em uma com não dos`)
