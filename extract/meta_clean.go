package extract

import (
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/publicsuffix"

	"ibid/internal/lazyregexp"
)

// Limits of what is kept about a page.
const (
	maxTitle   = 300     // bytes
	maxNames   = 400     // bytes of all authors
	maxAuthors = 30      // values of one meta element
	maxValue   = 2000    // bytes of one value
	maxScripts = 50      // of JSON-LD
	maxLD      = 1 << 20 // bytes of one of them
)

func first(values ...string) string {
	for _, v := range values {
		if v = strings.TrimSpace(v); v != "" {
			return v
		}
	}
	return ""
}

func notURL(s string) string {
	if strings.Contains(s, "://") {
		return ""
	}
	return s
}

// oneLine collapses white space and shortens to n bytes.
func oneLine(s string, n int) string {
	return clip(strings.ToValidUTF8(strings.Join(strings.Fields(s), " "), "\ufffd"), n)
}

// beginningOf is the text of an element as far as a title or a name may reach. A page can nest elements without end.
func beginningOf(n *html.Node) string {
	var b strings.Builder
	left := 2000 // nodes
	for d := range n.Descendants() {
		if left--; left < 0 || b.Len() > 4*maxTitle {
			break
		}
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

var inlineTags = lazyregexp.New(`(?i)</?(?:i|b|em|strong|sub|sup|span|br|p|mark|u|small|code|cite|q|a)(?:\s[^<>]*)?/?>`)

// titleOf makes a title of a value that may hold markup, as publishing programs leave it there.
func titleOf(s string) string {
	if strings.Contains(s, "</") {
		s = inlineTags.ReplaceAllString(s, "")
	}
	return oneLine(html.UnescapeString(s), maxTitle)
}

// separators stand between the name of a page and that of its site.
var separators = []string{" | ", " - ", " – ", " — ", " · ", " • ", " » ", " « ", " :: ", " / ", ": ", " ~ ", " ‹ ", " › "}

// withoutSite leaves the name of the site out of a title, where the page itself says that it is one.
func withoutSite(title string, sites []string) string {
	for again := true; again; {
		again = false
		for _, sep := range separators {
			before, after, ok := cutOnce(title, sep, strings.LastIndex)
			if ok && sep != ": " && isSite(after, sites) {
				title, again = before, true
			}
			before, after, ok = cutOnce(title, sep, strings.Index)
			if ok && isSite(before, sites) {
				title, again = after, true
			}
		}
	}
	return title
}

func cutOnce(s, sep string, find func(string, string) int) (before, after string, ok bool) {
	i := find(s, sep)
	if i < 0 {
		return s, "", false
	}
	before, after = strings.TrimSpace(s[:i]), strings.TrimSpace(s[i+len(sep):])
	return before, after, before != "" && after != ""
}

// isSite compares with what the page calls its site, and with its address: newegg.com, or the newegg of it.
func isSite(s string, sites []string) bool {
	own := letterFold(s)
	for _, site := range sites {
		name, _, isHost := strings.Cut(site, ".")
		if site != "" && own != "" && (letterFold(site) == own || isHost && !strings.Contains(site, " ") && letterFold(name) == own) {
			return true
		}
	}
	return false
}

// siteOf returns the registered name that a web address belongs to, and whether it is the address of its first page.
func siteOf(address string) (site string, home bool) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return "", false
	}
	site, err = publicsuffix.EffectiveTLDPlusOne(strings.ToLower(u.Hostname()))
	if err != nil {
		site = ""
	}
	return site, strings.Trim(u.Path, "/") == "" && u.RawQuery == ""
}

// letterFold keeps of a name what two spellings of it share: letters and digits, in lower case.
func letterFold(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// nameOf makes a name of a value: no address, no markup.
func nameOf(s string) string {
	s = notURL(titleOf(s))
	if strings.HasPrefix(s, "@") || strings.HasPrefix(s, "//") || strings.HasPrefix(s, "{") || strings.HasPrefix(s, "www.") {
		return ""
	}
	return oneLine(s, 200)
}

var by = lazyregexp.New(`^(?i:by|written by|posted by|von|por|par)[:\s]\s*(\S)`)

// namesOf joins the names of authors.
func namesOf(values []string) string {
	var names []string
	size := 0
	seen := map[string]bool{}
	for _, v := range values {
		name := by.ReplaceAllString(nameOf(v), "$1")
		if key := letterFold(name); key == "" || seen[key] || key == "admin" || key == "null" || key == "undefined" || key == "none" || size+len(name) > maxNames {
			continue
		} else {
			seen[key] = true
		}
		size += len(name) + 2
		names = append(names, name)
	}
	return strings.Join(names, "; ")
}

var doiPattern = lazyregexp.New(`^(?i:https?://(?:dx\.)?doi\.org/|doi:\s*|info:doi/)?(10\.\d{4,9}(?:\.\d+)*/[^\s"<>]+)$`)

// doiOf returns the DOI that a value is, in any of its written forms, else "".
func doiOf(s string) string {
	m := doiPattern.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil || len(m[1]) > 200 {
		return ""
	}
	return strings.TrimRight(m[1], ".,;")
}

var languagePattern = lazyregexp.New(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)

// languageTag returns a well-formed BCP 47 tag, else "".
func languageTag(s string) string {
	s, _, _ = strings.Cut(s, ",")
	if s = strings.ReplaceAll(strings.TrimSpace(s), "_", "-"); languagePattern.MatchString(s) {
		return s
	}
	return ""
}
