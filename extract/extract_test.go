package extract

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"go.uber.org/goleak"

	"ibid/evidence"
)

// TestMain ends the shared PDF engine and looks for goroutines that were left behind.
func TestMain(m *testing.M) {
	if os.Getenv(pdfWorkerVariable) != "" {
		servePDFTests()
	}
	code := m.Run()
	if err := shared.Close(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, "close the PDF engine:", err)
		code = 1
	}
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// read extracts and checks what must hold for every page.
func read(t *testing.T, url, contentType, body string) *Page {
	t.Helper()
	p, err := Extract(t.Context(), Input{URL: url, ContentType: contentType, Body: []byte(body)})
	if err != nil {
		t.Fatalf("Extract(%s): %v", url, err)
	}
	check(t, p, len(body))
	return p
}

// check asserts the properties of any page: locators unique, valid and in order; text that is there, valid, and not
// more than the document could hold; only main content quotable; links absolute and each once.
func check(t testing.TB, p *Page, size int) {
	t.Helper()
	if p.Kind == "" || p.By == "" {
		t.Errorf("kind %q, by %q: both must be set", p.Kind, p.By)
	}
	total, prev := 0, evidence.Locator{}
	places := map[evidence.Locator]bool{}
	for i, b := range p.Blocks {
		switch {
		case places[b.Locator]:
			t.Errorf("block %d: locator %q is there twice", i, b.Locator)
		case !b.Locator.Valid():
			t.Errorf("block %d: locator %q names no place", i, b.Locator)
		case i > 0 && !before(prev, b.Locator):
			t.Errorf("block %d: %q does not come after %q", i, b.Locator, prev)
		case strings.TrimSpace(b.Text) == "" || !utf8.ValidString(b.Text) || !utf8.ValidString(b.Heading):
			t.Errorf("block %d at %s: bad text %q or heading %q", i, b.Locator, b.Text, b.Heading)
		case b.Quotable && !b.Main:
			t.Errorf("%s is quotable and not main content", b.Locator)
		case b.LinkText < 0 || b.LinkText > 1:
			t.Errorf("%s: link share %v", b.Locator, b.LinkText)
		case b.Start < 0 || b.End < b.Start || b.End > 3*size: // a byte of a legacy encoding is up to three of UTF-8
			t.Errorf("%s: bytes %d to %d of %d", b.Locator, b.Start, b.End, size)
		}
		prev = b.Locator
		places[b.Locator] = true
		total += len(b.Text)
	}
	if total > 4*size+1000 {
		t.Errorf("%d bytes of text from %d", total, size)
	}
	seen := map[string]bool{}
	for _, l := range p.Links {
		if seen[l.URL] || !strings.Contains(l.URL, "://") || !utf8.ValidString(l.Text) {
			t.Errorf("link %q %q: twice, relative or broken", l.URL, l.Text)
		}
		seen[l.URL] = true
	}
}

// before is the order of locators within one document.
func before(a, b evidence.Locator) bool {
	switch {
	case a.Unit != b.Unit:
		return false
	case a.Unit == evidence.Cells, a.Unit == evidence.Pointer:
		return a.Path != b.Path
	case a.Path != b.Path:
		return a.Path < b.Path
	case a.Unit == evidence.Lines:
		return a.B < b.A
	case a.A != b.A:
		return a.A < b.A
	}
	return a.B < b.B
}

// quotable joins what may be quoted, one block a line.
func quotable(p *Page) string {
	var texts []string
	for _, b := range p.Blocks {
		if b.Quotable {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func hasFlag(p *Page, flag string) bool {
	for _, f := range p.Flags {
		if f == flag {
			return true
		}
	}
	return false
}

func TestUnreadable(t *testing.T) {
	for _, c := range []struct {
		name, url, contentType, body string
		want                         Reason
	}{
		{"picture", "https://a.example/x.txt", "text/plain", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00", NotSupported},
		{"binary", "https://a.example/x.txt", "text/plain", "MZ\x00\x01\x02\x00\x00binary", NotSupported},
		{"XML of nothing", "https://a.example/feed", "application/rss+xml", `<?xml version="1.0"?><!-- -->`, Damaged},
		{"a web page in place of captions", "https://a.example/x.vtt", "text/vtt", "<!doctype html><p>Too many requests came from this address.", WrongType},
		{"captions without cues", "https://a.example/x.vtt", "text/vtt", "WEBVTT\n\nNOTE nothing\n", Damaged},
		{"damaged zip", "https://a.example/x.zip", "", "PK\x03\x04\x14\x00\x00\x00\x08\x00" + strings.Repeat("a", 40), Damaged},
	} {
		p, err := Extract(t.Context(), Input{URL: c.url, ContentType: c.contentType, Body: []byte(c.body)})
		var u *Unreadable
		if !errors.As(err, &u) || u.Reason != c.want {
			t.Errorf("%s: got %v, %v, want reason %s", c.name, p, err, c.want)
		}
	}
}

func TestLimits(t *testing.T) {
	x := &Extractor{MaxText: 1000, MaxFile: 1000}
	body := []byte("<!doctype html><title>T</title>" + strings.Repeat("<p>A sentence of the page that counts 114,301 words.</p>", 50))
	p, err := x.Extract(t.Context(), Input{URL: "https://a.example/", Body: body})
	if err != nil || !hasFlag(p, FlagTruncated) || len(p.Blocks) == 0 {
		t.Fatalf("got %v, %v; want the beginning, and the truncation said", p, err)
	}
	for _, b := range p.Blocks {
		if b.Text != "A sentence of the page that counts 114,301 words." {
			t.Errorf("a block was cut by the limit: %q", b.Text)
		}
	}
	_, err = x.Extract(t.Context(), Input{URL: "https://a.example/x.pdf", Body: append([]byte("%PDF-1.4\n"), make([]byte, 2000)...)})
	var u *Unreadable
	if !errors.As(err, &u) || u.Reason != TooLarge {
		t.Errorf("a PDF beyond the limit: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Extract(ctx, Input{URL: "https://a.example/", Body: body}); !errors.Is(err, context.Canceled) {
		t.Errorf("with a cancelled context: %v", err)
	}
}
