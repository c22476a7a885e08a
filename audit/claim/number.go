package claim

import (
	"math"
	"strconv"
	"strings"
)

// parseFactor reads a factor of the unit table.
func parseFactor(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic("claim: the factor " + s + " of a unit is none")
	}
	return v
}

// parseNumber reads a number in digits: 1,234.5  41,6  1.234.567  80 000  3/4  10^6. Of a number that may be read in two
// ways (1.234, with a point or a group) alt is the second. step is the value of one in its last place.
func parseNumber(s string) (value, alt, step float64, ok bool) {
	if a, b, found := strings.Cut(s, "^"); found {
		x, err1 := strconv.ParseFloat(a, 64)
		y, err2 := strconv.ParseFloat(b, 64)
		v := math.Pow(x, y)
		return v, v, 0, err1 == nil && err2 == nil && !math.IsInf(v, 0)
	}
	if a, b, found := strings.Cut(s, "/"); found {
		x, err1 := strconv.ParseFloat(a, 64)
		y, err2 := strconv.ParseFloat(b, 64)
		if err1 != nil || err2 != nil || y == 0 || len(a) > 3 || len(b) > 3 {
			return 0, 0, 0, false
		}
		return x / y, x / y, 0, true
	}
	if strings.Contains(s, ":") {
		v, err := strconv.ParseFloat(strings.ReplaceAll(s, ":", "."), 64)
		return v, v, 0, err == nil
	}
	plain := s
	if strings.ContainsAny(s, " '") {
		plain = strings.ReplaceAll(strings.ReplaceAll(s, " ", ""), "'", "")
	}
	points, commas := strings.Count(plain, "."), strings.Count(plain, ",")
	last := strings.LastIndexAny(plain, ".,")
	var decimals int
	switch {
	case points > 1 && commas == 0:
		plain = strings.ReplaceAll(plain, ".", "")
	case points == 1 && commas > 0 && plain[last] == ',': // 1.234,5
		decimals = len(plain) - last - 1
		plain = strings.ReplaceAll(plain[:last], ".", "") + "." + plain[last+1:]
	case commas == 1 && points == 0 && len(plain)-last != 4: // 41,6
		decimals = len(plain) - last - 1
		plain = strings.ReplaceAll(plain, ",", ".")
	default:
		if points == 1 {
			decimals = len(plain) - last - 1
		}
		plain = strings.ReplaceAll(plain, ",", "")
	}
	value, err := strconv.ParseFloat(plain, 64)
	if err != nil || len(plain) > 30 {
		return 0, 0, 0, false
	}
	alt = value
	if points == 1 && commas == 0 && decimals == 3 && value < 1000 && value >= 1 {
		alt = value * 1000
	}
	step = math.Pow(10, -float64(decimals))
	if decimals == 0 {
		for step = 1; value != 0 && math.Mod(value, step*10) == 0 && step < 1e15; {
			step *= 10
		}
	}
	return value, alt, step, true
}

var (
	smallNumber = map[string]float64{"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
		"nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
		"eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
	scaleWord = map[string]float64{"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12}
	partWord  = map[string]float64{"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4, "fourths": 4, "fifth": 5,
		"fifths": 5, "sixth": 6, "sixths": 6, "seventh": 7, "sevenths": 7, "eighth": 8, "eighths": 8, "ninth": 9, "tenth": 10, "tenths": 10, "hundredth": 100}
)

// cardinal reads a whole number in words from word i on: twenty-one, two hundred and five, eleven million. n is how many
// words it took.
func (t *text) cardinal(i int) (total float64, n int) {
	var group float64
	lastSmall := 100.0 // the last word's value, so that "two three" stays two numbers
	for i+n < len(t.words) {
		if n > 0 && t.words[i+n].s == "--" && lastSmall >= 20 && lastSmall < 100 { // twenty - five, as some corpora part it
			if v, small := smallNumber[t.at(i+n+1).s]; small && v > 0 && v < 10 {
				group += v
				lastSmall = v
				n += 2
				continue
			}
		}
		if n > 0 && !t.joined(i+n) {
			break
		}
		w := t.words[i+n].s
		if v, isSmall := smallNumber[w]; isSmall && v < lastSmall && (lastSmall == 100 || lastSmall >= 20 && v > 0 && v < 10) {
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
		if w == "and" && n > 0 && lastSmall == 100 && scaleWord[t.words[i+n-1].s] >= 100 && i+n+1 < len(t.words) {
			if _, small := smallNumber[t.words[i+n+1].s]; small {
				n++
				continue
			}
		}
		break
	}
	return total + group, n
}

// joined reports whether only a space or hyphen stands before word i.
func (t *text) joined(i int) bool {
	if i <= 0 || i >= len(t.words) {
		return false
	}
	return strings.Trim(t.gap(i), " -\n") == ""
}
