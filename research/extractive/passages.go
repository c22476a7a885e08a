package extractive

import (
	"regexp"
	"slices"
	"strings"

	"ibid/audit"
)

// Bounds of an evidence sentence, in words.
const (
	fewestWords = 5
	mostWords   = 60
	windowWords = 40 // of a transcript without punctuation
)

// A sentence is a stretch of one span that could be quoted, word for word.
type sentence struct {
	span, source, host string
	kind, role         string
	text               string // as it stands
	n                  int    // words
	terms              []string
	around             map[string]bool // terms of the rest of its span, and of its neighbours there
	above              map[string]bool // terms of the source's title and of the heading above
	page               map[string]int  // how many sentences of its source have a term; pageSize counts them all
	at, of             int             // position among the sentences of its span
}

// sentences lists what could be quoted in everything that was read, each span once, in the order of reading.
func (n *notes) sentences(r *reader) []sentence {
	c := collector{reader: r, seen: map[string]bool{}, titles: map[string]map[string]bool{}, headings: map[string]string{}}
	kinds := map[string]string{}
	hosts := map[string]string{}
	for _, p := range n.pages {
		kinds[p.Source], hosts[p.Source] = p.Kind, hostOf(p.URL)
		heading := ""
		for _, b := range p.Text {
			if b.Role == "heading" {
				heading = b.Text
			}
			c.headings[p.Source+":"+b.At] = heading
		}
	}
	for _, s := range n.spans {
		source, at, _ := strings.Cut(s.Span, ":")
		c.add(span{s.Span, s.Title, s.URL, s.Role, s.Text}, source, kindOf(kinds[source], at), orElse(hosts[source], hostOf(s.URL)))
	}
	for _, p := range n.pages {
		if slices.Contains(p.Flags, "hub_page") {
			continue
		}
		for _, b := range p.Text {
			c.add(span{p.Source + ":" + b.At, p.Title, p.URL, b.Role, b.Text}, p.Source, kindOf(p.Kind, b.At), hostOf(p.URL))
		}
	}
	paged(c.out)
	return c.out
}

// pageSize is the key under which a page counts its sentences; it is no term.
const pageSize = ""

// paged counts for each source in how many of its sentences a term stands.
func paged(list []sentence) {
	pages := map[string]map[string]int{}
	last := map[string]int{}
	for i := range list {
		e := &list[i]
		if pages[e.source] == nil {
			pages[e.source] = map[string]int{}
		}
		e.page = pages[e.source]
		e.page[pageSize]++
		for _, t := range e.terms {
			if last[t] != i+1 {
				last[t] = i + 1
				e.page[t]++
			}
		}
	}
}

// kindOf falls back on the shape of the locator where the kind of a source is not known.
func kindOf(kind, at string) string {
	switch {
	case kind != "":
		return kind
	case strings.HasPrefix(at, "t="):
		return "transcript"
	case strings.Contains(at, ":L"):
		return "repo"
	}
	return ""
}

type collector struct {
	*reader
	out      []sentence
	seen     map[string]bool
	titles   map[string]map[string]bool
	headings map[string]string // by span key
}

// add cuts one span into sentences.
func (c *collector) add(s span, source, kind, host string) {
	if c.seen[s.Span] || s.Role == "heading" || s.Role == "caption" || s.Text == "" {
		return
	}
	c.seen[s.Span] = true
	above := c.titles[s.Title]
	if above == nil {
		above = c.set(s.Title)
		c.titles[s.Title] = above
	}
	if h := c.headings[s.Span]; h != "" {
		both := c.set(h)
		for t := range above {
			both[t] = true
		}
		above = both
	}
	cuts := c.cut(s, kind)
	from := len(c.out)
	tainted := false
	for i, cut := range cuts {
		text := s.Text[cut.Start:cut.End]
		if injected(text) {
			tainted = true
			continue
		}
		e := sentence{span: s.Span, source: source, host: host, kind: kind, role: s.Role, text: text, terms: c.terms(text), above: above, at: i, of: len(cuts)}
		e.n = len(split(text))
		c.out = append(c.out, e)
	}
	if tainted {
		c.out = slices.DeleteFunc(c.out, func(e sentence) bool { return e.span == s.Span && dictated(e.text) })
	}
	surround(c.out[from:])
}

