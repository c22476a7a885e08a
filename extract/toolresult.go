package extract

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"ibid/evidence"
)

// ToolScheme begins the URL of what a tool of an MCP server answered: mcp://server/tool?arguments=…&result=…, with hashes of both
const ToolScheme = "mcp://"

// Limits of a tool's result.
const (
	maxToolParts = 1000
	maxToolLine  = 8000 // bytes of a line that are read
	maxToolBlock = 2000 // bytes of lines after which a block ends
)

// A ToolResult is what a tool of an MCP server answered: a CallToolResult, taken apart.
type ToolResult struct {
	IsError    bool            // the tool says that it failed, whatever else it says
	Structured json.RawMessage // nil: there is none
	Parts      []ToolPart      // of its content, in order
}

// A ToolPart is one block of content. What is no text is only named.
type ToolPart struct {
	At   string // where its text stands in the result: content/0/text
	Type string // text, image, audio, resource, resource_link, or what the server made up
	Text string
	URI  string // of a resource
	Name string
	MIME string
	Size int // bytes of base64, where that is what it holds
}

// ParseToolResult takes a CallToolResult apart. Lists that are null are empty, and parts of unknown kinds are kept by name.
func ParseToolResult(raw []byte) (ToolResult, error) {
	var r ToolResult
	var fields map[string]json.RawMessage // exact names; of two the last one counts
	if err := json.Unmarshal(raw, &fields); err != nil || fields == nil {
		return r, fmt.Errorf("it is no JSON object")
	}
	if s := bytes.TrimSpace(fields["structuredContent"]); len(s) > 0 && string(s) != "null" {
		r.Structured = s
	}
	r.IsError = string(bytes.TrimSpace(fields["isError"])) == "true"
	var content []json.RawMessage
	if c := fields["content"]; len(c) > 0 && json.Unmarshal(c, &content) != nil {
		return r, fmt.Errorf("its content is no list")
	}
	for i, c := range content[:min(len(content), maxToolParts)] {
		r.Parts = append(r.Parts, toolPart(i, c))
	}
	return r, nil
}

func toolPart(i int, raw json.RawMessage) ToolPart {
	part := ToolPart{At: fmt.Sprintf("content/%d", i), Type: "something unknown"}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return part
	}
	text := func(fields map[string]json.RawMessage, name string) (s string) {
		if json.Unmarshal(fields[name], &s) != nil {
			return ""
		}
		return strings.ToValidUTF8(s, "\ufffd")
	}
	if s := text(fields, "type"); s != "" {
		part.Type = s
	}
	inside := fields
	if part.Type == "resource" {
		inside = nil
		if json.Unmarshal(fields["resource"], &inside) != nil {
			return part
		}
		part.At += "/resource"
		part.Size = len(text(inside, "blob"))
	}
	part.URI, part.Name, part.MIME = text(inside, "uri"), text(inside, "name"), text(inside, "mimeType")
	switch part.Type {
	case "text", "resource":
		part.Text = text(inside, "text")
		part.At += "/text"
	case "image", "audio":
		part.Size = len(text(inside, "data"))
	}
	return part
}

