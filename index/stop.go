package index

import "strings"

// stopWords are dropped from queries: Lucene's 33 English stop words, and the interrogatives, auxiliaries and pronouns
// of questions, which say how something is asked and not what about.
var stopWords = wordSet(`a an and are as at be but by for if in into is it no not of on or such that the their then there
	these they this to was will with
	what which who whom whose when where why how do does did is are was were has have had can could should would may might
	must from between also both i you we he she me us our your my its it's been being am than about any some`)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// Terms is the shared analyser: the stems of a text's content words, in order and with repetitions. Question words and
// stop words are left out, so a text of nothing else has no terms.
func Terms(text string) []string {
	var terms []string
	words(text, func(w []byte, kind wordKind) {
		if kind <= capital && !stopWords[string(w)] {
			terms = append(terms, stem(string(w)))
		}
	})
	return terms
}
