package fetch

import (
	"net/http"
	"net/url"
	"strings"
)

func redirects(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// next returns where a redirect leads, and makes the request the one that goes there (RFC 9110, section 15.4). The target
// passes the whole URL policy; another site is not for this client to decide on.
func (c *Client) next(from *url.URL, r *Request, resp *Response) (*url.URL, *exchangeFault) {
	locations := resp.Header["Location"]
	if len(locations) != 1 || strings.TrimSpace(locations[0]) == "" {
		return nil, &exchangeFault{code: faultHTTP, outcome: Failed, reason: "it redirects without saying clearly where", hint: hintOther}
	}
	raw, fault := absoluteURL(from, strings.TrimSpace(locations[0]))
	var to *url.URL
	if fault == nil {
		to, fault = c.policy.check(raw)
	}
	if fault != nil {
		fault.reason, fault.hint = "it redirects to a URL that is refused: "+fault.reason, hintOther
		return nil, fault
	}
	turnsToGet := resp.Status == http.StatusSeeOther && r.Method != http.MethodHead || resp.Status <= http.StatusFound && r.Method == http.MethodPost
	if turnsToGet {
		r.Method, r.Body = http.MethodGet, nil
		r.Header.Del("Content-Type")
	}
	host := from.Scheme != to.Scheme || from.Host != to.Host
	switch {
	case Site(from.Hostname()) != Site(to.Hostname()), host && len(r.Body) > 0:
		return nil, &exchangeFault{code: faultMoved, outcome: Moved, location: to.String(), reason: "it redirects to " + excerptOf(to.String(), 200),
			hint: "Ask for that URL, if it may be read."}
	case from.Scheme == "https" && to.Scheme == "http":
		return nil, &exchangeFault{code: faultDowngrade, outcome: Refused, reason: "it redirects from https to http, where anybody could change it", hint: hintOther}
	case host:
		r.Header = carried(r.Header)
	}
	return to, nil
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
