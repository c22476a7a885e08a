package extract

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"ibid/evidence"
)

const (
	maxJSONCell  = 400  // bytes of a value that is shown within the record it belongs to
	maxJSONArray = 3000 // bytes of a list of simple values that is one block
	maxPointer   = 1024 // bytes of a pointer, as evidence has it
)

// readJSON reads data in JSON, also one value a line. Where people look for it, at its JSON pointer (RFC 6901):
//
//   - a text (a string that reads as a sentence or more) is a block;
//   - the other simple members of an object are one block, like the row of a table: each with its name, as they are
//     written, numbers digit by digit; those of the outermost object are a block each, which has no pointer itself;
//   - a list of simple values is one block. Long lists of numbers are left out: nobody reads them.
//
// What is not JSON after all, such as settings with comments, is read by its lines.
func readJSON(ctx context.Context, in Input) (*Page, error) {
	text, charset := decode(in.Body, in.ContentType)
	p := jsonParser{text: text}
	if err := p.parse(ctx); err != nil {
		return nil, err
	}
	if len(p.values) == 0 {
		return readSource(in), nil
	}
	page := &Page{Kind: evidence.Data, By: "json/1", Charset: charset}
	r := &jsonReader{page: page, text: text, links: newLinks(in.URL, nil), ctx: ctx}
	ext := extension(in.URL)
	if root := &p.values[0]; len(p.values) == 1 && ext != ".jsonl" && ext != ".ndjson" {
		r.fields(root)
		r.value(root, "", page.Title)
	} else {
		line, at := 1, 0
		for i := range p.values {
			v := &p.values[i]
			line += strings.Count(text[at:v.start], "\n")
			at, r.line = v.start, line
			r.value(v, "/"+strconv.Itoa(i), "")
		}
	}
	if p.cut || r.cut {
		page.flag(FlagTruncated)
	}
	if p.deep && len(page.Blocks) == 0 {
		return nil, &Unreadable{URL: in.URL, Reason: TooLarge, Detail: fmt.Sprintf("its values stand more than %d deep inside of each other", maxJSONDepth)}
	}
	page.Links = r.links.list
	page.Title = first(page.Title, baseName(in.URL))
	return page, nil
}

// jsonReader turns values into blocks.
type jsonReader struct {
	ctx   context.Context
	page  *Page
	text  string
	links *links
	line  int // of the file, where each has its own value; 0 otherwise
	cut   bool
}

// value reads a value at its pointer, "" for the outermost one.
func (r *jsonReader) value(v *jsonValue, pointer, heading string) {
	if len(pointer) > maxPointer {
		r.cut = true
		return
	}
	switch v.kind {
	case '{':
		r.object(v, pointer, heading)
	case '[':
		r.array(v, pointer, heading)
	default:
		if v.prose == "" {
			r.block(v, pointer, r.show(v.start, v.end), heading, evidence.RoleRow)
			return
		}
		r.prose(v, pointer, heading)
	}
}

// object reads an object: its simple members together, then the others one by one.
func (r *jsonReader) object(v *jsonValue, pointer, heading string) {
	last := make(map[string]int, len(v.kids)) // of members of the same name the last one counts
	for i, k := range v.kids {
		last[k.key] = i
	}
	own := heading
	var cells []string
	for i := range v.kids {
		k := &v.kids[i]
		if last[k.key] != i {
			continue
		}
		if k.kind == '"' {
			s := r.unquote(k)
			switch {
			case isWebAddress(s):
				if n := r.links.add(s); n >= 0 && r.links.list[n].Text == "" {
					r.links.list[n].Text = clip(first(own, k.key), 200)
				}
			case titles[strings.ToLower(k.key)] && own == heading && s != "":
				own = oneLine(s, 300)
			}
		}
		if k.simple() && pointer != "" {
			cells = append(cells, r.show(k.keyStart, k.end))
		}
	}
	if len(cells) > 0 {
		r.block(v, pointer, strings.Join(cells, " | "), heading, evidence.RoleRow)
	}
	for i := range v.kids {
		switch k := &v.kids[i]; {
		case last[k.key] != i:
		case !k.simple():
			r.value(k, pointer+"/"+escapePointer(k.key), first(own, k.key))
		case pointer == "":
			r.block(k, "/"+escapePointer(k.key), r.show(k.keyStart, k.end), own, evidence.RoleRow)
		}
	}
}

