package claim

import (
	"fmt"
	"slices"
)

// checkOrdinals looks for the ordinals of the claim. "The second quarter" against "the first quarter" is a conflict, one
// that the quote has not may be another way to say it.
func (p *pair) checkOrdinals() {
	for _, c := range p.claim.figures {
		if !c.ordinal || len(c.noun) == 0 && c.value == 1 {
			continue
		}
		said := p.claim.span(c.from, c.to+min(1, len(c.noun)))
		var rival *figure
		found := p.quote.at(-1).figure
		for i := range p.quote.figures {
			q := &p.quote.figures[i]
			switch {
			case q.value == c.value && (q.ordinal || q.label != "" || q.unit.dim == ""):
				found = true
			case q.ordinal && len(c.noun) > 0 && slices.ContainsFunc(q.noun, func(n string) bool { return slices.Contains(c.noun, n) }):
				if rival == nil || p.common(c.from, q.from) > p.common(c.from, rival.from) {
					rival = q
				}
			}
		}
		for _, t := range []*text{p.context, p.around} {
			found = found || slices.ContainsFunc(t.figures, func(f figure) bool { return f.ordinal && f.value == c.value })
		}
		for _, d := range p.quote.dates {
			found = found || float64(d.d) == c.value
		}
		switch {
		case found:
		case rival != nil && (c.value > 1 || rival.value > 1):
			there := p.quote.span(rival.from, rival.to+1)
			p.add(OrdinalDiffers, Block, said, there, fmt.Sprintf("The claim says %q, the quote %q.", said, there))
		case c.value > 1:
			p.add(OrdinalDiffers, Flag, said, "", fmt.Sprintf("The quote does not say %q. Make sure that it follows.", said))
		}
	}
}
