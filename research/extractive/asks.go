package extractive

import (
	"regexp"
	"strings"
)

// An ask is what kind of answer a question wants.
type ask string

const (
	askAny   ask = ""
	askWhy   ask = "why"
	askHow   ask = "how"
	askCount ask = "count" // how many, how much, how long
	askWhen  ask = "when"
	askWhere ask = "where"
	askWho   ask = "who"
	askWhat  ask = "what" // what something is
)

var asks = []struct {
	ask   ask
	shape *regexp.Regexp
}{
	{askCount, regexp.MustCompile(`(?i)\bhow (?:many|much|long|old|far|fast|big|large|high|tall|deep|heavy|often|expensive)\b|\bwhat (?:percentage|share|number|proportion|fraction|price|size)\b|\bwhat (?:is|was) the (?:number|price|cost|population|size|height|length|temperature|rate|percentage|\w+ point)\b`)},
	{askWhen, regexp.MustCompile(`(?i)^when\b|\b(?:what|which) (?:year|date|day|month|century|decade)\b`)},
	{askWhere, regexp.MustCompile(`(?i)^where\b|\b(?:what|which) (?:city|country|state|town|place|county)\b`)},
	{askWho, regexp.MustCompile(`(?i)^(?:who|whom|whose)\b`)},
	{askWhy, regexp.MustCompile(`(?i)^why\b|^what (?:makes|made|causes|caused|drives|leads|explains)\b|\breasons? (?:for|why|that)\b|\bcauses? of\b`)},
	{askWhat, regexp.MustCompile(`(?i)^what (?:is|are|was|were|does .+ mean)\b`)},
	{askHow, regexp.MustCompile(`(?i)^how\b|^what (?:fixes|helps|solves|prevents|reduces|cuts|lowers|stops|cures)\b`)},
}

// askOf finds what kind of answer a question wants.
func askOf(question string) ask {
	for _, a := range asks {
		if a.shape.MatchString(question) {
			return a.ask
		}
	}
	return askAny
}

var (
	digit   = regexp.MustCompile(`\d`)
	numeral = regexp.MustCompile(`(?i)\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundreds?|thousands?|millions?|billions?|dozens?|half|third|quarter|twice|double|none|zero|once|daily|weekly|hourly|free|every)\b`)
	date    = regexp.MustCompile(`(?i)\b(?:1\d|20)\d\d\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|century|decade|today|yesterday|ago|after|before|during|when|once|until|while)\b`)
	because = regexp.MustCompile(`(?i)\b(?:because|since|due to|caused?|causes|causing|owing to|therefore|thus|hence|leads? to|led to|results? (?:in|from)|so that|drives?|driven by|makes?|reason|explains?|dominated?|accounts? for|mostly|largest|as a result|responsible)\b`)
	manner  = regexp.MustCompile(`(?i)\b(?:by \w+ing|using|reduc(?:es?|ed|ing)|cut(?:s|ting)?|lower(?:s|ed|ing)?|prevent(?:s|ed|ing)?|fix(?:es|ed)?|solv(?:es?|ed)|avoid(?:s|ed|ing)?|sav(?:es?|ed|ings?)|halv(?:es?|ed)|helps?|cheaper|fewer|less|instead of|drops?|dropped|fell|remed(?:y|ies))\b`)
	name    = regexp.MustCompile(`[^.!?\s“"]\s+(?:\p{Lu}[\p{L}'’.-]+)`) // a capital within a sentence
	copula  = regexp.MustCompile(`(?i)^(?:\W*\w+){1,8}?\W+(?:is|are|was|were|means|refers to|describes|consists of|stands for)\b`)
	result  = regexp.MustCompile(`(?i)\b(?:we (?:found|find|show|conclude|report|measured|observed)|results? (?:show|suggest|indicate)|these (?:results|findings|data)|in conclusion|conclude|demonstrate[sd]?|suggest(?:s|ed|ing)?|showed|shown|shows|found that|revealed?|indicat(?:es?|ed|ing)|associated with|significant(?:ly)?|increased?|decreased?|reduced?|higher|lower|means that|in practice|measured)\b`)
)

// cue says how well a text's wording fits the kind of answer, 0…1, whatever it is about.
func cue(a ask, s string) float64 {
	fits := false
	switch a {
	case askCount:
		fits = digit.MatchString(s) || numeral.MatchString(s)
	case askWhen:
		fits = date.MatchString(s)
	case askWhy:
		fits = because.MatchString(s)
	case askHow:
		fits = manner.MatchString(s)
	case askWhere, askWho:
		fits = name.MatchString(s)
	case askWhat:
		fits = copula.MatchString(s)
	default:
		fits = result.MatchString(s)
	}
	if fits {
		return 1
	}
	return 0
}

