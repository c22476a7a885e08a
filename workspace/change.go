package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// An Op is a kind of change.
type Op string

// The changes that there are.
const (
	Create  Op = "create"  // a file where there is none
	Replace Op = "replace" // a file's content, of the version that was read
	Move    Op = "move"    // a file to where there is none; renaming is moving
	Delete  Op = "delete"
)

// MaxChanges is how many changes are made at once at most.
const MaxChanges = 100

// A Change is one change of the workspace. Paths are clean.
type Change struct {
	Op      Op     `json:"op"`
	Path    string `json:"path"`
	To      string `json:"to,omitempty"`      // of a move
	Content string `json:"content,omitempty"` // of a new file, or a new version
	Was     string `json:"was,omitempty"`     // SHA-256 that the file must have, hex; "": any. A replacement has one

	mode fs.FileMode // of a file that is put back; 0: the usual one
}

// A Version is what was at a path when it was looked at.
type Version struct {
	Path    string      `json:"path"`
	SHA256  string      `json:"sha256,omitempty"` // "": nothing was there
	Size    int64       `json:"bytes,omitempty"`
	Mode    fs.FileMode `json:"mode,omitempty"`    // permission bits
	Folders int         `json:"folders,omitempty"` // at the end of its path, that were not there
	Refused string      `json:"refused,omitempty"` // why it is not to be touched
}

// Seen is what was there before changes: it is recorded before anything is touched, and says after a crash which changes
// were made, and to somebody who undoes them what to put back.
type Seen struct {
	Files []Version `json:"files"`
}

func (s Seen) at(path string) Version {
	for _, v := range s.Files {
		if v.Path == path {
			return v
		}
	}
	return Version{Path: path, Refused: "it was not looked at"}
}

// A Result is what became of one change.
type Result struct {
	Op   Op     `json:"op"`
	Path string `json:"path"`
	To   string `json:"to,omitempty"`
	Done bool   `json:"done"`
	Why  string `json:"why,omitempty"` // it was not done; or how it was done without doing anything
}

// Check says what is wrong with a list of changes, whatever the workspace holds, and cleans their paths.
func Check(changes []Change) ([]Change, error) {
	switch {
	case len(changes) == 0:
		return nil, &Refused{"", "there is nothing to change"}
	case len(changes) > MaxChanges:
		return nil, &Refused{"", fmt.Sprintf("these are %d changes; %d at once is the limit", len(changes), MaxChanges)}
	}
	touched := map[string]bool{}
	checked := make([]Change, len(changes))
	for i, c := range changes {
		for _, path := range []*string{&c.Path, &c.To} {
			if path == &c.To && c.Op != Move {
				continue
			}
			clean, err := Clean(*path)
			if err != nil {
				return nil, err
			}
			if touched[fold(clean)] {
				return nil, &Refused{clean, "it stands twice in one call"}
			}
			*path, touched[fold(clean)] = clean, true
		}
		fresh := c.To
		if c.Op == Create {
			fresh = c.Path
		}
		if why := unfresh(fresh); fresh != "" && why != "" {
			return nil, &Refused{fresh, why}
		}
		if len(c.Content) > MaxRead {
			return nil, &Refused{c.Path, "its content is too large"}
		}
		checked[i] = c
	}
	return checked, nil
}

