package corpus

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ibid/extract"
	"ibid/fetch"
	"ibid/search"
)

// folderOf opens a folder of generated documents: n of about size bytes each.
func folderOf(t testing.TB, n, size int) string {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		write(t, filepath.Join(dir, fmt.Sprintf("part%d", i%20), fmt.Sprintf("note-%04d.%s", i, []string{"md", "txt"}[i%2])), generated(uint64(i), size))
	}
	return dir
}

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// generated is a text in paragraphs, of words as rare and as common as in a language.
func generated(seed uint64, size int) string {
	rnd := rand.New(rand.NewPCG(seed, 7))
	var b strings.Builder
	fmt.Fprintf(&b, "# Report %d on %s\n\n", seed, word(rnd.IntN(4000)))
	for b.Len() < size {
		for range 4 + rnd.IntN(5) {
			for range 6 + rnd.IntN(14) {
				b.WriteString(word(int(4000 * rnd.Float64() * rnd.Float64() * rnd.Float64())))
				b.WriteByte(' ')
			}
			fmt.Fprintf(&b, "in %d. ", 1900+rnd.IntN(130))
		}
		b.WriteString("\n\n")
	}
	return b.String()
}

func word(i int) string {
	syllables := []string{"ba", "ke", "lo", "mi", "nu", "ra", "se", "ti", "vo", "za", "der", "fin", "gol", "hap", "jun", "wer"}
	s := syllables[i%16]
	for i /= 16; i > 0; i /= 16 {
		s += syllables[i%16]
	}
	return s
}

// keptLibraryOver opens a library over a folder, kept in a file; read counts the documents that are extracted.
func keptLibraryOver(t testing.TB, dir, file string, read *atomic.Int64, now func() time.Time) *Library {
	t.Helper()
	f, err := fetch.NewFolder(dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	var kept *Kept
	if file != "" {
		kept = &Kept{File: file, Program: "test", Now: now, Say: func(what string) { t.Error(what) }}
	}
	return NewLibrary(LibraryConfig{Name: "folder", Shelf: f, Kept: kept, Extract: func(ctx context.Context, in extract.Input) (*extract.Page, error) {
		read.Add(1)
		return extract.Extract(ctx, in)
	}})
}

// later is a clock by which nothing was changed a moment ago.
func later() time.Time { return time.Now().Add(time.Minute) }

func ask(t testing.TB, l *Library) (answers []search.Answer) {
	t.Helper()
	for _, q := range []string{"ba ke report", "bader in 1950", word(3999) + " " + word(77), "Report 7", "zaza vovo jun"} {
		a, err := l.Search(t.Context(), q, 30)
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, a)
	}
	return answers
}

// A kept index answers as a fresh one does, whatever changed in between, and only what changed is read.
func TestKeptLibraryIsTheSame(t *testing.T) {
	dir, file := folderOf(t, 40, 600), filepath.Join(t.TempDir(), "index")
	var read atomic.Int64
	check := func(what string, l *Library, want int64) {
		t.Helper()
		read.Store(0)
		got := ask(t, l)
		if n := read.Load(); n != want {
			t.Errorf("%s: %d documents were read, want %d", what, n, want)
		}
		var other atomic.Int64
		if fresh := ask(t, keptLibraryOver(t, dir, "", &other, later)); !reflect.DeepEqual(got, fresh) {
			t.Errorf("%s: another answer than a fresh index gives", what)
		}
	}
	first := keptLibraryOver(t, dir, file, &read, later)
	check("the first time", first, 40)
	check("again", first, 0)
	check("another program", keptLibraryOver(t, dir, file, &read, later), 0)

	write(t, filepath.Join(dir, "part1/note-0001.txt"), "# Other\n\nNow about "+word(3999)+" and other things.")
	write(t, filepath.Join(dir, "part1/new.md"), "# New\n\nSee [the other](note-0001.txt), about zaza vovo jun.")
	for _, gone := range []string{"part2/note-0002.md", "part3/note-0003.txt"} {
		if err := os.Remove(filepath.Join(dir, gone)); err != nil {
			t.Fatal(err)
		}
	}
	check("what changed, by a library that was open", first, 2)
	check("what changed, kept", keptLibraryOver(t, dir, file, &read, later), 0)

	// Written again with the same bytes, and moved: no document is read that was read before under its path.
	write(t, filepath.Join(dir, "part1/new.md"), "# New\n\nSee [the other](note-0001.txt), about zaza vovo jun.")
	check("the same bytes at another time", keptLibraryOver(t, dir, file, &read, later), 0)

	// Changed to as many bytes at the same time as when it was read, a moment ago.
	soon := keptLibraryOver(t, dir, file, &read, time.Now)
	at := time.Now()
	name := filepath.Join(dir, "part1/new.md")
	stamp := func() {
		if err := os.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
	}
	stamp()
	check("before", soon, 0)
	write(t, name, "# New\n\nSee [the other](note-0001.txt), about wera vovo jun.")
	stamp()
	check("the same size and time", keptLibraryOver(t, dir, file, &read, time.Now), 1)
}

