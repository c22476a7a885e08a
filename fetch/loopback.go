package fetch

import (
	"net/netip"
	"strings"
)

// Loopback says whether a host's name or address can lead to this machine alone. An IPv6 address may stand in brackets.
func Loopback(host string) bool {
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Zone() == "" && addr.Unmap().IsLoopback()
}
