package foreign

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/audit"
	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

// A mark is a place in a block that cites something.
type mark struct {
	audit.Range
	keys    []string // the labels of the entries that it names
	address string   // where it leads, if it is a link, a DOI or the like
	weak    bool     // it is one only if there are entries for it: a raised figure may be an exponent
	glued   bool     // it is a figure right behind a word or a stop, and counts where a report cites so
	worded  bool     // likewise, behind a word
	keep    bool     // its words belong to the sentence: a link over a part of it
	problem string   // why it cannot be read
	refs    []int    // once resolved: the references that it cites
	missing []string // and the labels for which there is none
}

const (
	byAuthor  = "it names an author and a year, and not one entry of a list of references alone begins so"
	ofTool    = "it names a place in the list of a tool, which is not in the report"
	ofProgram = "it names a key of a bibliography that is not in the report"
)

var (
	place     = `(?:\s?,?\s?(?:pp?\.|pages?|sec\.|section|ch\.|chapter|fig\.|figure|tab\.|table|§|para\.?|L)\s?[\w.:–-]+)`
	numbers   = `[0-9]{1,3}(?:\s?[,;]\s?[0-9]{1,3}|\s?[–—-]\s?[0-9]{1,3})*`
	numeric   = lazyregexp.New(`(?i)\[(?:cite:?|cites?|sources?:?|refs?\.?:?|references?:?|citation:?|#)?\s?(` + numbers + `)` + place + `?\]`)
	caret     = lazyregexp.New(`\^\[?(` + numbers + `)\]?\^`)
	openNote  = lazyregexp.New(`\[\^([^\]\s]{1,60})\]`)
	lenticle  = lazyregexp.New(`【([0-9]{1,3})((?::[0-9]+)?†[^】]{0,120})?】`)
	toolMark  = lazyregexp.New(`\x{E200}[^\x{E201}]{0,300}\x{E201}|:contentReference\[oaicite:[^\]]{0,40}\](?:\{[^}]{0,40}\})?|\[?oaicite:[0-9]+\]?|\bcite(?:turn[0-9]+[a-z]+[0-9]+)+|【[^】]{0,20}†[^】]{0,120}】`)
	startMark = lazyregexp.New(`\[cite_start\]|\[/?cite\]`)
	program   = lazyregexp.New(`\[-?@[\w:.#$%&+?<>~/-]+(?:[;,] ?[^\]]{0,120})?\]`)
	raisedRun = lazyregexp.New(`[¹²³⁰⁴-⁹]+(?:[⁻–,·˒‚]\s?[¹²³⁰⁴-⁹]+)*`)
	bareURL   = lazyregexp.New(`https?://[^\s<>"“”{}|\\^` + "`" + `]+`)
	doiForm   = lazyregexp.New(`(?i)(?:\bdoi:?\s?)?\b10\.[0-9]{4,9}/[^\s"<>\[\]{}|]+`)
	arxivForm = lazyregexp.New(`(?i)\barxiv:\s?([0-9]{4}\.[0-9]{4,5}|[a-z-]{2,12}/[0-9]{7})(?:v[0-9]{1,2})?`)
	pmidForm  = lazyregexp.New(`\bPMID:?\s?([0-9]{4,9})\b`)
)

// maxMarks is how many citations of one block are read.
const maxMarks = 500

// scan finds the citations of a block.
func (b *block) scan() {
	for _, l := range b.links {
		b.addMark(b.linkMark(l))
	}
	for _, n := range b.notes {
		b.addMark(mark{Range: n.Range, keys: []string{"^" + n.label}})
	}
	text := string(b.text)
	for _, m := range evidence.ScanCitations(text) {
		var keys []string
		for _, c := range m.Citations {
			if !slices.Contains(keys, c.Source) {
				keys = append(keys, c.Source)
			}
		}
		if m.Problem == "" && len(keys) > 0 {
			b.addMark(mark{Range: audit.Range{Start: m.Start, End: m.End}, keys: keys})
		}
	}
	b.each(openNote, func(m []string) mark { return mark{keys: []string{"^" + m[1]}} })
	b.each(numeric, func(m []string) mark { return mark{keys: labels(m[1])} })
	b.each(caret, func(m []string) mark { return mark{keys: labels(m[1])} })
	b.each(lenticle, func(m []string) mark {
		return mark{keys: labels(m[1]), weak: m[2] != "", problem: when(m[2] != "", ofTool)}
	})
	b.each(toolMark, func([]string) mark { return mark{problem: ofTool} })
	b.each(startMark, func([]string) mark { return mark{weak: true} })
	b.each(program, func([]string) mark { return mark{problem: ofProgram} })
	b.scanRaised(text)
	b.each(bareURL, func(m []string) mark { return mark{address: m[0]} })
	b.each(doiForm, func(m []string) mark { return mark{address: doiAddress(m[0])} })
	b.each(arxivForm, func(m []string) mark { return mark{address: "https://arxiv.org/abs/" + m[1]} })
	b.each(pmidForm, func(m []string) mark { return mark{address: "https://pubmed.ncbi.nlm.nih.gov/" + m[1] + "/"} })
	b.scanAuthors(text)
	b.scanGlued(text)
	if sourceLine.Match(b.text) {
		for i := range b.marks {
			b.marks[i].keep = false
		}
	}
}

