package extractive

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/internal/lazyregexp"
)

// maxParts bounds the sub-questions of the first plan; a revision may add two.
const maxParts = 6

var (
	command = lazyregexp.New(`(?i)^(?:please |can you |could you |i want to know |i would like to know |i wonder |tell me |find out |explain to me |explain |describe |show me |give me an overview of |summari[sz]e |research |investigate |write a report (?:about|on) |about )+`)
	clause  = lazyregexp.New(`(?i)(?:,\s*|\s+)(?:and|or|but|and also|as well as)\s+((?:what|which|who|whom|whose|when|where|why|how|whether|is|are|does|do|did|can|should|could|will|was|were|at what|in what|for whom)\s)`)
	twoAsks = lazyregexp.New(`(?i)^(what|which|who|when|where|why|how)(?:,\s*|\s+)(?:and|or)\s+(what|which|who|when|where|why|how)\s+(.+)$`)
	nounsOf = lazyregexp.New(`(?i)^(.*?\b(?:the|some|its|their)\s+|)((?:\w+,\s+)*\w+)\s+and\s+(\w+)\s+(of|for|to|in)\s+(.+)$`)
	asking  = lazyregexp.New(`(?i)^(?:(?:at|in|for|by|from|to|on|with|under) )?(?:what|which|who|whom|whose|when|where|why|how|whether|is|are|am|does|do|did|can|could|should|would|will|was|were|has|have|had|must|may|compare)\b`)
)

// sentencesOf cuts at question marks and semicolons, and leaves out what asks nothing when something else does.
func sentencesOf(q string) []string {
	var all, asks []string
	for _, s := range strings.FieldsFunc(oneLine(q), func(c rune) bool { return c == '?' || c == ';' || c == '？' || c == '；' }) {
		for _, s := range strings.Split(strings.TrimSpace(s), ". ") {
			s = strings.Trim(s, " .,:")
			s = strings.TrimSpace(command.ReplaceAllString(s, ""))
			if s == "" {
				continue
			}
			all = append(all, s)
			if asking.MatchString(strings.TrimPrefix(strings.ToLower(s), "and ")) {
				asks = append(asks, s)
			}
		}
	}
	if len(asks) > 0 {
		return asks
	}
	return all
}

// again is a clause that asks twice: "what did they find, and why".
var again = lazyregexp.New(`(?i)^((?:what|which|who|how|when|where)\b.*?),? and (why|how|when|where)$`)

// past is a question for who did something: "who discovered penicillin".
var past = lazyregexp.New(`(?i)^(?:who|what|which \w+) (\w+ed) (.+)$`)

// distribute makes two questions of "when and where was X" and of "the causes and effects of X".
func distribute(s string) []string {
	if m := twoAsks.FindStringSubmatch(s); m != nil {
		return []string{m[1] + " " + m[3], m[2] + " " + m[3]}
	}
	if m := again.FindStringSubmatch(s); m != nil {
		if did := past.FindStringSubmatch(m[1]); did != nil {
			return []string{m[1], m[2] + " was " + did[2] + " " + did[1]}
		}
		if _, rest, ok := strings.Cut(m[1], " "); ok {
			return []string{m[1], m[2] + " " + rest}
		}
	}
	lower := strings.ToLower(s)
	if strings.Contains(lower, "between") || strings.Contains(lower, "compare") {
		return []string{s}
	}
	m := nounsOf.FindStringSubmatch(s)
	if m == nil || !asking.MatchString(s) || strings.Count(m[1], " ") > 4 {
		return []string{s}
	}
	if !strings.HasSuffix(strings.ToLower(m[1]), "the ") {
		return []string{s}
	}
	var out []string
	for _, noun := range append(strings.Split(m[2], ", "), m[3]) {
		if stopWords[strings.ToLower(noun)] {
			return []string{s}
		}
		out = append(out, m[1]+noun+" "+m[4]+" "+m[5])
	}
	return out
}

// asQuestion makes a question of a clause: a capital in front and a question mark behind it.
func asQuestion(s string) string {
	s = strings.Trim(oneLine(s), " ,.;:!-—")
	if s == "" {
		return ""
	}
	for _, lead := range []string{"and ", "or ", "but ", "then ", "so "} {
		if len(s) > len(lead) && strings.EqualFold(s[:len(lead)], lead) {
			s = s[len(lead):]
		}
	}
	c, n := utf8.DecodeRuneInString(s)
	s = string(unicode.ToUpper(c)) + s[n:]
	if !strings.HasSuffix(s, "?") {
		s += "?"
	}
	return s
}
