package extract

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ibid/internal/testset"
)

// officeFloors are a little under the mean word F1 measured on the open set of formats.
var officeFloors = map[string]float64{"docx": 0.975, "pptx": 0.905, "xlsx": 0.925, "odf": 0.98, "csv": 0.99, "jats": 0.95, "latex": 0.97, "md": 0.98}

func TestFormatsOffice(t *testing.T) {
	dir := testset.Path(t, "data", "extract", "formats")
	f, err := os.Open(filepath.Join(dir, "gold.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	scan := bufio.NewScanner(z)
	scan.Buffer(nil, 16<<20)
	sum, n := map[string]float64{}, map[string]int{}
	for scan.Scan() {
		var gold struct{ ID, Kind, Text string }
		if err := json.Unmarshal(scan.Bytes(), &gold); err != nil {
			t.Fatal(err)
		}
		if officeFloors[gold.Kind] == 0 {
			continue
		}
		body, err := os.ReadFile(filepath.Join(dir, gold.ID))
		if err != nil {
			t.Fatal(err)
		}
		sum[gold.Kind] += wordF1(readOffice(t, gold.ID, body).Text(false), gold.Text)
		n[gold.Kind]++
	}
	if err := scan.Err(); err != nil {
		t.Fatal(err)
	}
	for kind, floor := range officeFloors {
		if n[kind] == 0 {
			t.Errorf("no documents of kind %s", kind)
		} else if f1 := sum[kind] / float64(n[kind]); f1 < floor {
			t.Errorf("%s: word F1 %.4f over %d documents, below %.3f", kind, f1, n[kind], floor)
		}
	}
}

var wordPattern = regexp.MustCompile(`[\pL\pN_]+`)

// wordF1 compares the words of a text with those of another, as the set's scorer does.
func wordF1(got, want string) float64 {
	count := map[string]int{}
	words := func(s string) []string { return wordPattern.FindAllString(strings.ToLower(s), -1) }
	g, w := words(got), words(want)
	for _, x := range w {
		count[x]++
	}
	both := 0
	for _, x := range g {
		if count[x]--; count[x] >= 0 {
			both++
		}
	}
	if both == 0 {
		return 0
	}
	return 2 * float64(both) / float64(len(g)+len(w))
}
