//go:build unix

// Package bench measures ibid's reader of web pages beside two others, on the shared pages. Run it with make bench-readers.
package bench

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"codeberg.org/readeck/go-readability/v2"
	"github.com/markusmobius/go-trafilatura"

	"ibid/extract"
	"ibid/internal/testset"
)

// A reader reads one page and returns the length of its main text.
type reader struct {
	name string
	read func(page []byte) (int, error)
}

var address = &url.URL{Scheme: "https", Host: "a.example", Path: "/x"}

var readers = []reader{
	{"ibid", func(page []byte) (int, error) {
		x := extract.Extractor{MaxText: 32 << 20}
		p, err := x.Extract(context.Background(), extract.Input{URL: address.String(), ContentType: "text/html", Body: page})
		if err != nil {
			return 0, err
		}
		return len(p.Text(false)), nil
	}},
	{"trafilatura", func(page []byte) (int, error) {
		r, err := trafilatura.Extract(bytes.NewReader(page), trafilatura.Options{OriginalURL: address, EnableFallback: true})
		if err != nil {
			return 0, err
		}
		return len(r.ContentText), nil
	}},
	{"readability", func(page []byte) (int, error) {
		a, err := readability.FromReader(bytes.NewReader(page), address)
		if err != nil || a.Node == nil {
			return 0, err
		}
		var text strings.Builder
		err = a.RenderText(&text)
		return text.Len(), err
	}},
}

// Pages of one set, in turn: the mean memory of a page and its mean processor time, what half of them take, and what one in
// a hundred takes or more. With one processor (GOMAXPROCS=1) the time counts the collection of garbage and no other program.
func BenchmarkReaders(b *testing.B) {
	for _, set := range []string{"html-wcxb", "html-aeb", "html-segments"} {
		pages := load(b, set)
		for _, r := range readers {
			b.Run(set+"/"+r.name, func(b *testing.B) {
				b.ReportAllocs()
				runtime.GC()
				times, size, first := make([]time.Duration, 0, b.N), 0, used(b)
				for i := 0; b.Loop(); i++ {
					page := pages[i%len(pages)]
					size += len(page)
					start := used(b)
					if _, err := r.read(page); err != nil && r.name == "ibid" {
						b.Fatal(err)
					}
					times = append(times, used(b)-start)
				}
				total := used(b) - first
				slices.Sort(times)
				ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(ms(total)/float64(len(times)), "cpu-ms/page")
				b.ReportMetric(ms(times[len(times)/2]), "p50-ms")
				b.ReportMetric(ms(times[len(times)*99/100]), "p99-ms")
				b.ReportMetric(float64(size)/1e6/total.Seconds(), "MB/cpu-s")
			})
		}
	}
}

// Pages that are long or were made to hurt. The others are given less, where they would run for minutes.
func BenchmarkHostile(b *testing.B) {
	article := func(n int) []byte {
		var s strings.Builder
		s.WriteString("<!doctype html><title>T</title><body><article>")
		for i := range n {
			fmt.Fprintf(&s, "<p>Paragraph %d of a long article has some <b>words</b>, a few <a href='/%d'>links</a>, and then many more words, as articles do. It goes on for a while, and holds a number: %d. That is what makes it long.</p>\n", i, i, i*7)
		}
		return []byte(s.String() + "</article>")
	}
	for _, c := range []struct {
		name string
		page []byte
	}{
		{"paragraphs-4000", article(4000)},
		{"paragraphs-38000", article(38000)},
		{"links-100000", []byte("<!doctype html><title>T</title><body>" + strings.Repeat("<p>word <a href='/x'>x</a></p>", 100_000))},
		{"text-10MB", []byte("<!doctype html><title>T</title><body><p>" + strings.Repeat("Ten million bytes of words, and nothing else at all. ", 200_000))},
	} {
		for _, r := range readers {
			if r.name == "trafilatura" && c.name != "paragraphs-4000" {
				continue // more than 20 seconds each
			}
			b.Run(c.name+"/"+r.name, func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(c.page)))
				for b.Loop() {
					if _, err := r.read(c.page); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// used is the processor time that this program has taken.
func used(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func load(b *testing.B, set string) [][]byte {
	names, err := filepath.Glob(filepath.Join(testset.Path(b, "data", "extract", set), "*.html.gz"))
	if err != nil || len(names) == 0 {
		b.Fatalf("no pages in %s: %v", set, err)
	}
	var pages [][]byte
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			b.Fatal(err)
		}
		page, err := io.ReadAll(z)
		if err != nil {
			b.Fatal(err)
		}
		f.Close()
		pages = append(pages, page)
	}
	return pages
}
