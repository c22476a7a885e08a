package audit

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

// findSources finds the list of sources: the last section that is named exactly Sources, if it holds nothing but lists.
func (w *walker) findSources(root ast.Node) {
	w.sourceLists = map[ast.Node]bool{}
	for n := root.LastChild(); n != nil; n = n.PreviousSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			continue
		}
		var p prose
		p.read(h, w.src, part{})
		if strings.TrimSpace(string(p.text)) != "Sources" {
			continue
		}
		w.headed = true
		var lists []ast.Node
	section:
		for c := h.NextSibling(); c != nil; c = c.NextSibling() {
			switch c := c.(type) {
			case *ast.List:
				lists = append(lists, c)
			case *east.FootnoteList:
			case *ast.Heading:
				if c.Level > h.Level {
					return
				}
				break section
			case *ast.ThematicBreak:
				break section
			default:
				return
			}
		}
		for _, l := range lists {
			w.sourceLists[l] = true
		}
		w.listed = len(lists) > 0
		return
	}
}

// inSources reports whether n is the text of an entry of the list of sources.
func (w *walker) inSources(n ast.Node) bool {
	it := n.Parent()
	if it == nil || it.Kind() != ast.KindListItem || it.ChildCount() != 1 {
		return false
	}
	return w.sourceLists[it.Parent()]
}

var (
	entryID   = lazyregexp.New(`^\W{0,2}(S[1-9][0-9]{0,8})\b`)
	entryHash = lazyregexp.New(`(?i)(?:sha-?256)[\s:]*([0-9a-f]{6,64})\b|\b([0-9a-f]{10,64})\b`)
	entryTime = lazyregexp.New(`\b[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2})?Z?)?\b`)
)

// entryWords are all that an entry may hold besides what it quotes from the record.
var entryWords = set(`read cited not but and fetched on at sha256 sha-256 hash kind utc by author publisher published in from seen accessed retrieved`)

// checkSources holds the list of sources against the record, both ways.
func (c *checker) checkSources(doc *document) {
	listed := map[string]bool{}
	c.carded = c.rec.Cards == CardsRequired
	for _, b := range doc.blocks {
		c.carded = c.carded || b.sources && b.namesClass()
	}
	for _, b := range doc.blocks {
		if b.sources {
			c.checkEntry(b, listed)
		}
	}
	c.checkEmpty(doc, listed)
	for _, s := range c.rec.Sources {
		if c.usedID[s.ID] && !listed[s.ID] {
			f := Failure{Code: SourceList, Text: s.ID, Message: fmt.Sprintf("%s is cited and not in the list of sources.", s.ID)}
			if !doc.listed {
				f.Message = "The report has no list of sources: a last section named Sources that holds nothing but list items."
				f.Text = ""
				c.fail(f)
				return
			}
			c.fail(f)
		}
	}
}

// checkEmpty refuses a report in which nothing can be checked: it claims nothing, and does not even list what its run read.
// Where the run read nothing, the heading of the list is enough.
func (c *checker) checkEmpty(doc *document, listed map[string]bool) {
	read := slices.ContainsFunc(c.rec.Sources, func(s evidence.Source) bool { return !s.Fetched.IsZero() })
	if c.claims > 0 || len(listed) > 0 || !read && doc.headed {
		return
	}
	c.fail(Failure{Code: Empty, Message: "There is no claim in this report and no list of the sources that its run read, so there is nothing to check. Is it the right file?"})
}

