package sources

import (
	"strings"
	"unicode/utf8"

	"ibid/internal/lazyregexp"
)

// what is what a notice may call the thing that it stands on.
const (
	what     = `(?:article|paper|study|publication|manuscript|preprint|report|chapter|post|page|document|work|dataset|version|story|thesis|book|standard|draft|specification|guidance|guideline|recommendation|memo|advisory|policy|release|api|documentation|repository|project|website|web site|site|content|statement|press release)`
	whatDE   = `(?:artikel|fachartikel|beitrag|aufsatz|text|studie|arbeit|publikation|veröffentlichung|bericht|seite|fassung|version|dokument|norm|richtlinie|leitlinie|meldung|website|webseite|internetseite)`
	whatFR   = `(?:article|étude|publication|rapport|page|document|version|texte|communiqué|norme|site|contenu|travail)`
	whatES   = `(?:artículo|estudio|publicación|informe|página|documento|versión|texto|trabajo|norma|sitio|contenido|comunicado)`
	adverbs  = `(?:(?:now|since|formally|officially|voluntarily|later|subsequently|meanwhile|inzwischen|mittlerweile|offiziell|depuis|officiellement|oficialmente) )?`
	noticeEN = `(?:this|the present|our) (?:[a-z-]+ ){0,2}` + what + ` (?:has been|was|is|is being|has) ` + adverbs
	noticeDE = `(?:dieser|diese|dieses|der vorliegende|die vorliegende) (?:[a-zäöüß-]+ ){0,2}` + whatDE + ` (?:wurde|ist|wird) ` + adverbs
	noticeFR = `(?:cet|cette|ce|le présent|la présente) (?:[\pL-]+ ){0,1}` + whatFR + ` (?:a été|est|a) ` + adverbs
	noticeES = `(?:este|esta|el presente|la presente) (?:[\pL-]+ ){0,1}` + whatES + ` (?:ha sido|fue|está|es) ` + adverbs
)

// A mark is how a title or a line of a text says that its source has a status.
type mark struct {
	status string
	re     *lazyregexp.Regexp
}

// beginnings are the first bytes of words, five at most, without one of which a line says nothing of a status: looking for
// them is quicker by far.
var beginnings = begin(map[string]string{
	Retracted:  "retra withd zurü wider rück rétr retir",
	Doubted:    "conce inves",
	Superseded: "super repla obsol outda depre newer recen later older old previ earli histo date veral erset über abgel rempl péri caduq reemp susti desac",
	Corrected:  "amend corre clari corri errat edite updat korre beric richt früh préc premi anter recti fe",
	Preprint:   "peer prepr begut",
	Draft:      "draft cite citat quote distr circu entwu",
	Archived:   "archi longe maint updat aktua gepfl mise mis actua manti",
})

func begin(words map[string]string) map[uint64]uint {
	m := map[uint64]uint{}
	for i, status := range Statuses {
		for _, w := range strings.Fields(words[status]) {
			key := uint64(0)
			for _, c := range []byte(w) {
				key = key<<8 | uint64(c)
			}
			m[key] |= 1 << i
		}
	}
	return m
}

// maySay tells the statuses that a line may speak of, a bit for each.
func maySay(text string) (bits uint) {
	key, n := uint64(0), 0
	for i := range len(text) {
		c := text[i]
		switch {
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case c >= 0x80 && c <= 0x9E && i > 0 && text[i-1] == 0xC3: // À to Þ
			c += 0x20
		case c < 'a' || c > 'z' && c < utf8.RuneSelf:
			if n > 0 {
				bits |= beginnings[key]
				key, n = 0, 0
			}
			continue
		}
		if n < 5 {
			key = key<<8 | uint64(c)
			n++
		}
	}
	return bits | beginnings[key]
}

func marks(status string, patterns ...string) (list []mark) {
	for _, p := range patterns {
		list = append(list, mark{status, lazyregexp.New(`(?i)` + p)})
	}
	return list
}

