package audit

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A figure is a number as a text states it.
type figure struct {
	value   float64
	unit    string // the word or sign that it counts, "" if none stands there
	text    string // as written, in lower case
	inWords bool   // six, half, twice
	loose   bool   // about, nearly, more than …: the text does not claim to be exact
	derived bool   // by 12, 12 more, 63 percent: may be computed from others
}

// figures lists the numbers of a text. Ordinals, the word "one" by itself and figures inside names (TR-2024-17, 9f3c2ab)
// are left out.
func figures(text string) []figure {
	low := fold(text)
	if !strings.ContainsFunc(low, isDigit) && !hasNumberWord(low) {
		return nil
	}
	toks := tokens(low)
	var out []figure
	for i := 0; i < len(toks); {
		f, n, ok := digitFigure(low, toks[i:])
		if !ok {
			f, n, ok = wordFigure(low, toks[i:])
		}
		if ok {
			f.text = low[toks[i].start:toks[i+n-1].end]
			f.surround(low, toks, i, i+n)
			out = append(out, f)
		}
		i += max(n, 1)
	}
	return out
}

// digitFigure reads a number in digits at the start of toks; n is the tokens taken, also where it is no figure.
func digitFigure(low string, toks []token) (f figure, n int, ok bool) {
	t := toks[0].text
	if t[0] < '0' || t[0] > '9' {
		return f, 0, false
	}
	end := len(t) - len(strings.TrimLeft(t, "0123456789.,:/^' "))
	digits, glued := strings.TrimRight(t[:end], ".,:/^' "), t[end:]
	switch {
	case glued != "" && !unitGlued.MatchString(glued), inName(low, toks[0].start):
		return f, 1, false
	case glued == "st" || glued == "nd" || glued == "rd" || glued == "th":
		glued = ""
	}
	if f.value, ok = parseDigits(digits); !ok {
		return f, 1, false
	}
	f.unit = glued
	n = 1
	if m := scaleOf[glued]; m != 0 && glued != "m" {
		f.value, f.unit = f.value*m, ""
	}
	if len(toks) > 1 && strings.Trim(low[toks[0].end:toks[1].start], " -") == "" && glued == "" {
		if v, isFraction := strings.CutPrefix(toks[1].text, "1/"); isFraction && v != "" && f.value < 1000 {
			if part, ok := parseDigits(toks[1].text); ok && part < 1 { // 3 1/2
				f.value += part
				n = 2
			}
		} else if m := scaleOf[toks[1].text]; m != 0 && len(toks[1].text) > 1 {
			f.value *= m
			n = 2
		}
	}
	return f, n, true
}

var (
	unitGlued = regexp.MustCompile(`^(?:st|nd|rd|th|s|k|bn|tn|pp|ppm|[kmgtcnµ]?(?:wh?|b|bit|m|g|hz|v|a|s|l|pa|j)|mm|ft|in|lb|px|min|hrs?|h|d|mph|dpi|am|pm|usd|eur|gbp|x|c|f)$`)
	scaleOf   = map[string]float64{"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "millions": 1e6, "bn": 1e9, "billion": 1e9, "tn": 1e12,
		"trillion": 1e12, "dozen": 12, "hundred": 100, "millionen": 1e6, "milliarden": 1e9, "crore": 1e7, "lakh": 1e5}
	datePrefix = set(`mid pre post early late since fy year years the year-end to in by of`)
)

// inName reports whether the digits at i are glued by a hyphen or a letter to a name: TR-2024, Covid-19.
func inName(low string, i int) bool {
	if i > 0 && (low[i-1] == '_' || low[i-1] == '#') {
		return true
	}
	if strings.HasSuffix(low[:i], "commit ") || strings.HasSuffix(low[:i], "revision ") {
		return true
	}
	if i < 2 || low[i-1] != '-' {
		return false
	}
	j := i - 1
	for j > 0 && (low[j-1] >= 'a' && low[j-1] <= 'z' || low[j-1] >= '0' && low[j-1] <= '9' || low[j-1] == '-') {
		j--
	}
	before := low[j : i-1]
	return strings.ContainsFunc(before, unicode.IsLetter) && !datePrefix[before]
}

// parseDigits reads 1,234.5  41.6  41,6  1/3  14  10^2 and takes the year of an ISO date.
func parseDigits(s string) (float64, bool) {
	if a, b, ok := strings.Cut(s, "^"); ok {
		x, err1 := strconv.ParseFloat(a, 64)
		y, err2 := strconv.ParseFloat(b, 64)
		return math.Pow(x, y), err1 == nil && err2 == nil
	}
	if a, b, ok := strings.Cut(s, "/"); ok {
		if len(a) > 3 || len(b) > 3 || b[0] == '0' || a[0] == '0' {
			return 0, false // 2024/08: a name or a date
		}
		x, err1 := strconv.ParseFloat(a, 64)
		y, err2 := strconv.ParseFloat(b, 64)
		if err1 != nil || err2 != nil || y == 0 {
			return 0, false
		}
		return x / y, true
	}
	if strings.Contains(s, ":") { // a time of day or a ratio: compared as one number
		s = strings.ReplaceAll(s, ":", "")
	}
	if strings.ContainsAny(s, "' ") {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "'", ""), " ", "")
	}
	if i := strings.LastIndexByte(s, ','); i >= 0 {
		if len(s)-i == 4 || strings.Contains(s[i:], ".") || strings.Count(s, ",") > 1 {
			s = strings.ReplaceAll(s, ",", "")
		} else {
			s = s[:i] + "." + s[i+1:]
		}
	}
	if strings.Count(s, ".") > 1 { // a version or grouping
		s = strings.ReplaceAll(s, ".", "")
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && len(s) <= 40
}

