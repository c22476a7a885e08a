package extract

import (
	"fmt"
	"math"
	"strings"

	"ibid/internal/lazyregexp"
)

// days1904 is the day number of 1 January 1904, on which the second system of dates begins, in the first.
const days1904 = 1462

// lastDay is the day number of 31 December 9999: no later one is shown.
const lastDay = 2958465

var (
	elapsedPart = lazyregexp.New(`\[(?:h+|m+|s+)\]`)
	secondParts = lazyregexp.New(`(?i)s\]?\.(0{1,3})`)
)

// readTimes notes what a format, without its quoted text and in lower case, shows of a moment.
func (f *numberFormat) readTimes(shown string) {
	if !strings.ContainsAny(shown, "ymdhs") {
		return
	}
	f.cost, f.moment = 8, true
	f.elapsed = elapsedPart.MatchString(shown)
	f.day = !strings.ContainsAny(shown, "hs0#?[")
	f.clock = !f.day && !f.elapsed && !strings.ContainsAny(shown, "ydeg") && !strings.Contains(shown, "mmm")
	if m := secondParts.FindStringSubmatch(shown); m != nil {
		f.fractions = len(m[1])
	}
}

// momentOf is the value that the library needs to show a moment as a sheet does: counted in the first system of dates,
// in whole seconds where parts of them are shown, which it loses: those are returned apart. A length of time does not
// begin on any day. False if a sheet shows no date.
func (f numberFormat) momentOf(v float64, from1904 bool) (at float64, parts string, ok bool) {
	if v < 0 {
		return 0, "", false
	}
	switch {
	case f.clock:
		v -= math.Floor(v)
	case from1904 && !f.elapsed:
		v += days1904
	}
	const tick = 1e-9 // of a day, for what is a whole second but for the last digit
	switch {
	case v > lastDay+1, f.elapsed && v > maxElapsed:
		return 0, "", false
	case f.day: // the time of day does not show
		return math.Floor(v + tick), "", true
	case f.fractions > 0:
		unit := math.Pow10(f.fractions)
		count := math.Round(v * 86400 * unit)
		seconds := math.Floor(count / unit)
		return (seconds + 0.01) / 86400, fmt.Sprintf(".%0*.0f", f.fractions, count-seconds*unit), true
	}
	return v, "", true
}

// maxElapsed is the length of time, in days, up to which the library counts.
const maxElapsed = 100_000

// partsMark stands for the parts of a second in what the library shows.
const partsMark = "\ue000"

// marked is a format with a mark in place of the parts of seconds.
func (f numberFormat) marked(code string) string {
	if f.fractions == 0 {
		return code
	}
	return secondParts.ReplaceAllStringFunc(code, func(s string) string {
		return s[:strings.IndexByte(s, '.')] + `"` + partsMark + `"`
	})
}
