package extract

import (
	"strconv"
	"strings"

	"ibid/internal/lazyregexp"
)

// formatCondition is what a section of a number format asks of a value, as in [>=1000].
var formatCondition = lazyregexp.New(`^((?:\[[^\]<>=]*\])*)\[(<=|>=|<>|<|>|=)(-?[0-9.]+)\]`)

// formatSection returns the section of a format code that is meant for a value, where the workbook library would take
// another one: it looks at no conditions, and has none for zero. Any other code comes back whole. False says that the
// section cannot be told.
func formatSection(code string, v float64) (string, bool) {
	parts := formatSections(code)
	conditional := false
	for _, p := range parts {
		conditional = conditional || formatCondition.MatchString(p)
	}
	switch {
	case !conditional && v == 0 && len(parts) >= 3:
		if zero := parts[2]; !strings.ContainsAny(zero, "0#/") {
			return strings.ReplaceAll(zero, "?", ""), true // "-"??: places without digits
		}
		return parts[2], true
	case !conditional:
		return code, true
	case v < 0: // whether its sign shows hangs on what the other sections leave
		return "", false
	}
	for _, p := range parts {
		m := formatCondition.FindStringSubmatch(p)
		if m == nil {
			return p, true
		}
		limit, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			return "", false
		}
		if strings.Contains(m[2], "<") && v < limit || strings.Contains(m[2], ">") && v > limit ||
			strings.Contains(m[2], "=") && v == limit {
			return m[1] + p[len(m[0]):], true
		}
	}
	return "", false
}

var paddedDecimals = lazyregexp.New(`\.[0#?]*\?[0#?]*`)

// unpadded returns a format code with digits that show in place of those that leave a space, which the library loses.
func unpadded(code string) string {
	b := []byte(code)
	for _, m := range paddedDecimals.FindAllStringIndex(code, -1) {
		if strings.Count(code[:m[0]], `"`)%2 == 0 && (m[0] == 0 || code[m[0]-1] != '\\') {
			copy(b[m[0]:m[1]], strings.ReplaceAll(code[m[0]:m[1]], "?", "#"))
		}
	}
	return string(b)
}

// formatSections parts a format code at its semicolons, but for those that are text.
func formatSections(code string) []string {
	var parts []string
	from, quoted := 0, false
	for i := 0; i < len(code); i++ {
		switch c := code[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\\' || c == '_' || c == '*':
			i++
		case c == ';':
			parts = append(parts, code[from:i])
			from = i + 1
		}
	}
	return append(parts, code[from:])
}
