package foreign

import (
	"bytes"
	"strings"

	"ibid/audit"
	"ibid/internal/lazyregexp"
)

// listNames are what lists of references are called.
var listNames = set(`references reference sources source works_cited work_cited bibliography citations citation endnotes end_notes footnotes notes literature literature_cited cited_literature
	cited_works cited_sources sources_cited reference_list list_of_references list_of_sources source_list references_and_sources sources_and_references references_and_notes notes_and_references
	references_cited bibliographic_references key_sources primary_sources works_consulted sources_consulted source_links links further_reading
	quellen quellenverzeichnis literaturverzeichnis literatur einzelnachweise références sources_citées bibliographie referencias bibliografía fuentes riferimenti bibliografia fonti referências bronnen`)

var (
	numbering = lazyregexp.New(`^[\s#*\d.)ivxIVX]{0,8}[\s.)]+`)
	notWord   = lazyregexp.New(`[^\pL\s_-]+`)
)

// isListName reports whether a line is the heading of a list of references.
func isListName(line string) bool {
	if len(line) > 80 {
		return false
	}
	line = strings.TrimSpace(line)
	for _, t := range []string{line, numbering.ReplaceAllString(line, "")} {
		t = notWord.ReplaceAllString(strings.ToLower(t), " ")
		if listNames[strings.Join(strings.Fields(t), "_")] {
			return true
		}
	}
	return false
}

// An entry is one reference as it stands in a list, a footnote or a definition.
type entry struct {
	label string // 3, ^a, S1, "" where it has none
	text  string
	links []link // Range is of text
	line  int
	kind  EntryKind
	list  int // number of its list
	ids   []string
	cites []mark // of a footnote: what it cites itself
}

// list is a row of blocks that make a list of references.
type list struct {
	blocks []*block
	after  int // the index of the first block behind it
}

// findLists finds the lists of references: what stands under a heading that is called so, where most of it has an address
// or a number, and lines that begin with the number of an entry and hold an address, wherever they stand.
func (d *document) findLists() []list {
	var lists []list
	tries := 0
	for i := 0; i < len(d.blocks); i++ {
		b := d.blocks[i]
		switch {
		case b.kind == heading && isListName(string(b.text)):
			if tries++; tries <= maxTries {
				i = max(i, d.take(&lists, i+1, d.sectionEnd(i+1, b.level)))
			}
		case b.kind == paragraph && isListName(firstLine(b)):
			from := i
			if oneLine(string(b.text)) == oneLine(firstLine(b)) {
				from = i + 1
			}
			if tries++; tries <= maxTries {
				i = max(i, d.take(&lists, from, d.sectionEnd(i+1, 6)))
			}
		case entryLine(b):
			end := i + 1
			for end < len(d.blocks) && entryLine(d.blocks[end]) {
				end++
			}
			i = d.take(&lists, i, end)
		}
	}
	return lists
}

// maxTries is how many sections that are called so are looked at: each may be all that follows.
const maxTries = 200

// sectionEnd is where a section ends that has begun: at the next heading of its level or a higher one, or at a line across the
// page behind its first entry.
func (d *document) sectionEnd(from, level int) int {
	for i := from; i < len(d.blocks); i++ {
		b := d.blocks[i]
		if b.kind == heading && b.level <= level || b.kind == rule && i > from {
			return i
		}
	}
	return len(d.blocks)
}

// firstLine is the first line of a block as it is written.
func firstLine(b *block) string {
	end := len(b.text)
	if len(b.breaks) > 0 {
		end = b.breaks[0]
	}
	line, _, _ := strings.Cut(string(b.text[:end]), "\n")
	return line
}

// take makes a list of the blocks from one to another, if they are one, and returns the index of its last block.
func (d *document) take(lists *[]list, from, to int) int {
	good, all := 0, 0
	for _, b := range d.blocks[from:to] {
		if b.mayList() {
			all++
			if b.isEntry() {
				good++
			}
		}
	}
	if good == 0 || 2*good < all {
		return from - 1
	}
	l := list{after: to}
	for _, b := range d.blocks[from:to] {
		if b.listed = true; b.mayList() {
			l.blocks = append(l.blocks, b)
		}
	}
	*lists = append(*lists, l)
	return to - 1
}

// mayList reports whether a block may be, or be a part of, an entry.
func (b *block) mayList() bool {
	return b.kind != heading && b.kind != head && b.kind != code && b.kind != rule && len(bytes.TrimSpace(b.text)) > 0
}

// isEntry reports whether a block is marked as an entry is, or has an address.
func (b *block) isEntry() bool {
	if b.entry == nil {
		is := b.label != "" || b.kind == note || len(b.links) > 0 || hasAddress(string(b.text)) || ownLabel.Match(b.text)
		b.entry = &is
	}
	return *b.entry
}

func hasAddress(text string) bool {
	return bareURL.MatchString(text) || doiForm.MatchString(text) || arxivForm.MatchString(text) || pmidForm.MatchString(text)
}

// ownLabel is the number that an entry begins with: [1], 1., (1), ¹, **S1**, [^1]:, 【1】.
var ownLabel = lazyregexp.New(`^\W{0,3}?(?:\[\^?([0-9]{1,3}|[A-Z]?[0-9]{1,3})\][:.]?|\(([0-9]{1,3})\)|([0-9]{1,3})[.)](?:\s|$)|【([0-9]{1,3})】|([⁰¹²³⁴-⁹]{1,3})\s?|\b(S[1-9][0-9]{0,3})\b|(?i:source|ref(?:erence)?)\s([0-9]{1,3})[:.])[\s—–:-]*`)

// entryLine reports whether a block is an entry by itself: a number in brackets, and then an address.
func entryLine(b *block) bool {
	if b.kind != paragraph && b.kind != item {
		return false
	}
	t := strings.TrimLeft(string(b.text), " ")
	m := ownLabel.FindStringSubmatchIndex(t)
	if m == nil || m[2] < 0 && m[10] < 0 { // [1] or ¹
		return false
	}
	return hasAddress(t) || len(b.links) > 0 && b.links[0].Start < m[1]+4
}

// split parts a block of a list into entries: one a line, where lines have numbers of their own.
func (b *block) split() []audit.Range {
	var lines []audit.Range
	from := 0
	numbered := 0
	add := func(to int) {
		if strings.TrimSpace(string(b.text[from:to])) != "" {
			lines = append(lines, audit.Range{Start: from, End: to})
			if ownLabel.Match(b.text[from:to]) {
				numbered++
			}
		}
		from = to + 1
	}
	k := 0
	for i, c := range b.text {
		for k < len(b.breaks) && b.breaks[k] < i {
			k++
		}
		if c == '\n' || k < len(b.breaks) && b.breaks[k] == i {
			add(i)
		}
	}
	add(len(b.text))
	whole := []audit.Range{{Start: 0, End: len(b.text)}}
	if len(lines) < 2 || b.kind == row {
		return whole
	}
	if numbered == 0 {
		for _, l := range lines { // each line an address of its own
			if t := string(b.text[l.Start:l.End]); !hasAddress(t) && !b.linkIn(l) || b.kind != paragraph {
				return whole
			}
		}
		return lines
	}
	var out []audit.Range
	for _, l := range lines {
		if len(out) > 0 && !ownLabel.Match(b.text[l.Start:l.End]) {
			out[len(out)-1].End = l.End // goes on
			continue
		}
		out = append(out, l)
	}
	return out
}

func (b *block) linkIn(r audit.Range) bool {
	for _, l := range b.links {
		if l.Start >= r.Start && l.End <= r.End {
			return true
		}
	}
	return false
}
