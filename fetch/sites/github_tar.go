package sites

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"ibid/fetch"
)

// Limits of an archive, besides fetch.MaxFile for what comes and for what is kept.
const (
	maxEntries  = 50_000    // that are looked at
	maxKept     = 10_000    // files
	maxEntry    = 1 << 20   // bytes of one file; no larger text file is read by people
	maxUnpacked = 256 << 20 // bytes behind the compression
	maxRatio    = 200       // unpacked bytes for one of the archive, beyond the first MiB
)

var (
	errBomb = errors.New("the archive unpacks to far more than it should")
	errLong = errors.New("the archive is longer than is read")
)

// A meter reads what a compressed archive unpacks to, up to the limits.
type meter struct {
	ctx  context.Context
	r    io.Reader
	n    int64
	bomb int64 // from here on the archive is a bomb
}

func (m *meter) Read(p []byte) (int, error) {
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	switch {
	case m.n > m.bomb:
		return 0, errBomb
	case m.n > maxUnpacked:
		return 0, errLong
	}
	n, err := m.r.Read(p)
	m.n += int64(n)
	return n, err
}

// repack turns a compressed archive of a repository into a tar of the text files within a folder ("" for all), without
// the folder that stands on top of everything. Names stay relative to the repository. Links, devices and names that lead
// out are left out and flagged, and so are files that no reader takes.
func repack(ctx context.Context, archive []byte, within string) ([]byte, []string, error) {
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, nil, unavailable(fetch.Failed, "the repository's archive is damaged", fetch.HintOther)
	}
	in := tar.NewReader(&meter{ctx: ctx, r: z, bomb: int64(len(archive))*maxRatio + 1<<20})
	p := packer{within: within, flagged: map[string]bool{}, seen: map[string]bool{}}
	p.w = tar.NewWriter(&p.out)
	err = p.all(in)
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case errors.Is(err, errBomb):
		return nil, nil, unavailable(fetch.Refused, errBomb.Error(), fetch.HintOther)
	case err != nil && p.kept == 0:
		return nil, nil, unavailable(fetch.Failed, "the repository's archive is damaged", fetch.HintOther)
	case err != nil:
		p.flag(FlagTruncated)
	}
	if err := p.w.Close(); err != nil {
		return nil, nil, fmt.Errorf("pack repository: %w", err)
	}
	switch {
	case p.kept > 0:
		return p.out.Bytes(), p.flags, nil
	case within != "" && !p.inside:
		return nil, nil, unavailable(fetch.NotFound, "the repository has no folder "+fetch.Excerpt(within, 200)+" at this commit", "Read the repository's root to see what it holds.")
	}
	return nil, nil, unavailable(fetch.Empty, "there are no text files in it", fetch.HintOther)
}

// A packer writes the files that are kept.
type packer struct {
	within  string
	out     bytes.Buffer
	w       *tar.Writer
	kept    int
	inside  bool // something lies within the folder
	flags   []string
	flagged map[string]bool
	seen    map[string]bool // files by path; links by path and "/"
}

func (p *packer) flag(name string) {
	if !p.flagged[name] {
		p.flagged[name] = true
		p.flags = append(p.flags, name)
	}
}

func (p *packer) all(in *tar.Reader) error {
	for n := 0; ; n++ {
		h, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if n == maxEntries || p.kept == maxKept {
			p.flag(FlagTruncated)
			return nil
		}
		if err := p.one(h, in); err != nil {
			return err
		}
	}
}

// one keeps a file, or says why not.
func (p *packer) one(h *tar.Header, r io.Reader) error {
	if h.Typeflag == tar.TypeXGlobalHeader || h.Typeflag == tar.TypeDir {
		return nil
	}
	name := stripTop(h.Name)
	if name == "" || p.behind(name) {
		p.flag(FlagRefused)
		return nil
	}
	if p.within != "" && name != p.within && !strings.HasPrefix(name, p.within+"/") {
		return nil
	}
	p.inside = true
	switch {
	case h.Typeflag != tar.TypeReg:
		p.seen[name+"/"] = true
		p.flag(FlagRefused)
		return nil
	case p.seen[name]:
		return nil
	case h.Size > maxEntry:
		p.flag(FlagSkipped)
		return nil
	}
	p.seen[name] = true
	body, err := io.ReadAll(io.LimitReader(r, maxEntry))
	if err != nil {
		return err
	}
	if bytes.IndexByte(body[:min(len(body), 8000)], 0) >= 0 && !wide(body) {
		p.flag(FlagSkipped)
		return nil
	}
	if int64(p.out.Len()+len(body)) > fetch.MaxFile-8<<10 { // room for headers and the end
		p.flag(FlagTruncated)
		return nil
	}
	p.kept++
	if err := p.w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(body)), Format: tar.FormatPAX}); err != nil {
		return err
	}
	_, err = p.w.Write(body)
	return err
}

// behind says whether a path goes through a link.
func (p *packer) behind(name string) bool {
	for i := range name {
		if name[i] == '/' && p.seen[name[:i+1]] {
			return true
		}
	}
	return false
}

// wide says whether a text is in UTF-16, by its mark: its zero bytes are letters.
func wide(body []byte) bool {
	return bytes.HasPrefix(body, []byte("\xff\xfe")) || bytes.HasPrefix(body, []byte("\xfe\xff"))
}

// stripTop drops the first folder of a name; "" if the rest does not name a file inside.
func stripTop(name string) string {
	top, rest, ok := strings.Cut(strings.TrimPrefix(name, "./"), "/")
	if !ok || top == ".." || top == "" || len(rest) > 1000 || strings.ContainsAny(rest, "\\:") || !fs.ValidPath(rest) || rest == "." {
		return ""
	}
	if strings.ContainsFunc(rest, func(r rune) bool { return r < 0x20 || r == 0x7f }) {
		return ""
	}
	return rest
}