// Look says what is there before changes, and gives keep the bytes that a change would take away. keep returns the hash
// under which they can be had again; another hash than theirs says that they cannot be kept as they are.
func (r *Root) Look(ctx context.Context, changes []Change, keep func(data []byte) (sha256 string, err error)) (Seen, error) {
	seen := Seen{Files: []Version{}}
	free, err := r.take(ctx)
	if err != nil {
		return seen, err
	}
	defer free()
	for _, c := range changes {
		v, err := r.version(ctx, c.Path)
		if err != nil {
			return seen, err
		}
		if v.SHA256 != "" && v.Refused == "" && (c.Op == Delete || c.Op == Replace) {
			data, err := r.Read(ctx, c.Path)
			switch refused := (*Refused)(nil); {
			case errors.As(err, &refused):
				v.Refused = "it cannot be kept for undoing: " + refused.Reason
			case err != nil:
				return seen, err
			case Sum(data) != v.SHA256:
				v.Refused = "it is being changed at this moment"
			default:
				sha, err := keep(data)
				if err != nil {
					return seen, err
				}
				if sha != v.SHA256 {
					v.Refused = "it holds a secret of this environment, which is never recorded, so it could not be put back"
				}
			}
		}
		seen.Files = append(seen.Files, v)
		if c.Op == Move {
			if v, err = r.version(ctx, c.To); err != nil {
				return seen, err
			}
			seen.Files = append(seen.Files, v)
		}
	}
	return seen, nil
}

// version says what is at a path now.
func (r *Root) version(ctx context.Context, path string) (Version, error) {
	v := Version{Path: path}
	p, err := r.find(path)
	if refused := (*Refused)(nil); errors.As(err, &refused) {
		v.Refused = refused.Reason
		return v, nil
	} else if err != nil {
		return v, err
	}
	if p.info == nil {
		v.Folders = p.gone - 1
		return v, nil
	}
	f, info, err := r.open(path)
	if refused := (*Refused)(nil); errors.As(err, &refused) {
		v.Refused = refused.Reason
		return v, nil
	} else if err != nil {
		return v, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, reader{ctx, f}); err != nil {
		if ctx.Err() != nil {
			return v, ctx.Err()
		}
		v.Refused = reason(err)
		return v, nil
	}
	v.SHA256, v.Size, v.Mode = hex.EncodeToString(h.Sum(nil)), info.Size(), info.Mode().Perm()
	return v, nil
}

// reader reads until a context ends.
type reader struct {
	ctx context.Context
	r   io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

// fault says why a change may not be made to what was there, or "". It looks at nothing but the record.
func (c Change) fault(seen Seen) string {
	at := seen.at(c.Path)
	switch {
	case at.Refused != "":
		return at.Refused
	case c.Op == Create && at.SHA256 != "":
		return "there is a file of that name already, and nothing is overwritten"
	case c.Op == Create:
		return ""
	case at.SHA256 == "":
		return "there is no such file"
	case c.Was != "" && at.SHA256 != c.Was:
		return "it is not the version that was read: somebody has changed it since"
	case c.Op == Replace && c.Was == "":
		return "it was not read, so what would be lost is not known"
	}
	if c.Op == Move {
		switch to := seen.at(c.To); {
		case to.Refused != "":
			return fmt.Sprintf("%q: %s", c.To, to.Refused)
		case to.SHA256 != "":
			return fmt.Sprintf("there is a file called %q already, and nothing is overwritten", c.To)
		}
	}
	return ""
}

// Apply makes changes to what was seen: all of them, or none where one may not be made. It may be called again after a
// crash with the same record: what was made is found made, and is not made twice. A change that meets something else than
// what was seen is not made.
func (r *Root) Apply(ctx context.Context, changes []Change, seen Seen) ([]Result, error) {
	results := make([]Result, len(changes))
	refused := false
	for i, c := range changes {
		results[i] = Result{Op: c.Op, Path: c.Path, To: c.To, Why: c.fault(seen)}
		refused = refused || results[i].Why != ""
	}
	if refused {
		for i := range results {
			if results[i].Why == "" {
				results[i].Why = "it was not done, since another change of the same call could not be"
			}
		}
		return results, nil
	}
	free, err := r.take(ctx)
	if err != nil {
		return nil, err
	}
	defer free()
	for i, c := range changes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		why, err := r.make(ctx, c, seen)
		if err != nil {
			return nil, err
		}
		results[i].Done, results[i].Why = why == "", why
	}
	return results, nil
}
