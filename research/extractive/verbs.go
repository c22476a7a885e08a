package extractive

import (
	"strings"

	"ibid/internal/lazyregexp"
)

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

var thirdPerson = lazyregexp.New(`(?i)\b\w{3,}s (?:the|a|an|to|by|that|its|their|no|not|only|each|every|from|with|as|at|into|on|up)\b`)

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
