package claim

import (
	"strings"
	"unicode/utf8"
)

// A text is a claim, a quote or what stands around one, read.
type text struct {
	raw      string // folded
	words    []word
	figures  []figure
	dates    []date
	ids      map[string]int32 // numbers of the stems of its words
	first    []int            // by that number, where its words begin in where
	where    []int            // indexes of words
	capitals []int            // of the words with a capital letter
	sents    int
	clauses  int
	english  bool // see inEnglish
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
	t.number()
	t.negate()
	t.english = inEnglish(t.words)
	return t
}

// number gives each stem a number, and lists where its words stand.
func (t *text) number() {
	t.ids = make(map[string]int32, len(t.words)/2)
	counts := make([]int, 0, len(t.words)/2)
	for i := range t.words {
		w := &t.words[i]
		w.id = -1
		w.content = w.kind == letters && !w.figure && w.is&(functional|negating) == 0 && len(w.s) > 1
		if w.kind != letters && w.kind != digits {
			continue
		}
		id, ok := t.ids[w.stem]
		if !ok {
			id = int32(len(counts))
			t.ids[w.stem] = id
			counts = append(counts, 0)
		}
		w.id = id
		w.often = counts[id] >= maxRepeated
		counts[id]++
		if w.capital && w.kind == letters {
			t.capitals = append(t.capitals, i)
		}
	}
	t.first = make([]int, len(counts)+1)
	for id, n := range counts {
		t.first[id+1] = t.first[id] + min(n, maxPlaces)
		counts[id] = 0
	}
	t.where = make([]int, t.first[len(counts)])
	for i := range t.words {
		if id := t.words[i].id; id >= 0 && counts[id] < maxPlaces {
			t.where[t.first[id]+counts[id]] = i
			counts[id]++
		}
	}
}

// numbered are the indexes of the words of the stem with a number; -1 has none.
func (t *text) numbered(id int32) []int {
	if id < 0 {
		return nil
	}
	return t.where[t.first[id]:t.first[id+1]]
}

// places are the indexes of the words with a stem.
func (t *text) places(stem string) []int {
	if id, ok := t.ids[stem]; ok {
		return t.numbered(id)
	}
	return nil
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
		if w.is&clausal != 0 && i > 0 {
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
	return inLine(t.raw[t.words[i].start:t.words[j-1].end])
}

// inLine is a text with one space for all that parts its words.
func inLine(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= utf8.RuneSelf || c < ' ' || c == ' ' && (i == 0 || i+1 == len(s) || s[i+1] == ' ') {
			return strings.Join(strings.Fields(s), " ")
		}
	}
	return s
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

// idsIn gives for the number of each stem that of another text, -1 where it has none.
func (t *text) idsIn(o *text) []int32 {
	ids := make([]int32, len(t.ids))
	for s, id := range t.ids {
		ids[id] = -1
		if other, ok := o.ids[s]; ok {
			ids[id] = other
		}
	}
	return ids
}

// has reports whether the text has a word with this stem.
func (t *text) has(stem string) bool {
	_, ok := t.ids[stem]
	return ok
}

// at is the word at i, outside beyond the end.
func (t *text) at(i int) *word {
	if i < 0 || i >= len(t.words) {
		return &outside
	}
	return &t.words[i]
}

var outside = word{sent: -1, clause: -1, kind: mark, id: -1}

// says reports whether the claim is the quote, word by word: then there is nothing to compare.
func (t *text) says(q *text) bool {
	i, j := t.unmarked(0), q.unmarked(0)
	if i == len(t.words) {
		return false
	}
	for i < len(t.words) && j < len(q.words) && t.words[i].s == q.words[j].s {
		i, j = t.unmarked(i+1), q.unmarked(j+1)
	}
	return i == len(t.words) && j == len(q.words)
}

// unmarked is the first word from i on that is no punctuation.
func (t *text) unmarked(i int) int {
	for i < len(t.words) && t.words[i].kind == mark {
		i++
	}
	return i
}

// gap is what stands between word i and the one before. The parts of a contraction have one place, and nothing between.
func (t *text) gap(i int) string {
	return t.raw[min(t.words[i-1].end, t.words[i].start):t.words[i].start]
}
