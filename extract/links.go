package extract

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// maxLinks is how many links of a page are kept.
const maxLinks = 5000

// links gathers the links of a document: absolute, http and https only (and files, from a file), each once, in order.
type links struct {
	base  *url.URL
	self  string
	files bool
	index map[string]int
	list  []Link
}

// newLinks resolves against the page's <base href>, if it has one, else against its URL. root may be nil.
func newLinks(pageURL string, root *html.Node) *links {
	l := &links{index: map[string]int{}}
	base, err := url.Parse(pageURL)
	if err != nil {
		base = &url.URL{}
	}
	l.files = base.Scheme == "file"
	l.self = withoutFragment(base)
	l.base = base
	if root == nil {
		return l
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == "base" && hasAttr(n, "href") {
			if u, err := base.Parse(strings.TrimSpace(attr(n, "href"))); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
				l.base = u
			}
			break
		}
	}
	return l
}

// resolve makes a reference absolute; "" if it leads nowhere that can be read.
func (l *links) resolve(ref string) string {
	ref = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' {
			return -1
		}
		return r
	}, strings.TrimSpace(ref))
	if ref == "" || strings.HasPrefix(ref, "#") || len(ref) > 4096 {
		return ""
	}
	u, err := l.base.Parse(ref)
	if err != nil {
		return ""
	}
	switch {
	case (u.Scheme == "http" || u.Scheme == "https") && u.Host != "":
	case u.Scheme == "file" && l.files && u.Host == "":
	default:
		return ""
	}
	return withoutFragment(u)
}

// withoutFragment drops the fragment, except one that a script reads as a path.
func withoutFragment(u *url.URL) string {
	v := *u
	if !strings.HasPrefix(v.Fragment, "/") && !strings.HasPrefix(v.Fragment, "!") {
		v.Fragment, v.RawFragment = "", ""
	}
	return v.String()
}

// add notes a link and returns its place in the list, -1 if it is none.
func (l *links) add(ref string) int {
	u := l.resolve(ref)
	if u == "" || u == l.self {
		return -1
	}
	if i, ok := l.index[u]; ok {
		return i
	}
	if len(l.list) == maxLinks {
		return -1
	}
	l.index[u] = len(l.list)
	l.list = append(l.list, Link{URL: u})
	return len(l.list) - 1
}
