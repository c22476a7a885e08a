package workspace

import (
	"cmp"
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxSeen is how many names of a workspace are looked at; beyond that a listing says that it is not whole.
const maxSeen = 200_000

// A File is one file of the workspace.
type File struct {
	Path     string    `json:"path"`
	Size     int64     `json:"bytes"`
	Modified time.Time `json:"modified"` // in UTC, to the second
}

func fileOf(path string, info fs.FileInfo) File {
	return File{path, info.Size(), info.ModTime().UTC().Truncate(time.Second)}
}

// A Listing is files, in order of their paths if nothing else is said.
type Listing struct {
	Files []File `json:"files"`
	More  int    `json:"more,omitempty"` // that fit as well and are not listed
	Cut   bool   `json:"cut,omitempty"`  // the workspace holds more than is looked at
}

// passed are folders that hold no files of the user's own: they are not listed. What lies in them can be read by its path.
var passed = map[string]bool{"node_modules": true, "vendor": true, "__pycache__": true, "target": true, "dist": true}

// walk visits the files below a folder in the order of their paths. Links, devices and hidden files are passed over, and a
// name that is there in two normal forms is one file: that which its path leads to.
func (r *Root) walk(ctx context.Context, folder string, visit func(File)) (cut bool, err error) {
	p := place{}
	if folder != "" {
		if p, err = r.find(folder); err != nil {
			return false, err
		}
	}
	seen := 0
	var down func(disk, shown string, depth int) error
	down = func(disk, shown string, depth int) error {
		entries, err := r.entries(disk)
		if err != nil {
			return err
		}
		names := map[string]string{} // composed → as the disk has it
		for _, e := range entries {
			if seen++; seen > maxSeen {
				cut = true
				return nil
			}
			name := e.Name()
			composed := norm.NFC.String(name)
			if !utf8.ValidString(name) || unfit(composed) != "" || e.IsDir() && passed[name] {
				continue
			}
			if other, twice := names[composed]; !twice || other != composed && name == composed {
				names[composed] = name
			}
		}
		ordered := make([]string, 0, len(names))
		for composed := range names {
			ordered = append(ordered, composed)
		}
		slices.Sort(ordered)
		for _, composed := range ordered {
			if err := ctx.Err(); err != nil {
				return err
			}
			at, path := join(disk, names[composed]), join(shown, composed)
			info, err := r.lstat(at)
			switch {
			case err != nil: // gone meanwhile, or not to be seen
			case info.IsDir() && depth < maxDepth-1:
				_ = down(at, path, depth+1) // a folder that may not be read
			case r.odd(info) == "":
				visit(fileOf(path, info))
			}
		}
		return ctx.Err()
	}
	if err := down(p.disk, p.path, strings.Count(p.path, "/")); err != nil {
		if ctx.Err() != nil {
			return cut, ctx.Err()
		}
		return cut, &Refused{folder, reason(err)}
	}
	return cut, nil
}

// ByName lists the files whose name, or path, fits a pattern, without regard to case: a pattern with * ? or [ is a glob,
// where ** stands for any folders; anything else is a part of the name. A pattern with a slash is held against the path.
func (r *Root) ByName(ctx context.Context, pattern, folder string, most int) (Listing, error) {
	fits, err := matcher(pattern)
	if err != nil {
		return Listing{}, err
	}
	return r.list(ctx, folder, most, func(f File) bool { return fits(f.Path) }, nil)
}

// matcher makes the test of a pattern.
func matcher(pattern string) (func(path string) bool, error) {
	pattern = strings.TrimPrefix(fold(strings.TrimSpace(pattern)), "./")
	whole := strings.Contains(pattern, "/")
	subject := func(at string) string {
		if at = fold(at); !whole {
			return path.Base(at)
		}
		return at
	}
	switch {
	case pattern == "":
		return nil, &Refused{pattern, "there is no pattern"}
	case len(pattern) > maxPath:
		return nil, &Refused{pattern, "the pattern is too long"}
	case !strings.ContainsAny(pattern, "*?["):
		return func(at string) bool { return strings.Contains(subject(at), pattern) }, nil
	}
	parts := strings.Split(pattern, "/")
	for _, p := range parts {
		if _, err := path.Match(p, ""); err != nil {
			return nil, &Refused{pattern, "a [ in the pattern has no ]"}
		}
	}
	return func(at string) bool { return glob(parts, strings.Split(subject(at), "/")) }, nil
}

// glob holds a path against a pattern, name by name. It remembers one way back, as a star in a name does, so it takes no
// longer than their lengths multiplied.
func glob(pattern, names []string) bool {
	back, from := -1, 0
	p, n := 0, 0
	for n < len(names) {
		if p < len(pattern) && pattern[p] == "**" {
			back, from, p = p, n, p+1
			continue
		}
		if p < len(pattern) {
			if ok, _ := path.Match(pattern[p], names[n]); ok {
				p, n = p+1, n+1
				continue
			}
		}
		if back < 0 {
			return false
		}
		from++
		p, n = back+1, from
	}
	for p < len(pattern) && pattern[p] == "**" {
		p++
	}
	return p == len(pattern)
}

// fold makes names comparable without regard to case and normal form.
func fold(s string) string { return strings.ToLower(norm.NFC.String(s)) }

// Conditions are what a file must be like. Zero values ask for nothing.
type Conditions struct {
	Endings []string  // pdf or .pdf, without regard to case
	AtLeast int64     // bytes
	AtMost  int64     // bytes; 0: any number
	After   time.Time // last changed at or after
	Before  time.Time // last changed before
	Folder  string
	Order   Order
}

// An Order says which files come first; ties go by path.
type Order string

// Orders of a listing.
const (
	ByPath   Order = "path"
	Newest   Order = "newest"
	Oldest   Order = "oldest"
	Largest  Order = "largest"
	Smallest Order = "smallest"
)

// Filter lists the files that meet conditions.
func (r *Root) Filter(ctx context.Context, c Conditions, most int) (Listing, error) {
	endings := map[string]bool{}
	for _, e := range c.Endings {
		endings["."+strings.TrimPrefix(fold(strings.TrimSpace(e)), ".")] = true
	}
	fits := func(f File) bool {
		return (len(endings) == 0 || endings[fold(path.Ext(f.Path))]) && f.Size >= c.AtLeast && (c.AtMost == 0 || f.Size <= c.AtMost) &&
			(c.After.IsZero() || !f.Modified.Before(c.After)) && (c.Before.IsZero() || f.Modified.Before(c.Before))
	}
	return r.list(ctx, c.Folder, most, fits, orders[c.Order])
}

var orders = map[Order]func(a, b File) int{
	Newest:   func(a, b File) int { return b.Modified.Compare(a.Modified) },
	Oldest:   func(a, b File) int { return a.Modified.Compare(b.Modified) },
	Largest:  func(a, b File) int { return cmp.Compare(b.Size, a.Size) },
	Smallest: func(a, b File) int { return cmp.Compare(a.Size, b.Size) },
}

// list lists the files below a folder that fit.
func (r *Root) list(ctx context.Context, folder string, most int, fits func(File) bool, order func(a, b File) int) (Listing, error) {
	folder, err := r.Folder(folder)
	if err != nil {
		return Listing{}, err
	}
	l := Listing{Files: []File{}}
	if l.Cut, err = r.walk(ctx, folder, func(f File) {
		if fits(f) {
			l.Files = append(l.Files, f)
		}
	}); err != nil {
		return Listing{}, err
	}
	slices.SortStableFunc(l.Files, func(a, b File) int {
		if order != nil {
			return cmp.Or(order(a, b), strings.Compare(a.Path, b.Path))
		}
		return strings.Compare(a.Path, b.Path)
	})
	if len(l.Files) > most {
		l.More = len(l.Files) - most
		l.Files = l.Files[:most]
	}
	return l, nil
}
