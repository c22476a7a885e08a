package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/s2"

	"ibid/fetch"
	"ibid/index"
)

// Kept is where a library's index is kept from one program to the next: what was read of each document, by its version. It
// spares reading, and is no evidence: what is quoted is read from the document itself. A file that is damaged, or of
// another program, is not used and is written anew.
type Kept struct {
	File    string           // its folder has to be there; "": it is kept in memory alone, for the next look at the folder
	Program string           // that reads the documents: another one may read them otherwise
	Now     func() time.Time // the clock of the file system
	Say     func(what string)

	written time.Time // when the versions that were loaded had been looked at
}

const (
	keptForm  = "ibid index 1\n"
	keptBytes = 512 << 20 // of a kept index at most
	// justNow is how long after a change a file may change again without another time: such a version is read to be sure.
	justNow = 2 * time.Second
)

// keptLibrary is the form of a kept index.
type keptLibrary struct {
	Program string
	MaxText int
	Written int64 // nanoseconds since 1970
	Words   []byte
	Records []*record
}

// load reads a kept index; nil if there is none that can be used.
func (k *Kept) load(maxText int) (map[string]*record, index.Vocabulary) {
	if k.File == "" {
		return nil, nil
	}
	data, err := readKept(k.File)
	if err != nil {
		return nil, nil
	}
	lib, err := decodeKept(data)
	if err != nil || lib.Program != k.Program || lib.MaxText != maxText {
		return nil, nil
	}
	k.written = time.Unix(0, lib.Written)
	known := make(map[string]*record, len(lib.Records))
	for _, rec := range lib.Records {
		known[rec.URL] = rec
	}
	return known, lib.Words
}

func readKept(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() > keptBytes {
		return nil, errors.Join(err, errors.New("it is too large"))
	}
	data := make([]byte, info.Size())
	_, err = io.ReadFull(f, data)
	return data, err
}

// decodeKept reads the form of a kept index, and checks all of it.
func decodeKept(data []byte) (*keptLibrary, error) {
	rest, ok := bytes.CutPrefix(data, []byte(keptForm))
	if !ok || len(rest) < sha256.Size {
		return nil, errors.New("it is no kept index")
	}
	sum := sha256.Sum256(rest[sha256.Size:])
	if !bytes.Equal(sum[:], rest[:sha256.Size]) {
		return nil, errors.New("it is damaged")
	}
	var lib keptLibrary
	if err := gob.NewDecoder(bytes.NewReader(rest[sha256.Size:])).Decode(&lib); err != nil {
		return nil, err
	}
	for _, rec := range lib.Records {
		if rec == nil || rec.Size < 0 || rec.Size > maxPerDocument || rec.Failure == nil && rec.Text == nil {
			return nil, errors.New("it is no kept index")
		}
	}
	_, err := index.Restore(index.Config{}, lib.Words, nil)
	return &lib, err
}

// save writes the index, whole or not at all. That it cannot is no reason to stop: it is said, and the next program reads
// the documents again.
func (k *Kept) save(h *holdings, maxText int) {
	if k.File == "" {
		return
	}
	known, words := h.keep()
	lib := keptLibrary{Program: k.Program, MaxText: maxText, Written: h.at.UnixNano(), Words: words}
	for _, e := range h.entries {
		if rec := known[e.URL]; rec != nil && (rec.Failure == nil || lasting[rec.Failure.Outcome]) {
			lib.Records = append(lib.Records, rec)
		}
	}
	if err := k.write(&lib); err != nil && k.Say != nil {
		k.Say(fmt.Sprintf("the index of the documents could not be kept, so it will be made again: %v", err))
	}
}

// lasting are the reasons for which a document cannot be read as long as it stays as it is.
var lasting = map[fetch.Outcome]bool{fetch.Unsupported: true, fetch.Empty: true, fetch.TooLarge: true}

func (k *Kept) write(lib *keptLibrary) (err error) {
	var b bytes.Buffer
	b.WriteString(keptForm)
	b.Write(make([]byte, sha256.Size))
	if err := gob.NewEncoder(&b).Encode(lib); err != nil {
		return err
	}
	sum := sha256.Sum256(b.Bytes()[len(keptForm)+sha256.Size:])
	copy(b.Bytes()[len(keptForm):], sum[:])
	if b.Len() > keptBytes {
		return errors.New("it is too large")
	}
	f, err := os.CreateTemp(filepath.Dir(k.File), filepath.Base(k.File)+"-*")
	if err != nil {
		return err
	}
	_, err = f.Write(b.Bytes())
	if err = errors.Join(err, f.Close()); err == nil { // not synced: what a loss of power leaves of it fails its checksum
		err = os.Rename(f.Name(), k.File)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// doubtful says whether a version may have changed again without another time, after it was looked at.
func (k *Kept) doubtful(s fetch.Stamp) bool {
	return k != nil && !k.written.IsZero() && time.Unix(0, s.Modified).After(k.written.Add(-justNow))
}

// packed makes a text small, in less time than reading it took.
func packed(text string) []byte { return s2.Encode(nil, []byte(text)) }

// unpacked is the way back; "" if it is not a text of that size.
func unpacked(p []byte, size int) string {
	if n, err := s2.DecodedLen(p); err != nil || n != size {
		return ""
	}
	text, err := s2.Decode(nil, p)
	if err != nil {
		return ""
	}
	return string(text)
}
