package sources

import (
	"fmt"
	"strings"
	"time"

	"ibid/internal/lazyregexp"
)

// A Stale is what is said of the present on the word of sources that are too old for it.
type Stale struct {
	Source string    // the newest of those cited
	Words  string    // of the claim, that speak of the present
	Topic  string    // why it is soon out of date: "prices"
	Dated  string    // as the source states it
	AsOf   time.Time // the day of the run's evidence
	Limit  time.Duration
}

// Message says what is wrong and what to do.
func (s Stale) Message() string {
	return fmt.Sprintf("%q is said on the word of %s, which is of %s; the evidence of this run is as of %s, and %s change within %s. Say as of when it was so, or cite something newer.",
		s.Words, s.Source, s.Dated, s.AsOf.Format(time.DateOnly), s.Topic, spell(s.Limit))
}

func spell(d time.Duration) string {
	days := int(d / (24 * time.Hour))
	switch {
	case days >= 700:
		return fmt.Sprintf("%d years", days/365)
	case days >= 365:
		return "a year"
	case days >= 60:
		return fmt.Sprintf("%d months", days/30)
	}
	return fmt.Sprintf("%d days", days)
}

const dayLong = 24 * time.Hour

// A topic is what a claim may be about, and how long what is said of its present stays so.
type topic struct {
	name  string
	words *lazyregexp.Regexp
	limit time.Duration // of what is said to be so now
	plain time.Duration // of what is said in the present tense and no more; 0: never
}

// topics are tried in this order. Facts of the past and of mathematics do not grow old, whatever words they stand in.
var topics = []topic{
	{"facts of the past", lazyregexp.New(`(?i)\b(?:theorem|lemma|geometry|triangles?|polygons?|prime numbers?|proof|axiom|fossils?|cretaceous|jurassic|ice age|million years|centur(?:y|ies) (?:ago|bc)|medieval|ancient|roman empire|dynasty|was born|died in|jahrhundert|siècle|siglo)\b`), 0, 0},
	{"prices and rates", lazyregexp.New(`(?i)[$€£¥]\s?[0-9]|\b(?:price|prices|priced|costs?|fees?|fares?|tariffs?|rents?|salary|wages?|interest rates?|exchange rates?|inflation|share price|market cap(?:italisation|italization)?|stock|subscription|kostet|preis|preise|gebühr|zinssatz|zinsen|prix|coûte|tarifs?|taux|precio|precios|cuesta|tarifa|tasa)\b`), 270 * dayLong, 730 * dayLong},
	{"versions of software", lazyregexp.New(`(?i)\b(?:latest|newest|current|stable|most recent) (?:stable |major |minor |public |lts )?(?:version|release|build)\b|\b(?:version|release|v)\.? ?[0-9]+\.[0-9]|\b(?:neueste|aktuelle) version\b|\b(?:dernière|última) versi[oó]n\b`), 270 * dayLong, 540 * dayLong},
	{"holders of an office", lazyregexp.New(`(?i)\b(?:president|prime minister|chancellor|minister|secretary[- ]general|governor|mayor|ceo|cto|cfo|chief executive|chair(?:man|woman|person)?|director[- ]general|head coach|coach|champion|record holder|world record|bundeskanzler(?:in)?|präsident(?:in)?|bürgermeister(?:in)?|geschäftsführer(?:in)?|(?:led|headed|chaired|owned) by|président(?:e)?|premier ministre|maire|presidente|presidenta|alcalde|alcaldesa|ministro|ministra)\b`), 365 * dayLong, 1095 * dayLong},
	{"counts of people and things", lazyregexp.New(`(?i)\b(?:population|inhabitants|residents|members|users|subscribers|customers|employees|staff|members|followers|patients|unemployment|einwohner|mitglieder|nutzer|beschäftigte|habitants|habitantes|abonnés|usuarios)\b`), 730 * dayLong, 0},
	{"laws and rules", lazyregexp.New(`(?i)\b(?:law|laws|legal|illegal|regulations?|permitted|banned|requires?|statute|gesetz|erlaubt|verboten|loi|interdit|ley|prohibid[oa])\b`), 730 * dayLong, 0},
}

var anything = topic{name: "things of the day", limit: 1095 * dayLong}

