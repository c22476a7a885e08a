package extractive

import "strings"

// germanStem is the stem of a German word in lower case, by the rules of CISTEM (Weissweiler and Fraser, "Developing a
// Stemmer for German Based on a Comparative Analysis of Publicly Available Stemmers", 2017), with the umlauts of plurals
// and the endings of nouns in -ung taken off as well, so that a participle meets its verb.
func germanStem(w string) string {
	w = umlauts.Replace(w)
	if rest, ok := strings.CutPrefix(w, "ge"); ok && len(rest) >= 4 {
		w = rest
	}
	for len(w) > 3 {
		switch {
		case len(w) > 6 && strings.HasSuffix(w, "ung"):
			w = w[:len(w)-3]
		case len(w) > 5 && (strings.HasSuffix(w, "em") || strings.HasSuffix(w, "er") || strings.HasSuffix(w, "nd")):
			w = w[:len(w)-2]
		case strings.ContainsRune("tesn", rune(w[len(w)-1])):
			w = w[:len(w)-1]
		default:
			return w
		}
	}
	return w
}

var umlauts = strings.NewReplacer("ä", "a", "ö", "o", "ü", "u", "ß", "ss")
