package fetch

import (
	"bytes"
	"regexp"
	"strings"
)

// The rules by which a page that answered 200 is told from the page that was asked for. All look at short pages only: a
// text about captchas, cookies or missing pages is longer than any of them.

// checkMarks are strings in the source of a bot check and in that of no other page. Scripts that guarded pages carry
// as well ("/cdn-cgi/challenge-platform/", "token.awswaf.com") are not among them.
var checkMarks = []struct{ mark, vendor string }{
	{"_cf_chl_opt", "Cloudflare"},
	{"cf-browser-verification", "Cloudflare"},
	{"window.gokuProps", "AWS WAF"},
	{"awsWafCookieDomainList", "AWS WAF"},
	{"captcha-delivery.com", "DataDome"},
	{"px-captcha", "PerimeterX"},
	{"captcha.px-cdn.net", "PerimeterX"},
	{"sec-if-cpt-container", "Akamai"},
	{"/_sec/cp_challenge/", "Akamai"},
	{"bm-verify=", "Akamai"},
	{"Incapsula incident ID", "Imperva"},
	{"KPSDK", "Kasada"},
	{"/.within.website/x/cmd/anubis", "Anubis"},
	{"sucuri_cloudproxy_js", "Sucuri"},
	{"check.ddos-guard.net", "DDoS-Guard"},
	{"distil_r_captcha", "Distil"},
	{"FAIL_CAPTCHA_REQUIRED", "a captcha"},
}

// Lengths in visible characters, below which a page is taken for an interruption.
const (
	shortCheck   = 1500 // with a mark of a bot check
	shortStop    = 1200 // with the words of an interruption
	shortConsent = 3000
	shortMissing = 800 // prose
	shortFault   = 300 // prose
	shortLogin   = 600 // prose
	shortShell   = 500
	shortSpare   = 800 // bytes of text for browsers without scripts; more is the page itself
	shortTeaser  = 160 // prose before a paywall; less is nothing
)

// stopPhrases are what interruptions say of themselves; each is enough on a short page.
var stopPhrases = regexp.MustCompile(`unusual (traffic|activity) from your|(detected|noticed) unusual (traffic|activity)|verify(ing)? (that )?you('re| are) (a |really )?(human|not a (ro)?bot)|` +
	`(confirm|prove|make sure|making sure|check(ing)? (that|if|whether)) you('re| are) (a human|human|not a (ro)?bot)|checking your browser|pardon our interruption|` +
	`complete the (security check|captcha)|press (&|and) hold to confirm|you have been blocked|your (request|access|ip|ip address) (has been|was|is) (temporarily )?(blocked|denied)|` +
	`access to this page has been denied|you don't have permission to access .{1,300} on this server|automated (access|requests|queries) (to|from) (this|our|your)|your support id is|` +
	`vercel security checkpoint|too many requests (came|have come|were (sent|received|made)) from|ungewöhnlichen datenverkehr|trafic (inhabituel|exceptionnel)|tráfico (inusual|poco habitual)|` +
	`(not|n't) (currently )?available in your (country|region|location)|unavailable (in your (country|region|location)|(due to|for) legal reasons)|` +
	`bestätigen sie, dass sie (ein mensch|kein roboter)|êtes (bien )?(un )?humain|no (es|eres) un robot`)

// What a generic interruption talks of. A page that does all of it, in few words and to the reader, is one.
var (
	stopBot    = regexp.MustCompile(`\b(ro)?bots?\b|\bautomated\b|\bautomatic(ally)? (requests?|access|traffic)|\ba (real )?(human|person)\b|\bsuspicious\b|\bcaptcha\b|\bunusual(ly)?\b|\btoo (many|quick|fast)\b`)
	stopReader = regexp.MustCompile(`\byour?\b`)
	stopActs   = []*regexp.Regexp{
		regexp.MustCompile(`\b(enable|switch|turn|allow|activate|accept|support)\b.{0,60}\b(javascript|cookies|scripts)\b|\b(javascript|cookies)\b.{0,40}\b(enabled|switched on|turned on|allowed)\b`),
		regexp.MustCompile(`\b(reload|refresh|try again|wait|come back|load (the|this) page again|retry)\b`),
		regexp.MustCompile(`\b(solve|verify|confirm|prove|complete|tick|press|click|check)\b.{0,80}\b(captcha|human|person|robot|bot|box|button|puzzle|browser|below|continue|access)\b`),
		regexp.MustCompile(`\b(to (get|regain|continue|restore)|lose|blocked|denied|restricted|stopped|paused|interrupt)`),
	}
)

// interrupted reports whether a short page stands in a reader's way.
func (p *pageScan) interrupted() bool {
	if p.visible() >= shortStop {
		return false
	}
	head := strings.ToLower(p.title + "\n" + strings.Join(p.headings, "\n"))
	all := head + "\n" + p.text
	hits := stopPhrases.FindAllString(all, 4)
	if stopPhrases.MatchString(head) || p.visible() < shortStop/3 && len(hits) > 0 && !p.article {
		return true
	}
	acts := 0
	for _, act := range stopActs {
		if act.MatchString(p.text) {
			acts++
		}
	}
	if len(hits) > 0 {
		acts++
	}
	return stopBot.MatchString(all) && stopReader.MatchString(p.text) && acts >= 3 && !p.article
}

