package fetch

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// MaxRedirects is how many redirects are followed for one URL, one after another.
const MaxRedirects = 5

func redirects(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// target returns where a redirect leads, and its fragment with the sign. The target passes the whole URL policy.
func (c *Client) target(from *url.URL, resp *Response) (to *url.URL, fragment string, fault *exchangeFault) {
	locations := resp.Header["Location"]
	if len(locations) != 1 || strings.TrimSpace(locations[0]) == "" {
		return nil, "", &exchangeFault{code: faultHTTP, outcome: Failed, reason: "it redirects without saying clearly where", hint: HintOther}
	}
	raw, fault := absoluteURL(from, strings.TrimSpace(locations[0]))
	if fault == nil {
		to, fault = c.policy.check(raw)
	}
	if fault != nil {
		fault.reason, fault.hint = redirectsBadly(fault.reason), HintOther
		return nil, "", fault
	}
	if downgrade(from, to) {
		return nil, "", &exchangeFault{code: faultDowngrade, outcome: Refused, reason: redirectsDown, hint: HintOther}
	}
	if i := strings.IndexByte(raw, '#'); i >= 0 {
		fragment = raw[i:]
	}
	return to, fragment, nil
}

// next makes a request the one that goes where a redirect leads (RFC 9110, section 15.4). Another site is not for this
// client to decide on.
func next(from, to *url.URL, r *Request, status int) *exchangeFault {
	if status == http.StatusSeeOther && r.Method != http.MethodHead || status <= http.StatusFound && r.Method == http.MethodPost {
		r.Method, r.Body = http.MethodGet, nil
		r.Header.Del("Content-Type")
	}
	host := from.Scheme != to.Scheme || from.Host != to.Host
	switch {
	case Site(from.Hostname()) != Site(to.Hostname()), host && len(r.Body) > 0:
		return moved(to.String())
	case host:
		r.Header = carried(r.Header)
	}
	return nil
}

const redirectsDown = "it redirects from https to http, where anybody could change it"

func redirectsBadly(why string) string { return "it redirects to a URL that is refused: " + why }

// downgrade reports whether a way inside one site leads from https to http.
func downgrade(from, to *url.URL) bool {
	return from.Scheme == "https" && to.Scheme == "http" && Site(from.Hostname()) == Site(to.Hostname())
}

func moved(to string) *exchangeFault {
	return &exchangeFault{code: faultMoved, outcome: Moved, location: to, reason: "it redirects to " + Excerpt(to, 200), hint: "Ask for that URL, if it may be read."}
}

func tooManyRedirects(limit int) *exchangeFault {
	return &exchangeFault{code: faultRedirects, outcome: Failed, reason: fmt.Sprintf("it redirects more than %d times", limit), hint: HintOther}
}

// carried are the fields that may go to another host: none that could hold a secret.
func carried(h http.Header) http.Header {
	kept := http.Header{}
	for _, name := range []string{"User-Agent", "Accept", "Accept-Encoding", "Accept-Language", "Range", "If-None-Match", "If-Modified-Since"} {
		if v := h.Values(name); len(v) > 0 {
			kept[name] = v
		}
	}
	return kept
}

// absoluteURL resolves a Location, and leaves one that names a host as it is, for the policy to see.
func absoluteURL(from *url.URL, location string) (string, *exchangeFault) {
	if strings.HasPrefix(location, "//") {
		return from.Scheme + ":" + location, nil
	}
	beforeQuery, _, _ := strings.Cut(location, "?")
	ref, err := url.Parse(location)
	if err != nil || strings.Contains(beforeQuery, `\`) {
		return "", refusedFault(faultSyntax, "it does not parse as a URL")
	}
	if ref.Scheme != "" {
		return location, nil
	}
	return from.ResolveReference(ref).String(), nil
}
