package audit

import (
	"ibid/audit/claim"
	"ibid/audit/conflict"
	"ibid/evidence"
)

// Clash is what a judge is asked about two findings that may not agree: whether what the second claims can be right where
// what the first quotes is. None where that is decided, or one of them is not there.
func Clash(rec Record, x conflict.Conflict) (q claim.Question, is bool) {
	if x.Severity != conflict.Possible {
		return q, false
	}
	var a, b *evidence.Finding
	for i := range rec.Findings {
		switch f := &rec.Findings[i]; {
		case f.ID == x.A && a == nil:
			a = f
		case f.ID == x.B && b == nil:
			b = f
		}
	}
	if a == nil || b == nil {
		return q, false
	}
	q = claim.Question{Claim: b.Claim, Quote: a.Quote}
	for _, s := range rec.Sources {
		if s.ID == a.Source {
			q.Context.Title = s.Title
		}
	}
	return q, true
}
