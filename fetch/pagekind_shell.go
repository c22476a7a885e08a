package fetch

import (
	"strings"

	"ibid/internal/lazyregexp"
)

// wantsScript are the words of pages that say that they need a browser that runs scripts.
var wantsScript = lazyregexp.New(`(enable|turn on|activate|switch on|allow|requires?|needs?|without|runs only with|works? (only|best) with|support) (your browser's )?(java ?script|scripts)|java ?script (is|must be|has to be|needs to be|seems to be|appears to be) (required|enabled|disabled|turned (on|off)|switched (on|off)|not (enabled|available)|activated|needed)|` +
	`(java ?script|scripts) (is |are )?(off|required|disabled)|scripts are off|doesn.t work properly without|javascript (aktivieren|einschalten)|(aktivieren|aktiviere) (sie )?(bitte )?javascript|(activer|activez) (le )?javascript|(habilitar|habilite|activar|active) (el |o )?javascript|(abilita|attiva)(re)? javascript|(schakel|zet) javascript|включите javascript|启用 ?javascript|javascript ?を有効`)

// loading are the words that stand where a text is to come.
var loading = lazyregexp.New(`^(loading|please wait|just a (moment|second)|one moment|fetching|wird geladen|laden|lädt|bitte warten|chargement|en cours de chargement|cargando|caricamento|carregando|ładowanie|загрузка|読み込み中|加载中|로딩 ?중)\b.{0,40}$|^(読み込み中|加载中|로딩 ?중)`)

// shell reports whether a page is empty until its scripts have run.
func (p *pageScan) shell() bool {
	content := p.prose + p.linked
	if p.scripts == 0 || p.cut || content >= shortShell*2/5 || p.visible() >= 3*shortShell || p.spare >= shortSpare {
		return false
	}
	switch {
	case p.emptyApp:
		return true
	case p.visible() < shortShell && p.told(wantsScript) < shortShell/10 && (wantsScript.MatchString(p.text) || strings.Contains(p.noscript, "javascript") || wantsScript.MatchString(p.noscript)):
		return true
	case p.images > 0 || p.frames:
		return false
	}
	return content == 0 && p.aside < shortShell/2 || p.waits()
}

// waits reports whether nothing but a word of waiting stands where the text is to come.
func (p *pageScan) waits() bool {
	waiting := false
	for _, b := range p.blocks {
		if loading.MatchString(b) {
			waiting = true
		} else if sentence(b) || len(b) > shortShell/5 {
			return false
		}
	}
	return waiting
}
