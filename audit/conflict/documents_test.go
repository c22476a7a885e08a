package conflict

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ibid/audit/claim"
	"ibid/evidence"
	"ibid/extract"
	"ibid/internal/testset"
)

// The sentences of a document that says each thing once do not contradict each other, however alike they are: a
// specification, page by page as the extractive researcher would quote it.
func TestOneDocumentAgreesWithItself(t *testing.T) {
	alone(t)
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	certain, possible, sentences := 0, 0, 0
	for _, name := range []string{"go_spec.html", "go_mem.html", "asm.html"} {
		body, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(goroot)), "doc", name))
		if err != nil {
			t.Fatal(err)
		}
		page, err := extract.Extract(context.Background(), extract.Input{URL: "https://go.example/" + name, ContentType: "text/html", Body: body})
		if err != nil {
			t.Fatal(err)
		}
		var fs []evidence.Finding
		for _, b := range page.Blocks {
			if b.Role == evidence.RoleCode {
				continue
			}
			for _, text := range sentencesOf(b.Text) {
				fs = append(fs, evidence.Finding{ID: evidence.FindingID(len(fs) + 1), Source: "S1", Locator: b.Locator, Claim: text, Quote: text})
			}
		}
		sentences += len(fs)
		for len(fs) > 0 {
			n := min(500, len(fs))
			for _, c := range Find(fs[:n], nil) {
				if c.Severity == Certain {
					certain++
					t.Logf("%+v", c)
				}
				possible++
			}
			fs = fs[n:]
		}
	}
	if sentences < 1000 || certain > 1 || possible > sentences/100 {
		t.Errorf("%d sentences: %d conflicts, %d for certain", sentences, possible, certain)
	}
}

// Sentences of 1,600 pages of an encyclopedia about as many things, in 3 million pairs: what is sure contradicts itself there
// (how many countries and cities held the Olympic games).
func TestPagesOfAnEncyclopedia(t *testing.T) {
	alone(t)
	body, err := os.ReadFile(testset.Path(t, "data", "retrieval", "musique100", "corpus.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var fs []evidence.Finding
	var sources []evidence.Source
	for line := range bytes.Lines(body) {
		var page struct{ Title, Text string }
		if err := json.Unmarshal(line, &page); err != nil {
			t.Fatal(err)
		}
		id := evidence.SourceID(len(sources) + 1)
		sources = append(sources, evidence.Source{ID: id, Title: page.Title})
		for _, s := range sentencesOf(page.Text) {
			fs = append(fs, evidence.Finding{ID: evidence.FindingID(len(fs) + 1), Source: id, Claim: s, Quote: s})
		}
	}
	certain, possible := 0, 0
	for len(fs) > 0 {
		n := min(len(fs), maxFindings)
		for _, c := range Find(fs[:n], sources) {
			if c.Severity == Certain {
				certain++
				t.Logf("%+v", c)
			} else {
				possible++
			}
		}
		fs = fs[n:]
	}
	if certain > 4 || possible > 60 {
		t.Errorf("%d certain, %d possible", certain, possible)
	}
}

func sentencesOf(text string) []string {
	var out []string
	r := claim.Read(text)
	for i := 0; i < len(r.Words); {
		j := i
		for j < len(r.Words) && r.Words[j].Sentence == r.Words[i].Sentence {
			j++
		}
		out = append(out, r.Span(i, j))
		i = j
	}
	return out
}