// titleMarks are set before the title itself by journals and standards bodies, or behind it.
var titleMarks = concat(
	marks(Retracted, `^\W{0,3}(?:retracted|withdrawn|zurückgezogen|retiré|rétracté|retractado|retirado)(?:[ -](?:article|paper|chapter|study|preprint|artikel|artículo))? ?[:\])|–—-]`, `[\[(](?:retracted|withdrawn|zurückgezogen|rétracté|retractado)(?: (?:article|paper))?[\])]\s*$`),
	marks(Superseded, `^\W{0,3}(?:superseded|obsolete|outdated|replaced|veraltet|obsolète|obsoleto)(?: by [^:\])]{1,60})?[:\])–—-]`, `[\[(](?:superseded|obsolete|outdated|deprecated|veraltet)[^\])]{0,40}[\])]\s*$`),
	marks(Draft, `^\W{0,3}(?:working )?draft ?[:\])–—-] ?`, `[\[(](?:working )?draft[\])]\s*$`, `^\W{0,3}entwurf ?[:\])–—-] ?`),
	marks(Archived, `^\W{0,3}(?:archived|archiviert|archivé)(?: page| content)?[:\])–—-]`, `[\[(](?:archived|archiv|archiviert|archivé)[\])]\s*$`),
	marks(Corrected, `^\W{0,3}corrected(?: version)?[:\])–—-]`, `[\[(]corrected[^\])]{0,30}[\])]\s*$`),
)

