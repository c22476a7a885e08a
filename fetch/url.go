package fetch

import (
	"fmt"
	"net/url"
	"sort"
	"strings"

	"golang.org/x/net/idna"
)

// maxURL is the longest URL that is read, in bytes.
const maxURL = 8 << 10

// CanonicalURL gives a URL the one spelling by which a source is known: lower-case scheme and host in ASCII form, no
// default port, no fragment, no tracking parameters, "/" for an empty path, dots resolved. Only http, https and file
// have one; user information, control characters and back-slashes are refused, since programs read them differently.
func CanonicalURL(raw string) (string, error) {
	raw = strings.TrimSpace(raw)
	switch {
	case raw == "":
		return "", fmt.Errorf("it is empty")
	case len(raw) > maxURL:
		return "", fmt.Errorf("it is longer than %d bytes", maxURL)
	case strings.ContainsFunc(raw, func(r rune) bool { return r < 0x20 || r == 0x7f || r == '\\' }):
		return "", fmt.Errorf("it holds a control character or a back-slash")
	}
	u, err := url.Parse(raw)
	if err != nil {
		return "", fmt.Errorf("it does not parse as a URL")
	}
	u.Fragment, u.RawFragment = "", ""
	switch u.Scheme = strings.ToLower(u.Scheme); {
	case u.Scheme == "file":
		if u.Host != "" && u.Host != "localhost" || u.Path == "" || u.Path[0] != '/' {
			return "", fmt.Errorf("a file URL names an absolute path on this machine")
		}
		return (&url.URL{Scheme: "file", Path: u.JoinPath().Path}).String(), nil
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("only http and https are read, not %q", u.Scheme)
	case u.User != nil:
		return "", fmt.Errorf("user names and passwords in URLs are refused")
	case u.Opaque != "" || u.Host == "":
		return "", fmt.Errorf("it has no host")
	}
	host, err := idna.Lookup.ToASCII(strings.TrimSuffix(strings.ToLower(u.Hostname()), "."))
	if err != nil || host == "" {
		return "", fmt.Errorf("its host is not a valid name")
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	u.Host = host
	if port := u.Port(); port != "" && port != map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		u.Host += ":" + port
	}
	clean := u.JoinPath() // resolves dots and keeps a trailing slash
	u.Path, u.RawPath = clean.Path, clean.RawPath
	if u.Path == "" {
		u.Path = "/"
	}
	u.RawQuery = withoutTracking(u.RawQuery)
	u.ForceQuery = false
	return u.String(), nil
}

// withoutTracking drops the parameters that say how somebody came to a page, and sorts nothing: the order of the others
// may mean something.
func withoutTracking(query string) string {
	var kept []string
	for _, pair := range strings.Split(query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if pair != "" && !tracking(strings.ToLower(name)) {
			kept = append(kept, pair)
		}
	}
	return strings.Join(kept, "&")
}

// trackers are parameter names used by advertisers and newsletters, and by nothing else.
var trackers = []string{"_ga", "_gl", "dclid", "fbclid", "gbraid", "gclid", "gclsrc", "igshid", "mc_cid", "mc_eid", "mkt_tok", "msclkid", "oly_anon_id", "oly_enc_id", "srsltid", "ttclid", "twclid", "vero_id", "wbraid", "wickedid", "yclid"}

func tracking(name string) bool {
	i := sort.SearchStrings(trackers, name)
	return strings.HasPrefix(name, "utm_") || i < len(trackers) && trackers[i] == name
}
