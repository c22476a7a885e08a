package extract

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/evidence"
)

type entry struct {
	name, body string
	kind       byte
}

func tarOf(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Mode: 0o644, Size: int64(len(e.body)), Typeflag: e.kind}
		if e.kind == tar.TypeSymlink || e.kind == tar.TypeLink {
			h.Linkname, h.Size, e.body = e.body, 0, ""
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(e.body)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func TestRepo(t *testing.T) {
	body := tarOf(t, entry{name: "src/a.go", body: numbered(45)}, entry{name: "README.md", body: "# The meter\n\nText.\n"},
		entry{name: "vendor/x/x.go", body: "package x\n"}, entry{name: "img.bin", body: "\x00\x01\x02"},
		entry{name: "app.min.js", body: "var a=1"}, entry{name: "go.sum", body: "h1:abc\n"},
		entry{name: "min.js", body: strings.Repeat("x=1;", 3000)}, entry{name: "src/a.go", body: "the second of a name\n"},
		entry{name: "empty.txt"}, entry{name: "blank.txt", body: "\n\n\n"})
	for name, packed := range map[string][]byte{"tar": body, "tar.gz": gzipped(t, body)} {
		p := read(t, "https://code.example/org/meter", "application/x-tar", string(packed))
		var got []string
		for _, b := range p.Blocks {
			got = append(got, b.Locator.String())
		}
		want := []string{"README.md:L1-L3", "src/a.go:L1-L20", "src/a.go:L21-L40", "src/a.go:L41-L45"}
		if diff := cmp.Diff(want, got); diff != "" || p.Title != "The meter" || p.Kind != evidence.Repo || !hasFlag(p, FlagSkipped) {
			t.Errorf("%s: title %q, kind %s, flags %v; -want +got\n%s", name, p.Title, p.Kind, p.Flags, diff)
		}
		if p.Blocks[2].Text != strings.TrimSuffix(strings.TrimPrefix(numbered(40), numbered(20)), "\n") || p.Blocks[2].Role != evidence.RoleCode {
			t.Errorf("%s: %q", name, p.Blocks[2].Text)
		}
	}
}

func gzipped(t testing.TB, body []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Lines end at "\n" alone: the other separators of Unicode do not move the numbers.
func TestLineNumbers(t *testing.T) {
	p := read(t, "file:///a/budget.py", "", "A = 1\r\n# \f form, \u2028 line, \u0085 next, \v tab, \r return\nB = 2\nLIMIT = 20")
	if len(p.Blocks) != 1 || p.Blocks[0].Locator != (evidence.Locator{Unit: evidence.Lines, Path: "budget.py", A: 1, B: 4}) {
		t.Fatalf("got %+v", p.Blocks)
	}
	if lines := strings.Split(p.Blocks[0].Text, "\n"); len(lines) != 4 || lines[0] != "A = 1" || lines[3] != "LIMIT = 20" {
		t.Errorf("lines %q", lines)
	}
}

func TestLFSPointer(t *testing.T) {
	const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
	for _, p := range []*Page{
		read(t, "file:///a/model.py", "", pointer),
		read(t, "https://code.example/org/x", "application/x-tar", string(tarOf(t, entry{name: "weights/model.csv", body: pointer}))),
	} {
		if len(p.Blocks) != 0 || !hasFlag(p, FlagLFSPointer) {
			t.Errorf("a pointer was read as the file: %+v, %v", p.Blocks, p.Flags)
		}
	}
}

func TestArchiveRefuses(t *testing.T) {
	bad := []entry{
		{name: "../escape.txt", body: "x"}, {name: "a/../../escape.txt", body: "x"}, {name: "/abs.txt", body: "x"},
		{name: `a\..\..\win.txt`, body: "x"}, {name: `C:\temp\x.txt`, body: "x"}, {name: "a/nul", body: "x"}, {name: "CON.txt", body: "x"},
		{name: "link", body: "/etc/passwd", kind: tar.TypeSymlink}, {name: "link/through.txt", body: "x"},
		{name: "hard", body: "ok/deep.txt", kind: tar.TypeLink}, {name: "dev", kind: tar.TypeChar}, {name: "up/../../", kind: tar.TypeDir},
		{name: "a\x01b.txt", body: "x"}, {name: "a//b.txt", body: "x"},
	}
	good := []entry{{name: "./README.md", body: "Fine."}, {name: "ok/", kind: tar.TypeDir}, {name: "ok/deep.txt", body: "Deep."}, {name: "ok/..b.txt", body: "Dots."}}
	a, err := OpenArchive(tarOf(t, append(bad, good...)...))
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Refused) != len(bad) {
		t.Errorf("%d refused, want %d: %q", len(a.Refused), len(bad), a.Refused)
	}
	if got := paths(a); !slices.Equal(got, []string{"README.md", "ok/deep.txt", "ok/..b.txt"}) {
		t.Errorf("read %q", got)
	}
}

func TestArchiveZip(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range []string{"repo/ok.txt", "../x.txt", `repo\..\x.txt`} {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(f, "text")
	}
	f, err := w.Create("bomb.txt")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(make([]byte, 50<<20)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := OpenArchive(b.Bytes())
	if err != nil || len(a.Refused) != 2 || !slices.Equal(paths(a), []string{"repo/ok.txt", "bomb.txt"}) || a.Files[1].Body != nil {
		t.Errorf("%v: refused %q, read %q", err, a.Refused, paths(a))
	}
}

func paths(a *Archive) []string {
	var list []string
	for _, f := range a.Files {
		list = append(list, f.Path)
	}
	return list
}

// A damaged archive gives what came before the damage, and says so.
func TestArchiveDamaged(t *testing.T) {
	body := tarOf(t, entry{name: "a.txt", body: "First file."}, entry{name: "b.txt", body: strings.Repeat("x\n", 5000)})
	p := read(t, "https://code.example/x", "application/x-tar", string(body[:3000]))
	if quotable(p) != "First file." || !hasFlag(p, FlagTruncated) {
		t.Errorf("%q, %v", quotable(p), p.Flags)
	}
}
