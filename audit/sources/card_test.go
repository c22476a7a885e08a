package sources

import (
	"strings"
	"testing"

	"ibid/evidence"
)

func TestClasses(t *testing.T) {
	for _, c := range []struct {
		page  page
		class string
	}{
		{page{url: "https://arxiv.org/abs/2401.00001"}, Scholarly},
		{page{url: "https://journal.example/7", paras: []string{"Cranes and fees", "Abstract", "We count cranes.", "References"}}, Scholarly},
		{page{url: "https://energy.gov.example/bulletin-2025-1"}, Official},
		{page{url: "https://www.gov.uk/fees"}, Official},
		{page{url: "https://www.ecologie.gouv.fr/taxes"}, Official},
		{page{url: "https://www.bmf.gv.at/x"}, Official},
		{page{url: "https://ec.europa.eu/eurostat/x"}, Official},
		{page{url: "https://x.example/1", publisher: "Bundesamt für Statistik"}, Official},
		{page{url: "https://x.example/1", publisher: "Ministry of Transport"}, Official},
		{page{url: "https://www.reuters.com/x"}, News},
		{page{url: "https://coastaltimes.example/news/x"}, News},
		{page{url: "https://coastaltimes.example/news/x", title: "Fees rise - Coastal Times", publisher: "Coastal Times"}, News},
		{page{url: "https://x.example/1", publisher: "Haldener Zeitung"}, News},
		{page{url: "https://x.example/1", publisher: "Halden Evening Post"}, News},
		{page{url: "https://outpost.example/1", title: "Notes"}, Unknown},
		{page{url: "https://users.cranes.example/t/how-to-lift/138416"}, Community},
		{page{url: "https://thomas.example/gb/guitars", title: "Buy electric guitars at Thomas"}, Vendor},
		{page{url: "https://en.wikipedia.org/wiki/Crane"}, Reference},
		{page{url: "https://x.example/1", publisher: "Encyclopaedia of Harbours"}, Reference},
		{page{url: "https://www.reddit.com/r/cranes/x"}, Community},
		{page{url: "https://forum.cranes.example/t/7"}, Community},
		{page{url: "https://anna.substack.com/p/x"}, Community},
		{page{url: "https://github.com/halden/cranes", kind: evidence.Repo}, Primary},
		{page{url: "https://www.youtube.com/watch?v=x", kind: evidence.Transcript}, Primary},
		{page{url: "https://tamarind.example/2.0", title: "Tamarind 2.0 release notes"}, Vendor},
		{page{url: "https://www.prnewswire.com/x", title: "Cranes of Halden are lighter"}, Vendor},
		{page{url: "https://tamarind.example/pricing", title: "Tamarind: what it costs"}, Vendor},
		{page{url: "https://northmoor.example/first-winter", title: "What the first winter of the Northmoor tidal array taught us"}, Primary},
		{page{url: "https://somewhere.example/first-winter", title: "What I think of winters"}, Unknown},
		{page{url: "file:///home/anna/notes.md", kind: evidence.Markdown}, Unknown},
		{page{url: "https://government-jobs.example/x", title: "How to apply"}, Unknown},
		{page{url: "https://answers.example/x", title: "What is expensive"}, Unknown},
		{page{url: "https://costs.example/x", title: "Where the money goes", paras: []string{"Nobody knows what costs so much."}}, Unknown},
		{page{url: "https://sometimes.example/x", title: "A diary of spring"}, Unknown},
	} {
		s := standing("", c.page)
		if got := s.Cards[0].Class; got.Value != c.class || got.Basis == "" {
			t.Errorf("%s %q %q is %+v, want %s", c.page.url, c.page.publisher, c.page.title, got, c.class)
		}
	}
}

