package fetch

import (
	"slices"
	"strings"

	"ibid/internal/lazyregexp"
)

// missingTitles are the titles and headings of pages that say that there is none, each the whole of a part of a title.
var missingTitles = lazyregexp.New(`^(oops |sorry |whoops |ups |hoppla |uh oh |hmm )?((error |fehler |erreur |http status |http error |http )?404( error| fehler)?|((http |http status )?4(04|10) )?(error )?(page|file|article|document|content|url|resource|site|file or directory|object)? ?not found( 404| error)?|` +
	`.{0,30}\b(page|article|content|document|link|post|story|product|item|listing|job|account|video|profile|user|site)\b.{0,40}\b(could ?n.t be found|could not be found|can ?n.?t be found|cannot be found|was not found|does ?n.t exist|does not exist|no longer exists?|is ?n.t (here|available)|is not available|is no longer available|(has been|was|is) (removed|deleted|taken down)|is gone)|` +
	`we (can ?n.?t|could ?n.t|cannot|could not) find (that|this|the|your) page.{0,40}|(there.?s )?nothing (was )?(found )?here|nothing found|no such (page|app|file|article|document)|(http )?(error )?(410 )?gone( 410)?|video unavailable)$`)

// missingWords confirm a title that could also mean something else.
var missingWords = lazyregexp.New(`not found|n.t find|cannot find|not find|be found|n.t exist|not exist|no longer|looking for|moved|removed|deleted|unavailable|not available|(page|article|story|post) is gone|there is no|n.t a .{0,30}here|did not find|broken link|dead link|nicht gefunden|existiert nicht|n.existe|introuvable|no existe|non esiste`)

// missingAbroad are the same in other languages: they say enough, wherever in a title or heading they stand.
var missingAbroad = lazyregexp.New(`seite (wurde |konnte )?(leider )?nicht gefunden|seite (gibt es|existiert) (leider )?nicht|(seite|artikel|beitrag) ist (leider )?nicht mehr (verfügbar|vorhanden|da)|` +
	`page .{0,40}(introuvable|n.existe (pas|plus)|non trouvée|n.a pas été trouvée)|page (introuvable|non trouvée)|article .{0,20}n.est plus disponible|` +
	`página (.{0,40} )?no (encontrada|existe|disponible)|no (se )?(hemos|ha|pudimos|podemos)?.{0,12}encontra(do|r|mos) la página|página (.{0,40} )?não (encontrada|existe|foi encontrada)|não encontr(amos|ámos) (a|esta|essa) página|` +
	`pagina (.{0,40} )?(non (trovata|esiste|è stata trovata)|inesistente)|pagina (.{0,40} )?(niet gevonden|bestaat niet)|(kan|konden) (de|deze) pagina niet vinden|pagina nu (a fost găsită|există)|` +
	`nie (znaleziono|odnaleziono) (takiej )?strony|strona (.{0,30} )?nie (istnieje|została znaleziona)|stránka (.{0,30} )?(nenalezena|neexistuje|nebyla nalezena|sa nenašla)|oldal nem (található|létezik)|` +
	`sidan (kunde inte hittas|finns inte|hittades inte)|siden (findes ikke|finnes ikke|blev ikke fundet|ble ikke funnet|kunne ikke findes)|(fant|finner|fandt) ikke siden|sivua ei (löyt|ole)|sayfa bulunamad|aradığınız sayfa|` +
	`страниц[аы] (.{0,30} )?не (найдена|существует)|такой страницы (не существует|нет)|сторінк\S+ (.{0,20} )?не (знайдено|існує)|σελίδα δεν (βρέθηκε|υπάρχει)|الصفحة (.{0,30} )?(غير موجودة|لم يتم العثور)|הדף לא נמצא|` +
	`halaman tidak ditemukan|không tìm thấy trang|ไม่พบหน้า|पृष्ठ नहीं मिला|ページ(が|は)(見つかりません|存在しません)|お探しのページ|(页面|頁面|网页|文章)(不存在|未找到|找不到|已删除|已被删除)|(找不到|未找到)(该|此|您)?.{0,6}(页面|頁面|网页)|페이지를 찾을 수 없|존재하지 않는 페이지`)

