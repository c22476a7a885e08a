package search

import (
	"net/url"
	"strings"
)

// shortestPart is the length in bytes from which on a part of a secret is hidden: services repeat a key in part, and
// what is cut to be shown may end inside of one.
const shortestPart = 8

// redact replaces the key, as it is and as it is written in an address, and the password of the service's address, whole
// and in parts.
func (s *service) redact(text string) string {
	password, _ := s.base.User.Password()
	for _, secret := range []string{s.Key, password} {
		for _, spelling := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret)} {
			text = hide(text, spelling)
		}
	}
	return text
}

// hide replaces what stands in both texts for at least shortestPart bytes, and a shorter secret where it stands whole. One
// of less than four bytes hides nothing, and would tear words apart.
func hide(text, secret string) string {
	least := min(shortestPart, len(secret))
	if least < 4 {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); {
		n := 0
		for i+n < len(text) && strings.Contains(secret, text[i:i+n+1]) {
			n++
		}
		if n < least {
			out.WriteByte(text[i])
			i++
			continue
		}
		out.WriteString("…")
		i += n
	}
	return out.String()
}