// readToolResult reads what a tool answered: its structured content at JSON pointers into the result, and its texts, by
// their lines, or at JSON pointers where a text is JSON. A text that only repeats the structured content is left out. What is
// no text is not read.
func readToolResult(ctx context.Context, in Input) (*Page, error) {
	result, err := ParseToolResult(in.Body)
	if err != nil {
		return nil, &Unreadable{URL: in.URL, Reason: Damaged, Detail: "it is no result of a tool: " + err.Error(), Err: err}
	}
	page := &Page{Kind: evidence.MCP, By: "mcp/1"}
	links := newLinks("", nil)
	if result.Structured != nil {
		start := max(bytes.Index(in.Body, result.Structured), 0)
		if _, err := readToolJSON(ctx, page, links, string(result.Structured), "/structuredContent", start); err != nil {
			return nil, err
		}
	}
	said := toolStrings(result.Structured)
	for _, p := range result.Parts {
		if p.Type == "resource_link" {
			if n := links.add(p.URI); n >= 0 && links.list[n].Text == "" {
				links.list[n].Text = p.Name
			}
		}
		if p.Text == "" || said[strings.TrimSpace(p.Text)] || repeats(p.Text, result.Structured) {
			continue
		}
		if isJSONContainer(p.Text) {
			read, err := readToolJSON(ctx, page, links, p.Text, "/"+p.At, -1)
			if err != nil {
				return nil, err
			}
			if read {
				continue
			}
		}
		page.readToolLines(p.At, p.Text)
	}
	if len(page.Blocks) > maxBlocks {
		page.Blocks = page.Blocks[:maxBlocks]
		page.flag(FlagTruncated)
	}
	page.Links = links.list
	return page, nil
}

// readToolJSON reads JSON that begins at a byte of the document, or at none that is known (-1). It says whether that gave
// anything to read.
func readToolJSON(ctx context.Context, page *Page, links *links, text, pointer string, start int) (bool, error) {
	p := jsonParser{text: text}
	if err := p.parse(ctx); err != nil {
		return false, err
	}
	if len(p.values) != 1 {
		return false, nil
	}
	first := len(page.Blocks)
	r := &jsonReader{page: page, text: text, links: links, ctx: ctx}
	r.value(&p.values[0], pointer, "")
	for i := first; i < len(page.Blocks); i++ {
		if b := &page.Blocks[i]; start >= 0 {
			b.Start, b.End = b.Start+start, b.End+start
		} else {
			b.Start, b.End = 0, 0
		}
	}
	if p.cut || r.cut {
		page.flag(FlagTruncated)
	}
	return len(page.Blocks) > first, nil
}

// readToolLines appends a text in windows of up to twenty lines. Of a very long line the beginning is read.
func (p *Page) readToolLines(name, text string) {
	lines := strings.Split(text, "\n")
	for from := 0; from < len(lines) && len(p.Blocks) <= maxBlocks; {
		var shown []string
		to := from
		for size := 0; to < len(lines) && to-from < linesPerBlock && (size == 0 || size+len(lines[to]) <= maxToolBlock); to++ {
			line := strings.TrimSuffix(lines[to], "\r")
			if len(line) > maxToolLine {
				line = line[:cutAt(line, maxToolLine)]
				p.flag(FlagTruncated)
			}
			size += len(line) + 1
			shown = append(shown, line)
		}
		if text := strings.TrimRight(strings.Join(shown, "\n"), "\n"); visible(text) {
			p.Blocks = append(p.Blocks, Block{Text: text, Main: true, Quotable: true,
				Locator: evidence.Locator{Unit: evidence.Lines, Path: name, A: from + 1, B: to}})
		}
		from = to
	}
}

// cutAt is the last beginning of a character up to n.
func cutAt(s string, n int) int {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

func isJSONContainer(s string) bool {
	s = strings.TrimSpace(s)
	return len(s) > 1 && (s[0] == '{' || s[0] == '[') && json.Valid([]byte(s))
}

// repeats says whether a text is the JSON of a value, in whatever order and spacing.
func repeats(text string, value json.RawMessage) bool {
	return value != nil && isJSONContainer(text) && reflect.DeepEqual(exactly([]byte(text)), exactly(value))
}

// exactly is a JSON value with numbers as they are written.
func exactly(raw []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return strconv.Quote(string(raw))
	}
	return v
}

// toolStrings are the strings that stand in a value: servers give them again as text.
func toolStrings(raw json.RawMessage) map[string]bool {
	said := map[string]bool{}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			said[strings.TrimSpace(v)] = true
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	if raw != nil {
		walk(exactly(raw))
	}
	return said
}
