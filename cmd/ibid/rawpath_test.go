package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestNamesThatAreNoText: a file whose name is no UTF-8 is read, by itself and in its folder, and what is printed and
// recorded is text all the same. What cannot be recorded as it is, is refused by its name.
func TestNamesThatAreNoText(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "docs", "caf\xe9.csv")
	if err := os.MkdirAll(filepath.Join(dir, "d\xe9r"), 0o700); err != nil {
		t.Skipf("names on this disk are text: %v", err)
	}
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("Harbour,Pier\nnorth,7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(dir, "home")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"extract", "--json", file}, exitOK, `"text":"north | 7"`},
		{[]string{"research", "Which pier has the north harbour?", "--files", filepath.Dir(file), "--home", home, "--json"}, -1, `caf%E9.csv`},
		{[]string{"research", "Which pier?", "--files", filepath.Join(dir, "d\xe9r"), "--home", home}, exitUsage, `d\xe9r" is not in UTF-8`},
		{[]string{"research", "Which pi\xe9r?", "--home", home}, exitUsage, `pi\xe9r?" is not in UTF-8`},
	} {
		var out, errw bytes.Buffer
		code := run(t.Context(), c.args, strings.NewReader(""), &out, &errw)
		said := out.String() + errw.String()
		if code != c.code && c.code >= 0 || !strings.Contains(said, c.want) || !utf8.ValidString(said) {
			t.Errorf("%q ended with %d and said %q, want %q", c.args, code, said, c.want)
		}
	}
}
