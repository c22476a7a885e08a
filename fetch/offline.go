package fetch

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"
)

// Limits of what is read, in bytes (FETCH-2).
const (
	MaxHTML = 2 << 20  // of a page
	MaxFile = 32 << 20 // of a PDF, a repository or any other file
)

// An Entry is something that can be fetched and searched for.
type Entry struct {
	URL   string `json:"url"`
	Title string `json:"title,omitempty"`
	Kind  string `json:"kind,omitempty"` // a hint: html, pdf, text, sheet, document … (the kinds of sources); may be empty
}

// Offline serves a corpus folder whose index.json maps real-looking URLs to files (FETCH-6). It is read-only and safe
// for concurrent use.
type Offline struct {
	files   fs.FS
	entries []indexed
	byURL   map[string]int
}

// indexed is one document of an index.
type indexed struct {
	URL         string `json:"url"`
	File        string `json:"file,omitempty"`
	Dir         string `json:"dir,omitempty"` // a repository: delivered as a tar of its files
	ContentType string `json:"content_type,omitempty"`
	Title       string `json:"title,omitempty"`
	Kind        string `json:"kind,omitempty"`
	Status      int    `json:"status,omitempty"`   // as the server answered; 0 means 200
	Redirect    string `json:"redirect,omitempty"` // the URL that answers instead
	Fetched     string `json:"fetched,omitempty"`  // RFC 3339
}

