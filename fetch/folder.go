package fetch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

// maxFiles is how many documents of a folder are seen.
const maxFiles = 10_000

// Folder serves a folder of the user's documents as file URLs. Nothing outside of it can be read, by whatever path, link
// or spelling. It is safe for concurrent use.
type Folder struct {
	root  *os.Root
	dir   string // absolute
	now   func() time.Time
	names []string          // relative, in order
	byNFC map[string]string // relative path in NFC → as the disk spells it
	cut   bool
}

// NewFolder opens a folder and lists its documents: regular files, without hidden ones, version control and installed
// packages. now is the clock that says when a file was read.
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
	err := fs.WalkDir(f.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == ".":
			return err
		case err != nil:
			return fs.SkipDir // a folder that may not be read
		case name == ".":
			return nil
		case hidden(d.Name()), d.IsDir() && skipped[d.Name()]:
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular():
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

// Entries lists the documents by path. The URL and the title carry the name in composed form, as people type it.
func (f *Folder) Entries() []Entry {
	list := make([]Entry, len(f.names))
	for i, name := range f.names {
		nfc := norm.NFC.String(name)
		list[i] = Entry{URL: f.url(nfc), Title: nfc}
	}
	return list
}

func (f *Folder) url(name string) string {
	return (&url.URL{Scheme: "file", Path: path.Join(filepath.ToSlash(f.dir), name)}).String()
}

// Fetch reads one file, by its URL.
func (f *Folder) Fetch(ctx context.Context, raw string) (*Document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	name, ok := f.name(raw)
	if !ok {
		return nil, &Unavailable{raw, NotFound, "there is no such document in the folder", "Take one that a search found."}
	}
	body, err := readFile(f.root.FS(), name, MaxFile)
	if err != nil {
		return nil, fileUnavailable(raw, err)
	}
	return &Document{Requested: raw, URL: f.url(norm.NFC.String(name)), Body: body,
		ContentType: mime.TypeByExtension(path.Ext(name)), Fetched: f.now().UTC().Truncate(time.Second)}, nil
}

// name turns a URL into the name of a listed file, as the disk spells it. Only what was listed can be asked for, so no
// spelling of a path leads elsewhere.
func (f *Folder) name(raw string) (string, bool) {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return "", false
	}
	rel, ok := strings.CutPrefix(norm.NFC.String(u.Path), norm.NFC.String(filepath.ToSlash(f.dir))+"/")
	if !ok {
		return "", false
	}
	name, ok := f.byNFC[rel]
	return name, ok
}