// checkedBy names whose bot check a short page is, "" if none's.
func (p *pageScan) checkedBy() string {
	if p.visible() >= shortCheck {
		return ""
	}
	for _, m := range checkMarks {
		if bytes.Contains(p.raw, []byte(m.mark)) {
			return m.vendor
		}
	}
	return ""
}

// Consent walls: what they say, and the button without which there is nothing to agree to.
var (
	consentSays = regexp.MustCompile(`(we|us) and (our|up to|\d).{0,30}partners|our \d+ partners|store and(/or)? access information on|store (and|or)/?(or)? ?access|before you continue to|` +
		`values? your privacy|your privacy (choices|settings|matters)|(use|uses|using) cookies|personali[sz]ed (ads|advertising|content)|legitimate interest|wir und unsere .{0,20}partner|` +
		`informationen auf (einem|ihrem) gerät|nous et nos .{0,20}partenaires|datenschutzeinstellungen|withdraw your consent`)
	consentButton = regexp.MustCompile(`^(i )?(accept|agree|allow|consent|reject|refuse|got it)( all| to all)?( (and|&) (continue|close))?( cookies)?$|^(alle )?(akzeptieren|ablehnen|zustimmen)|^(tout )?(accepter|refuser)|^aceptar|^accetta|^alles accepteren|^continue without`)
	consentTitle  = regexp.MustCompile(`\b(privacy|consent|cookies?|before you continue|datenschutz|einwilligung|gdpr)\b`)
)

// asksConsent reports whether a page is nothing but the question for consent.
func (p *pageScan) asksConsent() bool {
	if p.visible() >= shortConsent || p.article {
		return false
	}
	said := map[string]bool{}
	for _, s := range consentSays.FindAllString(p.text, 20) {
		said[s] = true
	}
	button := false
	for _, b := range p.buttons {
		button = button || consentButton.MatchString(b)
	}
	titled := consentTitle.MatchString(strings.ToLower(p.title + "\n" + strings.Join(p.headings, "\n")))
	short := p.visible() < shortConsent/3
	return button && (short && titled && len(said) >= 1 || (short || titled) && len(said) >= 3)
}

// missingTitles are the titles and headings of pages that say that there is none, each the whole of a part of a title.
var missingTitles = regexp.MustCompile(`^(oops |sorry |whoops |ups |hoppla )?((error |fehler |erreur )*404( error| fehler)?|(404 )?(error )?(page|file|article|document|content|url|resource)? ?not found( 404| error)?|` +
	`.{0,30}\b(page|article|content|document|link)\b.{0,40}\b(could ?n.t be found|could not be found|can ?n.?t be found|cannot be found|was not found|does ?n.t exist|does not exist|no longer exists?|is ?n.t (here|available)|is not available|is no longer available)|` +
	`we (can ?n.?t|could ?n.t|cannot|could not) find (that|this|the|your) page.{0,40}|nothing (was )?found here|(404 )?seite nicht gefunden|(404 )?page (introuvable|non trouvée)|(404 )?página no encontrada|(404 )?página não encontrada|(404 )?pagina non trovata|(404 )?pagina niet gevonden)$`)

// missingWords confirm a title that could also mean something else.
var missingWords = regexp.MustCompile(`not found|n.t find|cannot find|not find|be found|n.t exist|not exist|no longer|looking for|moved|removed|deleted|unavailable|not available|broken link|dead link|nicht gefunden|existiert nicht|n.existe|introuvable|no existe|non esiste`)

// parkedWords are those of a domain that nobody uses.
var parkedWords = regexp.MustCompile(`this domain( name)? (is|may be) for sale|buy this domain|this domain( name)? (is|has been) (parked|expired)|this domain( name)? has expired|domain is parked`)

// faultTitles are the titles of pages on which a server says, with status 200, that it does not work.
var faultTitles = regexp.MustCompile(`^((error |http )?50[0234]( error)?( (internal server error|bad gateway|service (temporarily )?unavailable|gateway time ?-?out))?|internal server error|bad gateway|service (temporarily )?unavailable|` +
	`temporarily unavailable|((this|our|the) )?(site|website|page|service)? ?(is )?((currently )?(down for|under|in)( scheduled)?|scheduled) maintenance|maintenance( mode)?|we ?(.?ll|will) be (right )?back( soon| shortly)?|be (right )?back soon|something went wrong|an? (unexpected )?error (has )?occurred|application error)$`)

// faulty reports whether a page that answered 200 says that the server does not work at the moment.
func (p *pageScan) faulty() bool {
	if p.prose >= shortFault || p.cut || p.article {
		return false
	}
	for _, title := range append([]string{p.title}, p.headings...) {
		for _, part := range append(titleParts.Split(title, 6), title) {
			if faultTitles.MatchString(plainWords(part)) {
				return true
			}
		}
	}
	return false
}

