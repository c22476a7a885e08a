package extractive

import (
	"slices"
	"strings"
	"unicode"

	"ibid/internal/lazyregexp"
)

// mostTopic bounds the terms of a topic that has to be met; a longer one is left to coverage.
const mostTopic = 3

// A part is a sub-question made ready for scoring.
type part struct {
	subquestion
	ask   ask
	terms []term
	topic []string // stems of what it is about, where that is short
	named bool     // some terms are names

	reader   *reader
	figures  map[string]bool // of the question
	words    map[string]bool // of the question, in lower case
	many     bool            // it asks for a number of things
	past     bool            // it asks for a time at which something was
	capitals bool            // its language writes all nouns with a capital
	asking   bool            // it is a question, not a statement
	defines  bool            // it asks what something is, and no more
	whois    bool            // it asks so of a person
	passive  bool            // it asks who something was done to, or who is something
	things   []string        // stems of what it asks the number of
	negative bool            // it asks with a negation
	remedy   bool            // it asks what helps against something
	advice   bool            // it asks whether one should
	sides    [2][]string     // stems of the two things that it holds against each other, without what both have
	compares *comparison     // what it holds against what; nil: nothing
	side     [2]*part        // of that, each thing alone
}

// A term is one content word of a part.
type term struct {
	stem string
	word string   // as asked
	kin  []string // words that answers use in its place
	alts []string // their stems
	name bool     // written as a name or a number
	own  bool     // no other part has it
	head bool     // an answer has to speak of it
	by   bool     // it stands behind a preposition: the text around an answer may have it instead
}

// ready prepares the sub-questions of the plan.
func (n *notes) ready(r *reader) []part {
	related := relatives(r)
	parts := make([]part, len(n.plan))
	times, list := map[string]int{}, pieces(n.question)
	for i, q := range n.plan {
		q.Question = n.whole(list, i)
		parts[i] = newPart(r, q, related)
		for _, t := range parts[i].terms {
			times[t.stem]++
		}
	}
	for i := range parts {
		for j := range parts[i].terms {
			parts[i].terms[j].own = len(parts) > 1 && times[parts[i].terms[j].stem] == 1
		}
	}
	return parts
}

func newPart(r *reader, q subquestion, related map[string][]string) part {
	q.Question = amount(q.Question)
	p := part{subquestion: q, reader: r, ask: r.lang.askOf(q.Question), figures: numbers(q.Question), words: map[string]bool{}, past: !present.MatchString(q.Question), capitals: r.lang == german, many: things.MatchString(q.Question)}
	lasting := duration.MatchString(q.Question)
	seen := map[string]bool{}
	ws := split(r.lang.bare(q.Question))
	p.advice = advising.MatchString(q.Question)
	behind, role := false, true // a preposition; in front of it
	for i, w := range ws {
		w.text = paired(ws, i)
		lower := strings.ToLower(elided(w.text))
		p.words[strings.ToLower(w.text)], p.words[lower] = true, true
		if len(p.terms) > 0 && prepositions[lower] {
			behind = true
		}
		if (idle[r.lang][lower] || p.advice && r.lang == english && choices[lower]) && (len(p.terms) > 0 || i+1 < len(ws)) {
			continue
		}
		stem := r.term(w.text)
		if stem == "" || seen[stem] || p.ask == askHow && working[strings.ToLower(w.text)] || lasting && frame[strings.ToLower(w.text)] || p.ask == askWhen && strings.EqualFold(w.text, "last") {
			continue
		}
		seen[stem] = true
		first := []rune(w.text)[0]
		t := term{stem: stem, word: w.text, name: i > 0 && (unicode.IsUpper(first) && !p.capitals || unicode.IsDigit(first))}
		t.by = behind && !t.name
		role = role && !behind && !t.name
		t.head = role && p.ask == askWho && isWho.MatchString(q.Question)
		if !t.name {
			t.kin = related[stem]
			for _, k := range t.kin {
				t.alts = append(t.alts, r.term(k))
			}
		}
		p.named = p.named || t.name
		p.terms = append(p.terms, t)
	}
	if headed(p.ask) && len(p.terms) > 1 && p.terms[0].word != "times" {
		p.terms[0].head = true
	}
	if r.lang == english && asking.MatchString(q.Question) {
		p.topic = shortTopic(r, q.Question)
	}
	p.wants()
	if c := p.compares; c != nil {
		for i := range p.side {
			if _, again := compared(r.lang, c.sides[i]); again { // of three things, nothing is made
				p.compares, p.side = nil, [2]*part{}
				break
			}
			one := newPart(r, subquestion{ID: q.ID, Question: asQuestion(c.sides[i])}, related)
			if thing := r.terms([]string{c.a, c.b}[i]); c.bare {
				one.terms = slices.DeleteFunc(one.terms, func(t term) bool { return !slices.Contains(thing, t.stem) })
				one.named = slices.ContainsFunc(one.terms, func(t term) bool { return t.name })
			}
			p.side[i] = &one
		}
	}
	if p.ask == askWhen && p.past && len(p.terms) > 1 && participle.MatchString(q.Question) {
		p.terms[len(p.terms)-1].head = true
	}
	return p
}

