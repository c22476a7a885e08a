package audit

import (
	"strings"
	"unicode/utf8"

	"ibid/evidence"
)

// maxImprint is how much of one statement a list of sources shows, in bytes.
const maxImprint = 160

// Imprint is what a list of sources says about who made a source and when, in the words of the source's record, phrase by
// phrase: "by A. Able; B. Bosun", "published by Harbour Press on 2024-02-03", "doi 10.5555/crane.7". A list may leave a
// phrase out, and may not change one.
func Imprint(s evidence.Source) []string {
	var list []string
	author, publisher := shortNames(s.Author), shortened(s.Publisher)
	if author != "" && !strings.EqualFold(author, publisher) {
		list = append(list, "by "+author)
	}
	published := ""
	if publisher != "" && !strings.EqualFold(publisher, Shown(s.Title)) {
		published = " by " + publisher
	}
	if date := shortened(s.Published); date != "" {
		published += dated(date)
	}
	if published != "" {
		list = append(list, "published"+published)
	}
	if date := shortened(s.Modified); date != "" && date != shortened(s.Published) {
		list = append(list, "modified"+dated(date))
	}
	if doi := shortened(s.DOI); doi != "" {
		list = append(list, "doi "+doi)
	}
	if licence := shortened(s.Licence); licence != "" {
		list = append(list, "licence "+licence)
	}
	return list
}

// dated says a date as one speaks of it: on a day, in a month or a year.
func dated(date string) string {
	if len(date) > len("2006-01") {
		return " on " + date
	}
	return " in " + date
}

// shortNames is a list of names, without those that are too many.
func shortNames(names string) string {
	all := Shown(names)
	if len(all) <= maxImprint {
		return all
	}
	if i := strings.LastIndex(all[:maxImprint], "; "); i > 0 {
		return all[:i] + " et al."
	}
	return shortened(names)
}

func shortened(s string) string {
	s = Shown(s)
	if len(s) <= maxImprint {
		return s
	}
	n := maxImprint
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.TrimSpace(s[:n]) + "…"
}
