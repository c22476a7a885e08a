package extract

import (
	"context"
	"encoding/json"
	"strings"

	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

// nbText is a text of a notebook: a string, or a list of its lines.
type nbText string

func (t *nbText) UnmarshalJSON(b []byte) error {
	var lines []string
	var s string
	switch {
	case json.Unmarshal(b, &s) == nil:
	case json.Unmarshal(b, &lines) != nil: // no text
	case len(lines) > 1 && !strings.HasSuffix(lines[0], "\n"): // nbformat 2
		s = strings.Join(lines, "\n")
	default:
		s = strings.Join(lines, "")
	}
	*t = nbText(strings.ToValidUTF8(s, "\ufffd"))
	return nil
}

// nbCell is a cell, of nbformat 4 or 3.
type nbCell struct {
	Type    string     `json:"cell_type"`
	Source  nbText     `json:"source"`
	Input   nbText     `json:"input"` // of code, in nbformat 3
	Level   int        `json:"level"` // of a heading, in nbformat 3
	Outputs []nbOutput `json:"outputs"`
}

// nbOutput is what a cell printed.
type nbOutput struct {
	Type      string                     `json:"output_type"`
	Name      string                     `json:"name"`   // of a stream: stdout, stderr
	Stream    string                     `json:"stream"` // likewise, in nbformat 3
	Text      nbText                     `json:"text"`
	HTML      nbText                     `json:"html"` // in nbformat 3
	Data      map[string]json.RawMessage `json:"data"` // by media type
	Error     string                     `json:"ename"`
	Value     string                     `json:"evalue"`
	Traceback []string                   `json:"traceback"`
}

// readNotebook reads a Jupyter notebook: the cells counted from 1 as they are shown, text as Markdown, code as code, and
// what it printed, each at cell.N, or at cell.N.M where a cell has several blocks. Pictures are left out.
func readNotebook(ctx context.Context, in Input) (*Page, error) {
	text, charset := decode(in.Body, in.ContentType)
	var nb struct {
		Cells      []nbCell `json:"cells"`
		Worksheets []struct {
			Cells []nbCell `json:"cells"`
		} `json:"worksheets"`
		Metadata json.RawMessage `json:"metadata"`
	}
	var meta struct {
		Title   string                  `json:"title"`
		Authors []struct{ Name string } `json:"authors"`
	}
	if err := json.Unmarshal([]byte(text), &nb); err != nil || nb.Cells == nil && len(nb.Worksheets) == 0 {
		return readJSON(ctx, in)
	}
	for _, w := range nb.Worksheets {
		nb.Cells = append(nb.Cells, w.Cells...)
	}
	page := &Page{Kind: evidence.Notebook, By: "notebook/2", Charset: charset}
	if json.Unmarshal(nb.Metadata, &meta) != nil { // it is free, and need not be of use
		meta.Title, meta.Authors = "", nil
	}
	state(page, &page.Title, "metadata title", oneLine(meta.Title, 300))
	var names []string
	for _, a := range meta.Authors {
		names = append(names, a.Name)
	}
	state(page, &page.Author, "metadata authors", oneLine(strings.Join(names, "; "), 1000))
	r := &nbReader{ctx: ctx, page: page, links: newLinks(in.URL, nil)}
	for i := range nb.Cells {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r.cell(i+1, &nb.Cells[i])
		if len(page.Blocks) > maxBlocks {
			page.Blocks = page.Blocks[:maxBlocks]
			page.flag(FlagTruncated)
			break
		}
	}
	page.Links = r.links.list
	page.Title = first(page.Title, firstHeading(page.Blocks), baseName(in.URL))
	return page, nil
}

type nbReader struct {
	ctx      context.Context
	page     *Page
	links    *links
	headings [7]string
	blocks   []Block // of the cell
}

// cell reads the n-th cell.
func (r *nbReader) cell(n int, c *nbCell) {
	r.blocks = r.blocks[:0]
	switch source := string(c.Source + c.Input); c.Type {
	case "markdown":
		r.markdown(source)
	case "heading":
		r.markdown(strings.Repeat("#", min(max(c.Level, 1), 6)) + " " + strings.Join(strings.Fields(source), " "))
	case "html":
		r.html(source, "")
	case "code":
		r.code(source, "input")
		for i := range c.Outputs {
			r.output(&c.Outputs[i])
		}
	default:
		r.code(source, "raw")
	}
	for i, b := range r.blocks {
		b.Locator = evidence.Locator{Unit: evidence.Cell, A: n}
		if len(r.blocks) > 1 {
			b.Locator.B = i + 1
		}
		r.page.Blocks = append(r.page.Blocks, b)
	}
}

func (r *nbReader) above() string {
	for i := len(r.headings) - 1; i > 0; i-- {
		if r.headings[i] != "" {
			return r.headings[i]
		}
	}
	return ""
}

func (r *nbReader) markdown(source string) {
	blocks, hidden := markdownBlocks(r.ctx, source, r.links, r.above())
	if hidden {
		r.page.flag(FlagHidden)
	}
	for _, b := range blocks {
		if b.Role == evidence.RoleHeading && b.Level > 0 && b.Level < len(r.headings) {
			r.headings[b.Level] = oneLine(b.Text, 300)
			clear(r.headings[b.Level+1:])
		}
		r.blocks = append(r.blocks, b)
	}
}

func (r *nbReader) html(source, path string) {
	blocks, hidden := htmlBlocks(r.ctx, source, r.links)
	if hidden {
		r.page.flag(FlagHidden)
	}
	for _, b := range blocks {
		b.Path = strings.TrimSpace(path + " " + b.Path)
		b.Heading = first(b.Heading, r.above())
		r.blocks = append(r.blocks, b)
	}
}

// code adds a text that stays as it is.
func (r *nbReader) code(source, path string) {
	for _, piece := range splitPre(trimLines(strings.ReplaceAll(source, "\r\n", "\n"))) {
		if visible(piece) {
			r.blocks = append(r.blocks, Block{Text: piece, Role: evidence.RoleCode, Heading: r.above(), Main: true, Quotable: true, Path: path})
		}
	}
}

// output adds what a cell printed, of several forms the one that reads as text.
func (r *nbReader) output(o *nbOutput) {
	switch o.Type {
	case "stream":
		r.code(printed(string(o.Text)), "output "+first(o.Name, o.Stream, "stdout"))
	case "error", "pyerr":
		said := strings.Join(o.Traceback, "\n")
		if !strings.Contains(said, o.Value) || said == "" {
			said = strings.TrimSpace(said + "\n" + o.Error + ": " + o.Value)
		}
		r.code(printed(said), "output error")
	case "execute_result", "display_data", "pyout":
		form := func(mediaType string, old nbText) string {
			var t nbText
			if raw, ok := o.Data[mediaType]; ok && json.Unmarshal(raw, &t) == nil {
				return string(t)
			}
			return string(old)
		}
		plain, html := form("text/plain", o.Text), form("text/html", o.HTML)
		switch markdown := form("text/markdown", ""); {
		case markdown != "":
			r.markdown(markdown)
		case strings.Contains(html, "<table"):
			r.html(html, "output")
		case plain != "":
			r.code(printed(plain), "output")
		case html != "":
			r.html(html, "output")
		}
	}
}

var escapeCode = lazyregexp.New("\x1b\\[[0-9;?]*[ -/]*[@-~]")

// printed is what is seen of the output of a program: without the codes for colours, and of a line that was written
// over, as a progress bar, what was written last.
func printed(s string) string {
	var b strings.Builder
	for line := range strings.Lines(escapeCode.ReplaceAllString(s, "")) {
		shown := strings.TrimRight(line, "\r\n")
		shown = shown[strings.LastIndexByte(shown, '\r')+1:]
		for _, r := range shown {
			if r >= 0x20 || r == '\t' {
				b.WriteRune(r)
			}
		}
		if strings.HasSuffix(line, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
