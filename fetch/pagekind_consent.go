package fetch

import (
	"strings"

	"ibid/internal/lazyregexp"
)

// Consent walls: what they say, and the button without which there is nothing to agree to.
var (
	consentSays = lazyregexp.New(`(we|us) and (our|up to|\d).{0,30}partners|our \d+ partners|store and(/or)? access information on|store (and|or)/?(or)? ?access|before you continue to|` +
		`values? your privacy|your privacy (choices|settings|matters)|(use|uses|using) cookies|personali[sz]ed (ads|advertising|content)|personali[sz]e (ads|content|advertising)|which cookies|legitimate interest|withdraw your consent|transparency (&|and) consent framework|` +
		// German
		`wir und (unsere|bis zu) .{0,20}partner|und unsere partner|(informationen|daten) auf (einem|ihrem|deinem) gerät|(verwenden|nutzen|setzen) (wir )?cookies|bevor sie .{0,40}(weitergehen|fortfahren)|datenschutzeinstellungen|ihre privatsphäre|ihrer einwilligung|personenbezogene daten|mit werbung|pur-?abo|` +
		// French
		`nous et nos .{0,20}partenaires|nos (\d+ )?partenaires|(utilisons|utilise|utilisent) des cookies|avant de continuer|(votre|vos) (vie privée|consentement|choix)|données personnelles|` +
		// Spanish, Italian, Portuguese
		`nuestros (\d+ )?socios|(utilizamos|usamos|utiliza) cookies|(tu|su) privacidad|información en un dispositivo|(i nostri|nostri) (\d+ )?partner|(utilizziamo|usiamo|utilizza) (i )?cookie|(tua|sua) privacy|informazioni (su|sul) .{0,12}dispositivo|nossos (\d+ )?parceiros|(sua|tua) privacidade|` +
		// Dutch, Scandinavian, Polish
		`(onze|met) (\d+ )?partners|(gebruiken|gebruikt|plaatsen) (wij )?cookies|(je|uw|jouw) privacy|informatie op (een|je|uw) apparaat|privacy gate|(vi|bruger|använder|bruker) (bruger |använder |bruker )?(cookies|informasjonskapsler)|(dit|din|ditt) (privatliv|integritet|personvern)|` +
		`(nasi|naszych|naszymi) (\d+ )?(zaufani |zaufanych )?partner|twoj(ą|a|ej) prywatnoś|informacje na urządzeni|plik(i|ów) cookies?`)
	consentButton = lazyregexp.New(`^(i |yes,? i |yes,? )?(accept|agree|allow|consent|reject|refuse|decline|got it)( all| to all)?( (and|&) (continue|close))?( cookies)?$|^(ich )?(allen? )?(akzeptieren|ablehnen|zustimmen|einverstanden)|` +
		`^(tout |j.)?(accepte|refuse)r?|^continuer sans accepter|^(aceptar|rechazar|acepto|aceitar|aceito|rejeitar)|^accett|^rifiuta|^(alles |ik )?(accepteren|accepteer|weigeren|akkoord|ga akkoord)|^(accept(é|e)r|acceptera|godta|godkänn|tillad|afvis) ?|^(akceptuj|zgadzam|przejdź)|^(принять|согласен)|^continue without`)
	consentTitle = lazyregexp.New(`\b(privacy|consent|cookies?|before you continue|datenschutz\S*|einwilligung|zustimmung|gdpr|bevor sie|avant d|avant de continuer|vie privée|privacidade?|informativa|family of brands|markenfamilie)\b|prywatnoś|integritet|personvern|privatliv`)
	consentTopic = lazyregexp.New(`cookie|partner|partenaire|socios|parceiros|privacy|privacid|prywatno|privatliv|consent|einwillig|zustimm|datenschutz|personal|gerät|device|dispositiv|apparaat|tracking|\bads?\b|advertis|werbung|publicit|\b(we|our|you|your|wir|sie|ihre?n?|nous|vous|votre|vos)\b`)
)

// asksConsent reports whether a page is nothing but the question for consent.
func (p *pageScan) asksConsent() bool {
	if p.visible() >= shortConsent || p.article || p.told(consentTopic) >= shortOther/2 {
		return false
	}
	said := map[string]bool{}
	for _, s := range consentSays.FindAllString(p.text, 20) {
		said[s] = true
	}
	if len(said) < 2 {
		return false
	}
	button := false
	for _, b := range append(p.blocks, p.buttons...) {
		for label := range strings.FieldsFuncSeq(b, func(r rune) bool { return r == '|' || r == '·' }) {
			button = button || len(b) < 80 && consentButton.MatchString(strings.TrimSpace(label))
		}
	}
	titled := consentTitle.MatchString(strings.ToLower(p.title + "\n" + strings.Join(p.headings, "\n")))
	short := p.visible() < shortConsent/3
	return button && (short && titled || (short || titled) && len(said) >= 3)
}
