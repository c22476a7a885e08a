package extractive

import (
	"strings"

	"ibid/audit"
	"ibid/internal/lazyregexp"
)

// Bounds of an evidence sentence, in words.
const (
	fewestWords = 5
	mostWords   = 60
	windowWords = 40 // of a transcript without punctuation
)

// listLine is a line break that ends an item of a list or a paragraph.
var listLine = lazyregexp.New(`\n(?:\s*(?:[-*•·+]|\d+[.)])\s|\s*\n)`)

// cut finds the stretches of a span that could be quoted: sentences of running text, rows whole, comments and
// statements of code, windows of words where nothing was punctuated.
func cut(s span, kind string, ws []word) []audit.Range {
	switch {
	case s.Role == "row":
		return []audit.Range{{Start: 0, End: len(s.Text)}}
	case kind == "repo" && !prose(s), s.Role == "code":
		return codeCuts(s.Text)
	}
	text := s.Text
	if strings.IndexByte(text, '\n') >= 0 { // a line break ends a sentence only where an item or a paragraph ends
		flat := []byte(strings.ReplaceAll(text, "\n", " "))
		for _, at := range listLine.FindAllStringIndex(text, -1) {
			flat[at[0]] = '\n'
		}
		text = string(flat)
	}
	cuts := withOpening(text, ws, clausesOfLong(text, ws, audit.Sentences(text)))
	if kind != "transcript" {
		return cuts
	}
	var out []audit.Range
	for _, c := range cuts {
		if in := wordsIn(ws, c); len(in) > windowWords {
			out = append(out, windows(in, c)...)
		} else {
			out = append(out, c)
		}
	}
	return out
}

// clausesOfLong cuts sentences that are too long to be quoted where they have semicolons, as resolutions and contracts do.
func clausesOfLong(text string, ws []word, in []audit.Range) (out []audit.Range) {
	for _, r := range in {
		if r.End-r.Start <= maxClaimSize && len(wordsIn(ws, r)) <= mostWords+30 {
			out = append(out, r)
			continue
		}
		for r.End > r.Start {
			end := r.End
			if i := strings.Index(text[r.Start:r.End], "; "); i >= 0 {
				end = r.Start + i + 1
			}
			out = append(out, audit.Range{Start: r.Start, End: end})
			r.Start = min(end+1, r.End)
		}
	}
	return out
}

// withOpening joins a sentence that leans on the one before to it, if both together are no longer than a sentence may
// be: the quote then says itself what "it" is.
func withOpening(text string, ws []word, in []audit.Range) []audit.Range {
	out := make([]audit.Range, len(in))
	for i, c := range in {
		out[i] = c
		if i == 0 || !leans(wordsIn(ws, c)) {
			continue
		}
		both := audit.Range{Start: in[i-1].Start, End: c.End}
		before := wordsIn(ws, in[i-1])
		if leans(before) || text[in[i-1].End-1] == '?' || len(wordsIn(ws, both)) > mostWords-10 || strings.Contains(text[in[i-1].End:c.Start], "\n") {
			continue
		}
		out[i] = both
	}
	return out
}

// Words with which a sentence leans on the one before.
var (
	leaning  = set("it its this that these those they their he she his her such both therefore thus hence however otherwise instead so")
	referred = set("it them this that former latter result reason contrast")
	opening  = set("in with by for at on after before without when if while during to") // of a phrase in front of the subject
	subjects = set("it they he she")
)

// leans says whether a sentence, by its first words, cannot stand without the one before: "It …", "What fixes it is …",
// "As a result …".
func leans(ws []word) bool {
	if len(ws) == 0 {
		return false
	}
	first := strings.ToLower(ws[0].text)
	if leaning[first] {
		return true
	}
	switch first {
	case "what", "as", "for", "in", "the":
		if has(ws[1:min(3, len(ws))], referred) {
			return true
		}
	}
	return opening[first] && has(ws[1:min(7, len(ws))], subjects)
}

func has(ws []word, in map[string]bool) bool {
	for _, w := range ws {
		if in[strings.ToLower(w.text)] {
			return true
		}
	}
	return false
}

// windows cuts a long stretch of speech into pieces of about windowWords words, before a conjunction where one is near.
func windows(ws []word, in audit.Range) []audit.Range {
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
			end = in.End
		}
		out = append(out, audit.Range{Start: ws[from].start, End: end})
		from = to
	}
	return out
}

var conjunction = set("and so but because now which when then if while whereas although well okay")
