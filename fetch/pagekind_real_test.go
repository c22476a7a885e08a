package fetch

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ibid/internal/testset"
)

// everyPage is which of the pages are judged: each twelfth, for the sake of time. All were when the rules were made.
const everyPage = 12

// TestRealPagesAreNotRefused judges pages of the web that are known to hold a text: articles, documentation, forums, shops.
func TestRealPagesAreNotRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, one thing after the other")
	}
	seen, pages, refused := 0, 0, 0
	err := filepath.WalkDir(testset.Path(t, "data", "extract"), func(name string, d fs.DirEntry, err error) error {
		plain := strings.TrimSuffix(name, ".gz")
		if err != nil || !strings.HasSuffix(plain, ".html") {
			return err
		}
		if seen++; seen%everyPage != 0 {
			return nil
		}
		body, err := os.ReadFile(name)
		if err == nil && plain != name {
			var z *gzip.Reader
			if z, err = gzip.NewReader(bytes.NewReader(body)); err == nil {
				body, err = io.ReadAll(z)
			}
		}
		if err != nil {
			return err
		}
		pages++
		v := judge("https://a.example/x", &Response{URL: "https://a.example/x", Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: body}, time.Now())
		if v.unavailable != nil || v.refresh != "" {
			refused++
			p := scanPage(body)
			t.Errorf("%s %q: %v %q: prose %d, linked %d, aside %d", filepath.Base(name), p.title, v.unavailable, v.refresh, p.prose, p.linked, p.aside)
		}
		return nil
	})
	if err != nil || pages < 50 {
		t.Fatalf("%d pages: %v", pages, err)
	}
	t.Logf("%d pages, %d refused", pages, refused)
}
