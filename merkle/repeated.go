package merkle

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Repeated finds a name that an object of a JSON value has twice, in whichever case (I-JSON, RFC 7493 2.3). Of two such
// members readers take the first, the last or either: what one checks need not be what another shows. A text that is no
// JSON has none.
func Repeated(value []byte) (name string, twice bool) {
	type object struct {
		names map[string]bool // nil: an array
		value bool            // comes next, and no name
	}
	var open []*object
	for d := json.NewDecoder(bytes.NewReader(value)); ; {
		t, err := d.Token()
		if err != nil {
			return "", false
		}
		var in *object
		if len(open) > 0 {
			in = open[len(open)-1]
		}
		if name, ok := t.(string); ok && in != nil && in.names != nil && !in.value {
			folded := strings.ToLower(strings.ToUpper(name)) // as encoding/json matches names: ſ is an s, K a k
			if in.names[folded] {
				return name, true
			}
			in.names[folded], in.value = true, true
			continue
		}
		switch t {
		case json.Delim('{'):
			open = append(open, &object{names: map[string]bool{}})
		case json.Delim('['):
			open = append(open, &object{})
		case json.Delim('}'), json.Delim(']'):
			if open = open[:len(open)-1]; len(open) > 0 {
				open[len(open)-1].value = false
			}
		default:
			if in != nil {
				in.value = false
			}
		}
	}
}
