package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	"ibid/llm"
)

// assembly puts an answer together; an answer that is no stream is one message.
type assembly struct {
	model   string
	finish  string
	ended   bool
	whole   bool // no stream: each call that is named is one
	refused bool
	usage   usage
	text    strings.Builder
	parts   []json.RawMessage
	calls   []*partial
	byID    map[string]*partial // the latest of each id
	byIndex map[string]*partial // the latest of each index

	reasoning    strings.Builder
	reasoningOld strings.Builder
	details      []*detail
	extra        json.RawMessage
}

// partial is a call in the making.
type partial struct {
	index, id, name string
	args            strings.Builder
	extra           json.RawMessage
	progress        object
}

// object follows the text of a JSON object to its end, however it is cut.
type object struct {
	depth                    int
	inString, escaped, ended bool
}

func (o *object) read(s string) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case o.escaped:
			o.escaped = false
		case o.inString:
			o.escaped, o.inString = c == '\\', c != '"'
		case c == '"':
			o.inString = true
		case c == '{':
			o.depth++
		case c == '}':
			o.depth--
			o.ended = o.ended || o.depth == 0
		}
	}
}

func (a *assembly) message(m message) {
	a.reasoning.WriteString(string(m.Reasoning))
	a.reasoningOld.WriteString(string(m.ReasoningOld))
	for _, d := range m.Details {
		a.detail(d)
	}
	a.content(m.Content)
	if m.Refusal != "" {
		a.refused = true
		a.text.WriteString(string(m.Refusal))
	}
	if isError(m.Extra) {
		a.extra = bytes.Clone(m.Extra)
	}
	for _, c := range m.Calls {
		a.call(c)
	}
	if m.Function != nil && len(m.Calls) == 0 && (m.Function.Name != "" || m.Function.Args != "") {
		a.call(call{Index: "0", Function: *m.Function})
	}
}

// content is a string, or a list of strings and parts. A part that is no text is kept as it is.
func (a *assembly) content(raw json.RawMessage) {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) == nil {
		a.text.WriteString(s)
		return
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	for _, item := range list {
		var part struct {
			Type    string  `json:"type"`
			Text    *string `json:"text"`
			Refusal *string `json:"refusal"`
		}
		switch {
		case json.Unmarshal(item, &s) == nil:
			a.text.WriteString(s)
		case json.Unmarshal(item, &part) != nil:
		case part.Refusal != nil:
			a.refused = true
			a.text.WriteString(*part.Refusal)
		case part.Text != nil:
			a.text.WriteString(*part.Text)
		case part.Type != "":
			a.parts = append(a.parts, bytes.Clone(item))
		}
	}
}

// call adds a piece of a call to the call that it goes on with, or begins one. Indexes and ids alone do not tell: servers
// number all parallel calls 0, send no index, give each piece a new id, or repeat an id; a new name after arguments that
// are complete is always a new call.
func (a *assembly) call(c call) {
	args, name, id := string(c.Function.Args), string(c.Function.Name), string(c.ID)
	var p *partial
	if !a.whole {
		p = a.current(c)
	}
	switch {
	case p == nil || p.isOver(name, id, args):
		if p != nil && p.progress.ended && name == p.name && (id == "" || id == p.id) && strings.TrimSpace(args) == strings.TrimSpace(p.args.String()) {
			return // the server said it twice
		}
		p = &partial{index: string(c.Index), name: name}
		a.calls = append(a.calls, p)
		a.note(p, "")
	case strings.HasPrefix(name, p.name):
		p.name = name
	case name != p.name && len(p.name) < 256:
		p.name += name // a name in pieces
	}
	if p.id == "" && id != "" {
		p.id = id
		a.note(p, id)
	}
	if isError(c.Extra) {
		p.extra = bytes.Clone(c.Extra)
	}
	p.args.WriteString(args)
	p.progress.read(args)
}

// note files a call under its id, or under its index where it has none.
func (a *assembly) note(p *partial, id string) {
	if a.byID == nil {
		a.byID, a.byIndex = map[string]*partial{}, map[string]*partial{}
	}
	if id != "" {
		a.byID[id] = p
	} else {
		a.byIndex[p.index] = p
	}
}

// current is the call that a piece may belong to: the one with its id, else with its index, else the last.
func (a *assembly) current(c call) *partial {
	if p := a.byID[string(c.ID)]; p != nil {
		return p
	}
	if p := a.byIndex[string(c.Index)]; p != nil && c.Index != "" {
		return p
	}
	if len(a.calls) == 0 || c.Index != "" && c.Function.Name != "" {
		return nil
	}
	return a.calls[len(a.calls)-1]
}

