package extract

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

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
	alone(t)
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

// A document that is compressed, or alone in an archive, is read as that document.
func TestUnpack(t *testing.T) {
	alone(t)
	const page = "<!doctype html><title>T</title><p>The words of the page.</p>"
	var zst bytes.Buffer
	w, err := zstd.NewWriter(&zst)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(page)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		url, body, want string
		kind            evidence.Kind
	}{
		"page, gzipped":         {"https://a.example/x.html.gz", string(gzipped(t, []byte(page))), "para.1 The words of the page.", evidence.HTML},
		"page, zstd":            {"https://a.example/x.html.zst", zst.String(), "para.1 The words of the page.", evidence.HTML},
		"table, gzipped":        {"https://a.example/rates.csv.gz", string(gzipped(t, []byte("a,b\n1,2\n"))), "sheet.rates!A1:B1 a | b", evidence.Sheet},
		"alone in a zip":        {"https://a.example/all.zip", string(zipOf(t, "notes.md", "# T\n\nWords.\n")), "para.1 T", evidence.Markdown},
		"zip, gzipped":          {"https://a.example/all.zip.gz", string(gzipped(t, zipOf(t, "notes.md", "# T\n"))), "para.1 T", evidence.Markdown},
		"beside what Macs add":  {"https://a.example/all.zip", string(zipOf(t, "notes.md", "# T\n", "__MACOSX/._notes.md", "x")), "para.1 T", evidence.Markdown},
		"two files":             {"https://a.example/all.zip", string(zipOf(t, "a.md", "# T\n", "b.md", "# U\n")), "a.md:L1 # T", evidence.Repo},
		"one file in a folder":  {"https://a.example/all.zip", string(zipOf(t, "repo-1/a.md", "# T\n")), "repo-1/a.md:L1 # T", evidence.Repo},
		"one file in a tarball": {"https://a.example/all.tgz", string(gzipped(t, tarOf(t, entry{name: "a.md", body: "# T\n"}))), "a.md:L1 # T", evidence.Repo},
		"layer upon layer":      {"https://a.example/x.gz", string(gzipped(t, gzipped(t, gzipped(t, []byte(page))))), "", ""},
	} {
		p, err := Extract(t.Context(), Input{URL: c.url, ContentType: "application/gzip", Body: []byte(c.body)})
		if c.kind == "" {
			if err == nil && quotable(p) != "" {
				t.Errorf("%s: %q", name, quotable(p))
			}
			continue
		}
		if err != nil || len(p.Blocks) == 0 || p.Kind != c.kind || placed(p)[0] != c.want {
			t.Errorf("%s: %v, %+v; want a %s that begins with %q", name, err, p, c.kind, c.want)
		}
	}
	cut := gzipped(t, []byte("First line of it.\n\n"+string(noiseText(50_000))))
	p := read(t, "https://a.example/x.txt.gz", "", string(cut[:len(cut)/2]))
	if !hasFlag(p, FlagTruncated) || p.Blocks[0].Text != "First line of it." {
		t.Errorf("cut off: %v, flags %v", p.Blocks[0], p.Flags)
	}
	bomb := gzipped(t, make([]byte, 64<<20))
	var u *Unreadable
	if _, err := Extract(t.Context(), Input{URL: "https://a.example/x.gz", Body: bomb}); !errors.As(err, &u) || u.Reason != TooLarge {
		t.Errorf("a bomb: %v", err)
	}
}

// noiseText is text that does not compress well.
func noiseText(n int) []byte {
	b := randomBytes(n)
	for i := range b {
		b[i] = 'a' + b[i]%26
		if i%11 == 10 {
			b[i] = ' '
		}
	}
	return b
}

// What needs a password in an archive does not spoil the rest.
func TestArchiveEncrypted(t *testing.T) {
	one := zipOf(t, "a/secret.txt", "hidden", "a/open.txt", "shown")
	encrypt := func(body []byte, name string) []byte { // sets the flag in both headers of a file
		body = slices.Clone(body)
		for i := range len(body) - 46 {
			switch {
			case bytes.HasPrefix(body[i:], []byte("PK\x03\x04")) && bytes.HasPrefix(body[i+30:], []byte(name)):
				body[i+6] |= 1
			case bytes.HasPrefix(body[i:], []byte("PK\x01\x02")) && bytes.HasPrefix(body[i+46:], []byte(name)):
				body[i+8] |= 1
			}
		}
		return body
	}
	p := read(t, "https://a.example/x.zip", "", string(encrypt(one, "a/secret.txt")))
	if quotable(p) != "shown" || !hasFlag(p, FlagTruncated) {
		t.Errorf("%q, flags %v", quotable(p), p.Flags)
	}
	var u *Unreadable
	if _, err := Extract(t.Context(), Input{URL: "https://a.example/x.zip", Body: encrypt(encrypt(one, "a/secret.txt"), "a/open.txt")}); !errors.As(err, &u) || u.Reason != Encrypted {
		t.Errorf("all of it: %v", err)
	}
}
