package extractive

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/internal/lazyregexp"
)

// How far a sentence says what something is.
const (
	defining   = 1   // it is a …, it means …, a thing called it
	telling    = 0.7 // what it does, what it has
	mentioning = 0.4 // something else that is said of it
)

// Words by which a definition is told: between a subject and what it is, after them, and before a name that is given.
var (
	copulas = set(`is are was were ist sind war waren es son era eran fue est sont était è sono é são foi bleibt`)
	equals  = set(`means mean denotes denote signifies bezeichnet bezeichnen bedeutet bedeuten heißt meint significa significan
		désigne signifie represents represent describes describe comprises comprise names constitutes embodies`)
	articles = set(`a an the one any another some each every how what where when that all both either
		ein eine einer eines einem einen der die das den dem un una uno unos unas el la los las lo une le les l il gli um uma o os`)
	smallNumbers = set("two three four five six seven eight nine ten")
	defined      = set(`called named termed dubbed nicknamed known defined considered described regarded said basically simply
		essentially usually often generally typically also just really thus formally commonly genannt bezeichnet definiert
		llamado llamada llamados conocido conocida considerado considerada definido definida appelé appelée connu connue
		nur meist oft meistens eigentlich`)
	givingName = set("called named termed dubbed nicknamed namens sogenannte sogenannten genannte llamado llamada llamados llamadas denominado denominada appelé appelée chamado chamada")
	acts       = set(`provides provide lets let allows allow enables enable gives give holds hold contains contain controls control
		replaces replace keeps keep converts convert connects connect specifies specify determines determine defines define
		consists consist refers refer stands serves serve works work acts act occurs occur happens happen combines combine
		uses use makes make reduces reduce helps help stores store includes include has have produces produce returns
		creates create checks check begins begin breaks break turns turn takes take sends send declares declare implements
		implement aims dient dienen ermöglicht erlaubt besteht bestehen umfasst umfassen enthält enthalten gilt gelten wirkt
		verhindert hemmt nutzt bietet entsteht beschreibt beschreiben hilft sirve permite consiste consisten contiene
		define describe representa permet sert contient consiste désigne comprend`)
	singular   = set("a an each every")
	modals     = set("may might must should will would could cannot kann muss soll wird puede debe peut doit")
	negations  = set("not no never nicht kein keine keinen nie no nunca ne pas non não")
	dependent  = set("if when while whether because since although though unless until where wenn falls weil obwohl während ob dass si cuando porque aunque quand lorsque")
	ofItsOwn   = set("which that who used der die das welche que qui")
	followedBy = set("of in for from to with between von des der de del du di da")
)

// saysWhat says how far a sentence says what the part is about is, 0…1: its subject is that and a verb of saying so
// follows, or something is given that name, or an apposition explains it.
func (p part) saysWhat(r *reader, s string) float64 {
	ws := split(s[:cutAt(s, 260)])
	best := p.inverse(r, s)
	for i := 0; i < len(ws) && best < defining; i++ {
		if end := p.runAt(r, s, ws, i); end > i {
			best = max(best, p.definedAt(s, ws, i, end))
			i = end - 1
		}
	}
	return best
}

