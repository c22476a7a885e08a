package claim

import "sync"

// A trait is what lists of words say of one. Words of a text get theirs when it is read, so that no rule looks each of them up.
type trait uint16

const (
	functional trait = 1 << iota // of functionWords
	negating                     // of negators
	clausal                      // of clauseWords
	foreign                      // of foreignWords
	dating                       // a date may begin with it
	counting                     // of startsFigure
	classed                      // of members
	measuring                    // of strength
	ordering                     // of orderWords
)

// A lexeme is what is known of a word before any text is read.
type lexeme struct {
	stem string
	is   trait
}

// vocabulary are the words that have a trait or an irregular stem.
var vocabulary = sync.OnceValue(func() map[string]lexeme {
	m := make(map[string]lexeme, 2000)
	give := func(w string, is trait) {
		m[w] = lexeme{stem(w), m[w].is | is}
	}
	for is, words := range map[trait]map[string]bool{functional: functionWords, negating: negators, clausal: clauseWords, foreign: foreignWords, counting: startsFigure, ordering: orderWords} {
		for w := range words {
			give(w, is)
		}
	}
	for w := range months {
		give(w, dating)
	}
	for _, words := range []map[string]float64{ordinalWord, smallNumber} {
		for w := range words {
			give(w, dating)
		}
	}
	for w := range decadeWord {
		give(w, dating)
	}
	for w := range members() {
		give(w, classed)
	}
	for w, n := range strength {
		if n > 0 {
			give(w, measuring)
		}
	}
	for w := range irregular {
		give(w, 0)
	}
	return m
})

// lexemeOf is what is known of a word, and its stem.
func lexemeOf(w string) lexeme {
	if l, ok := vocabulary()[w]; ok {
		return l
	}
	return lexeme{stem: cutEnding(w)}
}
