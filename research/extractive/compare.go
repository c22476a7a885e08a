package extractive

import (
	"slices"
	"strings"

	"ibid/internal/lazyregexp"
)

// comparisons are the shapes in which two things are held against each other. Groups a and b are the things, rest is in
// what respect, is is a predicate.
var comparisons = []*lazyregexp.Regexp{
	lazyregexp.New(`(?i)^compare (?P<a>.+?) (?:and|with|to|against|vs\.?|versus) (?P<b>.+?)(?P<rest>(?: (?:for|in|on|when|as|with respect to|in terms of) .+)?)$`),
	lazyregexp.New(`(?i)\bdifferences? between (?P<a>.+?) and (?P<b>.+?)(?P<rest>(?: (?:for|in|on|when|as|with respect to|in terms of) .+)?)$`),
	lazyregexp.New(`(?i)^how (?:is|are) (?P<a>.+?) different from (?P<b>.+?)(?P<rest>)$`),
	lazyregexp.New(`(?i)^how (?:do|does|did) (?P<a>.+?) (?:compare|differ|perform compared|fare)(?:d)? (?:with|to|from|against) (?P<b>.+?)(?P<rest>(?: (?:for|in|on|when|as|with respect to|in terms of) .+)?)$`),
	lazyregexp.New(`(?i)^how (?:do|does|did) (?P<a>.+?) and (?P<b>.+?) (?:compare|differ)(?P<rest>(?: .+)?)$`),
	lazyregexp.New(`(?i)^(?:which|what|who)(?: one)? (?P<is>[\p{L}-]+ .+?)[,:–—-] ?(?P<a>.+?),? or (?P<b>.+?)(?P<rest>)$`),
	lazyregexp.New(`(?i)^(?:is|are|was|were) (?P<a>.+?) (?P<is>(?:\w+er|more \w+|less \w+|better|worse)) than (?P<b>.+?)(?P<rest>(?: (?:for|in|on|when) .+)?)$`),
	lazyregexp.New(`(?i)^(?:is|are|was|were) (?P<a>.+?),? or (?P<b>.+?) (?P<is>(?:the )?(?:[a-z]+(?:er|est)|more \w+|less \w+|most \w+|least \w+|better|best|worse|worst))(?P<rest>(?: (?:for|in|on|when) .+)?)$`),
	lazyregexp.New(`(?i)^(?:do|does|did) (?P<a>.+?),? or (?P<b>.+?) (?P<is>\w+ (?:more|less|fewer|the most|the least) \w+)(?P<rest>)$`),
	lazyregexp.New(`(?i)^(?:do|does|did) (?P<a>.+?) (?P<is>\w+ (?:more|less|fewer) \w+) than (?P<b>.+?)(?P<rest>)$`),
	lazyregexp.New(`(?i)^(?:should (?:i|we|one) (?:use|choose|pick|take|prefer|buy)) (?P<a>.+?) or (?P<b>.+?)(?P<rest>(?: (?:for|in|on|when|as) .+)?)$`),
	lazyregexp.New(`(?i)^(?:what about |)(?P<a>.+?),? (?:vs\.?|versus|compared (?:with|to)|or rather) (?P<b>.+?)(?P<rest>(?:,? (?:for|in|on|when|as|with respect to|in terms of) .+)?)$`),

	lazyregexp.New(`(?i)\bunterschiede? zwischen (?P<a>.+?) und (?P<b>.+?)(?P<rest>(?: (?:bei|für|in) .+)?)$`),
	lazyregexp.New(`(?i)^(?:wie|worin|wodurch) unterscheide[nt] sich (?P<a>.+?) (?:von|und) (?P<b>.+?)(?P<rest>)$`),
	lazyregexp.New(`(?i)^ist (?P<a>.+?) (?P<is>\p{L}+er) als (?P<b>.+?)(?P<rest>)$`),
	lazyregexp.New(`(?i)^(?:was|wer|welche[rs]?) (?P<is>\p{L}+ .+?)[,:–—-] ?(?P<a>.+?) oder (?P<b>.+?)(?P<rest>)$`),
	lazyregexp.New(`(?i)diferencias? (?:hay |existe )?entre (?P<a>.+?) [ye] (?P<b>.+?)(?P<rest>)$`),
	lazyregexp.New(`(?i)en qué se diferencian? (?P<a>.+?) (?:de|y) (?P<b>.+?)(?P<rest>)$`),
	lazyregexp.New(`(?i)différences? (?:y a-t-il )?entre (?P<a>.+?) et (?P<b>.+?)(?P<rest>)$`),
}

// A comparison is a question that holds two things against each other. What answers it speaks of both; or one sentence
// does of the one thing what another does of the other.
type comparison struct {
	a, b  string // the things
	sides [2]string
	bare  bool // these ask for a measure, and so for nothing but a figure beside the name

	measure *lazyregexp.Regexp // the words for more or less of that measure; nil: it is none that is known
}

// compared reads a question as a comparison.
func compared(l *language, question string) (c comparison, ok bool) {
	s := strings.Trim(oneLine(question), " ?.,¿")
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
			return comparison{}, false
		}
		a = shareHead(a, b)
		c := comparison{a: a, b: b, sides: [2]string{l.each(a, is, rest), l.each(b, is, rest)}}
		for _, m := range measured {
			if l == english && m.word.MatchString(is) {
				c.bare, c.measure = true, m.word
			}
		}
		return c, true
	}
	return comparison{}, false
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

