package bundle

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// pack writes the archive in the one form that a bundle has: all files in their order, stored as they are, without times,
// comments or extra fields. So an archive can be written again from its files, and compared.
func pack(files map[string][]byte) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range names {
		data, ok := files[name]
		if !ok {
			return nil, fmt.Errorf("the file %s is missing", name)
		}
		h := &zip.FileHeader{Name: name, Method: zip.Store, CreatorVersion: 20, ReaderVersion: 20,
			CRC32: crc32.ChecksumIEEE(data), CompressedSize64: uint64(len(data)), UncompressedSize64: uint64(len(data))}
		//lint:ignore SA1019 a raw entry is written with this field, not with Modified
		h.ModifiedDate = 1<<5 | 1 // 1980-01-01, the format's first day
		f, err := w.CreateRaw(h)
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(data); err != nil {
			return nil, err
		}
		if out.Len() > MaxFile {
			return nil, fmt.Errorf("the bundle has more than %d bytes", MaxFile)
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// unpack reads an archive, and nothing from one that is not written as pack writes it.
func unpack(data []byte) (map[string][]byte, error) {
	if len(data) > MaxFile {
		return nil, fmt.Errorf("it has %d bytes; %d is the limit", len(data), MaxFile)
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotBundle, err)
	}
	if len(r.File) != len(names) {
		return nil, fmt.Errorf("%w: it holds %d files, not %d", ErrNotBundle, len(r.File), len(names))
	}
	files := map[string][]byte{}
	for i, f := range r.File {
		if f.Name != names[i] {
			return nil, fmt.Errorf("%w: its file %d is %.60q and not %s", ErrNotBundle, i+1, f.Name, names[i])
		}
		if f.Method != zip.Store || f.UncompressedSize64 > uint64(len(data)) {
			return nil, fmt.Errorf("the file %s is not stored as it is", f.Name)
		}
		at, err := f.DataOffset()
		if size := int64(f.UncompressedSize64); err != nil || at < 0 || at > int64(len(data)) || size > int64(len(data))-at {
			return nil, fmt.Errorf("the file %s is not where the archive says", f.Name)
		}
		files[f.Name] = data[at : at+int64(f.UncompressedSize64)]
	}
	again, err := pack(files)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(again, data) {
		return nil, errors.New("the archive has bytes that belong to none of its files, or differ from what they are")
	}
	return files, nil
}

// compress packs data as one gzip member.
func compress(data []byte) ([]byte, error) {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(data)
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}

// decompress reads one gzip member of at most limit bytes, and returns how many bytes it took.
func decompress(packed []byte, limit int64) (data []byte, took int, err error) {
	in := bytes.NewReader(packed) // a ByteReader: nothing is read beyond the member
	r, err := gzip.NewReader(in)
	if err != nil {
		return nil, 0, err
	}
	r.Multistream(false)
	data, err = io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("it unpacks to more than %d bytes", limit)
	}
	return data, len(packed) - in.Len(), err
}

func hexSHA256(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
