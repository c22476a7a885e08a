package corpus

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ibid/extract"
	"ibid/internal/testset"
)

// TestSourceIdentity runs the open case on canonical links through the real extractor, in both orders of reading.
func TestSourceIdentity(t *testing.T) {
	dir := testset.Path(t, "cases", "105-amp-and-canonical")
	var c struct {
		Input struct{ Pages map[string]string }
		Want  struct {
			Same, Different [][2]string
			Display         map[string]string `json:"display_url"`
		} `json:"expect"`
	}
	body, err := os.ReadFile(filepath.Join(dir, "case.json"))
	if err == nil {
		err = json.Unmarshal(body, &c)
	}
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	s := newShelf()
	for name, url := range c.Input.Pages {
		page, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		s.pages[url] = string(page)
		names = append(names, name)
	}
	slices.Sort(names)
	for range 2 {
		corpus, ids := New(), map[string]string{}
		for _, name := range names {
			r, err := (&Reader{Fetcher: s, Extract: extract.Extract}).Read(t.Context(), c.Input.Pages[name])
			if err != nil {
				t.Fatal(err)
			}
			ids[name], _ = corpus.Ingest(*r)
		}
		for _, p := range c.Want.Same {
			if ids[p[0]] != ids[p[1]] {
				t.Errorf("%v are two sources, read in the order %v", p, names)
			}
		}
		for _, p := range c.Want.Different {
			if ids[p[0]] == ids[p[1]] {
				t.Errorf("%v are one source, read in the order %v", p, names)
			}
		}
		for name, want := range c.Want.Display {
			if src, _ := corpus.Source(ids[name]); src.URL != want {
				t.Errorf("%s is shown as %s, want %s", name, src.URL, want)
			}
		}
		slices.Reverse(names)
	}
}
