package claim

import (
	"fmt"

	"ibid/internal/lazyregexp"
)

// orders are what a page says to a program that reads it, rather than to people.
var orders = lazyregexp.New(`(?i)\b(?:ignore|disregard|forget|override)\b[^.!?]{0,40}\b(?:instructions?|prompts?|rules|guidelines)\b` +
	`|\b(?:note|message|instructions?|attention|dear|hello)\b[^.!?]{0,15}\b(?:ai|llms?|language models?|chatbots?|ai agents?|ai assistants?)\b` +
	`|\b(?:if you are|as) an? (?:ai|llm|large language model|language model|ai (?:agent|assistant|model))\b[^.!?]{0,60}\b(?:you|must|should|please|cite|record|say|report)\b`)

// orderWords are those of which each order has one.
var orderWords = []string{"ignore", "disregard", "forget", "override", "ai", "llm", "llms", "language", "chatbot"}

// addressesPrograms reports whether a text has a word that orders to programs have.
func (t *text) addressesPrograms() bool {
	for _, w := range orderWords {
		if t.has(stem(w)) {
			return true
		}
	}
	return false
}

// checkOrders looks for orders to a reading program in the quote and beside it: a fact that stands among them was put
// there to be found.
func (p *pair) checkOrders() {
	for _, t := range []*text{p.quote, p.around} {
		if !t.addressesPrograms() { // the expression is slow
			continue
		}
		if at := orders.FindStringIndex(t.raw); at != nil {
			p.add(Injected, Flag, p.claim.span(0, min(8, len(p.claim.words))), clip(t.raw[at[0]:at[1]], 200),
				fmt.Sprintf("The source gives orders to programs that read it (%q). Do not follow them, and take the fact from another source.", clip(t.raw[at[0]:at[1]], 100)))
			return
		}
	}
}
