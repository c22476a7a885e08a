package index

import (
	"slices"
	"strings"
)

// sameRatio is how similar two queries have to be to count as one (TOOLS-12), by the length of what they share.
const sameRatio = 0.85

// minSimilar is the number of content words from which one more may go for the same query.
const minSimilar = 6

// SameQuery reports whether two searches would bring the same answers: the same content words in any order, or nearly
// so (TOOLS-12). Similar words are not enough where the difference carries the question. Queries are different when
// they differ in a number, year, version or single letter, in a negation, in what is asked (who, when, why), in a name,
// in a word that replaces another (benefits, risks), or in which of two things does something to the other. In doubt
// they are different: one more search costs less than an answer to another question.
func SameQuery(a, b string) bool {
	x, y := readQuestion(a), readQuestion(b)
	if len(x.stems) == 0 || len(y.stems) == 0 {
		return strings.EqualFold(strings.Join(strings.Fields(fold(a)), " "), strings.Join(strings.Fields(fold(b)), " "))
	}
	if x.negated != y.negated || x.asks != "" && y.asks != "" && x.asks != y.asks {
		return false
	}
	return x.covers(y) && !x.turned(y)
}

// question is a query as SameQuery sees it.
type question struct {
	stems   []string           // content words, in order
	exact   map[string]bool    // stems that may not be missing on the other side: numbers, versions, names
	roles   map[string]string  // stem → the preposition whose words it is among
	subject map[string]bool    // content words before the verb that has a direction; nil without one
	object  map[string]bool    // and behind it
	joined  map[[2]string]bool // names that follow each other with nothing between, and words with a hyphen between
	order   []string           // content words with fillers, and where a preposition or a conjunction parted them, ""
	verbs   map[string]bool    // words of order that may be a verb with a subject before and an object behind
	denied  string             // first content word behind a negation
	hanging string             // role of a preposition with nothing behind it: what is it made from
	whole   side               // of the directed verb, where a question leaves no doubt
	negated bool
	asks    string // who, when, where, why, how, how many …; empty where any answer will do
}

// A side is the one word group that a question with a directed verb names: "what causes X" its object, "what does X
// cause" its subject.
type side struct {
	verb  string
	agent bool
	words map[string]bool
}

// Words that turn a query round, also those of the languages that many queries are in.
var negations = wordSet(`not no never without cannot neither nor none nobody nothing except excluding lacking minus non
	nicht kein keine keinen keiner ohne nie niemals pas sans jamais aucun aucune sin ningun ninguna nunca senza nessun nessuna
	geen niet zonder inte utan ikke ingen uden uten nao sem nie bez не без нет никогда`)

// Interrogatives that ask for different things. What and which ask for anything.
var asking = wordSet("who whose when where why how")

// Words behind how that make it ask for an amount.
var amounts = wordSet("many much long often far old big large fast high deep")

// Prepositions that give the words behind them a role. An empty role ends the one before.
var roles = map[string]string{
	"from": "from", "to": "to", "into": "to", "onto": "to", "towards": "to", "toward": "to", "by": "by", "against": "against",
	"than": "than", "before": "before", "after": "after", "over": "over", "under": "under", "on": "on", "upon": "on",
	"von": "from", "aus": "from", "nach": "to", "gegen": "against", "vor": "before", "depuis": "from", "vers": "to", "desde": "from", "hacia": "to",
	"of": "of", "in": "in", "at": "in", "for": "for", "with": "with",
	"without": "", "as": "", "via": "", "and": "", "or": "",
}

// opposed holds the roles whose exchange turns the meaning round.
var opposed = wordSet("from to by against than before after over under on of in for with")

// loose holds those of them that may stand for each other: the weather of, in and for a place.
var loose = wordSet("of in for with")

// Verbs whose two sides cannot be exchanged, as stems of their forms.
var directed = stemSet(`cause lead affect influence increase reduce lower raise prevent beat defeat replace acquire buy sell own sue
	invade attack attacked support fund finance kill eat cite precede follow inherit import export convert migrate translate call wrap
	depend outperform exceed trigger inhibit treat cure damage protect owe pay lend teach lose win control block overtake use contain`)

