package extractive

import (
	"fmt"
	"slices"
	"strings"
)

// Weights of the reading frontier.
const (
	seenHost    = 0.7  // of a page on a host that was read already: independent sources first
	rankPrior   = 3    // that a search put a page first, as a share of its gain: it has read all of the page
	faith       = 0.02 // in a page that shares no word with the question and was found all the same
	hubLink     = 0.9  // of a link on a page that is a list of links
	pageLink    = 0.7  // of a link in running text
	covered     = 0.6  // what is left of a term's weight once a chosen page has it
	mirrorLimit = 0.8  // similarity from which two results are one text
	titleBonus  = 0.15
	echo        = 0.45 // of a page whose best passage only says the question or its title again
	linkFloor   = 0.25 // share of a sub-question that a link has to name
)

// A candidate is a page that could be read.
type candidate struct {
	url, host string
	text      string // title and snippet, or the words of the link
	terms     map[string]bool
	title     map[string]bool
	prior     float64
	weight    float64
	hop       bool
	on        []bool   // by part: it names what the part is about
	promise   float64  // best share of a sub-question that its text covers
	matched   []string // words of the question that it names, as asked
	answers   string   // id of the sub-question it promises most for
}

// frontier lists the pages that are known and not tried, best first, for at most limit picks.
func (n *notes) frontier(r *reader, parts []part, limit int) []candidate {
	all := n.candidates(r)
	weights := termWeights(parts, len(all), func(t string) int {
		df := 0
		for i := range all {
			if all[i].terms[t] {
				df++
			}
		}
		return df
	})
	hosts := map[string]bool{}
	for _, p := range n.pages {
		hosts[hostOf(p.URL)] = true
	}
	var known []string // texts of what was read or chosen, against mirrors
	for _, h := range n.hits {
		if n.tried[urlKey(h.URL)] {
			known = append(known, h.Title+" "+h.Snippet)
		}
	}
	value := make([]map[string]float64, len(parts)) // what each sub-question still wants
	for i, p := range parts {
		value[i] = map[string]float64{}
		for _, t := range p.terms {
			value[i][t.stem] = weights[t.stem]
			if p.Findings > 0 {
				value[i][t.stem] *= covered
			}
		}
	}
	lenses := make([]*lens, len(parts))
	for i, p := range parts {
		lenses[i] = newLens(p, weights)
	}
	for i := range all {
		all[i].judge(lenses, r.terms(all[i].text+" "+pathWords(all[i].url)))
	}
	var picks []candidate
	for len(picks) < limit && len(all) > 0 {
		best, bestGain := -1, 0.0
		for i, c := range all {
			if g := c.gain(parts, value, hosts); g > bestGain {
				best, bestGain = i, g
			}
		}
		if best < 0 {
			break
		}
		c := all[best]
		all = slices.Delete(all, best, best+1)
		if mirrored(c.text, known) {
			continue
		}
		known = append(known, c.text)
		hosts[c.host] = true
		for i := range value {
			for t := range value[i] {
				if c.terms[t] {
					value[i][t] *= covered
				}
			}
		}
		picks = append(picks, c)
	}
	return picks
}

