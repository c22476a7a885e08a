package extract

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode/utf32"
)

// Decode turns a text's bytes into UTF-8, as every reader of this package does, and names the encoding as the WHATWG
// Encoding Standard does ("windows-1252", also where a page says iso-8859-1). ContentType is what the text was served
// as, "" if that is not known. What does not decode is U+FFFD.
func Decode(body []byte, contentType string) (text, charset string) { return decode(body, contentType) }

// decode goes by what bytes cannot fake first, then by what was declared, then by a guess: a byte order mark, zero bytes,
// escapes, valid UTF-8; the header, then the page itself, each if the bytes bear it out; the most likely reading.
func decode(body []byte, contentType string) (text, name string) {
	if name := wideOf(body); name != "" {
		return convert(body, lookup(name)), name
	}
	if hasEscapes(body) {
		if text := convert(body, lookup("iso-2022-jp")); !strings.ContainsRune(text, utf8.RuneError) {
			return text, "iso-2022-jp"
		}
	}
	good, bad := countUTF8(body)
	if bad == 0 || bad*100 < good {
		return asUTF8(body), "utf-8"
	}
	labels := []string{headerCharset(contentType), metaCharset(body), xmlCharset(body)}
	for _, label := range labels { // more than stray bytes, and yet no other encoding looks like it
		if _, name := byLabel(label); bad*2 < good && (name == "utf-8" || strings.HasPrefix(name, "utf-16")) {
			return asUTF8(body), "utf-8"
		}
	}
	g := guessCharset(body)
	for _, label := range labels {
		if text, name, ok := declared(body, label, &g); ok {
			return text, name
		}
	}
	if g.charset != "" {
		if text := convert(body, lookup(g.charset)); plausible(text) {
			return text, g.charset
		}
	}
	return convert(body, lookup("windows-1252")), "windows-1252"
}

// declared reads a body as it was declared, if what comes out is as likely a text as any. It takes much to go against a
// declaration, except the one that templates and servers make without looking.
func declared(body []byte, label string, g *guess) (text, name string, ok bool) {
	e, name := byLabel(label)
	if e == nil || name == "utf-8" || name == "replacement" || strings.HasPrefix(name, "utf-16") {
		return "", "", false
	}
	if name == "gbk" || name == "gb18030" { // the standard's decoder is the same for both
		name, e = "gb18030", simplifiedchinese.GB18030
	}
	if text = convert(body, e); !plausible(text) {
		return "", "", false
	}
	score, known := g.under(name, e)
	_, single := e.(*charmap.Charmap)
	switch {
	case !known, g.charset == "":
		return text, name, true
	case !single && !g.double(): // pairs of bytes that all fit are no chance
		return text, name, true
	case name == "windows-1252" && g.charset != "macintosh": // where much the same is a letter in both
		return text, name, g.score-score <= 6
	}
	return text, name, g.score-score <= 25+2*float64(g.words.size)
}

// byLabel returns the encoding that a label stands for, and its name; nil for an unknown label.
func byLabel(label string) (e encoding.Encoding, name string) {
	e, err := htmlindex.Get(label)
	if err != nil {
		return nil, ""
	}
	name, _ = htmlindex.Name(e)
	return e, name
}

// lookup is byLabel for a name that is known, with the encodings that web pages may not use.
func lookup(name string) encoding.Encoding {
	switch name {
	case "utf-32le":
		return utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)
	case "utf-32be":
		return utf32.UTF32(utf32.BigEndian, utf32.UseBOM)
	}
	e, _ := byLabel(name)
	return e
}

// wideOf recognises UTF-16 and UTF-32, by their mark or without: in ASCII text every other byte is zero.
func wideOf(b []byte) string {
	for _, mark := range [...]struct{ bytes, name string }{
		{"\xff\xfe\x00\x00", "utf-32le"}, {"\x00\x00\xfe\xff", "utf-32be"}, {"\xff\xfe", "utf-16le"}, {"\xfe\xff", "utf-16be"},
	} {
		if bytes.HasPrefix(b, []byte(mark.bytes)) {
			return mark.name
		}
	}
	b = b[:min(len(b), 1024)&^1]
	var zero [2]int
	for i, c := range b {
		if c == 0 {
			zero[i&1]++
		}
	}
	switch half := len(b) / 2; {
	case half >= 8 && zero[1]*10 > half*4 && zero[0]*20 < half:
		return "utf-16le"
	case half >= 8 && zero[0]*10 > half*4 && zero[1]*20 < half:
		return "utf-16be"
	}
	return ""
}

// hasEscapes reports whether a body is seven-bit text that shifts into Japanese, as iso-2022-jp does.
func hasEscapes(b []byte) bool {
	if !bytes.Contains(b, []byte("\x1b$B")) && !bytes.Contains(b, []byte("\x1b$@")) {
		return false
	}
	for _, c := range b {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

// convert decodes, with U+FFFD for what does not decode and without a byte order mark.
func convert(body []byte, e encoding.Encoding) string {
	out, err := e.NewDecoder().Bytes(body)
	if err != nil {
		return ""
	}
	return asUTF8(out)
}

func asUTF8(b []byte) string {
	text := string(b)
	if !utf8.ValidString(text) { // asking first is cheaper
		text = strings.ToValidUTF8(text, "\ufffd")
	}
	return strings.TrimPrefix(text, "\ufeff")
}

// countUTF8 counts the characters above ASCII that are right UTF-8, and the bytes that are not. A character that is cut
// off at the end is neither.
func countUTF8(b []byte) (good, bad int) {
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
	return good, bad
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