var (
	// present says that something is so at the time of writing.
	present = lazyregexp.New(`(?i)\b(?:currently|at present|presently|at the moment|at the time of writing|nowadays|these days|right now|as of (?:now|today|writing)|today(?:[’']s)?|to this day|to date|so far this (?:year|month)|now|the latest|the newest|the most recent|the current|is still|are still|has still|have still|still (?:is|are|has|have|holds?|stands?|remains?)|derzeit|aktuell|zurzeit|zur zeit|momentan|gegenwärtig|heutzutage|heute|bislang|actuellement|aujourd[’']hui|en ce moment|à l[’']heure actuelle|désormais|à ce jour|actualmente|hoy(?: en día)?|ahora|en la actualidad|hasta la fecha|por el momento)\b`)
	// bounded is a present that says itself how long it is.
	bounded = []struct {
		re    *lazyregexp.Regexp
		limit time.Duration
		topic string
	}{
		{lazyregexp.New(`(?i)\b(?:as of |earlier |later )?this week\b|\bdiese woche\b|\bcette semaine\b|\besta semana\b`), 31 * dayLong, "things of a week"},
		{lazyregexp.New(`(?i)\b(?:as of )?this month\b|\bdiesen monat\b|\bce mois(?:-ci)?\b|\beste mes\b`), 62 * dayLong, "things of a month"},
		{lazyregexp.New(`(?i)\b(?:as of )?this (?:year|quarter)\b|\bdieses jahr\b|\bcette année\b|\beste año\b`), 366 * dayLong, "things of a year"},
	}
	// noPresent are phrases of the same words that say something else.
	noPresent = lazyregexp.New(`(?i)\b(?:until|by|till|from|before|up to|just|even|every|since) now\b|\bnow[- ](?:defunct|former|closed|famous|classic|known|called|extinct|retired|infamous|dead)\b|\bnow (?:known|called) as\b|\bnow and (?:then|again)\b|\bnow as (?:ever|then|before)\b|\bnow that\b|\bat the latest\b|\b(?:then|once)[- ]current\b|\bthe current (?:is|was|flows?|in|through|of|study|paper|article|report|work|review|analysis|survey|trial|experiment|results|findings|data)\b|\b(?:ocean|alternating|direct|electric|tidal|strong(?:er)?) currents?\b|\bUSA Today\b|\bthe latest (?:of|in|to)\b|\btoday we\b|\b(?:those|these) latest\b`)
	// plainly is the present tense of what soon changes.
	plainly = lazyregexp.New(`(?i)\b(?:costs|is priced at|are priced at|sells for|sell for|charges|(?:price|fee|fare|rate|salary) (?:is|stands at|are)|is (?:the |an? )?(?:[a-z]+ ){0,2}(?:president|prime minister|chancellor|minister|secretary[- ]general|governor|mayor|ceo|chief executive|chair(?:man|woman|person)?|champion|record holder)|is (?:led|headed|chaired|run|owned) by|latest (?:stable )?(?:version|release) is|kostet|coûte|cuesta)\b`)
	// pinned is a time that a sentence says itself.
	pinned = lazyregexp.New(`\b(?:1[0-9]{3}|20[0-9]{2})\b`)
	past   = lazyregexp.New(`(?i)\b(?:cost|was|were|had|sold|charged|fell|rose|became|stood)\b`)
)

// presentStems are parts of words without one of which none of the patterns matches: looking for them is quicker by far.
var presentStems = strings.Split("now|current|present|moment|time of writing|these days|today|this day|to date|so far|latest|newest|most recent|still|this week|this month|this year|this quarter|derzeit|aktuell|zurzeit|zur zeit|momentan|gegenwärtig|"+
	"heut|bislang|diese|actuel|aujourd|en ce|désormais|à ce jour|cette|ce mois|actual|hoy|ahora|hasta la|por el|esta semana|este |cost|priced|sell|charges|price|fee |fare |rate |salary|president|minister|chancellor|secretary|governor|mayor|"+
	"ceo|chief|chair|champion|record holder| by|coût|cuesta|kostet", "|")

// speaks says by which words a claim speaks of the present, what of, and how long such a thing stays so. ok is false for what
// says its own time, or speaks of what does not change.
func speaks(claim string) (words string, t topic, ok bool) {
	if !holds(strings.ToLower(claim), presentStems) || pinned.MatchString(claim) {
		return "", topic{}, false
	}
	about := anything
	for _, known := range topics {
		if known.words.MatchString(claim) {
			about = known
			break
		}
	}
	if about.name == topics[0].name {
		return "", topic{}, false
	}
	for _, b := range bounded {
		if m := b.re.FindString(claim); m != "" {
			return m, topic{name: b.topic, limit: b.limit}, true
		}
	}
	if m := present.FindString(noPresent.ReplaceAllString(claim, "…")); m != "" {
		return m, about, true
	}
	if m := plainly.FindString(claim); m != "" && about.plain > 0 && !past.MatchString(claim) {
		about.limit = about.plain
		return m, about, true
	}
	return "", topic{}, false
}

// Stale holds a claim against the age of the sources that it is cited to. It is stale if it speaks of the present, and the newest
// of them is older than that lasts. One without a date may be new.
func (s *Standing) Stale(claim string, cited []string, asOf time.Time) (Stale, bool) {
	if asOf.IsZero() || len(cited) == 0 {
		return Stale{}, false
	}
	words, about, ok := speaks(strings.Join(strings.Fields(claim), " "))
	if !ok {
		return Stale{}, false
	}
	out := Stale{Words: words, Topic: about.name, AsOf: asOf.UTC(), Limit: about.limit}
	var newest time.Time
	for _, id := range cited {
		c := s.Card(id)
		if c == nil {
			return Stale{}, false
		}
		at, stated, known := c.dated()
		if !known {
			return Stale{}, false
		}
		if out.Source == "" || at.After(newest) {
			newest, out.Source, out.Dated = at, id, stated
		}
	}
	return out, asOf.Sub(newest) > about.limit
}