// isOver says whether a piece that seems to belong to p begins another call.
func (p *partial) isOver(name, id, args string) bool {
	switch {
	case name == "" || p.name == "":
		return false
	case p.progress.ended:
		return name != p.name || id != "" && id != p.id || strings.HasPrefix(strings.TrimSpace(args), "{")
	case id != "" && p.id != "" && id != p.id:
		return true
	case p.args.Len() == 0:
		return id != "" && id == p.id && !strings.HasPrefix(name, p.name)
	}
	return name != p.name
}

// detail is one entry of reasoning_details. Streams send one entry in pieces of the same index and type, whose texts are
// joined: the signature at its end covers the whole (openrouter.ai/docs, reasoning tokens).
type detail struct {
	kind, index string
	fields      map[string]json.RawMessage
	texts       map[string]*strings.Builder
	raw         json.RawMessage // of an entry that came whole
}

func (a *assembly) detail(raw json.RawMessage) {
	d := &detail{raw: bytes.Clone(raw)}
	if json.Unmarshal(raw, &d.fields) != nil || len(d.fields) == 0 {
		return
	}
	d.kind, d.index = string(d.fields["type"]), string(d.fields["index"])
	if n := len(a.details); n > 0 && d.index != "" && a.details[n-1].index == d.index && a.details[n-1].kind == d.kind {
		a.details[n-1].join(d)
		return
	}
	a.details = append(a.details, d)
}

func (d *detail) join(more *detail) {
	if d.texts == nil {
		first := d.fields
		d.raw, d.fields, d.texts = nil, map[string]json.RawMessage{}, map[string]*strings.Builder{}
		d.join(&detail{fields: first})
	}
	for name, v := range more.fields {
		var piece string
		switch isText := json.Unmarshal(v, &piece) == nil; {
		case string(v) == "null":
			if d.fields[name] == nil {
				d.fields[name] = v
			}
		case isText && (name == "text" || name == "summary" || name == "data"):
			if d.texts[name] == nil {
				d.texts[name] = &strings.Builder{}
			}
			d.texts[name].WriteString(piece)
		case !isText || piece != "" || d.fields[name] == nil:
			d.fields[name] = v
		}
	}
}

// entry is the whole of it.
func (d *detail) entry() json.RawMessage {
	if d.raw != nil {
		return d.raw
	}
	for name, text := range d.texts {
		d.fields[name] = llm.AppendQuoted(nil, text.String())
	}
	return compact(d.fields)
}

// blocks are the answer's: what the server wants back, the text, the calls.
func (a *assembly) blocks() []llm.Block {
	var blocks []llm.Block
	if own := a.fields(); own != nil {
		blocks = append(blocks, llm.Block{Raw: wrap(extra{Message: own})})
	}
	for _, p := range a.parts {
		blocks = append(blocks, llm.Block{Raw: wrap(extra{Part: p})})
	}
	if a.text.Len() > 0 {
		blocks = append(blocks, llm.Block{Text: a.text.String()})
	}
	ids := map[string]bool{}
	for _, p := range a.calls {
		if p.name == "" && strings.TrimSpace(p.args.String()) == "" {
			continue
		}
		if ids[p.id] {
			p.id = "" // whoever answers gives it one of its own
		}
		ids[p.id] = true
		blocks = append(blocks, llm.Block{Call: &llm.ToolCall{ID: p.id, Name: p.name, Args: llm.Arguments(p.args.String())}})
		if p.extra != nil {
			blocks = append(blocks, llm.Block{Raw: wrap(extra{Call: append(append([]byte(`{"extra_content":`), p.extra...), '}')})})
		}
	}
	return blocks
}

// fields are the message's fields beside content and calls, as one object; nil if there are none.
func (a *assembly) fields() json.RawMessage {
	var b []byte
	add := func(name string, v []byte) { b = append(append(b, `,"`+name+`":`...), v...) }
	if a.reasoningOld.Len() > 0 {
		add("reasoning_content", llm.AppendQuoted(nil, a.reasoningOld.String()))
	}
	if a.reasoning.Len() > 0 {
		add("reasoning", llm.AppendQuoted(nil, a.reasoning.String()))
	}
	if len(a.details) > 0 {
		list := make([]json.RawMessage, len(a.details))
		for i, d := range a.details {
			list[i] = d.entry()
		}
		add("reasoning_details", compact(list))
	}
	if a.extra != nil {
		add("extra_content", a.extra)
	}
	if b == nil {
		return nil
	}
	b[0] = '{'
	return append(b, '}')
}

func wrap(e extra) json.RawMessage { return compact(e) }

// compact writes JSON without escapes that are not needed; the keys of maps are sorted.
func compact(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return json.RawMessage(`{}`)
	}
	return bytes.TrimSpace(b.Bytes())
}
