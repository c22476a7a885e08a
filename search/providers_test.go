package search_test

import (
	"slices"
	"testing"

	"ibid/search"
	"ibid/search/searchtest"
)

// open opens a provider at a server that speaks its wire format.
func open(t *testing.T, name, address string) search.Provider {
	t.Helper()
	p, err := search.Open(name, search.Config{URL: address, Key: searchtest.Key, Contact: "research@ibid.example", Model: "a-model",
		Fee: 10_000, Cost: func(_ string, input, cached, output int64) int64 { return input - cached + cached/10 + 5*output }})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestEveryProviderConforms(t *testing.T) {
	for _, k := range search.Kinds() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			p := open(t, k.Name, searchtest.Serve(t, k.Name))
			if p.Name() != k.Name {
				t.Errorf("Name() = %q", p.Name())
			}
			searchtest.Conform(t, p, searchtest.Known, searchtest.Unknown)
		})
	}
}

// What a provider found is what a run shows: the pages that were served, in their order, as the wire carries them.
func TestProvidersGiveWhatWasFound(t *testing.T) {
	var want []string
	for _, p := range searchtest.Pages() {
		want = append(want, p.URL)
	}
	addresses := map[string][]string{ // catalogues name records of their own
		"arxiv":    {"https://arxiv.org/abs/2401.00000v2", "https://arxiv.org/abs/2401.00001v2", "https://arxiv.org/abs/2401.00002v2"},
		"crossref": {"https://doi.org/10.5194/os-0-1-2020", "https://doi.org/10.5194/os-1-1-2020", "https://doi.org/10.5194/os-2-1-2020"},
		"pubmed":   {"https://pubmed.ncbi.nlm.nih.gov/30000000/", "https://pubmed.ncbi.nlm.nih.gov/30000001/", "https://pubmed.ncbi.nlm.nih.gov/30000002/"},
	}
	snippets := map[string]string{ // "": the provider has none
		"anthropic": "", "openai": "", "semanticscholar": "Ocean Science, 2020", "pubmed": "Author A et al., J Tidal Res, 2018 Jul",
		"openalex": "2018. High and low water for every day of the year.", "crossref": "Ocean Science, 2020. Abstract High and low water for every day of the year.",
		"wikipedia": "rise and fall of sea levels. A tide is High and low water for every day of the year.",
		"arxiv":     "2024. High and low water for every day of the year. and on the next line $a < b$.",
	}
	for _, k := range search.Kinds() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			address := searchtest.Serve(t, k.Name)
			answer, err := open(t, k.Name, address).Search(t.Context(), searchtest.Known, 8)
			if err != nil {
				t.Fatal(err)
			}
			want := want
			if own := addresses[k.Name]; own != nil {
				want = own
			}
			if k.Name == "wikipedia" {
				want = []string{address + "/wiki/Tide_tables_for_the_harbour", address + "/wiki/How_tide_tables_are_made", address + "/wiki/Tides_&_currents"}
			}
			var got []string
			for _, r := range answer.Results {
				got = append(got, r.URL)
			}
			if !slices.Equal(got, want) {
				t.Errorf("found %q, want %q", got, want)
			}
			first := answer.Results[0]
			if first.Title != searchtest.Pages()[0].Title {
				t.Errorf("the first is titled %q", first.Title)
			}
			snippet, own := snippets[k.Name]
			if !own {
				snippet = searchtest.Pages()[0].Snippet
			}
			if first.Snippet != snippet {
				t.Errorf("snippet %q, want %q", first.Snippet, snippet)
			}
		})
	}
}

// Exa tells a price; a model's tokens and searches are priced; the others leave their list price to the caller.
func TestCostOfAnAnswer(t *testing.T) {
	for _, k := range search.Kinds() {
		answer, err := open(t, k.Name, searchtest.Serve(t, k.Name)).Search(t.Context(), searchtest.Known, 8)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]search.Answer{
			"exa":       {MicroUSD: 7000},
			"anthropic": {Tokens: 2560, MicroUSD: 2200 + 30 + 300 + 10_000},
			"openai":    {Tokens: 8090, MicroUSD: 7000 + 100 + 450 + 10_000},
		}[k.Name]
		if answer.Tokens != want.Tokens || answer.MicroUSD != want.MicroUSD {
			t.Errorf("%s: %d tokens, %d µ$; want %d, %d", k.Name, answer.Tokens, answer.MicroUSD, want.Tokens, want.MicroUSD)
		}
	}
}
