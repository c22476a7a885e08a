package extract

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"golang.org/x/net/html"

	"ibid/evidence"
)

// readHTML reads a web page: parse, walk the shown text into blocks, then decide which of them are its main content.
func readHTML(ctx context.Context, in Input) (*Page, error) {
	text, charset := decode(in.Body, in.ContentType)
	root, err := parse(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", in.URL, err)
	}
	page := &Page{Kind: evidence.HTML, By: "html/1", Charset: charset}
	readMeta(root, in.URL, page)
	w := &walker{page: page, styles: readStyles(root), links: newLinks(in.URL, root), scriptless: scriptless(root)}
	w.walk(root)
	page.Links = w.links.list
	classify(page, w.marks, w.roots, w.nodes)
	if w.hidden {
		page.flag(FlagHidden)
	}
	if page.Title == "" {
		page.Title = firstHeading(page.Blocks)
	}
	return page, nil
}

// parse builds the tree of a page. A page that would break the standard parser, which refuses 512 open elements and
// takes quadratic time and memory on some others, gets the flat one.
func parse(ctx context.Context, text string) (*html.Node, error) {
	if hostile(text) {
		return parseFlat(ctx, text)
	}
	root, err := html.ParseWithOptions(ctxReader{ctx, bytes.NewReader([]byte(text))}, html.ParseOptionEnableScripting(false))
	if err != nil && ctx.Err() == nil {
		return parseFlat(ctx, text)
	}
	return root, err
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
