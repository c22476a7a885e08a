//go:build unix

package workspace_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ibid/internal/testset"
	"ibid/workspace"
)

const canary = "what nobody in the workspace may see"

// trap is a workspace full of ways out: links, chains of links, hard links, pipes, sockets and devices; outside of it lies
// what they lead to.
func trap(t *testing.T) (r *workspace.Root, dir, outside string) {
	t.Helper()
	top := t.TempDir()
	dir, outside = filepath.Join(top, "root"), filepath.Join(top, "outside")
	for _, folder := range []string{dir, outside, filepath.Join(dir, "a"), filepath.Join(dir, "a/..b"), filepath.Join(outside, "deep")} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"secret.txt", "deep/secret.txt"} {
		must(os.WriteFile(filepath.Join(outside, name), []byte(canary), 0o644))
	}
	must(os.WriteFile(filepath.Join(top, "secret.txt"), []byte(canary), 0o644))
	for _, name := range []string{"a/b.txt", "a/..b/c.txt", "naïve café.txt", "a/b..txt", "100%.txt"} {
		must(os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o644))
	}
	must(os.WriteFile(filepath.Join(dir, ".env"), []byte(canary), 0o644))
	for name, to := range map[string]string{"link_out": "../", "abs": outside, "file": "../outside/secret.txt", "absfile": filepath.Join(outside, "secret.txt"), "chain1": "chain2", "chain2": "chain3",
		"chain3": "../outside", "a/up": "../..", "a/inner": "b.txt", "self": "self", "inside": "a", "proc": "/proc/self/root", "dev": "/dev"} {
		must(os.Symlink(to, filepath.Join(dir, name)))
	}
	must(os.Link(filepath.Join(outside, "secret.txt"), filepath.Join(dir, "hard.txt")))
	must(os.Link(filepath.Join(outside, "deep/secret.txt"), filepath.Join(dir, "a/hard.txt")))
	must(syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	if l, err := net.Listen("unix", filepath.Join(dir, "socket")); err == nil {
		t.Cleanup(func() { l.Close() })
	}
	_ = syscall.Mknod(filepath.Join(dir, "zero"), syscall.S_IFCHR|0o644, 1<<8|5) // where we may
	r, err := workspace.Open(dir)
	must(err)
	t.Cleanup(func() { r.Close() })
	return r, dir, outside
}

