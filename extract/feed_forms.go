package extract

import "strings"

// fromXML reads RSS of all versions and Atom. Names in other namespaces count where they are the usual ones: Dublin Core,
// the content and the media modules.
func (f *feed) fromXML(root *xmlNode) {
	head := root
	if channel := root.child("channel"); channel != nil {
		head = channel
	}
	f.feedEntry = xmlEntryOf(head)
	f.language = first(head.child("language").content(), root.lang())
	f.licence = first(linkOf(head, "license"), head.child("license").content(), rights(head.child("rights").content()), rights(head.child("copyright").content()))
	f.self = linkOf(head, "self")
	for _, n := range []*xmlNode{root, head} { // RSS 1.0 has its entries beside the channel
		for _, k := range n.kids {
			if k.name == "item" || k.name == "entry" {
				f.entries = append(f.entries, xmlEntryOf(k))
			}
		}
		if root == head {
			break
		}
	}
}

// rights is a statement of rights that grants any.
func rights(s string) string {
	if low := strings.ToLower(s); strings.Contains(low, "licen") || strings.Contains(low, "creative commons") || strings.Contains(low, "public domain") {
		return s
	}
	return ""
}

// xmlEntryOf reads an entry, or what a feed says of itself in the same words.
func xmlEntryOf(n *xmlNode) (e feedEntry) {
	for _, k := range n.kids {
		media := strings.Contains(k.space, "search.yahoo.com/mrss") || k.space == "media" // what a picture or a film shows
		set := func(w *feedText) {
			if w.text == "" {
				*w = xmlWords(k)
			}
		}
		switch k.name {
		case "title":
			if !media {
				set(&e.title)
			}
		case "description", "summary", "subtitle", "tagline":
			set(&e.summary)
		case "encoded", "content", "body", "div":
			if !media {
				set(&e.content)
			}
		case "link":
			switch rel := k.attr("rel"); {
			case rel == "" || rel == "alternate":
				e.link = first(e.link, k.attr("href"), k.content())
			case rel == "enclosure" || rel == "related" || rel == "via":
				e.links = append(e.links, k.attr("href"))
			}
		case "enclosure":
			e.links = append(e.links, k.attr("url"))
		case "guid", "id":
			if e.link == "" && k.attr("isPermaLink") != "false" && isWebAddress(k.content()) {
				e.link = k.content()
			}
		case "pubDate", "published", "issued", "date", "created":
			e.published = first(e.published, k.content())
		case "updated", "modified", "lastBuildDate":
			e.updated = first(e.updated, k.content())
		case "author", "creator", "contributor":
			if name := first(k.child("name").content(), k.content()); name != "" && k.name != "contributor" {
				e.authors = append(e.authors, oneLine(name, 200))
			}
		}
	}
	return e
}

// xmlWords is the text of an element: in RSS it is escaped markup or plain text, in Atom it says what it is.
func xmlWords(n *xmlNode) feedText {
	kind := strings.ToLower(n.attr("type"))
	if all, _ := n.elements(); all > 0 { // markup that is not escaped
		var b strings.Builder
		n.markup(&b)
		return feedText{b.String(), true}
	}
	var b strings.Builder
	n.write(&b)
	return feedText{strings.TrimSpace(b.String()), !(kind == "text" || kind == "text/plain")}
}

// linkOf returns where a feed's link of a relation leads.
func linkOf(n *xmlNode, rel string) string {
	for _, k := range n.kids {
		if k.name == "link" && k.attr("rel") == rel {
			return k.attr("href")
		}
	}
	return ""
}

// jsonFeed is a JSON Feed, version 1.1 or 1.0.
type jsonFeed struct {
	Title       string       `json:"title"`
	Description string       `json:"description"`
	HomePage    string       `json:"home_page_url"`
	FeedURL     string       `json:"feed_url"`
	Language    string       `json:"language"`
	Authors     []jsonAuthor `json:"authors"`
	Author      jsonAuthor   `json:"author"`
	Items       []struct {
		URL         string       `json:"url"`
		External    string       `json:"external_url"`
		Title       string       `json:"title"`
		HTML        string       `json:"content_html"`
		Text        string       `json:"content_text"`
		Summary     string       `json:"summary"`
		Published   string       `json:"date_published"`
		Modified    string       `json:"date_modified"`
		Authors     []jsonAuthor `json:"authors"`
		Author      jsonAuthor   `json:"author"`
		Attachments []struct {
			URL string `json:"url"`
		} `json:"attachments"`
	} `json:"items"`
}

type jsonAuthor struct {
	Name string `json:"name"`
}

func (f *feed) fromJSON() {
	j := &f.json
	f.title, f.summary = feedText{j.Title, false}, feedText{j.Description, false}
	f.link, f.self, f.language = j.HomePage, j.FeedURL, j.Language
	f.authors = names(append(j.Authors, j.Author))
	for _, i := range j.Items {
		e := feedEntry{title: feedText{i.Title, false}, summary: feedText{i.Summary, false}, content: feedText{i.HTML, true}, link: i.URL,
			links: []string{i.External}, published: i.Published, updated: i.Modified, authors: names(append(i.Authors, i.Author))}
		if i.HTML == "" {
			e.content = feedText{i.Text, false}
		}
		for _, a := range i.Attachments {
			e.links = append(e.links, a.URL)
		}
		f.entries = append(f.entries, e)
	}
}

func names(list []jsonAuthor) (all []string) {
	for _, a := range list {
		if a.Name != "" {
			all = append(all, oneLine(a.Name, 200))
		}
	}
	return all
}
