package audit

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// wordEnds decides on a full stop by the word that it stands behind, what is before that word in its sentence, and what
// would be the next sentence.
func wordEnds(before, word, next string) bool {
	low := strings.ToLower(word)
	if shouts(word) && !shouts(firstWord(next)) && !isInitials(word) {
		low = "" // MS is not Ms
	}
	digit := unicode.IsNumber(firstRune(next))
	prior := strings.ToLower(lastWord(strings.TrimSuffix(before, ".")))
	switch {
	case spacedOut[prior+" "+low] && strings.HasSuffix(before, "."):
		return mayEnd[low] && startsAnew(next)
	case neverEnds[low], titles[word]:
		return false
	case strings.HasSuffix(before, "/"): // mg/d
		return true
	case doubled(word) && doubled(firstWord(next)): // EE. UU.
		return false
	case utf8.RuneCountInString(word) == 1 && unicode.IsUpper(firstRune(word)):
		return startsAnew(next)
	case numbered[low]:
		return !digit && !(unicode.IsUpper(firstRune(word)) && strings.ContainsAny(upTo(next, unicode.IsSpace), "0123456789")) // No. B-17
	case shortMonths[low]:
		return !digit && startsAnew(next)
	case unicode.IsNumber(firstRune(word)) && len(word) <= 2 && (ordinal[prior] || months[strings.ToLower(firstWord(next))]):
		return false // 3. Oktober, im 19. Jahrhundert
	case unicode.IsNumber(firstRune(word)) && len(word) == 3 && ordinal[prior] && strings.Trim(word, "0123456789") == "":
		return startsAnew(next) // zum 100. Geburtstag
	case units[low] && unicode.IsNumber(firstRune(lastToken(before))):
		return true
	case mayEnd[low] || units[low] || isInitials(word):
		return startsAnew(next) || predicated(next)
	case utf8.RuneCountInString(word) == 1 && unicode.IsLetter(firstRune(word)):
		return !digit && !letterAndStop(next) // c. 1740; z. B.
	}
	return true
}

// abbreviates reports whether a word with a full stop may be an abbreviation.
func abbreviates(word string) bool {
	low := strings.ToLower(word)
	return neverEnds[low] || titles[word] || numbered[low] || mayEnd[low] || isInitials(word)
}

// mixed reports whether a text begins with a name that is written small and is no word: mTOR, p53, β-catenin, iPhone.
func mixed(s string) bool {
	w := upTo(s, unicode.IsSpace)
	if !unicode.IsLower(firstRune(w)) {
		return false
	}
	for i, r := range w {
		if i > 0 && unicode.IsUpper(r) || unicode.IsDigit(r) || unicode.In(r, unicode.Greek) {
			return !strings.ContainsAny(w, "/=<>.@")
		}
	}
	return false
}

// shouts reports whether a word of two letters or more is all in capitals.
func shouts(w string) bool {
	return utf8.RuneCountInString(w) > 1 && unicode.IsUpper(firstRune(w)) && strings.ToUpper(w) == w
}

// doubled reports whether a word is one capital twice, as Spanish writes plurals of initials.
func doubled(w string) bool { return len(w) == 2 && w[0] == w[1] && 'A' <= w[0] && w[0] <= 'Z' }

// firstWord is the run of letters at the beginning of s, behind opening marks.
func firstWord(s string) string {
	return upTo(strings.TrimLeft(s, "\"'“‘«‹„([*_¿¡"), func(r rune) bool { return !unicode.IsLetter(r) })
}

// upTo is s up to the first character of a kind.
func upTo(s string, kind func(rune) bool) string {
	if i := strings.IndexFunc(s, kind); i >= 0 {
		return s[:i]
	}
	return s
}

// lastToken is what stands behind the last space of s.
func lastToken(s string) string {
	return strings.TrimLeft(s[strings.LastIndexFunc(s, unicode.IsSpace)+1:], "(<>~≈±+-")
}

// letterAndStop reports whether s begins with a single letter and a full stop.
func letterAndStop(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r) && strings.HasPrefix(s[n:], ".")
}

// isInitials reports whether word is of the kind U.S or e.g, without its last stop.
func isInitials(word string) bool {
	if !strings.Contains(word, ".") {
		return false
	}
	for _, part := range strings.Split(word, ".") {
		if utf8.RuneCountInString(part) != 1 || !unicode.IsLetter(firstRune(part)) {
			return false
		}
	}
	return true
}

// startsAnew reports whether the text begins with a word that opens sentences and is no part of a name, as after
// "the U.S. The" and not after "the U.S. Navy".
func startsAnew(next string) bool { return starters[strings.ToLower(firstWord(next))] }

// predicated reports whether a text begins with one word and what is said of it, as "Dell is …" and not "Landry) is …".
func predicated(next string) bool {
	word, rest, _ := strings.Cut(next, " ")
	return says[upTo(rest, unicode.IsSpace)] && !strings.ContainsAny(word, ")]")
}

// Abbreviations, without their last stop: those that a sentence never ends with, those that it may end with, those that
// a number follows, units, and those of two letters written apart; and the words that show that a new sentence has begun.
var (
	neverEnds = set(`e.g i.e eg ie cf vs v approx ca viz resp dr mr mrs prof messrs eq eqs figs ref refs vols eds op cit
		al. u.k.c z.b d.h bzw ggf nr bd abb tab vgl sog inkl geb gest fa ud uds pág págs núm им ул см напр`)
	titles = set(`Ms St Mt Ft Rev Gen Col Sgt Lt Capt Cmdr Maj Adm Cpl Pvt Sen Gov Hon Sr Sra Srta Dra Sig Dott Mme Mlle`)
	mayEnd = set(`etc al lit mio mrd tsd inc ltd corp co llc plc jr bros dept univ assn est ed u.s u.k u.n e.u d.c ph.d b.a m.a b.sc m.sc
		usw a.m p.m sp spp a b usa mon tue tues wed thu thur thurs fri sat sun г гг руб тыс млн млрд д п`)
	numbered    = set(`no nos art sec fig vol pp p ch abs kap str §`)
	units       = set(`min max avg hr hrs sec secs ft in oz lb lbs yr yrs wk wks mo h s g d m kg cm mm km`)
	spacedOut   = set2(`z b|d h|u a|u u|i d|i a|o ä|p ej|p ex|ee uu|т е|т д|т п|т к|и т|s o|v a`)
	shortMonths = set(`jan feb apr jun jul aug sept oct nov`)
	says        = set(`is was are were has had`)
	ordinal     = set(`am der die das den dem des im zum zur vom beim bis ab seit dieser diesem ihrem ihren seinem seinen ihr sein`)
	months      = set(`januar jänner februar märz april mai juni juli august september oktober november dezember`)
	named       = set(`Yahoo Jeopardy`)
	starters    = set(`the a an this that these those it its he his she they we you i her their our my there here in on at by
		for from with within without over under after before during since until while when where what which who why how
		if although though because as but and or nor so yet however moreover also not no none all both each every some
		many most few several another other such only even still then thus hence according to of one two three four five
		six seven eight nine ten about between among across nobody nothing der die das ein eine es sie wir er ich
		furthermore finally additionally importantly overall together el la los las un una en se le les il de du des on
		он она они это в на и но`)
)

// set2 makes a set of the parts of a text between bars.
func set2(parts string) map[string]bool {
	m := make(map[string]bool)
	for _, p := range strings.Split(parts, "|") {
		m[p] = true
	}
	return m
}
