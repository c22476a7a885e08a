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

// TestRealPagesAreNotRefused judges pages of the web that are known to hold a text: articles, documentation, forums, shops.
func TestRealPagesAreNotRefused(t *testing.T) {
	pages, refused := 0, 0
	err := filepath.WalkDir(testset.Path(t, "data", "extract"), func(name string, d fs.DirEntry, err error) error {
		plain := strings.TrimSuffix(name, ".gz")
		if err != nil || !strings.HasSuffix(plain, ".html") {
			return err
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
		if v.unavailable != nil || v.refresh != "" || v.flags != nil {
			if v.flags == nil {
				refused++
			}
			p := scanPage(body)
			t.Logf("%s: %+v %v %q: %q %q prose %d linked %d aside %d: %.300s", filepath.Base(name), v.unavailable, v.flags, v.refresh, p.title, p.headings, p.prose, p.linked, p.aside, p.text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d pages, %d refused", pages, refused)
}
