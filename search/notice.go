package search

import "strings"

// An update is how Crossref says of a work that another one changes what it is worth.
type update struct{ Type, DOI string }

// The kinds of updates that a reader must know of, the gravest first, and what a work is by them.
var updates = []struct{ kind, status string }{
	{"retraction", "retracted"}, {"withdrawal", "retracted"}, {"removal", "retracted"}, {"expression_of_concern", "doubted"},
	{"correction", "corrected"}, {"corrigendum", "corrected"}, {"erratum", "corrected"},
}

// noticeOf is the gravest of the updates of a work.
func noticeOf(who, address, doi string, by []update) (n Notice, is bool) {
	for _, u := range updates {
		for _, b := range by {
			if kind := strings.ReplaceAll(strings.ToLower(b.Type), "-", "_"); kind == u.kind {
				n = Notice{URL: address, DOI: doi, Status: u.status, Says: who + " has a notice: " + strings.ReplaceAll(u.kind, "_", " ")}
				if b.DOI != "" && len(b.DOI) < 200 {
					n.Says += ", doi " + b.DOI
				}
				return n, true
			}
		}
	}
	return n, false
}
