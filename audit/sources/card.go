package sources

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"ibid/internal/lazyregexp"
)

// addressDate is a day in an address, as newspapers and blogs have it.
var addressDate = lazyregexp.New(`/((?:19|20)[0-9]{2})[/-](0[1-9]|1[0-2])(?:[/-](0[1-9]|[12][0-9]|3[01]))?(?:[/-]|$)`)

// card gathers what is known of a source. about is what the run asks and found.
func (r *reading) card(about string, asOf time.Time) Card {
	const stated = "stated by the document"
	c := Card{Source: r.ID, Interest: r.interest(about), Status: r.status(asOf)}
	c.Class = r.class(c.Interest.Value != "")
	if c.Class.Value != Primary && c.Class.Value != Vendor && c.Class.Value != Official && c.Class.Value != Community {
		c.Interest = Fact{} // a newspaper that names itself has no stake
	}
	if r.Author != "" {
		c.Author = Fact{Value: r.Author, Basis: stated}
	}
	switch {
	case r.Publisher != "":
		c.Publisher = Fact{Value: r.Publisher, Basis: stated}
	case r.account != "":
		c.Publisher = Fact{Value: r.account, Basis: "its address"}
	case r.site != "" && !r.shared:
		c.Publisher = Fact{Value: r.site, Basis: "its address"}
	}
	if r.Published != "" {
		c.Published = Fact{Value: r.Published, Basis: stated}
	} else if m := addressDate.FindStringSubmatch(r.path); m != nil {
		c.Published = Fact{Value: strings.TrimSuffix(m[1]+"-"+m[2]+"-"+m[3], "-"), Basis: "its address"}
	}
	if r.Modified != "" {
		c.Changed = Fact{Value: r.Modified, Basis: stated}
	}
	if !r.Fetched.IsZero() {
		c.Fetched = Fact{Value: r.Fetched.UTC().Format(time.RFC3339), Basis: "the record of the run"}
	}
	return c
}

// dated is the last day on which a source's text may have been changed, as far as it says; the end of the month or year, where
// it says no more.
func (c *Card) dated() (t time.Time, stated string, ok bool) {
	for _, f := range []Fact{c.Published, c.Changed} {
		at, known := day(f.Value)
		if !known {
			continue
		}
		switch digits(f.Value) {
		case 4:
			at = at.AddDate(1, 0, -1)
		case 6:
			at = at.AddDate(0, 1, -1)
		}
		if !ok || at.After(t) {
			t, stated, ok = at, f.Value, true
		}
	}
	return t, stated, ok
}

func digits(s string) int {
	n := 0
	for _, r := range s[:min(10, len(s))] {
		if unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }

// String is what a list of sources says of one: its class, and what a reader must know of its standing.
func (c *Card) String() string {
	list := []string{c.Class.Value}
	for _, s := range c.Status {
		list = append(list, s.Value)
	}
	return strings.Join(list, ", ")
}

// Why says in a sentence what a status rests on.
func (f Fact) Why() string {
	if f.At != nil {
		return fmt.Sprintf("%s (%s)", f.Basis, f.At)
	}
	return f.Basis
}
