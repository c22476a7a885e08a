package extract

import (
	"strings"

	"golang.org/x/net/html"
)

// A lexer finds where the tokens of a page end, as html.Tokenizer does (HTML, 13.2.5), which takes four times as long: it
// keeps the attributes of each tag. What is rare is left to that.
type lexer struct {
	text string
	at   int    // where the next token begins
	raw  string // the element whose text comes next, if that is no markup
}

// next is the kind of the next token, and where it ends. Where the page ends within a tag, that is an error, as is its end.
func (x *lexer) next() (kind html.TokenType, end int) {
	if x.raw != "" {
		end = x.rawEnd()
		if x.raw = ""; end > x.at {
			return html.TextToken, end
		}
	}
	for i := x.at; ; i++ {
		next := strings.IndexByte(x.text[i:], '<')
		if next < 0 || i+next+1 == len(x.text) {
			if x.at == len(x.text) {
				return html.ErrorToken, x.at
			}
			return html.TextToken, len(x.text)
		}
		i += next
		c := x.text[i+1]
		if !opensTag(c) && c != '/' && c != '!' && c != '?' {
			continue
		}
		if i > x.at {
			return html.TextToken, i
		}
		return x.markup(c)
	}
}

// markup reads a token that begins with a bracket and c.
func (x *lexer) markup(c byte) (kind html.TokenType, end int) {
	rest := x.text[x.at:]
	switch {
	case opensTag(c):
		if end = x.tagEnd(x.at + 2); end < 0 {
			return html.ErrorToken, len(x.text)
		}
		switch name := tagName(x.text[x.at+1 : end]); {
		case name == "svg" || name == "math" || name == "foreignobject":
			z := html.NewTokenizer(strings.NewReader(x.text[x.at:end]))
			return z.Next(), end
		case rawTags[name] || name == "noscript":
			x.raw = name
		}
		return html.StartTagToken, end
	case strings.HasPrefix(rest, "<!--"):
		return html.CommentToken, x.commentEnd(x.at + len("<!--"))
	case c == '/' && len(rest) == 2:
		return html.TextToken, len(x.text)
	case c == '/' && opensTag(rest[2]):
		if end = x.tagEnd(x.at + 3); end < 0 {
			return html.ErrorToken, len(x.text)
		}
		return html.EndTagToken, end
	}
	if end = strings.IndexByte(rest[2:], '>'); end < 0 {
		return html.CommentToken, len(x.text)
	}
	return html.CommentToken, x.at + 2 + end + 1
}

func opensTag(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' }

// tagEnd is where a tag ends from whose name, past its first letter, i is; -1 if it does not.
func (x *lexer) tagEnd(i int) int {
	t := x.text
	for i < len(t) && !isBlank(t[i]) && t[i] != '/' && t[i] != '>' {
		i++
	}
	for {
		if i = x.skip(i); i == len(t) {
			return -1
		}
		if t[i] == '>' {
			return i + 1
		}
		for key := i; i < len(t) && !isBlank(t[i]) && t[i] != '/' && t[i] != '>' && (t[i] != '=' || i == key); i++ {
		}
		if i = x.skip(i); i == len(t) {
			return -1
		}
		switch t[i] {
		case '/':
			i++
		case '=':
			if i = x.value(i + 1); i < 0 {
				return -1
			}
		}
	}
}

// value is where the value of an attribute ends that begins behind i; -1 if it does not.
func (x *lexer) value(i int) int {
	t := x.text
	if i = x.skip(i); i == len(t) {
		return -1
	}
	if quote := t[i]; quote == '"' || quote == '\'' {
		end := strings.IndexByte(t[i+1:], quote)
		if end < 0 {
			return -1
		}
		return i + 1 + end + 1
	}
	for i < len(t) && !isBlank(t[i]) && t[i] != '>' {
		i++
	}
	return i
}

func (x *lexer) skip(i int) int {
	for i < len(x.text) && isBlank(x.text[i]) {
		i++
	}
	return i
}

// commentEnd is where a comment ends whose text begins at i.
func (x *lexer) commentEnd(i int) int {
	for start := i; ; i++ {
		next := strings.IndexByte(x.text[i:], '>')
		if next < 0 {
			return len(x.text)
		}
		i += next
		if text := x.text[start:i]; strings.HasSuffix(text, "--") || strings.HasSuffix(text, "--!") || text == "" || text == "-" {
			return i + 1
		}
	}
}

// rawEnd is where text that is no markup ends.
func (x *lexer) rawEnd() int {
	if x.raw == "plaintext" {
		return len(x.text)
	}
	for i := x.at; ; {
		next := strings.IndexByte(x.text[i:], '<')
		if next < 0 {
			return len(x.text)
		}
		i += next
		rest := x.text[i+1:]
		switch {
		case x.raw == "script" && strings.HasPrefix(rest, "!--"):
			return x.scriptEnd()
		case strings.HasPrefix(rest, "/") && len(rest) > len(x.raw)+1 && strings.EqualFold(rest[1:len(x.raw)+1], x.raw):
			if c := rest[len(x.raw)+1]; isBlank(c) || c == '/' || c == '>' {
				return i
			}
		}
		i++
	}
}

// scriptEnd is where a script ends that holds a comment, in which there may be scripts.
func (x *lexer) scriptEnd() int {
	const start = "<script>"
	z := html.NewTokenizer(strings.NewReader(start + x.text[x.at:]))
	z.Next()
	z.Next()
	return x.at + len(z.Raw())
}
