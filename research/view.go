package research

import (
	"sort"
	"strings"
	"unicode/utf8"

	"ibid/extract"
	"ibid/index"
)

// show fills in what the model reads of a source: its first characters with locators, and the links that fit the
// question best. The whole text stays in the corpus.
func (t *readTool) show(v pageView, id string) pageView {
	source, ok := t.corpus.Source(id)
	if !ok {
		v.Error = "nothing was read at this URL"
		return v
	}
	v.Source, v.Title, v.Kind, v.Flags = id, source.Title, string(source.Kind), source.Flags
	reading := t.corpus.Reading(id)
	v.Text, v.Cut = beginning(reading.Blocks, shownCharacters)
	v.Links = t.bestLinks(reading.Links)
	for _, flag := range source.Flags {
		if flag == extract.FlagHub {
			v.Note = strings.TrimSpace(v.Note + " " + t.text.Note("hub"))
		}
	}
	return v
}

// beginning returns the main blocks of a page up to a number of characters. The last block is left out rather than cut,
// unless it is the first.
func beginning(blocks []extract.Block, limit int) (passages []passage, cut bool) {
	shown := 0
	var last beside
	for _, b := range blocks {
		if !b.Main {
			continue
		}
		side := beside{b.Columns, b.Caption, b.Label}
		side, last = side.since(last), side
		n := utf8.RuneCountInString(b.Text) + side.size()
		if shown > 0 && shown+n > limit {
			return passages, true
		}
		text := b.Text
		if r := []rune(text); len(r) > limit {
			text, cut = string(r[:limit]), true
		}
		passages = append(passages, passage{b.Locator.String(), string(b.Role), text, side})
		if shown += n; cut {
			return passages, true
		}
	}
	return passages, false
}

// since leaves out what was said of the passage before: a table's heads stand at its first row.
func (b beside) since(last beside) beside {
	if b.Columns == last.Columns && b.Caption == last.Caption {
		b.Columns, b.Caption = "", ""
	}
	if b.Label == last.Label {
		b.Label = ""
	}
	return b
}

// size counts characters.
func (b beside) size() int {
	return utf8.RuneCountInString(b.Columns) + utf8.RuneCountInString(b.Caption) + utf8.RuneCountInString(b.Label)
}

// bestLinks returns at most ten links: those whose text shares most with the question first, then in page order.
func (t *readTool) bestLinks(links []extract.Link) []extract.Link {
	if len(links) <= shownLinks {
		return links
	}
	wanted := map[string]bool{}
	for _, term := range index.Terms(t.question) {
		wanted[term] = true
	}
	fit := func(l extract.Link) (n int) {
		for _, term := range index.Terms(l.Text) {
			if wanted[term] {
				n++
			}
		}
		return n
	}
	best := append([]extract.Link(nil), links...)
	sort.SliceStable(best, func(i, j int) bool { return fit(best[i]) > fit(best[j]) })
	return best[:shownLinks]
}
