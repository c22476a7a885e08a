// Package fence puts a boundary around text from outside in what a model reads (SAFE-1, law 5), so that nothing in it can
// be taken for the program's own words.
package fence

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// A Fence is the name of a boundary that no page can know: drawn for a run, or made of what stands inside. Inside stands
// one JSON object: nothing that a page says can leave a JSON string, and what models' templates treat as marks of their
// own is written with escapes, which a JSON reader turns back into the very same text. So a quote that is copied from it
// is still the source's own words.
type Fence string

// Around puts v between the lines of the fence. Without a name there are no lines, as in runs from before there were
// fences. v is of strings, numbers and structs of them.
func (f Fence) Around(v any) string {
	body := neutral(JSON(v))
	if f == "" {
		return string(body)
	}
	body = bytes.ReplaceAll(body, []byte(f), escaped(string(f[:1]), string(f[1:])))
	return fmt.Sprintf("[untrusted %s]\n%s\n[end %s]", f, body, f)
}

// JSON is json.Marshal without HTML escaping, which models read badly, for values that cannot fail: of strings, numbers and
// structs of them.
func JSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // a fault of the program
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// marks are what chat templates and tool protocols put around turns: read as such, text would become a speaker.
var marks = regexp.MustCompile(`(?i)<[|｜]|[|｜]>|<(/?(?:s|bos|eos|pad|start_of_turn|end_of_turn|start_header_id|end_header_id|system|assistant|user|human|developer|tool|tools|tool_call|tool_calls|tool_response|tool_result|function|functions|function_call|function_calls|function_results|invoke|parameter|thinking|think|reminder|system-reminder|untrusted|instructions?)\b|/?antml|<SYS>|</SYS>)|\[/?(?:INST|SYSTEM|SYS|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|untrusted |end )`)

// neutral escapes marks and invisible characters in encoded JSON. Both stand in strings only, so the JSON means the same.
func neutral(body []byte) []byte {
	for marks.Match(body) { // two marks may share a character
		body = marks.ReplaceAllFunc(body, func(m []byte) []byte {
			if i := bytes.IndexByte(m, '>'); m[0] != '<' && i > 0 { // |> and its wide form
				return append(bytes.Clone(m[:i]), escaped(">", "")...)
			}
			return escaped(string(m[:1]), string(m[1:]))
		})
	}
	if !bytes.ContainsFunc(body, hides) {
		return body
	}
	var b bytes.Buffer
	for _, r := range string(body) {
		switch {
		case !hides(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.Bytes()
}

// escaped writes one ASCII character as a JSON escape, and the rest after it.
func escaped(c, rest string) []byte { return fmt.Appendf(nil, `\u%04x%s`, c[0], rest) }

// hides says whether a character is not seen and can carry or turn around text that a reader does not notice: marks of
// direction, tags, and the zero-width characters that no script needs.
func hides(r rune) bool {
	switch {
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r >= 0xe0000 && r <= 0xe0fff:
		return true
	case r == 0x200b, r >= 0x2060 && r <= 0x2064, r == 0xfeff, r == 0x180e, r >= 0xfe00 && r <= 0xfe0e, r >= 0x80 && r <= 0x9f:
		return true
	}
	return false
}

// Harmless makes a plain line of a text that may repeat what somebody else said, for errors. It is not reversible, and
// nothing is quoted from it.
func Harmless(s string) string {
	s = strings.Map(func(r rune) rune {
		if hides(r) || r < 0x20 && r != '\n' {
			return -1
		}
		return r
	}, s)
	return marks.ReplaceAllStringFunc(s, func(m string) string { return m[:1] + " " + m[1:] })
}