// lacks says whether a text cannot be the answer because what the question asks for is not in it: a number for "how
// many", a time for "when", a name for "who".
func lacks(a ask, s string) bool {
	return (a == askCount || a == askWhen || a == askWho) && cue(a, s) == 0
}

// short says whether a fact of a few words answers, so that the beginning of a page on the matter is a place to find it.
func (a ask) short() bool {
	return a == askWhat || a == askWhen || a == askWhere || a == askWho || a == askCount
}

// headed says whether the first content word of a question is what an answer has to speak of: who wrote, how many steps.
func headed(a ask) bool { return a == askWho || a == askCount }

// kin are words in which answers say what questions ask. A term of the question that has kin counts in part when one of
// them stands in its place.
var kin = [][]string{
	strings.Fields("expensive cost price costly pricing spend spent bill pay dollar budget cheap money"),
	strings.Fields("fix reduce cut lower save solve solution remedy prevent avoid mitigate halve help improve shrink remove"),
	strings.Fields("cause reason because driver lead result due trigger origin source"),
	strings.Fields("fast slow speed latency quick performance throughput second millisecond time"),
	strings.Fields("safe danger dangerous risk hazard harm security secure threat unsafe"),
	strings.Fields("guarantee ensure promise must require guaranteed requirement always never"),
	strings.Fields("find found show report reveal conclude result"),
	strings.Fields("large big size small huge volume"),
	strings.Fields("advantage benefit pro strength better improve"),
	strings.Fields("disadvantage drawback con weakness limitation worse problem downside risk"),
	strings.Fields("begin start found founded establish launch open create introduce"),
	strings.Fields("end stop finish close cease terminate"),
	strings.Fields("buy purchase acquire acquisition"),
	strings.Fields("increase rise grow growth raise gain"),
	strings.Fields("decrease fall drop decline shrink reduce"),
	strings.Fields("effect impact consequence influence result affect"),
	strings.Fields("difference differ unlike whereas contrast"),
	strings.Fields("fail failure error break crash bug fault"),
	strings.Fields("allow permit let enable"),
	strings.Fields("live reside home house born"),
	strings.Fields("author write wrote written writer"),
	strings.Fields("share shared simultaneous concurrent common"),
	strings.Fields("work operate function mechanism"),
	strings.Fields("default initial setting configure"),
}

// verbs are common enough to tell a sentence from a title or a menu without a tagger.
var verbs = set(`is are was were be been am has have had do does did can could will would shall should may might must need
	make makes made take takes took get gets got give gives gave use uses used keep keeps kept let lets say says said see
	sees saw show shows find finds found know knows knew think go goes went come comes came become becomes became mean
	means meant cost costs work works run runs ran hold holds held need needs want wants help helps fix fixes fell fall
	falls rise rises rose grow grows grew cut cuts set sets put puts send sends sent read reads write writes wrote written
	call calls leave leaves left lead leads led bring brings begin begins began start starts stop stops stay stays pay pays
	paid save saves spend spends spent lose loses lost win wins won build builds built buy buys sell sells sold serve
	serves return returns contain contains include includes require requires remain remains provide provides allow allows
	cause causes depend depends happen happens increase increases reduce reduces apply applies drop drops lie lies stand
	stands sit turn turns try tries add adds store stores repeat repeats carry carries offer offers follow follows change
	changes appear appears exist exists equal equals drive drives describe describes define defines shall isn't aren't
	wasn't don't doesn't didn't can't won't it's that's there's they're we're i'm i've we've matters matter fails fail`)

var thirdPerson = regexp.MustCompile(`(?i)\b\w{3,}s (?:the|a|an|to|by|that|its|their|no|not|only|each|every|from|with|as|at|into|on|up)\b`)

// hasVerb says whether a text has a word that looks like a verb. Words of the question do not count: in a title, "runs"
// may be what it is about.
func hasVerb(s, question string) bool {
	asked := strings.ToLower(question)
	for _, w := range split(s) {
		lower := strings.ToLower(strings.ReplaceAll(w.text, "’", "'"))
		if verbs[lower] && (aux[lower] || !strings.Contains(asked, lower)) {
			return true
		}
		if n := len(lower); n > 4 && (strings.HasSuffix(lower, "ed") || strings.HasSuffix(lower, "ize") || strings.HasSuffix(lower, "izes") || strings.HasSuffix(lower, "ifies") || strings.HasSuffix(lower, "ates")) {
			return true
		}
	}
	return thirdPerson.MatchString(s)
}
