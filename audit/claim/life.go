package claim

import "fmt"

// checkLife holds what the claim says of a birth or death, with its date, against the dates of birth and death of the
// quote, and a date that is only a birth's or death's there against a claim of something else.
func (p *pair) checkLife() {
	born, died, ok := p.quote.life()
	if !ok {
		return
	}
	for _, c := range p.claim.dates {
		event := p.claim.eventAt(c)
		if event == "" && p.claim.bracketed(c) {
			continue
		}
		said := p.claim.span(c.from, c.to)
		conflict := func(d date, what string) {
			p.add(DateRole, Block, said, p.quote.span(d.from, d.to), fmt.Sprintf("In the quote %q is the date of %s. Say what the quote says of it.", p.quote.span(d.from, d.to), what))
		}
		_, other := dateFit(c, p.quote.datesBut(born, died))
		switch {
		case event == "born" && died.to > 0 && c.in(died) == fits && c.in(born) != fits:
			conflict(died, "a death")
		case event == "died" && born.to > 0 && c.in(born) == fits && (died.to == 0 || c.in(died) != fits) && other != fits:
			conflict(born, "a birth")
		case event == "" && other != fits && c.bound == on && born.to > 0 && c.in(born) == fits && !p.claim.mentionsLife():
			conflict(born, "a birth")
		case event == "" && other != fits && c.bound == on && died.to > 0 && c.in(died) == fits && !p.claim.mentionsLife():
			conflict(died, "a death")
		}
	}
}

// life are the dates of birth and death of a text that tells one life: "born …" and "(… - …)" behind a name.
func (t *text) life() (born, died date, ok bool) {
	lives := 0
	for i, d := range t.dates {
		if d.bound != on && d.bound != around {
			continue
		}
		switch t.eventAt(d) {
		case "born":
			if born.to == 0 {
				born = d
			}
			lives++
			if d.upTo > 0 {
				died = t.dates[d.upTo]
			}
		case "died":
			if died.to == 0 {
				died = d
			}
		default:
			if d.upTo > 0 && d.y != 0 && t.dates[d.upTo].y-d.y >= 15 && t.dates[d.upTo].y-d.y < 110 && t.lifeSpan(i) {
				lives++
				born, died = d, t.dates[d.upTo]
			}
		}
	}
	return born, died, lives == 1
}

// lifeSpan reports whether date i and the one that ends its span stand by themselves in brackets behind a name, near the
// beginning of a sentence that goes on with "was a".
func (t *text) lifeSpan(i int) bool {
	d, e := t.dates[i], t.dates[t.dates[i].upTo]
	if e.m == 0 && d.m == 0 || t.at(e.to).s != ")" {
		return false
	}
	k := d.from - 1
	for k > 0 && t.words[k].s != "(" && d.from-k < 12 {
		k--
	}
	next := t.at(e.to + 1).s
	return t.at(k).s == "(" && t.at(k-1).capital && (next == "was" || next == "," || next == "is")
}

// eventAt is what of a life the words before a date tell of: "born", "died" or "".
func (t *text) eventAt(d date) string {
	for k := d.from - 1; k >= 0 && d.from-k < 9 && t.words[k].sent == t.at(d.from).sent; k-- {
		switch w := t.words[k]; {
		case w.s == "born" || w.s == "birth" || w.s == "birthday" || w.s == "b":
			return "born"
		case w.s == "died" || w.s == "death" || w.s == "dies" || w.s == "killed" || w.s == "d" && !w.capital:
			return "died"
		case w.kind == letters && !functionWords[w.s] && !w.capital && d.from-k > 1 && !months2[w.s]:
			return ""
		}
	}
	return ""
}

var months2 = set("late early mid circa")

// mentionsLife reports whether a text speaks of birth, death or age.
func (t *text) mentionsLife() bool {
	for _, w := range t.words {
		if lifeWords[w.s] {
			return true
		}
	}
	return false
}

var lifeWords = set("born birth birthday birthdate born-in died dies death dead killed age aged old years alive lived living life lifetime native century decade born murdered assassinated executed passed deceased")

// bracketed reports whether a date stands in brackets or in a span: there it tells no event.
func (t *text) bracketed(d date) bool {
	if d.upTo > 0 {
		return true
	}
	for _, e := range t.dates {
		if e.upTo > 0 && t.dates[e.upTo].from == d.from {
			return true
		}
	}
	for k := d.from - 1; k >= 0 && d.from-k < 12; k-- {
		if t.words[k].s == "(" {
			return true
		}
		if t.words[k].s == ")" || t.words[k].sent != t.words[d.from].sent {
			return false
		}
	}
	return false
}

// datesBut are the dates of a text without two of them.
func (t *text) datesBut(a, b date) []date {
	var out []date
	for _, d := range t.dates {
		if (d.from != a.from || a.to == 0) && (d.from != b.from || b.to == 0) {
			d.upTo = 0
			out = append(out, d)
		}
	}
	return out
}
