package fetch

import (
	"slices"
	"strings"
	"unicode/utf8"

	"ibid/internal/lazyregexp"
)

// The rules by which a page that answered 200 is told from the page that was asked for lie beside this file, by what
// stands in its place. All look at short pages only: a text about captchas, cookies or missing pages is longer than any of
// them, or says what it is about.

// Lengths in visible characters, below which a page is taken for an interruption.
const (
	shortCheck   = 1500 // with a mark of a bot check
	shortWidget  = 150  // prose beside the widget of one
	shortStop    = 1200 // with the words of an interruption
	shortNotice  = 400  // prose under a title that refuses
	shortOther   = 300  // sentences that talk of something else than the interruption
	shortConsent = 3000
	shortMissing = 800 // prose
	shortFault   = 300 // prose
	shortLogin   = 600 // prose
	shortShell   = 500
	shortSpare   = 800 // bytes of text for browsers without scripts; more is the page itself
	shortTeaser  = 160 // prose before a paywall; less is nothing
)

// heads are the title and the headings, whole and in the parts that titles are made of: "Page not found", "The Courier".
// The only line of a page without any counts as one.
func (p *pageScan) heads() []string {
	titles := append([]string{p.title}, p.headings...)
	if p.title == "" && len(p.headings) == 0 && len(p.blocks) == 1 && p.prose < shortWidget {
		titles = p.blocks
	}
	var heads []string
	for _, title := range titles {
		for _, part := range append(titleParts.Split(title, 6), title) {
			if part = plainWords(part); part != "" {
				heads = append(heads, part)
			}
		}
	}
	return heads
}

var titleParts = lazyregexp.New(`\s+[|–—·:»«•›-]\s+|\s*[|–—»«•›]\s*|: `)

// plainWords is a text in lower case without punctuation.
func plainWords(s string) string {
	return oneSpace(strings.Map(func(r rune) rune {
		if strings.ContainsRune(`.,!?;:"()[]…“”„-–—！？。、，¡¿`, r) {
			return ' '
		}
		return r
	}, strings.ToLower(s)))
}

// titled reports whether a title or a heading is one of a kind, and the page does not go on to explain it: "404 Not Found
// is a status …" is the page of a dictionary.
func (p *pageScan) titled(kind *lazyregexp.Regexp) bool {
	return slices.ContainsFunc(p.heads(), kind.MatchString) && !p.explains()
}

var (
	explaining = lazyregexp.New(`\b(status code|status is|refers? to|means? that|indicates? that|stands for|is the status|defined (in|by))\b|\b(is|are|was|were) (an?|the|any|one|work|pages?) `)
	askingHow  = lazyregexp.New(`\b(how (to|do i|do you|can i|does)|what (is|are) (an?|the)?|why (do|does|is|are) )\b`)
)

// explains reports whether a page is about its heading: it asks how or what, or its first sentence defines.
func (p *pageScan) explains() bool {
	for _, head := range append([]string{p.title}, p.headings...) {
		if h := strings.ToLower(head); askingHow.MatchString(h) && !strings.Contains(h, "happen") && !strings.Contains(h, "seeing") {
			return true
		}
	}
	for _, b := range p.blocks {
		if sentence(b) {
			first, _, _ := strings.Cut(b, ". ")
			return explaining.MatchString(first) && !addressed.MatchString(first)
		}
	}
	return false
}

// addressed matches what is said to a reader about this very page.
var addressed = lazyregexp.New(`\b(you|your|this (page|site|website|server|service|account|domain)|please|sorry|we)\b`)

// told is the length of the sentences that talk of something else than a topic.
func (p *pageScan) told(topic *lazyregexp.Regexp) int {
	n := 0
	for _, b := range p.blocks {
		if sentence(b) && !topic.MatchString(b) {
			n += utf8.RuneCountInString(b)
		}
	}
	return n
}

// sentence reports whether a paragraph is one, and no label.
func sentence(block string) bool {
	last, _ := utf8.DecodeLastRuneInString(block)
	return strings.ContainsRune(".!?…:。！？”\")", last) && (strings.Count(block, " ") >= 4 || len(block) > 40 && len(block) > 2*utf8.RuneCountInString(block))
}
