package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"ibid/workspace"
)

// open makes a workspace of files by path; a path that ends with a slash is an empty folder.
func open(t testing.TB, files map[string]string) (*workspace.Root, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(at, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r, dir
}

// kept is where the bytes go that changes take away.
type kept map[string][]byte

func (k kept) keep(data []byte) (string, error) {
	sha := workspace.Sum(data)
	k[sha] = append([]byte(nil), data...)
	return sha, nil
}

func (k kept) blob(sha string) ([]byte, error) {
	if data, ok := k[sha]; ok {
		return data, nil
	}
	return nil, os.ErrNotExist
}

// change looks and applies, as a run does.
func change(t testing.TB, r *workspace.Root, k kept, changes ...workspace.Change) ([]workspace.Change, workspace.Seen, []workspace.Result) {
	t.Helper()
	checked, err := workspace.Check(changes)
	if err != nil {
		t.Fatal(err)
	}
	seen, err := r.Look(t.Context(), checked, k.keep)
	if err != nil {
		t.Fatal(err)
	}
	results, err := r.Apply(t.Context(), checked, seen)
	if err != nil {
		t.Fatal(err)
	}
	return checked, seen, results
}

// tree is every file below a folder, hidden ones too.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func same(t testing.TB, what string, got, want map[string]string) {
	t.Helper()
	for name, text := range want {
		if other, ok := got[name]; !ok || other != text {
			t.Errorf("%s: %s is %q (there: %t), want %q", what, name, other, ok, text)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %s should not be there", what, name)
		}
	}
}

// Changes do what they say, overwrite nothing, are all or none, and are undone to the byte.
func TestChanges(t *testing.T) {
	start := map[string]string{"a.txt": "alpha", "b.txt": "beta", "notes/c.md": "gamma", "notes/d.md": "delta"}
	was := workspace.Sum([]byte("beta"))
	cases := []struct {
		name    string
		changes []workspace.Change
		want    map[string]string // what differs from the start; "-": gone
		refused string            // part of why
	}{
		{"create", []workspace.Change{{Op: workspace.Create, Path: "new/deep/x.txt", Content: "xi"}}, map[string]string{"new/deep/x.txt": "xi"}, ""},
		{"create over", []workspace.Change{{Op: workspace.Create, Path: "a.txt", Content: "xi"}}, nil, "already"},
		{"create over the same", []workspace.Change{{Op: workspace.Create, Path: "a.txt", Content: "alpha"}}, nil, "already"},
		{"create in a file", []workspace.Change{{Op: workspace.Create, Path: "a.txt/x", Content: "xi"}}, nil, "no folder"},
		{"create a folder's name", []workspace.Change{{Op: workspace.Create, Path: "notes", Content: "xi"}}, nil, "folder"},
		{"replace", []workspace.Change{{Op: workspace.Replace, Path: "b.txt", Content: "BETA", Was: was}}, map[string]string{"b.txt": "BETA"}, ""},
		{"replace another version", []workspace.Change{{Op: workspace.Replace, Path: "a.txt", Content: "BETA", Was: was}}, nil, "not the version"},
		{"replace unread", []workspace.Change{{Op: workspace.Replace, Path: "a.txt", Content: "BETA"}}, nil, "not read"},
		{"replace nothing", []workspace.Change{{Op: workspace.Replace, Path: "z.txt", Content: "BETA", Was: was}}, nil, "no such file"},
		{"delete", []workspace.Change{{Op: workspace.Delete, Path: "a.txt"}, {Op: workspace.Delete, Path: "notes/c.md"}}, map[string]string{"a.txt": "-", "notes/c.md": "-"}, ""},
		{"delete one that is not there", []workspace.Change{{Op: workspace.Delete, Path: "a.txt"}, {Op: workspace.Delete, Path: "z.txt"}}, nil, "no such file"},
		{"delete a folder", []workspace.Change{{Op: workspace.Delete, Path: "notes"}}, nil, "folder"},
		{"rename and move", []workspace.Change{{Op: workspace.Move, Path: "a.txt", To: "A1.txt"}, {Op: workspace.Move, Path: "notes/c.md", To: "old/2025/c.md"}},
			map[string]string{"a.txt": "-", "A1.txt": "alpha", "notes/c.md": "-", "old/2025/c.md": "gamma"}, ""},
		{"move over", []workspace.Change{{Op: workspace.Move, Path: "b.txt", To: "x.txt"}, {Op: workspace.Move, Path: "a.txt", To: "notes/c.md"}}, nil, "already"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r, dir := open(t, start)
			k := kept{}
			changes, seen, results := change(t, r, k, c.changes...)
			want := map[string]string{}
			for name, text := range start {
				want[name] = text
			}
			for name, text := range c.want {
				if want[name] = text; text == "-" {
					delete(want, name)
				}
			}
			same(t, "after", tree(t, dir), want)
			said := ""
			for _, result := range results {
				if result.Done != (c.refused == "") {
					t.Errorf("%+v", result)
				}
				said += result.Why
			}
			if !strings.Contains(said, c.refused) {
				t.Errorf("refused with %q, want %q", said, c.refused)
			}
			// Again, as after a crash that lost the outcome.
			again, err := r.Apply(t.Context(), changes, seen)
			if err != nil {
				t.Fatal(err)
			}
			for i := range again {
				if again[i] != results[i] {
					t.Errorf("again: %+v, first: %+v", again[i], results[i])
				}
			}
			same(t, "again", tree(t, dir), want)
			for range 2 {
				undone, err := r.Undo(t.Context(), changes, seen, k.blob, false)
				if err != nil {
					t.Fatal(err)
				}
				for _, u := range undone {
					if !u.Done {
						t.Errorf("undo: %+v", u)
					}
				}
				same(t, "undone", tree(t, dir), start)
			}
			for _, folder := range []string{"new", "old"} {
				if _, err := os.Stat(filepath.Join(dir, folder)); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("the folder %s was left: %v", folder, err)
				}
			}
		})
	}
}

