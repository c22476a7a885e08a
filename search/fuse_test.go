package search_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"ibid/search"
	"ibid/search/searchtest"
)

// canned is a provider that always answers the same.
type canned struct {
	name   string
	answer search.Answer
	err    error
	wait   time.Duration
}

func (c canned) Name() string { return c.name }

func (c canned) Search(ctx context.Context, _ string, _ int) (search.Answer, error) {
	if err := ctx.Err(); err != nil {
		return search.Answer{}, err
	}
	time.Sleep(c.wait)
	return c.answer, c.err
}

func finds(name string, addresses ...string) canned {
	c := canned{name: name, answer: search.Answer{Results: []search.Result{}, Tokens: 1, MicroUSD: 10}}
	for _, a := range addresses {
		c.answer.Results = append(c.answer.Results, search.Result{Title: name, URL: a})
	}
	return c
}

func fails(name string, o search.Outcome, wait time.Duration) canned {
	return canned{name: name, err: &search.Error{Outcome: o, Reason: "down", Hint: "hint of " + name, RetryAfter: wait}}
}

func urls(results []search.Result) string {
	var s []string
	for _, r := range results {
		s = append(s, strings.TrimPrefix(r.URL, "https://"))
	}
	return strings.Join(s, " ")
}

func TestFuseRanks(t *testing.T) {
	a := finds("a", "https://x.example/1", "https://x.example/2", "https://x.example/3")
	b := finds("b", "https://y.example/1", "https://x.example/3", "https://x.example/2")
	for _, tt := range []struct {
		name string
		in   []search.Provider
		n    int
		want string
	}{
		// 2 and 3 are worth 1/62+1/63 each, the firsts 1/61: found twice beats found first.
		{"two", []search.Provider{a, b}, 8, "x.example/2 x.example/3 x.example/1 y.example/1"},
		{"the other way round", []search.Provider{b, a}, 8, "x.example/3 x.example/2 y.example/1 x.example/1"},
		{"no more than asked for", []search.Provider{a, b}, 2, "x.example/2 x.example/3"},
		{"one page in many spellings", []search.Provider{finds("a", "https://q.example/1", "http://www.p.example/a/?utm_source=x"), finds("b", "https://m.p.example/a", "https://q.example/2"), finds("c", "https://p.example/a?amp=1")}, 8,
			"m.p.example/a q.example/1 q.example/2"}, // as the best rank spells it
		{"nothing", []search.Provider{finds("a"), finds("b")}, 8, ""},
	} {
		answer, err := search.Fuse(tt.in...).Search(t.Context(), "q", tt.n)
		if got := urls(answer.Results); err != nil || got != tt.want {
			t.Errorf("%s: %s, %v; want %s", tt.name, got, err, tt.want)
		}
		if answer.Tokens != int64(len(tt.in)) || answer.MicroUSD != 10*int64(len(tt.in)) {
			t.Errorf("%s: costs are not added: %+v", tt.name, answer)
		}
	}
}

// Who answers first makes no difference.
func TestFuseIsDeterministic(t *testing.T) {
	a := finds("a", "https://x.example/1", "https://x.example/2")
	b := finds("b", "https://y.example/1", "https://x.example/2")
	var want search.Answer
	for i, wait := range []time.Duration{0, time.Millisecond, 2 * time.Millisecond} {
		slow, fast := a, b
		if i%2 == 1 {
			slow.wait = wait
		} else {
			fast.wait = wait
		}
		got, err := search.Fuse(slow, fast).Search(t.Context(), "q", 8)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			want = got
		} else if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, then %+v", want, got)
		}
	}
}

func TestFuseTellsFailures(t *testing.T) {
	ok := finds("ok", "https://x.example/1")
	degraded := ok
	degraded.name, degraded.err = "half", &search.Error{Outcome: search.Degraded, Reason: "google failed"}
	for _, tt := range []struct {
		name    string
		in      []search.Provider
		want    search.Outcome
		results int
		says    []string
		wait    time.Duration
	}{
		{"some", []search.Provider{ok, fails("brave", search.RateLimited, 7*time.Second)}, search.Degraded, 1, []string{"brave: rate_limited"}, 7 * time.Second},
		{"one is degraded itself", []search.Provider{ok, degraded}, search.Degraded, 1, []string{"half", "google failed"}, 0},
		{"who answered has nothing", []search.Provider{finds("none"), fails("brave", search.Failed, 0)}, search.Degraded, 0, []string{"brave"}, 0},
		{"all: a wait helps", []search.Provider{fails("a", search.Unauthorised, 0), fails("b", search.RateLimited, 9*time.Second), fails("c", search.RateLimited, 5*time.Second)}, search.RateLimited, 0, []string{"a: unauthorised", "b: ", "c: ", "hint of b"}, 5 * time.Second},
		{"all: the lesser evil", []search.Provider{fails("a", search.Unauthorised, 0), fails("b", search.Quota, 0)}, search.Quota, 0, []string{"hint of b"}, 0},
		{"an error of no type", []search.Provider{canned{name: "a", err: errors.New("boom")}, fails("b", "", 0)}, search.Failed, 0, []string{"a: failed, boom"}, 0},
		{"no provider at all", nil, search.Failed, 0, []string{"no search provider"}, 0},
	} {
		answer, err := search.Fuse(tt.in...).Search(t.Context(), "q", 8)
		var e *search.Error
		if !errors.As(err, &e) || e.Outcome != tt.want || len(answer.Results) != tt.results || e.RetryAfter != tt.wait {
			t.Errorf("%s: %d results, %v (%v)", tt.name, len(answer.Results), err, e)
			continue
		}
		for _, s := range tt.says {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%s: %v does not say %q", tt.name, err, s)
			}
		}
	}
}

func TestFuseIsAProvider(t *testing.T) {
	one := open(t, "serper", searchtest.Serve(t, "serper"))
	if search.Fuse(one) != one {
		t.Error("one provider is not returned as it is")
	}
	p := search.Fuse(one, open(t, "crossref", searchtest.Serve(t, "crossref")), open(t, "exa", searchtest.Serve(t, "exa")))
	if p.Name() != "serper+crossref+exa" {
		t.Errorf("Name() = %q", p.Name())
	}
	searchtest.Conform(t, p, searchtest.Known, searchtest.Unknown)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Search(ctx, "q", 8); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the context's error", err)
	}
}

// TestPriced: each provider of a fused search costs what it says, or its list price; one that failed costs nothing.
func TestPriced(t *testing.T) {
	said := canned{name: "exa", answer: search.Answer{Results: []search.Result{{Title: "a", URL: "https://a.example/"}}, MicroUSD: 7000}}
	silent := canned{name: "tavily", answer: search.Answer{Results: []search.Result{{Title: "b", URL: "https://b.example/"}}}}
	failed := canned{name: "brave", err: &search.Error{Outcome: search.Quota, Reason: "nothing left"}}
	empty := canned{name: "serper", answer: search.Answer{Results: []search.Result{}}}
	answer, err := search.Fuse(search.Priced(said, 5000), search.Priced(silent, 8000), search.Priced(failed, 9000), search.Priced(empty, 1000)).Search(t.Context(), "q", 8)
	var e *search.Error
	if !errors.As(err, &e) || e.Outcome != search.Degraded || answer.MicroUSD != 16_000 || len(answer.Results) != 2 {
		t.Errorf("%+v, %v; want 16000 of 7000 said and 8000 and 1000 by the list", answer, err)
	}
}
