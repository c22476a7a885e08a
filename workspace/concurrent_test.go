package workspace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"ibid/workspace"
)

// A thousand changes at once, by two programs that have the same folder open: of those for one name one is made, of those of
// one file each builds on the one before, and no file is torn.
func TestConcurrentChanges(t *testing.T) {
	start := map[string]string{"count.txt": "", "prize.txt": "the prize"}
	for i := range 100 {
		start[fmt.Sprintf("old/%d.txt", i)] = fmt.Sprint("old ", i)
	}
	first, dir := open(t, start)
	second, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	roots := []*workspace.Root{first, second}
	var wins [20]atomic.Int64
	var prizes, counted, deleted atomic.Int64
	try := func(r *workspace.Root, c workspace.Change) bool {
		checked, err := workspace.Check([]workspace.Change{c})
		if err != nil {
			t.Error(err)
			return false
		}
		seen, err := r.Look(t.Context(), checked, kept{}.keep)
		if err != nil {
			t.Error(err)
			return false
		}
		results, err := r.Apply(t.Context(), checked, seen)
		if err != nil {
			t.Error(err)
			return false
		}
		return results[0].Done
	}
	body := func(i int) string { return fmt.Sprint(i, strings.Repeat(fmt.Sprint(" line ", i, "\n"), 200)) }
	var all sync.WaitGroup
	for i := range 1000 {
		all.Go(func() {
			r := roots[i%2]
			switch {
			case i < 500: // each a file of its own
				if !try(r, workspace.Change{Op: workspace.Create, Path: fmt.Sprintf("own/%d/%d.txt", i%7, i), Content: body(i)}) {
					t.Errorf("file %d was not made", i)
				}
			case i < 700: // ten for each name
				if try(r, workspace.Change{Op: workspace.Create, Path: fmt.Sprintf("shared/%d.txt", i%20), Content: body(i)}) {
					wins[i%20].Add(1)
				}
			case i < 760: // one adds to what the one before wrote
				for {
					data, err := r.Read(t.Context(), "count.txt")
					if err != nil {
						continue // it is being put in its place
					}
					if try(r, workspace.Change{Op: workspace.Replace, Path: "count.txt", Content: string(data) + fmt.Sprintf("%d\n", i), Was: workspace.Sum(data)}) {
						counted.Add(1)
						return
					}
				}
			case i < 900: // all want the prize
				if try(r, workspace.Change{Op: workspace.Move, Path: "prize.txt", To: fmt.Sprintf("taken/%d.txt", i)}) {
					prizes.Add(1)
				}
			default:
				if try(r, workspace.Change{Op: workspace.Delete, Path: fmt.Sprintf("old/%d.txt", i-900)}) {
					deleted.Add(1)
				}
			}
		})
	}
	all.Wait()
	files := tree(t, dir)
	for i := range 500 {
		if files[fmt.Sprintf("own/%d/%d.txt", i%7, i)] != body(i) {
			t.Errorf("file %d is torn or lost", i)
		}
	}
	for i := range wins {
		var n int
		text := files[fmt.Sprintf("shared/%d.txt", i)]
		if _, err := fmt.Sscan(text, &n); err != nil || text != body(n) || wins[i].Load() != 1 {
			t.Errorf("shared file %d: %d made it, and it holds %.20q", i, wins[i].Load(), text)
		}
	}
	if lines := strings.Count(files["count.txt"], "\n"); lines != 60 || counted.Load() != 60 {
		t.Errorf("%d lines of %d replacements that were made, of 60: one was lost", lines, counted.Load())
	}
	if taken, _ := filepath.Glob(filepath.Join(dir, "taken", "*")); len(taken) != 1 || prizes.Load() != 1 {
		t.Errorf("the prize was taken %d times, and lies in %v", prizes.Load(), taken)
	}
	if deleted.Load() != 100 {
		t.Errorf("%d of 100 files were deleted", deleted.Load())
	}
	for name := range files {
		if strings.Contains(name, ".ibid-") {
			t.Errorf("%s was left", name)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "old")); err != nil {
		t.Error("a folder was deleted with its files")
	}
}
