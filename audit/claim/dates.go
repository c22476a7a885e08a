package claim

import (
	"fmt"
	"slices"
)

// checkDates looks for each date of the claim in the quote.
func (p *pair) checkDates() {
	for i := range p.claim.dates {
		p.checkDate(p.claim.dates[i])
	}
}

func (p *pair) checkDate(c date) {
	said := p.claim.span(c.from, c.to)
	in, found := dateFit(c, p.quote.dates)
	switch found {
	case fits:
		if d, ok := p.comparedDate(c); ok {
			there := p.quote.span(d.from, d.to)
			p.add(DateRole, Block, said, there, fmt.Sprintf("The quote only compares with %q; what it says is of %q. Use that date.", said, there))
		}
		return
	case within:
		if d, ok := p.contradicts(c); ok {
			in = d
			break
		}
		p.add(DateAbsent, Flag, said, p.quote.span(in.from, in.to), fmt.Sprintf("The quote says %q, which is less exact than %q. Say no more than it does.", p.quote.span(in.from, in.to), said))
		return
	}
	for _, t := range []*text{p.context, p.around} {
		if in, f := dateFit(c, t.dates); f == fits && found == absent {
			p.add(DateAbsent, Flag, said, t.span(in.from, in.to), fmt.Sprintf("The date %q stands beside the quote and not in it. Quote the words that have it.", said))
			return
		}
	}
	if i := p.yearAsNumber(c); i >= 0 {
		return
	}
	other, ok := in, found == within
	if !ok {
		other, ok = p.otherDate(c)
	}
	if !ok {
		p.add(DateAbsent, Flag, said, "", fmt.Sprintf("The quote has no date, and the claim says %q. Quote the words that have it, or take it out.", said))
		return
	}
	instead := p.quote.span(other.from, other.to)
	if c.span && !other.span || p.claim.titled(c) || p.identifies(c) || p.yearBefore(c) {
		p.add(DateAbsent, Flag, said, instead, fmt.Sprintf("The quote does not say %q, only %q. Make sure that it follows.", said, instead))
		return
	}
	p.add(DateConflict, Block, said, instead, fmt.Sprintf("The claim says %q, the quote %q. Use the date of the quote, or quote the words that have yours.", said, instead))
}

type fit int

const (
	absent fit = iota
	within     // the text is less exact
	fits
)

// dateFit looks for a date among others: the same one, a more exact one, or a span that it lies in.
func dateFit(c date, ds []date) (date, fit) {
	best, in := absent, date{}
	for _, d := range ds {
		f := c.in(d)
		if f == absent && d.upTo > 0 && c.y != 0 && c.bound == on {
			if e := ds[d.upTo]; c.y >= d.y && c.until <= e.until && d.y != 0 {
				f = within
			}
		}
		if f == within && d.y == 0 && c.y != 0 && c.m == d.m && c.d == d.d && slices.ContainsFunc(ds, func(e date) bool { return e.y == c.y }) {
			f = fits // the year is said before
		}
		if f > best {
			best, in = f, d
		}
	}
	return in, best
}

