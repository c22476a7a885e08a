package extract

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"

	"ibid/evidence"
)

// enter gives the place inside a block element.
func (w *walker) enter(n *html.Node, p place) place {
	switch n.Data {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		p.level = int(n.Data[1] - '0')
	case "summary":
		p.level = 6
	case "ul", "ol", "dl", "dir":
		p.depth++
	case "li", "dt", "dd":
		p.role = evidence.RoleItem
	case "caption", "figcaption", "legend":
		p.role = evidence.RoleCaption
	case "pre", "listing", "xmp", "plaintext":
		p.role, p.white = evidence.RoleCode, keep
	case "blockquote":
		p.quote, p.role = true, evidence.RoleText
	case "table":
		p.role = evidence.RoleText
	case "main":
		p.main, p.sectioned = true, true
	case "section":
		p.sectioned = true
	case "article":
		if p.sectioned = true; p.article == 0 {
			w.articles++
			p.article = w.articles
		}
	}
	if attr(n, "role") == "heading" && p.level == 0 {
		p.level = 3
		if l := attr(n, "aria-level"); len(l) == 1 && l >= "1" && l <= "6" {
			p.level = int(l[0] - '0')
		}
	}
	if attr(n, "role") == "main" {
		p.main, p.sectioned = true, true
	}
	p.chrome = p.chrome || isChrome(n, p)
	if p.root == 0 && !p.chrome && mayBeChrome(n) {
		switch kind := chromeName(attr(n, "class") + " " + attr(n, "id")); kind {
		case notChrome:
		case comments:
			p.comment = true
			fallthrough
		default:
			w.roots = append(w.roots, root{kind: kind})
			p.root = len(w.roots)
		}
	}
	return p
}

// chromeRoles are the ARIA roles of page furniture.
var chromeRoles = set("navigation banner contentinfo complementary search dialog alertdialog menu menubar toolbar tablist")

// isChrome reports whether an element is page furniture by its own name or role.
func isChrome(n *html.Node, p place) bool {
	switch n.Data {
	case "nav", "menu", "button", "dialog", "search":
		return n.Data != "button" || p.level == 0
	case "aside":
		return !(p.sectioned && anyWord(attr(n, "class"), admonition))
	case "footer":
		return !p.quote
	case "header":
		return !p.sectioned
	}
	role := attr(n, "role")
	return chromeRoles[role] && !(role == "tablist" && holdsPanels(n))
}

// holdsPanels reports whether a list of tabs, which by ARIA holds nothing but tabs, is put around their panels too, as many
// accordions are.
func holdsPanels(n *html.Node) bool {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && attr(d, "role") == "tabpanel" {
			return true
		}
	}
	return false
}

func mayBeChrome(n *html.Node) bool {
	switch n.Data {
	case "html", "body", "main", "article", "h1", "h2", "h3", "h4", "h5", "h6", "p", "pre", "table", "tbody", "tr":
		return false
	}
	return true
}

type chromeKind int

const (
	notChrome chromeKind = iota
	linkList             // furniture only if it is made of links
	furniture
	comments
)

var (
	admonition     = set("note tip warning caution important info admonition callout hint danger")
	linkListWords  = set("nav navbar navigation menu submenu breadcrumb breadcrumbs crumbs pagination pager share sharing social addthis sharedaddy related recommended recommendations tags")
	furnitureWords = set(`sidebar footer masthead topbar newsletter subscribe subscription promo promotion advert advertisement
		ads adsbygoogle sponsored cookie cookies consent gdpr onetrust cmp popup modal overlay lightbox skip paywall regwall banner`)
	commentWords = set("comment comments commentlist disqus respond replies")
)

// chromeName judges an element by the words of its class and id, which authors choose freely: the judgement is checked
// later against how much of the page the element holds.
func chromeName(names string) chromeKind {
	kind := notChrome
	for _, word := range words(names) {
		switch {
		case commentWords[word]:
			return comments
		case furnitureWords[word]:
			kind = furniture
		case linkListWords[word] && kind == notChrome:
			kind = linkList
		}
	}
	return kind
}

func anyWord(names string, in map[string]bool) bool {
	return slices.ContainsFunc(words(names), func(w string) bool { return in[w] })
}

// words splits names like "site-nav", "siteNav" and "site_nav" into lower-case words.
func words(names string) []string {
	names = names[:min(len(names), 500)]
	var list []string
	start, prev := 0, ' '
	for i, r := range names {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r)
		if !letter || unicode.IsUpper(r) && unicode.IsLower(prev) {
			if i > start {
				list = append(list, strings.ToLower(strings.Trim(names[start:i], "-_ ./:")))
			}
			start = i
		}
		prev = r
	}
	return append(list, strings.ToLower(strings.Trim(names[start:], "-_ ./:")))
}
