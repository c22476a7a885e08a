package extractive

// Credits for a term of the question, by where it is met.
const (
	evenWeight  = 0.6  // of a term's weight that does not depend on its rarity
	ownWeight   = 1.3  // factor for a term that tells a part from the other parts
	kinCredit   = 0.6  // a related word in the sentence
	titleCredit = 0.49 // the term in the title
	aboveCredit = 0.5  // the term in a heading above
	headCredit  = 0.8  // the term in the head of a row's column, or the caption of its table
	nearCredit  = 0.3  // the term in the neighbouring sentences
)

// often is the share of a page's sentences that have to name a topic for the whole page to be about it.
const often = 0.05

// A match says how far a text speaks of a part.
type match struct {
	coverage float64 // share of the part's terms, by weight, through all credits
	self     float64 // share that the text has by itself, related words too
	topic    bool    // it has what the part is about, itself or around it or often on its page
	own      bool    // it has a term that tells the part from the others, or the part has none
	fits     bool    // it has such a term
	head     bool    // it has the word that an answer has to speak of, or there is none
	name     bool    // it has one of the names, or the part has none
	astray   bool    // it lacks a name or a number that the part gives
	unmet    int     // terms that it has not, nor what it stands under; what stands behind a preposition may stand next to it
	last     bool    // it has the last term, what is said of the matter, or a heading above has it
}

// A lens looks at texts for one part.
type lens struct {
	part
	at     map[string][]int // stem → terms
	alt    map[string][]int
	weight []float64
	total  float64
	credit []float64
	around []bool
	own    bool
}

func newLens(p part, w map[string]float64) *lens {
	l := &lens{part: p, at: map[string][]int{}, alt: map[string][]int{}, weight: make([]float64, len(p.terms)), credit: make([]float64, len(p.terms)), around: make([]bool, len(p.terms))}
	for i, t := range p.terms {
		l.at[t.stem] = append(l.at[t.stem], i)
		for _, k := range t.alts {
			l.alt[k] = append(l.alt[k], i)
		}
		l.weight[i] = w[t.stem]
		if t.own {
			l.weight[i] *= ownWeight
			l.own = true
		}
		l.total += l.weight[i]
	}
	return l
}

// headed says whether one of the terms has to be spoken of.
func (l *lens) headed() bool {
	for _, t := range l.terms {
		if t.head {
			return true
		}
	}
	return false
}

// self is the share of a part that a text has by itself. It leaves the credits for look.
func (l *lens) self(terms []string) float64 {
	clear(l.credit)
	for _, t := range terms {
		for _, i := range l.at[t] {
			l.credit[i] = 1
		}
		for _, i := range l.alt[t] {
			l.credit[i] = max(l.credit[i], kinCredit)
		}
	}
	if l.total == 0 {
		return 0
	}
	sum := 0.0
	for i, c := range l.credit { // in the order of the question: the same sums always
		sum += c * l.weight[i]
	}
	return sum / l.total
}

// look matches a text by its terms, by those above and next to it, and by what its page is about.
func (l *lens) look(terms []string, above map[string]float64, near [][]string, page map[string]int) match {
	m := match{self: l.self(terms), own: !l.own, head: !l.headed(), name: !l.named}
	around := l.around
	clear(around)
	for _, terms := range near {
		for _, t := range terms {
			for _, i := range l.at[t] {
				around[i] = true
			}
		}
	}
	for i, t := range l.terms {
		c := l.credit[i]
		m.head = m.head || t.head && (c > 0 || above[t.stem] > 0)
		m.fits = m.fits || t.own && c > 0
		if above[t.stem] > 0 {
			c = max(c, above[t.stem])
		} else if around[i] || t.by && page[t.stem] > 0 && page[pageSize] <= smallPage {
			c = max(c, nearCredit)
		}
		if l.kinAbove(i, above) {
			c = max(c, kinCredit)
		}
		l.credit[i] = c
		m.coverage += c * l.weight[i]
		if c < nearCredit || c == nearCredit && !t.by {
			m.unmet++
		}
		m.astray = m.astray || t.name && c < aboveCredit
		m.last = c >= aboveCredit
		m.own = m.own || m.fits || t.own && above[t.stem] > 0
		m.name = m.name || t.name && c > 0
	}
	if l.total > 0 {
		m.coverage /= l.total
	}
	m.topic = l.onTopic(above, page)
	return m
}

// share is how much of what the part asks a title and headings hold, those whose credit is not under least, 0…1: what stands under all of it need not say it
// again.
func (l *lens) share(above map[string]float64, least float64) float64 {
	if len(l.terms) < 2 || l.total == 0 {
		return 0
	}
	sum, all := 0.0, true
	for i, t := range l.terms {
		if above[t.stem] >= least || l.kinAbove(i, above) {
			sum += l.weight[i]
		} else {
			all = false
		}
	}
	if all {
		return 1
	}
	return min(sum/l.total, 0.99)
}

// kinAbove says whether the head of a column has a word that answers use for a term.
func (l *lens) kinAbove(i int, above map[string]float64) bool {
	for _, k := range l.terms[i].alts {
		if above[k] == headCredit {
			return true
		}
	}
	return false
}

// onTopic says whether more than half of what the part is about has been met.
func (l *lens) onTopic(above map[string]float64, page map[string]int) bool {
	met := 0
	for _, t := range l.topic {
		ok := above[t] > 0 || float64(page[t]) > often*float64(page[pageSize])
		for _, i := range l.at[t] {
			ok = ok || l.credit[i] >= nearCredit
		}
		if ok {
			met++
		}
	}
	return 2*met > len(l.topic) || len(l.topic) == 0
}

// termWeights mixes an even weight with the rarity of a term, for the terms of all parts.
func termWeights(parts []part, n int, df func(string) int) map[string]float64 {
	weights := map[string]float64{}
	for _, p := range parts {
		for _, t := range p.terms {
			if _, ok := weights[t.stem]; !ok {
				weights[t.stem] = evenWeight + (1-evenWeight)*idf(df(t.stem), n)/idf(0, n)
			}
		}
	}
	return weights
}
