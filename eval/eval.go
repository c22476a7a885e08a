// Package eval measures ibid on sets of documents and questions: it reads a set, lets a room of ibid do its work, and
// writes the result in the form that the set's own scorer reads. It never scores by itself.
package eval

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// maxLine is how long a line of a set may be, in bytes.
const maxLine = 64 << 20

// lines reads a file of JSON lines, each of which is one T.
func lines[T any](path string) ([]T, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return decode[T](f, path)
}

func decode[T any](r io.Reader, name string) (all []T, err error) {
	scan := bufio.NewScanner(r)
	scan.Buffer(nil, maxLine)
	for n := 1; scan.Scan(); n++ {
		if len(scan.Bytes()) == 0 {
			continue
		}
		var v T
		if err := json.Unmarshal(scan.Bytes(), &v); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", name, n, err)
		}
		all = append(all, v)
	}
	if err := scan.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return all, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, os.ErrNotExist)
}
