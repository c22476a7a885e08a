package extract

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/evidence"
)

// Sizes at which a text without blank lines is divided, so that a locator can be walked to.
const (
	maxLines     = 30
	maxParagraph = 3000 // bytes
)

// readPlain reads text as it stands: paragraphs between blank lines.
func readPlain(in Input) *Page {
	text, name := decode(in.Body, in.ContentType)
	page := &Page{Kind: evidence.Text, By: "text/1", Charset: name}
	exact := name == "utf-8" && len(text) == len(in.Body) // so offsets are those of the raw bytes
	line, at := 1, 0
	for _, r := range paragraphs(text) {
		line += strings.Count(text[at:r.start], "\n")
		at = r.start
		b := Block{Text: text[r.start:r.end], Main: true, Quotable: true, Path: lines(line, line+strings.Count(text[r.start:r.end], "\n"))}
		if strings.Contains(b.Text, "\r") {
			b.Text = strings.ReplaceAll(b.Text, "\r\n", "\n")
		}
		if exact {
			b.Start, b.End = r.start, r.end
		}
		page.add(b)
	}
	if len(page.Blocks) > 0 && len(page.Blocks[0].Text) <= 120 && !strings.Contains(page.Blocks[0].Text, "\n") {
		page.Title = strings.TrimSpace(page.Blocks[0].Text)
	}
	page.Title = first(page.Title, baseName(in.URL))
	return page
}

// lines prints a range of lines of a text file, for Block.Path.
func lines(from, to int) string {
	if from == to {
		return fmt.Sprintf("L%d", from)
	}
	return fmt.Sprintf("L%d-L%d", from, to)
}

// A span is a range of bytes.
type span struct{ start, end int }

// paragraphs divides a text at blank lines and form feeds, and long stretches at line ends or sentence ends. The ranges
// are in order, do not overlap, and leave out only white space.
func paragraphs(text string) []span {
	var list []span
	open := span{-1, -1} // the paragraph being gathered
	count := 0
	end := func() {
		if open.start >= 0 {
			list = append(list, divide(text, open)...)
		}
		open, count = span{-1, -1}, 0
	}
	for at := 0; at < len(text); {
		next := len(text)
		if i := strings.IndexAny(text[at:], "\n\f"); i >= 0 {
			next = at + i + 1
		}
		content := strings.TrimRightFunc(text[at:next], unicode.IsSpace)
		switch {
		case !visible(content):
			end()
		case open.start < 0:
			open, count = span{at, at + len(content)}, 1
		default:
			open.end = at + len(content)
			count++
		}
		if text[next-1] == '\f' || count >= maxLines || open.start >= 0 && next-open.start >= maxParagraph {
			end()
		}
		at = next
	}
	end()
	return list
}

// divide cuts a range that is too long, after the end of a sentence where there is one, else of a word.
func divide(text string, r span) []span {
	var list []span
	for r.end-r.start > 2*maxParagraph {
		window := text[r.start : r.start+maxParagraph]
		cut := 0
		for i := maxParagraph / 2; i < len(window)-1; i++ {
			if strings.IndexByte(".!?", window[i]) >= 0 && window[i+1] == ' ' {
				cut = i + 1
			}
		}
		if i := strings.LastIndexAny(window, " \t\n"); cut == 0 && i > 0 {
			cut = i
		}
		if cut == 0 {
			for cut = len(window); cut > 0 && !utf8.RuneStart(text[r.start+cut]); {
				cut--
			}
		}
		cut = max(cut, 1)
		if piece := trimmed(text, span{r.start, r.start + cut}); visible(text[piece.start:piece.end]) {
			list = append(list, piece)
		}
		r = trimmed(text, span{r.start + cut, r.end})
	}
	if visible(text[r.start:r.end]) {
		list = append(list, r)
	}
	return list
}

func trimmed(text string, r span) span {
	s := text[r.start:r.end]
	right := strings.TrimRightFunc(s, unicode.IsSpace)
	left := strings.TrimLeftFunc(right, unicode.IsSpace)
	return span{r.start + len(right) - len(left), r.start + len(right)}
}

// splitPre divides preformatted text that is too long for one block at its blank lines.
func splitPre(text string) []string {
	var list []string
	for _, r := range splitCode(text) {
		list = append(list, text[r.start:r.end])
	}
	return list
}

// splitCode is splitPre by ranges.
func splitCode(text string) []span {
	if len(text) <= maxParagraph && strings.Count(text, "\n") <= 2*maxLines {
		return []span{{0, len(text)}}
	}
	return paragraphs(text)
}

// prose tells running text that is merely preformatted from code: mostly words, and a sentence end.
func prose(text string) bool {
	letters, others := 0, 0
	for _, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsSpace(r) || strings.ContainsRune(",.'’\"-", r):
			letters++
		default:
			others++
		}
	}
	fields := strings.Fields(text)
	return len(fields) >= 12 && letters > 12*others && strings.ContainsAny(text[len(text)-1:], ".!?:")
}
