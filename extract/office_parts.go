package extract

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// Limits of a document that is a zip of parts. Text beyond them is left out and flagged.
const (
	maxParts       = 64 << 20 // bytes of all parts that are unpacked
	maxPart        = 16 << 20 // bytes of a part that is read as a whole
	maxXMLWork     = 24 << 20 // of all XML: an element counts eight, an attribute one
	maxShown       = 8 << 20  // bytes of text that are kept, about 4,000 pages
	maxShownBlocks = 200_000
)

// errNoPart is the error for a part that a document names and does not hold.
var errNoPart = errors.New("the part is missing")

// parts are the files of a document that is a zip archive. They are looked up by name and unpacked in memory, within the
// limits; nothing outside of the archive can be named.
type parts struct {
	ctx   context.Context
	url   string
	files map[string]*zip.File // by name in lower case, as OPC compares them; nil for a name that is there twice
	left  int64                // bytes that may still be unpacked
	work  int                  // of maxXMLWork, what is left
}

// openParts opens a document. The error is an *Unreadable.
func openParts(ctx context.Context, in Input) (*parts, error) {
	z, err := zip.NewReader(bytes.NewReader(in.Body), int64(len(in.Body)))
	if err != nil {
		return nil, &Unreadable{URL: in.URL, Reason: Damaged, Detail: "it is damaged or was cut off: its list of parts cannot be read", Err: err}
	}
	if len(z.File) > maxEntries {
		return nil, &Unreadable{URL: in.URL, Reason: TooLarge, Detail: fmt.Sprintf("it has %d parts, more than the %d that are read", len(z.File), maxEntries)}
	}
	p := &parts{ctx: ctx, url: in.URL, files: make(map[string]*zip.File, len(z.File)), left: maxParts, work: maxXMLWork}
	for _, f := range z.File {
		name := partName(f.Name)
		if _, twice := p.files[name]; twice {
			f = nil // which of them is meant cannot be known
		}
		p.files[name] = f
	}
	return p, nil
}

// partName is a part's name in the one form by which it is found.
func partName(name string) string {
	return strings.ToLower(strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(name, `\`, "/")), "/"))
}

func (p *parts) has(name string) bool { return p.files[partName(name)] != nil }

// open unpacks a part. What it says of its size need not be true: reading ends with an error at the limit.
func (p *parts) open(name string) (io.ReadCloser, error) {
	f, named := p.files[partName(name)]
	switch {
	case f != nil:
	case named:
		return nil, fmt.Errorf("%s: the part is there more than once", name)
	default:
		return nil, fmt.Errorf("%s: %w", name, errNoPart)
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &partReader{p: p, r: r}, nil
}

// read unpacks a part as a whole.
func (p *parts) read(name string) ([]byte, error) {
	r, err := p.open(name)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(r, maxPart+1))
	if err = errors.Join(err, r.Close()); err == nil && len(body) > maxPart {
		err = errTooMuch
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return body, nil
}

// unreadable is the error for a document whose main part cannot be read.
func (p *parts) unreadable(detail string, err error) error {
	if e := p.ctx.Err(); e != nil {
		return e
	}
	u := &Unreadable{URL: p.url, Reason: Damaged, Detail: detail, Err: err}
	if errors.Is(err, errTooMuch) {
		u.Reason, u.Detail = TooLarge, "it unpacks to more than is read"
	}
	return u
}

// errTooMuch ends the reading of what is larger or deeper than any document that people make.
var errTooMuch = errors.New("more than is read")

// A partReader reads a part as long as the document's limit and the context allow.
type partReader struct {
	p *parts
	r io.ReadCloser
}

func (r *partReader) Read(b []byte) (int, error) {
	if err := r.p.ctx.Err(); err != nil {
		return 0, err
	}
	if r.p.left <= 0 {
		return 0, errTooMuch
	}
	n, err := r.r.Read(b[:min(int64(len(b)), r.p.left)])
	r.p.left -= int64(n)
	return n, err
}

func (r *partReader) Close() error { return r.r.Close() }
