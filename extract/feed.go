package extract

import (
	"context"
	"encoding/json"
	"html"
	"strconv"
	"strings"

	"ibid/evidence"
)

// readFeed reads a feed: RSS 0.9 to 2.0, Atom, JSON Feed. What is said of the feed comes first, then each entry: its title
// as a heading, its date and its authors as they are written, its text as a page. An entry that gives its text and a
// summary of it is read in full only.
func readFeed(ctx context.Context, in Input) (*Page, error) {
	text, charset := decode(in.Body, in.ContentType)
	page := &Page{Kind: evidence.Feed, By: "feed/1", Charset: charset}
	r := &feedReader{ctx: ctx, page: page, links: newLinks(in.URL, nil)}
	var f feed
	if strings.HasPrefix(strings.TrimLeft(text, "\ufeff \t\r\n"), "{") {
		if err := json.Unmarshal([]byte(text), &f.json); err != nil {
			return readJSON(ctx, in)
		}
		f.fromJSON()
	} else {
		doc, err := parseXML(ctx, text)
		switch {
		case err != nil:
			return nil, err
		case doc.root == nil:
			return nil, &Unreadable{URL: in.URL, Reason: Damaged, Detail: "it is no feed: no element could be read"}
		}
		f.fromXML(doc.root)
		if doc.cut {
			if n := len(f.entries); n > 0 { // the last one may be cut
				f.entries = f.entries[:n-1]
			}
			page.flag(FlagTruncated)
		}
	}
	r.read(&f)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	page.Links = r.links.list
	page.Title = first(page.Title, baseName(in.URL))
	return page, nil
}

// A feed is what the forms of feeds have in common.
type feed struct {
	feedEntry
	language, licence, self string
	entries                 []feedEntry
	json                    jsonFeed
}

// A feedEntry is one article of a feed. Texts are as they are written, markup or not.
type feedEntry struct {
	title, summary, content feedText
	link                    string
	links                   []string // further ones: enclosures
	published, updated      string
	authors                 []string
}

// A feedText is a text with its form.
type feedText struct {
	text string
	html bool
}

type feedReader struct {
	ctx   context.Context
	page  *Page
	links *links
}

func (r *feedReader) read(f *feed) {
	page := r.page
	title := r.title(f.title)
	state(page, &page.Title, "feed title", oneLine(title, 300))
	state(page, &page.Author, "feed author", clip(strings.Join(f.authors, "; "), 300))
	state(page, &page.Published, "feed date", isoDate(f.published))
	state(page, &page.Modified, "feed date", isoDate(f.updated))
	state(page, &page.Language, "feed language", languageTag(f.language))
	state(page, &page.Licence, "feed rights", oneLine(f.licence, 300))
	if isWebAddress(f.self) {
		state(page, &page.Canonical, "feed link", f.self)
	}
	if title != "" {
		r.add(Block{Text: title, Role: evidence.RoleHeading, Level: 1, Path: "feed"})
	}
	r.link(f.link, title)
	r.body(f.summary, title, "feed")
	for i := range f.entries {
		if r.ctx.Err() != nil || len(page.Blocks) > maxBlocks {
			page.flag(FlagTruncated)
			return
		}
		r.entry(&f.entries[i], title, "entry["+strconv.Itoa(i+1)+"]")
	}
}

// entry reads one entry.
func (r *feedReader) entry(e *feedEntry, feed, path string) {
	title := r.title(e.title)
	r.link(e.link, title)
	for _, l := range e.links {
		r.link(l, "")
	}
	if title != "" {
		r.add(Block{Text: title, Role: evidence.RoleHeading, Level: 2, Heading: oneLine(feed, 300), Path: path + "/title"})
	}
	above := oneLine(first(title, feed), 300)
	if date := first(e.published, e.updated); date != "" {
		r.add(Block{Text: date, Heading: above, Path: path + "/date"})
	}
	if len(e.authors) > 0 {
		r.add(Block{Text: strings.Join(e.authors, ", "), Heading: above, Path: path + "/author"})
	}
	text := e.content
	if strings.TrimSpace(text.text) == "" {
		text = e.summary
	}
	r.body(text, above, path)
}

// body reads a text, as a page where it has markup.
func (r *feedReader) body(w feedText, heading, path string) {
	if w.html && (tag.MatchString(w.text) || charRef.MatchString(w.text)) {
		blocks, hidden := htmlBlocks(r.ctx, w.text, r.links)
		if hidden {
			r.page.flag(FlagHidden)
		}
		for _, b := range blocks {
			b.Heading, b.Path = first(b.Heading, heading), path+b.Path
			if b.Role == evidence.RoleHeading {
				b.Level = min(b.Level+2, 6)
			}
			quotable := b.Quotable
			r.add(b)
			r.page.Blocks[len(r.page.Blocks)-1].Quotable = quotable
		}
		return
	}
	for _, s := range paragraphs(w.text) {
		r.add(Block{Text: strings.Join(strings.Fields(w.text[s.start:s.end]), " "), Heading: heading, Path: path})
	}
}

func (r *feedReader) add(b Block) {
	if b.Text = strings.ToValidUTF8(b.Text, "\ufffd"); !visible(b.Text) {
		return
	}
	b.Main, b.Quotable = true, true
	r.page.add(b)
}

// title is a title on one line, of markup what it shows.
func (r *feedReader) title(w feedText) string {
	if w.html && tag.MatchString(w.text) {
		blocks, _ := htmlBlocks(r.ctx, w.text, r.links)
		var parts []string
		for _, b := range blocks {
			parts = append(parts, b.Text)
		}
		return oneLine(strings.Join(parts, " "), 2000)
	}
	if w.html {
		w.text = html.UnescapeString(w.text)
	}
	return oneLine(w.text, 2000)
}

func (r *feedReader) link(target, text string) {
	if k := r.links.add(target); k >= 0 && r.links.list[k].Text == "" {
		r.links.list[k].Text = clip(text, 200)
	}
}
