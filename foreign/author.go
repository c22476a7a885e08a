package foreign

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/audit"
	"ibid/internal/lazyregexp"
)

// This file finds citations by author and year, and the one entry of the list of references that each means. Where two entries fit,
// two works of an author in a year or two authors of a name, it is not guessed which: the reader's knowledge alone tells them apart.

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

// works are the citations that a mark by author and year is made of: the name of the first author, and a year of a work. The names
// of one that stands in a sentence stand before it.
func works(said, name string) (list [][2]string) {
	for part := range strings.SplitSeq(strings.Trim(said, "()[]"), ";") {
		if n := firstName.FindString(opening.ReplaceAllString(strings.TrimSpace(part), "")); n != "" {
			name = n
		}
		part = pages.ReplaceAllString(part, "")
		for _, y := range lastYear.FindAllString(part, -1) {
			list = append(list, [2]string{name, y})
		}
	}
	return list
}

var (
	opening = lazyregexp.New(`^` + opener)
	pages   = lazyregexp.New(`[,:] ?(?:pp?\.? ?)?[0-9]+[–-][0-9]+$|: ?[0-9]+$|, ?pp?\.? ?[0-9]+$`)
)

// means are the entries that may be the work of an author in a year: they begin with the name, and have the year.
func (c *checker) means(name, year string) (list []int) {
	if year == "n.d." {
		return nil
	}
	for i, r := range c.refs {
		if r.Kind != Listed {
			continue
		}
		begins := strings.TrimLeft(r.Text, " *_-–•[]()0123456789.")
		if rest, is := strings.CutPrefix(begins, name); is && !startsLetter(rest) && yearOf(r.Text, year) {
			list = append(list, i)
		}
	}
	return list
}

func startsLetter(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r) || r == '-' || r == '’'
}

// yearOf reports whether a year is that of an entry, with its letter if it has one: the first that stands in it, since titles have
// years too.
func yearOf(text, year string) bool {
	return lastYear.FindString(bareURL.ReplaceAllString(text, "")) == year
}

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
