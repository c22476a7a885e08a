package fetch_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/fetch"
	"ibid/fetch/fetchtest"
)

// tree writes files and opens their folder; a name "a -> b" is a link.
func tree(t *testing.T, files map[string]string) (*fetch.Folder, string) {
	t.Helper()
	top := t.TempDir()
	dir := filepath.Join(top, "docs")
	if err := os.WriteFile(filepath.Join(top, "secret.txt"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, body := range files {
		link, to, isLink := strings.Cut(name, " -> ")
		full := filepath.Join(dir, link)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		var err error
		if isLink {
			err = os.Symlink(to, full)
		} else {
			err = os.WriteFile(full, []byte(body), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	f, err := fetch.NewFolder(dir, func() time.Time { return time.Date(2026, 2, 3, 4, 5, 6, 7, time.FixedZone("", 3600)) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, filepath.ToSlash(dir)
}

func TestFolder(t *testing.T) {
	f, dir := tree(t, map[string]string{
		"b.md": "# B", "a/x.txt": "x", "a/..b/c.txt": "dots", "100%.txt": "percent", "Releve\u0301.txt": "accent", "what is it?.txt": "question",
		"Makefile": "all:\n\tgo test", "picture.dat": "\x89PNG\r\n\x1a\n\x00\x00", "empty.bin": "", "scan.PDF": "%PDF-1.4\n", "paper": "%PDF-1.4\n\x00\x01",
		".hidden.txt": "h", ".git/config": "c", "node_modules/x/README.md": "n", "vendor/x.go": "v",
		"out -> ..": "", "away.txt -> ../secret.txt": "", "inside.txt -> b.md": "",
	})
	var titles []string
	for _, e := range f.Entries() {
		titles = append(titles, e.Title+" "+e.Kind)
	}
	want := []string{"100%.txt text", "Makefile ", "Relevé.txt text", "a/..b/c.txt text", "a/x.txt text", "b.md markdown", "paper ", "scan.PDF pdf", "what is it?.txt text"}
	if diff := cmp.Diff(want, titles); diff != "" {
		t.Errorf("entries -want +got\n%s", diff)
	}
	base := "file://" + dir + "/"
	var known []string
	for _, e := range f.Entries() {
		known = append(known, e.URL)
	}
	fetchtest.Run(t, fetchtest.Subject{
		Fetcher: f, Known: known,
		Same: [][2]string{
			{base + "Relevé.txt", base + "Releve\u0301.txt"}, {base + "Relev%C3%A9.txt", base + "Releve%CC%81.txt"},
			{base + "100%.txt", base + "100%25.txt"}, {base + "b.md#part", "FILE://localhost" + dir + "/./b.md?x"},
		},
		Fails: map[string]fetch.Outcome{
			base + "missing.txt": fetch.NotFound, base: fetch.Refused, base + "a": fetch.NotFound, base + ".hidden.txt": fetch.NotFound,
			base + "../secret.txt": fetch.Refused, base + "a/../../secret.txt": fetch.Refused, base + "a/%2e%2e/%2e%2e/secret.txt": fetch.Refused,
			base + "..%2fsecret.txt": fetch.Refused, base + `a\..\..\secret.txt`: fetch.Refused, base + "b.md%00.txt": fetch.Refused,
			base + "out/secret.txt": fetch.NotFound, base + "away.txt": fetch.NotFound, base + "inside.txt": fetch.NotFound,
			"file:///etc/passwd": fetch.Refused, "https://a.example/x": fetch.Refused, "file://other.host" + dir + "/b.md": fetch.Refused,
		},
	})
	d, err := f.Fetch(t.Context(), base+"b.md")
	if err != nil || d.ContentType != "text/markdown" || d.Fetched != time.Date(2026, 2, 3, 3, 5, 6, 0, time.UTC) || string(d.Body) != "# B" {
		t.Errorf("%+v, %v", d, err)
	}
}

// A file that grew, went or became a link after the folder was opened is an outcome, never another file's text.
func TestFolderChanges(t *testing.T) {
	f, dir := tree(t, map[string]string{"gone.txt": "x", "big.txt": "x", "swapped.txt": "x"})
	if err := os.Remove(dir + "/gone.txt"); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(dir+"/big.txt", fetch.MaxFile+1); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(dir + "/swapped.txt"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../secret.txt", dir+"/swapped.txt"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fetch.Outcome{"gone.txt": fetch.NotFound, "big.txt": fetch.TooLarge, "swapped.txt": fetch.Failed} {
		d, err := f.Fetch(t.Context(), "file://"+dir+"/"+name)
		u, ok := err.(*fetch.Unavailable)
		if !ok || u.Outcome != want {
			t.Errorf("%s: %v, %v; want %s", name, d, err, want)
		}
	}
}

func TestFolderThatIsNone(t *testing.T) {
	if _, err := fetch.NewFolder(filepath.Join(t.TempDir(), "missing"), time.Now); err == nil {
		t.Error("a folder that is not there was opened")
	}
}
