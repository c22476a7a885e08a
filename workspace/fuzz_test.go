package workspace

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzClean: what Clean lets through is a local path in its one spelling.
func FuzzClean(f *testing.F) {
	for _, seed := range []string{"notes/plan.md", "../x", "a/./b/", "C:\\x", "naïve café.txt", "a/%2e%2e/x", "a\x00b", "CON"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		clean, err := Clean(path)
		if err != nil {
			return
		}
		if !filepath.IsLocal(filepath.FromSlash(clean)) || strings.ContainsAny(clean, "\\\x00") || strings.HasPrefix(clean, "/") {
			t.Errorf("Clean(%q) = %q leads out", path, clean)
		}
		if again, err := Clean(clean); err != nil || again != clean {
			t.Errorf("Clean(%q) = %q, and of that %q, %v", path, clean, again, err)
		}
	})
}

// FuzzGlob: any pattern ends, and a part of a name fits it.
func FuzzGlob(f *testing.F) {
	f.Add("**/*.md", "a/b/c.md")
	f.Add("[a", "a")
	f.Add("**/**/**/x", "a/a/a/a/a/a/y")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		fits, err := matcher(pattern)
		if err != nil {
			return
		}
		fits(path)
		if !strings.ContainsAny(pattern, "*?[") && strings.Contains(path, pattern) && !strings.ContainsAny(path+pattern, "/") && utf8.ValidString(path+pattern) && strings.TrimSpace(pattern) == pattern && !fits(path) {
			t.Errorf("%q does not fit %q", path, pattern)
		}
	})
}

// FuzzTerm: words are found where they stand, and what is shown stands in the text.
func FuzzTerm(f *testing.F) {
	f.Add("The “boiler” was\nserviced – twice", "\"BOILER\" was serviced - twice")
	f.Add("ﬁne soft\u00adware", "software")
	f.Add("漢字かな", "字")
	f.Fuzz(func(t *testing.T, text, term string) {
		if len(text)+len(term) > 1<<12 || !utf8.ValidString(text) {
			t.Skip()
		}
		words, _ := plain(term)
		if len(words) == 0 {
			return
		}
		for _, m := range matches(Passage{At: "para.1", Line: 1, Text: text}, words) {
			if !strings.Contains(text, m.Text) || m.Line < 1 {
				t.Errorf("%q in %q: %+v", term, text, m)
			}
		}
	})
}
