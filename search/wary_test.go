package search_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"ibid/search"
	"ibid/search/searchtest"
)

// scripted answers with as many results as it is told to.
type scripted struct {
	found int
	err   error
}

func (s *scripted) Name() string { return "scripted" }

func (s *scripted) Search(context.Context, string, int) (search.Answer, error) {
	if s.err != nil {
		return search.Answer{}, s.err
	}
	answer := search.Answer{Results: []search.Result{}, MicroUSD: 7}
	for range s.found {
		answer.Results = append(answer.Results, search.Result{Title: "T", URL: "https://a.example/"})
	}
	return answer, nil
}

func TestWaryDoubtsEmptyLists(t *testing.T) {
	type step struct {
		query string
		found int
		want  search.Outcome
	}
	for _, tt := range []struct {
		name  string
		steps []step
	}{
		{"everyday queries after successes", []step{{"tide tables", 10, "ok"}, {"harbour crane costs", 9, "ok"}, {"weather", 0, search.Suspicious}, {"news", 0, search.Suspicious}, {"news", 3, "ok"}}},
		{"never found anything: nothing to compare with", []step{{"weather", 0, "empty"}, {"news", 0, "empty"}}},
		{"unusual queries are believed", []step{{"tides", 8, "ok"}, {"zqxv blorft 7781", 0, "empty"}, {"ERR_CERT_INVALID", 0, "empty"}, {`"high water"`, 0, "empty"}, {"site:halden.example tides", 0, "empty"}, {"tides -moon", 0, "empty"}, {"NVLAP", 0, "empty"}, {"10.5194/os", 0, "empty"}, {"hhh", 0, "empty"}}},
		{"a long query finds nothing once, but not twice", []step{{"tides", 8, "ok"}, {"annual maintenance cost of small harbour cranes", 0, "empty"}, {"yearly upkeep of cranes in small ports", 0, search.Suspicious}}},
		{"a very long one may", []step{{"tides", 8, "ok"}, {"weather", 0, search.Suspicious}, {"who paid for the repair of the old crane in the harbour of the town", 0, "empty"}}},
		{"other scripts", []step{{"tides", 8, "ok"}, {"погода", 0, search.Suspicious}, {"天気", 0, search.Suspicious}, {"Überschwemmung", 0, search.Suspicious}, {"l'été", 0, search.Suspicious}}},
	} {
		inner := &scripted{}
		p := search.Wary(inner, nil)
		for _, s := range tt.steps {
			inner.found = s.found
			answer, err := p.Search(t.Context(), s.query, 8)
			var e *search.Error
			errors.As(err, &e)
			if got := outcome(answer, e); got != s.want {
				t.Errorf("%s: %q with %d: %s, want %s", tt.name, s.query, s.found, got, s.want)
			}
			if answer.MicroUSD != 7 {
				t.Errorf("%s: %q: what was paid is lost: %+v", tt.name, s.query, answer)
			}
		}
	}
}

func TestWaryPassesFailuresThrough(t *testing.T) {
	now := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	inner := &scripted{found: 1}
	p := search.Wary(inner, func() time.Time { return now })
	if _, err := p.Search(t.Context(), "tides", 8); err != nil || p.Name() != "scripted" {
		t.Fatal(err, p.Name())
	}
	inner.err = &search.Error{Outcome: search.Quota}
	if _, err := p.Search(t.Context(), "weather", 8); !errors.Is(err, inner.err) {
		t.Errorf("%v, want the provider's own error", err)
	}
	inner.err, inner.found = nil, 0
	now = now.Add(2 * time.Hour)
	if _, err := p.Search(t.Context(), "weather", 8); err != nil {
		t.Errorf("%v: the success was long ago", err)
	}
}

func TestWaryConforms(t *testing.T) {
	p := search.Wary(open(t, "brave", searchtest.Serve(t, "brave")), nil)
	searchtest.Conform(t, p, searchtest.Known, searchtest.Unknown)
}
