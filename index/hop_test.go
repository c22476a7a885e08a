package index

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func keys(hits []Hit) (list []string) {
	for _, h := range hits {
		list = append(list, h.Key)
	}
	return list
}

// film is a small set: what a question asks stands in a document that shares none of its words.
var film = []Item{
	{Key: "kiss", Title: "Kiss and Tell (1945 film)", Body: "Kiss and Tell is a comedy in which Shirley Temple plays Corliss Archer."},
	{Key: "temple", Title: "Shirley Temple", Body: "She was named Chief of Protocol of the country in 1976."},
	{Key: "temples", Title: "Temples of Rome", Body: "A shirley is no temple; kissing and telling are forbidden there."},
	{Key: "comedy", Title: "Comedy", Body: "A drama that ends well."},
	{Key: "radio", Title: "Radio drama", Body: "For the ear only."},
}

func TestHopByName(t *testing.T) {
	x := New(Config{})
	x.Add(film...)
	for query, want := range map[string]string{
		"who played Corliss Archer in the film of 1945?": "kiss temple", // by the name in the best hit
		"what became of Shirley Temple?":                 "temple",
		"what became of shirley temple?":                 "temple", // typed without capitals: two words
		"is there a comedy with an archer?":              "kiss temple",
	} {
		if got := strings.Join(keys(x.Search(query, 9)), " "); !strings.HasPrefix(got, want) {
			t.Errorf("Search(%q) = %s, want %s first", query, got, want)
		}
	}
	for _, h := range x.Search("who played Corliss Archer?", 9) {
		if h.Key == "comedy" || h.Key == "radio" {
			t.Errorf("%s came in, which is named in lower case only, or not at all", h.Key)
		}
	}
}

func TestNamesInTitles(t *testing.T) {
	for title, want := range map[string][]string{
		"":                          nil,
		"Kiss and Tell (1945 film)": {"Kiss and Tell"},
		"(untitled)":                {"(untitled)"},
		"Tides\nharbour/tides.md":   {"Tides"},
		"Tide tables | Halden Port": {"Tide tables | Halden Port", "Tide tables"},
		"Home - Halden Port":        {"Home - Halden Port"},
		"The Go Memory Model":       {"The Go Memory Model", "Go Memory Model"},
		"The Who":                   {"The Who"},
		"Jean-Paul Sartre":          {"Jean-Paul Sartre"},
		"东京塔（建筑）":                   {"东京塔"},
	} {
		if diff := cmp.Diff(want, namesIn(title)); diff != "" {
			t.Errorf("%q: %s", title, diff)
		}
	}
}

// TestNoNames: what many documents are called, a number, a stop word and a very long title name nothing.
func TestNoNames(t *testing.T) {
	x := New(Config{})
	for i := range maxShared + 1 {
		x.Add(Item{Key: fmt.Sprint("intro", i), Title: "Introduction", Body: fmt.Sprint("part ", i)})
	}
	long := strings.Repeat("Word ", maxName+1)
	x.Add(Item{Key: "1984", Title: "1984", Body: "novel"}, Item{Key: "who", Title: "Who", Body: "band"}, Item{Key: "long", Title: long, Body: "list"},
		Item{Key: "parent", Body: "The needle of 1984: Who wrote the Introduction to " + long})
	if diff := cmp.Diff([]string{"parent"}, keys(x.Search("needle", 99))); diff != "" {
		t.Error(diff)
	}
}

// TestHopShares: a parent that leads to many documents gives each little, and a document in parts is lifted once.
func TestHopShares(t *testing.T) {
	var links []string
	x := New(Config{Links: func(key string) []string {
		if key == "parent" {
			return links
		}
		return nil
	}})
	x.Add(Item{Key: "parent", Body: "the needle"}, Item{Key: "other", Body: "a needle in hay, hay, hay and hay"})
	for i := range 40 {
		x.Add(Item{Key: fmt.Sprint("doc/", i, "#1"), Doc: fmt.Sprint("doc/", i), Body: "first part"}, Item{Key: fmt.Sprint("doc/", i, "#2"), Doc: fmt.Sprint("doc/", i), Body: "second part"})
	}
	links = []string{"doc/7", "doc/7", "doc/8", "parent", "elsewhere"}
	few := x.Search("needle", 9)
	if diff := cmp.Diff([]string{"parent", "doc/7#1", "doc/8#1", "other"}, keys(few)); diff != "" {
		t.Error(diff)
	}
	for i := range 40 {
		links = append(links, fmt.Sprint("doc/", i))
	}
	if many := x.Search("needle", 99); len(many) != 42 || many[1].Score*4 > few[1].Score {
		t.Errorf("%d hits; of 40 linked documents one gets %v, of two %v", len(many), many[1].Score, few[1].Score)
	}
}
