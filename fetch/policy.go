package fetch

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// webPorts are the ports on which public pages are.
var webPorts = []int{80, 443, 8080, 8443}

// A urlPolicy decides on URLs by what is written in them alone, before anything is resolved (FETCH-1): http or https,
// without user information, on a web port, the host a public name or a public address in a spelling that all programs read
// alike. What passes has its host in ASCII form, no default port and no fragment. A fault is written for a model.
type urlPolicy struct {
	ports []int           // besides webPorts
	named map[string]bool // hosts to which the operator gave an address: they need be no public names
	guard *addressGuard
}

func (p *urlPolicy) check(raw string) (*url.URL, *exchangeFault) {
	beforeQuery, _, _ := strings.Cut(raw, "?")
	beforeQuery, _, _ = strings.Cut(beforeQuery, "#")
	switch {
	case len(raw) > maxURL:
		return nil, refusedFault(faultSyntax, "the URL is longer than %d bytes", maxURL)
	case strings.ContainsFunc(raw, func(r rune) bool { return r < 0x20 || r == 0x7f }), strings.Contains(beforeQuery, `\`):
		return nil, refusedFault(faultSyntax, "the URL holds a control character or a back-slash")
	}
	scheme, rest, ok := strings.Cut(raw, "://")
	scheme = strings.ToLower(scheme)
	if !ok || scheme != "http" && scheme != "https" {
		return nil, refusedFault(faultScheme, "only URLs that begin with http:// or https:// are fetched")
	}
	authority := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority = rest[:i]
	}
	if strings.Contains(authority, "@") {
		return nil, refusedFault(faultUserinfo, "user names and passwords in URLs are refused")
	}
	host, port, fault := splitAuthority(authority)
	if fault != nil {
		return nil, fault
	}
	if host, fault = p.host(host); fault != nil {
		return nil, fault
	}
	if port, fault = p.port(scheme, port); fault != nil {
		return nil, fault
	}
	path, _, _ := strings.Cut(rest[len(authority):], "#")
	path, query, asks := strings.Cut(path, "?")
	if path == "" {
		path = "/"
	}
	if path = escapeBytes(path, "\"<>^`{|}"); asks {
		path += "?" + escapeBytes(query, `"<>\`)
	}
	u, err := url.Parse(scheme + "://" + host + port + path)
	if err != nil {
		return nil, refusedFault(faultSyntax, "the URL does not parse: an escape in its path is not valid")
	}
	return u, nil
}

// splitAuthority cuts the host, with its brackets, and the port, without its colon, which may be empty.
func splitAuthority(authority string) (host, port string, fault *exchangeFault) {
	host = authority
	switch i := strings.LastIndex(authority, ":"); {
	case strings.HasPrefix(authority, "["):
		end := strings.Index(authority, "]")
		if end < 0 {
			return "", "", refusedFault(faultSyntax, "the bracket around the URL's address is not closed")
		}
		host = authority[:end+1]
		var ok bool
		if port, ok = strings.CutPrefix(authority[end+1:], ":"); !ok && end+1 < len(authority) {
			return "", "", refusedFault(faultSyntax, "the URL's host is neither a name nor an address")
		}
	case i >= 0:
		host, port = authority[:i], authority[i+1:]
	}
	if strings.ContainsFunc(port, func(r rune) bool { return r < '0' || r > '9' }) {
		return "", "", refusedFault(faultSyntax, "the URL's port is not a number")
	}
	return host, port, nil
}

// port returns ":port", or nothing for the scheme's own.
func (p *urlPolicy) port(scheme, port string) (string, *exchangeFault) {
	if port == "" {
		return "", nil
	}
	n, err := strconv.Atoi(port)
	if err != nil || !slices.Contains(webPorts, n) && !slices.Contains(p.ports, n) {
		return "", refusedFault(faultPort, "public pages are not on port %s", Excerpt(port, 12))
	}
	if scheme == "http" && n == 80 || scheme == "https" && n == 443 {
		return "", nil
	}
	return ":" + strconv.Itoa(n), nil
}

// host returns a host in its ASCII form, if it is a public name or address.
func (p *urlPolicy) host(host string) (string, *exchangeFault) {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		return p.address6(strings.TrimSuffix(inner, "]"))
	}
	name, fault := asciiHost(host)
	if fault != nil {
		return "", fault
	}
	if endsInNumber(name) {
		addr, err := netip.ParseAddr(name)
		if err != nil || !strings.EqualFold(strings.TrimSuffix(host, "."), name) {
			return "", refusedFault(faultNumericHost, "the URL's host is a number that programs read as different addresses")
		}
		return name, p.guard.check(addr)
	}
	switch {
	case p.named[name]:
	case specialName(name):
		return "", refusedFault(faultSpecialHost, "%s is not a name of the public net", name)
	case !strings.Contains(name, "."):
		return "", refusedFault(faultSingleLabel, "%s is not a full host name", name)
	}
	return name, nil
}

func (p *urlPolicy) address6(inner string) (string, *exchangeFault) {
	literal, _, zoned := strings.Cut(inner, "%")
	addr, err := netip.ParseAddr(literal)
	switch {
	case err != nil || !addr.Is6():
		return "", refusedFault(faultSyntax, "the URL's host is not a valid address")
	case zoned:
		return "", refusedFault(faultSpecialIP, "%s is not an address of the public net: it has a zone", addr)
	}
	return "[" + addr.String() + "]", p.guard.check(addr)
}

// endsInNumber is the rule by which browsers take a host for an IPv4 address (WHATWG URL, "ends in a number checker").
func endsInNumber(name string) bool {
	last := name[strings.LastIndex(name, ".")+1:]
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return !strings.ContainsFunc(hex, func(r rune) bool { return !strings.ContainsRune("0123456789abcdef", r) })
	}
	return last != "" && !strings.ContainsFunc(last, func(r rune) bool { return r < '0' || r > '9' })
}

// escapeBytes escapes what may not stand in a request line, and some characters besides, as browsers do (WHATWG URL,
// percent-encode sets of path and query).
func escapeBytes(s, besides string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c > 0x20 && c < 0x7f && strings.IndexByte(besides, c) < 0 {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}
