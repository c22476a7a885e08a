package evidence

import (
	"fmt"
	"slices"
	"strings"
)

// Message says in words that a model can act on why a quote was refused and what to do instead. It is "" for a quote
// that was found.
func (m Match) Message() string {
	switch m.Reason {
	case ReasonUnknownSpan:
		return fmt.Sprintf("This source has no span %s. Use a locator exactly as it was shown to you with the text.", m.Locator)
	case ReasonEmptySpan:
		return "This span holds no text that can be quoted. Quote another span."
	case ReasonTooShort:
		return "The quote is too short to mean anything. Give at least three words or twelve characters, copied from the span, that carry the claim by themselves."
	case ReasonTooLong:
		return fmt.Sprintf("The quote is longer than %d bytes. Quote only the sentence that carries the claim.", maxQuote)
	case ReasonEllipsis:
		return "The quote leaves words out or puts words in (an ellipsis or square brackets that the source does not have). Quote one unbroken passage word for word; do not shorten with ellipses. Record two findings if you need two passages."
	case ReasonInsideNumber:
		return "The words stand there, but the quote begins or ends inside a number: a digit, sign, currency, percent sign or magnitude is cut off. Widen the quote until the number is whole."
	case ReasonInsideWord:
		return "The words stand there, but the quote begins or ends inside a word or a hyphenated compound. Widen the quote to whole words."
	case ReasonNotFound:
		return "The quote does not stand in this span word for word. Copy the words, numbers and capitals exactly as the source has them; do not paraphrase, shorten or repair."
	}
	return ""
}

// A Refusal is what to tell a model about a quote that was refused. Closest is page text: show it as such, fenced,
// and not inside the message.
type Refusal struct {
	Reason  Reason
	Message string    // what went wrong and what to do instead
	FoundIn []Locator // where else in this source the quote stands whole, three places at most
	Closest string    // the nearest real text in the span that was cited, "" if nothing is near
}

// Explain says what helps to put a refused quote right.
func (d *Doc) Explain(loc Locator, quote string, m Match) Refusal {
	r := Refusal{Reason: m.Reason, Message: m.Message()}
	if m.OK() || m.Reason == ReasonTooShort || m.Reason == ReasonTooLong {
		return r
	}
	for _, f := range d.FindAll(quote, 3) {
		r.FoundIn = append(r.FoundIn, f.Locator)
	}
	near, ok := d.nearest(loc)
	switch {
	case len(r.FoundIn) > 0:
		var at []string
		for _, l := range r.FoundIn {
			at = append(at, l.String())
		}
		r.Message += fmt.Sprintf(" The quote was found in %s, not in %s: cite it there.", strings.Join(at, " and "), loc)
	case m.Reason == ReasonUnknownSpan && ok:
		r.Message += fmt.Sprintf(" The nearest span is %s.", near)
	default:
		if r.Closest = d.Closest(loc, quote); r.Closest != "" {
			r.Message += fmt.Sprintf(" The closest text in %s is given with this.", loc)
		}
	}
	return r
}

// nearest is the locator in d that stands nearest to loc in document order, of the same unit.
func (d *Doc) nearest(loc Locator) (Locator, bool) {
	var same []Locator
	for _, s := range d.spans {
		if s.Locator.Unit == loc.Unit {
			same = append(same, s.Locator)
		}
	}
	if len(same) == 0 {
		if len(d.spans) == 0 {
			return Locator{}, false
		}
		return d.spans[0].Locator, true
	}
	slices.SortFunc(same, Compare)
	i, _ := slices.BinarySearchFunc(same, loc, Compare)
	switch {
	case i == len(same), i > 0 && !same[i].SamePage(loc) && same[i-1].SamePage(loc):
		i--
	}
	return same[i], true
}
