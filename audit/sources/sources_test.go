package sources

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ibid/evidence"
)

// A page is a source as a test writes it; its first paragraph is a finding.
type page struct {
	url, title, publisher, author, published string
	kind                                     evidence.Kind
	paras                                    []string
}

var evidenceDay = time.Date(2026, 8, 6, 12, 0, 0, 0, time.UTC)

func para(n int) evidence.Locator { return evidence.Locator{Unit: evidence.Para, A: n} }

// standing weighs pages S1, S2 … of which the whole first paragraph is quoted.
func standing(question string, pages ...page) *Standing {
	var list []evidence.Source
	var findings []evidence.Finding
	spans := map[string][]evidence.Span{}
	for i, p := range pages {
		id := evidence.SourceID(i + 1)
		if p.kind == "" {
			p.kind = evidence.HTML
		}
		list = append(list, evidence.Source{ID: id, URL: p.url, Title: p.title, Publisher: p.publisher, Author: p.author, Published: p.published, Kind: p.kind, Fetched: evidenceDay})
		for n, text := range p.paras {
			spans[id] = append(spans[id], evidence.Span{Source: id, Locator: para(n + 1), Text: text})
		}
		if len(p.paras) > 0 {
			findings = append(findings, evidence.Finding{ID: evidence.FindingID(i + 1), Source: id, Locator: para(1), Quote: p.paras[0], Claim: p.paras[0]})
		}
	}
	return Weigh(list, spans, findings, question)
}

// said are the first paragraphs of the first n sources.
func said(n int) (keys []evidence.Key) {
	for i := range n {
		keys = append(keys, evidence.Key{Source: evidence.SourceID(i + 1), Locator: para(1)})
	}
	return keys
}

