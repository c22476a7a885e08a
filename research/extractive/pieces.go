package extractive

import (
	"slices"
	"strings"

	"ibid/internal/lazyregexp"
)

// A piece is a part of the question that wants an answer of its own.
type piece struct {
	words string // those of the question: the sub-question of the plan, and the heading of what answers it
	full  string // the same so that it stands alone: what is searched for, and what sentences are held against
}

// pieces splits a question. Nothing is asked that the question does not ask.
func pieces(q string) []piece {
	lang := languageOf(q)
	var all []piece
	first := ""
	for _, sentence := range sentencesOf(q) {
		for _, words := range lang.clausesOf(sentence) {
			full := words
			if first != "" {
				full = lang.resolve(words, first)
			} else {
				first = words
			}
			if list := distribute(full); len(list) > 1 {
				for i, p := range list {
					if all = append(all, piece{p, p}); i > 0 && alone.MatchString(words) && !past.MatchString(list[0]) {
						all[len(all)-1].words = words[strings.LastIndexByte(words, ' ')+1:] // and why
					}
				}
				continue
			}
			all = append(all, piece{words, full})
		}
	}
	var out []piece
	seen := map[string]bool{}
	for _, p := range all {
		p.words, p.full = asQuestion(p.words), asQuestion(p.full)
		if key := strings.ToLower(p.words); p.words != "" && !seen[key] && len(out) < maxParts {
			seen[key] = true
			out = append(out, p)
		}
	}
	if len(out) == 0 {
		out = append(out, piece{asQuestion(q), asQuestion(q)})
	}
	if whole := oneLine(q); len(out) == 1 && strings.EqualFold(bareOf(out[0].words), bareOf(whole)) {
		out[0].words = whole
	}
	return out
}

// alone is a question that ends in one word that asks once more.
var alone = lazyregexp.New(`(?i)\band (?:why|how|when|where)$`)

func bareOf(s string) string { return strings.Trim(s, " ?.!¿¡？。") }

// questions are the sub-questions of the plan.
func questions(q string) []string {
	var out []string
	for _, p := range pieces(q) {
		out = append(out, p.words)
	}
	return out
}

// whole is a sub-question of the plan so that it stands alone. One that is not of this question is left as it is.
func (n *notes) whole(list []piece, i int) string {
	if n.member && len(list) == len(n.plan) { // its task says in full what the plan asks in short
		return list[i].full
	}
	for _, p := range list {
		if p.words == n.plan[i].Question {
			return p.full
		}
	}
	return n.plan[i].Question
}

// clauses are the places in German, Spanish and French at which a new question begins behind a conjunction.
var clauses = map[*language]*lazyregexp.Regexp{
	english:      clause,
	german:       lazyregexp.New(`(?i)(?:,\s*|\s+)(?:und|sowie|oder|aber)\s+((?:(?:seit|bis|ab|von|für|mit|an|in|um|zu) )?(?:wie ?viele?n?|warum|wieso|weshalb|wann|wo|woher|wohin|wer|wen|wem|wessen|was|wie|wodurch|womit|welche[rsnm]?)(?:\s|$))`),
	spanishWords: lazyregexp.New(`(?i)(?:,\s*|\s+)(?:y|e|o|pero)\s+¿?((?:(?:desde|hasta|a|de|en|para|por|con) )?(?:por qué|qué|cuándo|cuánt[oa]s?|quién(?:es)?|dónde|adónde|cómo|cuál(?:es)?)(?:\s|$))`),
	frenchWords:  lazyregexp.New(`(?i)(?:,\s*|\s+)(?:et|ou|mais)\s+((?:(?:depuis|jusqu['’]à|à|de|en|pour|avec|par) ?)?(?:pourquoi|quand|où|comment|combien|qui|que|quel(?:le)?s?|qu['’]est-ce)(?:\s|$))`),
}

// clausesOf cuts a sentence where a new interrogative clause begins behind a conjunction.
func (l *language) clausesOf(s string) []string {
	re := clauses[l]
	if re == nil || twoAsks.MatchString(s) {
		return []string{s}
	}
	least := 1 // words of a clause
	if l == english {
		least = 2
	}
	var out []string
	for {
		at := re.FindStringSubmatchIndex(s)
		if at == nil || len(strings.Fields(s[:at[0]])) < 2 || len(strings.Fields(s[at[2]:])) < least || strings.Contains(strings.ToLower(s[:at[0]]), "between") {
			return append(out, s)
		}
		out = append(out, s[:at[0]])
		s = s[at[2]:]
	}
}

// standIns are pronouns for what an earlier clause speaks of.
var standIns = map[*language]map[string]bool{
	german:       set("er sie es ihn ihm ihr ihre ihren ihrem ihrer sein seine seinen seinem seiner dieser diese dieses"),
	spanishWords: set("él ella ello ellos ellas su sus"),
	frenchWords:  set("il elle ils elles son sa ses leur leurs lui celui-ci celle-ci"),
}

// resolve makes a later clause stand alone.
func (l *language) resolve(s, first string) string {
	if l == english {
		return resolve(s, topicOf(first))
	}
	rest := l.contentOf(s)
	if len(rest) == 0 { // and since when: it asks that of the whole of the first clause
		all := strings.Fields(strings.Trim(first, "¿ "))
		if len(all) > 1 {
			return s + " " + strings.Join(all[1:], " ")
		}
		return s
	}
	if (len(rest) > 1 || !bySubject[l.askOf(s)]) && !slices.ContainsFunc(split(strings.ReplaceAll(s, "-", " ")), func(w word) bool { return standIns[l][strings.ToLower(w.text)] }) {
		return s
	}
	topic := l.contentOf(first)
	if l == german {
		topic = slices.DeleteFunc(topic, func(w string) bool { return strings.ToLower(w) == w })
	} else if len(topic) > 1 {
		topic = topic[1:] // its verb
	}
	return s + " " + strings.Join(topic, " ")
}

// bySubject are the kinds of questions that leave their subject to the clause before where they say little else.
var bySubject = map[ask]bool{askWhen: true, askWhere: true, askHow: true, askWhy: true}

var since = set("seit desde hasta depuis jusqu'à jusqu’à")

// contentOf are the words of a question that carry a topic.
func (l *language) contentOf(s string) (out []string) {
	for _, w := range split(s) {
		if word := elided(w.text); !l.stop[strings.ToLower(word)] && !since[strings.ToLower(word)] {
			out = append(out, word)
		}
	}
	return out
}
