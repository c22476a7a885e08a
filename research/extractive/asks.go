package extractive

import (
	"strings"

	"ibid/internal/lazyregexp"
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
	askList  ask = "list" // which ones there are
	askYes   ask = "yes"  // whether
)

// asks are the questions in English.
var asks = []shape{
	{askCount, lazyregexp.New(`(?i)\bhow (?:many|much|long|old|far|fast|big|large|high|tall|deep|wide|heavy|often|expensive)\b|\bwhat (?:percentage|share|number|proportion|fraction|price|size)\b|\bwhat (?:is|was|are|were) the (?:\w+ ){0,2}(?:number|price|cost|costs|population|size|height|length|temperature|rate|percentage|threshold|limit|\w+ point)\b|^what (?:does|do|did) .+ cost\b`)},
	{askWhen, lazyregexp.New(`(?i)^(?:(?:since|until|till|from|by) )?when\b|\b(?:what|which) (?:year|date|day|month|century|decade)\b`)},
	{askWhere, lazyregexp.New(`(?i)^where\b|\b(?:what|which) (?:city|country|state|town|place|county)\b`)},
	{askWhat, lazyregexp.New(`^[Ww]ho (?:is|was|are|were) \p{Lu}`)},
	{askWho, lazyregexp.New(`(?i)^(?:who|whom|whose)\b`)},
	{askWhy, lazyregexp.New(`(?i)^why\b|^what (?:makes|made|causes|caused|drives|leads|explains)\b|\breasons? (?:for|why|that)\b|\bcauses? of\b`)},
	{askList, lazyregexp.New(`(?i)^(?:what|which) (?:are|were) the (?:\w+ ){0,3}\w+s\b|^which (?:\w+ )?\w{2,}s\b|^(?:list|name) `)},
	{askWhat, lazyregexp.New(`(?i)^what (?:is|are|was|were|does .+ mean)\b`)},
	{askHow, lazyregexp.New(`(?i)^how\b|^what (?:fixes|helps|solves|prevents|reduces|cuts|lowers|stops|cures)\b`)},
	{askYes, lazyregexp.New(`(?i)^(?:is|are|was|were|am|do|does|did|can|could|may|must|should|shall|will|would|has|have|had)\b`)},
}

// extent is a phrase that asks how much something changed, in words that elsewhere ask for a distance or nothing at all.
var extent = lazyregexp.New(`(?i)\b(?:how far|(?:to|by) what extent|by how much|by what (?:margin|factor|amount))\b(.*\b(?:reduc|cut|lower|decreas|shr[aiu]nk|fall|fell|drop|declin|sav|increas|rais|rise|rose|gr[eo]w|improv|speed|sped|slow|chang|differ|exceed|affect)\w*)`)

// amount is a question in the words that are looked for: how much, where it says so in other words.
func amount(question string) string { return extent.ReplaceAllString(question, "how much$1") }

// askOf finds what kind of answer a question wants.
func (l *language) askOf(question string) ask {
	for _, a := range l.asks {
		if a.looks.MatchString(question) {
			return a.ask
		}
	}
	return askAny
}

// weight is what the wording of an answer of that kind counts.
func (a ask) weight() float64 {
	if a == askAny {
		return vagueCue
	}
	return cueWeight
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
	strings.Fields("safe danger dangerous risk risky hazard harm security secure threat unsafe"),
	strings.Fields("guarantee ensure promise must require guaranteed requirement always never"),
	strings.Fields("find found show report reveal conclude result"),
	strings.Fields("large big size small huge volume diameter"),
	strings.Fields("advantage benefit pro strength better improve"),
	strings.Fields("disadvantage drawback con weakness worse problem downside risk"),
	strings.Fields("begin start found founded establish launch open create introduce"),
	strings.Fields("end stop finish close cease terminate"),
	strings.Fields("buy purchase acquire acquisition"),
	strings.Fields("increase rise grow growth raise gain"),
	strings.Fields("decrease fall drop decline shrink reduce"),
	strings.Fields("effect impact consequence influence result affect"),
	strings.Fields("difference differ unlike whereas contrast"),
	strings.Fields("fail failure error break crash bug fault"),
	strings.Fields("allow permit let enable"),
	strings.Fields("live reside home house habitat born"),
	strings.Fields("author write wrote written writer"),
	strings.Fields("share shared simultaneous concurrent common"),
	strings.Fields("work operate function mechanism"),
	strings.Fields("high height tall elevation altitude higher taller"),
	strings.Fields("deep depth deeper"),
	strings.Fields("far distance away"),
	strings.Fields("wide width wider"),
	strings.Fields("old age aged"),
	strings.Fields("invent discover develop create pioneer coin devise"),
	strings.Fields("write written assign"),
	strings.Fields("default initial setting configure"),
	strings.Fields("provide implement offer supply"),
	strings.Fields("leave left"), strings.Fields("pay paid"), strings.Fields("see saw seen"), strings.Fields("come came"), strings.Fields("become became"), strings.Fields("fight fought"), strings.Fields("shoot shot"), strings.Fields("throw threw thrown"), strings.Fields("wear wore worn"), strings.Fields("fly flew flown"), strings.Fields("tell told"), strings.Fields("flee fled"), strings.Fields("build built"), strings.Fields("buy bought"), strings.Fields("take took taken"), strings.Fields("give gave given"),
	strings.Fields("win won"), strings.Fields("lead led"), strings.Fields("teach taught"), strings.Fields("catch caught"), strings.Fields("sell sold"),
	strings.Fields("hold held"), strings.Fields("meet met"), strings.Fields("send sent"), strings.Fields("lose lost"), strings.Fields("grow grew grown"),
	strings.Fields("run ran"), strings.Fields("eat ate eaten"), strings.Fields("speak spoke spoken"), strings.Fields("choose chose chosen"),
	strings.Fields("drive drove driven"), strings.Fields("keep kept"), strings.Fields("sink sank sunk"), strings.Fields("stand stood"), strings.Fields("bring brought"),
	strings.Fields("break broke broken"), strings.Fields("draw drew drawn"), strings.Fields("steal stole stolen"), strings.Fields("die died death dead"), strings.Fields("swim swam swimming"),
}
