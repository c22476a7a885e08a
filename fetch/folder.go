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
	"sync"
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
	root *os.Root
	dir  string // absolute
	now  func() time.Time
	read func(ctx context.Context, path string) ([]byte, error) // nil: through root

	mu     sync.RWMutex
	names  []string          // relative, in order of their NFC form
	byNFC  map[string]string // relative path in NFC → as the disk spells it
	stamps map[string]Stamp  // by relative path in NFC
	cut    bool
}

// A Stamp says which version of a file is there, as far as that is seen without reading it.
type Stamp struct {
	Size     int64
	Modified int64 // nanoseconds since 1970
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
	f := &Folder{root: root, dir: abs, now: now}
	if err := f.walk(); err != nil {
		return nil, fmt.Errorf("folder %s: %w", dir, errors.Join(err, root.Close()))
	}
	return f, nil
}

// Close gives the folder back.
func (f *Folder) Close() error { return f.root.Close() }

// ReadWith lets another reader, which may be stricter, read the files by their relative paths in composed form. Its errors
// are why a document cannot be read. It is set before the folder is used.
func (f *Folder) ReadWith(read func(ctx context.Context, path string) ([]byte, error)) { f.read = read }

// Strict says whether another reader reads the files.
func (f *Folder) Strict() bool { return f.read != nil }

// Renew lists the documents again.
func (f *Folder) Renew() error {
	if err := f.walk(); err != nil {
		return fmt.Errorf("folder %s: %w", f.dir, err)
	}
	return nil
}

// Stamp says which version of a document was there when the folder was listed.
func (f *Folder) Stamp(raw string) (Stamp, bool) {
	path, unavailable := f.Path(raw)
	if unavailable != nil {
		return Stamp{}, false
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	s, ok := f.stamps[path]
	return s, ok
}

// Cut says whether the folder holds more documents than are seen.
func (f *Folder) Cut() bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.cut
}

// skipped are folders that hold no documents of the user's own.
var skipped = map[string]bool{"node_modules": true, "vendor": true, "__pycache__": true, "target": true, "dist": true}

// hidden says whether a name is one that file managers do not show. "..b" is an odd name and no hidden one.
func hidden(name string) bool {
	return strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "..")
}

// walk lists the folder. What was listed before stays until all is seen.
func (f *Folder) walk() error {
	seen, cut := 0, false
	var names []string
	byNFC, stamps := map[string]string{}, map[string]Stamp{}
	err := fs.WalkDir(f.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		seen++
		switch {
		case err != nil && name == ".":
			return err
		case err != nil:
			cut = cut || !utf8.ValidString(name) // which the library does not open
			return fs.SkipDir                    // a folder that may not be read
		case name == ".":
			return nil
		case seen > maxSeen:
			cut = true
			return fs.SkipAll
		case d.IsDir():
			if hidden(d.Name()) || skipped[d.Name()] || strings.Count(name, "/") >= maxDepth {
				return fs.SkipDir
			}
			return nil
		case hidden(d.Name()), !d.Type().IsRegular(), !f.readable(name):
			return nil
		case len(names) == maxFiles:
			cut = true
			return fs.SkipAll
		}
		nfc := norm.NFC.String(name)
		if _, twice := byNFC[nfc]; !twice {
			byNFC[nfc] = name
			names = append(names, nfc)
			if info, err := d.Info(); err == nil {
				stamps[nfc] = Stamp{info.Size(), info.ModTime().UnixNano()}
			}
		}
		return nil
	})
	sort.Strings(names)
	for i, nfc := range names {
		names[i] = byNFC[nfc]
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.names, f.byNFC, f.stamps, f.cut = names, byNFC, stamps, cut
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
	f.mu.RLock()
	defer f.mu.RUnlock()
	list := make([]Entry, len(f.names))
	for i, name := range f.names {
		list[i] = Entry{URL: f.URL(name), Title: strings.ToValidUTF8(norm.NFC.String(name), "\ufffd"), Kind: kindOf(contentType(name))}
	}
	return list
}

// URL is the address of a file by its relative path.
func (f *Folder) URL(name string) string { return FileURL(f.dir, name) }

// Fetch reads one file, by its URL.
func (f *Folder) Fetch(ctx context.Context, raw string) (*Document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	rel, refused := f.Path(raw)
	if refused != nil {
		return nil, refused
	}
	f.mu.RLock()
	name, listed := f.byNFC[rel]
	f.mu.RUnlock()
	if !listed && f.read == nil {
		return nil, unavailable(raw, NotFound, "there is no such document in the folder", hintFound)
	}
	var body []byte
	var err error
	if f.read != nil {
		name = rel
		if body, err = f.read(ctx, rel); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, unavailable(raw, Refused, err.Error(), hintFound)
		}
	} else if body, err = readFile(named{f.root}, name, MaxFile); err != nil {
		return nil, fileUnavailable(raw, err)
	}
	return &Document{Requested: raw, URL: f.URL(name), Body: body, ContentType: contentType(name), Fetched: f.now().UTC().Truncate(time.Second)}, nil
}

// named opens the files of a folder by any name, also one that is no UTF-8, which its FS refuses.
type named struct{ root *os.Root }

func (n named) Open(name string) (fs.File, error) { return n.root.Open(filepath.FromSlash(name)) }

const hintFound = "Take one that a search found."

// Path turns a file URL into the relative path of a file in the folder, in composed form, whether there is one or not. Only
// what was listed can be fetched, so no spelling of a path leads elsewhere; a reader of one's own sees to that itself.
func (f *Folder) Path(raw string) (string, *Unavailable) {
	const hint = hintFound
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
	return rel, nil
}
