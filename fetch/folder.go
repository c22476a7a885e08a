package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Limits of a folder.
const (
	maxFiles = 10_000 // documents that are seen
	maxDepth = 32     // folders inside of each other
	maxSeen  = 500_000
)

// Folder serves a folder of the user's documents as file URLs. Nothing outside of it can be read, by whatever path, link
// or spelling. It is safe for concurrent use.
type Folder struct {
	root  *os.Root
	dir   string // absolute
	now   func() time.Time
	names []string          // relative, in order of their NFC form
	byNFC map[string]string // relative path in NFC → as the disk spells it
	cut   bool
}

// NewFolder opens a folder and lists its documents: files of text, PDFs, office documents and books, without hidden ones, version control,
// installed packages and links. now is the clock that says when a file was read.
func NewFolder(dir string, now func() time.Time) (*Folder, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("folder %s: %w", dir, err)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, fmt.Errorf("folder %s: %w", dir, err)
	}
	f := &Folder{root: root, dir: abs, now: now, byNFC: map[string]string{}}
	if err := f.walk(); err != nil {
		return nil, fmt.Errorf("folder %s: %w", dir, errors.Join(err, root.Close()))
	}
	return f, nil
}

// Close gives the folder back.
func (f *Folder) Close() error { return f.root.Close() }

// Cut says whether the folder holds more documents than are seen.
func (f *Folder) Cut() bool { return f.cut }

// skipped are folders that hold no documents of the user's own.
var skipped = map[string]bool{"node_modules": true, "vendor": true, "__pycache__": true, "target": true, "dist": true}

// hidden says whether a name is one that file managers do not show. "..b" is an odd name and no hidden one.
func hidden(name string) bool {
	return strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "..")
}

func (f *Folder) walk() error {
	seen := 0
	err := fs.WalkDir(f.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		seen++
		switch {
		case err != nil && name == ".":
			return err
		case err != nil:
			f.cut = f.cut || !utf8.ValidString(name) // which the library does not open
			return fs.SkipDir                        // a folder that may not be read
		case name == ".":
			return nil
		case seen > maxSeen:
			f.cut = true
			return fs.SkipAll
		case d.IsDir():
			if hidden(d.Name()) || skipped[d.Name()] || strings.Count(name, "/") >= maxDepth {
				return fs.SkipDir
			}
			return nil
		case hidden(d.Name()), !d.Type().IsRegular(), !f.readable(name):
			return nil
		case len(f.names) == maxFiles:
			f.cut = true
			return fs.SkipAll
		}
		nfc := norm.NFC.String(name)
		if _, twice := f.byNFC[nfc]; !twice {
			f.byNFC[nfc] = name
			f.names = append(f.names, name)
		}
		return nil
	})
	sort.Slice(f.names, func(a, b int) bool { return norm.NFC.String(f.names[a]) < norm.NFC.String(f.names[b]) })
	return err
}

// readable says whether a file is a document, by its name where that is sure, else by its first bytes.
func (f *Folder) readable(name string) bool {
	if _, known := contentTypes[strings.ToLower(path.Ext(name))]; known {
		return true
	}
	file, err := f.root.Open(filepath.FromSlash(name))
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, 1024)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false // empty, or not to be read
	}
	head = head[:n]
	if bytes.HasPrefix(head, []byte("%PDF-")) || bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return true
	}
	return !bytes.ContainsFunc(head, func(r rune) bool { return r < 0x20 && !strings.ContainsRune("\t\n\r\f\v\x1b", r) })
}

// Entries lists the documents by path. The URL and the title carry the name in composed form, as people type it.
func (f *Folder) Entries() []Entry {
	list := make([]Entry, len(f.names))
	for i, name := range f.names {
		list[i] = Entry{URL: f.url(name), Title: strings.ToValidUTF8(norm.NFC.String(name), "\ufffd"), Kind: kindOf(contentType(name))}
	}
	return list
}

func (f *Folder) url(name string) string { return fileURL(path.Join(filepath.ToSlash(f.dir), name)) }

// Fetch reads one file, by its URL.
func (f *Folder) Fetch(ctx context.Context, raw string) (*Document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	name, unavailable := f.name(raw)
	if unavailable != nil {
		return nil, unavailable
	}
	body, err := readFile(named{f.root}, name, MaxFile)
	if err != nil {
		return nil, fileUnavailable(raw, err)
	}
	return &Document{Requested: raw, URL: f.url(name), Body: body, ContentType: contentType(name), Fetched: f.now().UTC().Truncate(time.Second)}, nil
}

// named opens the files of a folder by any name, also one that is no UTF-8, which its FS refuses.
type named struct{ root *os.Root }

func (n named) Open(name string) (fs.File, error) { return n.root.Open(filepath.FromSlash(name)) }

// name turns a URL into the name of a listed file, as the disk spells it. Only what was listed can be asked for, so no
// spelling of a path leads elsewhere.
func (f *Folder) name(raw string) (string, *Unavailable) {
	const hint = "Take one that a search found."
	if len(raw) < 5 || !strings.EqualFold(raw[:5], "file:") {
		if u, err := url.Parse(raw); err == nil && u.Scheme != "" {
			return "", unavailable(raw, Refused, "only the documents of the folder are read here", hint)
		}
		return "", unavailable(raw, Refused, "it is no file URL", hint)
	}
	full, err := filePath(raw)
	if err != nil {
		return "", unavailable(raw, Refused, err.Error(), hint)
	}
	for part := range strings.SplitSeq(full, "/") {
		if part == ".." {
			return "", unavailable(raw, Refused, `".." is not followed`, hint)
		}
	}
	base := strings.TrimSuffix(norm.NFC.String(filepath.ToSlash(f.dir)), "/") + "/"
	rel, inside := strings.CutPrefix(norm.NFC.String(path.Clean(full)), base)
	if !inside {
		return "", unavailable(raw, Refused, "it is outside of the folder", hint)
	}
	name, listed := f.byNFC[rel]
	if !listed {
		return "", unavailable(raw, NotFound, "there is no such document in the folder", hint)
	}
	return name, nil
}
