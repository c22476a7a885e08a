package extractive

import (
	"strings"

	"ibid/internal/lazyregexp"
)

// comparisons are the shapes in which two things are held against each other. Groups a and b are the things, rest is in
// what respect, is is a predicate.
var comparisons = []*lazyregexp.Regexp{
	lazyregexp.New(`(?i)^compare (?P<a>.+?) (?:and|with|to|against|vs\.?|versus) (?P<b>.+?)(?P<rest>(?: (?:for|in|on|when|as|with respect to|in terms of) .+)?)$`),
	lazyregexp.New(`(?i)\bdifferences? between (?P<a>.+?) and (?P<b>.+?)(?P<rest>(?: (?:for|in|on|when|as|with respect to|in terms of) .+)?)$`),
	lazyregexp.New(`(?i)^how (?:do|does|did) (?P<a>.+?) (?:compare|differ|perform compared|fare)(?:d)? (?:with|to|from|against) (?P<b>.+?)(?P<rest>(?: (?:for|in|on|when|as|with respect to|in terms of) .+)?)$`),
	lazyregexp.New(`(?i)^how (?:do|does|did) (?P<a>.+?) and (?P<b>.+?) (?:compare|differ)(?P<rest>(?: .+)?)$`),
	lazyregexp.New(`(?i)^(?:which|what|who)(?: one)? (?P<is>(?:is|are|was|were|has|have|does|do|costs?|uses?|runs?) .+?)[,:–—-] ?(?P<a>.+?),? or (?P<b>.+?)(?P<rest>)$`),
	lazyregexp.New(`(?i)^(?:is|are|was|were) (?P<a>.+?) (?P<is>(?:\w+er|more \w+|less \w+|better|worse)) than (?P<b>.+?)(?P<rest>(?: (?:for|in|on|when) .+)?)$`),
	lazyregexp.New(`(?i)^(?:should (?:i|we|one) (?:use|choose|pick|take|prefer|buy)) (?P<a>.+?) or (?P<b>.+?)(?P<rest>(?: (?:for|in|on|when|as) .+)?)$`),
	lazyregexp.New(`(?i)^(?:are|were|do|did|have) (?P<a>[A-Z].+?) and (?P<b>[A-Z].+?) (?:both )(?P<is>.+?)(?P<rest>)$`),
	lazyregexp.New(`(?i)^(?:what about |)(?P<a>.+?),? (?:vs\.?|versus|compared (?:with|to)|or rather) (?P<b>.+?)(?P<rest>(?:,? (?:for|in|on|when|as|with respect to|in terms of) .+)?)$`),
}

// sidesOf are the two things that a question holds against each other, where it says not in what respect, so that an
// answer speaks of both.
func sidesOf(question string) (a, b string, ok bool) {
	s := strings.Trim(oneLine(question), " ?.,")
	for _, re := range comparisons {
		if m := re.FindStringSubmatch(s); m != nil && re.SubexpIndex("is") < 0 && re.SubexpIndex("rest") > 0 {
			a = regexpAsks.ReplaceAllString(strings.Trim(m[re.SubexpIndex("a")], " ,"), "")
			return a, strings.Trim(m[re.SubexpIndex("b")], " ,"), true
		}
	}
	return "", "", false
}

// compare makes three questions of a comparison: one for each thing and the joint one. Other questions stay one.
func compare(s string) []string {
	s = strings.Trim(oneLine(s), " ?.,")
	for _, re := range comparisons {
		m := re.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		group := func(name string) string {
			if i := re.SubexpIndex(name); i > 0 {
				return strings.Trim(m[i], " ,")
			}
			return ""
		}
		a, b, rest, is := group("a"), group("b"), group("rest"), group("is")
		a = strings.TrimSpace(regexpAsks.ReplaceAllString(a, ""))
		if a == "" || b == "" || len(strings.Fields(a)) > 8 || len(strings.Fields(b)) > 8 {
			continue
		}
		if pointing.MatchString(b) { // the old one
			return []string{s}
		}
		a = shareHead(a, b)
		joint := s
		if !asking.MatchString(s) || strings.HasPrefix(strings.ToLower(s), "compare") {
			joint = strings.TrimSpace("how do " + a + " and " + b + " compare " + rest)
		}
		return []string{each(a, is, rest), each(b, is, rest), joint}
	}
	return []string{s}
}

// pointing is a second thing that is named by nothing but the first.
var pointing = lazyregexp.New(`(?i)^(?:(?:the|an?|its|their) )?(?:\w+ )?(?:ones?|others?|it|them|that|those|rest|predecessors?)$`)

// shareHead gives the first of two things the noun that it shares with the second: "a buffered and an unbuffered channel".
func shareHead(a, b string) string {
	as, bs := strings.Fields(a), strings.Fields(b)
	if len(as) == 0 || len(bs) < 2 || len(as) >= len(bs) || len(strings.Fields(content(a))) != 1 {
		return a
	}
	if last := as[len(as)-1]; !adjective.MatchString(last) && !attributive.MatchString(last) {
		return a
	}
	return a + " " + bs[len(bs)-1]
}

// attributive are endings of words that stand in front of nouns.
var attributive = lazyregexp.New(`(?i)(?:ed|ern|ic|al|ary|ent|ant|ing|ian|ese|ar)$`)

var regexpAsks = lazyregexp.New(`(?i)^(?:what|how|which|why|is|are|do|does)\b\s*(?:is|are|about|does|do)?\s*`)

// each asks about one of two things what the comparison asks about both.
func each(thing, is, rest string) string {
	switch verb, tail, _ := strings.Cut(is, " "); {
	case is == "" && rest == "":
		return "what is " + thing
	case is == "":
		return "how is " + thing + " " + rest
	case aux[strings.ToLower(verb)]:
		return strings.TrimSpace(verb + " " + thing + " " + tail + " " + rest)
	case verbs[strings.ToLower(verb)]:
		return strings.TrimSpace("what of " + thing + ": " + is + " " + rest)
	default:
		return strings.TrimSpace("is " + thing + " " + is + " " + rest)
	}
}

var aux = set("is are was were has have does do")