// isWho is a question for who is something, not for who did something.
var isWho = lazyregexp.New(`(?i)^[¿\s]*(?:who|wer|quién(?:es)?|qui|chi|quem) (?:is|was|are|were|ist|war|sind|waren|es|era|fue|son|está|están|est|était|sont|è|é|foi) `)

// prepositions are those of questions.
var prepositions = set("of in at on for to from with by near about von in im am an auf bei für zu zum zur aus mit der des de del en para con cerca du des d au aux à dans pour sur chez di del della nel da do dos no na")

// idle are verbs and measures of questions that answers have in other words, or in a unit.
var idle = map[*language]map[string]bool{
	english:      set("cover covers covered include includes included contain contains contained comprise comprises exist exists"),
	german:       set("kostet kosten kostete groß hoch lang lange alt weit tief breit schwer teuer viel oft beträgt liegt dauert umfasst enthält geld misst"),
	spanishWords: set("cuesta cuestan costará costó costaba lleva llevan tiene tienen mide miden cuenta dura quedó queda contiene incluye dinero hay"),
	frenchWords:  set("coûte coûtent coûtera coûtait compte comptent mesure mesurent dure durent contient comprend prend argent t"),
}

// choices are verbs of questions whether one should.
var choices = set("use choose pick take prefer buy adopt try worth good idea recommended advisable")

// working are verbs that a question for how something works may have and its answer need not.
var working = set("work works function functions funktioniert funktionieren funciona funcionan fonctionne")

// wants works out what an answer has to be held against: what is to be defined, counted or compared.
func (p *part) wants() {
	r := p.reader
	p.asking = r.lang != english || p.ask != askAny || asking.MatchString(p.Question) || strings.HasSuffix(strings.TrimSpace(p.Question), "?")
	p.passive = isWho.MatchString(p.Question)
	p.negative = has(split(p.Question), negations)
	p.remedy = p.ask == askHow && remedying.MatchString(p.Question)
	switch p.ask {
	case askWhat:
		p.whois = whois.MatchString(p.Question)
		p.defines = len(p.terms) > 0 && len(p.terms) <= mostTopic && r.lang.asking == nil && r.lang != russianWords && !attribute.MatchString(p.Question)
		if m := withinField.FindStringSubmatch(p.Question); m != nil && !p.whois && r.lang.asking == nil {
			if topic := r.terms(m[1]); len(topic) > 0 && len(topic) <= mostTopic {
				p.defines, p.topic = true, topic
				break
			}
		}
		if p.defines {
			p.topic = nil
			for _, t := range p.terms {
				p.topic = append(p.topic, t.stem)
			}
		}
	case askWhy:
		if m := existing.FindStringSubmatch(p.Question); m != nil && r.lang == english {
			if topic := r.terms(m[1]); len(topic) > 0 && len(topic) <= mostTopic {
				p.topic, p.defines = topic, true
			}
		}
	case askHow, askAny:
		if m := doing.FindStringSubmatch(p.Question); m != nil && r.lang == english {
			if topic := r.terms(m[1] + m[2]); len(topic) > 0 && len(topic) <= mostTopic {
				p.topic, p.defines = topic, true
			}
		}
	case askCount:
		if m := counting.FindStringSubmatch(p.Question); m != nil {
			for _, w := range split(m[1]) {
				if t := r.term(w.text); t != "" {
					p.things = append(p.things, t)
				}
			}
		}
	}
	if c, ok := compared(r.lang, p.Question); ok {
		one, other := r.terms(c.a), r.terms(c.b)
		p.compares = &c
		p.sides[0] = slices.DeleteFunc(slices.Clone(one), func(t string) bool { return slices.Contains(other, t) })
		p.sides[1] = slices.DeleteFunc(slices.Clone(other), func(t string) bool { return slices.Contains(one, t) })
		if len(p.sides[0]) == 0 || len(p.sides[1]) == 0 {
			p.compares, p.sides = nil, [2][]string{}
		}
	}
}

