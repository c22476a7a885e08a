package fetch

import (
	"bytes"
	"strings"

	"ibid/internal/lazyregexp"
)

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
	{"/.within.website/", "Anubis"},
	{"sucuri_cloudproxy_js", "Sucuri"},
	{"Sucuri WebSite Firewall", "Sucuri"},
	{"check.ddos-guard.net", "DDoS-Guard"},
	{"distil_r_captcha", "Distil"},
	{"FAIL_CAPTCHA_REQUIRED", "a captcha"},
	{"window.rbzns", "Reblaze"},
	{"Radware Bot Manager", "Radware"},
	{"/errors/validateCaptcha", "Amazon"},
	{"/checkcaptcha?", "Yandex"},
	{"/_fs-ch-", "Fastly"},
}

// widgetMarks are those of captchas and of scripts that ordinary pages carry too; on a page that says next to nothing
// they are what it is for.
var widgetMarks = []struct{ mark, vendor string }{
	{"cf-turnstile", "Cloudflare"},
	{"h-captcha", "hCaptcha"},
	{"g-recaptcha", "reCAPTCHA"},
	{"frc-captcha", "Friendly Captcha"},
	{"altcha-widget", "ALTCHA"},
	{"geetest", "GeeTest"},
	{"bobcmn", "F5"},
	{"/TSPD/", "F5"},
	{"_Incapsula_Resource", "Imperva"},
	{"/authwall", "a login"},
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
	if p.prose >= shortWidget/2 || p.linked >= shortWidget/2 || p.article || p.told(stopTopic) > 0 {
		return ""
	}
	for _, m := range widgetMarks {
		if bytes.Contains(p.raw, []byte(m.mark)) {
			return m.vendor
		}
	}
	return ""
}

// stopPhrases are what interruptions say of themselves; each is enough on a short page.
var stopPhrases = lazyregexp.New(`unusual (traffic|activity) from your|(detected|noticed) unusual (traffic|activity)|` +
	`(verify(ing)?|confirm|prove|make sure|making sure|check(ing)?) (that |if |whether )?you('re|’re| are) (really )?(not )?(an? )?(real )?(human|person|(ro)?bot)|` +
	`(think|thought|believe|suspect|suspected) (that )?you (are|were) an? (ro)?bot|checking your browser|pardon our interruption|` +
	`complete the (security check|captcha)|solve (this|the) captcha|press (&|and) hold to confirm|you have been blocked|your (request|access|ip|ip address) (has been|was|is) (temporarily )?(blocked|denied|limited)|` +
	`your access to this (site|service|page|website) has been (limited|blocked|denied|restricted)|used cloudflare to restrict access|scourge of ai companies|` +
	`access to this page has been denied|you don.t have permission to access (.{1,300} on this server|this resource)|automated (access|requests|queries) (to|from) (this|our|your)|your support id is|` +
	`vercel security checkpoint|too many requests (came|have come|were (sent|received|made)) from|` +
	`(not|n't) (currently )?available in your (country|region|location)|unavailable (in your (country|region|location)|(due to|for) legal reasons)|must be of legal (drinking |smoking )?age to (enter|visit|continue)|` +
	// German, French, Spanish, Italian, Portuguese, Dutch, Scandinavian
	`ungewöhnlichen datenverkehr|bestätigen sie, dass sie (ein mensch|kein roboter)|dass sie kein (ro)?bot(er)? sind|ich bin kein roboter|` +
	`trafic (inhabituel|exceptionnel)|êtes (bien )?(un )?humain|(pas|êtes) un robot|tráfico (inusual|poco habitual)|no (es|eres|soy) un robot|que (es|eres) humano|` +
	`traffico (insolito|anomalo)|non (sei|sono|essere) un robot|sei umano|não (é|sou|és) um robô|que (você )?é humano|tráfego (incomum|suspeito)|geen robot|inte (är )?en robot|ikke (er )?en robot|` +
	// Polish, Czech, Russian, Ukrainian, Turkish
	`nie (jesteś|jestem) robotem|ne(jste|jsem) robot|не робот|похожи на автоматические|подтвердите, что .{0,40}(человек|не бот)|robot olmadığınızı|` +
	// Chinese, Japanese, Korean
	`(不|并非)是?机器人|不是機器人|完成.{0,4}安全验证|人机验证|访问(异常|过于频繁)|异常访问|ロボットで(は)?(ない|ありません)|通常と異なるトラフィック|로봇이 아(님|닙니다)|자동화된 (접근|요청)`)

