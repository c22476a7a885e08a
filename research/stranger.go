package research

import (
	"encoding/json"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"ibid/fetch"
	"ibid/internal/lazyregexp"
)

// stranger returns the first address in the arguments of a call of another program's tool that may not be read without asking,
// or "". Whatever a tool does with an address, it leads out: only those go that the user, a search, or our own reading within
// known sites brought (law 5). An address is looked for wherever there is a scheme, and in a string that is nothing but a host;
// a host that a sentence names is a word of it.
func (s *state) stranger(args json.RawMessage) string {
	for _, text := range stringsIn(args) {
		if !strings.Contains(text, "://") {
			if host := hostOf(text); host != "" && !s.sites[fetch.Site(host)] {
				return clean(text, 200)
			}
			continue
		}
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n<>\"'`()[]{}|", r) }) {
			if !strings.Contains(word, "://") {
				continue
			}
			at, err := fetch.CanonicalURL(strings.TrimRight(word, ".,;?!:"))
			if err != nil || s.known[at] == unknown || s.foreign(at) != "" {
				return clean(word, 200)
			}
		}
	}
	return ""
}

var hostName = lazyregexp.New(`^(?i:(?:[\p{L}0-9](?:[\p{L}0-9-]*[\p{L}0-9])?\.)+([\p{L}][\p{L}0-9-]{1,62}))\.?$`)

// endings are of files more often than of hosts, though each is a top-level domain.
var endings = map[string]bool{"md": true, "rs": true, "py": true, "sh": true, "pl": true, "cc": true, "zip": true, "mov": true, "so": true, "ps": true, "ml": true}

// hostOf is the host that a text is the name or the address of, with whatever path, port or user it is written, or "".
func hostOf(text string) string {
	text = strings.TrimLeft(strings.ReplaceAll(strings.TrimSpace(text), `\`, "/"), "/")
	if strings.ContainsAny(text, " \t\n") {
		return ""
	}
	whole, _, path := strings.Cut(text, "/")
	whole, _, _ = strings.Cut(whole, "?")
	_, host, user := cutLast(whole, "@")
	if !user {
		host = whole
	}
	if addr, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return addr.String()
	}
	if at, err := netip.ParseAddrPort(host); err == nil {
		return at.Addr().String()
	}
	host, _, _ = strings.Cut(host, ":")
	m := hostName.FindStringSubmatch(host)
	if m == nil {
		if strings.EqualFold(host, "localhost") {
			return host
		}
		return ""
	}
	top := strings.ToLower(m[1])
	if endings[top] && !user && !path && !strings.HasPrefix(strings.ToLower(host), "www.") {
		return ""
	}
	if _, known := publicsuffix.PublicSuffix(top); known || top == "example" || top == "test" || top == "localhost" || top == "internal" || top == "local" {
		return strings.ToLower(strings.TrimSuffix(host, "."))
	}
	return ""
}

// cutLast is strings.Cut at the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// stringsIn are the strings of a JSON value, names too.
func stringsIn(raw json.RawMessage) (list []string) {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return nil
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			list = append(list, v)
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for name, e := range v {
				list = append(list, name)
				walk(e)
			}
		}
	}
	walk(v)
	slices.Sort(list) // of a map's members in whatever order
	return list
}
