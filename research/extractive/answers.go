package extractive

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/internal/lazyregexp"
)

var (
	numeral = lazyregexp.New(`(?i)\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundreds?|thousands?|millions?|billions?|dozens?|half|third|quarter|twice|double|none|zero|no|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|deux|trois|quatre|cinq|sept|huit|neuf|dix)\b|[一二三四五六七八九十百千万两]+[年月日天次个人元]`)
	digit   = lazyregexp.New(`\d`)
	dated   = lazyregexp.New(`(?i)\b(?:1\d|20)\d\d\b|\b\d{1,2}\. ?(?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\b(?:january|february|march|april|june|july|august|september|october|november|december|(?:jan|feb|apr|jun|jul|aug|sept?|oct|nov|dec)\.? \d{1,2}|januar|februar|märz|mai|juni|juli|oktober|dezember|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|dezembro)\b|\bmay \d|\b\d{1,2} may\b|\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|montags?|dienstags?|mittwochs?|donnerstags?|freitags?|samstags?|sonntags?|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo|century|decade|yesterday|today|tomorrow|bc|ad|jahrhundert|siglo|siècle|secolo|século)\b|\b\d+ (?:years?|months?|weeks?|days?|hours?) (?:ago|later)\b|январ|феврал|апрел|июн|июл|август|сентябр|октябр|ноябр|декабр|\d+ (?:марта|мая|год)|\d年|\d月|世纪`)
	version = lazyregexp.New(`\b(?:in|since|with|as of|until|before|after|from) (?:version |release )?(?:\p{Lu}[\w+#-]* )?v?\d+(?:\.\d+)+|\b\p{Lu}\w* \d+(?:\.\d+)+ (?:introduc|add|remov|chang|made)|\b\d+\.\d+ release`)
	timely  = lazyregexp.New(`(?i)\b(?:after|before|during|when|once|until|while|every|within|as soon as|no later than|by the (?:end|start)|at the (?:end|start|beginning)|on (?:\w+days?|\d)|wenn|sobald|nachdem|bevor|während|cuando|después|antes|quand|lorsque|après|avant)\b`)
	manner  = lazyregexp.New(`(?i)\b(?:by \w+ing|using|reduc(?:es?|ed|ing)|cut(?:s|ting)?|lower(?:s|ed|ing)?|prevent(?:s|ed|ing)?|fix(?:es|ed)?|solv(?:es?|ed)|avoid(?:s|ed|ing)?|sav(?:es?|ed|ings?)|halv(?:es?|ed)|helps?|cheaper|fewer|less|instead of|drops?|dropped|fell|disabl(?:e|ing)|restart(?:ing)?|indem|durch|mittels|mediante|grâce à|tramite)\b`)
	copula  = lazyregexp.New(`(?i)^(?:\W*\w+){1,8}?\W+(?:is|are|was|were|means|refers to|describes|consists of|stands for|ist|sind|war|bezeichnet|bedeutet|es|son|fue|est|sont|désigne|è|sono|é|são)\b|^.{1,20}?(?:是|とは)|— это|является`)
	result  = lazyregexp.New(`(?i)\b(?:we (?:found|find|show|conclude|report|measured|observed)|results? (?:show|suggest|indicate)|these (?:results|findings|data)|in conclusion|conclude|demonstrate[sd]?|suggest(?:s|ed|ing)?|showed|shown|shows|found that|revealed?|indicat(?:es?|ed|ing)|associated with|significant(?:ly)?|increased?|decreased?|reduced?|higher|lower|means that|in practice|measured)\b`)
	several = lazyregexp.New(`(?i)(?:[,;] [^,;]{2,60}){2,}|\b(?:include|includes|including|such as|consists? of|namely|these are|are (?:the )?following)\b|、`)
	placed  = lazyregexp.New(`(?:^|[^\p{L}])(?:[iI]n|[aA]t|[nN]ear|[oO]n|[fF]rom|[oO]ff|[iI]nside|[oO]utside|[aA]round|[tT]o|[aA]us|[nN]ach|[bB]ei|[iI]m|[eE]n|[dD]e|[dD]esde|[àÀ]|[aA]u|[aA]|[dD]a|в|на|из|под) (?:the |der |dem |den |die |el |la |le |les |l['’])?(\p{Lu}[\p{L}'’.-]+)|[在于](\p{Han}{2})`)
	spotted = lazyregexp.New(`(?i)\b(?:in|at|near|on|inside|under|above|below|between|along|behind) (?:the|a|an|its|their|der|dem|den|el|la|le|les)? ?\p{L}+`)
	people  = lazyregexp.New(`(?i)\b(?:researchers?|scientists?|engineers?|developers?|teachers?|students?|doctors?|employees|workers|members|people|users?|patients?|women|men|children|company|companies|committee|association|team|agency|ministry|department|government|firms?|author|editor|director|founder|president|leute|personen|menschen|empresa|gobierno)\b`)
)