// What makes two pages one origin, and what does not.
func TestOrigins(t *testing.T) {
	const story = "The port of Halden raised its crane fees by four percent on Monday, and shippers who had asked for a freeze until spring were told to write to the tariff desk."
	for _, c := range []struct {
		name   string
		a, b   page
		reason Reason // "" for independent
	}{
		{"two texts of two houses", page{url: "https://morning.example/a", paras: []string{story}}, page{url: "https://docks.example/n", paras: []string{"From Monday the crane tariff stands at 104 percent of the table of 2024."}}, ""},
		{"one text of two houses", page{url: "https://morning.example/a", paras: []string{story}}, page{url: "https://evening.example/b", paras: []string{"Crane fees in Halden", story + " Advertisement"}}, SameText},
		{"one text, cut and set otherwise", page{url: "https://morning.example/a", paras: []string{story}}, page{url: "https://evening.example/b", paras: []string{"The PORT of Halden raised its crane fees by four percent on Monday", "shippers who had asked for a freeze until spring were told to write to the tariff desk"}}, SameText},
		{"one domain", page{url: "https://www.morning.example/a", paras: []string{"Fees rose by four percent, says the port."}}, page{url: "https://sport.morning.example/b", paras: []string{"A boat race was held in the harbour on Sunday."}}, SamePublisher},
		{"one publisher, two domains", page{url: "https://a.example/1", publisher: "Coastal Times", paras: []string{"Fees rose."}}, page{url: "https://b.example/2", publisher: "The Coastal Times Ltd", paras: []string{"The fee is higher."}}, SamePublisher},
		{"a publisher and its domain", page{url: "https://a.example/1", publisher: "Coastal Times", paras: []string{"Fees rose."}}, page{url: "https://coastaltimes.example/2", paras: []string{"The fee is higher."}}, SamePublisher},
		{"two blogs of one host", page{url: "https://anna.github.io/x", paras: []string{"Fees rose."}}, page{url: "https://bert.github.io/y", paras: []string{"The fee is higher."}}, ""},
		{"two blogs of Medium", page{url: "https://medium.com/@anna/x", publisher: "Medium", paras: []string{"Fees rose."}}, page{url: "https://medium.com/@bert/y", publisher: "Medium", paras: []string{"The fee is higher."}}, ""},
		{"one blog of Medium", page{url: "https://medium.com/@anna/x", paras: []string{"Fees rose."}}, page{url: "https://medium.com/@anna/y", paras: []string{"The fee is higher."}}, SamePublisher},
		{"two letters of Substack", page{url: "https://anna.substack.com/p/x", publisher: "Substack", paras: []string{"Fees rose."}}, page{url: "https://bert.substack.com/p/y", publisher: "Substack", paras: []string{"The fee is higher."}}, ""},
		{"two projects of one owner", page{url: "https://github.com/halden/cranes", kind: evidence.Repo, paras: []string{"fees = 4"}}, page{url: "https://github.com/halden/tariff", kind: evidence.Repo, paras: []string{"tariff = 104"}}, SamePublisher},
		{"two papers of arXiv", page{url: "https://arxiv.org/abs/2401.00001", author: "Ada Able", publisher: "arXiv", paras: []string{"Fees rose."}}, page{url: "https://arxiv.org/abs/2402.00002", author: "Bo Bosun", publisher: "arXiv", paras: []string{"The fee is higher."}}, ""},
		{"two papers of one author", page{url: "https://arxiv.org/abs/2401.00001", author: "Ada Able; Carl Cook", paras: []string{"Fees rose."}}, page{url: "https://journal.example/2", author: "Bo Bosun; Ada Able", paras: []string{"The fee is higher."}}, SameAuthor},
		{"two newsrooms", page{url: "https://a.example/1", author: "Staff Writer", paras: []string{"Fees rose."}}, page{url: "https://b.example/2", author: "Staff Writer", paras: []string{"The fee is higher."}}, ""},
		{"a preprint and its print", page{url: "https://arxiv.org/abs/2401.00001", title: "Crane fees and the freight of small harbours", author: "Ada Able", paras: []string{"Fees rose."}}, page{url: "https://journal.example/2", title: "Crane Fees and the Freight of Small Harbours", author: "Ada Able", paras: []string{"The fee is higher."}}, SameWork},
		{"an archived copy", page{url: "https://web.archive.org/web/20200101000000/https://morning.example/a", paras: []string{"Fees rose."}}, page{url: "https://morning.example/b", paras: []string{"The fee is higher."}}, SamePublisher},
		{"one names the other", page{url: "https://morning.example/a", publisher: "Morning Post", paras: []string{"Fees rose by four percent, says the harbour office."}}, page{url: "https://b.example/2", paras: []string{"According to the Morning Post, the fee is four percent higher."}}, Attributed},
		{"one names the other as its reporter", page{url: "https://morningpost.example/a", paras: []string{"Fees rose by four percent, says the harbour office."}}, page{url: "https://b.example/2", paras: []string{"The fee is four percent higher, the Morning Post reported on Monday."}}, Attributed},
		{"one names a report", page{url: "https://a.example/a", title: "TR-2024-17: Crane fees", paras: []string{"Fees rose by four percent."}}, page{url: "https://b.example/2", paras: []string{"The fee is four percent higher, according to TR-2024-17."}}, Attributed},
		{"both have it from a third", page{url: "https://a.example/1", paras: []string{"According to the Harbour Statistics Office, fees rose by four percent."}}, page{url: "https://b.example/2", paras: []string{"The fee is four percent higher, Harbour Statistics Office said in May."}}, Attributed},
		{"both have it from a third, in German", page{url: "https://a.example/1", paras: []string{"Laut Statistikamt Halden stiegen die Gebühren um vier Prozent."}}, page{url: "https://b.example/2", paras: []string{"Um vier Prozent höher ist die Gebühr, Statistikamt Halden zufolge."}}, Attributed},
		{"both have it from a third, in French and Spanish", page{url: "https://a.example/1", paras: []string{"Selon l’Office Portuaire, les taxes ont augmenté de quatre pour cent."}}, page{url: "https://b.example/2", paras: []string{"Según Office Portuaire, las tasas subieron un cuatro por ciento."}}, Attributed},
		{"both cite one paper", page{url: "https://a.example/1", paras: []string{"Fees rose by four percent (doi: 10.5555/crane.7)."}}, page{url: "https://b.example/2", paras: []string{"The fee is four percent higher, see https://doi.org/10.5555/CRANE.7."}}, Attributed},
		{"they name different people", page{url: "https://a.example/1", paras: []string{"According to Mayor Okafor, fees rose."}}, page{url: "https://b.example/2", paras: []string{"According to the Pilots Union, the fee is higher."}}, ""},
		{"officials said", page{url: "https://a.example/1", paras: []string{"Officials said that fees rose."}}, page{url: "https://b.example/2", paras: []string{"The fee is higher, Officials said."}}, ""},
		{"according to a table", page{url: "https://a.example/1", paras: []string{"According to Table 2, fees rose."}}, page{url: "https://b.example/2", paras: []string{"According to Table 2, the fee is higher."}}, ""},
		{"one agency's dateline", page{url: "https://a.example/1", paras: []string{"Fees rose.", "HALDEN (Reuters) - The harbour office spoke on Monday."}}, page{url: "https://b.example/2", paras: []string{"The fee is higher.", "OSLO, March 3 (Reuters) – Shippers are angry."}}, TakenFrom},
		{"an agency and who prints it", page{url: "https://www.reuters.com/x", paras: []string{"Fees rose."}}, page{url: "https://b.example/2", author: "Reuters", paras: []string{"The fee is higher."}}, TakenFrom},
		{"two agencies", page{url: "https://a.example/1", paras: []string{"Fees rose.", "HALDEN (AP) - The harbour office spoke on Monday."}}, page{url: "https://b.example/2", paras: []string{"The fee is higher.", "HALDEN (dpa) - Shippers are angry."}}, ""},
		{"originally published", page{url: "https://morning.example/a", publisher: "Morning Post", paras: []string{"Fees rose."}}, page{url: "https://b.example/2", paras: []string{"The fee is higher.", "This article was originally published by the Morning Post."}}, TakenFrom},
		{"originally published, and another sentence", page{url: "https://futurism.example/a", paras: []string{"Fees rose."}}, page{url: "https://b.example/2", paras: []string{"The fee is higher.", "This article was originally published by Futurism. Read the original article."}}, TakenFrom},
		{"zuerst erschienen", page{url: "https://morgenpost.example/a", paras: []string{"Die Gebühr stieg."}}, page{url: "https://b.example/2", paras: []string{"Kräne kosten mehr.", "Dieser Artikel ist zuerst erschienen bei morgenpost.example."}}, TakenFrom},
		{"publicado originalmente", page{url: "https://elpuerto.example/a", publisher: "El Puerto", paras: []string{"Subieron las tasas."}}, page{url: "https://b.example/2", paras: []string{"Las grúas cuestan más.", "Publicado originalmente en El Puerto."}}, TakenFrom},
		{"an announcement", page{url: "https://haldenport.example/news", title: "Halden Port raises fees", publisher: "Halden Port", paras: []string{"We raise crane fees by four percent."}}, page{url: "https://b.example/2", publisher: "Evening Herald", paras: []string{"Crane fees go up by four percent, the operator wrote on its blog."}}, Announced},
		{"one sentence of two long pages", page{url: "https://a.example/1", paras: []string{story, long("harbour", 300)}}, page{url: "https://b.example/2", paras: []string{story, long("quay", 300)}}, SameWords},
		{"one sentence in Chinese", page{url: "https://a.example/1", paras: []string{"哈尔登港周一将起重机费用提高了百分之四，托运人被告知写信给收费处。"}}, page{url: "https://b.example/2", paras: []string{"哈尔登港周一将起重机费用提高了百分之四，托运人被告知写信给收费处。广告"}}, SameText},
	} {
		s := standing("What are the crane fees?", c.a, c.b)
		groups, links := s.Origins(said(2))
		switch {
		case c.reason == "" && len(groups) != 2:
			t.Errorf("%s: one origin by %+v", c.name, links)
		case c.reason != "" && (len(groups) != 1 || !slices.ContainsFunc(links, func(l Link) bool { return l.Reason == c.reason })):
			t.Errorf("%s: %v by %+v, want one by %s", c.name, groups, links, c.reason)
		}
		for _, l := range links {
			if l.Words == "" {
				t.Errorf("%s: a link without words: %+v", c.name, l)
			}
		}
	}
}

