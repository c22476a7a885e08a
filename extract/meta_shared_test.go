package extract

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"

	"ibid/internal/testset"
)

// words folds what two spellings of a title or a name may differ in.
func foldedWords(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// The measure of what pages say about themselves, on pages of all types: the title and the date as people noted them
// (where ours is given; a wrong one is worse than none), and whether a word of the author is right.
func TestMetaShared(t *testing.T) {
	alone(t)
	dir := testset.Path(t, "data", "extract", "html-wcxb")
	type gold struct{ ID, URL, Title, Author, Date string }
	type tally struct{ given, right, missing, extra int }
	var title, author, date tally
	count := func(c *tally, want, got string, right bool) {
		switch {
		case want == "" && got == "":
		case want == "":
			c.extra++
		case got == "":
			c.missing++
		default:
			c.given++
			if right {
				c.right++
			}
		}
	}
	n := 0
	for line := range bytes.Lines(gunzip(t, filepath.Join(dir, "gold.jsonl.gz"))) {
		if n++; n%5 != 0 { // a fifth shows a regression as well, in a fifth of the time
			continue
		}
		var g gold
		if err := json.Unmarshal(line, &g); err != nil {
			t.Fatal(err)
		}
		text, _ := Decode(gunzip(t, filepath.Join(dir, g.ID+".html.gz")), "text/html")
		root, err := html.Parse(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		p := &Page{}
		readMeta(root, g.URL, p)
		same := strings.Join(foldedWords(p.Title), " ") == strings.Join(foldedWords(g.Title), " ")
		count(&title, g.Title, p.Title, same)
		known := strings.Join(foldedWords(g.Author), " ")
		ours := foldedWords(p.Author)
		hit := false
		for _, w := range ours {
			hit = hit || strings.Contains(" "+known+" ", " "+w+" ")
		}
		count(&author, g.Author, p.Author, hit)
		count(&date, g.Date, p.Published, p.Published == g.Date)
		for key, value := range map[string]string{"title": p.Title, "author": p.Author, "published": p.Published, "language": p.Language, "canonical": p.Canonical} {
			if (value == "") != (p.Stated[key] == "") {
				t.Errorf("%s: %s %q stands in %q", g.ID, key, value, p.Stated[key])
			}
		}
	}
	t.Logf("title %+v, author %+v, date %+v", title, author, date)
	for _, c := range []struct {
		name           string
		right, of      int
		floor          float64
		given, atLeast int
	}{
		{"title", title.right, title.given, 0.60, title.given, 62},
		{"author", author.right, author.given, 0.90, author.given, 15},
		{"date", date.right, date.given, 0.90, date.given, 14},
	} {
		if share := float64(c.right) / float64(c.of); share < c.floor || c.given < c.atLeast {
			t.Errorf("%s: %.3f of %d are right", c.name, share, c.given)
		}
	}
}
