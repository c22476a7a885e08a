package extract

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/text/unicode/norm"

	"ibid/internal/testset"
)

// A pdfGold says what stands on which page of a document.
type pdfGold struct {
	ID, Expect, Kind string
	Quotes           []pdfQuote
	QuotesOCR        []pdfQuote `json:"quotes_ocr"`
}

type pdfQuote struct {
	P    int
	Text string
}

func pdfSet(t testing.TB) (dir string, list []pdfGold) {
	t.Helper()
	dir = testset.Path(t, "data", "extract", "pdf")
	f, err := os.Open(filepath.Join(dir, "gold.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for dec := json.NewDecoder(z); dec.More(); {
		var g pdfGold
		if err := dec.Decode(&g); err != nil {
			t.Fatal(err)
		}
		list = append(list, g)
	}
	return dir, list
}

var (
	quoteMark   = regexp.MustCompile("[\ufffe\u0002]\\s*")
	quoteHyphen = regexp.MustCompile(`([\pL\pN_])-[ \t]*\r?\n\s*([\pL\pN_])`)
	quoteHan    = regexp.MustCompile("([\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]) ([\u3000-\u9fff\uac00-\ud7af\uff00-\uffef])")
	quoteSigns  = strings.NewReplacer("\u2018", "'", "\u2019", "'", "\u201c", `"`, "\u201d", `"`, "\u2013", "-", "\u2014", "-", "\u2212", "-", "\u2010", "-", "\u2011", "-",
		"\u00a0", " ", "\u00ad", "", "\u200b", "", "\ufeff", "", "\u200e", "", "\u200f", "")
)

// quoteForm is a text as the set's scorer compares it.
func quoteForm(s string) string {
	s = quoteSigns.Replace(norm.NFKC.String(quoteMark.ReplaceAllString(s, "")))
	s = quoteHyphen.ReplaceAllString(s, "$1$2")
	s = strings.ToLower(strings.Join(strings.Fields(s), " "))
	for range 2 { // neighbours overlap
		s = quoteHan.ReplaceAllString(s, "$1$2")
	}
	return s
}

// pageForms are the texts of a document's pages.
func pageForms(p *Page) map[int]string {
	pages := map[int]string{}
	for _, b := range p.Blocks {
		pages[b.Locator.A] += b.Text + "\n"
	}
	for n, text := range pages {
		pages[n] = quoteForm(text)
	}
	return pages
}

// The sentences of the shared set are found on their pages; what cannot be read says so.
func TestPDFSet(t *testing.T) {
	x := newProcessExtractor(t, 0)
	dir, list := pdfSet(t)
	if testing.Short() {
		list = slices.DeleteFunc(list, func(g pdfGold) bool { return len(g.Quotes) > 20 })
	}
	found, all := map[string]int{}, map[string]int{}
	var mu sync.Mutex
	var wait sync.WaitGroup
	for part := range 2 {
		wait.Go(func() {
			for i := part; i < len(list); i += 2 {
				g := list[i]
				body, err := os.ReadFile(filepath.Join(dir, g.ID+".pdf"))
				if err != nil {
					t.Error(err)
					return
				}
				p, err := x.Extract(t.Context(), Input{URL: "https://a.example/" + g.ID + ".pdf", Body: body})
				if g.Expect != "text" {
					if got := howRead(p, err); !slices.Contains(pdfOutcomes[g.Expect], got) {
						t.Errorf("%s is %s, and was read as %s", g.ID, g.Expect, got)
					}
					continue
				}
				if err != nil {
					t.Errorf("%s: %v", g.ID, err)
					continue
				}
				check(t, p, len(body)+maxPDFText)
				if hasFlag(p, FlagGarbled) {
					t.Errorf("%s has honest text and is said to be garbled", g.ID)
				}
				pages := pageForms(p)
				mu.Lock()
				for _, q := range g.Quotes {
					all[g.Kind]++
					if strings.Contains(pages[q.P], quoteForm(q.Text)) {
						found[g.Kind]++
					}
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	for kind, floor := range map[string]float64{"real": 0.995, "synthetic": 0.998, "variant": 1} {
		if all[kind] == 0 && testing.Short() {
			continue
		}
		if got := float64(found[kind]) / float64(max(all[kind], 1)); got < floor {
			t.Errorf("%s: %d of %d sentences on their page", kind, found[kind], all[kind])
		}
	}
}

// pdfOutcomes are the ways in which a document may be read by what is expected of it.
var pdfOutcomes = map[string][]string{"password": {"encrypted"}, "not_pdf": {"not pdf", "damaged"}, "garbled": {"garbled"}, "empty": {"no text"}, "partial": {"damaged", "truncated", "ok"}}

func howRead(p *Page, err error) string {
	var u *Unreadable
	switch {
	case errors.As(err, &u) && u.Reason == NotSupported:
		return "not pdf"
	case errors.As(err, &u):
		return string(u.Reason)
	case p.Kind != "pdf":
		return "not pdf"
	case hasFlag(p, FlagGarbled) && len(p.Blocks) == 0:
		return "garbled"
	case hasFlag(p, FlagNoText) && len(p.Blocks) == 0:
		return "no text"
	case hasFlag(p, FlagTruncated):
		return "truncated"
	}
	return "ok"
}
