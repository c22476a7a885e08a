package fetch

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func (s *scanner) addButton(label string) {
	if label = strings.ToLower(oneSpace(label)); label != "" && len(s.buttons) < 100 {
		s.buttons = append(s.buttons, shorten(label, 80))
	}
}

// endBlock ends a paragraph.
func (s *scanner) endBlock() {
	if s.block.Len() == 0 {
		return
	}
	if text := oneSpace(s.block.String()); text != "" && len(s.blocks) < maxBlocks {
		s.blocks = append(s.blocks, text)
	}
	s.block.Reset()
}

// chars takes in a run of text.
func (s *scanner) chars(z *html.Tokenizer) {
	switch {
	case s.script2:
		if strings.Contains(s.script, "ld+json") {
			s.locked = s.locked || notFree(z.Raw())
		}
		return
	case s.unseen != 0:
		return
	case s.open[atom.Noscript] > 0: // the tokenizer takes its elements as text
		text := textOnly(z.Raw())
		s.spare += len(text)
		if len(s.noscript) < maxScanText {
			s.noscript = shorten(s.noscript+" "+strings.ToLower(text), maxScanText)
		}
		return
	}
	text := string(z.Text())
	n := 0
	for field := range strings.FieldsSeq(text) {
		n += utf8.RuneCountInString(field)
	}
	if n == 0 {
		s.space()
		if s.block.Len() > 0 {
			s.block.WriteByte(' ')
		}
		return
	}
	if s.open[atom.Title] > 0 {
		if s.title == "" {
			s.title = shorten(oneSpace(text), 500)
		}
		return
	}
	if s.open[atom.H1]+s.open[atom.H2] > 0 && s.heading.Len() < 500 {
		s.heading.WriteString(shorten(text, 500))
		s.heading.WriteByte(' ')
	}
	if s.open[atom.Button] > 0 && s.button.Len() < 200 {
		s.button.WriteString(shorten(text, 200))
	}
	if s.b.Len() < maxScanText {
		s.b.WriteString(shorten(strings.ToLower(oneSpace(text)), maxScanText-s.b.Len()))
		if last := text[len(text)-1]; last == ' ' || last == '\n' {
			s.space()
		}
	}
	if s.open[atom.Nav]+s.open[atom.Footer]+s.open[atom.Aside]+s.open[atom.Header]+s.open[atom.Button] > 0 {
		s.aside += n
		return
	}
	if s.open[atom.A] > 0 {
		s.linked += n
		if s.link.Len() < 100 {
			s.link.WriteString(shorten(text, 100))
		}
	} else {
		s.prose += n
	}
	if len(s.blocks) < maxBlocks && s.block.Len() < maxBlock {
		s.block.WriteString(shorten(strings.ToLower(text), maxBlock-s.block.Len()))
	}
}

// space ends a word of the kept text.
func (s *scanner) space() {
	if t := s.b.String(); t != "" && t[len(t)-1] != ' ' && len(t) < maxScanText {
		s.b.WriteByte(' ')
	}
}

// textOnly is the text of a fragment.
func textOnly(fragment []byte) string {
	var b strings.Builder
	z := html.NewTokenizer(bytes.NewReader(fragment))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return oneSpace(b.String())
		case html.TextToken:
			if b.Len() < maxScanText {
				b.Write(z.Text())
				b.WriteByte(' ')
			}
		}
	}
}

func oneSpace(s string) string { return strings.Join(strings.Fields(s), " ") }

// shorten cuts at a length in bytes, between characters.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:max(n, 0)], "")
}
