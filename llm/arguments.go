package llm

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// Arguments reads a call's arguments as servers send them: none at all are an empty object; an object in a JSON string
// is the object; a JSON text that is sent twice, or after an empty object, is sent once. Everything else stays as the
// model wrote it, valid JSON or not.
func Arguments(s string) string {
	s = strings.TrimSpace(s)
	switch {
	case s == "" || s == "null":
		return "{}"
	case !json.Valid([]byte(s)):
		return once(s)
	case s[0] == '"':
		var inner string
		if err := json.Unmarshal([]byte(s), &inner); err == nil {
			if inner = strings.TrimSpace(inner); inner == "" || isObject(inner) {
				return Arguments(inner)
			}
		}
	}
	return s
}

// once reads several JSON values in a row as one, if they are one apart from empty objects.
func once(s string) string {
	var first json.RawMessage
	var seen string
	for d := json.NewDecoder(strings.NewReader(s)); ; {
		var v json.RawMessage
		err := d.Decode(&v)
		if err == io.EOF {
			break
		}
		var plain bytes.Buffer
		if err != nil || json.Compact(&plain, v) != nil {
			return s
		}
		switch text := plain.String(); {
		case text == "{}", text == seen:
		case seen != "":
			return s
		default:
			first, seen = v, text
		}
	}
	if seen == "" {
		return "{}"
	}
	return string(first)
}

func isObject(s string) bool { return strings.HasPrefix(s, "{") && json.Valid([]byte(s)) }

// objectArguments is the form in which every API takes arguments back: the text of one JSON object, valid also for
// parsers that refuse lone surrogates.
func objectArguments(s string) string {
	s = Arguments(strings.ToValidUTF8(s, "\uFFFD"))
	if !isObject(s) {
		return string(append(AppendQuoted([]byte(`{"arguments":`), s), '}'))
	}
	return pairSurrogates(s)
}

// pairSurrogates replaces \ud800 to \udfff escapes without their other half: Anthropic refuses a body that holds one.
func pairSurrogates(s string) string {
	if !strings.Contains(s, `\ud`) && !strings.Contains(s, `\uD`) {
		return s
	}
	b := []byte(s)
	for i := 0; i+1 < len(b); i++ {
		if b[i] != '\\' {
			continue
		}
		switch {
		case half(b[i:], "89abAB") && i+6 <= len(b) && half(b[i+6:], "cdefCDEF"):
			i += 11
		case half(b[i:], "89abAB") || half(b[i:], "cdefCDEF"):
			copy(b[i+2:], "fffd")
			i += 5
		default:
			i++ // the escaped character
		}
	}
	return string(b)
}

// half says whether b begins with an escaped surrogate whose second digit is one of digits.
func half(b []byte, digits string) bool {
	return len(b) >= 6 && b[0] == '\\' && b[1] == 'u' && (b[2] == 'd' || b[2] == 'D') && strings.IndexByte(digits, b[3]) >= 0
}
