package foreign

import (
	"strings"

	"ibid/audit"
	"ibid/internal/lazyregexp"
)

// This file finds citations by author and year, so that what they cite is not called uncited. Which work one means is not
// decided: two works of an author in a year, or two authors of a name, are told apart by the reader's knowledge alone.

const (
	surname = `\p{Lu}[\p{L}’'-]+(?: (?:van|von|de|der|den|la|le|di)(?: \p{Lu}[\p{L}’'-]+)+)?`
	authors = `(?:(?:van|von|de|der|den|la|le|di) )*` + surname + `(?:(?:, | and | & |, and |, & )` + surname + `){0,5}(?:,? et al\.?,?)?`
	year    = `(?:(?:19|20)[0-9]{2}[a-z]?|n\.d\.)`
	opener  = `(?:see(?: also)?,? |e\.g\.,? |cf\.? |c\.f\. )?`
	oneWork = opener + authors + `,? ` + year + `(?:,? ` + year + `)*(?:[,:] ?(?:pp?\.? ?)?[0-9]+(?:[–-][0-9]+)?)?`
)

var (
	inBrackets = lazyregexp.New(`[(\[](` + oneWork + `(?:; ?` + oneWork + `){0,12})[)\]]`)
	narrative  = lazyregexp.New(surname + `(?: et al\.?| (?:and|&) ` + surname + `) [(\[]` + year + `[)\]]|` + surname + ` \(` + year + `\)`)
	firstName  = lazyregexp.New(surname)
	lastYear   = lazyregexp.New(year)
	notAuthors = set(`January February March April May June July August September October November December Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec
		Spring Summer Autumn Fall Winter Early Late Mid Since Until Before After In From By As Of Since Around About Circa Q1 Q2 Q3 Q4 Version Edition Updated Accessed Published Fiscal Year FY`)
)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// scanAuthors marks what is a citation by author and year, or may be one if the list of references has such an author.
func (b *block) scanAuthors(text string) {
	if !strings.ContainsAny(text, "([") {
		return
	}
	for _, form := range []*lazyregexp.Regexp{inBrackets, narrative} {
		for _, at := range form.FindAllStringIndex(text, maxMarks) {
			said := text[at[0]:at[1]]
			name := firstName.FindString(said)
			if first, _, _ := strings.Cut(name, " "); notAuthors[first] {
				continue
			}
			start := at[0]
			if form == narrative { // the names are words of the sentence
				start += strings.LastIndexAny(said, "([")
			}
			sure := strings.Contains(said, "et al") || strings.Contains(said, "&") || form == inBrackets && strings.Contains(said, ", ")
			b.addMark(mark{Range: audit.Range{Start: start, End: at[1]}, keys: []string{"@" + name + " " + lastYear.FindString(said)}, weak: !sure, problem: byAuthor})
		}
	}
}
