package llm

import (
	"fmt"
	"strings"
)

// Check refuses a request that no provider takes and that Repair cannot mend: the program has to.
func Check(r Request) error {
	if len(r.Messages) == 0 {
		return &Error{Kind: BadRequest, Message: "the request has no messages"}
	}
	names := map[string]bool{}
	for _, t := range r.Tools {
		name := wireName(t.Name)
		if word(name, 64) != name || name == "" {
			return &Error{Kind: BadRequest, Message: fmt.Sprintf("the tool name %q is none that providers accept: use up to 64 of A-Z a-z 0-9 _ -", t.Name)}
		}
		if names[name] {
			return &Error{Kind: BadRequest, Message: fmt.Sprintf("two tools are called %q", t.Name)}
		}
		names[name] = true
		if len(t.Schema) > 0 && !isObject(strings.TrimSpace(string(t.Schema))) {
			return &Error{Kind: BadRequest, Message: "the schema of the tool " + t.Name + " is no JSON object"}
		}
	}
	return nil
}

// EncodedSize is enough for the bytes of most requests, so that they are allocated once.
func EncodedSize(r Request) int {
	n := 1024 + len(r.System) + len(r.System)/16
	for _, t := range r.Tools {
		n += len(t.Description) + len(t.Schema) + 128
	}
	for _, m := range r.Messages {
		n += 64
		for _, b := range m.Blocks {
			n += 160 + len(b.Text) + len(b.Text)/16 + len(b.Raw)
			if b.Call != nil {
				n += len(b.Call.Args) + len(b.Call.Args)/4
			}
			if b.Result != nil {
				n += len(b.Result.Content) + len(b.Result.Content)/16
			}
		}
	}
	return n
}
