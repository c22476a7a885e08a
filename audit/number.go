package audit

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"ibid/internal/lazyregexp"
)

// HasNumber reports whether a reader finds a figure in the text: digits of any script or width, superscripts, fractions
// and Roman numerals, number words, parts ("half", "a third", "one in five") and multiples ("twice"), also where invisible
// characters split them. Ordinals ("the first winter") and the pronoun "one" are no figures.
func HasNumber(text string) bool {
	plain := visible(text)
	if strings.ContainsFunc(plain, unicode.IsNumber) {
		return true
	}
	low := strings.ToLower(plain)
	for w := range strings.FieldsFuncSeq(low, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if countWords[w] {
			return true
		}
	}
	return partWords.MatchString(low) || roman.MatchString(plain)
}

// visible drops what shows nothing and folds compatibility letters, for looking at a text and never for comparing it.
func visible(text string) string {
	ascii := true
	for i := 0; i < len(text); i++ {
		if text[i] >= 0x80 {
			ascii = false
			break
		}
	}
	if ascii {
		return text
	}
	return norm.NFKC.String(strings.Map(func(r rune) rune {
		if invisible(r) {
			return -1
		}
		return r
	}, text))
}

// invisible reports whether r shows nothing and parts no words.
func invisible(r rune) bool {
	return r == 0xAD || r == 0x34F || r >= 0x200B && r <= 0x200F || r >= 0x2060 && r <= 0x2064 || r == 0xFEFF ||
		r >= 0xFE00 && r <= 0xFE0F || r >= 0x180B && r <= 0x180E || isBidi(r) || isTag(r)
}

// isBidi reports whether r is a control that makes text read in another order than it is stored (UAX 9).
func isBidi(r rune) bool { return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 }

// isTag reports whether r is of the invisible copy of ASCII.
func isTag(r rune) bool { return r >= 0xE0000 && r <= 0xE007F }

var (
	// Words that are a figure wherever they stand. "One", "second" and "quarter" are not among them.
	countWords = set(`two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
		seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands
		million millions billion billions trillion trillions dozen dozens score half halves thirds quarters fifths sixths
		sevenths eighths ninths tenths twice thrice twofold threefold fourfold fivefold tenfold double doubled doubles
		doubling triple tripled triples tripling quadrupled halved halving percent percentage percentages zero
		zwei drei vier fünf sechs sieben acht neun zehn elf zwölf hundert tausend million millionen milliarde milliarden prozent
		deux trois quatre cinq sept huit neuf dix cent mille dos tres cuatro cinco seis siete ocho nueve diez ciento mil`)
	partWords = lazyregexp.New(`\b(?:one|an?|per)[ -](?:third|quarter|fifth|sixth|seventh|eighth|ninth|tenth|half|hundredth|dozen|hundred|thousand|million|billion)\b` +
		`|\bone (?:in|of every|out of)(?: every)? (?:[a-z]+)\b|\b(?:one|no|a) (?:more )?than one\b|\bper ?cent\b|[%‰]`)
	// Two and more Roman digits of the small kind, or one and more behind a word that is counted so.
	roman = lazyregexp.New(`\b(?:X{0,3}(?:IX|IV|VI{1,3}|II{1,2})|X{2,3}|X{1,3}[VI]|XL[VIX]*|LX{0,3}(?:IX|IV|VI{0,3}|I{2,3}))\b` +
		`|\b(?i:phase|type|class|part|stage|volume|chapter|section|tier|level|grade|mark|act|annex|group|war)\s[IVXLC]+\b`)
)
