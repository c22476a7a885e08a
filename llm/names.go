package llm

import "strings"

// Tools of other programs are called server.tool, here and in all that people read. Providers take no dot in a name, so that
// what goes over the wire is server__tool. A name is turned back by the list of tools it was made from: a model that makes up
// a name of its own is understood as it was.

// wireName is a tool's name as providers take it. Only the first dot is one that they would not.
func wireName(name string) string { return strings.Replace(name, ".", "__", 1) }

// dotted are the wire names of the tools that have another one here.
func dotted(tools []Tool) map[string]string {
	var names map[string]string
	for _, t := range tools {
		if wire := wireName(t.Name); wire != t.Name {
			if names == nil {
				names = map[string]string{}
			}
			names[t.Name] = wire
		}
	}
	return names
}

// OnWire is a request with the names of tools as providers take them, in the list of tools and in the conversation. A codec
// encodes what it returns. The request given is not changed.
func OnWire(r Request) Request {
	names := dotted(r.Tools)
	if names == nil {
		return r
	}
	tools := make([]Tool, len(r.Tools))
	for i, t := range r.Tools {
		tools[i] = t
		tools[i].Name = wireName(t.Name)
	}
	messages := make([]Message, len(r.Messages))
	for i, m := range r.Messages {
		messages[i] = Message{m.Role, renamed(m.Blocks, names)}
	}
	r.Tools, r.Messages = tools, messages
	return r
}

// OffWire is an answer to a request with these tools, with its calls under the names that they have here.
func OffWire(tools []Tool, r Response) Response {
	names := dotted(tools)
	if names == nil {
		return r
	}
	back := make(map[string]string, len(names))
	for name, wire := range names {
		back[wire] = name
	}
	r.Blocks = renamed(r.Blocks, back)
	return r
}

// renamed are blocks whose calls and results have other names. What has none of the names stays, and is shared.
func renamed(blocks []Block, names map[string]string) []Block {
	var changed []Block
	for i, b := range blocks {
		switch {
		case b.Call != nil && names[b.Call.Name] != "":
			call := *b.Call
			call.Name = names[call.Name]
			b.Call = &call
		case b.Result != nil && names[b.Result.Name] != "":
			result := *b.Result
			result.Name = names[result.Name]
			b.Result = &result
		default:
			continue
		}
		if changed == nil {
			changed = append(changed, blocks...)
		}
		changed[i] = b
	}
	if changed == nil {
		return blocks
	}
	return changed
}
