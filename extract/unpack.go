package extract

import (
	"archive/zip"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"io"
	"net/url"
	"path"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// maxLayers is how often a document is unpacked: as often as people pack one, not as often as a bomb does.
const maxLayers = 2

// unpack returns the document that is in a compressed file, or alone in a zip archive. What is neither stays as it is.
// cut says that the rest of it is damaged.
func (x *Extractor) unpack(in Input, most int) (out Input, cut bool, err error) {
	for range maxLayers {
		inner, damaged, ok := unpackOnce(in, most)
		if !ok {
			break
		}
		in, cut = inner, cut || damaged
		if len(in.Body) > most {
			return in, cut, &Unreadable{URL: in.URL, Reason: TooLarge, Detail: "it unpacks to more than is read"}
		}
	}
	return in, cut, nil
}

// unpackOnce takes off one layer. Archives of files stay as they are.
func unpackOnce(in Input, most int) (out Input, cut, ok bool) {
	name := baseName(in.URL)
	if r := decompressor(in.Body); r != nil {
		head := make([]byte, 1024)
		n, err := io.ReadFull(r, head)
		if n == 0 || err != nil && err != io.ErrUnexpectedEOF && n < 512 || isTar(head[:n]) {
			return in, false, false
		}
		rest, err := io.ReadAll(io.LimitReader(r, int64(most)+1-int64(n)))
		ext := path.Ext(name)
		return renamed(in, strings.TrimSuffix(name, ext), append(head[:n:n], rest...)), err != nil, true
	}
	if !bytes.HasPrefix(in.Body, []byte("PK\x03\x04")) {
		return in, false, false
	}
	if f, err := officeForm(in); f != formText || err != nil || damagedZip(in.Body) != formArchive {
		return in, false, false
	}
	f := onlyFile(in.Body)
	if f == nil {
		return in, false, false
	}
	r, err := f.Open()
	if err != nil {
		return in, false, false
	}
	defer r.Close()
	body, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	return renamed(in, f.Name, body), err != nil, len(body) > 0
}

// decompressor reads the formats that compress one file; nil for all else.
func decompressor(body []byte) io.Reader {
	b := bytes.NewReader(body)
	switch {
	case bytes.HasPrefix(body, []byte("\x1f\x8b")):
		if z, err := gzip.NewReader(b); err == nil {
			return z
		}
	case bytes.HasPrefix(body, []byte("BZh")):
		return bzip2.NewReader(b)
	case bytes.HasPrefix(body, []byte("\x28\xb5\x2f\xfd")):
		if z, err := zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20), zstd.WithDecoderLowmem(true)); err == nil {
			return z
		}
	}
	return nil
}

// onlyFile returns the one file of a zip archive that has no folders; nil if it is none such.
func onlyFile(body []byte) (only *zip.File) {
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil || len(z.File) > 100 {
		return nil
	}
	for _, f := range z.File {
		switch {
		case strings.HasPrefix(f.Name, "__MACOSX/"), path.Base(f.Name) == ".DS_Store":
		case only != nil || !f.Mode().IsRegular() || clean(f.Name) == "" || strings.Contains(f.Name, "/") || f.Flags&1 != 0:
			return nil
		default:
			only = f
		}
	}
	return only
}

// renamed is a document that was in another one, beside which it stands.
func renamed(in Input, name string, body []byte) Input {
	out := Input{URL: in.URL, Body: body}
	if u, err := url.Parse(in.URL); err == nil && name != "" && u.Path != "" {
		u.Path, u.RawPath = path.Join(path.Dir(u.Path), name), ""
		out.URL = u.String()
	}
	return out
}
