package fetch

import (
	"bytes"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"ibid/internal/lazyregexp"
)

// A verdict is what an answer turned out to be: a document with flags, something that stands in its place, or the way
// to another page.
type verdict struct {
	unavailable *Unavailable
	flags       []string
	refresh     string // absolute URL of an instant refresh (meta http-equiv), which a browser would follow
}

// judge tells the page that was asked for from what servers send in its place: blocks and limits with any status, bot
// checks, consent and login walls, missing pages that answer 200, shells that scripts fill (law 7). Precision comes first:
// a page is refused only if it is short, and says or shows what it is.
func judge(asked string, r *Response, now time.Time) verdict {
	if e := StatusFault(asked, r, now); e != nil {
		return verdict{unavailable: e}
	}
	if len(bytes.TrimSpace(r.Body)) == 0 {
		return verdict{unavailable: unavailable(asked, Empty, "the server answered with nothing", HintOther)}
	}
	if !IsHTML(r) && !isNote(r) {
		return verdict{}
	}
	return judgePage(asked, r, scanPage(r.Body))
}

// isNote reports whether an answer is a line or two of plain text, such as small servers say that there is no such page.
func isNote(r *Response) bool {
	return strings.HasPrefix(r.Header.Get("Content-Type"), "text/plain") && len(r.Body) < shortWidget && bytes.IndexByte(r.Body, '<') < 0
}

// IsHTML reports whether an answer is a page: declared as one, or looking like one where the declaration says little or
// cannot be true.
func IsHTML(r *Response) bool {
	declared, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	sniffed, _, _ := strings.Cut(http.DetectContentType(r.Body), ";")
	switch declared {
	case "text/html", "application/xhtml+xml":
		return strings.HasPrefix(sniffed, "text/") && !bytes.HasPrefix(r.Body, []byte("\xff\xfe")) && !bytes.HasPrefix(r.Body, []byte("\xfe\xff"))
	case "", "text/plain", "application/json", "application/octet-stream", "binary/octet-stream", "application/unknown":
		return sniffed == "text/html"
	}
	return false
}

func judgePage(asked string, r *Response, p *pageScan) verdict {
	no := func(outcome Outcome, reason, hint string) verdict {
		return verdict{unavailable: unavailable(asked, outcome, reason, hint)}
	}
	if vendor := p.checkedBy(); vendor != "" {
		return no(Blocked, "a bot check ("+vendor+") stands in its place", hintBlocked)
	}
	if target := refreshTarget(r.URL, p); target != "" {
		return verdict{refresh: target}
	}
	switch {
	case p.limited():
		return verdict{unavailable: limited(asked, "it says that too many requests were made, though the server answered "+fmt.Sprint(r.Status), 0)}
	case p.asksConsent():
		return no(ConsentWall, "a question for consent to cookies stands in its place", hintCopy)
	case p.shell() && !p.interrupted():
		return no(JSRequired, "it is empty until its scripts have run in a browser", "Take another source, or another form of this one (a PDF, a feed, an API).")
	case p.interrupted():
		return no(Blocked, "a page that checks for bots, or turns readers away, stands in its place", hintBlocked)
	case p.missing():
		return no(NotFound, "it says that there is no such page, though the server answered "+fmt.Sprint(r.Status), hintGone)
	case p.faulty():
		return no(Failed, "it says that the server does not work at the moment, though it answered "+fmt.Sprint(r.Status), "Take another source for now.")
	case p.asksLogin(), movedToLogin(asked, r.URL) && p.prose < shortLogin:
		return no(Blocked, "it asks to log in", hintBlocked)
	case p.paywalled() && p.prose < shortTeaser && !p.cut:
		return no(Blocked, "a paywall stands in its place", hintBlocked)
	case p.paywalled():
		return verdict{flags: []string{FlagPaywall}}
	}
	return verdict{}
}

const hintBlocked = "It is not open to read for programs. Do not try it again; take another source."

// refreshTarget is where a page's instant refresh leads, "" if nowhere else.
func refreshTarget(at string, p *pageScan) string {
	if p.refresh == "" {
		return ""
	}
	u, err := url.Parse(at)
	if err != nil {
		return ""
	}
	if base, err := u.Parse(strings.TrimSpace(p.base)); err == nil && p.base != "" {
		u = base
	}
	target, err := u.Parse(p.refresh)
	if err != nil || target.Scheme != "http" && target.Scheme != "https" {
		return ""
	}
	here, errHere := CanonicalURL(at)
	there, errThere := CanonicalURL(target.String())
	if errHere == nil && errThere == nil && here == there {
		return ""
	}
	return target.String()
}

// movedToLogin reports whether a page answered from a login address that was not asked for.
func movedToLogin(asked, at string) bool {
	a, errA := url.Parse(asked)
	b, errB := url.Parse(at)
	return errA == nil && errB == nil && loginPath.MatchString(b.Path) && !loginPath.MatchString(a.Path)
}

// Hosts that do nothing but ask for consent, and words of hosts and paths that do so if they carry the way back.
var (
	consentHost  = lazyregexp.New(`(?i)^(consent|guce|myprivacy|privacy-mgmt|cmp-consent)[.-]`)
	consentPlace = lazyregexp.New(`(?i)(^|[./-])(consent|collectconsent|cookie-?consent|privacy-?gate|privacy-?wall|cookie-?wall|privacy|gdpr|cmp|cookies?)([./-]|$)`)
)

// detour says what a redirect leads to if that is no page but a wall: the question for consent, or a login. A wall is told
// by its address and by its carrying the way back; "" for an ordinary redirect.
func detour(from, to string) Outcome {
	a, errA := url.Parse(from)
	b, errB := url.Parse(to)
	if errA != nil || errB != nil {
		return ""
	}
	back := false
	for _, values := range b.Query() {
		for _, v := range values {
			back = back || a.Hostname() != "" && strings.Contains(v, a.Hostname()) || len(a.Path) > 1 && strings.HasPrefix(v, a.Path)
		}
	}
	host := strings.ToLower(b.Hostname())
	switch {
	case consentHost.MatchString(host) && !consentHost.MatchString(a.Hostname()), back && consentPlace.MatchString(host+b.Path):
		return ConsentWall
	case back && (loginPath.MatchString(b.Path) || loginHost.MatchString(host)) && !loginPath.MatchString(a.Path):
		return Blocked
	}
	return ""
}

// slug matches the last part of a path that names one page: an article, a file.
var slug = lazyregexp.New(`^[^/]*([-_][^/]*[-_]|\d|\.\w+)[^/]*$`)

// toFront reports whether a redirect leads from one page to the front page of its site, as servers do where there is none
// any more.
func toFront(from, to string) bool {
	a, errA := url.Parse(from)
	b, errB := url.Parse(to)
	if errA != nil || errB != nil || strings.Trim(b.Path, "/") != "" || b.RawQuery != "" {
		return false
	}
	dir, last := path.Split(strings.TrimSuffix(a.Path, "/"))
	return strings.Trim(dir, "/") != "" && slug.MatchString(last) && !strings.HasPrefix(last, "index.") && !strings.HasPrefix(last, "default.")
}

// detoured is the *Unavailable of a redirect to a wall.
func detoured(asked, to string, wall Outcome) *Unavailable {
	host := to
	if u, err := url.Parse(to); err == nil {
		host = u.Host
	}
	if wall == ConsentWall {
		return unavailable(asked, ConsentWall, "it redirects to a question for consent at "+host, hintCopy)
	}
	return unavailable(asked, wall, "it redirects to a login at "+host, hintBlocked)
}
