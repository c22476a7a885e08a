package audit

import (
	"fmt"
	"strings"
)

// Shown is a text as a report prints it: on one line, without what does not show or would change how it reads.
func Shown(text string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t' || r == '\v' || r == '\f' || r == 0x85 || r == 0x2028 || r == 0x2029:
			return ' '
		case Forbidden(r) || r == '\uFFFD':
			return -1
		}
		return r
	}, text)), " ")
}

// ShownURL is an address as a report prints it: what would end a link, or is not visible, is percent-escaped (RFC 3986).
func ShownURL(url string) string {
	var b strings.Builder
	for _, r := range url {
		if r <= ' ' || r == '<' || r == '>' || r == '\\' || r == '`' || r == '|' || r >= 0x7F && (Forbidden(r) || invisible(r) || r < 0xA1 || strings.TrimSpace(string(r)) == "") {
			for _, c := range []byte(string(r)) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
