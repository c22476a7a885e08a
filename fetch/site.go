package fetch

import (
	"net/netip"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// Site returns the registrable domain of a host: who answers for it. An address, a public suffix and a single label
// stand for themselves.
func Site(host string) string {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return host
	}
	if site, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return site
	}
	return host
}