// candidates gathers search hits and links, each address once.
func (n *notes) candidates(r *reader) []candidate {
	var all []candidate
	at := map[string]int{}
	for _, h := range n.hits {
		key := urlKey(h.URL)
		if n.tried[key] || !readable(h.URL) {
			continue
		}
		prior := 1 / float64(1+h.rank)
		if i, ok := at[key]; ok { // found by two searches
			all[i].prior = max(all[i].prior, prior)
			all[i].text += " " + h.Snippet
			for t := range r.set(h.Snippet) {
				all[i].terms[t] = true
			}
			if !n.echoes(h.hit) {
				all[i].weight = 1
			}
			continue
		}
		at[key] = len(all)
		text := h.Title + " " + h.Snippet
		c := candidate{url: h.URL, host: hostOf(h.URL), text: text, terms: r.set(text + " " + pathWords(h.URL)), title: r.set(h.Title), prior: prior, weight: 1}
		if n.echoes(h.hit) {
			c.weight = echo
		}
		all = append(all, c)
	}
	for _, p := range n.pages {
		weight := pageLink
		if hub(p) || len(p.Text) <= 2 {
			weight = hubLink
		}
		for _, l := range p.Links {
			key := urlKey(l.URL)
			if _, ok := at[key]; ok || n.tried[key] || !readable(l.URL) || injected(l.Text) {
				continue
			}
			at[key] = len(all)
			all = append(all, candidate{url: l.URL, host: hostOf(l.URL), text: l.Text, terms: r.set(l.Text + " " + pathWords(l.URL)), title: r.set(l.Text), weight: weight, hop: true})
		}
	}
	return all
}

// judge finds the sub-question that a candidate's text covers best, and marks down what is not about it or says nothing.
func (c *candidate) judge(lenses []*lens, list []string) {
	c.on = make([]bool, len(lenses))
	for i, l := range lenses {
		m := l.look(list, nil, nil, nil)
		share := m.self
		if c.on[i] = m.topic; !m.topic {
			share *= offTopic
		}
		if share > c.promise {
			c.promise, c.answers, c.matched = share, l.ID, nil
			for j, t := range l.terms {
				if l.credit[j] == 1 {
					c.matched = append(c.matched, t.word)
				}
			}
		}
	}
	if c.hop && c.promise < linkFloor {
		c.promise, c.weight = 0, 0
	}
}

// gain is what reading a candidate adds: the best share of what one sub-question still wants, a little for the others,
// and what the search engine thinks of it.
func (c *candidate) gain(parts []part, value []map[string]float64, hosts map[string]bool) float64 {
	best, sum := 0.0, 0.0
	for i, p := range parts {
		got, all := 0.0, 0.0
		for _, t := range p.terms {
			all++
			if !c.terms[t.stem] {
				continue
			}
			got += value[i][t.stem]
			if c.title[t.stem] {
				got += titleBonus * value[i][t.stem]
			}
		}
		if !c.on[i] {
			got *= offTopic
		}
		if all > 0 {
			best = max(best, got/all)
			sum += got / all
		}
	}
	gain := (best+0.3*(sum-best)/float64(max(1, len(parts)-1)))*(1+rankPrior*c.prior) + faith*c.prior
	if hosts[c.host] && c.host != "" {
		gain *= seenHost
	}
	return gain * c.weight
}

// echoes says whether a search found nothing better in a page than its title, a heading, or the question itself.
func (n *notes) echoes(h hit) bool {
	s := shingles(h.Snippet)
	if len(s) == 0 {
		return false
	}
	text := strings.TrimSpace(h.Snippet)
	return strings.HasSuffix(text, "?") || ascii(text) && !hasVerb(text, n.question) || within(s, shingles(h.Title)) > sameShare || jaccard(s, shingles(n.question)) > sameText
}

// reason says in a sentence why pages are read, from what is known of them.
func reason(picks []candidate) string {
	var why []string
	for _, c := range picks {
		how := "found by search"
		if c.hop {
			how = "linked from a page that was read"
		}
		if len(c.matched) > 0 {
			how += ", names " + strings.Join(c.matched[:min(4, len(c.matched))], ", ")
		}
		if c.answers != "" {
			how += " (" + c.answers + ")"
		}
		why = append(why, fmt.Sprintf("%s: %s", orElse(c.host, "a file"), how))
	}
	return strings.Join(why, "; ")
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// mirrored says whether a text is nearly one of those known.
func mirrored(text string, known []string) bool {
	if len(split(text)) < 6 {
		return false
	}
	a := shingles(text)
	for _, k := range known {
		if jaccard(a, shingles(k)) >= mirrorLimit {
			return true
		}
	}
	return false
}
