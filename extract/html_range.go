package extract

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// reference reads the character reference that s, which starts with an ampersand, begins with: how many bytes it takes
// and what it stands for. An ampersand that begins none stands for itself.
func reference(s string) (size int, value string) {
	const longest = 64 // more than any name has
	for _, usual := range [...][2]string{{"&amp;", "&"}, {"&nbsp;", "\u00a0"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", `"`}, {"&#39;", "'"}, {"&#8217;", "’"}} {
		if strings.HasPrefix(s, usual[0]) {
			return len(usual[0]), usual[1]
		}
	}
	end := 1
	if strings.HasPrefix(s, "&#") {
		end = 2
		hex := end < len(s) && s[end]|0x20 == 'x'
		if hex {
			end++
		}
		digits := end
		for end < len(s) && (isDigit(s[end]) || hex && s[end]|0x20 >= 'a' && s[end]|0x20 <= 'f') {
			end++
		}
		if end == digits {
			return 1, "&"
		}
		if end < len(s) && s[end] == ';' {
			end++
		}
		return end, html.UnescapeString(s[:end])
	}
	for end < len(s) && end < longest && (isDigit(s[end]) || s[end]|0x20 >= 'a' && s[end]|0x20 <= 'z') {
		end++
	}
	semicolon := end < len(s) && s[end] == ';'
	if semicolon {
		end++
	}
	value = html.UnescapeString(s[:end])
	if value == s[:end] {
		return 1, "&"
	}
	n := utf8.RuneCountInString(value)
	if n == 1 || n == 2 && semicolon { // the whole name; of those without a semicolon none is two characters
		return end, value
	}
	_, n = utf8.DecodeRuneInString(value) // &notit; is ¬it;
	return end - (len(value) - n), value[:n]
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// A stretch is a part of a text node and where it stands in the page's text: from byte raw on, or -1 for what is not known. If size is
// not zero, the stretch is one character reference of that many bytes; else it stands there as it is.
type stretch struct {
	text      string
	raw, size int
}

// stretches calls do for each stretch of a text node, in order.
func (s *source) stretches(n *html.Node, do func(stretch)) {
	text := n.Data
	if s == nil {
		do(stretch{text: text, raw: -1})
		return
	}
	pieces := s.piecesOf(n)
	if len(pieces) == 0 {
		do(stretch{text: text, raw: -1})
		return
	}
	if pieces[0].at > 0 {
		do(stretch{text: text[:pieces[0].at], raw: -1})
	}
	for i, p := range pieces {
		to := len(text)
		if p.more {
			to = int(pieces[i+1].at)
		}
		s.tokens[p.token].stretches(s.text, text[p.at:to], do)
	}
}

// stretches follows a token's text through the page's. White space behind it may come from the next token.
func (t token) stretches(page, text string, do func(stretch)) {
	raw, end := int(t.start), int(t.end)
	if t.plain {
		n := min(len(text), end-raw)
		do(stretch{text: text[:n], raw: raw})
		if n < len(text) {
			do(stretch{text: text[n:], raw: -1})
		}
		return
	}
	for text != "" && raw < end {
		special := strings.IndexAny(page[raw:end], "&\r\x00")
		if special < 0 {
			special = end - raw
		}
		if n := min(special, len(text)); n > 0 {
			do(stretch{text: text[:n], raw: raw})
			text, raw = text[n:], raw+n
			continue
		}
		size, value := 1, ""
		switch page[raw] {
		case '\r':
			value = "\n"
			if strings.HasPrefix(page[raw:end], "\r\n") {
				size = 2
			}
		case 0:
			if t.raw || t.drawn && strings.HasPrefix(text, "\ufffd") { // elsewhere it is dropped
				value = "\ufffd"
			}
		case '&':
			if value = "&"; !t.raw {
				size, value = reference(page[raw:end])
			}
		}
		if !strings.HasPrefix(text, value) {
			break
		}
		if value != "" {
			do(stretch{text: text[:len(value)], raw: raw, size: size})
		}
		text, raw = text[len(value):], raw+size
	}
	if text != "" {
		do(stretch{text: text, raw: -1})
	}
}