var titles = set("title name headline label heading subject")

// array reads a list: its simple values together, then the others one by one.
func (r *jsonReader) array(v *jsonValue, pointer, heading string) {
	plain, size, numbers := 0, 0, true
	if slices.ContainsFunc(v.kids, func(k jsonValue) bool { return k.prose != "" }) { // then short ones are texts as well
		for i := range v.kids {
			if k := &v.kids[i]; k.kind == '"' {
				k.prose = r.unquote(k)
			}
		}
	}
	for i := range v.kids {
		if k := &v.kids[i]; k.simple() && k.kind != '{' {
			plain++
			size += k.end - k.start
			numbers = numbers && k.kind != '"'
		}
	}
	together := pointer != "" && size <= maxJSONArray
	if together && plain > 0 {
		var cells []string
		for i := range v.kids {
			if k := &v.kids[i]; k.simple() && k.kind != '{' {
				cells = append(cells, r.show(k.start, k.end))
			}
		}
		r.block(v, pointer, strings.Join(cells, " | "), heading, evidence.RoleRow)
	}
	for i := range v.kids {
		k := &v.kids[i]
		if k.simple() && k.kind != '{' && (together || numbers && size > maxJSONArray) {
			continue
		}
		r.value(k, pointer+"/"+strconv.Itoa(k.index), heading)
	}
}

// prose reads a text, of a page's markup what it shows.
func (r *jsonReader) prose(v *jsonValue, pointer, heading string) {
	text, role := v.prose, evidence.RoleText
	if strings.Contains(text, "</") && tag.MatchString(text) {
		shown, hidden := htmlBlocks(r.ctx, text, r.links)
		var b strings.Builder
		for i := range shown {
			b.WriteString(shown[i].Text + "\n")
		}
		text = strings.TrimSpace(b.String())
		if hidden {
			r.page.flag(FlagHidden)
		}
	}
	r.block(v, pointer, trimLines(strings.ReplaceAll(text, "\r\n", "\n")), heading, role)
}

func (r *jsonReader) block(v *jsonValue, pointer, text, heading string, role evidence.Role) {
	at := evidence.Locator{Unit: evidence.Pointer, Path: pointer}
	if !visible(text) {
		return
	}
	if !at.Valid() || len(r.page.Blocks) == maxBlocks {
		r.cut = true
		return
	}
	b := Block{Locator: at, Text: text, Role: role, Heading: heading, Main: true, Quotable: true, Start: v.start, End: v.end}
	if r.line > 0 {
		b.Path = lines(r.line, r.line)
	}
	r.page.Blocks = append(r.page.Blocks, b)
}

// fields reads what the outermost object says of the document.
func (r *jsonReader) fields(root *jsonValue) {
	page := r.page
	for i := range root.kids {
		k := &root.kids[i]
		if k.kind != '"' || root.kind != '{' {
			continue
		}
		switch s := strings.TrimSpace(r.unquote(k)); strings.ToLower(k.key) {
		case "title", "name", "headline":
			state(page, &page.Title, "/"+k.key, oneLine(s, 300))
		case "license", "licence":
			state(page, &page.Licence, "/"+k.key, oneLine(s, 300))
		case "doi":
			state(page, &page.DOI, "/"+k.key, doiOf(s))
		case "language", "lang", "inlanguage":
			state(page, &page.Language, "/"+k.key, languageTag(s))
		case "datepublished", "published", "date_published":
			state(page, &page.Published, "/"+k.key, isoDate(s))
		case "datemodified", "modified", "date_modified":
			state(page, &page.Modified, "/"+k.key, isoDate(s))
		case "author":
			state(page, &page.Author, "/"+k.key, oneLine(s, 300))
		}
	}
}

// escapePointer writes a name as part of a pointer.
func escapePointer(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}

// isText reports whether a string reads as a sentence or more: eight words, or as much in a script without spaces.
func (v *jsonValue) isText(s string) bool {
	if isWebAddress(s) {
		return false
	}
	wide, words, inWord := 0, 0, false
	for _, r := range s {
		space := unicode.IsSpace(r)
		if !space && !inWord {
			words++
		}
		if inWord = !space; unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai) {
			wide++
		}
	}
	return words >= 8 || wide >= 16
}