var titleParts = regexp.MustCompile(`\s+[|–—·:»«•-]\s+|\s*[|–—»«•]\s*|: `)

// missing reports whether a page that answered 200 says that there is no such page.
func (p *pageScan) missing() bool {
	if p.prose >= shortMissing || p.cut {
		return false
	}
	if parkedWords.MatchString(strings.ToLower(p.title) + "\n" + p.text) {
		return true
	}
	for _, title := range append([]string{p.title}, p.headings...) {
		for _, part := range append(titleParts.Split(title, 6), title) {
			if missingTitles.MatchString(plainWords(part)) && missingWords.MatchString(strings.ToLower(p.title)+" "+p.text) {
				return true
			}
		}
	}
	return false
}

// plainWords is a text in lower case without punctuation.
func plainWords(s string) string {
	return oneSpace(strings.Map(func(r rune) rune {
		if strings.ContainsRune(`.,!?;:"()[]…“”-–—`, r) {
			return ' '
		}
		return r
	}, strings.ToLower(s)))
}

var (
	loginTitle = regexp.MustCompile(`\b(log ?in|log ?on|sign ?in|sign ?on|members only)\b|anmelden|einloggen|connectez-vous|se connecter|iniciar sesión|accedi`)
	loginAsks  = regexp.MustCompile(`(you (must|need to|have to)|please) (be )?(log(ged)?|sign(ed)?) ?in|(log|sign) ?in to (continue|view|read|see|access)`)
	loginPath  = regexp.MustCompile(`(?i)/(log-?in|log-?on|sign-?in|sso|auth|authorize|authenticate|servicelogin|session/new|sessions/new)(/|\.\w+|$)`)
	loginHost  = regexp.MustCompile(`^(login|accounts|account|auth|sso|signin|idp|id)\.`)
)

// asksLogin reports whether a page is a form to log in.
func (p *pageScan) asksLogin() bool {
	titled := loginTitle.MatchString(strings.ToLower(p.title + "\n" + strings.Join(p.headings, "\n")))
	return titled && (p.password && p.prose < shortLogin || p.prose < shortLogin/2 && !p.article && loginAsks.MatchString(p.text))
}

var (
	teaserEnd = regexp.MustCompile(`subscribe (now )?to (continue|keep|finish|read|unlock)|(to|and) continue reading|(to|and) read the (full|rest|whole)|already a subscriber|this (article|content|story) is (only )?(for|available to|reserved for) (our )?(subscribers|members)|` +
		`(for|to) subscribers only|subscriber(-| )only|you have (reached|read) your (free |monthly )?.{0,20}(limit|articles)|unlock this (article|story)|weiterlesen mit|jetzt abonnieren|article réservé aux abonnés|contenido exclusivo para suscriptores`)
	teaserMark = regexp.MustCompile(`(?i)(class|id)\s*=\s*["'][^"'>]{0,200}\b(pay-?wall|reg-?wall|subscriber-?wall|paid-?content|premium-?content|metered)`)
)

// paywalled reports whether a page shows only what stands before a paywall: it says so to machines, or it has a place
// for the paywall, says so to readers, and is not long.
func (p *pageScan) paywalled() bool {
	if p.locked || p.prose >= shortConsent {
		return p.locked
	}
	place := false // before the patterns, which are slower
	for _, word := range []string{"wall", "paid-content", "premium-content", "metered"} {
		place = place || bytes.Contains(p.raw, []byte(word))
	}
	return place && teaserEnd.MatchString(p.text) && teaserMark.Match(p.raw)
}

// wantsScript are the words of pages that say that they need a browser that runs scripts.
var wantsScript = regexp.MustCompile(`(enable|turn on|activate|switch on|allow|requires?|needs?|without|runs only with|works? (only|best) with|support) (your browser's )?(java ?script|scripts)|java ?script (is|must be|has to be|needs to be|seems to be|appears to be) (required|enabled|disabled|turned (on|off)|switched (on|off)|not enabled|activated|needed)|` +
	`(java ?script|scripts) (is |are )?(off|required|disabled)|scripts are off|doesn.t work properly without|javascript (aktivieren|einschalten)|aktivieren sie (bitte )?javascript|activer javascript|(habilitar|activar) javascript`)

// shell reports whether a page is empty until its scripts have run.
func (p *pageScan) shell() bool {
	content := p.prose + p.linked
	if p.scripts == 0 || p.cut || content >= shortShell*2/5 || p.visible() >= 3*shortShell || p.spare >= shortSpare {
		return false
	}
	says := wantsScript.MatchString(p.text) || strings.Contains(p.noscript, "javascript") || wantsScript.MatchString(p.noscript)
	switch {
	case p.emptyApp:
		return true
	case p.visible() < shortShell && says:
		return true
	}
	return p.visible() == 0 && p.images == 0 && !p.frames
}
