package audit

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/audit/claim"
	"ibid/internal/lazyregexp"
)

// exempt reports whether a sentence without citation needs none: it asserts nothing about the world. What it says about
// the run is checked here.
func (c *checker) exempt(b *block, s statement) bool {
	t := strings.TrimSpace(s.text)
	return isLabel(b, t) || c.asks(t) || isSignpost(t) || c.isStatus(b, s) || c.isGap(b, s) || c.isRunStatement(b, s) || isIntroduction(b, s)
}

// isLabel reports whether a text only names something: "Summary.", "Type B seals", "Figure 1."
func isLabel(b *block, t string) bool {
	if n := captionLabel(t); n > 0 && strings.TrimSpace(t[n:]) == "" {
		return true
	}
	if HasNumber(t) || asserts(t) || unspaced(t) && utf8.RuneCountInString(t) > 8 {
		return false
	}
	ws := words(t)
	n := len(ws)
	if n == 3 && strings.ContainsAny(t[len(t)-1:], ".!") && verbForm(ws[1]) && !functionWords[ws[0]] {
		return false // "Fires ruin depots", "Rot kills gates"
	}
	if strings.HasSuffix(t, ":") || b.kind == item && !strings.HasSuffix(t, ".") && !strings.HasSuffix(t, "!") {
		return n <= 8
	}
	return n <= 3
}

// unspaced reports whether a text is in a script that does not part its words.
func unspaced(t string) bool {
	return strings.ContainsFunc(t, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Hangul)
	})
}

var (
	question = lazyregexp.New(`(?i)^(?:(?:and|but|so|then|or|if so,|in|to|by|for|from|at|on|with|of|about|under|since|until) )?(?:\S+ ){0,2}?(?:what|which|who|whom|whose|when|where|why|how|` +
		`is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might|must|shall|was|wie|warum|welche[rsnm]?|wer|wann|wo|quel(?:le)?s?|comment|pourquoi|qui|cómo|qué|cuál(?:es)?)\b`)
	tagged = lazyregexp.New(`(?i),\s(?:right|no|isn[’']t it|wasn[’']t it|didn[’']t it|don[’']t they|doesn[’']t it|correct|yes|nicht wahr)\?$`)
	// What has the form of a question and leaves nothing open: "Did you know that …?", "Is it any wonder that …?", "Isn't …?"
	rhetorical = lazyregexp.New(`(?i)^(?:(?:and|but|so|then|or) )?(?:(?:did|do) you know\b|(?:have|had) you (?:heard|noticed)\b|(?:is|was) it (?:any|not a|no) (?:wonder|surprise|accident|coincidence)\b|` +
		`who (?:knew|(?:would|could|can|will) (?:deny|doubt|dispute|question|have (?:thought|guessed|known)))\b|(?:how|why|what|who|where) else\b|` +
		`(?:is|are|was|were|do|does|did|has|have|had|ca|could|would|should)n[’']t\b|(?:need|must) (?:we|i|it|one) (?:say|add|mention|be said)\b|wusstest du|wussten sie)`)
)

// asks reports whether a text is a question that leaves something open.
func (c *checker) asks(t string) bool { return isQuestion(t) && !c.takenForGranted(t) }

// takenForGranted reports whether a question takes for granted what has a figure that nothing in the run has: "Why did 9 vans
// burn?" A year only says of when it asks.
func (c *checker) takenForGranted(t string) bool {
	if !grants.MatchString(t) {
		return false
	}
	known := c.allFigures()
	return slices.ContainsFunc(claim.Numbers(years.ReplaceAllString(t, " ")), func(f claim.Number) bool { return !f.In(known) })
}

var grants = lazyregexp.New(`(?i)^(?:\S+ )?(?:why|how come|since when|what (?:about|of|caused|made|led|explains)|how (?:did|do|does|could|can|was|were)|who (?:caused|made|let|killed|ordered|allowed|was behind)|wie kam|warum|pourquoi|por qué)\b`)

// isQuestion reports whether a text asks. A figure is let through only in a sentence that has the form of a question.
func isQuestion(t string) bool {
	t = strings.TrimRight(t, `"'”’»)*_ `)
	if !strings.HasSuffix(t, "?") && !strings.HasSuffix(t, "？") && !strings.HasSuffix(t, "؟") || tagged.MatchString(t) {
		return false
	}
	t = strings.TrimLeft(t, `"'“‘«(¿`)
	if rhetorical.MatchString(t) {
		return false
	}
	return question.MatchString(t) || !HasNumber(t) && !asserts(t)
}