// Ten thousand paths made of everything that ever led out of a folder lead nowhere: nothing from outside is read, and
// nothing outside is changed.
func TestNothingLeadsOut(t *testing.T) {
	r, dir, outside := trap(t)
	before := tree(t, outside)
	parts := []string{"..", ".", "", "a", "..b", "b.txt", "b..txt", "c.txt", "secret.txt", "outside", "root", "link_out", "abs", "file", "absfile", "chain1", "chain2", "inside", "up", "inner", "self", "proc", "dev",
		"hard.txt", "pipe", "socket", "zero", "null", "etc", "passwd", "deep", "%2e%2e", "%2E.", "..%2f", "%2f", "..%5c", "..\\", "\\..\\", "....", "...", ". .", " ..", ".. ", "..\x00", "a\x00.txt", "\x7f",
		"C:", "c:\\", "\\\\?\\", "\\\\server\\share", "//server", "CON", "nul.txt", "COM1", "LPT¹", "file::$DATA", "b.txt:x", "~", "~root", "．．", "／", "⁄", "∕", "‥", "․․", "\u202e..", "\u200b..", "..\u200d", "ﾠ", "naïve café.txt",
		"nai\u0308ve cafe\u0301.txt", "\xff\xfe", "\xc0\xae\xc0\xae", "\xc0\xaf", "100%.txt", "100%", "%", ".env", ".git", ".ibid-x.tmp", strings.Repeat("x", 300), strings.Repeat("é", 200), strings.Repeat("../", 40), "new.txt", "new"}
	separators := []string{"/", "/", "/", "/", "//", "\\", "/./", "%2f", "\u2215"}
	rnd := rand.New(rand.NewPCG(8, 15))
	made := 0
	for i := range 10_000 {
		var b strings.Builder
		if rnd.IntN(8) == 0 {
			b.WriteString([]string{"/", "//", "\\", "file://", outside + "/", "/proc/self/cwd/"}[rnd.IntN(6)])
		}
		for n := range 1 + rnd.IntN(5) {
			if n > 0 {
				b.WriteString(separators[rnd.IntN(len(separators))])
			}
			b.WriteString(parts[rnd.IntN(len(parts))])
		}
		if rnd.IntN(300) == 0 {
			b.WriteString(strings.Repeat("/a", 3000))
		}
		path := b.String()
		if data, err := r.Read(t.Context(), path); err == nil && string(data) != "x" && !strings.HasPrefix(string(data), "made") {
			t.Fatalf("Read(%q) gave %q", path, data)
		}
		if _, err := r.Stat(path); err == nil {
			if info, wrong := os.Stat(filepath.Join(dir, path)); wrong == nil && !info.Mode().IsRegular() {
				t.Fatalf("Stat(%q) took what is no file", path)
			}
		}
		if l, err := r.ByName(t.Context(), "secret", path, 5); err == nil && len(l.Files) > 0 {
			t.Fatalf("a listing of %q holds %v", path, l.Files)
		}
		if i%4 != 0 {
			continue
		}
		for _, c := range []workspace.Change{{Op: workspace.Create, Path: path, Content: fmt.Sprint("made ", i)}, {Op: workspace.Move, Path: path, To: fmt.Sprint("moved/", i)}, {Op: workspace.Move, Path: "a/b..txt", To: path}, {Op: workspace.Delete, Path: path}} {
			checked, err := workspace.Check([]workspace.Change{c})
			if err != nil {
				continue
			}
			seen, err := r.Look(t.Context(), checked, kept{}.keep)
			if err != nil {
				t.Fatal(err)
			}
			results, err := r.Apply(t.Context(), checked, seen)
			if err != nil {
				t.Fatal(err)
			}
			if results[0].Done {
				made++
			}
		}
	}
	same(t, "outside", tree(t, outside), before)
	if data, _ := os.ReadFile(filepath.Join(filepath.Dir(outside), "secret.txt")); string(data) != canary {
		t.Error("a file beside the workspace was changed")
	}
	if left, _ := os.ReadDir(filepath.Dir(outside)); len(left) != 3 {
		t.Errorf("there is something new beside the workspace: %v", left)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, ".env")); string(data) != canary {
		t.Error("a hidden file was changed")
	}
	if made < 100 {
		t.Errorf("only %d changes were made: the paths are too wild to tell anything", made)
	}
	if list, err := r.ByName(t.Context(), "*", "", 1000); err != nil || strings.Contains(fmt.Sprint(list), "hard") || strings.Contains(fmt.Sprint(list), "secret") {
		t.Errorf("a listing shows what is no file of the workspace: %v, %v", list, err)
	}
}

// The paths of the shared case: each that leads out is refused, and honest names with dots and percent signs are not.
func TestPathCase(t *testing.T) {
	r, _, _ := trap(t)
	data, err := os.ReadFile(testset.Path(t, "cases", "180-local-corpus-traversal", "paths.json"))
	if err != nil {
		t.Fatal(err)
	}
	var paths struct{ Deny, Allow []string }
	if err := json.Unmarshal(data, &paths); err != nil {
		t.Fatal(err)
	}
	for _, path := range paths.Deny {
		if data, err := r.Read(t.Context(), path); err == nil {
			t.Errorf("%q was read: %q", path, data)
		}
	}
	for _, path := range paths.Allow {
		if _, err := r.Read(t.Context(), path); err != nil {
			t.Errorf("%q: %v", path, err)
		}
	}
}