// measured are the words that compare, with the question for what both things are measured in.
var measured = []struct {
	word *lazyregexp.Regexp
	asks string
}{
	{lazyregexp.New(`(?i)\b(?:cheap(?:er|est)|costli(?:er|est)|(?:more|less|most|least) (?:expensive|costly)|costs? (?:more|less)|dearer)\b`), "how much does it cost:"},
	{lazyregexp.New(`(?i)\b(?:high|tall)(?:er|est)\b`), "how high is"},
	{lazyregexp.New(`(?i)\b(?:long|short)(?:er|est)\b`), "how long is"},
	{lazyregexp.New(`(?i)\bwid(?:er|est)\b`), "how wide is"},
	{lazyregexp.New(`(?i)\bdeep(?:er|est)\b`), "how deep is"},
	{lazyregexp.New(`(?i)\b(?:bigg|larg|small)(?:er|est)\b`), "how large is"},
	{lazyregexp.New(`(?i)\b(?:heavi|light)(?:er|est)\b`), "how heavy is"},
	{lazyregexp.New(`(?i)\b(?:fast|slow|quick)(?:er|est)\b`), "how fast is"},
	{lazyregexp.New(`(?i)\b(?:old|new|young|earli|lat)(?:er|est)\b|\bfirst\b`), "when:"},
}

var moreOf = lazyregexp.New(`(?i)^(\w+) (?:more|fewer|less|the most|the least|the fewest) (\w+)$`)

// ranked is what two things have more or less of.
var ranked = lazyregexp.New(`(?i)^(?:has|have|had|gives?|offers?) (?:an? |the )?(?:better|best|worse|worst|high(?:er|est)|low(?:er|est)|great(?:er|est)|larg(?:er|est)|small(?:er|est)) (\p{L}+(?: \p{L}+)?)$`)

var moreOrLess = lazyregexp.New(`(?i)\b(?:more|most|less|least|fewer|fewest|better|best|worse|worst|higher|lower|greater|larger|smaller|as many|as much|same (?:number|amount)|equally) `)

// ranks says whether a sentence on both things tells which of them has more of the measure that is asked for: by a word
// for more or less of it, or by figures.
func (p part) ranks(e *sentence) bool {
	c := p.compares
	if c == nil || e.role == "row" {
		return true
	}
	counts := p.side[0].ask == askCount
	switch {
	case c.measure == nil && !counts, c.measure != nil && c.measure.MatchString(e.flat()):
		return true
	case counts:
		return p.newFigure(e) || c.measure == nil && moreOrLess.MatchString(e.flat())
	}
	return p.side[0].answered(e) > 0
}

// each asks about one of two things what the comparison asks about both. Nobody reads it: it is what sentences on that
// thing are held against.
func (l *language) each(thing, is, rest string) string {
	if l != english {
		return strings.TrimSpace(map[*language]string{german: "Was ist ", spanishWords: "¿Qué es ", frenchWords: "Qu'est-ce que "}[l] + thing + " " + is)
	}
	if m := moreOf.FindStringSubmatch(is); m != nil && rest == "" {
		return "how many " + m[2] + " does " + thing + " " + m[1]
	}
	for _, m := range measured {
		if m.word.MatchString(is) {
			return m.asks + " " + thing
		}
	}
	if m := ranked.FindStringSubmatch(is); m != nil {
		return strings.TrimSpace("how much " + m[1] + " has " + thing + " " + rest)
	}
	switch verb, tail, _ := strings.Cut(is, " "); {
	case is == "" && rest == "":
		return "what is " + thing
	case is == "":
		return "how is " + thing + " " + rest
	case aux[strings.ToLower(verb)]:
		return strings.TrimSpace(verb + " " + thing + " " + tail + " " + rest)
	}
	return strings.TrimSpace("what of " + thing + ": " + is + " " + rest)
}

var aux = set("is are was were has have does do")

// contrast are words by which a sentence sets one thing against another, or says that they are alike.
var contrast = lazyregexp.New(`(?i)\b(?:than|unlike|whereas|while|instead|rather|otherwise|differ\w*|distinct\w*|contrast\w*|compar\w+|both|same|similar\w*|identical|alike|equal\w*|more|less|fewer|als|während|dagegen|hingegen|anders|gegensatz|unterscheid\w*|unterschied\w*|beide|statt|sondern|mientras|diferencia\w*|cambio|ambos|igual|tandis|contrairement|alors que|différen\w*)\b`)

// pair picks, for a part that compares, one sentence on each of the two things where none speaks of both. One thing alone
// does not answer.
func (c *chooser) pair(p part, all *pool) []pick {
	var picks []pick
	w := all.weights([]part{*p.side[0], *p.side[1]})
	for i, side := range p.side {
		list := weigh(p.reader, *side, all, w)
		list = slices.DeleteFunc(list, func(s scored) bool {
			return c.barred[fold(s.text)] || !hasAny(p.sides[i], s) || len(picks) == 1 && (s.text == picks[0].text || !comparable(*side, picks[0].scored, s))
		})
		if len(list) == 0 {
			return nil
		}
		picks = append(picks, pick{list[0], p.ID})
	}
	for _, s := range picks {
		c.note(s.text, s.source, p.ID)
	}
	return picks
}

// comparable says whether two sentences, each on one thing, say of both what was asked: figures of one unit, where the
// question is for a figure.
func comparable(side part, a, b scored) bool {
	return side.ask != askCount || sameUnit(a.text, b.text) || a.role == "row" && b.role == "row"
}

// hasAny says whether a sentence, or the heading of a row, has one of some stems.
func hasAny(stems []string, s scored) bool {
	return slices.ContainsFunc(stems, func(t string) bool {
		return slices.Contains(s.terms, t) || slices.Contains(s.all, t) || s.role == "row" && s.above[t] > 0
	})
}