// Status is what a source says of itself, where it would be said; not what it says of others.
func TestStatus(t *testing.T) {
	for _, c := range []struct {
		title, text string
		status      string // "" for none
	}{
		{"RETRACTED: Crane fees and freight", "", Retracted},
		{"RETRACTED ARTICLE: Crane fees and freight", "", Retracted},
		{"[Retracted] Crane fees and freight", "", Retracted},
		{"Crane fees and freight (Withdrawn)", "", Retracted},
		{"WITHDRAWN: Crane fees", "", Retracted},
		{"", "This article has been retracted at the request of the authors.", Retracted},
		{"", "This paper has been withdrawn by Ada Able.", Retracted},
		{"", "Withdrawn by the authors on 2025-09-01", Retracted},
		{"", "In May 2025 this article was retracted by its publisher.", Retracted},
		{"", "The editors have retracted this article because the data cannot be found.", Retracted},
		{"", "RETRACTED", Retracted},
		{"", "Retraction notice", Retracted},
		{"", "Dieser Artikel wurde am 3. Mai 2025 von den Autoren zurückgezogen.", Retracted},
		{"", "Cet article a été rétracté à la demande des auteurs.", Retracted},
		{"", "Este artículo ha sido retractado por la revista.", Retracted},
		{"ZURÜCKGEZOGEN: Kräne und Gebühren", "", Retracted},
		{"", "Expression of concern: the data of this paper are being looked at.", Doubted},
		{"", "This page has been superseded by the tariff of 2026.", Superseded},
		{"", "Superseded by: Tariff 15", Superseded},
		{"", "You are viewing the documentation for an older version of Tamarind.", Superseded},
		{"", "This is an old revision of this page, as edited by Anna.", Superseded},
		{"", "Diese Seite ist veraltet.", Superseded},
		{"", "Diese Norm wurde durch Norm 15 ersetzt.", Superseded},
		{"", "Cette page a été remplacée par le tarif 15.", Superseded},
		{"", "Esta página ha sido sustituida por la tarifa 15.", Superseded},
		{"Crane tariff (superseded)", "", Superseded},
		{"", "Correction: an earlier version of this article misstated the fee.", Corrected},
		{"", "In einer früheren Version dieses Artikels stand eine falsche Gebühr.", Corrected},
		{"", "This preprint has not been peer reviewed.", Preprint},
		{"", "DRAFT – not for citation", Draft},
		{"", "This repository has been archived by the owner on Mar 3, 2024. It is now read-only.", Archived},
		{"", "This page is no longer updated.", Archived},
		{"", "Diese Seite wird nicht mehr aktualisiert.", Archived},
		{"", "Cette page n’est plus mise à jour.", Archived},
		{"", "Esta página ya no se actualiza.", Archived},
		{"", "Obsoleted by: 7230, 7231", Superseded},
		{"Why the paper on cranes was retracted", "The paper on cranes was retracted last year.", ""},

		{"Retracted papers in medicine: a survey", "", ""},
		{"Withdrawn from school: a diary", "", ""},
		{"Draft horses of the north", "", ""},
		{"The archive of the harbour", "", ""},
		{"", "The journal retracted 14 papers of other groups in 2024.", ""},
		{"", "The minister withdrew the bill after protests.", ""},
		{"", "Troops were withdrawn by the general in spring.", ""},
		{"", "Critics ask whether this article should be retracted.", ""},
		{"", "This article was never retracted.", ""},
		{"", "Type B replaced type A in all cranes.", ""},
		{"", "He corrected the figure in his second talk.", ""},
		{"", "This article was published in May and has been read by many.", ""},
		{"", "The draft agreement was signed.", ""},
		{"", "Only peer reviewed papers were counted.", ""},
	} {
		s := standing("", page{url: "https://x.example/1", title: c.title, paras: []string{c.text, "And so on."}})
		got := s.Cards[0].Status
		if c.status == "" && len(got) > 0 || c.status != "" && (len(got) == 0 || got[0].Value != c.status || got[0].Basis == "") {
			t.Errorf("%q %q: %+v, want %q", c.title, c.text, got, c.status)
		}
	}
	middle := make([]string, 60)
	for i := range middle {
		middle[i] = "A paragraph."
	}
	middle[30] = "This article has been retracted, wrote the journal of another one."
	if got := standing("", page{url: "https://x.example/1", paras: middle}).Cards[0].Status; len(got) > 0 {
		t.Errorf("of a paragraph in the middle: %+v", got)
	}
}

func TestStatedStatus(t *testing.T) {
	src := evidence.Source{ID: "S1", URL: "https://x.example/1", Fetched: evidenceDay, Status: "Withdrawn", StatusNote: "Withdrawn by the authors on 2025-09-01"}
	s := Weigh([]evidence.Source{src}, nil, nil, "")
	if got := s.Cards[0].Has(Retracted); got == nil || got.Basis != src.StatusNote {
		t.Errorf("%+v", s.Cards[0])
	}
}

func TestDraftsExpire(t *testing.T) {
	for date, want := range map[string]bool{"12 March 2024": true, "March 12, 2027": false} {
		s := standing("", page{url: "https://x.example/1", paras: []string{"Internet-Draft                    Cranes", "Intended status: Informational   Expires: " + date}})
		if got := s.Cards[0].Has(Expired) != nil; got != want {
			t.Errorf("%s: %+v", date, s.Cards[0].Status)
		}
	}
}

// A notice among the sources speaks of the paper that it names.
func TestNoticeOfAnotherSource(t *testing.T) {
	s := standing("", page{url: "https://a.example/1", title: "Crane fees and the freight of small harbours"}, page{url: "https://b.example/2", title: "Retraction Note to: Crane fees and the freight of small harbours"})
	got := s.Cards[0].Has(Retracted)
	if got == nil || !strings.Contains(got.Basis, "S2") || len(s.Cards[1].Status) > 0 {
		t.Errorf("%+v", s.Cards)
	}
}

// Whoever speaks of himself has an interest; who reports on others has none.
func TestInterest(t *testing.T) {
	s := standing("How fast is Tamarind 2.0?", page{url: "https://tamarind.example/2.0", title: "Release notes"}, page{url: "https://coastaltimes.example/x", title: "Coastal Times: Tamarind is fast"},
		page{url: "https://x.example/", title: "Builds"})
	if s.Cards[0].Interest.Basis == "" || s.Cards[0].Class.Value != Vendor {
		t.Errorf("the maker: %+v", s.Cards[0])
	}
	for _, c := range s.Cards[1:] {
		if c.Interest.Value != "" {
			t.Errorf("%+v", c)
		}
	}
}
