package extractive

import (
	"strings"

	"ibid/internal/lazyregexp"
)

var (
	makes      = lazyregexp.New(`(?i)^what (?:makes|made|keeps|renders|make) (.+?) (?:so |too |more |less |very )?(\w+)$`)
	support    = lazyregexp.New(`(?i)^(?:(?:why|how|how \w+|how (?:many|much) \w+|when|where|what|what \w+|which \w+|in what \w+) )?(?:do|does|did|can|could|should|would|will|may|might|must)(?:n't| not)? (.+)$`)
	being      = lazyregexp.New(`(?i)^(?:(?:what|who|where|when|why|how|which \w+|how \w+) )?(?:is|are|was|were) (.+)$`)
	definition = lazyregexp.New(`(?i)^(?:what|who) (?:is|are|was|were) `)
	verbal     = lazyregexp.New(`(?i)^(?:what|who|which(?: \w+)?) \w+(?:s|ed|d|t|e)? (.+)$`)
	adjective  = lazyregexp.New(`(?i)^\w+(?:ive|ful|ous|able|ible|less|ish|ical|onal|\w\wed)$|^(?:slow|slower|fast|faster|hard|harder|big|bigger|large|larger|small|smaller|high|higher|low|lower|safe|safer|cheap|cheaper|good|better|bad|worse|great|red|blue|green|hot|cold|rich|poor|strong|weak|easy|easier|likely|costly|risky|noisy|heavy|heavier|new|old|older|common|rare|popular|important|wrong|right|true|false|efficient|inefficient|different|frequent|consistent|resilient|urgent|transparent|accurate|complex|simple|difficult|late|early|loud|quiet|dark|light|long|short|necessary|legal|illegal|stable|unstable|fragile|toxic|acidic|salty|sticky|brittle|dense|dry|wet)$`)
	pronoun    = lazyregexp.New(`(?i)\b(it|they|them|its|their|theirs|he|she|him|his|this|that|these|those)\b`)
)

// topicOf is the noun phrase that a clause is about, for the pronouns of later clauses. Without a parser it goes by the
// shape of the usual questions, and falls back on the clause's content words.
func topicOf(s string) string {
	s = strings.Trim(oneLine(s), " ?.,")
	if m := makes.FindStringSubmatch(s); m != nil && adjective.MatchString(m[2]) {
		return m[1] + " being " + m[2]
	}
	if m := support.FindStringSubmatch(s); m != nil {
		return subject(m[1])
	}
	if m := being.FindStringSubmatch(s); m != nil {
		ws := strings.Fields(m[1])
		thing := definition.MatchString(s) // what something is: all of it is the thing
		for len(ws) > 1 && (!thing && adjective.MatchString(ws[len(ws)-1]) || ws[len(ws)-1] == "so" || boundary[strings.ToLower(ws[len(ws)-1])]) {
			ws = ws[:len(ws)-1]
		}
		return strings.Join(ws, " ")
	}
	if m := verbal.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return content(s)
}

// subject cuts a noun phrase before its verb: the word in front of the first determiner, preposition or adverb, or the
// last word.
func subject(s string) string {
	ws := strings.Fields(s)
	for i := 2; i < len(ws); i++ {
		w := strings.ToLower(ws[i])
		if w != "of" && boundary[w] || strings.HasSuffix(w, "ly") {
			return strings.Join(ws[:i-1], " ")
		}
	}
	if len(ws) > 1 {
		ws = ws[:len(ws)-1]
	}
	return strings.Join(ws, " ")
}

var boundary = set(`a an the this that these those my our your his her its their some any to from in on at by with for about
	into over under between against when if while because than as`)

// content joins the content words of a text as they are written.
func content(s string) string {
	var out []string
	for _, w := range split(s) {
		if !stopWords[strings.ToLower(w.text)] {
			out = append(out, w.text)
		}
	}
	return strings.Join(out, " ")
}

// resolve makes a later clause stand alone: pronouns give way to the topic, and a clause that says almost nothing by
// itself has the topic added.
func resolve(s, topic string) string {
	replaced := false
	ws := split(s)
	var b strings.Builder
	at := 0
	for i, w := range ws {
		if !pronoun.MatchString(w.text) || !refers(s, ws, i) {
			continue
		}
		b.WriteString(s[at:w.start])
		at = w.end
		switch strings.ToLower(w.text) {
		case "its", "their", "theirs", "his":
			b.WriteString(possessive(topic))
		default:
			b.WriteString(topic)
		}
		replaced = true
		break // one antecedent is enough to stand alone
	}
	b.WriteString(s[at:])
	if replaced {
		return b.String()
	}
	if len(strings.Fields(content(s))) <= 1 {
		return strings.TrimRight(s, " ?.,") + " for " + topic
	}
	return s
}

// refers says whether a pronoun stands for something: not the "it" of "is it possible", nor the "that" of "that page".
func refers(s string, ws []word, i int) bool {
	next := ""
	if i+1 < len(ws) {
		next = strings.ToLower(ws[i+1].text)
	}
	switch strings.ToLower(ws[i].text) {
	case "it":
		return !set("possible true better best necessary likely important")[next]
	case "this", "that", "these", "those":
		return next == "" || stopWords[next] && !boundary[next] || verbs[next]
	case "its", "their", "theirs", "his":
		return i > 0
	}
	return true
}

func possessive(s string) string {
	if strings.HasSuffix(s, "s") {
		return s + "'"
	}
	return s + "'s"
}