// NewOffline reads the index of a corpus. Every file it names must be inside the corpus.
func NewOffline(files fs.FS) (*Offline, error) {
	body, err := fs.ReadFile(files, "index.json")
	if err != nil {
		return nil, fmt.Errorf("offline corpus: it needs an index.json that maps URLs to files: %w", err)
	}
	var index struct {
		Note      string    `json:"note"`
		Documents []indexed `json:"documents"`
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields() // a misspelt key would silently be another document
	if err := d.Decode(&index); err != nil {
		return nil, fmt.Errorf("offline corpus: index.json: %w", err)
	}
	o := &Offline{files: files, entries: index.Documents, byURL: map[string]int{}}
	for i, d := range index.Documents {
		canonical, err := CanonicalURL(d.URL)
		if err != nil {
			return nil, fmt.Errorf("offline corpus: document %d: %q: %w", i+1, d.URL, err)
		}
		if _, twice := o.byURL[lenient(canonical)]; twice {
			return nil, fmt.Errorf("offline corpus: %s is listed twice", canonical)
		}
		if err := d.check(); err != nil {
			return nil, fmt.Errorf("offline corpus: %s: %w", canonical, err)
		}
		o.byURL[lenient(canonical)] = i
	}
	return o, nil
}

// check says what is wrong with an entry: it must say what answers, in exactly one way.
func (d *indexed) check() error {
	ways := 0
	for _, name := range []string{d.File, d.Dir} {
		if name != "" && (!fs.ValidPath(name) || name == ".") {
			return fmt.Errorf("%q is not a path inside the corpus", name)
		}
		if name != "" {
			ways++
		}
	}
	if d.Redirect != "" {
		ways++
	}
	if d.fault(d.URL) != nil {
		ways++
	}
	if ways != 1 {
		return errors.New("it needs one of file, dir, redirect, or a status that is a failure")
	}
	if d.Fetched != "" {
		if _, err := time.Parse(time.RFC3339, d.Fetched); err != nil {
			return fmt.Errorf("fetched: %q is not a time like 2026-01-02T15:04:05Z", d.Fetched)
		}
	}
	return nil
}

// fault is what the recorded status says of the entry; nil if it was read.
func (d *indexed) fault(url string) *Unavailable {
	if d.Status == 0 {
		return nil
	}
	return StatusFault(url, &Response{Status: d.Status}, time.Time{})
}

// lenient makes a trailing slash not matter, as servers mostly do.
func lenient(canonical string) string { return strings.TrimSuffix(canonical, "/") }

// Entries lists the documents that can be read, in the order of the index.
func (o *Offline) Entries() []Entry {
	list := []Entry{}
	for _, d := range o.entries {
		if d.File != "" || d.Dir != "" {
			list = append(list, Entry{URL: d.URL, Title: d.Title, Kind: d.Kind})
		}
	}
	return list
}

// Has reports whether the index says anything of a URL: a document, a redirect or a failure.
func (o *Offline) Has(url string) bool {
	canonical, err := CanonicalURL(url)
	_, ok := o.byURL[lenient(canonical)]
	return err == nil && ok
}

// Fetch reads a document of the corpus.
func (o *Offline) Fetch(ctx context.Context, url string) (*Document, error) {
	return o.fetch(ctx, url, url, MaxRedirects)
}

func (o *Offline) fetch(ctx context.Context, requested, url string, redirects int) (*Document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	canonical, err := CanonicalURL(url)
	if err != nil {
		return nil, unavailable(requested, Refused, err.Error(), hintYours)
	}
	i, ok := o.byURL[lenient(canonical)]
	if !ok {
		return nil, unavailable(requested, NotFound, "it is not in the offline corpus, and nothing else can be reached", "Take a page that a search found.")
	}
	d := o.entries[i]
	fault := d.fault(requested)
	switch {
	case d.Redirect != "" && redirects == 0:
		return nil, tooManyRedirects(MaxRedirects).unavailable(requested)
	case d.Redirect != "":
		return o.fetch(ctx, requested, d.Redirect, redirects-1)
	case fault != nil:
		return nil, fault
	}
	doc := &Document{Requested: requested, URL: d.URL, ContentType: d.ContentType, Fetched: o.captured(d)}
	if d.Dir != "" {
		doc.ContentType = "application/x-tar"
		doc.Body, err = tarFolder(o.files, d.Dir)
	} else {
		doc.Body, err = readFile(o.files, d.File, MaxFile)
	}
	if err != nil {
		return nil, fileUnavailable(requested, err)
	}
	return doc, nil
}

// captured is when a document was taken from the net: as the index says, else as old as its file. Files inside a program
// have no age; such a document counts as read when the format was made.
func (o *Offline) captured(d indexed) time.Time {
	if at, err := time.Parse(time.RFC3339, d.Fetched); err == nil {
		return at.UTC().Truncate(time.Second)
	}
	if info, err := fs.Stat(o.files, d.File+d.Dir); err == nil && !info.ModTime().IsZero() {
		return info.ModTime().UTC().Truncate(time.Second)
	}
	return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
}

var errTooLarge = errors.New("it is larger than the limit")

func fileUnavailable(url string, err error) *Unavailable {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return unavailable(url, NotFound, "the file is not there", HintOther)
	case errors.Is(err, errTooLarge):
		return unavailable(url, TooLarge, err.Error(), HintOther)
	}
	return unavailable(url, Failed, "the file cannot be read: "+err.Error(), HintOther)
}

// readFile reads a regular file up to a limit.
func readFile(files fs.FS, name string, limit int64) ([]byte, error) {
	info, err := fs.Stat(files, name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", name)
	case info.Size() > limit:
		return nil, fmt.Errorf("%s has %d bytes: %w", name, info.Size(), errTooLarge)
	}
	body, err := fs.ReadFile(files, name)
	if err == nil && int64(len(body)) > limit {
		err = fmt.Errorf("%s: %w", name, errTooLarge)
	}
	return body, err
}

// tarFolder packs a folder's regular files as a tar, in the same bytes each time: names in order, no times, no owners.
func tarFolder(files fs.FS, dir string) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	err := fs.WalkDir(files, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		body, err := readFile(files, name, MaxFile)
		if err != nil {
			return err
		}
		if int64(b.Len()+len(body)) > MaxFile {
			return fmt.Errorf("%s: %w", dir, errTooLarge)
		}
		rel := strings.TrimPrefix(name, path.Clean(dir)+"/")
		if err := w.WriteHeader(&tar.Header{Name: rel, Mode: 0o644, Size: int64(len(body)), Format: tar.FormatPAX}); err != nil {
			return err
		}
		_, err = w.Write(body)
		return err
	})
	if err != nil {
		return nil, err
	}
	return b.Bytes(), w.Close()
}
