package city

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"sort"
	"strings"
)

// A refused request: what the provider says about it.
type refused struct {
	status  int
	kind    string // the provider's type of error
	code    string // OpenAI
	param   string // OpenAI
	message string
}

func (e *refused) Error() string { return fmt.Sprintf("%d %s: %s", e.status, e.kind, e.message) }

// bad is a request that is wrong and stays wrong.
func bad(format string, args ...any) *refused {
	return &refused{status: http.StatusBadRequest, kind: "invalid_request_error", message: fmt.Sprintf(format, args...)}
}

// A fields is a JSON object whose members are taken out one by one.
type fields map[string]json.RawMessage

func object(raw json.RawMessage) (fields, bool) {
	var f fields
	if len(raw) == 0 || json.Unmarshal(raw, &f) != nil || f == nil {
		return nil, false
	}
	return f, true
}

// extra returns a member that is not among the allowed ones, the first by name, or "".
func (f fields) extra(allowed string) string {
	var names []string
	for name := range f {
		if !strings.Contains(" "+allowed+" ", " "+name+" ") {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	sort.Strings(names)
	return names[0]
}

// has says whether a member is there and not null.
func (f fields) has(name string) bool {
	raw, ok := f[name]
	return ok && !isNull(raw)
}

func isNull(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "null" }

// text reads a string member.
func (f fields) text(name string) (string, bool) {
	raw, ok := f[name]
	return asText(raw, ok)
}

func asText(raw json.RawMessage, there bool) (string, bool) {
	var s string
	if !there || isNull(raw) || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// list reads an array member.
func (f fields) list(name string) ([]json.RawMessage, bool) {
	var l []json.RawMessage
	if !f.has(name) || json.Unmarshal(f[name], &l) != nil {
		return nil, false
	}
	return l, true
}

// number reads an integer member.
func (f fields) number(name string) (int, bool) {
	var n int
	if !f.has(name) || json.Unmarshal(f[name], &n) != nil {
		return 0, false
	}
	return n, true
}

// flag reads a boolean member; what is not there is false.
func (f fields) flag(name string) bool { return string(bytes.TrimSpace(f[name])) == "true" }

// without writes an object without some members, its own in order of name and their values as they came, without space.
func (f fields) without(names ...string) []byte {
	kept := map[string]json.RawMessage{}
	for name, raw := range f {
		kept[name] = raw
	}
	for _, name := range names {
		delete(kept, name)
	}
	return encode(kept)
}

// encode is json.Marshal without HTML escaping, for values that cannot fail.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // maps, strings and numbers: a fault of the city
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// writeJSON answers with a JSON value.
func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(encode(v))
}
