package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// A file that is there keeps its text and mode until the new text is whole, also behind a link, and nothing is left over.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	kept, link := filepath.Join(dir, "kept"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(kept, []byte("old"), 0o600), os.Chmod(kept, 0o666), os.Symlink("kept", link)); err != nil {
		t.Fatal(err)
	}
	text := func(name, want string) {
		t.Helper()
		got, err := os.ReadFile(name)
		if err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v; want %q", name, got, err, want)
		}
	}
	broken := errors.New("broken off")
	for _, name := range []string{kept, link, filepath.Join(dir, "new")} {
		_, err := writeFile(name, func(w io.Writer) error {
			_, err := io.WriteString(w, "half")
			return errors.Join(err, broken)
		})
		if !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	text(kept, "old")
	size, err := writeFile(link, func(w io.Writer) error { _, err := io.WriteString(w, "whole"); return err })
	if size != 5 || err != nil {
		t.Errorf("%d bytes, %v", size, err)
	}
	text(kept, "whole")
	if is, err := os.Lstat(link); err != nil || is.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", is, err)
	}
	if is, err := os.Stat(kept); err != nil || is.Mode().Perm() != 0o666 {
		t.Errorf("the file is %v, %v", is, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("in the folder are %v, %v", left, err)
	}
}
