package extract

import (
	"encoding/json"
	"html"
	"strings"
)

// readJSONLD reads the objects of a JSON-LD script that stand on their own: at the top, in lists and graphs, and what a
// page names as its main entity. What stands in lists of items, or as a part of another thing, is not what the page is about.
func readJSONLD(script string) []thing {
	if len(script) > maxLD {
		return nil
	}
	r := ldReader{byID: map[string]map[string]any{}}
	for _, v := range parseLD(script) {
		r.visit(v, 0)
	}
	return r.things
}

type ldReader struct {
	things []thing
	byID   map[string]map[string]any
}

func (r *ldReader) visit(v any, depth int) {
	if depth > 5 || len(r.things) >= 1000 {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			r.visit(e, depth+1)
		}
	case map[string]any:
		if id := idOf(v); id != "" && len(v) > 1 && r.byID[id] == nil {
			r.byID[id] = v
		}
		if types := typesOf(v["@type"]); len(types) > 0 {
			r.things = append(r.things, thing{"json-ld", types, v, r.byID})
		}
		for _, key := range [...]string{"author", "publisher"} { // known to be referred to from elsewhere
			if m, ok := v[key].(map[string]any); ok && idOf(m) != "" && len(m) > 1 && r.byID[idOf(m)] == nil {
				r.byID[idOf(m)] = m
			}
		}
		r.visit(v["@graph"], depth+1)
		r.visit(v["mainEntity"], depth+1)
		if m, ok := v["mainEntityOfPage"].(map[string]any); ok && len(m) > 2 {
			r.visit(m, depth+1)
		}
	}
}

// typesOf returns the types of an object without their vocabulary.
func typesOf(v any) (types []string) {
	switch v := v.(type) {
	case string:
		if i := strings.LastIndexAny(v, "/#:"); i >= 0 {
			v = v[i+1:]
		}
		if v != "" {
			types = append(types, v)
		}
	case []any:
		for _, e := range v[:min(len(v), 10)] {
			if s, ok := e.(string); ok {
				types = append(types, typesOf(s)...)
			}
		}
	}
	return types
}

// parseLD reads the values of a script, as it is or as it was probably meant.
func parseLD(script string) []any {
	script = strings.TrimPrefix(strings.TrimSpace(script), "\ufeff")
	if values, err := decodeLD(script); err == nil {
		return values
	}
	if strings.Contains(script, "&quot;") && !strings.Contains(script, `"`) {
		script = html.UnescapeString(script)
	}
	values, _ := decodeLD(mend(script))
	return values
}

// decodeLD reads JSON values that follow each other.
func decodeLD(s string) (values []any, err error) {
	d := json.NewDecoder(strings.NewReader(s))
	for d.More() && len(values) < 100 {
		var v any
		if err := d.Decode(&v); err != nil {
			return values, err
		}
		values = append(values, v)
	}
	return values, nil
}

// mend writes JSON with the faults that browsers' programs forgive as JSON without them: comments, CDATA marks, line ends
// inside strings, commas before the end of a list, semicolons after it, escapes that JSON does not know.
func mend(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	inside := false
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case inside && c == '\\' && i+1 < len(s):
			if strings.IndexByte(`"\/bfnrtu`, s[i+1]) >= 0 {
				b.WriteByte(c)
			}
			b.WriteByte(s[i+1])
			i += 2
			continue
		case c == '"':
			inside = !inside
			b.WriteByte(c)
		case inside && c < 0x20:
			b.WriteByte(' ')
		case inside:
			b.WriteByte(c)
		default:
			if n := noise(s[i:]); n > 0 {
				i += n
				continue
			}
			if c != ';' && (c != ',' || !endsList(s[i+1:])) {
				b.WriteByte(c)
			}
		}
		i++
	}
	return b.String()
}

// noise returns the length of a comment or a mark at the beginning of s.
func noise(s string) int {
	for _, mark := range [...]struct{ start, end string }{{"/*", "*/"}, {"//<![CDATA[", ""}, {"<![CDATA[", ""}, {"//]]>", ""}, {"]]>", ""}, {"<!--", ""}, {"-->", ""}, {"//", "\n"}} {
		if !strings.HasPrefix(s, mark.start) {
			continue
		}
		if mark.end == "" {
			return len(mark.start)
		}
		if i := strings.Index(s[len(mark.start):], mark.end); i >= 0 {
			return len(mark.start) + i + len(mark.end)
		}
		return len(s)
	}
	return 0
}

func endsList(s string) bool {
	s = strings.TrimLeft(s, " \t\r\n")
	return s == "" || s[0] == '}' || s[0] == ']' || s[0] == ','
}
