package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// A member is one gzip member of the archive file: a record.
type member struct {
	data       []byte
	at, length int
}

// maxRecords bounds the records: the first, and three for each source.
const maxRecords = 1 + 3*maxSources

// members unpacks the records of an archive file.
func (v *verifier) members(packed []byte) ([]member, error) {
	var list []member
	for at := 0; at < len(packed); {
		if len(list) == maxRecords {
			return nil, fmt.Errorf("it holds more than %d records", maxRecords)
		}
		data, took, err := decompress(packed[at:], v.left)
		if err == nil && took == 0 {
			err = errors.New("it is empty")
		}
		if err != nil {
			return nil, fmt.Errorf("record %d: %w", len(list)+1, err)
		}
		v.left -= int64(len(data))
		list = append(list, member{data, at, took})
		at += took
	}
	return list, nil
}

// payload returns the bytes that a record holds of a source; not is one that holds none. Whether the record is as it
// should be is decided by writing it again.
func payload(data []byte) (raw []byte, is bool) {
	head, block, ok := bytes.Cut(data, []byte("\r\n\r\n"))
	if !ok {
		return nil, false
	}
	block = bytes.TrimSuffix(block, []byte("\r\n\r\n"))
	first, rest, _ := strings.Cut(string(head), "\r\n")
	kind, _, _ := strings.Cut(rest, "\r\n")
	switch {
	case first != "WARC/1.1":
		return nil, false
	case kind == "WARC-Type: resource":
		return block, true
	case kind == "WARC-Type: response":
		_, raw, is = bytes.Cut(block, []byte("\r\n\r\n"))
		return raw, is
	}
	return nil, false
}