// sourceLine begins a line that names sources and says nothing.
var sourceLine = lazyregexp.New(`(?i)^\W*(?:sources?|references?|cited from|further reading|see also)\W*:`)

func when(is bool, what string) string {
	if is {
		return what
	}
	return ""
}

// each adds a mark for each match of a form. What ends an address in a sentence is no part of it.
func (b *block) each(form *lazyregexp.Regexp, make func(groups []string) mark) {
	for _, at := range form.FindAllSubmatchIndex(b.text, maxMarks) {
		end := at[1]
		if form == bareURL || form == doiForm {
			end = at[0] + len(trimAddress(string(b.text[at[0]:at[1]])))
		}
		groups := []string{string(b.text[at[0]:end])}
		for i := 2; i+1 < len(at); i += 2 {
			g := ""
			if at[i] >= 0 {
				g = string(b.text[at[i]:at[i+1]])
			}
			groups = append(groups, g)
		}
		m := make(groups)
		m.Range = audit.Range{Start: at[0], End: end}
		b.addMark(m)
	}
}

// addMark inserts m in order, unless something stands there already.
func (b *block) addMark(m mark) {
	if m.End <= m.Start || len(b.marks) >= maxMarks || b.isDead(m.Range) {
		return
	}
	i := len(b.marks)
	for i > 0 && b.marks[i-1].Start >= m.Start {
		i--
	}
	if i > 0 && b.marks[i-1].End > m.Start || i < len(b.marks) && b.marks[i].Start < m.End {
		return
	}
	b.marks = slices.Insert(b.marks, i, m)
}

// labels lists the numbers of a mark: "1, 3-5" is 1, 3, 4 and 5.
func labels(s string) []string {
	s = strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\u00a0':
			return -1
		case ';':
			return ','
		case '–', '—':
			return '-'
		}
		return r
	}, s)
	var out []string
	add := func(n int) {
		if label := strconv.Itoa(n); !slices.Contains(out, label) && len(out) < 60 {
			out = append(out, label)
		}
	}
	for part := range strings.SplitSeq(s, ",") {
		from, to, isRange := strings.Cut(part, "-")
		a, errA := strconv.Atoi(from)
		z, errZ := strconv.Atoi(to)
		switch {
		case errA != nil:
		case !isRange || errZ != nil || z <= a || z-a > 50:
			add(a)
		default:
			for n := a; n <= z; n++ {
				add(n)
			}
		}
	}
	return out
}

// A label that a link may have for its text: 1, [1], ^1, [^1], (1).
var linkLabel = lazyregexp.New(`^[\[(^]*\s?(?i:source:?|ref\.?|cite:?|#)?\s?(` + numbers + `)\s?[\])^]*$`)

// asideText is the text of a link that says no more than that it is one.
var asideText = lazyregexp.New(`(?i)^(?:citation:.*|\[?(?:source|link|ref(?:erence)?|here|cite|citation|url|web|online|pdf|↩|↗|🔗|\*|†|‡)s?\]?)$`)

