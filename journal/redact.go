package journal

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// A redactor replaces known secrets by placeholders before anything is hashed, stored or handed on (law 10). What a
// run sees live is what is recorded, so a replay sees the same. Secrets are found as they are and as they stand in JSON,
// in JSON inside JSON, in URLs and in base 64.
//
// Requests are large and sent again and again, so it looks at them by the method of Wu and Manber: from the last two bytes
// of a window it knows how far the window can move without missing the beginning of a secret.
type redactor struct {
	patterns []pattern // longest first: one secret may be part of another
	shift    []uint8   // by two bytes; nil: there are no secrets
}

type pattern struct {
	text        []byte
	placeholder string
}

// shortest is the length from which on a value is taken for a secret: shorter ones stand in honest text by chance.
const shortest = 8

func newRedactor(secrets map[string]string) *redactor {
	r := &redactor{}
	seen := map[string]bool{}
	names := make([]string, 0, len(secrets))
	for name := range secrets {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if len(secrets[name]) < shortest {
			continue
		}
		for _, form := range forms(secrets[name]) {
			if len(form) >= shortest && !seen[form] {
				seen[form] = true
				r.patterns = append(r.patterns, pattern{[]byte(form), "{{secret:" + plainName(name) + "}}"})
			}
		}
	}
	if len(r.patterns) == 0 {
		return r
	}
	slices.SortStableFunc(r.patterns, func(a, b pattern) int { return cmp.Compare(len(b.text), len(a.text)) })
	r.shift = bytes.Repeat([]byte{shortest - 1}, 1<<16)
	for _, p := range r.patterns {
		for i := range shortest - 1 {
			h := int(p.text[i])<<8 | int(p.text[i+1])
			r.shift[h] = min(r.shift[h], uint8(shortest-2-i))
		}
	}
	return r
}

// forms lists how a value may stand in what is recorded.
func forms(value string) []string {
	list := []string{value, url.QueryEscape(value), url.PathEscape(value),
		base64.RawStdEncoding.EncodeToString([]byte(value)), base64.RawURLEncoding.EncodeToString([]byte(value))}
	inJSON := []string{value}
	for range 2 {
		var next []string
		for _, v := range inJSON {
			if escaped, err := json.Marshal(v); err == nil {
				next = append(next, string(escaped[1:len(escaped)-1]))
			}
			if escaped, err := jsonBytes(v); err == nil {
				next = append(next, string(escaped[1:len(escaped)-1]))
			}
		}
		list = append(list, next...)
		inJSON = next
	}
	return list
}

// plainName keeps a name from breaking what the placeholder stands in.
func plainName(name string) string {
	return strings.Map(func(c rune) rune {
		if c == '_' || c == '-' || c == '.' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
			return c
		}
		return '_'
	}, name)
}

// next finds the first secret in b from i on: where it begins and which it is, or nil.
func (r *redactor) next(b []byte, i int) (int, *pattern) {
	if r.shift == nil {
		return 0, nil
	}
	for end := i + shortest - 2; end+1 < len(b); {
		if s := r.shift[int(b[end])<<8|int(b[end+1])]; s > 0 {
			end += int(s)
			continue
		}
		start := end - shortest + 2
		for k := range r.patterns {
			if bytes.HasPrefix(b[start:], r.patterns[k].text) {
				return start, &r.patterns[k]
			}
		}
		end++
	}
	return 0, nil
}

// bytes returns b with its secrets replaced; b itself when it holds none.
func (r *redactor) bytes(b []byte) []byte {
	at, p := r.next(b, 0)
	if p == nil {
		return b
	}
	var out []byte
	from := 0
	for p != nil {
		out = append(append(out, b[from:at]...), p.placeholder...)
		from = at + len(p.text)
		at, p = r.next(b, from)
	}
	return append(out, b[from:]...)
}

// text is bytes for text, which is kept as UTF-8 without zero bytes: what is none of it is shown as U+FFFD, and every
// database takes the rest.
func (r *redactor) text(s string) string {
	if r.shift != nil {
		s = string(r.bytes([]byte(s)))
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// holds names the first secret in b, or "".
func (r *redactor) holds(b []byte) string {
	if _, p := r.next(b, 0); p != nil {
		return p.placeholder
	}
	return ""
}
