package extract

import (
	"math"
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// A guess is what a document is most likely written in.
type guess struct {
	charset string
	score   float64 // log-likelihood of the words
	words   evidenceWords
	plain   map[*letters]float64 // of the words in ASCII, by language
	foreign float64              // of the same in a language without an alphabet
}

// guessCharset reads the words of a document in every charset as every language that is written in it, and takes the
// reading that is the most likely text.
func guessCharset(body []byte) guess {
	g := guess{words: wordsOf(body)}
	if g.words.size == 0 {
		return g
	}
	m := models()
	english := m.languages["en"].plain(g.words.plain)
	g.plain = map[*letters]float64{}
	for _, language := range m.languages {
		sum := 0.0
		for i, own := range language.plain(g.words.plain) {
			sum += max(own, english[i]-1) // any page holds English words
		}
		g.plain[language] = sum
	}
	for _, s := range english {
		g.foreign += s - 1
	}
	for i := range m.pairings {
		g.note(m.pairings[i].charset, g.as(&m.pairings[i]))
	}
	for i := range m.double {
		g.note(m.double[i].charset, g.inPairs(&m.double[i]))
	}
	return g
}

func (g *guess) note(charset string, score float64) {
	if g.charset == "" || score > g.score {
		g.charset, g.score = charset, score
	}
}

// as is how likely the words are in one charset and language.
func (g *guess) as(p *pairing) float64 {
	score := g.plain[p.model] - p.rare
	for _, word := range g.words.high {
		score += p.score(word)
	}
	return score
}

// inPairs is how likely the words are in a charset of two bytes a character.
func (g *guess) inPairs(c *characters) float64 {
	score := g.foreign - c.rare
	for _, word := range g.words.high {
		score += c.score(word)
	}
	return score
}

// double reports whether the guess is a charset of two bytes a character.
func (g *guess) double() bool {
	return slices.ContainsFunc(models().double, func(c characters) bool { return c.charset == g.charset })
}

// under is how likely the words are in a charset that was declared, in whatever language. It does not know all charsets.
func (g *guess) under(name string, e encoding.Encoding) (score float64, known bool) {
	m := models()
	for i := range m.double {
		if m.double[i].charset == name {
			return g.inPairs(&m.double[i]), true
		}
	}
	if _, single := e.(*charmap.Charmap); !single {
		return 0, false
	}
	runes := runesOf(e)
	score = math.Inf(-1)
	for _, language := range m.languages {
		p := pair(name, 0, &runes, language)
		score = max(score, g.as(&p))
	}
	return score, true
}

// plain scores words of ASCII letters. A language without them finds them foreign.
func (m *letters) plain(words [][]byte) []float64 {
	scores := make([]float64, len(words))
	for i, word := range words {
		last, sum := uint8(0), 0.0
		for _, c := range word {
			this := m.index[rune(c|0x20)]
			if this == 0 {
				sum += costForeign
			} else {
				sum += float64(m.next[last][this])
			}
			last = this
		}
		scores[i] = sum + float64(m.next[last][0])
	}
	return scores
}

// score is how likely a word is, read byte by byte.
func (p *pairing) score(word []byte) float64 {
	last, sum := uint8(0), 0.0
	small, latin := false, false // what the byte before was: a small letter; an ASCII letter in a language without them
	for i, c := range word {
		this := p.letter[c]
		foreign := c < 0x80 && p.sign[c] != 0
		switch {
		case this > 0:
			sum += float64(p.model.next[last][this])
			if small && p.upper[c] {
				sum += costCase
			}
			if latin {
				sum += costMixed
			}
		default:
			if last > 0 {
				sum += float64(p.model.next[last][0])
			}
			sum += float64(p.sign[c])
			if foreign && last > 0 {
				sum += costMixed
			}
			if c >= 0x80 && !p.between[c] && last > 0 && i+1 < len(word) && p.letter[word[i+1]] > 0 {
				sum += costInside
			}
		}
		last, small, latin = this, this > 0 && !p.upper[c], foreign
	}
	if last > 0 {
		sum += float64(p.model.next[last][0])
	}
	return sum
}

// score reads a word as characters of two bytes.
func (c *characters) score(word []byte) float64 {
	text, err := c.encoding.NewDecoder().Bytes(word)
	if err != nil {
		return costBroken * float64(len(word))
	}
	sum := 0.0
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		text = text[n:]
		sum += c.cost(r)
	}
	return sum
}

func (c *characters) cost(r rune) float64 {
	if s, ok := c.seen[r]; ok {
		return float64(s)
	}
	switch {
	case r < 0x80 && isLetter(r):
		return -3.3
	case r < 0x80:
		return 0
	case r == unicode.ReplacementChar || r < 0xa0 || r >= 0xe000 && r < 0xf900:
		return 2 * costBroken
	case unicode.Is(unicode.Han, r):
		return c.han(r)
	case unicode.Is(unicode.Hangul, r) && c.charset == "euc-kr":
		return -8.5
	case unicode.In(r, unicode.Hiragana, unicode.Katakana) && r < 0xff00 && c.charset != "euc-kr":
		return -8
	}
	return 2 * costOdd
}

// han is the cost of a character that the sample does not show: lists of characters begin with the common ones.
func (c *characters) han(r rune) float64 {
	code, err := c.encoding.NewEncoder().Bytes([]byte(string(r)))
	if err != nil || len(code) != 2 {
		return 2 * costOdd
	}
	lead, common := code[0], false
	switch c.charset {
	case "gb18030":
		common = lead >= 0xb0 && lead <= 0xd7 && code[1] >= 0xa1
	case "big5":
		common = lead >= 0xa4 && lead <= 0xc6
	case "shift_jis":
		common = lead >= 0x88 && lead <= 0x97 || lead == 0x98 && code[1] <= 0x72
	case "euc-jp":
		common = lead >= 0xb0 && lead <= 0xcf
	case "euc-kr":
		return -13
	}
	if common {
		return -9
	}
	return -13
}
