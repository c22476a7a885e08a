package audit

import "strings"

// This file is what other reports than ibid's own are read with: the same sentences, the same exemptions, the same quotation
// marks.

// SentencesAround is Sentences of a text with citations at these ranges, in order: one that stands right after a full stop
// belongs to the sentence before it, unless the next word shows that it begins the next.
func SentencesAround(text string, cites []Range) []Range { return sentences(text, cites) }

// NeedsSource reports whether a sentence, given without its citations, states something that a source has to say. Questions,
// labels, signposts and stated gaps do not. An item of a list may be a label where a sentence may not.
func NeedsSource(text string, isItem bool) bool {
	t := strings.TrimSpace(text)
	if len(words(t)) == 0 && !HasNumber(t) {
		return false
	}
	b := &block{prose: prose{text: []byte(t), scan: []byte(t)}}
	if isItem {
		b.kind = item
	}
	c := newChecker(nil, Record{})
	return !(isLabel(b, t) || isQuestion(t) || isSignpost(t) || c.isGap(b, b.statement(Range{0, len(t)})))
}

// Quotations lists what stands in quotation marks in a text, without them, where it is somebody's words rather than a term:
// at least three words.
func Quotations(text string) []Range {
	b := &block{prose: prose{text: []byte(text), scan: []byte(text)}}
	return b.quotations(Range{0, len(text)})
}

// IsCaption reports whether a line is the caption of a figure or table by its label: "Table 2. Fees".
func IsCaption(line string) bool { return isCaption(line) }
