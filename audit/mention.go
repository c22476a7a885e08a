package audit

import (
	"strings"

	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

// A mention is a place in a block that is a citation, or that a reader would take for one.
type mention struct {
	Range
	cites   []evidence.Citation
	problem string // why it is no citation, "" if it is one
	near    string
	note    int  // the footnote it points to, if noted
	noted   bool // it is the mark of a footnote
}

func (m mention) ok() bool { return len(m.cites) > 0 && m.problem == "" }

var (
	// Marks of other citation styles: [1], [2, 3], [^x] without its note, 【4†source】.
	foreignMark   = lazyregexp.New(`\[\^[^\]\s]{1,40}\]|\[[0-9]{1,3}(?:\s?[,;–-]\s?[0-9]{1,3})*\]|【[0-9][^】]{0,60}】`)
	captionLabels = lazyregexp.New(`^(?i:figure|fig\.?|table|tab\.|box|chart|exhibit|map|photo|plate|listing|panel|diagram)\s+(?:[0-9]{1,3}|[IVX]{1,5}|[A-Z])(?:[.-][0-9]{1,2})?[a-z]?\s?(?:[.:–—-]|$)`)
)

// scanMentions fills b.mentions from its text, in order and without overlap.
func (b *block) scanMentions() {
	scan := string(b.scan)
	for _, m := range evidence.ScanCitations(scan) {
		b.addMention(mention{Range: Range{m.Start, m.End}, cites: m.Citations, problem: m.Problem, near: m.Near})
	}
	if strings.ContainsAny(scan, "[【") {
		for _, at := range foreignMark.FindAllStringIndex(scan, -1) {
			b.addMention(mention{Range: Range{at[0], at[1]}, problem: "a mark that names no span"})
		}
	}
	for _, l := range b.links {
		if l.image {
			continue
		}
		t := string(b.text[l.Start:l.End])
		ms := evidence.ScanCitations("[" + strings.Trim(t, "[]") + "]")
		if l.looksNumeric || len(ms) > 0 && ms[0].Start == 0 {
			b.addMention(mention{Range: l.Range, problem: "a citation must not be the text of a link"})
		}
	}
	for _, n := range b.notes {
		b.addMention(mention{Range: n.Range, note: n.index, noted: true})
	}
	b.dropHidden()
	b.scanComputed()
}

// addMention inserts m in order, unless something stands there already.
func (b *block) addMention(m mention) {
	i := len(b.mentions)
	for i > 0 && b.mentions[i-1].Start >= m.Start {
		i--
	}
	if i > 0 && b.mentions[i-1].End > m.Start || i < len(b.mentions) && b.mentions[i].Start < m.End {
		return
	}
	b.mentions = append(b.mentions, mention{})
	copy(b.mentions[i+1:], b.mentions[i:])
	b.mentions[i] = m
}

// dropHidden takes away the citations between raw HTML tags, which may hide them.
func (b *block) dropHidden() {
	if len(b.html) < 2 {
		return
	}
	from, to := b.html[0].at, b.html[len(b.html)-1].at
	kept := b.mentions[:0]
	for _, m := range b.mentions {
		if at := b.at[m.Start]; at < from || at > to {
			kept = append(kept, m)
		}
	}
	b.mentions = kept
}

// without is the text of r without the mentions in it and what is computed, white space folded.
func (b *block) without(r Range) string {
	var s strings.Builder
	from := r.Start
	if len(b.computed) == 0 {
		for _, m := range b.mentions {
			if m.Start < r.Start || m.End > r.End {
				continue
			}
			s.Write(b.text[from:m.Start])
			from = m.End
		}
	} else {
		for _, d := range b.drops {
			if overlap(d, r) {
				s.Write(b.text[from:max(from, d.Start)])
				from = min(d.End, r.End)
			}
		}
	}
	s.Write(b.text[from:r.End])
	t := strings.Join(strings.Fields(s.String()), " ")
	for _, p := range []string{".", ",", ";", ":", "!", "?"} {
		t = strings.ReplaceAll(t, " "+p, p)
	}
	return t
}

func withoutCitations(b *block) string { return b.without(Range{0, len(b.text)}) }

// cites are the valid citations of a block, footnotes resolved.
func (b *block) cites() []evidence.Citation {
	var cs []evidence.Citation
	for _, m := range b.mentions {
		if m.ok() {
			cs = append(cs, m.cites...)
		}
	}
	return cs
}

// resolve gives each mark of a footnote the citations of its note.
func (c *checker) resolve(doc *document) {
	notes := map[int][]evidence.Citation{}
	bare := map[int]bool{} // notes that say and cite nothing, such as a lone address
	for _, b := range doc.blocks {
		if b.note == 0 && b.kind != note {
			continue
		}
		notes[b.note] = append(notes[b.note], b.cites()...)
		said := b.without(Range{0, len(b.text)})
		for _, l := range b.links {
			said = strings.Replace(said, string(b.text[l.Start:l.End]), "", 1)
		}
		bare[b.note] = len(words(said)) == 0 && len(b.cites()) == 0
	}
	for _, b := range doc.blocks {
		for i, m := range b.mentions {
			if !m.noted {
				continue
			}
			b.mentions[i].cites = notes[m.note]
			if bare[m.note] {
				b.mentions[i].problem = "the footnote cites no span"
			}
		}
	}
}
