package runs

import (
	"context"

	"ibid/evidence"
	"ibid/report"
)

// A Comparison is two runs, claim by claim.
type Comparison struct {
	A       string    `json:"a"`
	B       string    `json:"b"`
	Both    []Pair    `json:"both"`    // the same claim from the same words
	Changed []Pair    `json:"changed"` // the same claim, carried by other words or another place
	OnlyA   []Claimed `json:"only_a"`
	OnlyB   []Claimed `json:"only_b"`
}

// Claimed is a finding as comparisons show it.
type Claimed struct {
	Claim string `json:"claim"`
	Span  string `json:"span"`
	URL   string `json:"url"`
	Quote string `json:"quote"`
}

// A Pair is one claim in both runs.
type Pair struct {
	A Claimed `json:"a"`
	B Claimed `json:"b"`
}

// Compare sets two runs side by side (JOURNAL-4). Sources are matched by URL: their numbers depend on the order of
// reading.
func (e *Engine) Compare(ctx context.Context, a, b string) (Comparison, error) {
	cmp := Comparison{A: a, B: b, Both: []Pair{}, Changed: []Pair{}, OnlyA: []Claimed{}, OnlyB: []Claimed{}}
	first, err := e.claims(ctx, a)
	if err != nil {
		return cmp, err
	}
	second, err := e.claims(ctx, b)
	if err != nil {
		return cmp, err
	}
	used := make([]bool, len(second))
	for _, x := range first {
		match := -1
		for i, y := range second {
			if !used[i] && y.Claim == x.Claim && (match < 0 || y.Quote == x.Quote && y.URL == x.URL) {
				match = i
			}
		}
		if match < 0 {
			cmp.OnlyA = append(cmp.OnlyA, x)
			continue
		}
		used[match] = true
		y := second[match]
		if y.Quote == x.Quote && y.URL == x.URL {
			cmp.Both = append(cmp.Both, Pair{x, y})
		} else {
			cmp.Changed = append(cmp.Changed, Pair{x, y})
		}
	}
	for i, y := range second {
		if !used[i] {
			cmp.OnlyB = append(cmp.OnlyB, y)
		}
	}
	return cmp, nil
}

func (e *Engine) claims(ctx context.Context, id string) ([]Claimed, error) {
	result, err := e.Result(ctx, id)
	if err != nil {
		return nil, err
	}
	bundle, err := report.ParseJSON(result.JSON)
	if err != nil {
		return nil, err
	}
	urls := map[string]string{}
	for _, s := range bundle.Sources {
		urls[s.ID] = s.URL
	}
	var list []Claimed
	for _, f := range bundle.Findings {
		if f.Rejected != "" {
			continue
		}
		list = append(list, Claimed{f.Claim, evidence.Citation{Source: f.Source, Locator: f.Locator}.String(), urls[f.Source], f.Quote})
	}
	return list, nil
}
