// Package testset finds the data sets that tests of several rooms read: failure cases, reports, retrieval and extraction
// sets. They lie outside of the repository. What else a test needs and does not find, it says in one way (Lacks).
package testset

import (
	"os"
	"path/filepath"
	"testing"
)

// Path returns the path of a file or folder of the shared data: below the folder that IBID_SHARED names, relative to the
// repository's root, or below ../shared. Without the folder the test is skipped, in CI it fails. A set that IBID_SHARED
// names may lack a part; the tests of that part are then skipped, also in CI.
func Path(t testing.TB, elem ...string) string {
	t.Helper()
	named := os.Getenv("IBID_SHARED")
	dir := named
	if dir == "" {
		dir = filepath.Join("..", "shared")
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(root(t), dir)
	}
	path := filepath.Join(append([]string{dir}, elem...)...)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if _, err := os.Stat(dir); os.Getenv("CI") != "" && (err != nil || named == "") {
		t.Fatalf("no shared data at %s: name their folder with IBID_SHARED", path)
	}
	t.Skipf("no shared data at %s: name their folder with IBID_SHARED", path)
	return ""
}

// Lacks skips a test that needs what this machine has not, and says how to get it; in CI it fails.
func Lacks(t testing.TB, what, how string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is not here: %s", what, how)
	}
	t.Skipf("%s is not here: %s", what, how)
}

// root is the repository: the nearest folder above the test's that holds the module file.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = up
	}
}
