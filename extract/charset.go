package extract

import (
	"bytes"
	"mime"
	"strings"
	"unicode/utf8"

	"github.com/wlynxg/chardet"
	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
)

// maxHead is how far into a page a charset declaration is looked for, in bytes.
const maxHead = 64 << 10

// Decode turns a text's bytes into UTF-8, as every reader of this package does, and names the encoding. ContentType is
// what the text was served as, "" if that is not known.
func Decode(body []byte, contentType string) (text, charset string) { return decode(body, contentType) }

// decode turns a text's bytes into UTF-8 and names the encoding. The order is what bytes cannot fake, then what was
// declared, then a guess: a byte order mark, valid UTF-8, the header, a meta element anywhere in the head, statistics.
func decode(body []byte, contentType string) (text, name string) {
	if e, n, _ := charset.DetermineEncoding(body[:min(len(body), 4)], ""); hasBOM(body) {
		return convert(body, e), n
	}
	if n := utf16Of(body); n != "" {
		e, _ := charset.Lookup(n)
		return convert(body, e), n
	}
	escapes := bytes.Contains(body, []byte("\x1b$")) || bytes.Contains(body, []byte("\x1b("))
	if !escapes && mostlyUTF8(body) {
		return strings.ToValidUTF8(string(body), "\ufffd"), "utf-8"
	}
	for _, label := range []string{headerCharset(contentType), metaCharset(body)} {
		e, n := charset.Lookup(label)
		if e == nil || n == "utf-8" || n == "replacement" || strings.HasPrefix(n, "utf-16") { // utf-8 was ruled out above
			continue
		}
		if n == "windows-1252" && notLatin(body) { // what templates declare without looking
			continue
		}
		if text := convert(body, e); plausible(text) {
			return text, n
		}
	}
	guess := chardet.Detect(body[:min(len(body), 256<<10)])
	if e, n := charset.Lookup(guess.Encoding); e != nil && guess.Confidence > 0.3 && n != "replacement" {
		if text := convert(body, e); plausible(text) {
			return text, n
		}
	}
	e, _ := charset.Lookup("windows-1252")
	return convert(body, e), "windows-1252"
}

func hasBOM(b []byte) bool {
	return bytes.HasPrefix(b, []byte("\xef\xbb\xbf")) || bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff"))
}

// utf16Of recognises UTF-16 without a mark: in ASCII text every other byte is zero.
func utf16Of(b []byte) string {
	b = b[:min(len(b), 1024)&^1]
	var zero [2]int
	for i, c := range b {
		if c == 0 {
			zero[i&1]++
		}
	}
	switch half := len(b) / 2; {
	case hasBOM(b) && b[0] != 0xef:
		return map[byte]string{0xff: "utf-16le", 0xfe: "utf-16be"}[b[0]]
	case half >= 8 && zero[1]*10 > half*4 && zero[0]*20 < half:
		return "utf-16le"
	case half >= 8 && zero[0]*10 > half*4 && zero[1]*20 < half:
		return "utf-16be"
	}
	return ""
}

// convert decodes, with U+FFFD for what does not decode and without a byte order mark.
func convert(body []byte, e encoding.Encoding) string {
	out, err := e.NewDecoder().Bytes(body)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.ToValidUTF8(string(out), "\ufffd"), "\ufeff")
}

// mostlyUTF8 allows a rune cut off at the end, and a stray byte in a long text.
func mostlyUTF8(b []byte) bool {
	good, bad := 0, 0
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		switch {
		case r != utf8.RuneError || n > 1:
			good++
		case len(b)-i >= utf8.UTFMax || utf8.FullRune(b[i:]):
			bad++
		}
		i += n
	}
	return bad == 0 || bad*100 < good
}

// plausible rejects a decoding that the text itself contradicts: letters that failed to decode, or C1 controls, which
// no text holds.
func plausible(s string) bool {
	bad, high := 0, 0
	for _, r := range s {
		switch {
		case r < 0x80:
		case r == utf8.RuneError || r < 0xa0:
			bad++
			fallthrough
		default:
			high++
		}
	}
	return s != "" && bad*50 <= high
}

// notLatin reports whether bytes above ASCII mostly stand side by side, as in every script but the Latin one.
func notLatin(b []byte) bool {
	high, paired := 0, 0
	for i, c := range b {
		if c >= 0x80 {
			high++
			if i > 0 && b[i-1] >= 0x80 || i+1 < len(b) && b[i+1] >= 0x80 {
				paired++
			}
		}
	}
	return high >= 20 && paired*2 > high
}

func headerCharset(contentType string) string {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		_, after, _ := strings.Cut(strings.ToLower(contentType), "charset=")
		return strings.Trim(after, ` "';`)
	}
	return params["charset"]
}

// metaCharset returns what the first <meta> of a page's head declares.
func metaCharset(body []byte) string {
	z := html.NewTokenizer(bytes.NewReader(body[:min(len(body), maxHead)]))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			switch string(name) {
			case "body":
				return ""
			case "meta":
				attrs := map[string]string{}
				for more {
					var k, v []byte
					k, v, more = z.TagAttr()
					attrs[string(k)] = string(v)
				}
				if attrs["charset"] != "" {
					return attrs["charset"]
				}
				if strings.EqualFold(attrs["http-equiv"], "content-type") {
					if c := headerCharset(attrs["content"]); c != "" {
						return c
					}
				}
			}
		}
	}
}
