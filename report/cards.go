package report

import (
	"bytes"
	"encoding/json"
	"slices"

	"ibid/audit"
	"ibid/audit/sources"
	"ibid/evidence"
)

// A Corroboration is findings that state the same, and the origins of their sources: those of one origin count as one (FIND-3).
type Corroboration struct {
	Findings []string       `json:"findings"`
	Origins  [][]string     `json:"origins"` // source ids
	Links    []sources.Link `json:"links,omitempty"`
}

// carded reports whether a report says what its sources are worth.
func (w *writer) carded() bool { return w.in.Record.Cards == audit.CardsRequired }

// join finds the findings that state the same.
func (w *writer) join() {
	w.joined = map[string][]evidence.Finding{}
	if !w.carded() {
		return
	}
	for _, group := range audit.Joined(w.in.Record.Findings) {
		var all []evidence.Finding
		for _, i := range group {
			all = append(all, w.in.Record.Findings[i])
		}
		for _, f := range all {
			w.joined[f.ID] = all
		}
	}
}

// joins reports whether a finding states what one of those states that were told.
func (w *writer) joins(f evidence.Finding, told []evidence.Finding) bool {
	return slices.ContainsFunc(told, func(t evidence.Finding) bool {
		return slices.ContainsFunc(w.joined[f.ID], func(o evidence.Finding) bool { return o.ID == t.ID })
	})
}

// corroborated shows the words of the other sources that state what a finding states, where they are others, and counts their
// origins.
func (w *writer) corroborated(f evidence.Finding) {
	all := w.joined[f.ID]
	if len(all) == 0 {
		return
	}
	shown := []evidence.Finding{f}
	for _, o := range all {
		if !slices.ContainsFunc(shown, func(s evidence.Finding) bool { return sameWords(s.Quote, o.Quote) }) {
			shown = append(shown, o)
			w.line(w.quote(o))
		}
		w.fallen(o.Source)
	}
	origins, _ := w.in.Record.Standing.Origins(keys(all))
	w.line(audit.Corroboration(origins) + " " + w.cite(all...) + ".")
}

func keys(findings []evidence.Finding) (list []evidence.Key) {
	for _, f := range findings {
		list = append(list, f.Key())
	}
	return list
}

// fallen says, once, that a source that is cited was taken back or superseded.
func (w *writer) fallen(source string) {
	if !w.carded() || w.told[source] {
		return
	}
	if s := audit.StatusSentence(w.in.Record.Standing.Card(source)); s != "" {
		w.told[source] = true
		w.line(s)
	}
}

// standing says it of the sources that are cited where it could not be said.
func (w *writer) standing() {
	if !w.carded() {
		return
	}
	first := true
	for _, s := range w.in.Record.Sources {
		if !w.cited[s.ID] || w.told[s.ID] || audit.StatusSentence(w.in.Record.Standing.Card(s.ID)) == "" {
			continue
		}
		if first {
			w.line("## Standing of the sources")
			first = false
		}
		w.fallen(s.ID)
	}
}

// cards is what the check of a bundle makes of cards: a bundle with cards has a report that shows them.
func (b Bundle) cards() audit.Cards {
	if b.Cards != nil {
		return audit.CardsRequired
	}
	return audit.CardsChecked
}

// weigh fills in what the sources of a bundle are worth.
func (b *Bundle) weigh(rec audit.Record) {
	standing := rec.Standing
	if standing == nil {
		standing = audit.Standing(rec)
	}
	b.Cards, b.Clusters, b.Corroborated = standing.Cards, standing.Clusters(), nil
	for _, group := range audit.Joined(rec.Findings) {
		var c Corroboration
		var at []evidence.Key
		for _, i := range group {
			c.Findings, at = append(c.Findings, rec.Findings[i].ID), append(at, rec.Findings[i].Key())
		}
		c.Origins, c.Links = standing.Origins(at)
		b.Corroborated = append(b.Corroborated, c)
	}
}

// checkCards adds to a result what a bundle says of its sources that their record does not come to.
func (b Bundle) checkCards(r audit.Result) audit.Result {
	if b.Cards == nil {
		return r
	}
	var again Bundle
	again.weigh(b.Record())
	for _, part := range []struct {
		name         string
		stated, real any
	}{{"cards", b.Cards, again.Cards}, {"clusters", b.Clusters, again.Clusters}, {"corroborations", b.Corroborated, again.Corroborated}} {
		x, errA := json.Marshal(part.stated)
		y, errB := json.Marshal(part.real)
		if errA != nil || errB != nil || !bytes.Equal(x, y) {
			r.OK = false
			r.Failures = append(r.Failures, audit.Failure{Code: audit.SourceList, Severity: audit.Block, Text: part.name,
				Message: "The " + part.name + " of the sources are not what their record comes to."})
		}
	}
	return r
}
