package extract

import (
	"strings"
	"unicode"

	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

// A mailLine is a line of a mail without its marks.
type mailLine struct {
	text  string
	depth int // of the quote it is in
	at    int // number of the line, from 1
}

var (
	attribution = lazyregexp.New(`(?i)^(?:On .{4,200} wrote:|Le .{4,200} a écrit\s?:|Am .{4,200} schrieb.{0,80}:|El .{4,200} escribió:|.{2,80} <[^<>\s]+@[^<>\s]+> (?:wrote|writes):)$`)
	original    = lazyregexp.New(`(?i)^\s*(?:-{2,}\s*(?:Original Message|Forwarded message|Ursprüngliche Nachricht|Message d'origine|Begin forwarded message)\s*-{2,}|Begin forwarded message:|_{20,})\s*$`)
)

// plain adds a text that was written as text: a block a paragraph, what is quoted apart from what is answered. A
// signature, and all after the line that begins an older mail, are told apart.
func (r *mailReader) plain(t mailText) {
	signature, older := false, false
	t.text = r.withoutFiles(t.text)
	var open []mailLine
	flush := func() {
		r.paragraph(open, signature, older)
		open = nil
	}
	for _, l := range mailLines(t) {
		shown := strings.TrimSpace(l.text)
		switch {
		case l.depth == 0 && (l.text == "-- " || l.text == "--") && !older:
			flush()
			signature = true
			continue
		case signature && l.depth > 0: // an answer below everything
			flush()
			signature = false
		case original.MatchString(shown):
			flush()
			signature, older = false, true
		case !visible(shown), len(open) > 0 && open[0].depth != l.depth, len(open) >= maxLines:
			flush()
		}
		if visible(shown) {
			open = append(open, l)
		}
	}
	flush()
}

// uuFile is a file that was written into a text by uuencode, as mail programs did before there were parts.
var uuFile = lazyregexp.New("(?m)^begin(?:-base64)? [0-7]{3,4} (\\S[^\r\n]*)\r?\n(?:[\\x20-\\x60]{1,90}\r?\n)*end\\s*$")

// withoutFiles leaves the lines of such files empty, and names them as attachments.
func (r *mailReader) withoutFiles(text string) string {
	return uuFile.ReplaceAllStringFunc(text, func(file string) string {
		r.attachment(uuFile.FindStringSubmatch(file)[1], "uuencoded")
		return strings.Repeat("\n", strings.Count(file, "\n"))
	})
}

// paragraph adds a block of lines.
func (r *mailReader) paragraph(open []mailLine, signature, older bool) {
	if len(open) == 0 {
		return
	}
	texts := make([]string, len(open))
	for i, l := range open {
		texts[i] = l.text
	}
	b := Block{Text: trimLines(strings.Join(texts, "\n")), Heading: r.subject, Main: !signature, Quotable: !signature,
		Path: lines(open[0].at, open[len(open)-1].at)}
	if open[0].depth > 0 || older || attribution.MatchString(strings.Join(strings.Fields(b.Text), " ")) {
		b.Role = evidence.RoleQuote
		b.Level = min(open[0].depth, 9)
	}
	if strings.IndexFunc(b.Text, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) }) >= 0 { // no rule across the page
		r.page.add(b)
	}
}

// mailLines takes the marks of quotes off the lines of a text, and joins those that are flowed (RFC 3676).
func mailLines(t mailText) []mailLine {
	var list []mailLine
	n, goesOn := 0, false
	for line := range strings.Lines(t.text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		depth, rest := quoteDepth(line)
		if t.flowed && depth == 0 {
			rest = strings.TrimPrefix(rest, " ") // space-stuffing
		}
		if k := len(list) - 1; goesOn && list[k].depth == depth && rest != "-- " && len(list[k].text) < 4*maxParagraph {
			list[k].text += rest
		} else {
			list = append(list, mailLine{rest, depth, n})
		}
		goesOn = t.flowed && strings.HasSuffix(rest, " ") && rest != "-- "
		if goesOn && t.delsp {
			k := len(list) - 1
			list[k].text = strings.TrimSuffix(list[k].text, " ")
		}
	}
	return list
}

// quoteDepth counts the ">" before a line, and takes them off.
func quoteDepth(line string) (depth int, rest string) {
	rest = line
	if strings.HasPrefix(rest, ">From ") { // as mailboxes write a line of a text that begins so
		return 0, rest[1:]
	}
	for strings.HasPrefix(rest, ">") {
		depth++
		rest = strings.TrimPrefix(rest[1:], " ")
	}
	return depth, rest
}
