package search

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"ibid/internal/lazyregexp"
)

const maxURL = 2048 // bytes

// trackers are the query parameters that say where a click came from and nothing about the page, in order.
var trackers = []string{"__hsfp", "__hssc", "__hstc", "_branch_match_id", "_ga", "_gl", "_hsenc", "_hsmi", "_ke", "_openstat", "dclid", "epik", "fbclid", "gad_campaignid", "gad_source", "gbraid",
	"gclid", "gclsrc", "hsctatracking", "igsh", "igshid", "li_fat_id", "mc_cid", "mc_eid", "mkt_tok", "ml_subscriber", "ml_subscriber_hash", "msclkid", "mtm_campaign", "mtm_kwd", "mtm_source",
	"oly_anon_id", "oly_enc_id", "pk_campaign", "pk_kwd", "rdt_cid", "ref_src", "ref_url", "s_kwcid", "sc_cid", "srsltid", "ttclid", "twclid", "vero_conv", "vero_id", "wbraid", "wickedid", "yclid", "ysclid"}

// Tracking reports whether a query parameter of this name, in any case, says where a click came from and nothing about the
// page: advertisers and newsletters use it, and nobody else.
func Tracking(name string) bool {
	name = strings.ToLower(name)
	_, found := slices.BinarySearch(trackers, name)
	return found || strings.HasPrefix(name, "utm_")
}

// cleanURL drops tracking parameters and the fragment from an address, gives the page's own address for a copy in an AMP
// cache, and leaves every other byte as it was. The key is equal for two spellings of the same page; it is for comparing
// within one answer, and no address.
func cleanURL(raw string) (address, key string, ok bool) {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil || len(raw) > maxURL || u.User != nil {
		return "", "", false
	}
	for own := original(u); own != nil; own = original(u) { // each is shorter than the one before
		u = own
	}
	switch scheme := strings.ToLower(u.Scheme); {
	case (scheme == "http" || scheme == "https") && u.Hostname() != "":
	case scheme == "file" && u.Path != "":
	default:
		return "", "", false
	}
	u.RawQuery, u.ForceQuery = WithoutTracking(u.RawQuery), false
	if !strings.HasPrefix(u.Fragment, "/") && !strings.HasPrefix(u.Fragment, "!") { // those two are routes, not places
		u.Fragment, u.RawFragment = "", ""
	}
	return u.String(), identity(*u), true
}

// identity spells an address so that the same page is spelled the same: scheme, letter case of the host, default port
// and last slash are one way, and so are the host names and parameters that choose a site's form for telephones.
func identity(u url.URL) string {
	u.Scheme = strings.ToLower(u.Scheme)
	if u.Scheme == "http" {
		u.Scheme = "https"
	}
	u.Host = strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(u.Host), ":443"), ":80")
	for _, form := range []string{"www.", "m.", "mobile.", "amp."} {
		if rest, found := strings.CutPrefix(u.Host, form); found && strings.Contains(rest, ".") { // amp.dev is a site of its own
			u.Host = rest
			break
		}
	}
	if language, rest, found := strings.Cut(u.Host, ".m."); found && isWiki(rest) {
		u.Host = language + "." + rest
	}
	u.Host = strings.TrimSuffix(u.Host, ".")
	u.Path, u.RawPath = strings.TrimSuffix(u.Path, "/"), strings.TrimSuffix(u.RawPath, "/")
	if !strings.Contains(strings.ToLower(u.RawPath), "%2f") { // else the escapes are needed
		u.RawPath = ""
	}
	u.RawQuery = without(PlainEscapes(u.RawQuery), func(p string) bool {
		return p == "amp" || p == "amp=1" || p == "amp=true" || p == "outputType=amp"
	})
	return u.String()
}

var escapes = lazyregexp.New(`%[0-9A-Fa-f]{2}`)

// PlainEscapes spells the escapes of a part of an address as RFC 3986 §6.2.2 would have it: none where none is needed, else
// in capitals.
func PlainEscapes(s string) string {
	return escapes.ReplaceAllStringFunc(s, func(escape string) string {
		b, err := strconv.ParseUint(escape[1:], 16, 8)
		if c := byte(b); err == nil && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0) {
			return string(c)
		}
		return strings.ToUpper(escape)
	})
}

func isWiki(host string) bool {
	switch host {
	case "wikipedia.org", "wiktionary.org", "wikibooks.org", "wikiquote.org", "wikisource.org", "wikinews.org", "wikiversity.org", "wikivoyage.org":
		return true
	}
	return false
}

// WithoutTracking drops the parameters of a query that are Tracking. It sorts nothing: the order of the others may mean
// something.
func WithoutTracking(query string) string {
	return without(query, func(parameter string) bool {
		name, _, _ := strings.Cut(parameter, "=")
		return Tracking(name)
	})
}

// without drops parameters from a query and keeps the bytes and the order of the others.
func without(query string, drop func(string) bool) string {
	var kept []string
	for _, p := range strings.Split(query, "&") {
		if p != "" && !drop(p) {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, "&")
}

// original gives the publisher's address of a page for its copy in one of the two AMP caches, which spell it in the path
// (https://developers.google.com/amp/cache/overview), and nil for any other address.
func original(u *url.URL) *url.URL {
	host, path := strings.ToLower(u.Hostname()), u.EscapedPath()
	var rest string
	switch {
	case strings.HasSuffix(host, ".cdn.ampproject.org"):
		kind, after, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/") // c: a page, v: one in a viewer
		if kind != "c" && kind != "v" {
			return nil
		}
		rest = after
	case host == "www.google.com" || host == "google.com":
		after, found := strings.CutPrefix(path, "/amp/")
		if !found {
			return nil
		}
		rest = after
	default:
		return nil
	}
	scheme := "http://"
	if after, found := strings.CutPrefix(rest, "s/"); found {
		scheme, rest = "https://", after
	}
	own, err := url.Parse(scheme + rest)
	if err != nil || own.User != nil || !strings.Contains(own.Hostname(), ".") {
		return nil
	}
	own.RawQuery = without(u.RawQuery, func(p string) bool { // the viewer's own
		return strings.HasPrefix(p, "amp_js_v=") || strings.HasPrefix(p, "amp_gsa=") || strings.HasPrefix(p, "usqp=")
	})
	return own
}
