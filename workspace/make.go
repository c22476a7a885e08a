package workspace

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"
)

// Names that only changes use, while they are being made. They are hidden, so no path leads to them.
const (
	tempPrefix = ".ibid-"
	tempSuffix = ".tmp"
)

// take waits for the turn to change something: among those of this program, and among all programs that use the same
// folder.
func (r *Root) take(ctx context.Context) (free func(), err error) {
	select {
	case r.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	dir, err := r.root.Open(".")
	if err != nil {
		<-r.turn
		return nil, fmt.Errorf("workspace %s: %w", r.dir, err)
	}
	free = func() { dir.Close(); <-r.turn }
	for {
		err := claim(dir)
		switch {
		case err == nil:
			return free, nil
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			if err := pause(ctx); err != nil {
				free()
				return nil, err
			}
		default: // a file system without locks
			return free, nil
		}
	}
}

func pause(ctx context.Context) error {
	t := time.NewTimer(time.Millisecond)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// settle ends what a crash left of a file whose other name is one that only changes use. It reports whether it did.
func (r *Root) settle(p place) bool {
	if !p.info.Mode().IsRegular() {
		return false
	}
	folder, did := folderOf(p.disk), false
	entries, err := r.entries(folder)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if temporary(e.Name()) {
			if info, err := r.lstat(join(folder, e.Name())); err == nil && os.SameFile(info, p.info) {
				did = r.root.Remove(local(join(folder, e.Name()))) == nil || did
			}
		}
	}
	return did
}

func temporary(name string) bool {
	return strings.HasPrefix(name, tempPrefix) && strings.HasSuffix(name, tempSuffix)
}

// sweep removes what crashes left in a folder. Whoever calls it has the turn, so nobody else's change is under way.
func (r *Root) sweep(folder string) {
	entries, err := r.entries(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		if temporary(e.Name()) {
			_ = r.root.Remove(local(join(folder, e.Name())))
		}
	}
}

// make makes one change to what was seen, or finds it made. why says that it was not made since the workspace holds
// something else now; an error, that it is not known.
func (r *Root) make(ctx context.Context, c Change, seen Seen) (why string, err error) {
	if c.Op == Move {
		if done, err := r.finishMove(c, seen); done || err != nil {
			return "", err
		}
	}
	now, err := r.version(ctx, c.Path)
	if err != nil {
		return "", err
	}
	was, changed := seen.at(c.Path).SHA256, "somebody has changed it in the meantime"
	if now.Refused != "" {
		return now.Refused, nil
	}
	switch c.Op {
	case Create, Replace:
		switch now.SHA256 {
		case was:
			return r.put(c)
		case Sum([]byte(c.Content)):
			return "", nil
		}
		return changed, nil
	case Delete:
		switch now.SHA256 {
		case was:
			return r.remove(c.Path)
		case "":
			return "", nil
		}
		return changed, nil
	}
	to, err := r.version(ctx, c.To)
	switch {
	case err != nil:
		return "", err
	case to.Refused != "":
		return fmt.Sprintf("%q: %s", c.To, to.Refused), nil
	case now.SHA256 == was && to.SHA256 == "":
		return r.move(c)
	case now.SHA256 == "" && to.SHA256 == was:
		return "", nil
	}
	return changed, nil
}

// put writes a file beside its place, whole, and gives it its name.
func (r *Root) put(c Change) (why string, err error) {
	p, err := r.find(c.Path)
	if err != nil {
		return refusal(err)
	}
	folder := folderOf(p.disk)
	if err := r.folders(folder); err != nil {
		return refusal(&Refused{c.Path, reason(err)})
	}
	r.sweep(folder)
	mode := fs.FileMode(0o644)
	if p.info != nil {
		mode = p.info.Mode().Perm()
	} else if c.mode != 0 {
		mode = c.mode
	}
	temp := join(folder, tempPrefix+rand.Text()+tempSuffix)
	if err := r.write(temp, c.Content, mode); err != nil {
		_ = r.root.Remove(local(temp))
		return refusal(&Refused{c.Path, reason(err)})
	}
	if c.Op == Replace {
		err = r.root.Rename(local(temp), local(p.disk))
	} else {
		err = r.name(temp, p.disk)
	}
	if err != nil {
		_ = r.root.Remove(local(temp))
		return refusal(&Refused{c.Path, reason(err)})
	}
	return "", r.last(folder)
}

// write makes a file that lasts.
func (r *Root) write(disk, content string, mode fs.FileMode) error {
	f, err := r.root.OpenFile(local(disk), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	return errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
}

// name gives a file that has one name another one instead, and fails where something has that name: nothing is overwritten.
// Where a file cannot have two names, it is looked first.
func (r *Root) name(from, to string) error {
	err := r.root.Link(local(from), local(to))
	switch {
	case err == nil:
		return r.root.Remove(local(from))
	case errors.Is(err, fs.ErrExist):
		return err
	case errors.Is(err, syscall.EPERM), errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.EMLINK):
		if _, there := r.lstat(to); !errors.Is(there, fs.ErrNotExist) {
			return fs.ErrExist
		}
		return r.root.Rename(local(from), local(to))
	}
	return err
}

// remove deletes a file.
func (r *Root) remove(path string) (why string, err error) {
	p, err := r.file(path)
	if err != nil {
		return refusal(err)
	}
	if err := r.root.Remove(local(p.disk)); err != nil {
		return refusal(&Refused{path, reason(err)})
	}
	return "", r.last(folderOf(p.disk))
}

// move gives a file another name.
func (r *Root) move(c Change) (why string, err error) {
	from, err := r.file(c.Path)
	if err != nil {
		return refusal(err)
	}
	to, err := r.find(c.To)
	if err != nil {
		return refusal(err)
	}
	folder := folderOf(to.disk)
	if err := r.folders(folder); err != nil {
		return refusal(&Refused{c.To, reason(err)})
	}
	if err := r.name(from.disk, to.disk); err != nil {
		return refusal(&Refused{c.To, reason(err)})
	}
	return "", errors.Join(r.last(folder), r.last(folderOf(from.disk)))
}

// finishMove ends a move that a crash left with both names.
func (r *Root) finishMove(c Change, seen Seen) (done bool, err error) {
	from, errFrom := r.find(c.Path)
	to, errTo := r.find(c.To)
	if errFrom != nil || errTo != nil || from.info == nil || to.info == nil || !os.SameFile(from.info, to.info) || !from.info.Mode().IsRegular() {
		return false, nil
	}
	if links(from.info) != 2 || seen.at(c.To).SHA256 != "" || from.disk == to.disk {
		return false, nil
	}
	if err := r.root.Remove(local(from.disk)); err != nil {
		return false, fmt.Errorf("workspace: moving %s: %w", c.Path, err)
	}
	return true, errors.Join(r.last(folderOf(to.disk)), r.last(folderOf(from.disk)))
}

// folders makes a folder with those that it lies in.
func (r *Root) folders(disk string) error {
	if disk == "" {
		return nil
	}
	if err := r.root.MkdirAll(local(disk), 0o755); err != nil {
		return err
	}
	return r.last(folderOf(disk))
}

// last makes what happened in a folder outlast a loss of power.
func (r *Root) last(folder string) error {
	dir, err := r.root.Open(local(folder))
	if err != nil {
		return fmt.Errorf("workspace: %w", err)
	}
	defer dir.Close()
	if err := settled(dir); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return fmt.Errorf("workspace: %w", err)
	}
	return nil
}

// refusal tells why a change was not made from a fault.
func refusal(err error) (why string, fault error) {
	var refused *Refused
	if errors.As(err, &refused) {
		return refused.Reason, nil
	}
	return "", err
}

// bare removes the folders that a change made, from the innermost on, as long as they are empty.
func (r *Root) bare(at string, n int) {
	for folder := path.Dir(at); n > 0 && folder != "." && folder != "/"; n, folder = n-1, path.Dir(folder) {
		p, err := r.find(folder)
		if err != nil || p.info == nil || !p.info.IsDir() || r.root.Remove(local(p.disk)) != nil {
			return
		}
	}
}