// cutAt is a place at or before n at which s may be cut.
func cutAt(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

// runAt is the end of a run of words from i on that are all of what the part is about, and nothing else; or i.
func (p part) runAt(r *reader, s string, ws []word, i int) int {
	var met []string
	end := i
	for j := i; j < len(ws); j++ {
		t := r.term(ws[j].text)
		if j > i && !near(s, ws[j-1], ws[j]) {
			break
		}
		if t == "" && j > i && len(met) < len(p.topic) { // memory of the machine
			continue
		}
		if !slices.Contains(p.topic, t) {
			break
		}
		if !slices.Contains(met, t) {
			met = append(met, t)
		}
		end = j + 1
	}
	if len(met) < len(p.topic) || len(met) == 0 {
		return i
	}
	return end
}

// near says whether nothing but a space, a hyphen or an apostrophe is between two words.
func near(s string, a, b word) bool {
	return len(strings.Trim(s[a.end:b.start], " -\u00a0’'\n\"“”„`*_")) == 0
}

// definedAt is saysWhat for the name at ws[i:end].
func (p part) definedAt(s string, ws []word, i, end int) float64 {
	first := i // of the noun phrase with its articles
	for first > 0 && near(s, ws[first-1], ws[first]) && articles[strings.ToLower(ws[first-1].text)] {
		first--
	}
	if first > 0 && near(s, ws[first-1], ws[first]) {
		before := strings.ToLower(ws[first-1].text)
		switch {
		case p.ask != askWhat:
		case givingName[before], before == "as" && first > 1 && defined[strings.ToLower(ws[first-2].text)]:
			return defining
		case (before == "define" || before == "defines" || before == "unter" || before == "als") && !p.negated(ws[i:]):
			return telling + 0.1
		}
	}
	if p.whois && first > 0 && end < len(ws) && s[ws[first-1].end:ws[first].start] == ", " && strings.HasPrefix(s[ws[end-1].end:ws[end].start], ",") && articled(ws[max(0, first-3):first]) {
		return telling // a fourth, Frank Frederickson, …
	}
	if first > 0 && p.ask == askWhat && quotedName.MatchString(s[ws[first-1].start:min(len(s), ws[first].start)]) {
		return telling // the project “AllerVielfalt Verden”
	}
	if first > 0 && !opens(s, ws, first) {
		return p.reversed(s, ws, first, end)
	}
	said := p.predicate(s, ws, first, end)
	if first > 0 && near(s, ws[first-1], ws[first]) && describes(ws[first-1].text) { // unlimited leave
		said = min(said, 0.6)
	}
	return said
}

// quotedName is a noun in front of a name in quotation marks.
var quotedName = lazyregexp.New(`^\p{L}{4,}s? ["“„«‚‘]$`)

// articled says whether one of some words is an article.
func articled(ws []word) bool { return has(ws, articles) }

// opens says whether a noun phrase that begins with a word stands at the beginning of a sentence or, in it, of a main
// clause: behind a comma or a colon that ends an adverbial phrase.
func opens(s string, ws []word, first int) bool {
	mark := strings.TrimSpace(s[ws[first-1].end:ws[first].start])
	if strings.ContainsAny(mark, ".!?:|") {
		return true
	}
	lower := strings.ToLower(ws[0].text)
	if mark == "," && first <= 8 {
		return !dependent[lower]
	}
	return mark == "" && first <= 2 && !dependent[lower] && (first == 1 || defined[strings.ToLower(ws[first-1].text)]) && (determiners[lower] || describes(ws[0].text))
}

var determiners = set("this these such each every all our their its in typically generally formally basically diese dieser dieses este esta estos cette ces")

// describes says whether a word in front of a noun may be part of its name: an adjective, not a verb or a preposition.
func describes(w string) bool {
	lower := strings.ToLower(w)
	return !stopWords[lower] && !verbs[lower] && (adjective.MatchString(lower) || strings.HasSuffix(lower, "al") || strings.HasSuffix(lower, "ed"))
}

// reversed is saysWhat where the name is no subject: another name for the thing before it, a thing that is one, or one
// that an apposition explains.
func (p part) reversed(s string, ws []word, first, end int) float64 {
	before, last := strings.ToLower(ws[first-1].text), end == len(ws) || !near(s, ws[end-1], ws[end]) || followedBy[strings.ToLower(ws[end].text)]
	switch {
	case before == "or" && first > 1 && strings.HasSuffix(s[:ws[first-1].start], ", ") && !near(s, ws[end-1], ws[min(end, len(ws)-1)]) && p.ask == askWhat:
		return telling // a thread of control, or goroutine, …
	case copulas[before] && near(s, ws[first-1], ws[first]) && last && !dependent[strings.ToLower(ws[0].text)] && first > 1:
		return mentioning
	}
	return p.apposition(s, ws, first, end)
}

// predicate is saysWhat by what follows the name.
func (p part) predicate(s string, ws []word, first, end int) float64 {
	if d := p.apposition(s, ws, first, end); d > 0 {
		return d
	}
	at, narrower := p.verbAfter(s, ws, end)
	if at >= len(ws) {
		return 0
	}
	verb := strings.ToLower(ws[at].text)
	rest := ws[at+1 : min(len(ws), at+5)]
	worth := 0.0
	switch {
	case dependent[strings.ToLower(ws[0].text)]:
		return 0
	case copulas[verb]:
		worth = predicative(s, ws, at)
	case (verb == "has" || verb == "have") && len(rest) > 0 && (rest[0].text == "become" || rest[0].text == "been"), ofItsOwn[verb], modals[verb]:
		worth = mentioning
	case equals[verb]:
		worth = defining
	case acts[verb]:
		worth = telling
	case strings.HasSuffix(verb, "s") && len(verb) > 3 && at == end && thirdPerson.MatchString(s[ws[at].start:min(len(s), ws[at].end+5)]):
		worth = 0.6
	case at == end && first > 0 && strings.HasSuffix(verb, "s") && !strings.HasSuffix(verb, "ss") && singular[strings.ToLower(ws[first].text)]:
		worth = telling
	case at == end && (verbs[verb] || strings.HasSuffix(verb, "ed")) || negations[verb]:
		worth = mentioning
	}
	if p.negated(rest) {
		worth = min(worth, 0.3)
	}
	if narrower && worth > 0.6 {
		worth = 0.6
	}
	return worth
}

func (p part) negated(ws []word) bool { return has(ws[:min(3, len(ws))], negations) }

// verbAfter is the place of the verb that follows a subject, behind what is put between: a bracket, an apposition, a
// phrase with of. narrower is true for the last: the subject is a part or a kind of what was named.
func (p part) verbAfter(s string, ws []word, end int) (at int, narrower bool) {
	at = end
	if at >= len(ws) {
		return at, false
	}
	if gap := s[ws[end-1].end:ws[at].start]; strings.Contains(gap, "(") {
		closed := strings.IndexByte(s[ws[at].start:], ')')
		for closed >= 0 && at < len(ws) && ws[at].start < ws[end].start+closed {
			at++
		}
	} else if strings.Contains(gap, ",") {
		closed := strings.Index(s[ws[at].start:], ", ")
		from := ws[at].start
		if closed < 0 {
			return len(ws), false
		}
		for at < len(ws) && ws[at].start < from+closed {
			at++
		}
		if at-end > 14 {
			return len(ws), false
		}
	} else if followedBy[strings.ToLower(ws[at].text)] {
		narrower = true
		for at < len(ws) && at < end+8 && !copulas[strings.ToLower(ws[at].text)] && !acts[strings.ToLower(ws[at].text)] && !equals[strings.ToLower(ws[at].text)] {
			at++
		}
	} else if !strings.ContainsAny(gap, ":–—") && strings.Trim(gap, " \u00a0\n\"”“’*_`") != "" {
		return len(ws), false
	}
	for at < len(ws) && (defined[strings.ToLower(ws[at].text)] || strings.ToLower(ws[at].text) == "can") {
		at++
	}
	return at, narrower
}

// predicative says what a copula at a place makes of what follows: a definition where that is a noun phrase.
func predicative(s string, ws []word, at int) float64 {
	next := at + 1
	for next < len(ws) && defined[strings.ToLower(ws[next].text)] {
		next++
	}
	if next >= len(ws) {
		return mentioning
	}
	lower := strings.ToLower(ws[next].text)
	switch {
	case articles[lower], next > at+1 && (lower == "as" || lower == "als" || lower == "como"), smallNumbers[lower]:
		return defining
	case stopWords[lower], lower == "behind", lower == "nil", lower == "synchronized":
		return mentioning
	case strings.HasSuffix(lower, "ed"), strings.HasSuffix(lower, "ly"), strings.HasSuffix(lower, "ing"), strings.HasSuffix(lower, "en") && len(lower) > 4:
		return mentioning
	}
	for _, w := range ws[next:min(len(ws), next+8)] { // structs that …, software for …
		if ofItsOwn[w.text] || followedBy[w.text] {
			return telling
		}
	}
	return 0.5
}

// apposition is saysWhat by a noun phrase set beside the name: "Lopes, a geologist", "elision: a way to …".
func (p part) apposition(s string, ws []word, i, end int) float64 {
	if end >= len(ws) || dependent[strings.ToLower(ws[0].text)] {
		return 0
	}
	gap := strings.TrimLeft(strings.TrimSpace(s[ws[end-1].end:ws[end].start]), "\"”’)*_`")
	lower := strings.ToLower(ws[end].text)
	switch {
	case gap == "–", gap == "—", gap == "-" && s[ws[end].start-1] == ' ', strings.HasPrefix(gap, ":"):
		if i <= 1 && len(ws)-end > 2 {
			return 0.8
		}
		return 0
	case gap != ",":
		return 0
	}
	aside := s[ws[end].start:]
	if stop := strings.IndexAny(aside, ",;.:"); stop >= 0 {
		aside = aside[:stop]
	}
	if opening[strings.ToLower(ws[0].text)] && i <= 8 || hasVerb(aside, "") && lower != "used" && !ofItsOwn[lower] {
		return 0
	}
	first, _ := utf8.DecodeRuneInString(ws[end].text)
	switch {
	case lower == "a", lower == "an", lower == "ein", lower == "eine", lower == "un", lower == "una", lower == "une":
		return 0.8
	case (lower == "used" || lower == "which") && i <= 2:
		return telling
	case (p.whois || unicode.IsUpper([]rune(ws[i].text)[0]) && i > 0) && unicode.IsLower(first) && (articles[lower] || !stopWords[lower]):
		return telling
	}
	return 0
}

// inverse is saysWhat for a name of an adjective and a noun, where a sentence says when the noun is that: "if the
// capacity is zero, the channel is unbuffered".
func (p part) inverse(r *reader, s string) float64 {
	if len(p.terms) != 2 {
		return 0
	}
	ws := split(s)
	for i := 0; i+2 < len(ws); i++ {
		if copulas[strings.ToLower(ws[i+1].text)] && r.term(ws[i].text) == p.terms[1].stem && r.term(ws[i+2].text) == p.terms[0].stem && near(s, ws[i], ws[i+1]) {
			return telling
		}
	}
	return 0
}
