package forms

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/net/idna"

	"ibid/audit"
	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

// webURL reports whether an address is one that a reader may be led to.
func webURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}

// shownURL is an address as a reader sees it: the letters of its host are those that it is looked up by (RFC 3492), so that
// no host passes for another one.
func shownURL(s string) string {
	s = audit.ShownURL(s)
	u, err := url.Parse(s)
	if err != nil || u.Host == "" {
		return s
	}
	ascii, err := idna.Lookup.ToASCII(u.Hostname())
	if err != nil || ascii == u.Hostname() {
		return s
	}
	return strings.Replace(s, u.Hostname(), ascii, 1)
}

// place is the address of the very place where a quote stands, or of its source where there is no such address: a page of a
// PDF (RFC 8118), a moment of a recording (Media Fragments), lines of a file at a commit, words of a page (URL Fragment Text
// Directives). It is "" for what is not on the web.
func (r *Report) place(s *evidence.Source, m evidence.Match) string {
	if s == nil || !webURL(s.URL) {
		return ""
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return ""
	}
	base := strings.TrimSuffix(strings.SplitN(audit.ShownURL(s.URL), "#", 2)[0], "#")
	l := m.Locator
	switch l.Unit {
	case evidence.Page:
		return fmt.Sprintf("%s#page=%d", base, l.A)
	case evidence.Time:
		if host := strings.TrimPrefix(u.Hostname(), "www."); host == "youtube.com" && u.Path == "/watch" {
			return fmt.Sprintf("%s&t=%ds", base, l.A)
		}
		return fmt.Sprintf("%s#t=%d", base, l.A)
	case evidence.Lines:
		return fileURL(base, l)
	case evidence.Para:
		if s.Kind == evidence.HTML || s.Kind == evidence.Text {
			return base + "#:~:text=" + r.directive(s.ID, m)
		}
	}
	return base
}

var (
	tree = lazyregexp.New(`^(https://github\.com/[^/?#]+/[^/?#]+)/tree/([0-9a-f]{40})(?:/[^?#]*)?$`)
	blob = lazyregexp.New(`^https://github\.com/[^/?#]+/[^/?#]+/blob/[0-9a-f]{40}/[^?#]+$`)
)

// fileURL is the address of lines of a file at a commit. Archives name their files from the root of the repository.
func fileURL(base string, l evidence.Locator) string {
	lines := fmt.Sprintf("#L%d", l.A)
	if l.B > l.A {
		lines += fmt.Sprintf("-L%d", l.B)
	}
	if m := tree.FindStringSubmatch(base); m != nil {
		parts := strings.Split(l.Path, "/")
		for i, p := range parts {
			parts[i] = url.PathEscape(p)
		}
		return m[1] + "/blob/" + m[2] + "/" + strings.Join(parts, "/") + lines
	}
	if blob.MatchString(base) {
		return base + lines
	}
	return base
}

// How many words a text directive names.
const (
	wholeWords = 8 // a quote up to this long is named whole
	edgeWords  = 5 // of a longer one, at its start and its end
	mostWords  = 12
	prefixed   = 4
)

// directive names the words of a quote, so that a browser finds them on the page: all of them if they are few, else the first
// and the last ones; more of them, and those before, where others on the page begin alike.
func (r *Report) directive(source string, m evidence.Match) string {
	page, before := r.page(source), ""
	for _, s := range r.bundle.Spans[source] {
		if s.Locator == m.Locator && m.Start <= len(s.Text) {
			before = s.Text[:m.Start]
		}
	}
	words := strings.Fields(m.Quote)
	n := min(edgeWords, len(words))
	if len(words) <= wholeWords && m.Until == nil {
		n = len(words)
	}
	many := func() bool { return strings.Count(page, strings.ToLower(strings.Join(words[:n], " "))) > 1 }
	for many() && n < min(mostWords, len(words)) {
		n++
	}
	text := ""
	if many() {
		if lead := strings.Fields(before); len(lead) > 0 {
			text = escapeDirective(lead[max(0, len(lead)-prefixed):]) + "-,"
		}
	}
	text += escapeDirective(words[:n])
	if rest := len(words) - n; rest > 0 {
		text += "," + escapeDirective(words[len(words)-min(rest, edgeWords):])
	}
	return text
}

// page is what a source says, as a browser looks for words in it: white space and case do not count.
func (r *Report) page(source string) string {
	if _, made := r.pages[source]; !made {
		var b strings.Builder
		for _, s := range r.bundle.Spans[source] {
			b.WriteString(strings.ToLower(strings.Join(strings.Fields(s.Text), " ")) + "\n")
		}
		r.pages[source] = b.String()
	}
	return r.pages[source]
}

// escapeDirective escapes words for a text directive, in which "-", "," and "&" have a meaning.
func escapeDirective(words []string) string {
	var b strings.Builder
	for _, c := range []byte(strings.Join(words, " ")) {
		if c < 0x80 && (unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c)) || strings.IndexByte("._~!*()'", c) >= 0) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