// stopTopic is what the sentences of an interruption are about: the reader, and what keeps him out.
var stopTopic = lazyregexp.New(`\b(you|you're|your|i'm|we|our|us|please|browser|javascript|cookies?|captcha|(ro)?bots?|human|security|attacks?|block(ed)?|access|denied|requests?|traffic|network|reference|incident|ray id|ip|server|this (page|site|website)|sie|ihre?n?|bitte|vous|votre|veuillez|usted|su|tu|por favor|si|prego|u|uw|je|você|seu|вы|ваш\S*|вас)\b|[\p{Han}\p{Hangul}\p{Hiragana}\p{Cyrillic}]`)

// What a generic interruption talks of. A page that does all of it, in few words and to the reader, is one.
var (
	stopBot    = lazyregexp.New(`\b(ro)?bots?\b|\bautomated\b|\bautomatic(ally)? (requests?|access|traffic)|\ba (real )?(human|person)\b|\bsuspicious\b|\bcaptcha\b|\bunusual(ly)?\b|\btoo (many|quick|fast)\b`)
	stopReader = lazyregexp.New(`\byour?\b`)
	stopActs   = []*lazyregexp.Regexp{
		lazyregexp.New(`\b(enable|switch|turn|allow|activate|accept|support)\b.{0,60}\b(javascript|cookies|scripts)\b|\b(javascript|cookies)\b.{0,40}\b(enabled|switched on|turned on|allowed)\b`),
		lazyregexp.New(`\b(reload|refresh|try again|wait|come back|load (the|this) page again|retry)\b`),
		lazyregexp.New(`\b(solve|verify|confirm|prove|complete|tick|press|click|check)\b.{0,80}\b(captcha|human|person|robot|bot|box|button|puzzle|browser|below|continue|access)\b`),
		lazyregexp.New(`\b(to (get|regain|continue|restore)|lose|blocked|denied|restricted|stopped|paused|interrupt)`),
	}
)

// interrupted reports whether a short page stands in a reader's way.
func (p *pageScan) interrupted() bool {
	if p.visible() >= shortStop || p.told(stopTopic) >= shortOther || p.explains() {
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
	return stopBot.MatchString(all) && stopReader.MatchString(p.text) && acts >= 3 && !p.article || p.denied()
}

var (
	deniedTitles = lazyregexp.New(`^((http |error )?(403|401|1020|1015|1009|1010) ?)?(error )?(access (is |was )?(denied|forbidden|restricted)|forbidden|unauthori[sz]ed|request (blocked|rejected|denied)|you are blocked|blocked|attention required|bot verification|security (check|verification|challenge)|site verification|human verification|client challenge|error 10(06|09|10|15|20)|error code 10(06|09|10|15|20)|zugriff verweigert|accès (refusé|interdit)|acceso (denegado|prohibido)|accesso negato|acesso negado|toegang geweigerd|доступ (запрещен|запрещён|ограничен))( 40[13])?$`)
	deniedWords  = lazyregexp.New(`\b(permission|blocked|denied|forbidden|administrator|security|firewall|support|reference|ray id|your ip|nginx|apache|cloudflare|javascript|verify(ing)?|human|code 1\d\d\d|nicht berechtigt|interdit|запрещ\S*)\b`)
)

// denied reports whether a page says only that it is not to be read.
func (p *pageScan) denied() bool {
	return p.prose < shortNotice && !p.article && p.titled(deniedTitles) && (deniedWords.MatchString(p.text) || p.prose < shortWidget/2)
}

var (
	limitTitles = lazyregexp.New(`^((http |error )?429 ?)?(error )?(too many requests|rate limit(ed)?|rate limit (was |has been |is )?(exceeded|reached)|slow down|zu viele anfragen|trop de requêtes|demasiadas (peticiones|solicitudes)|troppe richieste|слишком много запросов|请求过于频繁)( 429)?$`)
	limitAsks   = lazyregexp.New(`\b(please|wait|slow down|try again|later|you (have|are)|your|nginx|openresty|cloudflare|bitte|später|veuillez|espere|attendi)\b|попробуйте|稍后`)
)

// limited reports whether a page says only that its reader has asked too often.
func (p *pageScan) limited() bool {
	return p.prose < shortNotice && !p.article && p.titled(limitTitles) && (limitAsks.MatchString(p.text) || p.prose < shortWidget/2)
}
