package foreign

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"ibid/internal/lazyregexp"
)

// elided parts a quotation where its writer left something out or put something in.
var elided = lazyregexp.New(`\s*(?:\[[^\]]{0,80}\]|\(?(?:…|\.\s?\.\s?\.)\)?)\s*`)

// misquoted looks for what the claim has in quotation marks in the cited sources, word by word, and says of each quotation that
// is not there what is nearest. What the writer left out or put in brackets is not looked for.
func (c *checker) misquoted(cl *Claim, ids []string) (missing []Reason) {
	for _, said := range cl.said {
		if isTitle(said) || c.namesSource(said) {
			continue
		}
		for _, part := range fragments(said) {
			if c.standsIn(part, ids) {
				continue
			}
			r := Reason{Code: "misquoted", Claim: part, Message: "These words in quotation marks do not stand in the cited source."}
			if id := c.standsElsewhere(part, ids); id != "" {
				r.Message = fmt.Sprintf("These words in quotation marks do not stand in the cited source; they stand in %s.", c.refs[c.texts.first[id]].name())
			}
			for _, id := range ids {
				if near, q := c.nearest(cl, part, id); near != "" {
					r.Source = near
					cl.Quotes = append(cl.Quotes, q)
					break
				}
			}
			missing = append(missing, r)
			break
		}
	}
	return missing
}

// fragments are the parts of a quotation that are long enough to be looked for.
func fragments(said string) (parts []string) {
	for _, part := range elided.Split(strings.TrimRight(strings.TrimSpace(said), ".,;:!?"), 20) {
		if part = strings.Trim(part, " ,;:"); len(strings.Fields(part)) >= 3 {
			parts = append(parts, part)
		}
	}
	return parts
}

func (c *checker) standsIn(said string, ids []string) bool {
	return slices.ContainsFunc(ids, func(id string) bool { return c.texts.docs.Doc(id).Find(said).OK() })
}

func (c *checker) standsElsewhere(said string, but []string) string {
	for _, s := range c.texts.docs.Sources() {
		if !slices.Contains(but, s.ID) && c.texts.docs.Doc(s.ID).Find(said).OK() {
			return s.ID
		}
	}
	return ""
}

// nearest is the text of a source that is most like a quotation, if any is.
func (c *checker) nearest(cl *Claim, said, id string) (string, Quote) {
	x := c.texts.each[id]
	for _, p := range x.passages(said, 3) {
		if near := c.texts.docs.Doc(id).Closest(p.span().Locator, said); near != "" {
			q := c.quote(cl, p)
			q.Text = near
			return near, q
		}
	}
	return "", Quote{}
}

// namesSource reports whether words in quotation marks are the title of a source, or stand in an entry.
func (c *checker) namesSource(said string) bool {
	said = strings.ToLower(oneLine(strings.TrimRight(said, ".,;:!? ")))
	return slices.ContainsFunc(c.refs, func(r *Reference) bool {
		return strings.Contains(strings.ToLower(r.Title), said) || r.Kind != Linked && strings.Contains(strings.ToLower(r.Text), said)
	})
}

// isTitle reports whether words in quotation marks are written as a title is: most of them with a capital.
func isTitle(said string) bool {
	capital, all := 0, 0
	for _, w := range strings.Fields(said) {
		r := []rune(strings.TrimLeft(w, "(\"'“‘"))
		if len(r) < 4 || !unicode.IsLetter(r[0]) {
			continue
		}
		all++
		if unicode.IsUpper(r[0]) {
			capital++
		}
	}
	return all > 1 && capital*10 >= all*8
}