// lineMarks are said in a line at the head or the foot of a text, of the text itself.
var lineMarks = concat(
	marks(Retracted,
		noticeEN+`(?:retracted|withdrawn)\b`, `^\W{0,3}(?:retracted|withdrawn)(?: article| paper)?[.!:]?\W{0,3}$`, `^\W{0,3}(?:retraction notice|retraction note|notice of retraction|retraction statement|withdrawal notice)(?: (?:to|for)\b|:|\W{0,3}$)`,
		`\b(?:withdrawn|retracted) by (?:the |its |their )?(?:authors?|editors?|publisher|journal|arxiv|all authors)\b`, `\b(?:editors?|authors?|journal|publisher) (?:have|has|hereby|wish to|wishes to)? ?(?:retract|retracts|retracted|withdraw|withdrawn|withdrew) (?:this|the|their|our) `+what,
		noticeDE+`(?:.{0,60} )?(?:zurückgezogen|widerrufen|zurückgenommen)\b`, noticeFR+`(?:rétracté|retiré|retirée|rétractée)`, noticeES+`(?:retractad[oa]|retirad[oa])\b`,
		`^\W{0,3}(?:zurückgezogen|retractado|article rétracté|artículo retractado|artikel zurückgezogen)\W{0,3}$`, `\b(?:avis de rétractation|aviso de retractación|nota de retractación|rückzug des artikels)\b`),
	marks(Doubted, `^\W{0,3}(?:editorial )?expression of concern\b`, `\bexpression of concern (?:about|regarding|for|on|over) this\b`, noticeEN+`(?:under investigation|being investigated)\b`),
	marks(Superseded,
		noticeEN+`(?:superseded|replaced|obsoleted|obsolete|outdated|out of date|deprecated)\b`, `^\W{0,3}(?:superseded|replaced|obsoleted) by[: ]`, `\b(?:there is|see) a (?:newer|more recent|later) version of this\b`, `\ba (?:newer|more recent|later) version of this `+what+` (?:is|exists|has been)\b`,
		`\byou are (?:viewing|reading|looking at) (?:(?:the )?documentation (?:for|of) )?an? (?:old|older|outdated|previous|earlier) (?:version|release)`, `\bthis is (?:an? )?(?:old|older|outdated|obsolete|previous|earlier|historical) (?:version|revision|edition)\b`,
		noticeDE+`(?:.{0,60} )?(?:veraltet|ersetzt|überholt|abgelöst)\b`, `^\W{0,3}(?:ersetzt|abgelöst) durch\b`, noticeFR+`(?:remplacée?|obsolète|périmée?|caduque)\b`, noticeES+`(?:reemplazad[oa]|sustituid[oa]|obsolet[oa]|desactualizad[oa])\b`),
	marks(Corrected,
		noticeEN+`(?:amended|corrected|updated to correct|edited to correct)\b`, `^\W{0,3}(?:correction|corrections|clarification|corrigendum|erratum)\b(?: (?:on )?[\w ,]{1,30})?:`, `\ban earlier version of this `+what+` (?:misstated|incorrectly|said|gave|misidentified|stated|reported|contained|referred|wrongly|misspelled|mistakenly)\b`,
		`^\W{0,3}(?:korrektur|berichtigung|richtigstellung|corrección|fe de (?:errores|erratas)|rectificatif|rectification|erratum)\b[^.]{0,30}:`, `\bin einer früheren (?:version|fassung) (?:dieses|des) (?:textes|artikels|beitrags)\b`, `\bune (?:première|précédente) version de cet article\b`, `\buna versión anterior de este artículo\b`),
	marks(Preprint, `\b(?:has|have) not (?:yet )?been (?:certified by )?peer[- ]review`, `\bnot (?:yet )?(?:been )?peer[- ]reviewed\b`, `\bthis (?:is a )?preprint\b`, `\b(?:noch )?nicht begutachtet\b`),
	marks(Draft, noticeEN+`(?:a )?(?:working )?draft\b`, `\bdraft[ ,–—-]+(?:do )?not (?:for|to be) (?:citation|cite|quote|distribution|circulation)`, `\bdo not (?:cite|quote|circulate) without\b`),
	marks(Archived, noticeEN+`(?:archived\b|no longer (?:being )?(?:maintained|updated|active|supported)\b|not (?:being )?(?:maintained|updated) (?:any ?more|anymore|any longer))`, `^\W{0,3}archived (?:content|page|web ?page|information)\b`, `\brepository (?:has been|was) archived by (?:the|its) owner\b`,
		noticeDE+`(?:archiviert|nicht mehr (?:aktualisiert|gepflegt))\b`, noticeFR+`archivée?\b`, `\b(?:cet|cette|ce) `+whatFR+` n[’']est plus (?:mise? à jour|actualisée?|maintenue?)`, noticeES+`archivad[oa]\b`, `\best[ea] `+whatES+` ya no (?:se actualiza|se mantiene|está actualizad[oa])`),
)

func concat(lists ...[]mark) (all []mark) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

const (
	headSpans = 10  // of a text at either end, where a notice about it stands
	maxNotice = 600 // bytes: a notice is a line or two; a longer paragraph tells something else, perhaps of another text
)

var (
	hearsay = lazyregexp.New(`(?i)\b(?:would|could|should|might|(?-i:may)|if|whether|unless|asked|calls? for|called for|demand(?:s|ed)?|urged|why|how|when) [^.]{0,60}\b(?:retract|withdraw|supersed|correct)|\b(?:never|not) (?:been |formally |yet )?(?:retracted|withdrawn|superseded|corrected)\b|\bnicht (?:zurückgezogen|ersetzt)\b`)
	expires = lazyregexp.New(`(?i)\bexpires:? (?:on )?([0-9]{1,2} [a-z]+ [0-9]{4}|[a-z]+ [0-9]{1,2}, [0-9]{4}|[0-9]{4}-[0-9]{2}-[0-9]{2})`)
	idraft  = lazyregexp.New(`(?i)\binternet[\s-]+draft\b`)
	stamp   = lazyregexp.New(`^\W{0,3}(?:RETRACTED|WITHDRAWN)(?: ARTICLE| PAPER)?[.!:]?\W{0,3}$`) // across each page
)
