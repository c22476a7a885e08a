package main

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"ibid/runs"
)

// count is a number of things: "1 entry", "3 entries".
func count[N int | int64](n N, one string) string {
	switch {
	case n == 1:
		return "1 " + one
	case strings.HasSuffix(one, "ry"):
		one = strings.TrimSuffix(one, "y") + "ie"
	case strings.HasSuffix(one, "ch"):
		one += "e"
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// size is a number of bytes for people.
func size(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	}
	return count(n, "byte")
}

// outFlag is where a command writes what it makes.
type outFlag struct {
	Out string `short:"o" help:"Write to this file instead of stdout." placeholder:"FILE"`
}

// stdout says whether that is stdout.
func (o outFlag) stdout() bool { return o.Out == "" || o.Out == "-" }

// write lets make write to the file, or to stdout. A file that is there keeps what it says until the new one is whole.
// what is said of the file with --json, beside its name.
func (o outFlag) write(e *env, what map[string]any, make func(io.Writer) error) error {
	if o.stdout() {
		return make(e.out)
	}
	size, err := writeFile(o.Out, make)
	if told := (*runs.Error)(nil); errors.As(err, &told) {
		return err
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", o.Out, err)
	}
	return o.tell(e, what, size)
}

// tell says what was written.
func (o outFlag) tell(e *env, what map[string]any, bytes int64) error {
	if e.cli.JSON {
		what["file"], what["bytes"] = o.Out, bytes
		return json.NewEncoder(e.out).Encode(what)
	}
	if !e.cli.Quiet {
		fmt.Fprintf(e.err, "%s: %s\n", o.Out, size(bytes))
	}
	return nil
}

// writeFile lets make write the file name, whole or not at all, and says how many bytes that were: beside the file first,
// which then takes its place. What is no file (a device, a pipe) is written to as it is.
func writeFile(name string, make func(io.Writer) error) (size int64, err error) {
	target, mode := name, os.FileMode(0o666)
	if full, err := filepath.EvalSymlinks(name); err == nil {
		target = full
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	beside := fmt.Sprintf("%s.%s.part", target, strings.ToLower(rand.Text()[:8]))
	is, err := os.Stat(target)
	switch {
	case err == nil && !is.Mode().IsRegular():
		beside, flags = target, os.O_WRONLY
	case err == nil:
		mode = is.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return 0, err
	}
	f, err := os.OpenFile(beside, flags, mode)
	if err != nil {
		return 0, err
	}
	counted := &countingWriter{Writer: f}
	err = make(counted)
	if is != nil && beside != target {
		err = errors.Join(err, f.Chmod(mode)) // whatever the umask is
	}
	err = errors.Join(err, f.Close())
	if beside == target {
		return counted.size, err
	}
	if err == nil {
		err = os.Rename(beside, target)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(beside))
	}
	return counted.size, err
}

type countingWriter struct {
	io.Writer
	size int64
}

func (w *countingWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.size += int64(n)
	return n, err
}

// result is stdout: it remembers that a part of the result was not taken, which most who print do not look at.
type result struct {
	io.Writer
	err error
}

func (r *result) Write(p []byte) (int, error) {
	n, err := r.Writer.Write(p)
	if err != nil && r.err == nil {
		r.err = err
	}
	return n, err
}

// terminal says whether w is a terminal.
func terminal(w io.Writer) bool {
	if r, ok := w.(*result); ok {
		w = r.Writer
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
