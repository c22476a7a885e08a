package extract

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/draw"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func needTesseract(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("tesseract"); err != nil && os.Getenv("CI") == "" {
		t.Skip("needs tesseract")
	}
}

// A scanned page is read where that is allowed, and said to be so; where it is not, there is nothing.
func TestOCR(t *testing.T) {
	needTesseract(t)
	x := newProcessExtractor(t, 0)
	dir, list := pdfSet(t)
	for _, g := range list {
		if len(g.QuotesOCR) == 0 {
			continue
		}
		body, err := os.ReadFile(filepath.Join(dir, g.ID+".pdf"))
		if err != nil {
			t.Fatal(err)
		}
		in := Input{URL: "https://a.example/scan.pdf", Body: body}
		x.OCR = false
		p, err := x.Extract(t.Context(), in)
		if err != nil || len(p.Blocks) != 0 || !hasFlag(p, FlagNoText) || hasFlag(p, FlagOCR) {
			t.Errorf("%s without OCR: %d blocks, %v, %v", g.ID, len(p.Blocks), p.Flags, err)
		}
		x.OCR = true
		p, err = x.Extract(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		found, pages := 0, pageForms(p)
		for _, q := range g.QuotesOCR {
			if strings.Contains(pages[q.P], quoteForm(q.Text)) {
				found++
			}
		}
		if found*100 < len(g.QuotesOCR)*95 || !hasFlag(p, FlagOCR) || hasFlag(p, FlagNoText) {
			t.Errorf("%s: %d of %d sentences, flags %v", g.ID, found, len(g.QuotesOCR), p.Flags)
		}
		for _, b := range p.Blocks {
			if b.Path != "ocr" {
				t.Errorf("%s does not say that it was recognised", b.Locator)
			}
		}
	}
}

// Programs that fail, that never end or that answer nonsense leave the page as it was.
func TestOCRPrograms(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs scripts")
	}
	if testing.Short() {
		t.Skip("starts the PDF engine")
	}
	scan := Input{URL: "https://a.example/scan.pdf", Body: writePDF("", "", "q 595 0 0 842 0 0 cm /Im1 Do Q\n")}
	const row = `5\t1\t1\t1\t1\t1\t100\t100\t200\t40\t96\tWords\n`
	for _, c := range []struct {
		name, script string
		read         bool
	}{
		{"reads", `[ "$1" = --list-langs ] && { echo "List of languages:"; echo eng; exit; }; cat >/dev/null; printf '` + row + `'`, true},
		{"fails", `[ "$1" = --list-langs ] && { echo eng; exit; }; exit 3`, false},
		{"knows no language", `[ "$1" = --list-langs ] && exit; cat >/dev/null; printf '` + row + `'`, false},
		{"answers nonsense", `[ "$1" = --list-langs ] && { echo eng; exit; }; cat >/dev/null; head -c 100000 /dev/urandom`, false},
		{"never stops talking", `[ "$1" = --list-langs ] && { echo eng; exit; }; exec cat /dev/zero`, false},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "tesseract"), []byte("#!/bin/sh\n"+c.script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir+string(os.PathListSeparator)+"/usr/bin:/bin")
		x := &Extractor{OCR: true}
		p, err := x.Extract(t.Context(), scan)
		if err != nil {
			t.Fatal(err)
		}
		if read := len(p.Blocks) == 1 && p.Blocks[0].Text == "Words" && hasFlag(p, FlagOCR); read != c.read || hasFlag(p, FlagNoText) == read {
			t.Errorf("a program that %s: %+v, %v", c.name, p.Blocks, p.Flags)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The program ends with the context of its reader.
func TestOCRKilled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs scripts")
	}
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	script := "#!/bin/sh\n[ \"$1\" = --list-langs ] && { echo eng; exit; }\n: >" + started + "\nexec sleep 600\n"
	if err := os.WriteFile(filepath.Join(dir, "tesseract"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+"/usr/bin:/bin")
	var r recogniser
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for {
			if _, err := os.Stat(started); err == nil || ctx.Err() != nil {
				cancel()
				return
			}
			runtime.Gosched()
		}
	}()
	r.find(ctx)
	begun := time.Now()
	_, err := r.read(ctx, (&pdfImage{Width: 1, Height: 1, Pixels: []byte{255}}).reader(), 1, 72, "eng")
	if !errors.Is(err, context.Canceled) || time.Since(begun) > 30*time.Second {
		t.Errorf("after %v: %v", time.Since(begun), err)
	}
}

func TestOCRLanguages(t *testing.T) {
	r := recogniser{languages: []string{"eng", "chi_tra", "deu", "fra", "jpn", "rus"}}
	for lang, want := range map[string]string{"": "eng+chi_tra+deu+fra", "de-AT": "deu", "en": "eng", "ja": "jpn", "zh-Hant-TW": "chi_tra", "zh": "eng+chi_tra+deu+fra", "xx": "eng+chi_tra+deu+fra"} {
		if got := r.languagesFor(lang); got != want {
			t.Errorf("%q: %s, want %s", lang, got, want)
		}
	}
}

