package extractive

import (
	"slices"
	"strings"

	"ibid/internal/lazyregexp"
)

// Words that tie a cause to what it brings about, or a purpose to what serves it.
var (
	because = lazyregexp.New(`(?i)[,;.] (?:therefore|thus|hence|so)\b|\band (?:therefore|thus|hence)\b|\b(?:because|due to|owing to|thanks to|on account of|as a result|as a consequence|so that|in order to|otherwise|for (?:this|that|these|historical) reasons?|reasons?|the cause|is why|why|responsible for|stems? from|arises? from|results? (?:in|from)|resulted (?:in|from)|driven by|caused by|explained by|attributed to|blamed? on|since (?:the|it|its|they|there|this|these|that|a|an|we|you|no|not|each|every|all|both|\p{Ll}+(?:s|ing))\b|so (?:it|they|the|that)|weil|denn|deshalb|daher|darum|aufgrund|wegen|damit|sodass|so dass|dadurch|deswegen|sorgt?|bedingt|führt|porque|debido|por eso|por lo que|por lo tanto|a causa|a raíz|gracias a|ya que|puesto que|dado que|para que|parce que?|car|en raison|à cause|puisque|grâce à|afin|perché|poiché|a causa|dovuto|devido|por causa|pois)\b|потому|поэтому|из-за|поскольку|так как|因为|由于|所以|因此|导致|ため|ので|から`)
	purpose = lazyregexp.New(`(?i)\b(?:to (avoid|prevent|ensure|make sure|allow|keep|protect|help|save|reduce|let|enable|guarantee|permit|support|improve|maintain|preserve|cut|limit|stop|give)|rather than|instead of|risks?|danger)\b`)
	effects = lazyregexp.New(`(?i)\b(?:caus(?:e|es|ed|ing)|leads?|led|leading|mak(?:es?|ing)|made|drives?|drove|explains?|forc(?:es?|ed)|trigger(?:s|ed)?|rais(?:es?|ed)|contribut(?:es?|ed)|account(?:s|ed)? for|dominat(?:es?|ed)|means? that|brings?|brought|adds?)\b`)
	largest = lazyregexp.New(`(?i)\b(?:largest|biggest|main|chief|primary|mostly|mainly|chiefly|largely|second[- ]largest|too (?:much|many|long|large|big|little|few|late|early)|overly|excess(?:ive)?)\b`)
)

// reasoned says how far a sentence gives a cause or a purpose for what a part asks the reason of, 0…1.
func (p part) reasoned(s string) float64 {
	if p.denies(s) || pointsBackwards.MatchString(s) {
		return 0
	}
	switch {
	case because.MatchString(s):
		return 1
	case p.effected(s), largest.MatchString(s):
		return 0.9
	}
	for _, m := range purpose.FindAllStringSubmatch(s, -1) {
		if m[1] == "" || !p.asks(p.reader.term(m[1])) {
			return 0.8
		}
	}
	return 0
}

// pointsBackwards is the beginning of a sentence whose reason stands before it.
var pointsBackwards = lazyregexp.New(`(?i)^\W*(?:for (?:this|that|these|those|the above|the foregoing) reasons?|therefore|thus|hence|consequently|accordingly|deshalb|daher|darum|deswegen|por eso|por lo tanto|por ello|c['’]est pourquoi|par conséquent)\b`)

// effected says whether something other than what the part asks about brings something about: "the most expensive runs
// caused most of the cost" says no cause of expensive runs.
func (p part) effected(s string) bool {
	for _, at := range effects.FindAllStringIndex(s, -1) {
		if whyWord.MatchString(p.Question) && p.has(p.reader.term(s[at[0]:at[1]])) {
			continue // it is what the reason is asked of: "why do triggers exist"
		}
		if before := strings.Fields(s[max(0, at[0]-12):at[0]]); len(before) > 0 && aux[before[len(before)-1]] || len(before) > 0 && (before[len(before)-1] == "be" || before[len(before)-1] == "been") {
			continue // it is made
		}
		if word := strings.TrimSpace(s[:at[0]]); strings.HasPrefix(strings.ToLower(s[at[0]:]), "cause") && nounBefore[strings.ToLower(word[strings.LastIndexByte(word, ' ')+1:])] {
			continue // it is a noun
		}
		from := strings.LastIndexAny(s[:at[0]], ".,;:") + 1
		for _, w := range split(s[from:at[0]]) {
			t := p.reader.term(w.text)
			if t != "" && !digit.MatchString(w.text) && !numeral.MatchString(w.text) && !p.asks(t) && !vague[strings.ToLower(w.text)] {
				return true
			}
		}
	}
	return false
}

// whyWord begins a question in which a word for an effect is the matter, not what is asked of it.
var whyWord = lazyregexp.New(`(?i)^why\b`)

// has says whether a stem is a term of the part.
func (p part) has(stem string) bool {
	return slices.ContainsFunc(p.terms, func(t term) bool { return t.stem == stem })
}

// nounBefore are words behind which "cause" is a noun.
var nounBefore = set("by the a an of each this that one which any every another no two")

// vague are words that make no cause of what they stand by.
var vague = set("percent per cent top share part half third quarter one kind number which and")

// asks says whether a stem is a term of the part or of its kin.
func (p part) asks(stem string) bool {
	for _, t := range p.terms {
		if t.stem == stem || slices.Contains(t.alts, stem) {
			return true
		}
	}
	return false
}

// denies says whether a sentence says no to what the part asks the reason of: "need not be expensive".
func (p part) denies(s string) bool {
	ws := split(s)
	for i, w := range ws {
		t := p.reader.term(w.text)
		if t == "" || slices.Contains(p.topic, t) || !p.asks(t) || p.negative {
			continue
		}
		for j := max(0, i-3); j < i; j++ {
			if lower := strings.ToLower(ws[j].text); negations[lower] || strings.HasSuffix(lower, "n't") || strings.HasSuffix(lower, "n’t") {
				return true
			}
		}
	}
	return false
}
