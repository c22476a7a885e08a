package index

import "strings"

// Bounds of names.
const (
	maxName   = 12 // words of a name
	maxShared = 8  // documents that go by one name; a title that more share (Introduction, Contents) names none of them
)

// document is what items are parts of.
type document struct {
	url   string
	first uint32 // item
}

// names finds the documents whose titles stand in a text.
type names struct {
	docs    map[uint64][]uint32 // hash of a name's words → documents
	lengths map[uint32]uint16   // first word → how long the names are that begin with it: bit n for n words
}

// document returns the document of an item, entering it under the names of its first item.
func (x *Index) document(it Item, id uint32, called [][]token) uint32 {
	url := it.Doc
	if url == "" {
		url = it.Key
	}
	if doc, ok := x.byURL[url]; ok {
		return doc
	}
	doc := uint32(len(x.docs))
	x.byURL[url] = doc
	x.docs = append(x.docs, document{url, id})
	for _, name := range called {
		if !x.isName(name) {
			continue
		}
		h := hash(name)
		if len(x.names.docs[h]) <= maxShared {
			x.names.docs[h] = append(x.names.docs[h], doc)
		}
		x.names.lengths[name[0].id()] |= 1 << len(name)
	}
	return doc
}

// namesIn returns what a title calls its document: its first line without a bracket at the end, which only tells it from
// others of that name; and where more than a word is left, the part before a site's own name, and all but the article.
func namesIn(title string) []string {
	title, _, _ = strings.Cut(strings.TrimSpace(title), "\n")
	title = strings.TrimSpace(title)
	for _, bracket := range [][2]string{{"(", ")"}, {"（", "）"}, {"[", "]"}} {
		if i := strings.LastIndex(title, bracket[0]); i > 0 && strings.HasSuffix(title, bracket[1]) {
			title = strings.TrimSpace(title[:i])
		}
	}
	if title == "" {
		return nil
	}
	list := []string{title}
	for _, separator := range []string{" | ", " – ", " — ", " - ", " · "} {
		if before, _, cut := strings.Cut(title, separator); cut && strings.ContainsAny(strings.TrimSpace(before), " ") {
			list = append(list, before)
			break
		}
	}
	if article, rest, _ := strings.Cut(title, " "); strings.Contains(rest, " ") && (article == "The" || article == "A" || article == "An") {
		list = append(list, rest)
	}
	return list
}

// isName reports whether words can be told from ordinary ones where they stand in a text: they are not too many, and not
// only one that is a number or a stop word.
func (x *Index) isName(words []token) bool {
	if len(words) == 0 || len(words) > maxName {
		return false
	}
	w := x.surfaces[words[0].id()]
	return len(words) > 1 || !w.stop && len(w.text) > 1 && !digit(rune(w.text[0]))
}

// hash is FNV-1a over the words' numbers.
func hash(words []token) uint64 {
	h := uint64(14695981039346656037)
	for _, w := range words {
		for id := w.id(); id > 0; id >>= 8 {
			h = (h ^ uint64(id&0xFF)) * 1099511628211
		}
		h = (h ^ 0x100) * 1099511628211
	}
	return h
}

// named returns the documents that a text names, each once, in order of appearance. A name begins with a word that is not
// in lower case; in a text that was typed without capitals it takes two words instead. Of names that overlap, the longer
// one that begins first counts.
func (x *Index) named(text []token, lower bool) (found []uint32) {
	seen := map[uint32]bool{}
	for i := 0; i < len(text); i++ {
		lengths := x.names.lengths[text[i].id()]
		switch {
		case lower:
			lengths &^= 1 << 1
		case !text[i].isCapital():
			lengths = 0
		}
		for n := min(maxName, len(text)-i); n > 0 && lengths != 0; n-- {
			if lengths&(1<<n) == 0 {
				continue
			}
			docs := x.names.docs[hash(text[i:i+n])]
			if len(docs) == 0 || len(docs) > maxShared {
				continue
			}
			for _, doc := range docs {
				if !seen[doc] {
					seen[doc] = true
					found = append(found, doc)
				}
			}
			i += n - 1
			break
		}
	}
	return found
}