// in reports whether what d says makes c true.
func (c date) in(d date) fit {
	switch {
	case c.bound == before && c.y != 0 && d.y != 0 && d.bound == on && (d.y < c.y || d.y == c.y && (c.m == 0 || d.m != 0 && d.m <= c.m)),
		c.bound == after && c.y != 0 && d.y != 0 && d.bound == on && d.y >= c.y,
		c.bound == around && c.y != 0 && d.y != 0 && abs(c.y-d.y) <= 5:
		return fits
	}
	switch {
	case c.y != 0 && d.y != 0:
		if d.y >= c.y && d.until <= c.until { // the same year, or a year of the decade
			break
		}
		if d.span && c.y >= d.y && c.until <= d.until {
			return within
		}
		return absent
	case c.y != 0 && d.y == 0 && c.m == 0, c.m != 0 && d.m == 0 && c.y == 0:
		return absent
	}
	switch {
	case c.m != 0 && d.m != 0 && c.m != d.m, c.d != 0 && d.d != 0 && c.d != d.d:
		return absent
	case c.m != 0 && d.m == 0, c.d != 0 && d.d == 0, c.y != 0 && d.y == 0:
		return within
	}
	return fits
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// yearBefore reports whether a year is the one that another of the claim, which the quote has, is compared with: "up 12
// percent from 2022" of a rise in 2023.
func (p *pair) yearBefore(c date) bool {
	if w := p.claim.at(c.from - 1).s; c.m != 0 || w != "from" && w != "than" && w != "with" && w != "over" && w != "against" && w != "on" {
		return false
	}
	for _, d := range p.claim.dates {
		if _, f := dateFit(d, p.quote.dates); d.y == c.y+1 && f == fits {
			return true
		}
	}
	return false
}

// titled reports whether a date stands in brackets as a part of a title: The Thin Red Line (1998 film).
func (t *text) titled(d date) bool {
	if t.at(d.from-1).s != "(" || !t.at(d.from-2).capital {
		return false
	}
	for k := d.to; k < d.to+4; k++ {
		if t.at(k).s == ")" {
			return k > d.to
		}
	}
	return false
}

// identifies reports whether a year only says which thing is meant ("the 1943 novel") and the quote gives that thing none.
func (p *pair) identifies(c date) bool {
	noun := p.claim.at(c.to)
	if c.m != 0 || p.claim.at(c.from-1).s != "the" || !noun.content || !p.claim.joined(c.to) {
		return false
	}
	for _, d := range p.quote.dates {
		for k := d.to; k < d.to+4; k++ {
			if p.quote.at(k).stem == noun.stem {
				return false
			}
		}
	}
	return true
}

// contradicts finds a date of the quote that is as exact as c, in the same year, and not the same.
func (p *pair) contradicts(c date) (date, bool) {
	for _, d := range p.quote.dates {
		if c.y != 0 && d.y == c.y && c.m != 0 && d.m != 0 && c.bound == on && (c.m != d.m || c.d != 0 && d.d != 0 && c.d != d.d) {
			return d, true
		}
	}
	return date{}, false
}

// otherDate is the date of the quote that stands for c there: one of the same parts, the nearest by what is said of it.
func (p *pair) otherDate(c date) (date, bool) {
	best, at := -1, date{}
	for _, d := range p.quote.dates {
		if c.y != 0 && d.y == 0 || c.y == 0 && c.m != 0 && d.m == 0 {
			continue
		}
		if n := p.common(c.from, d.from); n > best {
			best, at = n, d
		}
	}
	return at, best >= 0
}

// yearAsNumber is the place of a bare year among the figures and words of the quote, -1 if it is not there: what one text
// writes as a year may be a number or a part of a name in the other.
func (p *pair) yearAsNumber(c date) int {
	if c.m != 0 || c.d != 0 || c.to-c.from != 1 {
		return -1
	}
	for _, t := range []*text{p.quote, p.context} {
		if at := t.places(p.claim.words[c.from].stem); len(at) > 0 {
			return at[0]
		}
		for _, f := range t.figures {
			if f.value == float64(c.y) {
				return f.from // 1540 for 1,540
			}
		}
	}
	return -1
}

// comparedDate is the date that a sentence of the quote is about, where the date of the claim only stands in it as what is
// compared with: "412,000 in 2024, 8 percent more than in 2023". A claim that compares too is left alone.
func (p *pair) comparedDate(c date) (date, bool) {
	if c.y == 0 || slices.ContainsFunc(p.claim.words, func(w word) bool { return comparing[w.s] }) {
		return date{}, false
	}
	other, found := date{}, false
	for _, d := range p.quote.dates {
		if c.in(d) == fits {
			if !p.quote.base(d) {
				return date{}, false
			}
			continue
		}
		if d.y != 0 && !p.quote.base(d) && !found {
			other, found = d, true
		}
	}
	return other, found && len(p.claim.figures) > 0
}

// base reports whether a date is what something is compared with.
func (t *text) base(d date) bool {
	for k := d.from - 1; k >= d.from-3 && k >= 0 && t.words[k].sent == t.words[d.from].sent; k-- {
		switch s := t.words[k].s; {
		case s == "than", s == "versus", s == "vs", s == "compared" || s == "against" || s == "with" && t.at(k-1).s == "compared":
			return true
		case s != "in" && s != "the" && s != "of" && s != "year" && s != "that":
			return false
		}
	}
	return false
}

var comparing = set("than compared versus vs against from since up down rose fell grew increased decreased rise fall growth")