// Whatever a kept index holds, the answers are those of a fresh one: it is made anew if it is damaged or another's.
func TestDamagedKeptLibrary(t *testing.T) {
	dir, file := folderOf(t, 12, 500), filepath.Join(t.TempDir(), "index")
	var read atomic.Int64
	want := ask(t, keptLibraryOver(t, dir, file, &read, later))
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lib, err := decodeKept(good)
	if err != nil {
		t.Fatal(err)
	}
	wrong := *lib // that is well-formed, and does not hold what it says
	for i := range wrong.Records {
		rec := *wrong.Records[i]
		rec.Words = append([]byte{9, 9}, rec.Words...)
		wrong.Records[i] = &rec
	}
	forged := filepath.Join(t.TempDir(), "forged")
	if err := (&Kept{File: forged}).write(&wrong); err != nil {
		t.Fatal(err)
	}
	nonsense, _ := os.ReadFile(forged)
	other := *lib
	other.Program = "another"
	if err := (&Kept{File: forged}).write(&other); err != nil {
		t.Fatal(err)
	}
	anothers, _ := os.ReadFile(forged)
	flipped := bytes.Clone(good)
	flipped[len(flipped)/2] ^= 1
	for name, data := range map[string][]byte{"cut": good[:len(good)/2], "one bit": flipped, "empty": {}, "text": []byte("ibid index 1\nhello"), "nonsense": nonsense, "another program's": anothers} {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		read.Store(0)
		if got := ask(t, keptLibraryOver(t, dir, file, &read, later)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: other answers", name)
		}
		if read.Load() != 12 {
			t.Errorf("%s: %d documents were read, want all 12", name, read.Load())
		}
		if again, err := os.ReadFile(file); err != nil || len(again) != len(good) {
			t.Errorf("%s: it was not made anew (%d bytes, %v)", name, len(again), err)
		}
	}
}

// FuzzKept: no bytes make the reading of a kept index fail otherwise than by an error.
func FuzzKept(f *testing.F) {
	f.Add([]byte(keptForm))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			t.Skip()
		}
		_, _ = decodeKept(data)
	})
}

// BenchmarkFolder is what a folder of 2,000 documents of about 8 KB takes: the first time, the next time, and after ten
// changes. Of the first time the goal is 8 MB/s; of the others, a second. On a machine that does other things besides, the time
// of the processors tells more than the clock.
func BenchmarkFolder(b *testing.B) {
	runtime.GOMAXPROCS(2)
	const documents, size = 2000, 8 << 10
	dir, file := folderOf(b, documents, size), filepath.Join(b.TempDir(), "index")
	var read atomic.Int64
	one := func(b *testing.B, l *Library) {
		if _, err := l.Search(b.Context(), "bader report "+word(3999), 8); err != nil {
			b.Fatal(err)
		}
	}
	run := func(name string, bytes int64, do func(b *testing.B)) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(bytes)
			began := cpuTime(b)
			do(b)
			b.ReportMetric((cpuTime(b)-began).Seconds()/float64(b.N), "cpu-s/op")
		})
	}
	run("first", documents*size, func(b *testing.B) {
		for b.Loop() {
			os.Remove(file)
			one(b, keptLibraryOver(b, dir, file, &read, later))
		}
	})
	one(b, keptLibraryOver(b, dir, file, &read, later)) // whichever of them was asked for
	run("second", 0, func(b *testing.B) {
		for b.Loop() {
			one(b, keptLibraryOver(b, dir, file, &read, later))
		}
	})
	l := keptLibraryOver(b, dir, file, &read, later)
	one(b, l)
	run("changed", 0, func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			for i := range 10 {
				write(b, filepath.Join(dir, "part0", fmt.Sprintf("note-%04d.md", 20*i)), generated(uint64(n*10+i+5000), size))
			}
			one(b, l)
		}
	})
}
