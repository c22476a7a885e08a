package eval

import (
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ibid/evidence"
	"ibid/extract"
)

// A gold line of an extraction set names a document beside it, and what it was served as.
type gold struct {
	ID          string
	URL         string
	ContentType string `json:"content_type"`
}

// Extract reads every document of the sets in dir (dir/SET/gold.jsonl.gz names them) and writes what ibid reads to
// out/SET/ID.txt: the main content, a block a line; of a PDF its pages, parted by form feeds, and one word about it in
// ID.status; of the set "enc", which measures decoding alone, the decoded document. It tells told about each set.
func Extract(ctx context.Context, x *extract.Extractor, dir, out string, told func(set string, documents int)) error {
	sets, err := filepath.Glob(filepath.Join(dir, "*", "gold.jsonl.gz"))
	if err != nil || len(sets) == 0 {
		return errors.Join(fmt.Errorf("%s holds no set: a set is a folder with a gold.jsonl.gz", dir), err)
	}
	for _, path := range sets {
		set := filepath.Base(filepath.Dir(path))
		list, err := readGold(path)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(out, set), 0o755); err != nil {
			return err
		}
		for _, g := range list {
			if err := extractOne(ctx, x, filepath.Dir(path), filepath.Join(out, set), g); err != nil {
				return fmt.Errorf("%s/%s: %w", set, g.ID, err)
			}
		}
		told(set, len(list))
	}
	return nil
}

func readGold(path string) ([]gold, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return decode[gold](z, path)
}

// extractOne writes what is read in one document. A document that cannot be read has an empty text.
func extractOne(ctx context.Context, x *extract.Extractor, dir, out string, g gold) error {
	if !filepath.IsLocal(g.ID) || strings.ContainsAny(g.ID, `/\`) {
		return errors.New("the id is no file name")
	}
	in, isPDF, err := document(dir, g)
	if err != nil {
		return err
	}
	if filepath.Base(dir) == "enc" {
		text, _ := extract.Decode(in.Body, g.ContentType)
		return os.WriteFile(filepath.Join(out, g.ID+".txt"), []byte(text), 0o644)
	}
	page, err := x.Extract(ctx, in)
	var unreadable *extract.Unreadable
	if err != nil && !errors.As(err, &unreadable) {
		return err
	}
	text := ""
	switch {
	case page == nil, isPDF && page.Kind != evidence.PDF:
	case isPDF:
		text = pages(page)
	default:
		text = page.Text(false)
	}
	if isPDF {
		if err := os.WriteFile(filepath.Join(out, g.ID+".status"), []byte(status(page, unreadable)+"\n"), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(out, g.ID+".txt"), []byte(text), 0o644)
}

// document finds the file of a gold line: the id itself, or with the extension that its set uses.
func document(dir string, g gold) (in extract.Input, isPDF bool, err error) {
	path := filepath.Join(dir, g.ID)
	for _, ext := range []string{".html.gz", ".pdf", ".html"} {
		if exists(path + ext) {
			path += ext
			break
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return in, false, err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".html.gz") {
		z, err := gzip.NewReader(f)
		if err != nil {
			return in, false, err
		}
		r, in.ContentType = z, cmp.Or(g.ContentType, "text/html")
	}
	in.Body, err = io.ReadAll(io.LimitReader(r, maxLine))
	in.URL = "file:///" + filepath.Base(path)
	if strings.HasPrefix(g.URL, "http://") || strings.HasPrefix(g.URL, "https://") {
		in.URL = g.URL
	}
	return in, strings.HasSuffix(path, ".pdf"), err
}

// pages joins the texts of a PDF's pages with form feeds.
func pages(p *extract.Page) string {
	var b strings.Builder
	at := 1
	for _, block := range p.Blocks {
		for ; at < block.Locator.A; at++ {
			b.WriteByte('\f')
		}
		b.WriteString(block.Text)
		b.WriteByte('\n')
	}
	return b.String()
}

// status says how reading a PDF ended, in the scorer's words.
func status(p *extract.Page, err *extract.Unreadable) string {
	switch {
	case err != nil && err.Reason == extract.Encrypted:
		return "password"
	case p == nil, p.Kind != evidence.PDF:
		return "not_pdf"
	case slices.Contains(p.Flags, extract.FlagOCR):
		return "ocr"
	case slices.Contains(p.Flags, extract.FlagGarbled):
		return "garbled"
	case slices.Contains(p.Flags, extract.FlagTruncated):
		return "partial"
	case len(p.Blocks) == 0:
		return "empty"
	}
	return "ok"
}
