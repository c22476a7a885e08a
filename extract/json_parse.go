package extract

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"ibid/internal/lazyregexp"
)

// Limits of JSON.
const (
	maxJSONValues = 1_000_000
	maxJSONDepth  = 200
	maxJSONBroken = 1000 // lines of values that are no JSON
)

// A jsonValue is a value and where it stands.
type jsonValue struct {
	kind       byte // { [ " and 0 for numbers, true, false and null
	start, end int  // bytes of the text
	keyStart   int
	key        string // of a member
	index      int    // of an element
	count      int    // elements seen so far
	prose      string // of a string that is a text
	parted     bool   // it is not shown as a whole: a text is in it, or its end is missing
	kids       []jsonValue
}

// simple reports whether a value is shown within the record or the list that it belongs to.
func (v *jsonValue) simple() bool {
	if v.kind == '{' || v.kind == '[' {
		return !v.parted && v.end-v.start <= maxJSONCell
	}
	return v.prose == ""
}

// jsonParser reads values. encoding/json checks them; what it has passed is then divided here, since its tokens cost ten
// times as much.
type jsonParser struct {
	text   string
	values []jsonValue // the outermost ones
	cut    bool        // the rest was damaged, or more than the limits allow

	open  []jsonValue // containers around the next value
	key   *string     // of the next member
	keyAt int
	deep  bool // values are left out for their depth
	below int  // open containers that are too deep to be kept
	nodes int
}

// parse reads all values. Broken JSON gives the values before the damage; where each line has a value, also those of the
// lines after it. The error is ctx's.
func (p *jsonParser) parse(ctx context.Context) error {
	base := 0
	for broken := 0; ; broken++ {
		good, err := p.run(ctx, base)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, io.EOF):
			return nil
		case len(p.values) == 0 && len(p.open) > 0 && (errors.Is(err, io.ErrUnexpectedEOF) || p.nodes > 1000 || tooDeep(err)):
			p.closeAll() // an incomplete value counts as far as it goes
			return nil
		}
		p.cut = p.cut || len(p.values) > 0
		p.open, p.key, p.below = nil, nil, 0
		next := strings.IndexByte(p.text[good:], '\n')
		if len(p.values) == 0 || next < 0 || broken == maxJSONBroken || p.nodes >= maxJSONValues {
			return nil
		}
		base = good + next + 1
	}
}

// run reads values from base on to the end, io.EOF, or the first error, and returns up to where they are good.
func (p *jsonParser) run(ctx context.Context, base int) (good int, err error) {
	d := json.NewDecoder(ctxReader{ctx, bytes.NewReader([]byte(p.text[base:]))})
	good = base
	for {
		var raw json.RawMessage
		err := d.Decode(&raw)
		var syntax *json.SyntaxError
		switch {
		case errors.As(err, &syntax):
			good = min(max(base+int(syntax.Offset)-1, good), len(p.text))
		case errors.Is(err, io.ErrUnexpectedEOF):
			good = len(p.text)
		}
		if err != nil {
			p.divide(base+int(d.InputOffset()), good)
			return good, err
		}
		good = base + int(d.InputOffset())
		if p.divide(good-len(raw), good); p.nodes >= maxJSONValues {
			return good, errTooMuch
		}
	}
}

// divide reads the tokens of a piece that was found to be well-formed, but may end early.
func (p *jsonParser) divide(from, to int) {
	for i := from; i < to && p.nodes < maxJSONValues; {
		switch c := p.text[i]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			i++
		case '{', '[':
			p.begin(c, i)
			i++
		case '}', ']':
			i++
			p.end(i)
		case '"':
			end := i + 1
			for end < to && p.text[end] != '"' {
				if p.text[end] == '\\' {
					end++
				}
				end++
			}
			if end >= to {
				return // cut inside of a string
			}
			p.scalar('"', i, end+1)
			i = end + 1
		default:
			end := i + 1
			for end < to && strings.IndexByte(" \t\r\n,:{}[]\"", p.text[end]) < 0 {
				end++
			}
			if end == to && !json.Valid([]byte(p.text[i:end])) {
				return // the beginning of what is none
			}
			p.scalar(0, i, end)
			i = end
		}
	}
}

