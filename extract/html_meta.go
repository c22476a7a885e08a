package extract

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"golang.org/x/net/html"
)

// readMeta reads what a page says about itself (EXTRACT-6). Where several places say it, the earlier one in these lists
// wins: the forms made for machines, then the older ones.
func readMeta(root *html.Node, pageURL string, page *Page) {
	meta, links := map[string]string{}, newLinks(pageURL, root)
	var title, canonical, lang, dated string
	var ld jsonLD
	for n := range root.Descendants() {
		if n.Type == html.CommentNode && n.PrevSibling == nil && strings.HasPrefix(n.Data, "{") { // as in the documents of Go
			var front struct{ Title string }
			if json.Unmarshal([]byte(n.Data), &front) == nil {
				title = first(title, front.Title)
			}
		}
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "html":
			lang = first(lang, attr(n, "lang"), attr(n, "xml:lang"))
		case "title":
			if title == "" && (n.Parent == nil || n.Parent.Data != "svg") {
				title = textOf(n)
			}
		case "meta":
			key := strings.ToLower(first(attr(n, "property"), attr(n, "name"), attr(n, "itemprop"), attr(n, "http-equiv")))
			if v := strings.TrimSpace(attr(n, "content")); v != "" && meta[key] == "" {
				meta[key] = v
			}
		case "link":
			if canonical == "" && strings.EqualFold(attr(n, "rel"), "canonical") {
				canonical = links.resolve(attr(n, "href"))
			}
		case "time":
			if dated == "" && (hasAttr(n, "pubdate") || attr(n, "itemprop") == "datePublished") {
				dated = attr(n, "datetime")
			}
		case "script":
			if strings.EqualFold(attr(n, "type"), "application/ld+json") && n.FirstChild != nil {
				ld.read(n.FirstChild.Data)
			}
		}
	}
	page.Title = oneLine(first(meta["og:title"], title, ld.headline), 300)
	page.Author = oneLine(first(meta["author"], notURL(meta["article:author"]), meta["dc.creator"], meta["citation_author"], ld.author), 200)
	page.Publisher = oneLine(first(meta["og:site_name"], ld.publisher, meta["dc.publisher"], meta["application-name"]), 200)
	page.Published = isoDate(meta["article:published_time"], ld.published, meta["datepublished"], meta["citation_publication_date"],
		meta["dc.date"], meta["dcterms.created"], meta["date"], dated)
	page.Language = languageTag(first(lang, meta["content-language"], strings.ReplaceAll(meta["og:locale"], "_", "-"), ld.language))
	page.Canonical = first(canonical, links.resolve(meta["og:url"]))
}

func first(values ...string) string {
	for _, v := range values {
		if v = strings.TrimSpace(v); v != "" {
			return v
		}
	}
	return ""
}

func notURL(s string) string {
	if strings.Contains(s, "://") {
		return ""
	}
	return s
}

// oneLine collapses white space and shortens to n bytes.
func oneLine(s string, n int) string {
	return clip(strings.ToValidUTF8(strings.Join(strings.Fields(s), " "), "\ufffd"), n)
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

var datePattern = regexp.MustCompile(`^(\d{4})[-/](\d{1,2})(?:[-/](\d{1,2}))?(?:\D|$)`)

// isoDate returns the first value that is a date, as YYYY-MM-DD or YYYY-MM. It reads no prose: a wrong date is worse
// than none.
func isoDate(values ...string) string {
	for _, v := range values {
		m := datePattern.FindStringSubmatch(strings.TrimSpace(v))
		if m == nil {
			continue
		}
		month, day := "0"+m[2], "0"+m[3]
		if m[3] == "" {
			day = "01"
		}
		date := m[1] + "-" + month[len(month)-2:] + "-" + day[len(day)-2:]
		if _, err := time.Parse(time.DateOnly, date); err != nil {
			continue
		}
		if m[3] == "" {
			return date[:7]
		}
		return date
	}
	return ""
}

var languagePattern = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)

// languageTag returns a well-formed BCP 47 tag, else "".
func languageTag(s string) string {
	s, _, _ = strings.Cut(s, ",")
	if s = strings.TrimSpace(s); languagePattern.MatchString(s) {
		return s
	}
	return ""
}

// jsonLD is what schema.org blocks say about the page.
type jsonLD struct{ headline, author, publisher, published, language string }

func (ld *jsonLD) read(script string) {
	if len(script) > 512<<10 {
		return
	}
	var v any
	if json.Unmarshal([]byte(script), &v) == nil {
		ld.visit(v, 0)
	}
}

// visit looks for the thing that has a headline, in lists and graphs.
func (ld *jsonLD) visit(v any, depth int) {
	if depth > 4 {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			ld.visit(e, depth+1)
		}
	case map[string]any:
		if s, ok := v["headline"].(string); ok && ld.headline == "" {
			ld.headline, ld.author, ld.publisher = s, name(v["author"]), name(v["publisher"])
			ld.published, _ = v["datePublished"].(string)
			ld.language, _ = v["inLanguage"].(string)
		}
		ld.visit(v["@graph"], depth+1)
		ld.visit(v["mainEntity"], depth+1)
	}
}

// name returns the name of a person or an organisation, or of the first of several.
func name(v any) string {
	switch v := v.(type) {
	case string:
		return notURL(v)
	case map[string]any:
		s, _ := v["name"].(string)
		return s
	case []any:
		if len(v) > 0 {
			if _, nested := v[0].([]any); !nested {
				return name(v[0])
			}
		}
	}
	return ""
}