// linkMark is what a link cites. One within the report names an entry by its text; one that leads nowhere is none.
func (b *block) linkMark(l link) mark {
	text := strings.TrimSpace(string(b.text[l.Start:l.End]))
	m := mark{Range: l.Range}
	if n := linkLabel.FindStringSubmatch(text); n != nil {
		m.keys = labels(n[1])
		m.Range = b.bracketed(m.Range)
	}
	if dest, inside := strings.CutPrefix(l.dest, "#"); inside {
		if m.keys == nil {
			return mark{}
		}
		m.keys = append([]string{"#" + dest}, m.keys...)
		return m
	}
	scheme, _, _ := strings.Cut(strings.ToLower(l.dest), ":")
	switch scheme {
	case "mailto", "tel", "javascript", "data", "ftp", "":
		return mark{}
	}
	m.address = l.dest
	if m.keys == nil {
		m.keep = !asideText.MatchString(text) && !sameText(text, l.dest) && !b.afterSentence(l.Range)
		if strings.HasPrefix(text, "citation:") {
			m.Range = b.bracketed(m.Range)
		}
	}
	return m
}

// bracketed is a range with a pair of brackets right around it.
func (b *block) bracketed(r audit.Range) audit.Range {
	if r.Start > 0 && r.End < len(b.text) && b.text[r.Start-1] == '[' && b.text[r.End] == ']' {
		return audit.Range{Start: r.Start - 1, End: r.End + 1}
	}
	return r
}

// sameText reports whether the text of a link is its address, or the host in it.
func sameText(text, dest string) bool {
	bare := func(s string) string {
		_, rest, ok := strings.Cut(s, "://")
		if !ok {
			rest = s
		}
		return strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(rest), "www."), "/")
	}
	host, _, _ := strings.Cut(bare(dest), "/")
	if bare(text) == bare(dest) {
		return true
	}
	text = bare(strings.Trim(text, "[]()<> "))
	return text == bare(dest) || text == host || strings.Contains(text, "://")
}

// afterSentence reports whether a link stands by itself behind a sentence.
func (b *block) afterSentence(r audit.Range) bool {
	before := strings.TrimRight(string(b.text[:r.Start]), " ([\u00a0")
	after := strings.TrimLeft(string(b.text[r.End:]), " )].,;\u00a0")
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	return strings.ContainsRune(".!?", last) && (after == "" || unicode.IsUpper(next) && strings.ContainsRune(" .)]", rune(b.text[r.End])))
}

// scanRaised finds raised numbers. One behind a figure, a unit or a formula is an exponent.
func (b *block) scanRaised(text string) {
	plain := strings.NewReplacer("⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9", "⁻", "-", "·", ",", "˒", ",", "‚", ",")
	for _, at := range raisedRun.FindAllStringIndex(text, maxMarks) {
		if cites(text[:at[0]]) {
			b.addMark(mark{Range: audit.Range{Start: at[0], End: at[1]}, keys: labels(plain.Replace(text[at[0]:at[1]])), weak: true})
		}
	}
	for _, s := range b.sups {
		said := strings.Trim(strings.TrimSpace(text[s.Start:s.End]), "[]()")
		if said != "" && regexpNumbers.MatchString(said) && (cites(text[:s.Start]) || strings.HasPrefix(strings.TrimSpace(text[s.Start:s.End]), "[")) {
			b.addMark(mark{Range: s, keys: labels(said), weak: true})
		}
	}
}

var regexpNumbers = lazyregexp.New(`^` + numbers + `$`)

// cites reports whether a raised number behind this text is the mark of a citation.
func cites(before string) bool {
	before = before[max(0, len(before)-80):]
	word := before[strings.LastIndexAny(before, " \n\u00a0(")+1:]
	last, _ := utf8.DecodeLastRuneInString(word)
	switch {
	case word == "":
		return false
	case strings.ContainsRune(".,;:!?)]”\"’'»", last):
		return true
	case !unicode.IsLetter(last):
		return false
	}
	return utf8.RuneCountInString(word) >= 4 && !strings.ContainsFunc(word, unicode.IsDigit)
}

// trimAddress drops what ends a sentence or a bracket from an address that stands in running text.
func trimAddress(s string) string {
	for {
		t := strings.TrimRight(s, ".,;:!?'’\"*_")
		for _, pair := range []string{"()", "[]"} {
			if strings.HasSuffix(t, pair[1:]) && strings.Count(t, pair[:1]) < strings.Count(t, pair[1:]) {
				t = t[:len(t)-1]
			}
		}
		if t == s {
			return s
		}
		s = t
	}
}

// doiAddress is where a DOI, written in any of its ways, is looked up.
func doiAddress(s string) string {
	i := strings.Index(s, "10.")
	return "https://doi.org/" + s[max(i, 0):]
}
