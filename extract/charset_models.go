package extract

import (
	"embed"
	"math"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/unicode/norm"
)

// The guesser knows of each language what a page of its prose shows: which letters follow which.
//
//go:embed samples/*.txt
var samples embed.FS

// Charsets of one byte a letter, with the languages that are written in them, and how much less common each is than the
// first, in nats. Names are those of the WHATWG Encoding Standard, where iso-8859-1 is windows-1252.
var singleByte = []struct {
	name, languages string
	rare            float64
}{
	{"windows-1252", "en fr de es pt it ca nl sv da nb fi is", 0},
	{"windows-1251", "ru uk be bg sr", 1},
	{"windows-1250", "pl cs sk hu hr sl ro", 2},
	{"iso-8859-2", "pl cs sk hu hr sl ro", 3},
	{"windows-1253", "el", 2},
	{"iso-8859-7", "el", 3},
	{"windows-1254", "tr", 2},
	{"windows-1255", "he", 2},
	{"iso-8859-8", "he", 5},
	{"windows-1256", "ar fa", 2},
	{"iso-8859-6", "ar", 5},
	{"windows-1257", "lt lv et", 3},
	{"iso-8859-13", "lt lv et", 5},
	{"iso-8859-4", "lt lv et", 8},
	{"windows-1258", "vi", 3},
	{"windows-874", "th", 2},
	{"koi8-r", "ru", 2},
	{"koi8-u", "uk be", 3},
	{"iso-8859-5", "ru uk be bg sr", 4},
	{"ibm866", "ru", 5},
	{"x-mac-cyrillic", "ru uk be bg sr", 20},
	{"iso-8859-15", "fr fi et", 4},
	{"macintosh", "fr de es pt it nl sv da nb", 25},
}

// Charsets of two bytes a character.
var doubleByte = []struct {
	name, language string
	rare           float64
}{
	{"gb18030", "zh-hans", 1}, {"big5", "zh-hant", 2}, {"shift_jis", "ja", 1}, {"euc-jp", "ja", 2}, {"euc-kr", "ko", 1},
}

// Costs of what no model of letters covers, as logarithms of probabilities.
const (
	costForeign = -11 // a letter that the language does not use
	costUsual   = -5  // a sign that prose uses: a dash, a curly quote
	costOdd     = -9  // any other sign
	costBroken  = -14 // a control character, or nothing at all
	costCase    = -4  // a capital after a small letter
	costInside  = -4  // a sign between two letters
	costMixed   = -5  // a letter of another script beside it
)

const usualSigns = "“”„‘’‚–—…«»©®™€°§·•№\u00a0\u00ad、。，：「」『』（）！？・ー"

// A letters is what is known of a language with an alphabet: how likely a letter is after another one.
type letters struct {
	index map[rune]uint8 // from 1; 0 stands for what is between words
	next  [][]float32    // log P(next | this)
}

// A pairing is a charset read as a language.
type pairing struct {
	charset string
	rare    float64
	model   *letters
	letter  [256]uint8   // index of the letter that a byte is, else 0
	upper   [256]bool    // it is a capital
	sign    [256]float32 // cost of a byte that is no letter of the language
	between [256]bool    // it may stand between letters: an apostrophe, a soft hyphen
}

// A characters is what is known of a language with thousands of characters: how likely each is.
type characters struct {
	charset  string
	rare     float64
	seen     map[rune]float32
	encoding encoding.Encoding
}

type guesser struct {
	languages map[string]*letters
	pairings  []pairing
	double    []characters
}

// models are made of the samples when the first document needs a guess.
var models = sync.OnceValue(func() *guesser {
	g := &guesser{languages: map[string]*letters{}}
	known := g.languages
	for _, c := range singleByte {
		e, _ := byLabel(c.name)
		bytes := runesOf(e)
		for _, lang := range strings.Fields(c.languages) {
			if known[lang] == nil {
				known[lang] = readLetters(sample(lang))
			}
			g.pairings = append(g.pairings, pair(c.name, c.rare, &bytes, known[lang]))
		}
	}
	for _, c := range doubleByte {
		e, _ := byLabel(c.name)
		g.double = append(g.double, characters{c.name, c.rare, readCharacters(sample(c.language)), e})
	}
	return g
})

