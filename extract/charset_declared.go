package extract

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"

	"ibid/internal/lazyregexp"
)

// maxHead is how far into a page a charset declaration is looked for, in bytes.
const maxHead = 512 << 10

// headerCharset returns the charset parameter of a content type, as a header or a meta element has it, in any quoting.
func headerCharset(contentType string) string {
	s := strings.ToLower(contentType)
	for {
		_, after, ok := strings.Cut(s, "charset")
		if !ok {
			return ""
		}
		s = strings.TrimLeft(after, " \t\n\f\r")
		value, ok := strings.CutPrefix(s, "=")
		if !ok {
			continue
		}
		value = strings.TrimLeft(value, " \t\n\f\r")
		if value != "" && (value[0] == '"' || value[0] == '\'') {
			quote := value[:1]
			value, _, _ = strings.Cut(value[1:], quote)
			return strings.TrimSpace(value)
		}
		if end := strings.IndexAny(value, " \t\n\f\r;,\"'"); end >= 0 {
			value = value[:end]
		}
		return value
	}
}

// metaCharset returns what the first <meta> of a page's head that names a known charset declares. What stands in
// comments, scripts and <noscript> is no declaration, nor is the charset of a script.
func metaCharset(body []byte) string {
	z := html.NewTokenizer(bytes.NewReader(body[:min(len(body), maxHead)]))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			switch {
			case string(name) == "body":
				return ""
			case string(name) == "meta" && more:
				if label := metaLabel(z); label != "" {
					return label
				}
			}
		}
	}
}

// metaLabel returns the known charset that a meta element names, else "". UTF-16 cannot be meant: then the element could
// not have been read.
func metaLabel(z *html.Tokenizer) string {
	attrs := map[string]string{}
	for more := true; more; {
		var k, v []byte
		k, v, more = z.TagAttr()
		if _, twice := attrs[string(k)]; !twice {
			attrs[string(k)] = strings.TrimSpace(string(v))
		}
	}
	label := attrs["charset"]
	if label == "" && strings.EqualFold(attrs["http-equiv"], "content-type") {
		label = headerCharset(attrs["content"])
	}
	e, name := byLabel(label)
	switch {
	case e == nil:
		return ""
	case strings.HasPrefix(name, "utf-16"):
		return "utf-8"
	}
	return label
}

var xmlDeclaration = lazyregexp.New(`^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([A-Za-z0-9._:-]+)["']`)

// xmlCharset returns the encoding that an XML declaration names.
func xmlCharset(body []byte) string {
	if m := xmlDeclaration.FindSubmatch(body[:min(len(body), 1024)]); m != nil {
		return string(m[1])
	}
	return ""
}
