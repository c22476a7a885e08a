package journal

import (
	"encoding/json"
	"sort"
	"strings"
)

// A redactor replaces known secrets by placeholders before anything is hashed, stored or handed on (law 10). What a
// run sees live is what is recorded, so a replay sees the same.
type redactor struct{ replacer *strings.Replacer }

func newRedactor(secrets map[string]string) *redactor {
	names := make([]string, 0, len(secrets))
	for name, value := range secrets {
		if len(value) >= 8 { // shorter ones stand in honest text by chance
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return &redactor{}
	}
	// The longest value first: one secret may be part of another.
	sort.Slice(names, func(i, j int) bool {
		a, b := secrets[names[i]], secrets[names[j]]
		if len(a) != len(b) {
			return len(a) > len(b)
		}
		return names[i] < names[j]
	})
	var pairs []string
	for _, name := range names {
		value, placeholder := secrets[name], "{{secret:"+name+"}}"
		pairs = append(pairs, value, placeholder)
		if quoted, err := json.Marshal(value); err == nil { // as it stands inside a JSON string
			if inner := string(quoted[1 : len(quoted)-1]); inner != value {
				pairs = append(pairs, inner, placeholder)
			}
		}
	}
	return &redactor{strings.NewReplacer(pairs...)}
}

func (r *redactor) text(s string) string {
	if r.replacer == nil {
		return s
	}
	return r.replacer.Replace(s)
}

func (r *redactor) bytes(b []byte) []byte {
	if r.replacer == nil || len(b) == 0 {
		return b
	}
	return []byte(r.replacer.Replace(string(b)))
}
