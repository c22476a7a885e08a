package sources

import (
	"encoding/json"
	"reflect"
	"testing"
)

// Whatever pages say, each source has one card with a class, stands in one cluster, and is weighed the same twice.
func FuzzWeigh(f *testing.F) {
	f.Add("https://a.example/1", "RETRACTED: x", "Coastal Times", "A. Able; B. Bosun", "2024-02", "According to Reuters, fees rose.", "LONDON (Reuters) - This article was originally published by a.example. The plan now costs $4.")
	f.Add("https://web.archive.org/web/2020/https://b.example", "", "", "", "", "哈尔登港周一将起重机费用提高了百分之四", "Expires: 12 March 2024")
	f.Fuzz(func(t *testing.T, url, title, publisher, author, published, a, b string) {
		make := func() *Standing {
			return standing(title, page{url: url, title: title, publisher: publisher, author: author, published: published, paras: []string{a, b}},
				page{url: "https://b.example/x", title: a, publisher: author, paras: []string{b, a}}, page{url: url + "/2", paras: []string{a + b}})
		}
		s := make()
		seen := map[string]bool{}
		for _, c := range s.Clusters() {
			for _, id := range c.Sources {
				if seen[id] {
					t.Fatalf("%s is in two clusters", id)
				}
				seen[id] = true
			}
			for _, l := range c.Links {
				if l.Source == l.Of {
					t.Fatalf("a link of %s to itself", l.Source)
				}
			}
		}
		if len(seen) != 3 || len(s.Cards) != 3 {
			t.Fatalf("%d sources in clusters, %d cards", len(seen), len(s.Cards))
		}
		for _, c := range s.Cards {
			if c.Class.Value == "" || c.Class.Basis == "" {
				t.Fatalf("%+v", c)
			}
		}
		groups, links := s.Origins(said(3))
		if len(groups) > len(s.Clusters()) {
			t.Fatalf("%v are more than the clusters", groups)
		}
		again := make()
		others, more := again.Origins(said(3))
		if !reflect.DeepEqual(groups, others) || !reflect.DeepEqual(links, more) || !reflect.DeepEqual(s.Cards, again.Cards) {
			t.Fatal("weighed otherwise a second time")
		}
		s.Stale(a, []string{"S1", "S2"}, evidenceDay)
		if _, err := json.Marshal(s.Cards); err != nil {
			t.Fatal(err)
		}
	})
}
