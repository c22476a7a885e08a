package knowledge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	fell  = "Losses in the northern grid fell to 4.1 percent in 2024."
	again = "However, losses in the northern grid fell to 4.1 percent in 2024, the union said."
	other = "Losses in the northern grid fell to 4.6 percent in 2024."
)

// The same fact from another source is one with two supports; facts that do not agree are two, and shown as a conflict.
func TestFactsAreMerged(t *testing.T) {
	b := open(t, address(t))
	for i, text := range []string{fell, again, other} {
		kept := original(t, fmt.Sprintf("https://%c.example/losses", 'a'+i), fmt.Sprintf("Source %d", i+1), "Nothing else of note.", text)
		b.mustRemember(t, Snippet{Text: text, Label: Source, Kept: kept, Run: "r1", Origin: fmt.Sprint("r1 F", i+1)})
	}
	a := b.mustQuery(t, "How large were grid losses in 2024?")
	if len(a.Facts) != 2 || a.More != 0 || a.Empty {
		t.Fatalf("%+v", a)
	}
	one, two := a.Facts[0], a.Facts[1]
	if len(one.Supports) == 1 {
		one, two = two, one
	}
	if len(one.Supports) != 2 || len(two.Supports) != 1 || one.Entity != "Losses in the northern grid" || one.Target != "4.1 percent in 2024" {
		t.Fatalf("%+v\n%+v", one, two)
	}
	s := one.Supports[1]
	if s.URL != "https://b.example/losses" || s.Locator != "para.2" || s.Quote != again || s.Label != Source || s.Run != "r1" || s.Title != "Source 2" || !s.Newest {
		t.Errorf("%+v", s)
	}
	if len(a.Conflicts) != 1 || !strings.Contains(a.Conflicts[0].SaysA+a.Conflicts[0].SaysB, "4.6") || a.Conflicts[0].Severity != "certain" {
		t.Errorf("conflicts %+v", a.Conflicts)
	}
	if text := a.String(); !strings.Contains(text, "Conflict") || !strings.Contains(text, "https://b.example/losses") {
		t.Error(text)
	}
	if i, err := b.Info(t.Context(), me, "notes"); err != nil || i.Facts != 2 || i.Sources != 3 || i.Snippets != 3 {
		t.Errorf("%+v, %v", i, err)
	}
	// The same thing remembered again changes nothing.
	r := b.mustRemember(t, Snippet{Text: fell, Label: Source, Kept: original(t, "https://a.example/losses", "Source 1", fell), Origin: "r1 F1"})
	if !r.Known || r.Snippet != 1 || !r.Absorbed {
		t.Errorf("%+v", r)
	}
}

func TestQuery(t *testing.T) {
	at := address(t)
	b := open(t, at)
	if a := b.mustQuery(t, "Is anything here?"); !a.Empty || a.String() != "The knowledge base is empty.\n" {
		t.Errorf("%+v", a)
	}
	var text strings.Builder
	for i := range 40 {
		fmt.Fprintf(&text, "The crane at pier %d lifted %d tonnes in March. ", i+1, 100+i)
	}
	b.mustRemember(t, Snippet{Text: text.String(), Label: User})
	b.mustRemember(t, Snippet{Text: "Bread is best on the day that it is baked.", Label: User})
	a := b.mustQuery(t, "How many tonnes did cranes lift?")
	if len(a.Facts) != MaxListed || a.More != 25 || !strings.Contains(a.String(), "… and 25 more") || a.Facts[0].Supports[0].Locator != "" {
		t.Errorf("%d facts, %d more: %s", len(a.Facts), a.More, a)
	}
	if got := b.mustQuery(t, "Who painted the ceiling?"); got.Empty || len(got.Facts) != 0 || !strings.Contains(got.String(), "Nothing") {
		t.Errorf("%+v", got)
	}
	// The same question has the same answer, also for who opens the base anew.
	for _, base := range []*Base{b, open(t, cmpAddress(t, b, at))} {
		if diff := cmp.Diff(a, base.mustQuery(t, "How many tonnes did cranes lift?"), cmp.AllowUnexported(Fact{})); diff != "" {
			t.Error(diff)
		}
	}
	if _, err := b.Query(t.Context(), me, "No Name", "q"); err == nil {
		t.Error("a bad name is taken")
	}
	if a, err := b.Query(t.Context(), "somebody else", "notes", "How many tonnes?"); err != nil || !a.Empty {
		t.Errorf("another user sees %+v, %v", a, err)
	}
}

