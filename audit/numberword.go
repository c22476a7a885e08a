package audit

import (
	"strconv"
	"strings"
	"unicode"
)

var (
	smallNumber = map[string]float64{"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
		"nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
		"eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
	scaleWord = map[string]float64{"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12}
	partWord  = map[string]float64{"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4, "fourths": 4, "fifth": 5,
		"fifths": 5, "sixth": 6, "sixths": 6, "seventh": 7, "eighth": 8, "eighths": 8, "ninth": 9, "tenth": 10, "tenths": 10}
	timesWord = map[string]float64{"twice": 2, "double": 2, "doubled": 2, "doubles": 2, "thrice": 3, "triple": 3, "tripled": 3, "twofold": 2,
		"threefold": 3, "fourfold": 4, "fivefold": 5, "tenfold": 10, "halved": 0.5, "quadrupled": 4}
)

// wordFigure reads a number in words at the start of toks: twenty-one, two hundred and five, eleven million, half, two
// thirds, one in five, twice. "One" alone is none.
func wordFigure(low string, toks []token) (f figure, n int, ok bool) {
	first := toks[0].text
	f.inWords = true
	if v := timesWord[first]; v != 0 {
		f.value, f.unit = v, "times"
		return f, 1, true
	}
	if first == "half" {
		f.value = 0.5
		return f, 1, true
	}
	if (first == "a" || first == "an") && len(toks) > 1 && (partWord[toks[1].text] != 0 || scaleWord[toks[1].text] != 0) {
		if d := partWord[toks[1].text]; d != 0 {
			f.value = 1 / d
		} else {
			f.value = scaleWord[toks[1].text]
		}
		return f, 2, true
	}
	f.value, n = readCardinal(low, toks)
	if n == 0 {
		return f, 0, false
	}
	if n+1 < len(toks) && toks[n].text == "point" && hasSmall(toks[n+1].text) {
		f.value, n = readPoint(f.value, toks, n+1)
	}
	if n < len(toks) && joined(low, toks[n-1], toks[n]) {
		if d := partWord[toks[n].text]; d != 0 && f.value < d {
			f.value /= d
			return f, n + 1, true
		}
		if of, k := readOutOf(low, toks[n:]); k > 0 && of > f.value {
			f.value /= of
			return f, n + k, true
		}
	}
	return f, n, first != "one" || n > 1
}

// readPoint reads the digits after "point", from token n on, and a scale behind them: fourteen point two million.
func readPoint(whole float64, toks []token, n int) (float64, int) {
	unit := 0.1
	for n < len(toks) && hasSmall(toks[n].text) && smallNumber[toks[n].text] < 10 {
		whole += smallNumber[toks[n].text] * unit
		unit /= 10
		n++
	}
	if n < len(toks) && scaleWord[toks[n].text] != 0 {
		return whole * scaleWord[toks[n].text], n + 1
	}
	return whole, n
}

// readOutOf reads "in five", "of every five", "out of five".
func readOutOf(low string, toks []token) (float64, int) {
	k := 0
	switch {
	case toks[0].text == "in":
		k = 1
	case len(toks) > 1 && (toks[0].text == "out" && toks[1].text == "of" || toks[0].text == "of" && toks[1].text == "every"):
		k = 2
	}
	if k == 0 || k >= len(toks) {
		return 0, 0
	}
	if v, n := readCardinal(low, toks[k:]); n > 0 {
		return v, k + n
	}
	if v, err := strconv.ParseFloat(toks[k].text, 64); err == nil {
		return v, k + 1
	}
	return 0, 0
}

// readCardinal reads a whole number in words and says how many tokens it took.
func readCardinal(low string, toks []token) (total float64, n int) {
	var group float64
	lastSmall := 100.0 // the last word's value, so that "two three" stays two numbers
	for n < len(toks) {
		if n > 0 && !joined(low, toks[n-1], toks[n]) {
			break
		}
		w := toks[n].text
		if v, isSmall := smallNumber[w]; isSmall && v < lastSmall && (lastSmall >= 20 || v == 0) {
			group += v
			lastSmall = max(v, 1)
			n++
			continue
		}
		if s := scaleWord[w]; s != 0 && n > 0 {
			if s == 100 || s == 12 {
				group *= s
			} else {
				total += group * s
				group = 0
			}
			lastSmall = 100
			n++
			continue
		}
		if w == "and" && n > 0 && lastSmall == 100 && n+1 < len(toks) && hasSmall(toks[n+1].text) && scaleWord[toks[n-1].text] >= 100 {
			n++
			continue
		}
		break
	}
	return total + group, n
}

func hasSmall(w string) bool { _, ok := smallNumber[w]; return ok }

// joined reports whether only spaces or a hyphen part two tokens.
func joined(low string, a, b token) bool {
	return strings.TrimFunc(low[a.end:b.start], func(r rune) bool { return unicode.IsSpace(r) || r == '-' }) == ""
}

// fold makes all digits ASCII, fractions a/b and superscripts ^n, and the text lower case.
func fold(text string) string {
	ascii := true
	for i := 0; i < len(text) && ascii; i++ {
		ascii = text[i] < 0x80
	}
	if ascii {
		return strings.ToLower(text)
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case vulgar[r] != "":
			b.WriteString(" " + vulgar[r])
		case superscript(r) >= 0:
			b.WriteString("^" + strconv.Itoa(superscript(r)))
		case r >= 0x80 && unicode.IsDigit(r):
			b.WriteByte(byte('0' + digitValue(r)))
		case r == 0x2212 || r >= 0x2010 && r <= 0x2013:
			b.WriteByte('-')
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return strings.ToLower(visible(b.String()))
}

var vulgar = map[rune]string{'½': "1/2", '⅓': "1/3", '⅔': "2/3", '¼': "1/4", '¾': "3/4", '⅕': "1/5", '⅖': "2/5", '⅗': "3/5", '⅘': "4/5",
	'⅙': "1/6", '⅚': "5/6", '⅛': "1/8", '⅜': "3/8", '⅝': "5/8", '⅞': "7/8", '⅒': "1/10", '⅑': "1/9", '⅐': "1/7"}

// superscript is the value of a superscript digit, -1 for any other character.
func superscript(r rune) int {
	switch r {
	case '²':
		return 2
	case '³':
		return 3
	case '¹':
		return 1
	case '⁰':
		return 0
	}
	if r >= '⁴' && r <= '⁹' {
		return int(r-'⁴') + 4
	}
	return -1
}

// digitValue is the value of a decimal digit: the digits of a script are a run of ten that begins at its zero; the
// mathematical ones are five such runs without a gap.
func digitValue(r rune) int {
	if r >= 0x1D7CE && r <= 0x1D7FF {
		return int(r-0x1D7CE) % 10
	}
	n := 0
	for n < 9 && unicode.IsDigit(r-1) {
		r--
		n++
	}
	return n
}
