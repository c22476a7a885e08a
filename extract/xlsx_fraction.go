package extract

import (
	"math"
	"strconv"
	"strings"

	"ibid/internal/lazyregexp"
)

// fractionFormat is a format of vulgar fractions: whole part, numerator, denominator, which may be given.
var fractionFormat = lazyregexp.New(`^(?:([#0?,]+) +)?([#0?]{1,7}) ?/ ?([#0?]{1,4}|[1-9][0-9]{0,3})$`)

// maxDenominator is that of the longest format; a closer fraction takes no more digits.
const maxDenominator = 9999

// fraction shows a number as a format of fractions does; false for any other format. The
// denominator has no more digits than the format.
func fraction(code string, v float64) (string, bool) {
	parts := formatSections(code)
	code = parts[0]
	signed := v < 0
	if signed && len(parts) > 1 {
		code = parts[1]
		if signed = strings.HasPrefix(code, "-"); signed {
			code = code[1:]
		}
	}
	m := fractionFormat.FindStringSubmatch(strings.NewReplacer(`\ `, " ", "_-", "", "_)", "", `" "`, " ").Replace(code))
	if m == nil || math.Abs(v) > 1e12 {
		return "", false
	}
	v = math.Abs(v)
	whole := 0.0
	if m[1] != "" {
		whole = math.Floor(v)
	}
	num, den := 0.0, 0.0
	if given, err := strconv.Atoi(m[3]); err == nil && given > 0 {
		den = float64(given)
		num = math.Round((v - whole) * den)
	} else {
		num, den = nearFraction(v-whole, min(int(math.Pow10(len(m[3])))-1, maxDenominator))
	}
	if m[1] != "" && num == den {
		whole, num = whole+1, 0
	}
	shown := ""
	if whole > 0 || num == 0 || strings.HasSuffix(m[1], "0") {
		shown = numberFormat{grouped: strings.Contains(m[1], ",")}.digits(whole)
	}
	if num > 0 || m[1] == "" {
		shown += " " + strconv.FormatFloat(num, 'f', -1, 64) + "/" + strconv.FormatFloat(den, 'f', -1, 64)
	}
	if shown = strings.TrimSpace(shown); signed && (whole > 0 || num > 0) {
		shown = "-" + shown
	}
	return shown, true
}

// nearFraction returns the last convergent of v's continued fraction whose denominator is at most so large, as
// spreadsheet programs take it: 0.456 is 1/2, 26/57 or 57/125.
func nearFraction(v float64, most int) (num, den float64) {
	const exact = 5e-8
	lastNum, lastDen := 1.0, 0.0
	num, den = math.Floor(v), 1
	for rest := v - num; rest > exact; {
		v = 1 / rest
		whole := math.Floor(v)
		n, d := whole*num+lastNum, whole*den+lastDen
		if d > float64(most) {
			break
		}
		lastNum, lastDen, num, den = num, den, n, d
		rest = v - whole
	}
	return num, den
}
