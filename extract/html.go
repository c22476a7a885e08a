package extract

import (
	"context"
	"fmt"
	"math"
	"strings"

	"golang.org/x/net/html"

	"ibid/evidence"
)

// readHTML reads a web page: parse, walk the shown text into blocks, then decide which of them are its main content.
func readHTML(ctx context.Context, in Input) (*Page, error) {
	text, charset := decode(in.Body, in.ContentType)
	src, err := parseSource(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", in.URL, err)
	}
	page := &Page{Kind: evidence.HTML, By: "html/2", Charset: charset}
	readMeta(src.root, in.URL, page)
	w := &walker{page: page, src: src, styles: readStyles(src.root, parseDecls), pale: paleTexts(src.root), links: newLinks(in.URL, src.root), scriptless: scriptless(src.root)}
	w.expect(src.lines)
	w.walk(src.root)
	if len(page.Blocks) == 0 && w.hidden > 0 {
		w.walkUnstyled(src.root)
	}
	src.tokens, src.pieces, src.order = nil, nil, nil // much, of a large page, and of no more use
	page.Links = w.links.list
	classify(page, in.URL, w.marks, w.roots, w.nodes)
	if w.hidden > 0 {
		page.flag(FlagHidden)
	}
	if src.cut || w.full {
		page.flag(FlagTruncated)
	}
	if page.Title == "" {
		page.Title = firstHeading(page.Blocks)
	}
	return page, nil
}

// parseSource builds the tree of a page. A page that would break the standard parser, which refuses 512 open elements and
// takes quadratic time and memory on some others, gets the flat one.
func parseSource(ctx context.Context, text string) (*source, error) {
	src := &source{text: withoutMarks(text)}
	if len(src.text) > math.MaxInt32 {
		src.text, src.cut = src.text[:math.MaxInt32], true
	}
	hostile := src.mark()
	var err error
	if !hostile {
		src.root, err = html.ParseWithOptions(&markedReader{ctx: ctx, src: src}, html.ParseOptionEnableScripting(false))
	}
	if hostile || err != nil && ctx.Err() == nil {
		src.root, err = parseFlat(&markedReader{ctx: ctx, src: src})
	}
	if err != nil {
		return nil, err
	}
	src.settle()
	return src, nil
}

// scriptless reports whether a page puts its text into <noscript> and draws it by script, as some forums do: then what
// stands there is what a reader sees. A line that asks for JavaScript is not.
func scriptless(root *html.Node) bool {
	inside, outside := 0, 0
	var count func(n *html.Node, sum *int)
	count = func(n *html.Node, sum *int) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			switch {
			case c.Type == html.TextNode:
				*sum += len(strings.TrimSpace(c.Data))
			case c.Data == "noscript":
				count(c, &inside)
			case c.Type == html.ElementNode && !notShown[c.Data] && c.Data != "nav" && c.Data != "header" && c.Data != "footer":
				count(c, sum)
			}
		}
	}
	count(root, &outside)
	return inside > 500 && inside > 2*outside
}

func firstHeading(blocks []Block) string {
	for _, b := range blocks {
		if b.Role == evidence.RoleHeading && b.Main {
			return b.Text
		}
	}
	for _, b := range blocks {
		if b.Role == evidence.RoleHeading {
			return b.Text
		}
	}
	return ""
}
