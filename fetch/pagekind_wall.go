package fetch

import (
	"bytes"
	"slices"
	"strings"

	"ibid/internal/lazyregexp"
)

var (
	loginTitle = lazyregexp.New(`\b(log ?in|log ?into|log ?on|sign ?in|sign ?on|members only|anmelden|anmeldung|einloggen|se connecter|connexion|iniciar sesión|accedi|entrar|inloggen|logga in|logg inn|log ind|zaloguj|giriş)\b|connectez-vous|вход|войти|ログイン|登录|登入|로그인`)
	loginAsks  = lazyregexp.New(`((you (must|need to|have to)|please) (be )?(log(ged)?|sign(ed)?) ?in\b( (to|or|first|below|with|using|before|here|through)\b|[.!,]|$)|(log|sign) ?in to (continue|view|read|see|access))`)
	joinAsks   = lazyregexp.New(`^(create (an?|your) (free )?account|sign up|register|join( now| free)?|log in|sign in).{0,30} to (continue|keep|finish|read|see|view|unlock)\b`)
	loginPath  = lazyregexp.New(`(?i)/(log-?in|log-?on|sign-?in|sso|auth|authwall|authorize|authenticate|servicelogin|session/new|sessions/new)(/|\.\w+|$)`)
	loginHost  = lazyregexp.New(`^(login|accounts|account|auth|sso|signin|idp|id)\.`)
)

// asksLogin reports whether a page is a form to log in, or asks for an account before it says anything.
func (p *pageScan) asksLogin() bool {
	titled := loginTitle.MatchString(strings.ToLower(p.title + "\n" + strings.Join(p.headings, "\n")))
	if titled && (p.password && p.prose < shortLogin || p.prose < shortLogin/2 && !p.article && loginAsks.MatchString(p.text)) {
		return true
	}
	return p.prose < shortLogin/2 && !p.article && p.told(stopTopic) == 0 && slices.ContainsFunc(p.heads(), joinAsks.MatchString)
}

// teaserEnd is what stands at the end of what a paywall leaves, in a paragraph of its own.
var teaserEnd = lazyregexp.New(`(subscribe|sign up|register|join)\b.{0,40} to (continue|keep|finish|read|unlock)|(to|and) (continue|keep) reading|(to|and) read the (full|rest|whole)|keep reading with|already a (subscriber|member)|this (article|content|story|post) is (only )?(for|available to|reserved for) (our |paid |paying )?(subscribers|members)|` +
	`(for|to) (paid |paying )?subscribers only|subscriber(-| )only|available to \w+ members only|you.?ve (reached|read) your .{0,20}(limit|articles)|you have (reached|read) your .{0,20}(limit|articles)|unlock this (article|story)|read the full story|` +
	`weiterlesen mit|jetzt (abonnieren|weiterlesen)|exklusiv für abonnenten|nur für abonnenten|réservée? (à nos |aux )abonnés|il vous reste .{0,20}% .{0,20}à lire|suscríbe(te|se) para (seguir|continuar|leer)|(contenido|artículo) (exclusivo|solo) para suscriptores|` +
	`riservato agli abbonati|abbonati per (continuare|leggere)|alleen voor abonnees|lees verder met|(conteúdo|artigo) exclusivo para assinantes|assine para (continuar|ler)|tylko dla (subskrybentów|prenumeratorów)|för prenumeranter|for abonnenter`)

// teaserMark is the place of a paywall in a page's source.
var teaserMark = lazyregexp.New(`(?i)(class|id|data-testid)\s*=\s*["'][^"'>]{0,200}(pay-?wall|reg-?wall|subscriber-?wall|paid-?content|premium-?content|metered|gateway|subscri|piano|tp-container|membership|locked)`)

// paywalled reports whether a page shows only what stands before a paywall: it says so to machines, or it has a place
// for the paywall, says so to readers, and is not long.
func (p *pageScan) paywalled() bool {
	if p.locked || p.prose >= shortConsent {
		return p.locked
	}
	asks := teaserEnd.MatchString(p.text)
	for _, b := range append(p.blocks, p.headings...) {
		if len(b) >= shortTeaser {
			continue
		}
		b = strings.ToLower(b)
		begins := joinAsks.MatchString(b)
		if asks && !begins {
			at := teaserEnd.FindStringIndex(b)
			begins = at != nil && at[0] == 0
		}
		if begins && !p.explains() {
			return true // it begins with it: no text about paywalls does
		}
	}
	if !asks {
		return false
	}
	place := false // before the pattern, which is slower
	for _, word := range []string{"wall", "paid-content", "premium-content", "metered", "gateway", "subscri", "piano", "tp-container", "membership", "locked"} {
		place = place || bytes.Contains(p.raw, []byte(word))
	}
	return place && teaserMark.Match(p.raw)
}
