package foreign

import (
	"strings"

	"ibid/audit"
)

// entries lists the references of a report in their order: those of its lists, its footnotes and its definitions.
func (d *document) entries() []entry {
	var all []entry
	d.lists = d.findLists()
	for n, l := range d.lists {
		for _, b := range l.blocks {
			if b.kind == note {
				continue // with the footnotes
			}
			all = append(all, b.entriesOf(n)...)
		}
	}
	all = append(all, d.footnotes()...)
	for _, def := range d.definitions {
		text := def.dest
		if def.title != "" {
			text = def.title + " " + def.dest
		}
		at := len(text) - len(def.dest)
		all = append(all, entry{label: def.label, text: text, links: []link{{audit.Range{Start: at, End: len(text)}, def.dest}}, line: def.line, kind: Definition, list: -1})
	}
	return all
}

// entriesOf are the entries in a block of a list.
func (b *block) entriesOf(list int) []entry {
	var out []entry
	for i, r := range b.split() {
		raw := string(b.text[r.Start:r.End])
		e := entry{line: b.line(r.Start), kind: Listed, list: list, ids: b.ids}
		if i == 0 {
			e.label = b.label
		}
		skip := len(raw) - len(strings.TrimLeft(raw, " \n"))
		if m := ownLabel.FindStringSubmatch(raw[skip:]); m != nil {
			for _, g := range m[1:] {
				if g != "" {
					e.label = raisedToPlain(g)
				}
			}
			skip += len(m[0])
		}
		if b.kind == row && len(b.cells) > 1 {
			if first := strings.Trim(oneLine(string(b.text[b.cells[0].Start:b.cells[0].End])), "[]()."); regexpNumbers.MatchString(first) || evidenceID.MatchString(first) {
				e.label, skip = first, b.cells[1].Start
			}
		}
		e.text = strings.TrimRight(raw[skip:], " \n")
		for _, l := range b.links {
			if l.Start >= r.Start && l.End <= r.End {
				from := l.Start - r.Start - skip
				if from < 0 { // the number itself is a link
					from = 0
				}
				e.links = append(e.links, link{audit.Range{Start: min(from, len(e.text)), End: min(max(l.End-r.Start-skip, from), len(e.text))}, l.dest})
			}
		}
		if b.kind == row { // its first cell was dropped whole
			e.text = oneLine(strings.ReplaceAll(e.text, "\n", " | "))
		}
		out = append(out, e)
	}
	return out
}

func raisedToPlain(s string) string {
	return strings.NewReplacer("⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9").Replace(s)
}

// footnotes are the notes of a report, each one entry whatever paragraphs it has.
func (d *document) footnotes() []entry {
	var out []entry
	at := map[string]int{}
	for _, b := range d.blocks {
		if b.kind != note {
			continue
		}
		i, ok := at[b.label]
		if !ok {
			i = len(out)
			at[b.label] = i
			out = append(out, entry{label: "^" + b.label, line: b.line(0), kind: Footnote, list: -1})
		}
		e := &out[i]
		if len(e.text) > maxBlock {
			continue
		}
		if e.text != "" {
			e.text += " "
		}
		off := len(e.text)
		e.text += string(b.text)
		for _, l := range b.links {
			e.links = append(e.links, link{audit.Range{Start: l.Start + off, End: l.End + off}, l.dest})
		}
		for _, m := range b.marks {
			if m.keys != nil && m.address == "" && m.problem == "" {
				e.cites = append(e.cites, m)
			}
		}
	}
	return out
}

// addresses are where an entry can be read, the surest first.
func (e *entry) addresses() []string {
	var out []string
	add := func(a string) {
		for _, known := range out {
			if identity(known) == identity(a) {
				return
			}
		}
		if a != "" && len(out) < 4 {
			out = append(out, a)
		}
	}
	for _, l := range e.links {
		if scheme, _, ok := strings.Cut(strings.ToLower(l.dest), ":"); ok && (scheme == "mailto" || scheme == "tel" || scheme == "javascript" || scheme == "data") || strings.HasPrefix(l.dest, "#") {
			continue
		}
		add(l.dest)
	}
	for _, u := range bareURL.FindAllString(e.text, 4) {
		add(trimAddress(u))
	}
	if m := doiForm.FindString(e.text); m != "" {
		add(doiAddress(trimAddress(m)))
	}
	if m := arxivForm.FindStringSubmatch(e.text); m != nil {
		add("https://arxiv.org/abs/" + m[1])
	}
	if m := pmidForm.FindStringSubmatch(e.text); m != nil {
		add("https://pubmed.ncbi.nlm.nih.gov/" + m[1] + "/")
	}
	return out
}