var (
	remedying = lazyregexp.New(`(?i)^what (?:fixes|helps|solves|prevents|reduces|cuts|lowers|stops|cures)\b|^how (?:can|could|should|do|to|would) .*\b(?:be )?(?:reduced?|fix(?:ed)?|cut|lower(?:ed)?|prevent(?:ed)?|avoid(?:ed)?|solved?|stop(?:ped)?|treat(?:ed)?|overcome|improved?)\b`)
	whois     = lazyregexp.New(`(?i)^[¿\s]*(?:who|wer|quién(?:es)?|qui|chi|quem) `)
	advising  = lazyregexp.New(`(?i)^[¿\s]*(?:should|must) (?:i|we|one|you|they|people|teams|users)\b|^(?:is|are) (?:it )?.*\b(?:worth|advisable|recommended|a good (?:idea|choice))\b|^soll(?:te)?n? (?:ich|man|wir)\b|^[¿\s]*(?:debo|debería|deberíamos|conviene|se debe)\b|^(?:dois-je|faut-il|devrait-on|devrais-je|doit-on)\b`)
	doing     = lazyregexp.New(`(?i)^(?:how (?:does|do|did) (.+?) (?:work|function)s?|what (?:does|do|did) (.+?) (?:do|control|provide|contain|offer|handle))\W*$`)
	existing  = lazyregexp.New(`(?i)^why (?:do|does|did) (.+?) exist\W*$`) // its reason stands where it is said what the thing is
	attribute = lazyregexp.New(`(?i)\b(?:of|for|in|on|at|about|between|used|that|which|with|from|to|von|des|der|für|im|zwischen|del?|para|entre|en|du|pour|dans|di|per|do|da|em)\b`)
	// withinField is a question for what something is in a field: HEAD in Git.
	withinField = lazyregexp.New(`(?i)^[¿\s]*(?:what (?:is|are)|was (?:ist|sind)|qué (?:es|son)|qu['’]est[- ]ce qu(?:e|['’])) ?((?:an? |ein(?:e)? |una? |une? )?[\p{L}\d_-]+(?: [\p{L}\d_-]+)?) (?:in|en|dans) [\p{L}\d_+#.-]+\W*$`)
	counting    = lazyregexp.New(`(?i)(?:\bhow many|\bwie ?viele|cuánt[oa]s|\bcombien d(?:e |['’])|\bquant[ie]|\bquant[oa]s) ((?:[^\s?]+ ){0,2}?[^\s?]+?)(?:$|\?| (?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|may|must|should|in|of|on|at|for|to|from|per|there|gibt|hat|haben|sind|werden|wurden|gehen|hay|tiene|tienen|son|fueron|y a|sont|a|ont|ci|ha|hanno|há|tem|têm)\b| [^\s?]+(?:ó|ed|te|ten|aron|ieron)\b)`)
)

// participle is the end of a question for when something was done.
var participle = lazyregexp.New(`(?i)\b(?:was|were|been)\b.*\w(?:ed|en|wn|lt|ght)\W*$`)

// present are the words of a question for when something is done, not for when it was.
var present = lazyregexp.New(`(?i)\b(?:should|does|do|is|are|can|may|must|will|would|soll|muss|kann|darf)\b`)

// Questions for a number of things, and for how long something takes; of the latter, the words that only ask.
var (
	things   = lazyregexp.New(`(?i)\bhow many\b|\bwie ?viele\b|cuánt[oa]s|\bcombien d|quant[ie]\b|сколько`)
	duration = lazyregexp.New(`(?i)\bhow (?:long|often)\b`)
	frame    = set("long often take takes last lasts took")
)

// bare is a question without the phrases that ask, where those are no words of their own.
func (l *language) bare(question string) string {
	if l.asking == nil {
		return question
	}
	return l.asking.ReplaceAllString(question, " ")
}

// shortTopic is the stems of the noun phrase that a question is about, without what is said of it; nil if they are many.
func shortTopic(r *reader, question string) []string {
	topic := topicOf(strings.TrimRight(question, "?"))
	topic, _, _ = strings.Cut(topic, " being ")
	var out []string
	for t := range r.set(topic) {
		out = append(out, t)
	}
	if len(out) > mostTopic {
		return nil
	}
	return out
}

// relatives is the table of related words by stem, a term's own forms left out.
func relatives(r *reader) map[string][]string {
	table := map[string][]string{}
	if r.lang != english {
		return table
	}
	have := map[string]bool{}
	for _, group := range kin {
		for _, w := range group {
			t := r.term(w)
			have[t+" "+t] = true
			for _, other := range group {
				if o := r.term(other); t != "" && o != "" && !have[t+" "+o] {
					have[t+" "+o] = true
					table[t] = append(table[t], other)
				}
			}
		}
	}
	return table
}

// credit notes what it counts to have the terms of a text.
func (r *reader) credit(to map[string]float64, text string, what float64) {
	for _, t := range r.terms(text) {
		to[t] = max(to[t], what)
	}
}

// set is the distinct terms of a text.
func (r *reader) set(s string) map[string]bool {
	m := map[string]bool{}
	for _, t := range r.terms(s) {
		m[t] = true
	}
	return m
}
