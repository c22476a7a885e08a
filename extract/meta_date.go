package extract

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"ibid/internal/lazyregexp"
)

// isoDate returns the first value that is a date, as dateOf.
func isoDate(values ...string) string {
	for _, v := range values {
		if d := dateOf(v); d != "" {
			return d
		}
	}
	return ""
}

const monthNames = `(jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec|january|february|march|april|june|july|august|september|october|november|december)`

// The forms in which a value made for machines may hold a date. Each must be all of the value, but for a time of day.
var (
	timeOfDay   = `(?:[T\s,]+\d.*)?`
	weekday     = `(?:(?:mon|tues?|wed|wednes|thu|thurs?|fri|sat|satur|sun)(?:day)?\.?,?\s+)?`
	isoForm     = lazyregexp.New(`^([12]\d{3})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2})` + timeOfDay + `)?)?$`)
	basicForm   = lazyregexp.New(`^([12]\d{3})(\d{2})(\d{2})(?:T\d{4,6}.*|\d{6})?$`)
	numericForm = lazyregexp.New(`^(\d{1,2})([/.])(\d{1,2})[/.]([12]\d{3})` + timeOfDay + `$`)
	dayFirst    = lazyregexp.New(`(?i)^` + weekday + `(\d{1,2})(?:st|nd|rd|th)?[\s-]+` + monthNames + `\.?,?[\s-]+([12]\d{3})` + timeOfDay + `$`)
	monthFirst  = lazyregexp.New(`(?i)^` + weekday + monthNames + `\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+([12]\d{3})` + timeOfDay + `$`)
	monthOnly   = lazyregexp.New(`(?i)^` + monthNames + `\.?,?\s+([12]\d{3})$`)
	unixForm    = lazyregexp.New(`(?i)^[a-z]{3}\s+` + monthNames + `\s+(\d{1,2})\s+\d{1,2}:\d{2}:\d{2}\s+(?:[A-Z]{2,5}\s+)?([12]\d{3})$`)
)

// dateOf reads a date as a document states it, by the document's own clock: YYYY-MM-DD, YYYY-MM or YYYY; "" for what is
// no date, or may be two. It reads no prose: a wrong date is worse than none.
func dateOf(value string) string {
	s := strings.TrimSpace(value)
	if len(s) > 100 {
		return ""
	}
	if m := basicForm.FindStringSubmatch(s); m != nil {
		return date(m[1], m[2], m[3])
	}
	if m := isoForm.FindStringSubmatch(s); m != nil {
		return date(m[1], m[2], m[3])
	}
	if m := numericForm.FindStringSubmatch(s); m != nil {
		day, month := m[1], m[3]
		a, _ := strconv.Atoi(day)
		b, _ := strconv.Atoi(month)
		switch {
		case m[2] == "." || a > 12 || a == b: // with dots the day is first everywhere
		case b > 12:
			day, month = month, day
		default:
			return ""
		}
		return date(m[4], month, day)
	}
	if m := dayFirst.FindStringSubmatch(s); m != nil {
		return date(m[3], m[2], m[1])
	}
	if m := monthFirst.FindStringSubmatch(s); m != nil {
		return date(m[3], m[1], m[2])
	}
	if m := unixForm.FindStringSubmatch(s); m != nil {
		return date(m[3], m[1], m[2])
	}
	if m := monthOnly.FindStringSubmatch(s); m != nil {
		return date(m[2], m[1], "")
	}
	return ""
}

// date checks a date and prints it. Programs write the first day of 1970 for a date that they do not know.
func date(year, month, day string) string {
	y, _ := strconv.Atoi(year)
	m, err := strconv.Atoi(month)
	if err != nil && month != "" {
		m = 1 + strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", strings.ToLower(month[:3]))/3
	}
	d, _ := strconv.Atoi(day)
	switch {
	case y < 1000 || y > 2200, month != "" && (m < 1 || m > 12), y == 1970 && m == 1 && d == 1:
		return ""
	case month == "":
		return fmt.Sprintf("%04d", y)
	case day == "":
		return fmt.Sprintf("%04d-%02d", y, m)
	}
	if t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC); t.Day() != d || d < 1 {
		return ""
	}
	return fmt.Sprintf("%04d-%02d-%02d", y, m, d)
}
