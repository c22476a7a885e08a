package sources

import (
	"strings"
	"unicode"

	"ibid/internal/lazyregexp"
)

// A naming is words that say where something is from.
type naming struct {
	name  string // as written
	words string // the cue and the name
}

const (
	named = `(\p{Lu}(?:[\p{L}\p{N}&'’-]|\.\p{L})*(?:[ \x{a0}](?:(?:of|for|and|the|&|de|del|la|du|des|der|für|und|et|y)[ \x{a0}]){0,3}\p{Lu}(?:[\p{L}\p{N}&'’-]|\.\p{L})*){0,6})`
	site  = `((?:[a-z0-9-]+\.)+[a-z]{2,12})\b`
)

var (
	// attributed is said before the name of whom a statement is from.
	attributed = []*lazyregexp.Regexp{
		lazyregexp.New(`(?:\b[Aa]ccording to|\b(?:[Ff]irst )?[Rr]eported by|\b[Ff]irst reported in|\b[Cc]iting|\b[Dd]ata (?:from|by|compiled by|provided by)|\b[Ff]igures (?:from|by)|\b[Nn]umbers from|\b[Ss]tatistics (?:from|by)|\b[Ee]stimates? (?:from|by)|\b[Aa]s reported by|\b[Aa]s told to|\b[Aa] (?:report|study|survey|analysis) (?:by|from)|\b[Tt]old|\b[Ii]n an interview with) (?:the |data from |figures from |a report by |a study by )?` + named),
		lazyregexp.New(`(?:\b[Ll]aut|\b[Nn]ach Angaben (?:von|der|des)|\b[Gg]emäß|\b[Bb]eruft sich auf|\b[Uu]nter Berufung auf) (?:der |dem |des |einem Bericht (?:von|der|des) )?` + named),
		lazyregexp.New(`(?:\b[Ss]elon|\b[Dd][’']après|\b[Dd][’']apr[eè]s) (?:l[’']|le |la |les |un rapport de )?` + named),
		lazyregexp.New(`(?:\b[Ss]egún|\b[Dd]e acuerdo con|\b[Ss]egún datos de) (?:el |la |los |las |datos de )?` + named),
		lazyregexp.New(`(?:\b[Ss]ource|\b[Qq]uelle|\b[Ff]uente) ?: ?(?:the )?` + named),
	}
	// reported is said behind the name. Of one word alone only a source of the run is meant: any noun may begin a sentence.
	reported = lazyregexp.New(named + ` (?:first |has |have |also |later |hat |a |ha )?(?:reported|reports|said|says|wrote|writes|announced|found|estimates|estimated|stated|disclosed|revealed|berichtete|berichtet|schreibt|schrieb|teilte mit|meldete|meldet|rapporte|annoncé|indique|déclaré|informó|informa|reveló|señaló)\b`)
	zufolge  = lazyregexp.New(named + ` zufolge\b`)
	// linked is an address or an identifier in a sentence.
	linked = lazyregexp.New(`\b(?:https?://)?(?:dx\.)?doi\.org/(10\.[0-9]{4,9}/[^\s\])>,;]+)|\bdoi: ?(10\.[0-9]{4,9}/[^\s\])>,;]+)|\barXiv:([0-9]{4}\.[0-9]{4,5})`)
	// origin is what a page as a whole says of where it is from.
	origin = []*lazyregexp.Regexp{
		lazyregexp.New(`(?i:\b(?:originally|first) (?:published|appeared|posted|reported|issued|ran) (?:by|in|on|at)|\b(?:re-?published|reprinted|reproduced|syndicated|cross-?posted|adapted|translated|excerpted) (?:with (?:kind )?permission (?:from|of)|courtesy of|from)|\b(?:story|article|text|report|content) (?:is|was) (?:produced|provided|distributed|supplied) by|\bcourtesy of|\bzuerst (?:erschienen |veröffentlicht )?(?:in|bei|auf|im)|\bübernommen von|\b(?:publié|paru)e? (?:initialement |d[’']abord |à l[’']origine )(?:dans|par|sur)|\bpublicad[oa] originalmente (?:en|por)) (?i:the |der |dem |la |el |le )?(?:` + named + `|` + site + `)`),
		lazyregexp.New(`^(?i:source|quelle|fuente|via) ?: ?(?i:the )?(?:` + named + `|` + site + `)[ .]*$`),
	}
	// dateline begins a text that an agency wrote: LONDON (Reuters) -
	dateline = lazyregexp.New(`^\p{Lu}[\p{L} ,./’'-]{1,40}(?:, [\p{L}\p{N}. ]{2,20})? ?[(/]([\p{L}][\p{L} .-]{1,30})[)/] ?(?:--?|–|—) `)
	credited = lazyregexp.New(`(?i)(?:©|\(c\)|\bcopyright) ?(?:(?:19|20)[0-9]{2} )?(?:the )?(associated press|ap|reuters|thomson reuters|afp|agence france-presse|dpa|efe|ansa|upi|pa media)\b`)
	// announcement is what somebody who is not named said of himself.
	announcement = lazyregexp.New(`(?i)\b(?:wrote|said|says|announced|reported|writes|posted|published) (?:so )?(?:in|on) (?:its|their|his|her|a|an|the) (?:own |official |company |company[’']s |corporate |personal )?(?:blog|blog post|website|web ?site|press release|news release|statement|newsletter|homepage|annual report|social media)\b|\b(?:according to|in|per|citing) (?:a |its |the |their )?(?:company |official )?(?:press release|news release|blog post|own figures|statement by the (?:company|operator|maker))\b|\b(?:teilte|heißt es|schreibt|schrieb)\b[^.]{0,60}\b(?:Pressemitteilung|Mitteilung|Blog|Webseite|Website)\b|\b(?:dans un communiqué|sur son (?:blog|site)|en un comunicado|en su (?:blog|página web|sitio))\b`)
)

