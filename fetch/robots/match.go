package robots

import (
	"strings"
)

// rule is one Allow or Disallow. "*" in a pattern stands for any characters, "$" at its end for the end of the path.
type rule struct {
	allow   bool
	text    string // as it stands in the file, "Disallow: /x"
	pattern string // with what is not ASCII escaped
	plain   string // and with needless escapes resolved
}

// add appends a rule. An empty one says nothing.
func (g *group) add(allow bool, value string) {
	if value == "" {
		return
	}
	r := rule{allow: allow, text: "Disallow: " + value, pattern: escaped(value), plain: plain(value)}
	if allow {
		r.text = "Allow: " + value
	}
	g.rules = append(g.rules, r)
	// Who allows a folder's index page allows the folder: it is the same page.
	if slash := strings.LastIndexByte(value, '/'); allow && slash >= 0 && strings.HasPrefix(value[slash:], "/index.htm") {
		folder := value[:slash+1] + "$"
		g.rules = append(g.rules, rule{allow: true, text: r.text, pattern: escaped(folder), plain: plain(folder)})
	}
}

// Rule reports whether an agent, given by its product token ("ibid"), may read a path (the escaped path of a URL with its
// query, beginning with "/"), and the line that decides; "" if none does. The longest pattern decides, Allow where two are
// equally long (RFC 9309 §2.2.2). Where two readings of escapes differ, a Disallow counts under both and an Allow only as it is
// written.
func (f *File) Rule(agent, path string) (line string, allowed bool) {
	if path == "" {
		path = "/"
	}
	if path == "/robots.txt" {
		return "", true
	}
	asked, resolved := upperEscapes(path), plain(path)
	longest := -1
	allowed = true
	for _, g := range f.of(agent) {
		for _, r := range g.rules {
			n := len(r.pattern)
			if n < longest || n == longest && (allowed || !r.allow) {
				continue
			}
			if matches(r.pattern, asked) || !r.allow && matches(r.plain, resolved) {
				longest, line, allowed = n, r.text, r.allow
			}
		}
	}
	return line, allowed
}

// matches reports whether a path begins with a pattern. Each piece between stars is taken where it comes first, so the
// time is linear.
func matches(pattern, path string) bool {
	pattern, anchored := strings.CutSuffix(pattern, "$")
	first, rest, stars := strings.Cut(pattern, "*")
	if !strings.HasPrefix(path, first) {
		return false
	}
	path = path[len(first):]
	if !stars {
		return !anchored || path == ""
	}
	for {
		piece, after, more := strings.Cut(rest, "*")
		if !more {
			if anchored {
				return strings.HasSuffix(path, piece)
			}
			return strings.Contains(path, piece)
		}
		i := strings.Index(path, piece)
		if i < 0 {
			return false
		}
		path, rest = path[i+len(piece):], after
	}
}

const upperHex = "0123456789ABCDEF"

// escaped percent-encodes every byte that does not stand in URLs, and writes escapes in upper case.
func escaped(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c <= 0x20 || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			b.Write([]byte{'%', upperHex[c>>4], upperHex[c&15]})
		} else {
			b.WriteByte(c)
		}
	}
	return upperEscapes(b.String())
}

func upperEscapes(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' && isHex(b[i+1]) && isHex(b[i+2]) {
			copy(b[i+1:i+3], strings.ToUpper(string(b[i+1:i+3])))
			i += 2
		}
	}
	return string(b)
}

// plain is escaped, with the escapes resolved that change nothing where a path is cut or a pattern matches: programs
// differ in what they escape besides (RFC 9309 §2.2.2, RFC 3986 §2.3).
func plain(s string) string {
	s = escaped(s)
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			if c := unhex(s[i+1])<<4 | unhex(s[i+2]); strings.IndexByte("/?#%*$", c) < 0 {
				b.WriteByte(c)
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&0x0f + 9
}
