package agent

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/internal/lazyregexp"
)

// identifier finds what must not be rebuilt from memory: addresses, dates, names of several words, marks with digits in
// them, numbers with their units.
var identifier = lazyregexp.New(`^(?:https?://[^\s"'<>\\(){}|]+|` +
	`\b10\.\d{4,9}/[^\s"'<>\\]+|` +
	`\b\d{1,2}\.? ` + months + ` \d{4}\b|\b` + months + ` \d{1,2}, \d{4}\b|` +
	`\b\p{Lu}[\p{L}\p{N}.&'’-]*(?: (?:(?:of|the|for|and|de|la|der|des|von|und|für) )?(?:\p{Lu}[\p{L}\p{N}.&'’-]*|\d+(?:[./:]\d+)*))+|` +
	`\b\p{L}[\p{L}_.#:/-]*\d[\p{L}\p{N}_.#:/-]*|` +
	`[$€£¥]?\d+(?:[.,:/–-]\d+)*(?: ?(?:%|‰|°[CF]?|` + units + `)\p{L}*)?)`)

const (
	months = `(?:January|February|March|April|May|June|July|August|September|October|November|December|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember)`
	units  = `percent|per cent|percentage points?|Prozent|thousand|million|billion|trillion|Tausend|Millionen|Milliarden|Mio|Mrd|USD|EUR|GBP|dollars?|euros?|` +
		`[kMGT]?Wh?\b|[mkc]?m\b|km/h|[km]?g\b|tonnes?|tons?|[mµn]?s\b|min\b|hours?|days?|weeks?|months?|years?|Stunden|Tagen?|Jahren?|[KMGT]i?B\b|tokens?|[kMG]?Hz|K\b`
)

// maxIdentifiers of one text are enough.
const maxIdentifiers = 20_000

// Identifiers lists the exact identifiers of a text, each once, in the order in which they stand there. Whole numbers of
// one or two digits without a unit are none.
func Identifiers(text string) []string {
	var list []string
	seen := map[string]bool{}
	for text != "" && len(list) < maxIdentifiers {
		start := strings.IndexFunc(text, func(r rune) bool { return !separates(r) && !strings.ContainsRune(".,:-–", r) })
		if start < 0 {
			break
		}
		text = text[start:]
		end := strings.IndexFunc(text, separates)
		if end < 0 {
			end = len(text)
		}
		if promising(text[:end]) {
			if n := len(identifier.FindString(text[:min(len(text), max(longestIdentifier, end))])); n > 0 {
				id := withoutLead(strings.TrimRight(text[:n], ".,:;/-–'’#"))
				if id != "" && !seen[id] && !small(id) {
					seen[id] = true
					list = append(list, id)
				}
				end = n
			}
		}
		text = text[end:]
	}
	return list
}

// longestIdentifier is the bytes in which one of several words is looked for.
const longestIdentifier = 240

// separates says whether a character stands between identifiers.
func separates(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'()[]{}<>|\\=;", r) }

// promising says whether an identifier can begin with a word: most cannot, and are passed over quickly.
func promising(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(first) || strings.ContainsAny(word, "0123456789") || strings.Contains(word, "://")
}

// leads are words that begin a sentence, and no name.
var leads = strings.Fields("The A An In On At By For From To Of With This That These Those It Its As And But Or If When While After Before Since No Not Its His Her Their Our We " +
	"Der Die Das Ein Eine Im In Am Bei Von Mit Für Und Oder Wenn Nach Vor Seit")

// withoutLead takes the words off a name that only begin its sentence.
func withoutLead(id string) string {
	first, rest, several := strings.Cut(id, " ")
	if !several || !slices.Contains(leads, first) {
		return id
	}
	if found := identifier.FindString(rest); found == rest {
		return withoutLead(rest)
	}
	return "" // one capitalised word: no name that could be told from a noun
}

// small says whether an identifier is a whole number that says nothing by itself.
func small(id string) bool {
	return len(id) < 3 && strings.Trim(id, "0123456789") == ""
}

// occurs says whether an identifier stands in a text as such, and not as a part of another: 4.1 is not in 14.12.
func occurs(text, id string) bool {
	for from := 0; id != ""; {
		i := strings.Index(text[from:], id)
		if i < 0 {
			return false
		}
		i += from
		if !glued(text[:i], id, false) && !glued(text[i+len(id):], id, true) {
			return true
		}
		from = i + 1
	}
	return false
}

// glued says whether the text beside an identifier belongs to the same word or figure.
func glued(beside, id string, after bool) bool {
	next := func(s string) (rune, string) {
		if after {
			r, n := utf8.DecodeRuneInString(s)
			return r, s[n:]
		}
		r, n := utf8.DecodeLastRuneInString(s)
		return r, s[:len(s)-n]
	}
	edge, _ := utf8.DecodeRuneInString(id)
	if after {
		edge, _ = utf8.DecodeLastRuneInString(id)
	}
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	r, rest := next(beside)
	if beside == "" || !word(edge) {
		return false
	}
	if !after && r != utf8.RuneError && strings.HasSuffix(rest, `\`) { // an escape in JSON: \n
		return false
	}
	if word(r) {
		return true
	}
	if r == '.' || r == ',' {
		r, _ = next(rest)
		return unicode.IsDigit(edge) && unicode.IsDigit(r)
	}
	return false
}