// What somebody changed since is not overwritten: neither by a change that a crash left undone, nor by undoing.
func TestChangedMeanwhile(t *testing.T) {
	write := func(t *testing.T, dir, name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	start := map[string]string{"a.txt": "alpha", "b.txt": "beta"}
	for _, c := range []workspace.Change{
		{Op: workspace.Create, Path: "new.txt", Content: "nu"}, {Op: workspace.Delete, Path: "a.txt"}, {Op: workspace.Move, Path: "a.txt", To: "moved.txt"},
		{Op: workspace.Replace, Path: "a.txt", Content: "ALPHA", Was: workspace.Sum([]byte("alpha"))},
	} {
		t.Run(string(c.Op), func(t *testing.T) {
			r, dir := open(t, start)
			k := kept{}
			changes, _ := workspace.Check([]workspace.Change{c})
			seen, err := r.Look(t.Context(), changes, k.keep)
			if err != nil {
				t.Fatal(err)
			}
			touched := map[workspace.Op]string{workspace.Create: "new.txt", workspace.Move: "moved.txt"}[c.Op]
			if touched == "" {
				touched = "a.txt"
			}
			write(t, dir, touched, "by a person")
			before := tree(t, dir)
			results, err := r.Apply(t.Context(), changes, seen)
			if err != nil || results[0].Done {
				t.Errorf("applied over a person's change: %+v, %v", results, err)
			}
			same(t, "after", tree(t, dir), before)
		})
		t.Run("undo "+string(c.Op), func(t *testing.T) {
			r, dir := open(t, start)
			k := kept{}
			changes, seen, _ := change(t, r, k, c)
			touched := c.Path
			if c.Op == workspace.Move {
				touched = c.To
			}
			write(t, dir, touched, "by a person")
			before := tree(t, dir)
			undone, err := r.Undo(t.Context(), changes, seen, k.blob, false)
			if err != nil || len(undone) != 1 || undone[0].Done || !strings.Contains(undone[0].Why, "since") {
				t.Errorf("undone: %+v, %v", undone, err)
			}
			same(t, "after", tree(t, dir), before)
		})
	}
}

// A file is found in whatever normal form its name has on the disk, and listed once, as it is typed.
func TestNormalForms(t *testing.T) {
	composed, decomposed := norm.NFC.String("Relevé de situation.txt"), norm.NFD.String("Relevé de situation.txt")
	for _, disk := range []string{composed, decomposed} {
		r, _ := open(t, map[string]string{"café/x": "-", norm.NFD.String("Zoë") + "/" + disk: "solde"})
		for _, typed := range []string{composed, decomposed} {
			if data, err := r.Read(t.Context(), "Zoë/"+typed); err != nil || string(data) != "solde" {
				t.Errorf("%q as %q: %q, %v", disk, typed, data, err)
			}
			l, err := r.ByName(t.Context(), typed, norm.NFD.String("Zoë"), 10)
			if err != nil || len(l.Files) != 1 || l.Files[0].Path != norm.NFC.String("Zoë/")+composed {
				t.Errorf("%q found as %q: %+v, %v", disk, typed, l, err)
			}
			if _, _, results := change(t, r, kept{}, workspace.Change{Op: workspace.Create, Path: "Zoë/" + typed}); results[0].Done {
				t.Error("a second file was made under the same name in another normal form")
			}
		}
	}
}

// The finders that need no text: what a person expects of a mixed folder.
func TestFinders(t *testing.T) {
	r, dir := open(t, map[string]string{
		"README.md": "x", "notes/2026/plan.md": "plan", "notes/2026/Plan B.txt": "b", "notes/old/plan.pdf": strings.Repeat("p", 5000), "photos/cat.JPG": "jpg",
		"photos/cat (1).jpg": "jpg", ".git/config": "x", "node_modules/x/plan.md": "x", "..odd.txt": "odd", "data[1].csv": "1,2", "empty.txt": "",
	})
	old := time.Date(2020, 5, 1, 0, 0, 0, 0, time.UTC)
	if err := os.Chtimes(filepath.Join(dir, "notes/old/plan.pdf"), old, old); err != nil {
		t.Fatal(err)
	}
	names := map[string][]string{
		"plan":           {"notes/2026/Plan B.txt", "notes/2026/plan.md", "notes/old/plan.pdf"},
		"PLAN.md":        {"notes/2026/plan.md"},
		"*.md":           {"README.md", "notes/2026/plan.md"},
		"*.jpg":          {"photos/cat (1).jpg", "photos/cat.JPG"},
		"notes/*":        {},
		"notes/*/plan.*": {"notes/2026/plan.md", "notes/old/plan.pdf"},
		"notes/**":       {"notes/2026/Plan B.txt", "notes/2026/plan.md", "notes/old/plan.pdf"},
		"**/plan.*":      {"notes/2026/plan.md", "notes/old/plan.pdf"},
		"**/*.md":        {"README.md", "notes/2026/plan.md"},
		"2026/p":         {"notes/2026/Plan B.txt", "notes/2026/plan.md"},
		"cat (1)":        {"photos/cat (1).jpg"},
		"odd":            {"..odd.txt"},
		"data[[]1].csv":  {"data[1].csv"},
		"config":         {},
		"zzz":            {},
	}
	for pattern, want := range names {
		l, err := r.ByName(t.Context(), pattern, "", 50)
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
		}
		if got := paths(l); strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("by name %s: %q, want %q", pattern, got, want)
		}
	}
	for _, c := range []struct {
		conditions workspace.Conditions
		want       string
	}{
		{workspace.Conditions{Endings: []string{".MD", "txt"}, Order: workspace.ByPath}, "..odd.txt|README.md|empty.txt|notes/2026/Plan B.txt|notes/2026/plan.md"},
		{workspace.Conditions{AtLeast: 1000}, "notes/old/plan.pdf"},
		{workspace.Conditions{AtMost: 2, Endings: []string{"txt"}}, "empty.txt|notes/2026/Plan B.txt"},
		{workspace.Conditions{Before: old.Add(time.Hour)}, "notes/old/plan.pdf"},
		{workspace.Conditions{After: old.Add(time.Hour), Folder: "notes"}, "notes/2026/Plan B.txt|notes/2026/plan.md"},
		{workspace.Conditions{Folder: "notes", Order: workspace.Largest}, "notes/old/plan.pdf|notes/2026/plan.md|notes/2026/Plan B.txt"},
		{workspace.Conditions{Folder: "notes", Order: workspace.Oldest}, "notes/old/plan.pdf|notes/2026/Plan B.txt|notes/2026/plan.md"},
	} {
		l, err := r.Filter(t.Context(), c.conditions, 50)
		if err != nil {
			t.Error(err)
		}
		if got := strings.Join(paths(l), "|"); c.conditions.Order != workspace.Oldest && got != c.want || c.conditions.Order == workspace.Oldest && !strings.HasPrefix(got, "notes/old/") {
			t.Errorf("%+v: %s, want %s", c.conditions, got, c.want)
		}
	}
	l, err := r.ByName(t.Context(), "*", "", 3)
	if err != nil || len(l.Files) != 3 || l.More != 6 {
		t.Errorf("a long listing: %+v, %v", l, err)
	}
	if _, err := r.ByName(t.Context(), "x", "nowhere", 3); err == nil {
		t.Error("a folder that is not there was listed")
	}
}

