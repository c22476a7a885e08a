package index

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// readQuestion takes a query apart.
func readQuestion(text string) question {
	if len(text) > maxQueryBytes {
		text = strings.ToValidUTF8(text[:maxQueryBytes], "")
	}
	text = fold(text)
	r := reader{capitals: capitalised(text), names: acronyms(text), adjacent: true}
	r.q = question{exact: map[string]bool{}, roles: map[string]string{}, joined: hyphenated(text), verbs: map[string]bool{}}
	words(excluded.ReplaceAllString(contracted.Replace(text), "${1}minus $2"), func(w []byte, kind wordKind) {
		if kind <= capital && len(r.q.stems) < maxQueryTerms {
			r.word(string(w))
		}
	})
	r.q.whole = r.side()
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

// excluded is a number below zero, or a word that is not wanted, as search engines take it.
var excluded = regexp.MustCompile(`(^|[\s(])[-−–]([\pL\pN])`)

// hyphenated returns the pairs of words that a hyphen joins: a French-English dictionary is no English-French one.
func hyphenated(text string) map[[2]string]bool {
	pairs := map[[2]string]bool{}
	for _, m := range hyphen.FindAllStringSubmatch(text, maxQueryTerms) {
		pairs[[2]string{stem(strings.ToLower(m[1])), stem(strings.ToLower(m[2]))}] = true
	}
	return pairs
}

var hyphen = regexp.MustCompile(`(\pL+)[-‐‑–](\pL+)`)

// acronyms returns the words in capitals, lower case, in a text that is not in capitals throughout: US, WHO and IT are no
// pronouns. AND, OR and NOT are operators.
func acronyms(text string) map[string]bool {
	if strings.ToUpper(text) == text {
		return nil
	}
	found := map[string]bool{}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(w) > 1 && w == strings.ToUpper(w) && w != "AND" && w != "OR" && w != "NOT" {
			found[strings.ToLower(w)] = true
		}
	}
	return found
}

// reader reads a query word by word.
type reader struct {
	q        question
	names    map[string]bool // words that are content whatever else they may be
	does     bool            // an auxiliary that puts the verb behind its subject was read
	direct   bool            // the directed verb is the first word behind what or which
	verb     string          // the directed verb
	capitals map[string]bool
	n        int    // words read
	role     string // of the words that follow
	last     string // word
	lastName string // stem of the last content word, if it is a name
	adjacent bool   // nothing stands between the last content word and here
	passive  bool   // "cut by waves" is "waves cut"
	denies   bool   // a negation waits for its word
}

func (r *reader) word(w string) {
	q, root := &r.q, stem(w)
	first, before := r.n == 0, r.last
	r.n++
	r.last = w
	if r.names[w] {
		r.content(w, root, first, before)
		r.adjacent = true
		return
	}
	switch {
	case asking[w] && q.asks == "":
		q.asks = w
	case q.asks == "how" && before == "how" && amounts[w]:
		q.asks = "how " + w
	}
	r.does = r.does || w == "do" || w == "does" || w == "did"
	if role, ok := roles[w]; ok && before != "how" {
		r.role, q.hanging = role, role
		q.order = append(q.order, "")
	}
	if w == "by" && q.subject != nil && len(q.object) == 0 {
		r.passive = true
	}
	if negations[w] {
		q.negated = !q.negated
		r.denies = q.denied == "" && !(r.n == 2 && stopWords[before]) // doesn't it: the subject comes first
	}
	// A pronoun in a query is rare, and a country is not.
	if stopWords[w] && w != "us" || negations[w] || w == "vs" || w == "versus" || w == "minus" {
		r.adjacent = false
		return
	}
	r.content(w, root, first, before)
	r.adjacent = true
}

// content reads a content word.
func (r *reader) content(w, root string, first bool, before string) {
	q := &r.q
	q.hanging = ""
	if r.denies {
		q.denied, r.denies = root, false
	}
	switch {
	case directed[root] && r.role == "to": // to migrate, to import
		r.role = ""
	case opposed[r.role] && r.role != w && !identifies(w):
		q.roles[root] = r.role
	}
	switch {
	case directed[root] && q.subject == nil && len(q.stems) > 0:
		q.subject, q.object, r.verb = set(q.stems), map[string]bool{}, root
	case directed[root] && r.verb == "" && (before == "what" || before == "which"):
		r.verb, r.direct = root, true
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
	q.order = append(q.order, root)
	if strings.HasSuffix(w, "s") || strings.HasSuffix(w, "ed") {
		q.verbs[root] = true
	}
}

// side reads which side of its verb a question names alone.
func (r *reader) side() side {
	q := &r.q
	switch {
	case r.direct:
		return side{r.verb, false, less(set(q.stems), set([]string{r.verb}))}
	case r.does && r.verb != "" && len(q.object) == 0 && !r.passive:
		return side{r.verb, true, q.subject}
	}
	return side{}
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
