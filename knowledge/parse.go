package knowledge

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// parts are what a sentence says of what, in its own words.
type parts struct{ entity, relation, target string }

// parse tells the parts of a sentence apart: the subject before the first verb, the verb with what belongs to it, and what
// follows up to the next clause. It is not ok where it would have to guess.
func parse(s string, ws []token) (p parts, ok bool) {
	from := subject(ws)
	verb := findVerb(s, ws, from)
	if verb <= from {
		return p, false
	}
	to := verb // of the subject
	for i := from; i < verb; i++ {
		if ws[i].comma { // "Halden, a town in the north, has": what is said beside is no part of the name
			to = i + 1
			break
		}
	}
	first := ws[from]
	if to-from > maxEntity || vague[first.low] || first.low == "if" || relative[first.low] || prepositions[first.low] {
		return p, false
	}
	after := endOfVerb(s, ws, verb)
	if after >= len(ws) {
		return p, false
	}
	end := after + 1
	for end < len(ws) && end-after < maxTarget && !(ws[end-1].comma && clauseBegins(ws, end)) {
		end++
	}
	p = parts{s[ws[from].start:ws[to-1].end], s[ws[verb].start:ws[after-1].end], s[ws[after].start:ws[end-1].end]}
	return p, true
}

// clauseBegins reports whether a clause of its own begins at word i, behind a comma: ", which", ", said", ", and it".
func clauseBegins(ws []token, i int) bool {
	w := ws[i].low
	if relative[w] || w == "according" || w == "said" || w == "says" {
		return true
	}
	for k := i; k < len(ws) && k < i+6; k++ { // ", the agency said"
		if ws[k].low == "said" || ws[k].low == "says" || ws[k].low == "reported" {
			return true
		}
		if w == "and" && k > i && auxiliaries[ws[k].low] {
			return true
		}
	}
	return false
}

// subject is the word that the subject begins with: behind "However," and "In 2024,".
func subject(ws []token) int {
	i := 0
	for i < len(ws) && leading[ws[i].low] {
		i++
	}
	if i < len(ws) && (prepositions[ws[i].low] || ws[i].low == "according") {
		for k := i; k < len(ws) && k < i+8 && !auxiliaries[ws[k].low]; k++ {
			if ws[k].comma && k+1 < len(ws) {
				return k + 1
			}
		}
	}
	return i
}

// findVerb is the first word of the sentence's verb, or -1. What stands in a clause beside, behind ", which", is passed over.
func findVerb(s string, ws []token, from int) int {
	for i := from + 1; i < len(ws); i++ {
		if ws[i-1].comma && (relative[ws[i].low] || ws[i].opens) || relative[ws[i].low] && i > from+1 {
			for i < len(ws) && !ws[i].comma {
				i++
			}
			continue
		}
		if isVerb(s, ws, i) {
			return i
		}
	}
	return -1
}

// isVerb reports whether word i can hardly be anything but a verb.
func isVerb(s string, ws []token, i int) bool {
	w, before := ws[i].low, ws[i-1].low
	next := ""
	if i+1 < len(ws) {
		next = ws[i+1].low
	}
	named := determiners[before] && before != "all" && before != "both" || prepositions[before] // "the increased", "of rose"
	switch {
	case auxiliaries[w]:
		return w != "can" && w != "will" && w != "may" && w != "might" && w != "must" || !named
	case named || before == "and" && i < 3 || capital(s, ws[i]):
		return false
	case finite[w]:
		return next != "" && (next != "of" || w == "consists")
	case strings.HasSuffix(w, "ed") && len(w) > 4:
		return prepositions[next] || determiners[next] || hasDigit(next) || strings.HasSuffix(next, "ly")
	case strings.HasSuffix(w, "s") && len(w) > 3 && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(before, "s"):
		return (determiners[next] || hasDigit(next)) && !ws[i].comma && i > 0
	}
	return false
}

func capital(s string, t token) bool {
	r, _ := utf8.DecodeRuneInString(s[t.start:])
	return unicode.IsUpper(r)
}

func hasDigit(w string) bool {
	return strings.ContainsFunc(w, func(r rune) bool { return unicode.IsDigit(r) })
}

// endOfVerb is the word behind a verb with what belongs to it: has not been, was founded in, fell to.
func endOfVerb(s string, ws []token, i int) int {
	group := auxiliaries[ws[i].low]
	i++
	for group && i < len(ws) && !ws[i-1].comma {
		w := ws[i].low
		if between[w] || strings.HasSuffix(w, "ly") && i+1 < len(ws) && (participle(ws[i+1].low) || between[ws[i+1].low]) {
			i++
			continue
		}
		if participle(w) || strings.HasSuffix(w, "ing") && len(w) > 4 || infinitive(ws, i) {
			i++
		}
		break
	}
	if i < len(ws) && prepositions[ws[i].low] && !ws[i-1].comma && i+1 < len(ws) && !capital(s, ws[i]) {
		i++
	}
	return i
}

// infinitive reports whether word i is what "can" or "did not" is followed by.
func infinitive(ws []token, i int) bool {
	for k := i - 1; k >= 0 && k > i-4; k-- {
		switch w := ws[k].low; {
		case modals[w]:
			return !determiners[ws[i].low] && !hasDigit(ws[i].low)
		case !between[w]:
			return false
		}
	}
	return false
}
