package sources

import (
	"slices"
	"strings"
	"time"

	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

// Statuses that a source may have.
const (
	Retracted  = "retracted"  // taken back, by its authors or its publisher
	Doubted    = "doubted"    // an expression of concern stands over it
	Superseded = "superseded" // something newer stands in its place
	Corrected  = "corrected"
	Preprint   = "preprint" // not reviewed
	Draft      = "draft"
	Expired    = "expired"  // a draft whose time is up
	Archived   = "archived" // kept as it was, and no longer looked after
)

// Statuses are all that a card may give, the gravest first.
var Statuses = []string{Retracted, Doubted, Superseded, Expired, Corrected, Draft, Preprint, Archived}

// status is what a source says of its own standing, or its record does: the gravest first, each once.
func (r *reading) status(asOf time.Time) []Fact {
	found := map[string]Fact{}
	note := func(status, basis string, at *evidence.Locator) {
		if _, had := found[status]; !had {
			found[status] = Fact{Value: status, Basis: basis, At: at}
		}
	}
	switch stated := strings.ToLower(strings.TrimSpace(r.Status)); stated {
	case "":
	case "withdrawn", "retraction":
		note(Retracted, statedBasis(r.Source), nil)
	case "obsolete", "obsoleted", "replaced", "outdated", "deprecated":
		note(Superseded, statedBasis(r.Source), nil)
	default:
		note(stated, statedBasis(r.Source), nil)
	}
	for _, m := range titleMarks {
		if words := m.re.FindString(r.Title); words != "" {
			note(m.status, "its title says: "+excerpt(r.Title), nil)
		}
	}
	if r.at(Scholarly) != "" && preprints[r.site] {
		note(Preprint, "its host is "+r.host, nil)
	}
	for _, f := range r.Flags {
		if f == "archived" {
			note(Archived, "it was read from an archive: "+r.URL, nil)
		}
	}
	if archivedAt.MatchString(r.URL) {
		note(Archived, "it was read from an archive: "+r.URL, nil)
	}
	r.notices(note, asOf)
	var list []Fact
	for _, s := range Statuses {
		if f, ok := found[s]; ok {
			list = append(list, f)
		}
	}
	return list
}

// notices looks for what the text says of itself.
func (r *reading) notices(note func(status, basis string, at *evidence.Locator), asOf time.Time) {
	draft := false
	for _, s := range r.spans {
		if len(s.Text) < 40 && stamp.MatchString(s.Text) {
			note(Retracted, "it says: "+excerpt(s.Text), &s.Locator)
		}
	}
	for _, s := range ends(r.spans, headSpans) {
		if s.Role == evidence.RoleQuote || s.Role == evidence.RoleComment || s.Role == evidence.RoleCode {
			continue
		}
		draft = draft || strings.Contains(s.Text, "raft") && idraft.MatchString(s.Text)
		bits := maySay(s.Text)
		if bits == 0 && !draft {
			continue
		}
		text := strings.Join(strings.Fields(s.Text), " ")
		if draft && strings.Contains(text, "xpires") {
			if m := expires.FindStringSubmatch(text); m != nil {
				if at, ok := spelledDay(m[1]); ok && at.Before(asOf) {
					note(Expired, "it says: "+excerpt(m[0]), &s.Locator)
				}
			}
		}
		if len(text) > maxNotice || r.Kind == evidence.Transcript {
			continue
		}
		for _, m := range lineMarks {
			if bits>>slices.Index(Statuses, m.status)&1 == 0 {
				continue
			}
			if at := m.re.FindStringIndex(text); at != nil && !hearsay.MatchString(text) {
				note(m.status, "it says: "+excerpt(text[at[0]:]), &s.Locator)
			}
		}
	}
}

func statedBasis(s evidence.Source) string {
	if s.StatusNote != "" {
		return excerpt(s.StatusNote)
	}
	return "stated of it where it was read"
}

var preprints = set("arxiv.org biorxiv.org medrxiv.org chemrxiv.org ssrn.com preprints.org researchsquare.com osf.io")

func spelledDay(s string) (time.Time, bool) {
	for _, form := range []string{"2 January 2006", "January 2, 2006", "2006-01-02", "2 Jan 2006", "Jan 2, 2006"} {
		if t, err := time.Parse(form, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// aboutOther is the title of a notice on another text.
var aboutOther = []mark{
	{Retracted, lazyregexp.New(`(?i)^\W{0,3}(?:retraction(?: notice| note| statement)?|notice of retraction|withdrawal(?: notice)?)(?: to| of| for|:| -| –)+ ?(.{20,})`)},
	{Doubted, lazyregexp.New(`(?i)^\W{0,3}(?:editorial )?expression of concern(?: to| on| for|:| -| –)+ ?(.{20,})`)},
	{Corrected, lazyregexp.New(`(?i)^\W{0,3}(?:(?:author |publisher )?correction|corrigendum|erratum)(?: to| for|:| -| –)+ ?(.{20,})`)},
}

// noticed gives a source the status that another source of the run is the notice of.
func noticed(read []reading, cards []Card) {
	for i := range read {
		for _, m := range aboutOther {
			of := m.re.FindStringSubmatch(read[i].Title)
			if of == nil {
				continue
			}
			title := foldName(of[1])
			for j := range read {
				own := foldName(read[j].Title)
				if i == j || len(own) < 20 || !strings.Contains(title, own) && !strings.HasPrefix(own, title) || cards[j].Has(m.status) != nil {
					continue
				}
				cards[j].Status = insert(cards[j].Status, Fact{Value: m.status, Basis: read[i].ID + " is the notice: " + excerpt(read[i].Title)})
			}
		}
	}
}

// insert keeps the order of Statuses.
func insert(list []Fact, f Fact) []Fact {
	var out []Fact
	for _, s := range Statuses {
		if s == f.Value {
			out = append(out, f)
		}
		for _, have := range list {
			if have.Value == s {
				out = append(out, have)
			}
		}
	}
	return out
}