// surround notes what stands around the tokens from … to of the figure: its unit, and words that say how exact it is.
func (f *figure) surround(low string, toks []token, from, to int) {
	if f.unit == "" && to < len(toks) && strings.Trim(low[toks[to-1].end:toks[to].start], " -") == "" {
		if f.unit = strings.TrimSuffix(toks[to].text, "s"); f.unit == "%" {
			f.unit = "percent"
		}
	}
	if from > 0 && strings.Contains("$€£¥", toks[from-1].text) {
		f.unit = toks[from-1].text
	}
	for _, t := range toks[max(0, from-3):from] {
		f.loose = f.loose || nearWords[t.text]
		f.derived = f.derived || deriveWords[t.text]
	}
	for _, t := range toks[to:min(len(toks), to+3)] {
		f.derived = f.derived || deriveWords[t.text]
	}
	if i := toks[from].start; i > 0 && strings.ContainsRune("~≈<>±", rune(low[i-1])) {
		f.loose = true
	}
	if from > 0 && (toks[from-1].text == "from" || toks[from-1].text == "to") {
		f.derived = false
	}
}

var (
	nearWords = set(`about around roughly approximately approx circa ca some nearly almost over under above below more less than least
		most up close just only exceeding rund etwa knapp environ`)
	deriveWords = set(`by difference differ differs fewer more less times ratio share total combined together altogether sum average half
		higher lower longer shorter larger smaller faster slower cheaper percent percentage % fall drop rise growth increase decrease apart
		third quarter double doubled triple halved`)
)

// same reports whether a states what b states, as far as rounding and the units let it: the same value, the same in
// another unit, or a rounding of it.
func (a figure) same(b figure) bool {
	if near(a.value, b.value, 1e-9) {
		return true
	}
	if a.rounds(b) || b.rounds(a) {
		return true
	}
	if a.loose && near(a.value, b.value, 0.05) {
		return true
	}
	// 20 percent is one in five; 41,600 MWh is 41.6 GWh; $0.031 is 3.1 cents. The units must differ for that.
	if a.unit == b.unit || a.value == 0 || b.value == 0 {
		return false
	}
	ratio := math.Log10(math.Abs(a.value / b.value))
	if k := math.Round(ratio); math.Abs(ratio-k) < 1e-6 && (math.Mod(k, 3) == 0 || k == 2 || k == -2) {
		return true
	}
	return a.loose && (near(a.value*100, b.value, 0.05) || near(a.value, b.value*100, 0.05))
}

// rounds reports whether a is b rounded to the places that a shows, with two significant digits at least.
func (a figure) rounds(b figure) bool {
	if a.inWords || math.Abs(a.value) < 10 && a.value == math.Trunc(a.value) {
		return false
	}
	places := 0
	if i := strings.IndexByte(a.text, '.'); i >= 0 {
		for _, c := range a.text[i+1:] {
			if c < '0' || c > '9' {
				break
			}
			places++
		}
	}
	unit := math.Pow(10, -float64(places))
	return b.value != math.Trunc(b.value) && math.Abs(a.value-b.value) <= unit/2*(1+1e-9)
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*math.Max(math.Abs(a), math.Abs(b))
}

// follows reports whether the value can be computed from two figures of known: a difference, a sum, a ratio, a change in
// percent, or the rest to 100 percent.
func (a figure) follows(known []figure) bool {
	if len(known) > 5 {
		return false // out of many figures nearly any other can be made
	}
	tol := 0.011
	for i, x := range known {
		if strings.HasPrefix(a.unit, "percent") || a.unit == "%" {
			if near(a.value, 100-x.value, tol) {
				return true
			}
		}
		for j, y := range known {
			if i == j || y.value == 0 {
				continue
			}
			for _, v := range []float64{x.value - y.value, x.value + y.value, x.value / y.value, 100 * x.value / y.value,
				100 * (x.value - y.value) / y.value, 100 * (y.value - x.value) / y.value} {
				if v > 0 && near(a.value, v, tol) {
					return true
				}
			}
		}
	}
	return false
}

// found reports whether a figure is among known, by itself or computed where the text says that it is.
func (a figure) found(known []figure) bool {
	return slices.ContainsFunc(known, a.same) || a.derived && a.follows(known) || a.inWords && a.value < 1 && a.follows(known)
}
