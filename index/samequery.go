package index

import (
	"slices"
	"strings"
	"unicode"
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
	joined  map[[2]string]bool // names that follow each other with nothing between
	negated bool
	asks    string // who, when, where, why, how, how many …; empty where any answer will do
}

// Words that turn a query round.
var negations = wordSet("not no never without cannot neither nor none nobody nothing except excluding lacking minus non")

// Interrogatives that ask for different things. What and which ask for anything.
var asking = wordSet("who whose when where why how")

// Words behind how that make it ask for an amount.
var amounts = wordSet("many much long often far old big large fast high deep")

// Prepositions that give the words behind them a role. An empty role ends the one before: "of" and "for" may stand with
// any word.
var roles = map[string]string{
	"from": "from", "to": "to", "into": "to", "onto": "to", "towards": "to", "toward": "to", "by": "by", "against": "against",
	"than": "than", "before": "before", "after": "after", "over": "over", "under": "under",
	"of": "", "in": "", "at": "", "on": "", "for": "", "with": "", "without": "", "as": "", "via": "", "and": "", "or": "",
}

// opposed holds the roles whose exchange turns the meaning round.
var opposed = wordSet("from to by against than before after over under")

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

// readQuestion takes a query apart.
func readQuestion(text string) question {
	if len(text) > maxQueryBytes {
		text = strings.ToValidUTF8(text[:maxQueryBytes], "")
	}
	text = fold(text)
	r := reader{capitals: capitalised(text), adjacent: true}
	r.q = question{exact: map[string]bool{}, roles: map[string]string{}, joined: map[[2]string]bool{}}
	words(contracted.Replace(text), func(w []byte, kind wordKind) {
		if kind == whole && len(r.q.stems) < maxQueryTerms {
			r.word(string(w))
		}
	})
	if r.passive {
		r.q.subject, r.q.object = r.q.object, r.q.subject
	}
	if content := slices.DeleteFunc(slices.Clone(r.q.stems), func(s string) bool { return filler[s] }); len(content) > 0 {
		r.q.stems = content
	}
	return r.q
}

// contracted spells negations out; the tokeniser drops the ends of contractions.
var contracted = strings.NewReplacer("can't", "can not", "won't", "will not", "Can't", "can not", "Won't", "will not", "n't", " not")

// reader reads a query word by word.
type reader struct {
	q        question
	capitals map[string]bool
	n        int    // words read
	role     string // of the words that follow
	last     string // word
	lastName string // stem of the last content word, if it is a name
	adjacent bool   // nothing stands between the last content word and here
	passive  bool   // "cut by waves" is "waves cut"
}

func (r *reader) word(w string) {
	q, root := &r.q, stem(w)
	switch {
	case asking[w] && q.asks == "":
		q.asks = w
	case q.asks == "how" && r.last == "how" && amounts[w]:
		q.asks = "how " + w
	}
	if role, ok := roles[w]; ok && r.last != "how" {
		r.role = role
	}
	if w == "by" && q.subject != nil && len(q.object) == 0 {
		r.passive = true
	}
	first := r.n == 0
	r.n++
	r.last = w
	if negations[w] {
		q.negated = !q.negated
	}
	if stopWords[w] || negations[w] || w == "vs" || w == "versus" || w == "minus" {
		r.adjacent = false
		return
	}
	r.content(w, root, first)
	r.adjacent = true
}

// content reads a content word.
func (r *reader) content(w, root string, first bool) {
	q := &r.q
	switch {
	case directed[root] && r.role == "to": // to migrate, to import
		r.role = ""
	case opposed[r.role] && r.role != w && !identifies(w):
		q.roles[root] = r.role
	}
	switch {
	case directed[root] && q.subject == nil && len(q.stems) > 0:
		q.subject, q.object = set(q.stems), map[string]bool{}
	case q.object != nil:
		q.object[root] = true
	}
	if identifies(w) || r.capitals[w] && !first {
		q.exact[root] = true
	}
	name := ""
	if r.capitals[w] {
		name = root
		if r.adjacent && r.lastName != "" && r.lastName != name {
			q.joined[[2]string{r.lastName, name}] = true
		}
	}
	r.lastName = name
	q.stems = append(q.stems, root)
}

// capitalised returns the words that begin with a capital letter, lower case. A query in capitals or in title case
// throughout names nothing.
func capitalised(text string) map[string]bool {
	found, all := map[string]bool{}, 0
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		r := []rune(w)[0]
		lower := strings.ToLower(w)
		if stopWords[lower] {
			continue
		}
		all++
		if unicode.IsUpper(r) {
			found[lower] = true
		}
	}
	if len(found) == all {
		return nil
	}
	return found
}

// identifies reports whether a word picks one out of a series: a number, a version, a numeral, a single letter.
func identifies(word string) bool {
	if strings.ContainsFunc(word, unicode.IsNumber) || strings.ContainsAny(word, "+#") || len(word) == 1 {
		return true
	}
	return series[word]
}

var series = wordSet(`ii iii iv vi vii viii ix xi xii zero one two three four five six seven eight nine ten first second third fourth
	fifth january february march april june july august september october november december monday tuesday wednesday thursday friday
	saturday sunday spring summer autumn winter latest newest oldest current previous next`)

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
		if other := o.roles[s]; other != "" && other != role {
			return true
		}
	}
	for pair := range q.joined {
		if back := [2]string{pair[1], pair[0]}; o.joined[back] && !q.joined[back] && !o.joined[pair] {
			return true
		}
	}
	return overlap(less(q.subject, q.object), less(o.object, o.subject)) && overlap(less(q.object, q.subject), less(o.subject, o.object))
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