func paths(l workspace.Listing) []string {
	list := []string{}
	for _, f := range l.Files {
		list = append(list, f.Path)
	}
	return list
}

// A context that is over ends every call.
func TestOver(t *testing.T) {
	r, _ := open(t, map[string]string{"a.txt": "alpha"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Read(ctx, "a.txt"); !errors.Is(err, context.Canceled) {
		t.Errorf("read: %v", err)
	}
	if _, err := r.ByName(ctx, "a", "", 5); !errors.Is(err, context.Canceled) {
		t.Errorf("listing: %v", err)
	}
}

// Words are found as a person reads them: whatever the case, the marks and the line breaks, but whole and in their order,
// with the place where they stand.
func TestTerms(t *testing.T) {
	texts := map[string]string{
		"a.md":     "The boiler’s pressure\nis 1.5 bar.\nThe boilers next door\nare older. The “cold” water – 1.5 bar.",
		"b.md":     "Boiler BOILER boiler, boiler; boiler.",
		"c/c.txt":  "café and cafe\u0301, naïve soft\u00adware",
		"c/d.txt":  "夜班码头的锅炉",
		"photo":    "",
		"c/E.html": "the boiler is here, but only Read knows",
	}
	r, _ := open(t, texts)
	reads := 0
	over := workspace.Texts{
		Read: func(_ context.Context, path string) ([]workspace.Passage, error) {
			if reads++; path == "photo" {
				return nil, &workspace.Refused{Path: path, Reason: "it is no text"}
			}
			return []workspace.Passage{{At: "para.1", Line: 1, Text: texts[path]}}, nil
		},
		Known: func(path string) (string, bool) { return texts[path], path != "photo" && path != "c/E.html" },
	}
	for _, c := range []struct {
		term workspace.Term
		want string // path:line, in order
		more int
	}{
		{workspace.Term{Words: "boiler"}, "a.md:1 b.md:1 b.md:1 b.md:1 c/E.html:1", 2},
		{workspace.Term{Words: "boiler's PRESSURE is"}, "a.md:1", 0},
		{workspace.Term{Words: "1.5 bar"}, "a.md:2 a.md:4", 0},
		{workspace.Term{Words: `"cold" water - 1.5`}, "a.md:4", 0},
		{workspace.Term{Words: "5 bar"}, "a.md:2 a.md:4", 0},
		{workspace.Term{Words: "oiler"}, "", 0},
		{workspace.Term{Words: "next boilers"}, "", 0},
		{workspace.Term{Words: "cafe\u0301"}, "c/c.txt:1 c/c.txt:1", 0},
		{workspace.Term{Words: "software"}, "c/c.txt:1", 0},
		{workspace.Term{Words: "锅炉"}, "c/d.txt:1", 0},
		{workspace.Term{Words: "boiler", Folder: "c"}, "c/E.html:1", 0},
		{workspace.Term{Words: "boiler", Name: "*.md", Most: 2}, "a.md:1 b.md:1", 4},
	} {
		if c.term.Most == 0 {
			c.term.Most = 20
		}
		got, err := r.ByTerm(t.Context(), c.term, over)
		if err != nil {
			t.Fatal(err)
		}
		var at []string
		for _, m := range got.Matches {
			at = append(at, fmt.Sprintf("%s:%d", m.Path, m.Line))
			if m.At != "para.1" || m.Text == "" || !strings.Contains(texts[m.Path], m.Text) {
				t.Errorf("%+v: %+v", c.term, m)
			}
		}
		if strings.Join(at, " ") != c.want || got.More != c.more {
			t.Errorf("%+v: %v and %d more, want %s and %d", c.term, at, got.More, c.want, c.more)
		}
		if whole := c.term.Folder == "" && c.term.Name == ""; whole && got.Unread != 1 {
			t.Errorf("%+v: %d files could not be read, want the one", c.term, got.Unread)
		}
	}
	reads = 0
	if _, err := r.ByTerm(t.Context(), workspace.Term{Words: "nothing of the kind", Most: 5}, over); err != nil || reads != 2 {
		t.Errorf("%d files were read that are known not to hold the words (%v)", reads-2, err)
	}
	if _, err := r.ByTerm(t.Context(), workspace.Term{Words: " \u00ad ", Most: 5}, over); err == nil {
		t.Error("no words were looked for")
	}
}
