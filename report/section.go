package report

import (
	"bytes"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// SetSection writes a generated section at the end of a report: in place of the report's last section, if that has the
// very name, else behind it. An earlier section of the same name is somebody's text and stays. Doing it twice is doing
// it once.
func SetSection(markdown []byte, name string, content []byte) []byte {
	body := markdown
	if at, heading := lastSection(markdown); heading == name {
		body = markdown[:at]
	}
	var b bytes.Buffer
	if body = bytes.TrimRight(body, " \t\r\n"); len(body) > 0 {
		b.Write(body)
		b.WriteString("\n\n")
	}
	b.WriteString("## " + name + "\n\n")
	b.Write(bytes.Trim(content, "\r\n"))
	b.WriteString("\n")
	return b.Bytes()
}

// lastSection is where the line of the last heading begins, and what the heading says. A heading inside a quote, a list
// or code is none.
func lastSection(markdown []byte) (at int, heading string) {
	root := goldmark.DefaultParser().Parse(text.NewReader(markdown))
	for n := root.LastChild(); n != nil; n = n.PreviousSibling() {
		h, ok := n.(*ast.Heading)
		if !ok || h.Lines().Len() == 0 {
			continue
		}
		start := h.Lines().At(0).Start
		at = bytes.LastIndexByte(markdown[:start], '\n') + 1
		return at, string(bytes.TrimSpace(h.Lines().Value(markdown)))
	}
	return len(markdown), ""
}
