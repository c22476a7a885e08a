package extract

import (
	"context"
	"strings"

	"ibid/evidence"
)

// htmlBlocks reads a piece of HTML that another document holds: a mail, an entry of a feed, a cell of a notebook. All of
// it is main content there. Its links are added to those of the document. hidden says that it holds text that nobody sees.
func htmlBlocks(ctx context.Context, markup string, links *links) (blocks []Block, hidden bool) {
	page, err := readHTML(ctx, Input{URL: links.base.String(), ContentType: "text/html; charset=utf-8", Body: []byte(markup)})
	if err != nil {
		return nil, false // the reader of the whole document sees the same context
	}
	for _, l := range page.Links {
		if k := links.add(l.URL); k >= 0 && links.list[k].Text == "" {
			links.list[k].Text = l.Text
		}
	}
	for i := range page.Blocks {
		b := &page.Blocks[i]
		b.Main, b.Quotable = true, b.LinkText <= 0.5 || b.Role == evidence.RoleRow
		b.Start, b.End = 0, 0 // they would be those of the piece
		b.Path = strings.TrimPrefix(b.Path, "/html/body")
	}
	for _, f := range page.Flags {
		hidden = hidden || f == FlagHidden
	}
	return page.Blocks, hidden
}

// markdownBlocks reads a piece of Markdown that another document holds. heading is the nearest heading above it.
func markdownBlocks(ctx context.Context, source string, links *links, heading string) (blocks []Block, hidden bool) {
	page := &Page{}
	m := &mdReader{ctx: ctx, page: page, source: []byte(source), links: links, line: 1, offset: -1}
	m.headings[0] = heading
	m.read()
	return page.Blocks, len(page.Flags) > 0
}