// long is a text of n words that no other has.
func long(word string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s%d ", word, i)
	}
	return b.String()
}

// An attribution holds for the passage that makes it: elsewhere the sources stay independent.
func TestAttributionsAreOfPassages(t *testing.T) {
	s := standing("", page{url: "https://a.example/1", publisher: "Morning Post", paras: []string{"Fees rose by four percent.", "The gate was painted."}},
		page{url: "https://b.example/2", paras: []string{"According to the Morning Post, the fee is higher.", "A ship came on Friday."}})
	if got := s.Clusters(); len(got) != 2 {
		t.Errorf("as a whole: %+v", got)
	}
	if groups, _ := s.Origins([]evidence.Key{{Source: "S1", Locator: para(2)}, {Source: "S2", Locator: para(2)}}); len(groups) != 2 {
		t.Errorf("elsewhere: %v", groups)
	}
	if groups, _ := s.Origins(said(2)); len(groups) != 1 {
		t.Errorf("there: %v", groups)
	}
}

// Copies of a text are one origin though none of them holds the first.
func TestClustersAreTransitive(t *testing.T) {
	text := long("word", 60)
	s := standing("", page{url: "https://a.example/", paras: []string{text}}, page{url: "https://b.example/", paras: []string{"Another text, of its own, about harbours and cranes."}},
		page{url: "https://c.example/", paras: []string{text}}, page{url: "https://www.c.example/x", paras: []string{"A third page with nothing in common but its house."}})
	got := s.Clusters()
	if len(got) != 2 || !slices.Equal(got[0].Sources, []string{"S1", "S3", "S4"}) || len(got[0].Links) != 2 {
		t.Errorf("%+v", got)
	}
}

// An article that quotes a passage of another one is an origin of its own.
func TestQuotingIsNoCopying(t *testing.T) {
	storm := "The storm of 3 March moved eleven buoys off their marks and closed the port for two days."
	s := standing("", page{url: "https://a.example/", paras: []string{"Of the harbour.", long("harbour", 200), storm}}, page{url: "https://b.example/", paras: []string{"Of the railway.", storm, long("railway", 200)}},
		page{url: "https://c.example/", paras: []string{"Printed again.", long("harbour", 200)}})
	if got := s.Clusters(); len(got) != 2 || !slices.Equal(got[0].Sources, []string{"S1", "S3"}) {
		t.Errorf("%+v", got)
	}
}