func sample(language string) string {
	text, err := samples.ReadFile("samples/" + language + ".txt")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	if language == "vi" {
		return apart(string(text))
	}
	return string(text)
}

// apart writes Vietnamese as windows-1258 has it: vowels with their shape, the tone as a character of its own.
func apart(s string) string {
	var b strings.Builder
	for _, r := range s {
		var shape, tone []rune
		for _, d := range norm.NFD.String(string(r)) {
			if strings.ContainsRune("\u0300\u0301\u0303\u0309\u0323", d) {
				tone = append(tone, d)
			} else {
				shape = append(shape, d)
			}
		}
		b.WriteString(norm.NFC.String(string(shape)) + string(tone))
	}
	return b.String()
}

// isLetter reports whether a rune is part of a word: a letter, or a mark upon one.
func isLetter(r rune) bool { return unicode.IsLetter(r) && r != 'ª' && r != 'º' || unicode.IsMark(r) }

// readLetters counts pairs of letters. A pair that a page does not show gets its share of how common its second letter is.
func readLetters(text string) *letters {
	m := &letters{index: map[rune]uint8{}}
	var order []rune
	for _, r := range strings.ToLower(text) {
		if isLetter(r) && m.index[r] == 0 {
			order = append(order, r)
			m.index[r] = uint8(len(order))
		}
	}
	n := len(order) + 1
	pairs, singles, total := make([][]float64, n), make([]float64, n), 0.0
	for i := range pairs {
		pairs[i] = make([]float64, n)
	}
	last := uint8(0)
	for _, r := range strings.ToLower(text) {
		this := m.index[r]
		if this == 0 && last == 0 {
			continue
		}
		pairs[last][this]++
		singles[this]++
		total++
		last = this
	}
	const unseen = 8 // as if that many pairs of each first letter had been seen beside
	m.next = make([][]float32, n)
	for i, row := range pairs {
		m.next[i] = make([]float32, n)
		sum := 0.0
		for _, c := range row {
			sum += c
		}
		for j, c := range row {
			single := (singles[j] + 0.5) / (total + 0.5*float64(n))
			m.next[i][j] = float32(math.Log((c + unseen*single) / (sum + unseen)))
		}
	}
	return m
}

// runesOf lists what the bytes of a charset of one byte a letter stand for.
func runesOf(e encoding.Encoding) (runes [256]rune) {
	for b := range runes {
		runes[b] = rune(b)
		if b >= 0x80 {
			out, _ := e.NewDecoder().Bytes([]byte{byte(b)})
			runes[b], _ = utf8.DecodeRune(out)
		}
	}
	return runes
}

// pair lays a charset beside a language.
func pair(name string, rare float64, runes *[256]rune, m *letters) pairing {
	p := pairing{charset: name, rare: rare, model: m}
	for b, r := range runes {
		low := unicode.ToLower(r)
		p.letter[b], p.upper[b] = m.index[low], low != r
		p.between[b] = r == '’' || r == '\'' || r == '-' || r == '\u00ad' || r == '\u200c' || r == '\u200d' || r == '·'
		switch {
		case p.letter[b] > 0:
		case b < 0x80 && !isLetter(r):
		case b < 0x80:
			p.sign[b] = -3.3
		case isLetter(r):
			p.sign[b] = costForeign
		case strings.ContainsRune(usualSigns, r):
			p.sign[b] = costUsual
		case r == unicode.ReplacementChar || r < 0xa0:
			p.sign[b] = costBroken
		default:
			p.sign[b] = costOdd
		}
	}
	return p
}

// readCharacters counts characters.
func readCharacters(text string) map[rune]float32 {
	counts, total := map[rune]float64{}, 0.0
	for _, r := range text {
		if r >= 0x80 {
			counts[r]++
			total++
		}
	}
	seen := map[rune]float32{}
	for r, n := range counts {
		seen[r] = float32(math.Log(n / total / 1.6)) // the page shows some 60 % of what a text holds
	}
	return seen
}