const (
	counts     = `(?:[0-9]{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|several|some|a few|many|both|these|those|the following|the|other|further|more)`
	metaNouns  = `(?:caveats?|points?|limits?|limitations?|findings?|reasons?|questions?|sections?|things?|figures?|answers?|themes?|gaps?|issues?|notes?|warnings?|remarks?|parts?|conclusions?|examples?|disagreements?|conflicts?|differences?|qualifications?|reservations?|observations?|details?|topics?|aspects?|cautions?)`
	metaVerbs  = `(?:discussed|described|listed|shown|summari[sz]ed|covered|given|set out|explained|treated|defined|used|noted|presented|reported|compared|collected|repeated|quoted|dealt with|taken up|addressed|meant|understood)`
	deictic    = `(?:here|below|above|separately|next|later|in turn|in this (?:report|section|table|list|part|answer|summary)|in the (?:next|following|last|previous|other|final) (?:section|part|paragraph|table|list)s?|at the end|elsewhere in this report|in the sections? (?:below|above|that follows?)|under [“"]?[\pL ]{3,30}[”"]?)`
	selfRefer  = `(?:this|the|each|the rest of this|the rest of the|the (?:next|following|last|first|second|third)) (?:report|section|summary|answer|table|list|overview|part|rest|text|page|order)`
	selfVerbs  = `(?:covers|lists|describes|summari[sz]es|gives|answers|deals with|presents|collects|sets out|explains|discusses|compares|follows|begins with|ends with|is organi[sz]ed|is ordered|is divided|uses|quotes|repeats|keeps to|is limited to|does not cover|leaves out)`
	noClause   = `[^.;:0-9]{0,70}`
	countVerbs = `(?:apply|applies|follow|follows|remain|remains|stand out|stands out|matter|deserve (?:a )?mention|are worth (?:a )?(?:noting|mention)|are (?:noted|listed|given|discussed) (?:below|here|above)|need (?:care|a word)|should be kept in mind|are in order|is in order|come first|are open|is open|arise|arises)`
)

var signposts = []*lazyregexp.Regexp{
	lazyregexp.New(`(?i)^(?:there (?:are|is) )?(?:only |here are |here is )?` + counts + `(?: [a-z]+)? ` + metaNouns + `(?: ` + countVerbs + `)?(?: here)?[.:]?$`),
	lazyregexp.New(`(?i)^(?:the |this |these |all |both )?(?:[\pL“”"'’-]+ ){0,5}?(?:is|are|was|were|will be|can be) (?:only |also |all |both |each |briefly |further )?` + metaVerbs + ` ` + deictic + noClause + `\.?$`),
	lazyregexp.New(`(?i)^` + selfRefer + ` (?:only |also |first |then )?` + selfVerbs + noClause + `\.?$`),
	lazyregexp.New(`(?i)^(?:see|compare|cf\.|read|turn to|for (?:more|details),? see)(?: also)? (?:the |this |section |table |figure |also |note |chapter |part )*[\pL0-9 ,.’'-]{0,60}(?: (?:below|above|for (?:more|details)))?\.?$`),
	lazyregexp.New(`(?i)^(?:(?:more |further )?details?|the (?:details?|sources?|list|table|quotes?|rest)) (?:by [a-z-]+ )?follows?(?: below)?\.?$`),
}

// isSignpost reports whether a sentence only tells the reader what comes where: "Two caveats apply.", "Costs are
// discussed below."
func isSignpost(t string) bool {
	if len(words(t)) > 18 || strings.Contains(t, " that ") || strings.Contains(t, " because ") {
		return false
	}
	if comparison.MatchString(t) && !slices.Contains(words(t), "agree") {
		return true
	}
	for i, re := range signposts {
		if !re.MatchString(t) {
			continue
		}
		if i == 0 {
			return true // its number counts what follows
		}
		rest := t
		if i == 3 {
			rest = sectionLabel.ReplaceAllString(t, "")
		}
		if !HasNumber(rest) {
			return i != 1 || !finiteBefore(t)
		}
	}
	return false
}

var sectionLabel = lazyregexp.New(`(?i)\b(?:section|table|figure|note|chapter|part)s? [0-9.]+\b`)

// finiteBefore reports whether the subject of "… is discussed below" holds a claim of its own.
func finiteBefore(t string) bool {
	ws := words(t)
	for i, w := range ws {
		if w == "is" || w == "are" || w == "was" || w == "were" || w == "will" || w == "can" {
			return asserts(strings.Join(ws[:i], " "))
		}
	}
	return false
}

