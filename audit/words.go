package audit

import (
	"strings"
	"unicode"
)

// words lists the words of a text in lower case, with inner apostrophes and hyphens kept and possessives dropped.
func words(text string) []string {
	low := strings.ToLower(visible(text))
	ws := strings.FieldsFunc(low, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '\'' && r != '’' && r != '-' && r != '.' && r != ','
	})
	out := ws[:0]
	for _, w := range ws {
		w = strings.Trim(w, "'’-.,")
		w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")
		if w != "" {
			out = append(out, w)
		}
	}
	return out
}

// stems is the set of the content words of a text, stemmed, without figures.
func stems(text string) map[string]bool {
	m := make(map[string]bool)
	addStems(m, text)
	return m
}

func addStems(m map[string]bool, text string) {
	for _, w := range words(text) {
		for part := range strings.SplitSeq(w, "-") {
			if len(part) > 1 && !functionWords[part] && !isFigureWord(part) {
				m[stem(part)] = true
			}
		}
	}
}

func isFigureWord(w string) bool {
	return countWords[w] || w == "one" || strings.ContainsFunc(w, unicode.IsNumber) && !strings.ContainsFunc(w, unicode.IsLetter)
}

// stem cuts the endings of English that carry no meaning here, as far as comparing two texts about one thing needs.
func stem(w string) string {
	if n := len(w); n > 4 {
		switch {
		case strings.HasSuffix(w, "ies"):
			return w[:n-3] + "y"
		case strings.HasSuffix(w, "ied"):
			return w[:n-3] + "y"
		case n > 5 && strings.HasSuffix(w, "ing"):
			return undouble(w[:n-3])
		case strings.HasSuffix(w, "ed"):
			return undouble(w[:n-2])
		case strings.HasSuffix(w, "es"):
			return undouble(w[:n-2])
		case strings.HasSuffix(w, "e"):
			return w[:n-1]
		case strings.HasSuffix(w, "ly") && n > 5:
			return w[:n-2]
		}
	}
	if n := len(w); n > 3 && w[n-1] == 's' && w[n-2] != 's' && w[n-2] != 'u' {
		return w[:n-1]
	}
	return w
}

// undouble makes "plann" and "plan" one stem.
func undouble(w string) string {
	n := len(w)
	if n > 3 && w[n-1] == w[n-2] && strings.IndexByte("bdgmnprt", w[n-1]) >= 0 {
		return w[:n-1]
	}
	if n > 3 && w[n-1] == 'e' {
		return w[:n-1]
	}
	return w
}

// share is how many of the words of a are in b, and how many a has.
func share(a, b map[string]bool) (in, of int) {
	for w := range a {
		if b[w] {
			in++
		}
	}
	return in, len(a)
}

// asserts reports whether a short text, such as a heading or a list item, says that something is so: whether it has a
// finite verb, as far as a list of forms can tell.
func asserts(text string) bool {
	ws := words(text)
	for i, w := range ws {
		if finite[w] || strings.HasSuffix(w, "n't") || strings.HasSuffix(w, "n’t") {
			return true
		}
		if i > 0 && len(w) > 4 && strings.HasSuffix(w, "ed") && !participles[w] && !finite[ws[i-1]] && !functionWords[ws[i-1]] {
			return true
		}
		if i > 0 && i+1 < len(ws) && determiners[ws[i+1]] && !functionWords[ws[i-1]] && verbForm(w) {
			return true // "saves every", "ruins the"
		}
	}
	return false
}

// verbForm reports whether a word ends as the third person of a verb does.
func verbForm(w string) bool {
	n := len(w)
	return n > 3 && w[n-1] == 's' && w[n-2] != 's' && w[n-2] != 'u' && w[n-2] != 'i' && !functionWords[w]
}

var (
	determiners   = set(`a an the all every each no any its their his her our your this these those most`)
	functionWords = set(`a an the and or but nor so yet if of in on at to by for from with without within into onto over under
		about as than that this these those there here it its he him his she her they them their we us our you your i my me who whom
		whose which what when where why how is are was were be been being am do does did done has have had having can could may might
		must shall should will would not no also only just more most much many some any each every all both such own same other another
		very too up out off down per via between among through during before after while because since until although though however
		then thus hence according one`)
	finite = set(`is are was were am has have had does did do can could may might must shall should will would cannot
		fell rose grew shrank sank went came became got made took gave ran began broke built bought brought caught chose
		drew drove ate felt found fought flew forgot forgave froze held hid kept knew laid led left lent let lost meant met paid
		quit rode rang said saw sold sent shook shone shot showed shut sang sat slept spoke spent spread stood stole
		struck swam swept taught tore told thought threw understood woke wore won wrote
		says shows finds found means makes takes gives remains lasts becomes causes includes contains exceeds equals needs
		requires reaches grows fails wins loses beats keeps gets goes comes runs
		holds stands proves confirms refutes suggests says outlasts outperforms depends belongs
		supports prevents allows saves increases decreases reduces improves worsens declines`)
	// Forms on -ed that mostly stand before a noun, or that head a phrase without being its verb.
	participles = set(`related based limited united advanced detailed combined mixed estimated expected planned proposed
		updated extended selected unplanned uncited cited recorded required added red bed feed seed speed need breed
		hundred indeed shed shared focused used installed distributed`)
)