// A quantity is what a number has to be of.
type quantity struct {
	asked, unit *lazyregexp.Regexp
}

// quantities are those that are told by their unit, where the question says which it wants.
var quantities = []quantity{
	{lazyregexp.New(`(?i)\b(?:costs?|price|priced|expensive|pay|paid|spend|spent|charge|charges|revenue|earn|worth|salary|fee|fees|money|geld|dinero|argent|kostet|kosten|preis|cuesta|cuestan|costará|costó|precio|coûte|coûtent|coûtera|prix|costa|preço)\b|стоит|多少钱`),
		lazyregexp.New(`(?i)[$€£¥₽%]|\bM(?:io|rd)\. ?€|\b(?:dollars?|euros?|cents?|pounds?|usd|eur|gbp|chf|yen|yuan|pesos?|francs?|percent|per cent|prozent|free of charge|for free|kostenlos|gratis)\b|руб|元|円`)},
	{lazyregexp.New(`(?i)\bhow often\b|\bwie oft\b`), lazyregexp.New(`(?i)\b(?:\w+ly|times|once|twice|every|each|per|mal|jede\w*)\b`)},
	{lazyregexp.New(`(?i)\bhow long\b|\bwie lange\b|cuánto tiempo|combien de temps|как долго|多久|多长时间`),
		lazyregexp.New(`(?i)\b(?:(?:milli|micro|nano)?seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?|centur(?:y|ies)|ms|met(?:er|re)s?|kilomet(?:er|re)s?|km|miles?|feet|characters|bytes|words|sekunden?|minuten?|stunden?|tage?n?|wochen?|monate?n?|jahre?n?|segundos?|minutos?|horas?|días?|semanas?|mes(?:es)?|años?|jours?|heures?|semaines?|mois|ans|années?)\b|\d ?[smhd]\b|лет|год|месяц|дн|年|天|小时|分钟`)},
	{lazyregexp.New(`(?i)\bhow old\b|\bwie alt\b`), lazyregexp.New(`(?i)\b(?:years?|months?|weeks?|days?|decades?|centur(?:y|ies)|jahre?n?|monate?n?)\b|, \d{1,3}[,.;]|\baged? \d+|\(\d{1,3}\)`)},
	{lazyregexp.New(`(?i)\bhow (?:tall|high|wide|deep|far|big|large)\b|\bwie (?:breit|tief|weit|groß|hoch)\b|\b(?:altura|distancia|superficie|longitud|hauteur|distance|superficie|longueur)\b`), lazyregexp.New(`(?i)\b(?:(?:centi|milli|kilo)?met(?:er|re)s?|km|cm|mm|miles?|feet|foot|ft|inch(?:es)?|yards?|square|acres?|hectares?|tons?|tonnes?|kg|kilograms?|pounds?|bytes?|[kmgt]b|people|inhabitants|employees|light[- ]years?|quadrat\p{L}+|metros|kilómetros|mètres|kilomètres|meter[ns]?|kilometer[ns]?|millas|hektar|tonnen|einwohner)\b|\d ?m\b|°`)},
	{lazyregexp.New(`(?i)\bwhat (?:percentage|share|proportion|fraction)\b|\bwie viel prozent\b`), lazyregexp.New(`(?i)%|\b(?:percent|per cent|prozent|half|third|quarter|fifth|tenth)\b`)},
}

// in says whether a text, or a row, has a number of a unit. "Five times a day" is no number of days.
func (q quantity) in(e *sentence) bool {
	if e.role == "row" {
		return q.unit.MatchString(e.flat())
	}
	for _, at := range q.unit.FindAllStringIndex(e.flat(), -1) {
		unit := e.flat()[at[0]:at[1]]
		if c := unit[0]; digit.MatchString(unit) || c >= utf8.RuneSelf || strings.ContainsAny(unit, "$%°") || alreadyCounts.MatchString(unit) {
			return true
		}
		before := e.flat()[max(0, at[0]-24):at[0]]
		if i := strings.LastIndexAny(before, ".;:!?"); i >= 0 && !digit.MatchString(before[i+1:min(len(before), i+2)]) {
			before = before[i+1:]
		}
		ws := split(before)
		if len(ws) == 0 {
			continue
		}
		last, prior := strings.ToLower(ws[len(ws)-1].text), ""
		if len(ws) > 1 {
			prior = strings.ToLower(ws[len(ws)-2].text)
		}
		switch {
		case digit.MatchString(last), numeral.MatchString(last), severalOf[last]:
			return true
		case oneOf[last] && lasts[prior], !stopWords[last] && !rates[last] && (digit.MatchString(prior) || numeral.MatchString(prior)):
			return true
		}
	}
	return false
}

