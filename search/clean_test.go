package search

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestClean(t *testing.T) {
	tests := []struct {
		name string
		in   []Result
		want []Result
	}{
		{"tracking parameters go, the rest keeps its bytes and order",
			[]Result{{"A", "https://a.example/p?z=1&utm_source=x&b=%20q&fbclid=3&a=2", "s"}},
			[]Result{{"A", "https://a.example/p?z=1&b=%20q&a=2", "s"}}},
		{"a parameter that only looks alike stays",
			[]Result{{"A", "https://a.example/p?utm=1&gclidx=2", ""}},
			[]Result{{"A", "https://a.example/p?utm=1&gclidx=2", ""}}},
		{"the same page once, the better text of both",
			[]Result{{"", "http://a.example/p/", ""}, {"Title", "https://A.example/p?utm_medium=mail#top", "snippet"}},
			[]Result{{"Title", "http://a.example/p/", "snippet"}}},
		{"another query is another page",
			[]Result{{"A", "https://a.example/p?id=1", ""}, {"B", "https://a.example/p?id=2", ""}},
			[]Result{{"A", "https://a.example/p?id=1", ""}, {"B", "https://a.example/p?id=2", ""}}},
		{"a route in the fragment stays",
			[]Result{{"A", "https://a.example/#/one", ""}, {"B", "https://a.example/#/two", ""}},
			[]Result{{"A", "https://a.example/#/one", ""}, {"B", "https://a.example/#/two", ""}}},
		{"markup and entities become text, words stay apart",
			[]Result{{"<b>Caching</b> &amp; cost", "https://a.example/", "one<br>two <em class='x'>th</em>ree&nbsp;\n four<script>bad()</script>"}},
			[]Result{{"Caching & cost", "https://a.example/", "one two three four"}}},
		{"what is no tag stays",
			[]Result{{"vector<int> if a < b", "https://a.example/", "x &lt;b&gt; y"}},
			[]Result{{"vector<int> if a < b", "https://a.example/", "x <b> y"}}},
		{"marks that reorder text go",
			[]Result{{"a\u202eb\x00c", "https://a.example/", "\ufeffx"}},
			[]Result{{"abc", "https://a.example/", "x"}}},
		{"no title: the address",
			[]Result{{"<b></b>", "https://a.example/posts/cost", "s"}},
			[]Result{{"a.example/posts/cost", "https://a.example/posts/cost", "s"}}},
		{"no address that can be read",
			[]Result{{"A", "javascript:alert(1)", ""}, {"B", "", ""}, {"C", "https://", ""}, {"D", "/rel", ""}, {"E", "https://u:p@a.example/", ""}, {"F", "https://a.example/%zz", ""}},
			[]Result{}},
		{"a file of the user's", []Result{{"A", "file:///n/a.md", ""}}, []Result{{"A", "file:///n/a.md", ""}}},
		{"nothing is an empty list", nil, []Result{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Clean(tt.in, 8)); diff != "" {
				t.Errorf("Clean (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCleanBounds(t *testing.T) {
	var many []Result
	for i := range 30 {
		many = append(many, Result{strings.Repeat("long ", 200), fmt.Sprintf("https://a.example/%d", i), strings.Repeat("wörd ", 4000)})
	}
	for _, tt := range []struct{ n, want int }{{3, 3}, {0, 8}, {-1, 8}, {8, 8}, {100, 8}} {
		got := Clean(many, tt.n)
		if len(got) != tt.want {
			t.Errorf("Clean(…, %d) has %d results, want %d", tt.n, len(got), tt.want)
		}
		for _, r := range got {
			if utf8.RuneCountInString(r.Snippet) > maxSnippet+1 || utf8.RuneCountInString(r.Title) > maxTitle+1 {
				t.Errorf("a result says too much: %d characters", utf8.RuneCountInString(r.Snippet))
			}
		}
	}
}

func TestErrorKinds(t *testing.T) {
	cause := errors.New("boom")
	err := fmt.Errorf("ask: %w", &Error{Provider: "library", Outcome: RateLimited, Reason: "429", Hint: "wait", Err: cause})
	if !errors.Is(err, cause) {
		t.Error("the cause is lost")
	}
	if !strings.Contains(err.Error(), "search library: rate_limited: 429 (wait)") {
		t.Errorf("message %q", err)
	}
}

func FuzzClean(f *testing.F) {
	f.Add("<b>t</b>", "https://a.example/?utm_source=1#x", "s &amp; t")
	f.Add("<script>", "HTTP://A.example:80/%2F/?&&a", "<!--")
	f.Fuzz(func(t *testing.T, title, address, snippet string) {
		once := Clean([]Result{{title, address, snippet}}, 8)
		for _, r := range once {
			if r.Title == "" || strings.ContainsAny(r.Title+r.Snippet, "\n\x00") {
				t.Errorf("unclean: %q", r)
			}
			again, _, ok := cleanURL(r.URL)
			if !ok || again != r.URL {
				t.Errorf("cleaning %q again gives %q", r.URL, again)
			}
		}
	})
}
