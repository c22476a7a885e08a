package knowledge

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"ibid/audit/conflict"
	"ibid/evidence"
)

// A Conflict is two facts that do not agree. Both are kept.
type Conflict struct {
	A        string            `json:"a"` // fact that is listed
	B        string            `json:"b"`
	Kind     conflict.Kind     `json:"kind"`
	Severity conflict.Severity `json:"severity"`
	SaysA    string            `json:"says_a"`
	SaysB    string            `json:"says_b"`
	Other    string            `json:"other"` // what B says
	URL      string            `json:"url,omitempty"`
}

// rivals are how many facts are looked at for each one that is listed.
const rivals = 12

// conflicts are the pairs of facts that do not agree, of which one is listed: by the rules over findings of audit/conflict.
func (b *Base) conflicts(ctx context.Context, s *shelf, id string, listed []Fact) ([]Conflict, error) {
	numbers := []int64{}
	for _, f := range listed {
		numbers = append(numbers, f.n)
	}
	own := len(numbers)
	for _, f := range listed {
		for _, h := range s.index.Search(f.Description, rivals) {
			if n := factNumber(h.Key); !slices.Contains(numbers, n) {
				numbers = append(numbers, n)
			}
		}
	}
	others, err := facts(ctx, b.DB, id, numbers[own:], 1)
	if err != nil {
		return nil, fmt.Errorf("knowledge: looking for what does not agree: %w", err)
	}
	all := slices.Concat(listed, others)
	list := []Conflict{}
	byID := map[string]*Fact{}
	for i := range all {
		byID[all[i].ID] = &all[i]
	}
	for _, c := range Disagreements(all) {
		x, y := byID[c.A], byID[c.B]
		here := slices.Contains(numbers[:own], x.n)
		if !here && !slices.Contains(numbers[:own], y.n) {
			continue
		}
		if !here {
			x, y, c.SaysA, c.SaysB = y, x, c.SaysB, c.SaysA
		}
		list = append(list, Conflict{x.ID, y.ID, c.Kind, c.Severity, c.SaysA, c.SaysB, y.Description, y.Supports[0].URL})
	}
	return list, nil
}

// Disagreements are the pairs of facts that do not agree; A and B are their ids.
func Disagreements(facts []Fact) []conflict.Conflict {
	ordered := slices.Clone(facts)
	slices.SortFunc(ordered, func(a, b Fact) int { return cmp.Compare(a.n, b.n) })
	var findings []evidence.Finding
	var sources []evidence.Source
	for _, f := range ordered {
		if len(f.Supports) == 0 {
			continue
		}
		first := f.Supports[0]
		at, err := evidence.ParseLocator(first.Locator)
		if err != nil {
			at = evidence.Locator{Unit: evidence.Para, A: int(f.n)} // another place for each
		}
		source := cmp.Or(first.URL, "snippet "+fmt.Sprint(first.Snippet))
		findings = append(findings, evidence.Finding{ID: f.ID, Claim: f.Description, Quote: first.Quote, Source: source, Locator: at})
		if !slices.ContainsFunc(sources, func(s evidence.Source) bool { return s.ID == source }) {
			sources = append(sources, evidence.Source{ID: source, Title: first.Title})
		}
	}
	return conflict.Find(findings, sources)
}
