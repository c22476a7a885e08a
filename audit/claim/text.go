package claim

import (
	"slices"
	"strings"
)

// A text is a claim, a quote or what stands around one, read.
type text struct {
	raw     string // folded
	words   []word
	figures []figure
	dates   []date
	places  map[string][]int // by stem, the indexes of words
	sents   int
	clauses int
}

// Bounds of the work on texts that are made to be slow to compare. No claim and no quote comes near them.
const (
	maxRepeated = 8    // times that the same word of a claim is looked at
	maxPlaces   = 200  // of a word that are remembered
	maxFigures  = 1000 // and figures, and dates
	maxTries    = 200  // words of the quote that one of the claim is held against by a rule
	maxSents    = 100  // sentences of a claim that are aligned
)

// read makes a text ready for comparing.
func read(s string) *text {
	t := scan(s)
	t.places = make(map[string][]int, len(t.words))
	for i := range t.words {
		w := &t.words[i]
		w.content = w.kind == letters && !w.figure && !functionWords[w.s] && !negators[w.s] && len(w.s) > 1
		if w.kind == letters || w.kind == digits {
			at := t.places[w.stem]
			w.often = len(at) >= maxRepeated
			if len(at) < maxPlaces {
				t.places[w.stem] = append(at, i)
			}
		}
	}
	t.negate()
	return t
}

// scan reads the words, dates and figures of a text, and not what rules about words need.
func scan(s string) *text {
	t := &text{raw: fold(s)}
	t.words = split(t.raw)
	t.parts()
	t.readDates()
	t.readFigures()
	return t
}

// parts numbers sentences and clauses.
func (t *text) parts() {
	sent, clause := 0, 0
	for i := range t.words {
		w := &t.words[i]
		if i > 0 && strings.IndexByte(t.gap(i), '\n') >= 0 && (w.capital || w.kind == digits) {
			sent, clause = sent+1, clause+1
		}
		if clauseWords[w.s] && i > 0 {
			clause++
		}
		w.sent, w.clause = sent, clause
		if w.kind != mark {
			continue
		}
		switch w.s {
		case ".":
			if t.stops(i) {
				sent, clause = sent+1, clause+1
			}
		case "!", "?":
			sent, clause = sent+1, clause+1
		case ",", ";", ":", "(", ")", "--", "[", "]", "|":
			clause++
		}
	}
	t.sents, t.clauses = sent+1, clause+1
}

// stops reports whether the full stop at i ends a sentence.
func (t *text) stops(i int) bool {
	if i+1 == len(t.words) {
		return true
	}
	next := t.words[i+1]
	if i == 0 || !next.capital && next.kind != digits && next.s != "\"" && next.s != "(" {
		return false
	}
	before := t.words[i-1]
	spaced := t.words[i].end < next.start
	return spaced && !(before.kind == letters && (len(before.s) == 1 && before.capital || titles[before.s]))
}

var titles = set("mr mrs ms dr prof st jr sr vs no vol fig gen gov sen rep lt col capt sgt mt ft inc ltd co corp dept ca approx etc eg ie al")

// clauseWords begin a clause of their own.
var clauseWords = set(`but although though while whereas however because unless if which who whom whose yet despite whether`)

// functionWords hold a sentence together and say nothing by themselves.
var functionWords = set(`a an the and or but nor so yet if of in on at to by for from with into onto over under about as than that this
	these those there here it its he him his she her hers they them their theirs we us our ours you your yours i me my mine who whom whose
	which what when where why how is are was were be been being am do does did done has have had having can could may might must shall should
	will would also just such own same other another very too up out off down per via between among through during before after
	while because since until although though however then thus hence both either each any some all every most more less many much few
	several one ones per upon within along across around against toward towards itself himself herself themselves etc eg ie
	according well even still quite rather around s t d ll re ve m`)

// span is the text from word i to word j, exclusive, as written.
func (t *text) span(i, j int) string {
	i, j = max(i, 0), min(j, len(t.words))
	if i >= j {
		return ""
	}
	return strings.Join(strings.Fields(t.raw[t.words[i].start:t.words[j-1].end]), " ")
}

// around is the text of a few words on both sides of word i, within its sentence.
func (t *text) about(i int) string {
	if i < 0 || i >= len(t.words) {
		return ""
	}
	from, to := i, i+1
	for from > 0 && i-from < 6 && t.words[from-1].sent == t.words[i].sent {
		from--
	}
	for to < len(t.words) && to-i < 8 && t.words[to].sent == t.words[i].sent {
		to++
	}
	return t.span(from, to)
}

// has reports whether the text has a word with this stem.
func (t *text) has(stem string) bool { return len(t.places[stem]) > 0 }

// next is the word at i, empty beyond the end.
func (t *text) at(i int) word {
	if i < 0 || i >= len(t.words) {
		return word{sent: -1, clause: -1, kind: mark}
	}
	return t.words[i]
}

// says reports whether the claim is the quote, word by word: then there is nothing to compare.
func (t *text) says(q *text) bool {
	said := t.bare()
	return len(said) > 0 && slices.Equal(said, q.bare())
}

// bare lists the words of a text without its punctuation.
func (t *text) bare() []string {
	out := make([]string, 0, len(t.words))
	for _, w := range t.words {
		if w.kind != mark {
			out = append(out, w.s)
		}
	}
	return out
}

// gap is what stands between word i and the one before. The parts of a contraction have one place, and nothing between.
func (t *text) gap(i int) string {
	return t.raw[min(t.words[i-1].end, t.words[i].start):t.words[i].start]
}