// gapOpeners begin a sentence that says what is not known. What follows may be a question or a noun.
var gapOpeners = []*lazyregexp.Regexp{
	lazyregexp.New(`(?i)^(?:(?:we|i|this (?:run|report|research)|the (?:run|report|research|agent|search(?:es)?)) )(?:also |still |therefore |thus )?(?:could not|cannot|can not|were not able to|was not able to|were unable to|was unable to|did not manage to|failed to|did not|do not|does not)(?: [a-z]+ly)? ` +
		`(?:establish|find|determine|confirm|verify|learn|say|tell|answer|settle|check|obtain|locate|identify|show|know|reach|read|open|resolve|give|cover)(?: out)?\b`),
	lazyregexp.New(`(?i)^(?:no(?:ne of the)?|not one of the|neither of the|nothing in(?: any of)? the) (?:sources?|documents?|pages?|findings?|spans?)(?: (?:that (?:was|were) )?(?:read|found|searched))?(?: here| in this run)? (?:that (?:was|were) read )?` +
		`(?:answers?|gives?|states?|says?|mentions?|covers?|addresses|address|reports?|shows?|settles?|explains?|names?|contains?|discusses|discuss|tells?|supports?|could be read|was found|were found|bears?)\b`),
	lazyregexp.New(`(?i)^(?:the )?(?:sources?|documents?|pages?)(?: (?:that (?:was|were) )?(?:read|found))?(?: here)? (?:does not|do not|did not|don[’']t|are silent|is silent|cannot)\b`),
	lazyregexp.New(`(?i)^nothing (?:that was read|in the sources|that was found|we read|was found that|read here)\b`),
	lazyregexp.New(`(?i)^(?:it (?:is|was|remains) |still |what (?:is|remains) )?(?:unclear|unknown|not known|open|not established|not clear|undetermined|unanswered)(?: here| from (?:these|the) sources)?(?: is)?(?::| whether| how| who| what| which| when| where| if|,|\.|$)`),
	lazyregexp.New(`(?i)^(?:not established|not found|not answered|open question|unanswered|no answer (?:was )?found)\b[:.]?`),
	lazyregexp.New(`(?i)^(?:how|who|what|which|when|where|whether) [^.;]{3,160} (?:could not be|was not|is not|remains?|were not) (?:established|determined|found|known|unknown|open|unclear|confirmed|verified)\b[^.;0-9]{0,60}\.?$`),
}

// turn parts a gap from what is claimed beside it.
var turn = lazyregexp.New(`(?i)(?:[;—–]|, (?:and|but|while|although|though|whereas|yet|so|since|as|because|which|where|who|even though|given that)\b| (?:but|although|though|whereas|because|since|even though|given that|while|despite)\b|: )`)

// isGap reports whether a sentence says that something could not be established. A claim in it, after a "but" or as the
// presupposition of a "why", needs its own source.
func (c *checker) isGap(b *block, s statement) bool {
	at := -1
	for _, re := range gapOpeners {
		if m := re.FindStringIndex(s.text); m != nil {
			at = m[1]
			break
		}
	}
	if at < 0 {
		return false
	}
	rest := s.text[at:]
	if m := turn.FindStringIndex(rest); m != nil {
		second := strings.TrimSpace(rest[m[1]:])
		if len(words(second)) > 2 && !isQuestion(second) && !c.onlyQuotesKnown(second) && (HasNumber(second) || asserts(second)) {
			return false
		}
	}
	if presupposes.MatchString(rest) {
		known := c.allFigures()
		if slices.ContainsFunc(claim.Numbers(rest), func(f claim.Number) bool { return !f.In(known) }) {
			return false
		}
	}
	for _, q := range b.quotations(s.Range) {
		if said := trimQuoted(b.without(q)); !c.isName(said) && !isQuestion(b.without(q)) && c.elsewhere(said) == "" {
			return false
		}
	}
	return true
}

// presupposes matches what takes for granted that the rest is so.
var presupposes = lazyregexp.New(`(?i)^[^.]{0,40}\b(?:why|the (?:reason|cause)s?|how (?:it|they|the [a-z]+) (?:rose|fell|grew|came|managed)|the fact)\b`)

// onlyQuotesKnown reports whether a text is a list of queries of the run and nothing else that asserts.
func (c *checker) onlyQuotesKnown(t string) bool {
	p := prose{text: []byte(t), scan: []byte(t)}
	b := &block{prose: p}
	qs := b.quotations(Range{0, len(t)})
	return len(qs) > 0 && !slices.ContainsFunc(qs, func(q Range) bool { return !c.isName(t[q.Start:q.End]) })
}

// allFigures are the figures of all recorded claims and quotes and of the question.
func (c *checker) allFigures() []claim.Number {
	fs := claim.Numbers(c.rec.Question)
	for _, f := range c.rec.Findings {
		if f.Rejected == "" {
			fs = append(append(fs, claim.Numbers(f.Claim)...), claim.Numbers(f.Quote)...)
		}
	}
	return fs
}

// isIntroduction reports whether a sentence only leads in what follows it: "The survey found:", "The three largest were:"
// over three items.
func isIntroduction(b *block, s statement) bool {
	t := strings.TrimSpace(s.text)
	if b.opens == 0 || s.End < len(strings.TrimRight(string(b.text), " \n")) || !strings.HasSuffix(t, ":") {
		return false
	}
	ws := words(t)
	for _, f := range s.figs {
		if !f.Words || int(f.Value) != b.opens {
			return false
		}
	}
	if len(ws) > 12 || HasNumber(t) && len(s.figs) == 0 {
		return false
	}
	last := strings.Join(ws[max(0, len(ws)-2):], " ")
	if slices.ContainsFunc(ws, func(w string) bool { return w == "following" || w == "follows" || w == "these" }) || question.MatchString(t) {
		return true
	}
	return !asserts(strings.Join(ws[:max(0, len(ws)-2)], " ")) || metaLast.MatchString(last)
}

var metaLast = lazyregexp.New(`(?i)\b` + metaNouns + `$`)