// checkEntry holds one entry against the record of its source.
func (c *checker) checkEntry(b *block, listed map[string]bool) {
	whole := Range{0, len(b.text)}
	wrong := func(format string, args ...any) {
		c.failAt(b, whole, Failure{Code: SourceList, Message: fmt.Sprintf(format, args...)})
	}
	text := strings.Join(strings.Fields(string(b.text)), " ")
	m := entryID.FindStringSubmatch(text)
	if m == nil {
		wrong("An entry of the list of sources begins with the id of a source, as in **S1**.")
		return
	}
	id := m[1]
	src := c.sources[id]
	switch {
	case src == nil:
		wrong("%s is listed and is no source of this run.", id)
		return
	case listed[id]:
		wrong("%s is listed twice.", id)
		return
	case src.Fetched.IsZero():
		c.failAt(b, whole, Failure{Code: NotFetched, Message: fmt.Sprintf("%s is listed as a source, but was never read.", id)})
	}
	listed[id] = true
	for _, l := range b.links {
		if l.image || l.title != "" {
			wrong("The entry of %s has a picture or a link title, which do not belong there.", id)
		}
		if l.dest != src.URL && l.dest != ShownURL(src.URL) {
			wrong("The list gives %s the address %s; it was read at %s.", id, clip(l.dest), src.URL)
		}
	}
	if len(b.links) == 0 && src.URL != "" && !strings.Contains(text, ShownURL(src.URL)) {
		wrong("The entry of %s does not say where it was read: %s.", id, src.URL)
	}
	rest := " " + text[len(m[0]):] + " "
	if title := Shown(src.Title); title != "" {
		if at := strings.Index(rest, title); at >= 0 && at <= 6 {
			rest = rest[:at] + " " + rest[at+len(title):]
		} else {
			wrong("The list gives %s another title than it has: %q.", id, clip(title))
		}
	}
	c.checkEntryRest(b, src, rest, wrong)
}

// checkEntryRest judges what an entry says after id and title: hash, time, kind, who made the source and when, and
// whether it is cited.
func (c *checker) checkEntryRest(b *block, src *evidence.Source, rest string, wrong func(string, ...any)) {
	for _, phrase := range Imprint(*src) {
		rest = strings.Replace(rest, " "+phrase, " ", 1)
	}
	for _, l := range b.links {
		if l.Start < l.End {
			rest = strings.ReplaceAll(rest, string(b.text[l.Start:l.End]), " ")
		}
	}
	if src.URL != "" {
		rest = strings.ReplaceAll(rest, ShownURL(src.URL), " ")
	}
	low := strings.ToLower(rest)
	hash := entryHash.FindStringSubmatch(low)
	switch {
	case hash == nil:
		wrong("The entry of %s does not say its hash: sha256 %.12s.", src.ID, src.SHA256)
	case !strings.HasPrefix(strings.ToLower(src.SHA256), hash[1]+hash[2]) || len(hash[1]+hash[2]) < 8:
		wrong("The list gives %s the hash %s; it is %.12s.", src.ID, hash[1]+hash[2], src.SHA256)
	}
	low = entryHash.ReplaceAllString(low, " ")
	times := entryTime.FindAllString(strings.ToUpper(low), -1)
	ok := false
	for _, t := range times {
		if sameTime(src.Fetched, t) {
			ok = true
		} else if t != src.Published {
			wrong("The list gives %s the time %s; it was read at %s.", src.ID, t, src.Fetched.UTC().Format("2006-01-02T15:04:05Z"))
			ok = true // said
		}
	}
	if !ok {
		wrong("The entry of %s does not say when it was read.", src.ID)
	}
	low = strings.ToLower(entryTime.ReplaceAllString(strings.ToUpper(low), " "))
	kind := false
	for _, known := range []string{src.Publisher, src.Author} {
		if known != "" {
			low = without(low, strings.ToLower(known))
		}
	}
	var standing []string
	for _, w := range words(low) {
		switch {
		case w == string(src.Kind):
			kind = true
		case isStanding(w):
			standing = append(standing, w)
		case !entryWords[w]:
			wrong("The entry of %s says %q, which is not in its record.", src.ID, w)
			return
		}
	}
	if !kind {
		wrong("The entry of %s does not say its kind, %s.", src.ID, src.Kind)
	}
	c.checkEntryCard(src, standing, wrong)
	marked := strings.Contains(low, "not cited")
	switch {
	case marked && c.usedID[src.ID]:
		wrong("The list says that %s is not cited, and it is.", src.ID)
	case !marked && citedWord.MatchString(low) && !c.usedID[src.ID]:
		wrong("The list says that %s is cited, and it is not.", src.ID)
	}
}

// without takes a name out of a text where it stands by itself.
func without(text, name string) string {
	inside := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
	for at := 0; ; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return text
		}
		i += at
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(name):])
		if at = i + 1; !inside(before) && !inside(after) {
			text = text[:i] + " " + text[i+len(name):]
		}
	}
}

var citedWord = lazyregexp.New(`\bcited\b`)
