package extract

import (
	"strings"

	"ibid/evidence"
)

// Text is the main content as plain text, each block on lines of its own, an item of a list on one; with all every block.
func (p *Page) Text(all bool) string {
	var b strings.Builder
	for _, block := range p.Blocks {
		if block.Main || all {
			text := block.Text
			if block.Role == evidence.RoleItem {
				text = strings.ReplaceAll(text, "\n", " ")
			}
			b.WriteString(text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// Markdown is the main content as Markdown, with all every block. What could be taken for markup is escaped, but for
// program text, which is fenced.
func (p *Page) Markdown(all bool) string {
	var b strings.Builder
	var last *Block
	for i := range p.Blocks {
		block := &p.Blocks[i]
		if !block.Main && !all {
			continue
		}
		if last != nil && !(tight(last) && last.Role == block.Role) {
			b.WriteByte('\n')
		}
		block.markdown(&b, last)
		last = block
	}
	return b.String()
}

// tight blocks stand under one another without a blank line.
func tight(b *Block) bool { return b.Role == evidence.RoleItem || b.Role == evidence.RoleRow }

func (b *Block) markdown(w *strings.Builder, last *Block) {
	line := func(prefix, text string) {
		w.WriteString(prefix)
		w.WriteString(strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", len(prefix))))
		w.WriteByte('\n')
	}
	switch b.Role {
	case evidence.RoleHeading:
		line(strings.Repeat("#", min(max(b.Level, 1), 6))+" ", strings.Join(strings.Fields(escapeMarkdown(b.Text)), " "))
	case evidence.RoleItem:
		line(strings.Repeat("  ", max(b.Level-1, 0))+"- ", escapeMarkdown(b.Text))
	case evidence.RoleQuote:
		w.WriteString("> " + strings.ReplaceAll(escapeMarkdown(b.Text), "\n", "\n> ") + "\n")
	case evidence.RoleCode:
		fence := "```"
		for strings.Contains(b.Text, fence) {
			fence += "`"
		}
		w.WriteString(fence + "\n" + strings.TrimSuffix(b.Text, "\n") + "\n" + fence + "\n")
	case evidence.RoleRow:
		cells := strings.Split(b.Text, " | ")
		line("| ", escapeMarkdown(b.Text)+" |")
		if last == nil || last.Role != evidence.RoleRow {
			w.WriteString(strings.Repeat("| --- ", len(cells)) + "|\n")
		}
	default:
		line("", escapeMarkdown(b.Text))
	}
}

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `<`, `\<`)

// escapeMarkdown keeps text from being markup: the marks inside a line, and those that only count at its start.
func escapeMarkdown(s string) string {
	s = markdownEscapes.Replace(s)
	if s != "" && strings.ContainsRune("#>-+=~", rune(s[0])) {
		s = `\` + s
	}
	return s
}
