// Package workspace is a folder of the user's: what a run may look at in it, the ways to find a file there, and, where a
// person agrees, changes that are whole or not made, overwrite nothing unseen, and can be undone.
//
// Everything goes through os.Root, so no path leads out of the folder, whatever it is made of. Beyond that only regular
// files with one name are seen: a link, also a hard one that was planted, a device, a socket or a pipe is refused, and
// hidden files are left alone.
package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/text/unicode/norm"
)

// MaxRead is the largest file that is read, and the largest that a change can keep for undoing it, in bytes.
const MaxRead = 32 << 20

// A Root is an opened workspace. It is safe for concurrent use.
type Root struct {
	dir  string // absolute
	root *os.Root
	turn chan struct{} // held by who changes something
}

// Open opens a workspace. It has to be a folder.
func Open(dir string) (*Root, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("workspace %s: %w", dir, err)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, fmt.Errorf("workspace %s: %w", dir, err)
	}
	return &Root{dir: abs, root: root, turn: make(chan struct{}, 1)}, nil
}

// Close gives the folder back.
func (r *Root) Close() error { return r.root.Close() }

// Dir is the folder's absolute path, for showing.
func (r *Root) Dir() string { return r.dir }

// A place is where a path leads: the name as the disk spells it, and what is there.
type place struct {
	path string      // as people type it
	disk string      // as the disk spells it, with slashes; names that are not there are in composed form
	info fs.FileInfo // nil: nothing is there
	gone int         // names at the end that are not there: 0 for what is, 1 for a new file, more for new folders too
}

// find follows a path name by name. A name is found in whatever normal form the disk has it; no link is followed.
func (r *Root) find(path string) (place, error) {
	path, err := Clean(path)
	if err != nil {
		return place{}, err
	}
	p := place{path: path}
	names := strings.Split(path, "/")
	for i, name := range names {
		disk, info, err := r.child(p.disk, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			p.disk, p.info, p.gone = join(p.disk, strings.Join(names[i:], "/")), nil, len(names)-i
			return p, nil
		case err != nil:
			return p, &Refused{path, reason(err)}
		case info.Mode()&fs.ModeSymlink != 0:
			return p, &Refused{path, "it leads over a link, and links are not followed"}
		case i < len(names)-1 && !info.IsDir():
			return p, &Refused{path, fmt.Sprintf("%q is no folder", name)}
		}
		p.disk, p.info = disk, info
	}
	return p, nil
}

func join(folder, name string) string {
	if folder == "" {
		return name
	}
	return folder + "/" + name
}

// child looks for a name in a folder: as it is typed, then decomposed, then in whatever form the folder lists it.
func (r *Root) child(folder, name string) (disk string, info fs.FileInfo, err error) {
	for _, spelling := range []string{name, norm.NFD.String(name)} {
		if info, err = r.lstat(join(folder, spelling)); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return join(folder, spelling), info, err
		}
	}
	if isASCII(name) {
		return "", nil, err
	}
	entries, listed := r.entries(folder)
	if listed != nil {
		return "", nil, listed
	}
	for _, e := range entries {
		if norm.NFC.String(e.Name()) == name {
			info, err = r.lstat(join(folder, e.Name()))
			return join(folder, e.Name()), info, err
		}
	}
	return "", nil, err
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func (r *Root) lstat(disk string) (fs.FileInfo, error) { return r.root.Lstat(local(disk)) }

// local is a disk name for os.Root; "" is the workspace.
func local(disk string) string {
	if disk == "" {
		return "."
	}
	return filepath.FromSlash(disk)
}

// entries lists a folder.
func (r *Root) entries(disk string) ([]fs.DirEntry, error) {
	dir, err := r.root.Open(local(disk))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.ReadDir(-1)
}

// file is find for a file that has to be there and be one that may be read.
func (r *Root) file(path string) (place, error) {
	p, err := r.find(path)
	if err != nil {
		return p, err
	}
	if p.info == nil {
		return p, &Refused{p.path, "there is no such file in the workspace"}
	}
	if why := r.odd(p.info); why != "" {
		return p, &Refused{p.path, why}
	}
	return p, nil
}

// odd says why something is no file that is looked at, or "".
func (r *Root) odd(info fs.FileInfo) string {
	switch mode := info.Mode(); {
	case mode.IsDir():
		return "it is a folder"
	case mode&fs.ModeSymlink != 0:
		return "it is a link, and links are not followed"
	case !mode.IsRegular():
		return "it is no regular file but a device, a socket or a pipe"
	case links(info) > 1:
		return "it has more than one name (a hard link), so it may be a file from outside of the workspace"
	}
	return ""
}

// open opens a file for reading. What was opened is looked at again, since the name may have come to mean something else.
func (r *Root) open(path string) (*os.File, fs.FileInfo, error) {
	p, err := r.file(path)
	if refused := (*Refused)(nil); errors.As(err, &refused) && p.info != nil && links(p.info) > 1 && r.settle(p) {
		p, err = r.file(path)
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := r.root.OpenFile(local(p.disk), os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe that has taken its place must not hold us
	if err != nil {
		return nil, nil, &Refused{p.path, reason(err)}
	}
	info, err := f.Stat()
	if err == nil {
		if why := r.odd(info); why != "" {
			err = &Refused{p.path, why}
		}
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// Read returns a file's bytes.
func (r *Root) Read(ctx context.Context, path string) ([]byte, error) {
	f, info, err := r.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	large := &Refused{path, fmt.Sprintf("it is larger than %d MiB", MaxRead>>20)}
	if info.Size() > MaxRead {
		return nil, large
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxRead+1))
	switch {
	case err != nil:
		return nil, &Refused{path, reason(err)}
	case len(data) > MaxRead:
		return nil, large
	}
	return data, nil
}

// Stat returns what is known of a file without reading it.
func (r *Root) Stat(path string) (File, error) {
	p, err := r.file(path)
	if err != nil {
		return File{}, err
	}
	return fileOf(p.path, p.info), nil
}

// Folder returns the one spelling of a folder that is there; "" is the workspace itself.
func (r *Root) Folder(path string) (string, error) {
	path, err := cleanFolder(path)
	if err != nil || path == "" {
		return path, err
	}
	p, err := r.find(path)
	switch {
	case err != nil:
		return "", err
	case p.info == nil:
		return "", &Refused{path, "there is no such folder in the workspace"}
	case !p.info.IsDir():
		return "", &Refused{path, "it is no folder"}
	}
	return p.path, nil
}

// reason is an error of the system without the path, which is said beside it.
func reason(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		err = link.Err
	}
	return err.Error()
}

// Sum is the SHA-256 of a file's bytes, in hex: what a version is told by.
func Sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// folderOf is the folder of a disk name; "" is the workspace.
func folderOf(disk string) string {
	if dir := path.Dir(disk); dir != "." {
		return dir
	}
	return ""
}