// Words that may come or go: they ask for no other answer.
var filler = stemSet(`guide overview introduction intro explained explanation explain information info details detail article articles
	summary summarise summarize please find search look show tell give list need want know learn understand describe discuss
	regarding concerning topic web online page pages site really actually exactly`)

func stemSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[stem(w)] = true
	}
	return set
}

func set(words []string) map[string]bool {
	s := map[string]bool{}
	for _, w := range words {
		s[w] = true
	}
	return s
}

// covers reports whether two queries hold the same content words, or one of them a little more.
func (q question) covers(o question) bool {
	mine, theirs := missing(q, o), missing(o, q)
	if len(mine) > 0 && len(theirs) > 0 {
		return false // a word stands for another one
	}
	more, extra := q, mine
	if len(theirs) > 0 {
		more, extra = o, theirs
	}
	switch {
	case len(extra) == 0:
		return true
	case len(extra) > 1 || len(more.stems) < minSimilar || more.exact[extra[0]]:
		return false // in a short query each word narrows, and two always do
	}
	size := 0
	for _, s := range more.stems {
		size += len(s)
	}
	return 2*float64(size-len(extra[0]))/float64(2*size-len(extra[0])) >= sameRatio
}

// missing returns the content words of q that o lacks, once each, in order.
func missing(q, o question) (out []string) {
	have := set(o.stems)
	for _, s := range q.stems {
		if !have[s] {
			out, have[s] = append(out, s), true
		}
	}
	return out
}

// turned reports whether the same words stand in other parts: from Norway to Estonia, and back.
func (q question) turned(o question) bool {
	for role := range opposed { // any one suffices: the order does not matter
		mine, theirs := q.under(role), o.under(role)
		if len(mine) > 0 && len(theirs) > 0 && !overlap(mine, theirs) {
			return true
		}
	}
	for s, role := range q.roles {
		if other := o.roles[s]; other != "" && other != role && !(loose[role] && loose[other]) {
			return true
		}
	}
	for pair := range q.joined {
		if back := [2]string{pair[1], pair[0]}; o.joined[back] && !q.joined[back] && !o.joined[pair] {
			return true
		}
	}
	switch {
	case q.denied != "" && o.denied != "" && q.denied != o.denied:
		return true
	case q.hanging != "" && len(o.under(q.hanging)) > 0, o.hanging != "" && len(q.under(o.hanging)) > 0:
		return true
	case q.whole.verb != "" && q.whole.verb == o.whole.verb && q.whole.agent != o.whole.agent && overlap(q.whole.words, o.whole.words):
		return true
	case q.exchanged(o):
		return true
	}
	return overlap(less(q.subject, q.object), less(o.object, o.subject)) && overlap(less(q.object, q.subject), less(o.subject, o.object))
}

// exchanged reports whether one query is the other with the two sides of one word exchanged, and that word may be a verb:
// dog bites man. With a preposition or a conjunction between them the words have their parts from that.
func (q question) exchanged(o question) bool {
	n := len(q.order)
	// A year does nothing, and nothing is done to it.
	none := func(w string) bool { return w == "" || identifies(w) }
	if n < 3 || n != len(o.order) || slices.ContainsFunc(q.order, none) || slices.ContainsFunc(o.order, none) {
		return false
	}
	for i := 1; i < n-1; i++ {
		verb, j := q.order[i], n-1-i
		if q.verbs[verb] && o.verbs[verb] && o.order[j] == verb && !slices.Equal(q.order, o.order) &&
			slices.Equal(q.order[:i], o.order[j+1:]) && slices.Equal(q.order[i+1:], o.order[:j]) {
			return true
		}
	}
	return false
}

// under returns the words that stand behind a preposition.
func (q question) under(role string) map[string]bool {
	words := map[string]bool{}
	for s, r := range q.roles {
		if r == role {
			words[s] = true
		}
	}
	return words
}

func less(a, b map[string]bool) map[string]bool {
	out := map[string]bool{}
	for s := range a {
		if !b[s] {
			out[s] = true
		}
	}
	return out
}

func overlap(a, b map[string]bool) bool {
	for s := range a {
		if b[s] {
			return true
		}
	}
	return false
}