func (p *jsonParser) begin(kind byte, at int) {
	if p.below > 0 || len(p.open) == maxJSONDepth {
		p.below++
		p.cut, p.deep = true, true
		return
	}
	v := jsonValue{kind: kind, start: at}
	p.name(&v)
	p.open = append(p.open, v)
}

func (p *jsonParser) end(at int) {
	switch {
	case p.below > 0:
		if p.below--; p.below == 0 {
			p.key = nil
		}
	case len(p.open) > 0:
		p.close(at)
	}
}

// scalar reads a string, a number or a word, which may be the name of a member.
func (p *jsonParser) scalar(kind byte, start, end int) {
	if p.below > 0 {
		return
	}
	s := ""
	if kind == '"' {
		s = unquoteJSON(p.text[start:end])
	}
	if n := len(p.open); kind == '"' && n > 0 && p.open[n-1].kind == '{' && p.key == nil {
		p.key, p.keyAt = &s, start
		return
	}
	v := jsonValue{kind: kind, start: start, end: end}
	p.name(&v)
	if kind == '"' && v.isText(s) {
		v.prose = s
	}
	p.add(v)
}

// name gives a value its name or its number in what holds it.
func (p *jsonParser) name(v *jsonValue) {
	v.keyStart = v.start
	if p.key != nil {
		v.key, v.keyStart, p.key = *p.key, p.keyAt, nil
	}
	if n := len(p.open); n > 0 {
		v.index = p.open[n-1].count
		p.open[n-1].count++
	}
	p.nodes++
}

// close ends the innermost container.
func (p *jsonParser) close(end int) {
	n := len(p.open) - 1
	v := p.open[n]
	p.open = p.open[:n]
	v.end = end
	if v.kind == '{' {
		for i := range v.kids { // they are shown as they are written
			if k := &v.kids[i]; k.simple() {
				k.kids = nil
			}
		}
	}
	p.add(v)
}

// closeAll ends what the damage left open: it counts as far as it goes. A number at the very end may lack digits.
func (p *jsonParser) closeAll() {
	in := &p.open[len(p.open)-1]
	if n := len(in.kids) - 1; n >= 0 && in.kids[n].kind == 0 {
		in.kids = in.kids[:n]
	}
	for n := len(p.open); n > 0; n = len(p.open) {
		p.key, p.below = nil, 0
		p.open[n-1].parted = true
		p.close(len(p.text))
	}
	p.cut = true
}

func (p *jsonParser) add(v jsonValue) {
	n := len(p.open)
	if n == 0 {
		p.values = append(p.values, v)
		return
	}
	in := &p.open[n-1]
	in.parted = in.parted || v.parted || v.prose != ""
	in.kids = append(in.kids, v)
}

// unquote returns what a string says.
func (r *jsonReader) unquote(v *jsonValue) string {
	if v.prose != "" {
		return v.prose
	}
	return unquoteJSON(r.text[v.start:v.end])
}

func unquoteJSON(raw string) string {
	if !strings.Contains(raw, `\`) {
		return raw[1 : len(raw)-1]
	}
	var s string
	if json.Unmarshal([]byte(raw), &s) != nil {
		return ""
	}
	return strings.ToValidUTF8(s, "\ufffd")
}

var jsonString = lazyregexp.New(`"(?:[^"\\]|\\.)*"`)

// show writes a piece of the document on one line, with its escaped characters as what they stand for.
func (r *jsonReader) show(start, end int) string {
	raw := r.text[start:end]
	if strings.Contains(raw, `\`) {
		raw = jsonString.ReplaceAllStringFunc(raw, func(s string) string {
			if !strings.Contains(s, `\`) {
				return s
			}
			return `"` + unquoteJSON(s) + `"`
		})
	}
	return strings.Join(strings.Fields(raw), " ")
}