// Words that need no number, and such as stand in the place of one.
var (
	alreadyCounts = lazyregexp.New(`(?i)^(?:\w+ly|times|once|twice|every|each|per|mal|jede\w*|half|third|quarter|fifth|tenth|free of charge|for free|kostenlos|gratis)$`)
	severalOf     = set("several few hundreds thousands einige mehrere wenige unos unas varios varias quelques plusieurs")
	oneOf         = set("a an one ein eine einen einer un una une")
	lasts         = set("take takes took taken last lasts lasted for within than about nearly over under dauert dauerte etwa rund dura duró durante dure duré pendant")
	rates         = set("times mal veces fois")
)

// otherUnit is what a number of things is not followed by.
var otherUnit = lazyregexp.New(`(?i)[$€£¥]|\d\s?(?:%|percent|prozent|euros?|dollar|uhr|mio\.? euro)`)

// answered says how far a sentence has what the kind of question asks for, 0…1, whatever it is about: a number with a
// unit that fits, a time, a place, a person, which the question does not name itself.
func (p part) answered(e *sentence) float64 {
	s := e.flat()
	switch p.ask {
	case askCount:
		return p.counted(e)
	case askWhen:
		switch {
		case p.past && dated.MatchString(without(s, p.Question)):
			return 1
		case p.past && version.MatchString(s):
			return 0.8
		case !p.past && (timely.MatchString(s) || dated.MatchString(s)):
			return 1
		}
		return 0
	case askWho:
		return p.doer(e)
	case askWhere:
		for _, m := range placed.FindAllStringSubmatch(s, -1) {
			if place := m[1] + m[2]; !strings.Contains(p.Question, place) && !dated.MatchString(place) {
				return 1
			}
		}
		if spotted.MatchString(s) {
			return 0.5
		}
		return yes(e.role == "row" && strings.Count(s, " | ") > 0)
	case askWhy:
		return p.reasoned(s)
	case askHow:
		return yes(manner.MatchString(s))
	case askWhat:
		if p.defines {
			return 0 // it is told by what the sentence says
		}
		return yes(copula.MatchString(s))
	case askList:
		return yes(several.MatchString(s) || e.role == "item")
	case askYes:
		return 0
	}
	return yes(result.MatchString(s))
}