// cmpAddress is where another process finds the same base.
func cmpAddress(_ *testing.T, b *Base, at string) string {
	if strings.HasPrefix(at, "postgres") {
		return at
	}
	return b.DB.Path
}

func TestWhatIsAccepted(t *testing.T) {
	b := open(t, address(t))
	kept := original(t, "https://a.example/", "A", fell)
	bad := *kept
	bad.Raw = []byte("other bytes")
	changed := *kept
	changed.Reading = bytes.Replace(kept.Reading, []byte("4.1"), []byte("4.9"), 1)
	for name, tt := range map[string]struct {
		dataset string
		s       Snippet
		ok      bool
	}{
		"20,000 characters":        {"notes", Snippet{Text: strings.Repeat("ü", MaxText), Label: User}, true},
		"one more":                 {"notes", Snippet{Text: strings.Repeat("ü", MaxText+1), Label: User}, false},
		"nothing":                  {"notes", Snippet{Text: " \n", Label: User}, false},
		"no label":                 {"notes", Snippet{Text: fell}, false},
		"a label of its own":       {"notes", Snippet{Text: fell, Label: "trusted"}, false},
		"a source that is not":     {"notes", Snippet{Text: fell, Label: Source, URL: "https://a.example/"}, false},
		"a source":                 {"notes", Snippet{Text: fell, Label: Source, Kept: kept}, true},
		"other bytes":              {"notes", Snippet{Text: fell, Label: Source, Kept: &bad}, false},
		"another text":             {"notes", Snippet{Text: fell, Label: Source, Kept: &changed}, false},
		"no text but bytes":        {"notes", Snippet{Text: "a\x00b\xff is c d.", Label: User}, true},
		"a name with a path":       {"../notes", Snippet{Text: fell, Label: User}, false},
		"a name in capitals":       {"Notes", Snippet{Text: fell, Label: User}, false},
		"a name that is a command": {"-notes", Snippet{Text: fell, Label: User}, false},
	} {
		_, err := b.Remember(t.Context(), me, tt.dataset, tt.s, true)
		if (err == nil) != tt.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Of many workers one has the queue; what was accepted is absorbed in order, each once.
func TestOneWorker(t *testing.T) {
	b := open(t, address(t))
	for i := range 30 {
		if _, err := b.Remember(t.Context(), me, "notes", Snippet{Text: fmt.Sprintf("Crane %d lifted %d tonnes.", i, i), Label: User}, false); err != nil {
			t.Fatal(err)
		}
	}
	if a := b.mustQuery(t, "cranes"); !a.Empty || a.Waiting != 30 {
		t.Errorf("%+v", a)
	}
	var mu sync.Mutex
	var order []int64
	var wg sync.WaitGroup
	for i := range 6 {
		w := &Base{DB: b.DB, Owner: fmt.Sprint("worker ", i)}
		wg.Go(func() {
			_, err := w.work(t.Context(), me, "notes", func(s *stored) (Extractor, string) {
				mu.Lock()
				order = append(order, s.Seq)
				mu.Unlock()
				return Rules{}, ""
			})
			var busy *Busy
			if err != nil && !errors.As(err, &busy) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if toll, err := b.Wait(t.Context(), me, "notes", []int64{30}); err != nil || toll.Snippets > 0 {
		t.Errorf("%+v, %v", toll, err)
	}
	for i, seq := range order {
		if int64(i+1) != seq {
			t.Fatalf("absorbed in the order %v", order)
		}
	}
	if i, err := b.Info(t.Context(), me, "notes"); err != nil || i.Waiting != 0 || i.version != 30 || len(order) != 30 {
		t.Errorf("%+v, %v, %d were read", i, err, len(order))
	}
}

// A worker that lost its lease absorbs nothing any more.
func TestFencedWorker(t *testing.T) {
	b := open(t, address(t))
	if _, err := b.Remember(t.Context(), me, "notes", Snippet{Text: fell, Label: User}, false); err != nil {
		t.Fatal(err)
	}
	_, err := b.work(t.Context(), me, "notes", func(s *stored) (Extractor, string) {
		if _, err := b.DB.ExecContext(context.Background(), `UPDATE kb_dataset SET epoch = epoch + 1`); err != nil { // another took over
			t.Error(err)
		}
		return Rules{}, ""
	})
	if !errors.Is(err, errFenced) {
		t.Errorf("Work = %v", err)
	}
	if i, err := b.Info(t.Context(), me, "notes"); err != nil || i.Facts != 0 || i.Waiting != 1 {
		t.Errorf("%+v, %v", i, err)
	}
}

// A source is kept as it was read, and gone with its dataset, unless another holds its bytes.
func TestKeptSources(t *testing.T) {
	b := open(t, address(t))
	kept := original(t, "HTTPS://a.example:443/losses#x", "A", "Nothing.", fell)
	b.mustRemember(t, Snippet{Text: fell, Label: Source, Kept: kept})
	if _, err := b.Remember(t.Context(), me, "more", Snippet{Text: fell, Label: Source, Kept: kept}, true); err != nil {
		t.Fatal(err)
	}
	a := b.mustQuery(t, "grid losses")
	got, err := b.Original(t.Context(), me, "notes", a.Facts[0].Supports[0].Source)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(kept, got); diff != "" || a.Facts[0].Supports[0].URL != "https://a.example/losses" {
		t.Error(diff, a.Facts[0].Supports)
	}
	id := a.Facts[0].Supports[0].Source
	if _, err := b.Original(t.Context(), "somebody else", "notes", id); !errors.Is(err, ErrGone) {
		t.Errorf("another user: %v", err)
	}
	if _, err := b.Delete(t.Context(), me, "notes"); err != nil {
		t.Fatal(err)
	}
	if a := b.mustQuery(t, "grid losses"); !a.Empty {
		t.Errorf("after it was deleted: %+v", a)
	}
	if _, err := b.Original(t.Context(), me, "notes", id); !errors.Is(err, ErrGone) {
		t.Errorf("after it was deleted: %v", err)
	}
	if _, err := b.Original(t.Context(), me, "more", id); err != nil {
		t.Errorf("the other dataset lost it: %v", err)
	}
	sha := hashOf(t, kept)
	if _, err := b.Delete(t.Context(), me, "more"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.DB.Blob(t.Context(), sha); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its bytes are still here: %v", err)
	}
	if _, err := b.Delete(t.Context(), me, "more"); !errors.Is(err, ErrNotFound) {
		t.Errorf("deleting it twice: %v", err)
	}
}

func hashOf(t *testing.T, o *Original) string {
	t.Helper()
	source, _, err := read(o.Reading)
	if err != nil {
		t.Fatal(err)
	}
	return source.SHA256
}

func TestReports(t *testing.T) {
	b := open(t, address(t))
	for range 2 {
		if err := b.RememberReport(t.Context(), me, "notes", Report{"r1", "How large were grid losses in 2024?", "# Losses\n"}); err != nil {
			t.Fatal(err)
		}
	}
	if a := b.mustQuery(t, "how large were the grid losses in 2024"); !a.Empty || len(a.Reports) != 1 || a.Reports[0].Run != "r1" {
		t.Errorf("%+v", a)
	}
	if list, err := b.Reports(t.Context(), me, "notes"); err != nil || len(list) != 1 || list[0].Markdown != "# Losses\n" {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestExport(t *testing.T) {
	b := open(t, address(t))
	b.mustRemember(t, Snippet{Text: fell, Label: Source, Kept: original(t, "https://a.example/", "A", fell)})
	if _, err := b.Remember(t.Context(), me, "notes", Snippet{Text: other, Label: User}, false); err != nil {
		t.Fatal(err)
	}
	if err := b.RememberReport(t.Context(), me, "notes", Report{"r1", "q?", "# R\n"}); err != nil {
		t.Fatal(err)
	}
	var one, two bytes.Buffer
	for _, w := range []*bytes.Buffer{&one, &two} {
		if err := b.Export(t.Context(), me, "notes", w); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(strings.TrimSpace(one.String()), "\n")
	if one.String() != two.String() || len(lines) != 4 {
		t.Fatal(one.String())
	}
	var f Fact
	if err := json.Unmarshal([]byte(lines[1]), &f); err != nil || f.ID != "K1" || f.Supports[0].Locator != "para.1" {
		t.Errorf("%+v, %v", f, err)
	}
	if list, err := b.Datasets(t.Context(), me); err != nil || len(list) != 1 || list[0].Name != "notes" {
		t.Errorf("%+v, %v", list, err)
	}
	if list, err := b.Entities(t.Context(), me, "notes", 10); err != nil || len(list) != 1 || list[0].Name != "Losses in the northern grid" {
		t.Errorf("%+v, %v", list, err)
	}
}
