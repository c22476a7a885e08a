package knowledge

import (
	"strings"
	"testing"
	"unicode/utf8"

	"ibid/evidence"
)

// A source is remembered in parts that can be, each the same again, and its facts stand at its spans.
func TestSourceInParts(t *testing.T) {
	long := strings.Repeat("ü", 2*MaxText+5)
	paragraphs := []string{fell, long, "Halden has 31,000 inhabitants."}
	for range 400 {
		paragraphs = append(paragraphs, strings.Repeat("The ferry crosses the harbour. ", 5))
	}
	o := original(t, "https://a.example/", "A", paragraphs...)
	list, err := o.Snippets()
	if err != nil {
		t.Fatal(err)
	}
	again, err := o.Snippets()
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, address(t))
	all := ""
	for i, s := range list {
		if n := utf8.RuneCountInString(s.Text); n > MaxText || s.Label != Source || s.Origin != again[i].Origin {
			t.Errorf("part %d has %d characters, %+v", i, n, s.Label)
		}
		all += s.Text
		for range 2 {
			b.mustRemember(t, s)
		}
	}
	if strings.Count(all, "ü") != 2*MaxText+5 || strings.Count(all, "ferry") != 2000 {
		t.Error("something is left out, or twice there")
	}
	if i, err := b.Info(t.Context(), me, "notes"); err != nil || i.Snippets != int64(len(list)) || i.Facts != 3 || i.Sources != 1 {
		t.Errorf("%+v, %v", i, err)
	}
	if a := b.mustQuery(t, "How many inhabitants has Halden?"); len(a.Facts) != 1 || a.Facts[0].Supports[0].Locator != "para.3" {
		t.Errorf("%+v", a)
	}
}

// What waits and costs nothing is absorbed, up to what wants a model.
func TestWorkFree(t *testing.T) {
	b := open(t, address(t))
	for _, model := range []string{"", "halden/large", ""} {
		if _, err := b.Remember(t.Context(), me, "notes", Snippet{Text: fell, Label: User, Model: model}, false); err != nil {
			t.Fatal(err)
		}
	}
	if toll, err := b.WorkFree(t.Context(), me, "notes"); err != nil || toll.Snippets != 1 {
		t.Errorf("%+v, %v", toll, err)
	}
	if toll, err := b.Work(t.Context(), me, "notes"); err != nil || toll.Snippets != 2 {
		t.Errorf("the queue was not given back: %+v, %v", toll, err)
	}
}

// Rejected findings, and those that stand among orders to programs, are not worth remembering.
func TestWorth(t *testing.T) {
	list := Worth([]evidence.Finding{{ID: "F1"}, {ID: "F2", Rejected: "wrong"}, {ID: "F3", Flags: []string{"injected_text"}}, {ID: "F4", Flags: []string{"hedge_lost"}}})
	if len(list) != 2 || list[0].ID != "F1" || list[1].ID != "F4" {
		t.Errorf("%+v", list)
	}
}