func yes(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// lacks says whether a text cannot be the answer because what the question asks for is not in it: a number for "how
// many", a time for "when", a name for "who", a cause for "why".
func (p part) lacks(e *sentence) bool {
	if p.advice && e.role != "row" && !judging.MatchString(e.flat()) {
		return true
	}
	switch p.ask {
	case askCount, askWhen, askWho, askWhy:
		return p.answered(e) == 0
	case askHow:
		return p.remedy && p.answered(e) == 0
	}
	return false
}

// judging are words by which a sentence speaks for something or against it.
var judging = lazyregexp.New(`(?i)\b(?:should|must|ought|need(?:s|ed)? to|recommend\w*|advis\w+|avoid\w*|prefer\w*|better|best|worse|worst|good|bad|be aware|consider\w*|pros|cons|for (?:you|everyone|everybody)|upside|nobody|never|always|safe\w*|unsafe|danger\w*|risk\w*|harm\w*|hazard\w*|benefi\w+|advantage\w*|disadvantage\w*|drawback\w*|downside\w*|upside\w*|cheap\w*|expensive|costly|cost-effective|sav(?:e|es|ed|ing|ings)|worth\w*|useful|useless|helps?|helped|improv\w+|enhanc\w+|strong|weak\w*|reliab\w+|unreliable|flexib\w+|secur\w+|simpl\w+|eas(?:y|ier|ily)|hard(?:er)?|difficult\w*|fail(?:s|ed|ure)?|problem\w*|reduc\w+|cut|lower\w*|rais\w+|wast\w+|require[sd]?|not allowed|allowed|forbidden|prohibited|instead|rather|nicht|soll\w*|muss|müssen|empf[ei]\w+|gefährlich|besser|vorteil\w*|nachteil\w*|debe\w*|recomend\w+|mejor|peor|peligros\w+|ventaja\w*|conviene|doit|faut|recommand\w+|mieux|dangereu\w+|avantage\w*|inconvénient\w*)\b`)

// counted is answered for a number.
func (p part) counted(e *sentence) float64 {
	if !p.newFigure(e) && !numeral.MatchString(without(e.flat(), p.Question)) && !quantities[1].asked.MatchString(p.Question) {
		return 0
	}
	if len(p.things) > 0 && e.role != "row" {
		if !p.besides(e) {
			return 0
		}
		return p.numbered(e.flat())
	}
	for _, q := range quantities {
		if q.asked.MatchString(p.Question) && !(e.role == "row" && p.headedBy(e)) && !q.in(e) {
			return 0
		}
	}
	return 1
}

// headedBy says whether the head of a column, or the caption, has a term of the part, so that the figures below it need
// no unit.
func (p part) headedBy(e *sentence) bool {
	for _, t := range p.terms {
		if e.above[t.stem] == headCredit {
			return true
		}
		for _, k := range t.alts {
			if e.above[k] == headCredit {
				return true
			}
		}
	}
	return false
}

// newFigure says whether a text has a number that is neither in the question nor part of a name or a date: not that of
// "Figure 3", "Go 1.20" or "in 2021".
func (p part) newFigure(e *sentence) bool {
	for _, at := range bare.FindAllStringIndex(e.flat(), -1) {
		number := strings.TrimRight(strings.ReplaceAll(e.flat()[at[0]:at[1]], ",", ""), ".")
		if p.figures[number] || at[0] > 0 && (isWordByte(e.flat()[at[0]-1]) || e.flat()[at[0]-1] == '/') { // 2020/21
			continue
		}
		if e.role == "row" {
			return true
		}
		if p.many && otherUnit.MatchString(e.flat()[max(0, at[0]-4):min(len(e.flat()), at[1]+9)]) {
			continue
		}
		before := strings.TrimRight(e.flat()[:at[0]], " \u00a0")
		word := before[strings.LastIndexFunc(before, func(r rune) bool { return !unicode.IsLetter(r) })+1:]
		first, _ := utf8.DecodeRuneInString(word)
		named := unicode.IsUpper(first) && len(word) < len(before) && !stopWords[strings.ToLower(word)]
		if named && len(before) == at[0] { // no space between: US$5
			named = false
		}
		year := len(number) == 4 && (number[0] == '1' || number[:2] == "20") && !strings.Contains(e.flat()[at[0]:at[1]], ",")
		if !named && !(year && p.ask == askCount && !unitBehind(e.flat()[at[1]:])) {
			return true
		}
	}
	return false
}

func isWordByte(c byte) bool {
	return c == '_' || c == '-' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// unitBehind says whether a number is followed by what it counts, so that it is no year.
func unitBehind(rest string) bool {
	rest = strings.TrimLeft(rest, " \u00a0")
	r, _ := utf8.DecodeRuneInString(rest)
	if !unicode.IsLower(r) && r != '%' {
		return false
	}
	word := rest[:len(rest)-len(strings.TrimLeftFunc(rest, unicode.IsLetter))]
	return !stopWords[word]
}

// without is a text without the words of another, for what a sentence says that the question does not.
func without(s, other string) string {
	if s == other {
		return ""
	}
	asked := map[string]bool{}
	for _, w := range split(strings.ToLower(other)) {
		asked[w.text] = true
	}
	var b strings.Builder
	at := 0
	for _, w := range split(s) {
		if asked[strings.ToLower(w.text)] {
			b.WriteString(s[at:w.start])
			at = w.end
		}
	}
	b.WriteString(s[at:])
	return b.String()
}

// newName says whether a text names somebody or something that the question does not: a word with a capital within a
// sentence, or two such words at its beginning.
func (p part) newName(s string) bool {
	ws := split(s)
	for i, w := range ws {
		first, _ := utf8.DecodeRuneInString(w.text)
		lower := strings.ToLower(w.text)
		if !unicode.IsUpper(first) || len(w.text) < 2 || p.words[lower] || stopWords[lower] || dated.MatchString(w.text) {
			continue
		}
		opens := i == 0 || strings.ContainsAny(s[ws[i-1].end:w.start], ".!?:\n|")
		next := i+1 < len(ws) && ws[i+1].start-w.end <= 2
		if next {
			r, _ := utf8.DecodeRuneInString(ws[i+1].text)
			next = unicode.IsUpper(r) && !p.words[strings.ToLower(ws[i+1].text)]
		}
		if next || !opens && !p.capitals {
			return true
		}
	}
	return false
}
