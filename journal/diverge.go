package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// A Divergence says that a run no longer does what its journal holds, at the first event that differs.
type Divergence struct {
	Run    string
	Key    Key
	Kind   string
	Where  string // the place in the request or note: a JSON pointer, or "byte 17"; "" when one of the two is missing
	Reason string // what differs: at /system: recorded "…", now "…"
}

func (e *Divergence) Error() string {
	return fmt.Sprintf("run %s differs from its journal at %s (%s): %s", e.Run, e.Key, e.Kind, e.Reason)
}

// differing describes the first difference between two bodies: by its place in the JSON, or by its byte.
func differing(run string, at place, what string, recorded, now []byte) *Divergence {
	d := &Divergence{Run: run, Key: at.key, Kind: at.kind}
	var a, b any
	var was, is string
	found := false
	if decode(recorded, &a) == nil && decode(now, &b) == nil {
		d.Where, was, is, found = differ("", a, b)
	}
	if found && d.Where == "" {
		d.Where = "/" // the whole of it
	}
	if !found {
		i := commonPrefix(recorded, now)
		d.Where, was, is = fmt.Sprintf("byte %d", i), string(recorded), string(now)
	}
	was, is = excerpt(was, is)
	d.Reason = fmt.Sprintf("%s at %s: recorded %s, now %s", what, d.Where, was, is)
	return d
}

// differ finds the first place, as a JSON pointer, where two values differ: fields by name, elements in order.
func differ(at string, a, b any) (where, was, is string, differs bool) {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			break
		}
		names := map[string]bool{}
		for n := range x {
			names[n] = true
		}
		for n := range y {
			names[n] = true
		}
		sorted := make([]string, 0, len(names))
		for n := range names {
			sorted = append(sorted, n)
		}
		// What stands on top of a request (system, tools) is named before the messages that follow from it.
		sort.Slice(sorted, func(i, j int) bool {
			if mi, mj := sorted[i] == "messages", sorted[j] == "messages"; mi != mj {
				return mj
			}
			return sorted[i] < sorted[j]
		})
		for _, n := range sorted {
			if w, p, q, d := differ(at+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(n), x[n], y[n]); d {
				return w, p, q, true
			}
		}
		return "", "", "", false
	case []any:
		y, ok := b.([]any)
		if !ok {
			break
		}
		for i := range min(len(x), len(y)) {
			if w, p, q, d := differ(fmt.Sprintf("%s/%d", at, i), x[i], y[i]); d {
				return w, p, q, true
			}
		}
		if len(x) != len(y) {
			return at, fmt.Sprintf("%d elements", len(x)), fmt.Sprintf("%d elements", len(y)), true
		}
		return "", "", "", false
	}
	p, q := text(a), text(b)
	return at, p, q, p != q
}

func text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	if v == nil {
		return "nothing"
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(bytes.TrimSpace(b))
}

// excerpt cuts two texts to the surroundings of their first difference.
func excerpt(a, b string) (string, string) {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	from := max(i-20, 0)
	cut := func(s string) string {
		start, end := min(from, len(s)), min(i+60, len(s))
		for start < end && !utf8.RuneStart(s[start]) {
			start++
		}
		out := strings.ToValidUTF8(s[start:end], "")
		if start > 0 {
			out = "…" + out
		}
		if end < len(s) {
			out += "…"
		}
		return fmt.Sprintf("%q", out)
	}
	return cut(a), cut(b)
}