var (
	// parkedWords are those of a domain that nobody uses.
	parkedWords = lazyregexp.New(`this domain( name)? (is|may be) for sale|domain \S+ (is|may be) for sale|buy this domain|this domain( name)? (is|has been) (parked|expired)|this domain( name)? has expired|domain is parked|домен продаётся|домен продается|diese domain (steht zum verkauf|ist zu verkaufen)|ce domaine est à vendre|este dominio está en venta|此域名(正在)?出售`)
	hostName    = lazyregexp.New(`\b[a-z0-9-]+\.[a-z]{2,}\b`)
	// emptyHost are the titles of servers that nobody has put anything on.
	emptyHost = lazyregexp.New(`^(welcome to (nginx|openresty|caddy|centos)|(apache2? )?(\w+ )?(ubuntu |debian |centos |linux )*default page( it works)?|it works|iis windows( server)?|test page for .{0,40}|web server.s default page|index of$)$`)
)

// missing reports whether a page that answered 200 says that there is no such page.
func (p *pageScan) missing() bool {
	if p.prose >= shortMissing || p.cut {
		return false
	}
	head := strings.ToLower(p.title + "\n" + strings.Join(p.headings, "\n"))
	if parked := parkedWords.MatchString(head + "\n" + p.text); parked && (strings.TrimSpace(head) == "" || parkedWords.MatchString(head) || hostName.MatchString(head)) {
		return true
	}
	heads := p.heads()
	if slices.ContainsFunc(heads, emptyHost.MatchString) ||
		slices.ContainsFunc(heads, func(h string) bool { return len(h) < 200 && missingAbroad.MatchString(h) }) && !p.explains() {
		return true
	}
	return missingWords.MatchString(head+" "+p.text) && p.titled(missingTitles)
}

// faultTitles are the titles of pages on which a server says, with status 200, that it does not work.
var faultTitles = lazyregexp.New(`^((error |http )?(error code )?5[02]\d( error)?( (internal server error|bad gateway|service (temporarily )?unavailable|gateway time ?-?out|connection timed out|web server is down|origin is unreachable))?|(internal )?server error( in .{0,20}application)?|bad gateway|gateway time ?-?out|service (temporarily )?unavailable|` +
	`temporarily unavailable|((this|our|the) )?(site|website|page|service)? ?(is )?((currently )?(down for|under|in|en)( scheduled)?|scheduled) maintenance|maintenance( mode)?|we ?(.?ll|will) be (right )?back( soon| shortly)?|be (right )?back soon|(we.?re sorry )?(but )?something went wrong( 500)?|an? (unexpected )?error (has )?occurred|application error|runtime error|` +
	`database error|error establishing a database connection|there has been a critical error on (this|your) website|account (has been )?suspended|wartungs(arbeiten|modus)|(die )?(seite|website) wird (gerade )?gewartet|en mantenimiento|in manutenzione|em manutenção|onderhoud|технические работы|системное обслуживание|メンテナンス中|系统维护中?)$`)

// faultWords confirm it: a page about maintenance does not ask its reader to come back.
var faultWords = lazyregexp.New(`\b(back|soon|later|try again|sorry|moment|currently|contact|administrator|worked on|error|check the logs|owner|provider|temporarily|timed out|apologi[sz]e|nginx|bald|später|bientôt|plus tard|pronto|más tarde|presto|binnenkort)\b|позже|скоро`)

// faulty reports whether a page that answered 200 says that the server does not work at the moment.
func (p *pageScan) faulty() bool {
	if p.prose >= shortFault || p.cut || p.article {
		return false
	}
	return p.titled(faultTitles) && (p.prose < shortFault/3 || faultWords.MatchString(p.text)) || wholeError.MatchString(plainWords(strings.Join(p.blocks, " ")))
}

// wholeError are pages that are nothing but an error's sentence.
var wholeError = lazyregexp.New(`^(error establishing a database connection|there has been a critical error on (this|your) website|an error occurred|internal server error|service unavailable|no healthy upstream|upstream connect error.{0,200})$`)
