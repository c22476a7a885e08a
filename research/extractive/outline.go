package extractive

import "strings"

// A place is what a block stands under on its page.
type place struct {
	title   string // the heading of the whole page
	heading string // headings, and the line that leads in
	heads   string // of a row: the heads of its columns and the caption of its table
	leads   bool   // it is one of the first paragraphs
	names   bool   // it is the row that names the columns
	shown   bool   // it is code that the line above it announces
}

// shortLine is the length up to which a block is no paragraph but a name, a date or a heading that is not marked as
// one, in bytes.
const shortLine = 40

// outline finds the places of a page's blocks, by span key.
func outline(source string, blocks []block, places map[string]place) {
	var above []block // headings, outermost first
	lead, heads := "", ""
	paras := 0
	for i, b := range blocks {
		if b.Role == "heading" {
			above, lead = nested(above, b), ""
			continue
		}
		if len(b.Text) > shortLine {
			paras++
		}
		p := place{leads: paras <= leadParas}
		for _, h := range above {
			if h.Level == 1 { // the name of the page
				p.title += h.Text + "\n"
			} else {
				p.heading += h.Text + "\n"
			}
		}
		p.heading += lead
		p.shown = b.Role == "code" && strings.HasSuffix(strings.TrimSpace(lead), ":")
		switch {
		case b.Role == "row":
			if i == 0 || blocks[i-1].Role != "row" {
				heads = ""
				if i+1 < len(blocks) && blocks[i+1].Role == "row" && naming(b.Text) {
					heads, p.names = b.Text, true
				}
			}
			if b.Columns != "" || b.Caption != "" { // told once for the rows that follow
				heads = string(b.Columns) + "\n" + string(b.Caption)
			}
			p.heads = heads
		case b.Role == "" && leadsIn(b.Text):
			lead = b.Text
		case b.Role == "" && strings.HasSuffix(lead, ":"):
			lead = ""
		}
		places[source+":"+b.At] = p
	}
}

// nested is the headings above what follows a heading. Where levels are not told, it is that one alone.
func nested(above []block, b block) []block {
	if b.Level == 0 {
		return []block{b}
	}
	for len(above) > 0 && above[len(above)-1].Level >= b.Level {
		above = above[:len(above)-1]
	}
	return append(above[:len(above):len(above)], b)
}

// leadsIn says whether a paragraph announces what follows, or names it as a heading would.
func leadsIn(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasSuffix(text, ":") && len(text) < 300 || text != "" && len(text) <= shortLine && !strings.ContainsAny(text[len(text)-1:], ".!?;,")
}

// naming says whether a row names columns: it has no figures.
func naming(row string) bool { return !digit.MatchString(row) }
