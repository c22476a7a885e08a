package audit

import (
	"strings"
	"unicode"

	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

// byName is how a sentence says at its beginning whose words follow: "According to TR-2024-17, …".
var byName = lazyregexp.New(`(?i)^(?:according to|as stated in|as reported in|laut|selon|según) ((?:the )?[^,;:]{2,100}),`)

// differing parts those who say that figures differ from those who say that they agree, which is held against each source.
var differing = lazyregexp.New(`(?i)\b(?:disagree|differ|conflict|diverge|contradict|at odds)\b`)

// aboutCited are the words of a statement about what it cites, as far as they are true of it: the name of a cited source, by its
// title, publisher or author, and a remark that figures differ ("…; the two figures disagree").
// They are not held against the quotes.
func (c *checker) aboutCited(b *block, s statement, cites []evidence.Citation, groups []citedGroup) (list []string) {
	if m := byName.FindStringSubmatch(s.text); m != nil && c.namesCited(m[1], cites) {
		list = append(list, m[0])
	}
	if end := groups[len(groups)-1].End; end < s.End {
		tail := strings.TrimFunc(b.without(Range{end, s.End}), func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSpace(r) })
		if comparison.MatchString(tail) && differing.MatchString(tail) {
			list = append(list, tail)
		}
	}
	return list
}

// namesCited reports whether a name is one that a cited source goes by.
func (c *checker) namesCited(name string, cites []evidence.Citation) bool {
	said := words(strings.ToLower(name))
	if len(said) > 0 && said[0] == "the" {
		said = said[1:]
	}
	want := " " + strings.Join(said, " ") + " "
	for _, ci := range cites {
		if src := c.sources[ci.Source]; src != nil && len(said) > 0 {
			for _, known := range []string{src.Title, src.Publisher, src.Author} {
				if strings.Contains(" "+strings.Join(words(strings.ToLower(known)), " ")+" ", want) {
					return true
				}
			}
		}
	}
	return false
}
