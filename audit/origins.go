package audit

import (
	"fmt"
	"slices"
	"strings"

	"ibid/audit/sources"
	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

const (
	howMany   = `(?:(two|three|four|five|six|seven|eight|nine|ten|[2-9]|[1-9][0-9]|zwei|drei|vier|fünf|deux|trois|quatre|cinq|dos|tres|cuatro|cinco)|several|multiple|many|various|numerous|other|all|all of the|both|most|most of the|the|these|those|our|different|mehrere|verschiedene|alle|beide|die|diese|plusieurs|toutes les|les|ces|varias|todas las|las|ambas|estas)`
	whoStates = `(?:sources|reports|studies|accounts|outlets|publications|papers|newspapers|news organi[sz]ations|media|teams|groups|researchers|experts|observers|analyses|surveys|measurements|estimates|tests|trials|documents|quellen|berichte|studien|medien|fuentes|estudios|medios|études|médias)`
	independ  = `(?:independent|separate|unrelated|distinct|unabhängige[nr]?|indépendantes|independientes)`
)

// manySay are words by which a report says that a thing has more than one origin. The first group is their number.
var manySay = []*lazyregexp.Regexp{
	lazyregexp.New(`(?i)\b` + howMany + ` (?:mutually |voneinander )?` + independ + ` (?:[\pL-]+ ){0,2}` + whoStates + `\b`),
	lazyregexp.New(`(?i)\b` + howMany + ` ` + whoStates + ` (?:mutually |voneinander )?` + independ + `\b`),
	lazyregexp.New(`(?i)\b` + howMany + ` (?:(?:cited|listed|different|other|major|leading|reliable|available|read) )?` + whoStates + ` (?:(?:all|both|here|cited|read|broadly|largely) ){0,2}(?:agree|concur|confirm|corroborate|are in agreement|are agreed|are unanimous|say the same|report the same|state the same|give the same|tell the same|stimmen überein|sind sich einig|bestätigen|concordent|s[’']accordent|confirment|coinciden|concuerdan|confirman)\b`),
	lazyregexp.New(`(?i)\b(?:confirmed|corroborated|supported|backed|shared|verified|reported|stated) by ` + howMany + ` (?:(?:` + independ + `|different|other|major|reliable) )?` + whoStates + `\b`),
	lazyregexp.New(`(?i)\b(?:according to )?(?:several|multiple|many|various|numerous)() (?:[\pL-]+ )?(?:sources|outlets|newspapers|news organi[sz]ations|media|reports) (?:report|say|state|claim|show|describe|note)\b|\baccording to (?:several|multiple|many|various|numerous) (?:[\pL-]+ )?(?:sources|outlets|newspapers|reports|studies|accounts)\b|` +
		`\b(?:mehrere|zahlreiche|verschiedene) (?:medien|quellen|zeitungen) (?:berichten|melden|schreiben)\b|\bplusieurs (?:médias|sources|journaux) (?:rapportent|indiquent|écrivent)\b|\bvari[oa]s (?:medios|fuentes|periódicos) (?:informan|señalan|dicen)\b`),
	lazyregexp.New(`(?i)\bindependently (?:confirmed|verified|corroborated|reported|reproduced|replicated|found|established|agree)()\b|\b(?:unabhängig voneinander|de manière indépendante|de forma independiente)\b`),
	lazyregexp.New(`(?i)\b(?:broad|wide|widespread|general|scientific|expert|clear|strong|overwhelming|the|a|breiter?|wissenschaftlicher?|allgemeiner?|un|le|el|amplio|large) (?:consensus|konsens|consenso)()\b`),
	lazyregexp.New(`(?i)\b(?:widely|generally|commonly|universally|broadly|almost everywhere) (?:held|believed|accepted|agreed|reported|acknowledged|recogni[sz]ed|regarded)()\b|\ballgemein (?:anerkannt|akzeptiert|angenommen)\b|\b(?:largement|généralement|communément) (?:admis|reconnu|accepté)e?\b|\b(?:ampliamente|generalmente|comúnmente) (?:aceptad|admitid|reconocid)[oa]\b`),
	lazyregexp.New(`(?i)\b(?:most |all |many )?(?:experts|researchers|scientists|observers|historians|economists|die fachleute|experten) (?:broadly |largely |generally )?(?:agree|concur|are agreed|sind sich einig)()\b`),
}

// manyStems are parts of words without one of which none of these matches: looking for them is quicker by far.
var manyStems = strings.Split("independ|indépend|unabhängig|separate|unrelated|distinct|agree|concur|concord|coinciden|confirm|corrobor|unanim| same|einig|überein|bestätig|s’accord|s'accord|"+
	"consens|konsens|widely|generally|commonly|universally|broadly|everywhere|allgemein|admis|reconnu|accepté|aceptad|admitid|reconocid|several|multiple|many|various|numerous|mehrere|zahlreiche|verschiedene|plusieurs|varios|varias|backed by|shared by|verified by|reported by|stated by|supported by", "|")

// manySaid are the words of a statement that speak of several origins, and of how many, two at least; "" where it does not
// or a quote that is cited says it itself.
func (c *checker) manySaid(text string, cites []evidence.Citation) (words string, need int) {
	if low := strings.ToLower(text); c.rec.Unweighed || c.rec.Cards == CardsIgnored || negations(text) > 0 ||
		!slices.ContainsFunc(manyStems, func(part string) bool { return strings.Contains(low, part) }) {
		return "", 0
	}
	for i, re := range manySay {
		m := re.FindStringSubmatch(text)
		switch {
		case m == nil || c.quoted(re, cites):
		case i < 4 && m[1] != "":
			return m[0], countOf(m[1])
		default:
			return m[0], 2
		}
	}
	return "", 0
}

// checkOrigins holds words that speak of several origins against what is cited for them: sources that are one origin count
// as one, so one house is no consensus.
func (c *checker) checkOrigins(b *block, s statement, words string, need int, cites []evidence.Citation) {
	if words == "" {
		return
	}
	groups, links := c.standing().Origins(keysOf(cites))
	if len(groups) >= need {
		return
	}
	var ids []string
	for _, g := range groups {
		ids = append(ids, strings.Join(g, " and "))
	}
	f := Failure{Code: NotIndependent, Claim: s.text, Text: words}
	switch {
	case len(groups) == 1 && len(groups[0]) == 1:
		f.Message = fmt.Sprintf("%q is said, and %s alone is cited. Cite others that say it and did not have it from there, or say whose word it is.", words, groups[0][0])
	case len(groups) == 1:
		f.Message = fmt.Sprintf("%q is said, and %s are one origin: %s. Count them as one, or cite others.", words, ids[0], reasons(links))
	default:
		f.Message = fmt.Sprintf("%q is said, and what is cited has %d origins: %s. Count those, or cite others.", words, len(groups), strings.Join(ids, "; "))
	}
	c.failAt(b, s.Range, f)
}

// quoted reports whether a quote that is cited says it itself.
func (c *checker) quoted(re *lazyregexp.Regexp, cites []evidence.Citation) bool {
	quotes, _ := c.quotesAt(cites)
	return re.MatchString(strings.Join(quotes, "\n"))
}

// countOf is the number that a word of howMany says, at least 2.
func countOf(word string) int {
	for n, names := range [][]string{{}, {}, {"two", "zwei", "deux", "dos"}, {"three", "drei", "trois", "tres"}, {"four", "vier", "quatre", "cuatro"}, {"five", "fünf", "cinq", "cinco"}, {"six"}, {"seven"}, {"eight"}, {"nine"}, {"ten"}} {
		for _, name := range names {
			if strings.EqualFold(name, word) {
				return n
			}
		}
	}
	n := 0
	for _, r := range word {
		if r < '0' || r > '9' {
			return 2
		}
		n = n*10 + int(r-'0')
	}
	return max(2, n)
}

// reasons says why sources are one origin.
func reasons(links []sources.Link) string {
	var list []string
	for i, l := range links {
		if i == 3 {
			list = append(list, "…")
			break
		}
		list = append(list, l.String())
	}
	return strings.Join(list, "; ")
}

// standing is what the sources of the record are worth.
func (c *checker) standing() *sources.Standing {
	if c.rec.Standing == nil {
		c.rec.Standing = Standing(c.rec)
	}
	return c.rec.Standing
}

// Standing weighs the sources of a record. Of a source without findings only what the run noted of it is looked at: the machine
// form of a report holds no more, and must come to the same.
func Standing(rec Record) *sources.Standing {
	spans := map[string][]evidence.Span{}
	for _, f := range rec.Findings {
		spans[f.Source] = rec.Spans[f.Source]
	}
	return sources.Weigh(rec.Sources, spans, rec.Findings, rec.Question)
}

func keysOf(cites []evidence.Citation) []evidence.Key {
	keys := make([]evidence.Key, len(cites))
	for i, ci := range cites {
		keys[i] = evidence.Key(ci)
	}
	return keys
}
