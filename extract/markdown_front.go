package extract

import (
	"fmt"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
)

// maxFront is how long a header may be, in bytes.
const maxFront = 16 << 10

// frontMatter reads the header between --- (YAML) or +++ (TOML) lines that many Markdown files begin with, and returns
// the text after it and where that begins.
func frontMatter(doc string, page *Page) (rest string, offset int) {
	line, after, _ := strings.Cut(doc, "\n")
	fence := strings.TrimSpace(line)
	if fence != "---" && fence != "+++" {
		return doc, 0
	}
	at := len(line) + 1
	for l := range strings.Lines(after[:min(len(after), maxFront)]) {
		if end := strings.TrimSpace(l); end == fence || fence == "---" && end == "..." {
			header := doc[len(line)+1 : at]
			fields := yamlFields(header)
			if fence == "+++" {
				fields = tomlFields(header)
			}
			if len(fields) == 0 && strings.TrimSpace(header) != "" {
				return doc, 0 // two rules, and text between them
			}
			page.front(fields)
			return doc[at+len(l):], at + len(l)
		}
		at += len(l)
	}
	return doc, 0
}

// front fills the page's fields from a header.
func (p *Page) front(fields map[string]string) {
	set := func(field *string, value func(string) string, keys ...string) {
		for _, k := range keys {
			state(p, field, "front matter "+k, value(fields[k]))
		}
	}
	text := func(s string) string { return oneLine(s, 300) }
	set(&p.Title, text, "title")
	set(&p.Author, text, "author", "authors", "by")
	set(&p.Publisher, text, "publisher")
	set(&p.Published, dateOf, "date", "published", "pubdate", "publishdate")
	set(&p.Modified, dateOf, "lastmod", "updated", "modified", "last_modified_at")
	set(&p.Language, languageTag, "lang", "language")
	set(&p.DOI, doiOf, "doi")
	set(&p.Licence, text, "license", "licence")
	set(&p.Canonical, func(s string) string {
		if isWebAddress(s) {
			return s
		}
		return ""
	}, "canonical", "canonical_url", "canonicalurl")
}

// yamlFields reads the fields of a header as far as metadata needs them: plain values, and lists of names.
func yamlFields(header string) map[string]string {
	fields := map[string]string{}
	unquote := func(s string) string { return strings.Trim(strings.TrimSpace(s), `"'`) }
	add := func(key, value string) {
		if value = unquote(value); value != "" && fields[key] != "" {
			value = fields[key] + "; " + value
		}
		fields[key] = first(value, fields[key])
	}
	key := ""
	for line := range strings.Lines(header) {
		body := strings.TrimSpace(line)
		item, isItem := strings.CutPrefix(body, "- ")
		name, value, isPair := strings.Cut(item, ":")
		indented := line[0] == ' ' || line[0] == '\t'
		switch {
		case body == "", body[0] == '#':
		case (isItem || indented) && key != "":
			if isPair && strings.TrimSpace(name) == "name" {
				add(key, value)
			} else if !isPair && isItem {
				add(key, item)
			}
		case isPair && !indented && !isItem:
			key = strings.ToLower(strings.TrimSpace(name))
			value = strings.TrimSpace(value)
			if list, ok := strings.CutPrefix(value, "["); ok && strings.HasSuffix(list, "]") {
				for v := range strings.SplitSeq(strings.TrimSuffix(list, "]"), ",") {
					add(key, v)
				}
				continue
			}
			delete(fields, key)
			add(key, strings.TrimLeft(value, "|>"))
		}
	}
	return fields
}

// tomlFields reads a header in TOML. What is broken has no fields.
func tomlFields(header string) map[string]string {
	var all map[string]any
	if _, err := toml.Decode(header, &all); err != nil {
		return nil
	}
	fields := map[string]string{}
	for k, v := range all {
		switch v := v.(type) {
		case string:
			fields[strings.ToLower(k)] = v
		case time.Time:
			fields[strings.ToLower(k)] = v.Format(time.DateOnly)
		case []any:
			var list []string
			for _, e := range v {
				list = append(list, fmt.Sprint(e))
			}
			fields[strings.ToLower(k)] = strings.Join(list, "; ")
		}
	}
	return fields
}