// surround notes for each sentence of one span the terms of its neighbours.
func surround(list []sentence) {
	for i := range list {
		list[i].around = map[string]bool{}
		for j := max(0, i-2); j < min(len(list), i+3); j++ {
			if j != i {
				for _, t := range list[j].terms {
					list[i].around[t] = true
				}
			}
		}
	}
}

var listLine = regexp.MustCompile(`\n(?:\s*(?:[-*•·+]|\d+[.)])\s|\s*\n)`)

// cut finds the stretches of a span that could be quoted: sentences of running text, rows whole, comments and
// statements of code, windows of words where nothing was punctuated.
func (c *collector) cut(s span, kind string) []audit.Range {
	switch {
	case s.Role == "row":
		return []audit.Range{{Start: 0, End: len(s.Text)}}
	case kind == "repo" && !prose(s), s.Role == "code":
		return codeCuts(s.Text)
	}
	// A line break ends a sentence only where a list or a paragraph ends with it.
	flat := []byte(strings.ReplaceAll(s.Text, "\n", " "))
	for _, at := range listLine.FindAllStringIndex(s.Text, -1) {
		flat[at[0]] = '\n'
	}
	var cuts []audit.Range
	for _, sentence := range withOpening(string(flat), audit.Sentences(string(flat))) {
		if kind == "transcript" && len(split(s.Text[sentence.Start:sentence.End])) > windowWords {
			cuts = append(cuts, windows(s.Text, sentence)...)
			continue
		}
		cuts = append(cuts, sentence)
	}
	return cuts
}

// anaphora are openings that lean on the sentence before.
var anaphora = regexp.MustCompile(`(?i)^\W*(?:it|its|this|that|these|those|they|their|he|she|his|her|such|both|the (?:former|latter)|as a result|therefore|thus|hence|however|for this reason|otherwise|instead|in contrast|so|what \w+ (?:it|them|this|that) (?:is|are))\b`)

// withOpening joins a sentence that leans on the one before to it, if both together are no longer than a sentence may
// be: the quote then says itself what "it" is.
func withOpening(text string, in []audit.Range) []audit.Range {
	out := make([]audit.Range, len(in))
	for i, cut := range in {
		out[i] = cut
		if i == 0 || !anaphora.MatchString(text[cut.Start:cut.End]) {
			continue
		}
		before := in[i-1]
		if strings.ContainsRune(text[before.End:cut.Start], '\n') || anaphora.MatchString(text[before.Start:before.End]) || strings.HasSuffix(text[before.Start:before.End], "?") ||
			injected(text[before.Start:before.End]) || len(split(text[before.Start:cut.End])) > mostWords-10 {
			continue
		}
		out[i].Start = before.Start
	}
	return out
}

// windows cuts a long stretch of speech into pieces of about windowWords words, before a conjunction where one is near.
func windows(text string, in audit.Range) []audit.Range {
	ws := split(text[in.Start:in.End])
	var out []audit.Range
	for from := 0; from < len(ws); {
		to := min(from+windowWords, len(ws))
		if to < len(ws) {
			for back := to; back > from+windowWords/2; back-- {
				if conjunction[strings.ToLower(ws[back].text)] {
					to = back
					break
				}
			}
			if len(ws)-to < windowWords/4 {
				to = len(ws)
			}
		}
		end := ws[to-1].end
		if to == len(ws) {
			end = in.End - in.Start
		}
		out = append(out, audit.Range{Start: in.Start + ws[from].start, End: in.Start + end})
		from = to
	}
	return out
}

var conjunction = set("and so but because now which when then if while whereas although well okay")
