package extract

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Limits of an archive.
const (
	maxEntries  = 10_000
	maxUnpacked = 64 << 20 // bytes of all files that are kept
	maxEntry    = 1 << 20  // bytes of one file; no larger text file is read by people
)

// An ArchiveFile is a regular file of an archive, in memory: nothing is ever written to disk.
type ArchiveFile struct {
	Path string // clean, relative, "/" between folders, NFC
	Body []byte // nil if the file is larger than is read
	Size int64
}

// An Archive is what a zip or a tar holds, plain or compressed (gzip, bzip2, zstd).
type Archive struct {
	Files     []ArchiveFile // in the order of the archive, each path once
	Refused   []string      // entries that name a place outside, links, devices
	Truncated bool          // there was more than the limits allow
}

// OpenArchive reads an archive. A damaged one gives what could be read before the damage, and an error.
func OpenArchive(body []byte) (*Archive, error) {
	a := &Archive{}
	seen := map[string]bool{}
	if bytes.HasPrefix(body, []byte("PK")) {
		return a, a.zip(body, seen)
	}
	if z := decompressor(body); z != nil {
		return a, a.tar(io.LimitReader(z, 4*maxUnpacked), seen)
	}
	return a, a.tar(bytes.NewReader(body), seen)
}

func (a *Archive) tar(r io.Reader, seen map[string]bool) error {
	var left int64 = maxUnpacked
	t := tar.NewReader(r)
	for n := 0; ; n++ {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read tar: %w", err)
		}
		if n == maxEntries {
			a.Truncated = true
			return nil
		}
		switch h.Typeflag {
		case tar.TypeReg:
			if err := a.add(h.Name, h.Size, t, seen, &left); err != nil {
				return fmt.Errorf("read tar: %w", err)
			}
		case tar.TypeDir:
			if clean(strings.TrimSuffix(h.Name, "/")) == "" {
				a.Refused = append(a.Refused, h.Name)
			}
		case tar.TypeXGlobalHeader:
		default:
			a.refuse(h.Name, seen)
		}
	}
}

func (a *Archive) zip(body []byte, seen map[string]bool) error {
	var left int64 = maxUnpacked
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return fmt.Errorf("read zip: %w", err)
	}
	var broken error // one file does not spoil the others
	for n, f := range z.File {
		if n == maxEntries {
			a.Truncated = true
			break
		}
		switch mode := f.Mode(); {
		case mode.IsDir() || strings.HasSuffix(f.Name, "/"):
			if clean(strings.TrimSuffix(f.Name, "/")) == "" {
				a.Refused = append(a.Refused, f.Name)
			}
		case mode.IsRegular() && mode&fs.ModeType == 0:
			if err := a.zipped(f, seen, &left); err != nil {
				broken = errors.Join(broken, fmt.Errorf("read zip: %s: %w", f.Name, err))
			}
		default:
			a.refuse(f.Name, seen)
		}
	}
	return broken
}

// zipped keeps a file of a zip archive.
func (a *Archive) zipped(f *zip.File, seen map[string]bool, left *int64) error {
	if f.Flags&1 != 0 {
		return errEncrypted
	}
	r, err := f.Open()
	if err != nil {
		return err
	}
	return errors.Join(a.add(f.Name, int64(f.UncompressedSize64), r, seen, left), r.Close())
}

// errEncrypted is the error for a file that needs a password.
var errEncrypted = errors.New("it is encrypted")

// refuse turns an entry down; a name below it is refused later, since it would go through it.
func (a *Archive) refuse(name string, seen map[string]bool) {
	a.Refused = append(a.Refused, name)
	if p := clean(name); p != "" {
		seen[p+"/"] = true
	}
}

// add keeps a regular file, unless its name leads elsewhere or was there before.
func (a *Archive) add(name string, size int64, r io.Reader, seen map[string]bool, left *int64) error {
	p := clean(name)
	if p == "" || behind(p, seen) {
		a.Refused = append(a.Refused, name)
		return nil
	}
	if seen[p] {
		return nil
	}
	seen[p] = true
	f := ArchiveFile{Path: p, Size: size}
	if size <= maxEntry {
		body, err := io.ReadAll(io.LimitReader(r, maxEntry+1)) // what it says of its size need not be true
		if err != nil {
			return err
		}
		if f.Size = int64(len(body)); f.Size <= maxEntry {
			f.Body = body
			if body == nil {
				f.Body = []byte{}
			}
		}
		if *left -= f.Size; *left < 0 {
			a.Truncated, f.Body = true, nil
			*left = 0
		}
	}
	a.Files = append(a.Files, f)
	return nil
}

// behind reports whether a path goes through an entry that was refused.
func behind(p string, seen map[string]bool) bool {
	for i := range p {
		if p[i] == '/' && seen[p[:i+1]] {
			return true
		}
	}
	return false
}

// devices are names that Windows reads as devices, with any extension.
var devices = set("con prn aux nul com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9")

// clean returns an entry's name in its one form, or "" if it does not name a file inside, on any system.
func clean(name string) string {
	name = strings.TrimPrefix(name, "./")
	if !fs.ValidPath(name) || name == "." || len(name) > 1000 || strings.ContainsAny(name, "\\:") {
		return ""
	}
	for _, r := range name {
		if r < 0x20 || r == 0x7f {
			return ""
		}
	}
	for part := range strings.SplitSeq(name, "/") {
		base, _, _ := strings.Cut(strings.ToLower(part), ".")
		if devices[strings.TrimSpace(base)] {
			return ""
		}
	}
	return path.Clean(norm.NFC.String(name))
}
