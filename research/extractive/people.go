package extractive

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/internal/lazyregexp"
)

// hopTerms is the number of terms up to which a question is for one fact.
const hopTerms = 5

// roleNear is how many words may stand between a name and what it is, where no verb of being does.
const roleNear = 4

// doerNear is how many words may stand between who did something and the word for what was done.
const doerNear = 9

// doer says how far a sentence says who did or is what a part asks for, 0…1: a name or people that the question does not
// have stand in front of the word for it, or behind it where that is told of them: "built by the engineer Lund", "the
// treasurer is Arkwright". A name somewhere else in the sentence is somebody's, and no answer.
func (p part) doer(e *sentence) float64 {
	s := e.flat()
	switch {
	case e.role == "row":
		return yes(p.newName(s))
	case len(p.terms) > hopTerms: // it asks by way of somebody or something else, which a sentence may be about
		return max(yes(p.newName(s)), 0.5*yes(people.MatchString(without(s, p.Question))))
	}
	ws := split(s)
	best := 0.0
	for i, w := range ws {
		if !p.heads(w) || w.start > 0 && s[w.start-1] == '-' { // hand-written
			continue
		}
		for j := max(0, i-doerNear); j < min(len(ws), i+doerNear+1); j++ {
			if j == i {
				continue
			}
			far := p.somebody(s, ws, j)
			if far <= best {
				continue
			}
			if j < i && clauseEnds(s, ws, j, i) || j > i && !told(s, ws, i, j) {
				continue
			}
			if j < i && !agents[before(ws, j, 1)] && (phrased(s, ws, j, objects) || !p.passive && undergone(ws, i)) {
				continue
			}
			if j < i && p.passive && i-j > roleNear && !isBetween(ws[j:i]) { // somebody, of whom something else is said
				continue
			}
			best = far
		}
	}
	return best
}

// heads says whether a word is that for what was done, or for what somebody is.
func (p part) heads(w word) bool {
	stem := p.reader.term(w.text)
	if strings.HasSuffix(strings.ToLower(w.text), "ion") && !p.passive { // validation is no word for who validated
		return false
	}
	return stem != "" && slices.ContainsFunc(p.terms, func(t term) bool {
		return (t.head || len(p.terms) == 1) && (t.stem == stem || slices.Contains(t.alts, stem))
	})
}

// somebody says whether the word at a place begins a name that the question does not have, 1, or is a word for people, 0.5.
func (p part) somebody(s string, ws []word, i int) float64 {
	w := ws[i].text
	lower := strings.ToLower(w)
	if p.words[lower] || stopWords[lower] || p.reader.lang.stop[lower] {
		return 0
	}
	if people.MatchString(w) {
		return 0.5 * yes(!objects[before(ws, i, 1)] && !verbs[before(ws, i, 1)])
	}
	first, _ := utf8.DecodeRuneInString(w)
	if !unicode.IsUpper(first) || len(w) < 2 || digit.MatchString(w) || dated.MatchString(w) || i+1 < len(ws) && digit.MatchString(ws[i+1].text) && near(s, ws[i], ws[i+1]) {
		return 0
	}
	opens := i == 0 || strings.ContainsAny(s[ws[i-1].end:ws[i].start], ".!?:\n|")
	if opens || p.capitals { // any word has a capital there
		next := i+1 < len(ws) && near(s, ws[i], ws[i+1])
		if next {
			c, _ := utf8.DecodeRuneInString(ws[i+1].text)
			next = unicode.IsUpper(c) && !p.words[strings.ToLower(ws[i+1].text)]
		}
		known := opens && !p.capitals && !next && !describes(w) && !verbs[lower] && i+1 < len(ws) && strings.ToLower(ws[i+1].text) == ws[i+1].text && len(w) > 3 && s[ws[i].end:ws[i+1].start] == " "
		return max(yes(next), 0.5*yes(known))
	}
	return 1
}

// Words in front of names: of those who did what was done, and of others.
var (
	agents  = set("by von vom durch por par da dal")
	located = set("on in at auf en à sur")
	objects = set("for to of with from in on at into against than über für zu mit aus auf in im para con en a pour avec dans à sur")
)

// before is the word some places before another, in lower case.
func before(ws []word, i, back int) string {
	if i < back {
		return ""
	}
	return strings.ToLower(ws[i-back].text)
}

// phrased says whether a name stands in a phrase behind one of some prepositions: on the island Torsoe.
func phrased(s string, ws []word, i int, in map[string]bool) bool {
	for back := 1; back <= 4 && i >= back; back++ {
		w := before(ws, i, back)
		if strings.ContainsAny(s[ws[i-back].end:ws[i-back+1].start], ",:()") || digit.MatchString(w) || copulas[w] || verbs[w] {
			return false
		}
		if in[w] {
			return true
		}
	}
	return false
}

// elsewhere says whether a sentence is about a place or a thing of another name than the part's: it has none of the
// part's names, and has one behind a preposition that neither the question nor what it stands under has.
func (p part) elsewhere(e *sentence) bool {
	if !p.named || len(p.terms) > hopTerms || p.capitals || e.role == "row" || p.ask != askCount && p.ask != askWhen && p.ask != askYes && p.ask != askWhy && p.ask != askWho {
		return false
	}
	for _, t := range p.terms {
		if t.name && slices.Contains(e.terms, t.stem) {
			return false
		}
	}
	ws := split(e.flat())
	for i, w := range ws {
		first, _ := utf8.DecodeRuneInString(w.text)
		if i == 0 || !unicode.IsUpper(first) || strings.ContainsAny(e.flat()[ws[i-1].end:w.start], ".!?:") || dated.MatchString(w.text) || p.words[strings.ToLower(w.text)] {
			continue
		}
		if e.above[p.reader.term(w.text)] == 0 && phrased(e.flat(), ws, i, located) {
			return true
		}
	}
	return false
}

// undergone says whether a verb says of what stands before it that it was done to that.
func undergone(ws []word, i int) bool {
	for back := 1; back <= 3; back++ {
		if suffered[before(ws, i, back)] {
			return true
		}
	}
	return false
}

var suffered = set("was were been being is are wurde wurden worden wird werden fue fueron sido es son ser était est sont été stato stata foi")

// clauseEnds says whether a sentence ends between two words.
func clauseEnds(s string, ws []word, i, j int) bool {
	return strings.ContainsAny(s[ws[i].end:ws[j].start], ".!?;") && !initials.MatchString(s[ws[i].start:ws[j].start])
}

var initials = lazyregexp.New(`\b(?:\p{Lu}|Dr|Mr|Mrs|Ms|St|Prof|Jr|Sr)\.`)

// told says whether what stands behind a word is said to be who: by somebody, or somebody who is it, or an apposition.
func told(s string, ws []word, i, j int) bool {
	between := strings.ToLower(s[ws[i].end:ws[j].start])
	if clauseEnds(s, ws, i, j) {
		return false
	}
	return j == i+1 && near(s, ws[i], ws[j]) || byWhom.MatchString(between)
}

var byWhom = lazyregexp.New(`\b(?:by|is|was|are|were|von|vom|durch|ist|war|por|es|fue|era|par|est|était|da|dal|è|remains|became|become|named|called)\b|^,? (?:the |an? |her |his )?$|^, |: ?$|^ (?:of|der|des|de|del|du|de la|de l['’]) `)

// isBetween says whether some words hold a verb of being, so that who stands before them has it said of them.
func isBetween(ws []word) bool { return has(ws, copulas) || has(ws, aux) }