// wordsTable is a table as tesseract writes it: for each word its block, paragraph and line, place, certainty and text.
func wordsTable(words ...string) string {
	b := "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n1\t1\t0\t0\t0\t0\t0\t0\t1000\t1000\t-1\t\n"
	for i, w := range words {
		var block, par, line, left, top, conf int
		var text string
		_, _ = fmt.Sscanf(w, "%d.%d.%d %d,%d %d %s", &block, &par, &line, &left, &top, &conf, &text)
		b += fmt.Sprintf("5\t1\t%d\t%d\t%d\t%d\t%d\t%d\t90\t40\t%d\t%s\n", block, par, line, i+1, left, top, conf, text)
	}
	return b
}

func TestOCRTable(t *testing.T) {
	lines := recognised(wordsTable("1.1.1 100,100 96 The", "1.1.1 200,100 93 dock", "1.1.2 100,160 90 was", "1.2.1 100,260 95 Dug.", "2.1.1 500,100 12 ~#", "2.1.1 600,100 20 %", "3.1.1 500,300 90 --"), 2)
	var got []string
	for _, l := range lines {
		got = append(got, fmt.Sprintf("%s|%v|%.0f,%.0f", l.Text, l.Begins, l.X, l.Y))
	}
	if want := "The dock|true|50,70 was|false|50,100 Dug.|true|50,150"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if b := lines[0].part(4, 8); b.Left != 100 || b.Right != 145 || b.Top != 50 || b.Bottom != 70 {
		t.Errorf("the second word is at %+v", b)
	}
}

func FuzzOCRTable(f *testing.F) {
	f.Add(wordsTable("1.1.1 100,100 96 The", "1.1.2 100,160 90 dock"))
	f.Add("5\t1\t1\t1\t1\t1\t-5\t9999999999999\t1\t1\t90\ta\n5\t\t\t\t\t\t\t\t\t\t\tb\n")
	f.Fuzz(func(t *testing.T, table string) {
		for _, l := range recognised(table, 300.0/72) {
			end := 0
			for _, w := range l.Words {
				if w.End <= end || w.End > len(l.Text) {
					t.Fatalf("words of %q end at %+v", l.Text, l.Words)
				}
				end = w.End
			}
			if !l.placed() || end != len(l.Text) || utf8.ValidString(table) && !utf8.ValidString(l.Text) {
				t.Fatalf("%+v", l)
			}
		}
	})
}

// A picture is a document where recognising is allowed, and what it always was where not.
func TestOCRPicture(t *testing.T) {
	needTesseract(t)
	page := image.NewGray(image.Rect(0, 0, 400, 120))
	draw.Draw(page, page.Bounds(), image.White, image.Point{}, draw.Src)
	// The word "TILL", in strokes.
	for _, r := range []image.Rectangle{image.Rect(40, 30, 100, 40), image.Rect(65, 30, 75, 90), image.Rect(120, 30, 130, 90),
		image.Rect(150, 30, 160, 90), image.Rect(150, 80, 190, 90), image.Rect(210, 30, 220, 90), image.Rect(210, 80, 250, 90)} {
		draw.Draw(page, r, image.Black, image.Point{}, draw.Src)
	}
	var file bytes.Buffer
	if err := png.Encode(&file, page); err != nil {
		t.Fatal(err)
	}
	in := Input{URL: "https://a.example/till.png", ContentType: "image/png", Body: file.Bytes()}
	x := &Extractor{OCR: true}
	p, err := x.Extract(t.Context(), in)
	if err != nil || strings.TrimSpace(quotable(p)) != "TILL" || !hasFlag(p, FlagOCR) || p.Blocks[0].Locator.String() != "para.1" {
		t.Errorf("%+v, %v", p, err)
	}
	for name, x := range map[string]*Extractor{"not allowed": {}, "damaged": {OCR: true}} {
		body := in.Body
		if name == "damaged" {
			body = append(body[:60:60], "broken"...)
		}
		_, err = x.Extract(t.Context(), Input{URL: in.URL, ContentType: in.ContentType, Body: body})
		var u *Unreadable
		if !errors.As(err, &u) {
			t.Errorf("a picture, %s: %v", name, err)
		}
	}
	bomb := append([]byte(nil), in.Body...)
	copy(bomb[16:24], "\x00\x01\x00\x00\x00\x01\x00\x00") // its size
	binary.BigEndian.PutUint32(bomb[29:], crc32.ChecksumIEEE(bomb[12:29]))
	var u *Unreadable
	if _, err := x.Extract(t.Context(), Input{URL: in.URL, Body: bomb}); !errors.As(err, &u) || u.Reason != TooLarge {
		t.Errorf("a picture of 4 billion pixels: %v", err)
	}
}