// noNames are words that begin with a capital and name nobody.
var noNames = set(`He She It They We I You This That These Those The A An In On At But And As If So One Two Three Some Many Most All Both Each Its His Her Their Our
	Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August September October November December
	Table Figure Fig Section Article Chapter Appendix Equation Paragraph Annex Box Part Note Rule Step Theorem Lemma
	Researchers Officials Experts Scientists Authors Critics Analysts Others People Police Sources Reports Studies Doctors Engineers Residents Witnesses Observers Lawyers Critics Supporters Users Customers
	Angaben Bericht Berichten Studie Studien Experten Polizei Medienberichten Medien Forschern Umfrage Umfragen Gesetz Plan Vertrag Statistik Prognose Unternehmen Hersteller Betreiber Behörden
	What When Where Who How Why There Here However Meanwhile Yesterday Today Tomorrow`)

// cues are parts of words without one of which a sentence names nobody; origins, without one of which a line is not about its page.
var (
	cues    = strings.Split("ccording to|eported|iting|ata |igures |umbers |tatistics |stimate|told|nterview|study|survey|analysis|aut |ngaben|emäß|eruf|elon |après|apr|egún|cuerdo|ource|uelle|uente|zufolge|said|says|report|wrote|writes|nnounce|found|stated|isclosed|evealed|bericht|schr|teilte|melde|rapport|nnonc|ndiqu|éclar|inform|revel|señal|doi|arXiv", "|")
	origins = strings.Split("ublish|ppeared|osted|eported|ssued| ran |eprint|eproduc|yndicat|dapted|ranslated|xcerpt|roduced|rovided|istributed|upplied|ourtesy|uerst|bernommen|ublié|aru|ublicad|ource|uelle|uente|via|Via|VIA", "|")
)

// namings are the names that a sentence says something is from; sure tells those that stand behind a cue.
func namings(text string, known func(folded string) bool) (list []naming) {
	add := func(name, words string, sure bool) {
		name = strings.TrimRight(strings.Join(strings.Fields(name), " "), ".,'’-")
		name = strings.TrimSuffix(strings.TrimSuffix(name, "'s"), "’s")
		first, _, more := strings.Cut(name, " ")
		if noNames[strings.Trim(first, ".")] && (!more || first != "The") {
			return
		}
		folded := foldName(name)
		if len(folded) < 2 || !sure && !more && !known(folded) && !acronym(name) {
			return
		}
		list = append(list, naming{name, excerpt(words)})
	}
	if !holds(text, cues) {
		return nil
	}
	for _, re := range attributed {
		for _, m := range re.FindAllStringSubmatch(text, 8) {
			add(m[1], m[0], true)
		}
	}
	for _, m := range zufolge.FindAllStringSubmatch(text, 4) {
		add(m[1], m[0], true)
	}
	for _, m := range reported.FindAllStringSubmatch(text, 8) {
		add(m[1], m[0], false)
	}
	for _, m := range linked.FindAllStringSubmatch(text, 8) {
		id := strings.TrimRight(m[1]+m[2], ".")
		if m[3] != "" {
			id = "10.48550/arxiv." + m[3]
		}
		list = append(list, naming{"doi " + strings.ToLower(id), m[0]})
	}
	return list
}

func acronym(name string) bool {
	return len(name) > 1 && len(name) < 7 && strings.ToUpper(name) == name && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) })
}
