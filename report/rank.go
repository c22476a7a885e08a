package report

import (
	"cmp"
	"slices"

	"ibid/audit"
	"ibid/audit/sources"
	"ibid/evidence"
)

// Findings are told in the order in which they were recorded, which is how the researcher ranked them. Where two rank alike, what
// is known of their sources decides (FIND-5): one that was taken back comes last, an original before its copies, and then the
// class. It decides no more than that, since facts about a source are no measure of a claim.

// A worth is what a finding's source is to a reader, the smaller the better.
type worth struct{ fallen, copied, class int }

// tiers of classes: who did, measured, reviewed or decreed it; who tells of it; who may be anybody.
var tiers = map[string]int{sources.Primary: 0, sources.Scholarly: 0, sources.Official: 0, sources.Community: 2, sources.Unknown: 2}

// worth is that of a finding's source; all are worth the same in reports of runs that do not rank.
func (w *writer) worth(f evidence.Finding) worth {
	var v worth
	if !w.in.Ranked || !w.carded() {
		return v
	}
	card := w.in.Record.Standing.Card(f.Source)
	if card == nil {
		return v
	}
	if audit.StatusSentence(card) != "" {
		v.fallen = 1
	}
	if w.copies()[f.Source] {
		v.copied = 1
	}
	class, known := tiers[card.Class.Value]
	if !known {
		class = 1
	}
	v.class = class
	return v
}

// copies are the sources that have what they say from another one.
func (w *writer) copies() map[string]bool {
	if w.copied == nil {
		w.copied = map[string]bool{}
		for _, c := range w.in.Record.Standing.Clusters() {
			for _, l := range c.Links {
				if l.Only == nil && (l.Reason == sources.TakenFrom || l.Reason == sources.Announced) {
					w.copied[l.Source] = true
				}
			}
		}
	}
	return w.copied
}

func (v worth) compare(o worth) int {
	return cmp.Or(cmp.Compare(v.fallen, o.fallen), cmp.Compare(v.copied, o.copied), cmp.Compare(v.class, o.class))
}

// ordered are findings with those last whose source was taken back.
func (w *writer) ordered(list []evidence.Finding) []evidence.Finding {
	slices.SortStableFunc(list, func(a, b evidence.Finding) int { return cmp.Compare(w.worth(a).fallen, w.worth(b).fallen) })
	return list
}

// foremost is, of the findings among list that state what f states, the one of the best source; of equals the first.
func (w *writer) foremost(f evidence.Finding, list []evidence.Finding) evidence.Finding {
	if !w.in.Ranked {
		return f
	}
	for _, o := range w.joined[f.ID] {
		among := slices.ContainsFunc(list, func(l evidence.Finding) bool { return l.ID == o.ID })
		if among && w.worth(o).compare(w.worth(f)) < 0 {
			f = o
		}
	}
	return f
}
