package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

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

// write lets make write to the file, or to stdout. A file is made when there is something to write, and one that is only
// begun is taken away again. what is said of the file with --json, beside its name.
func (o outFlag) write(e *env, what map[string]any, make func(io.Writer) error) error {
	if o.stdout() {
		return make(e.out)
	}
	f := &lateFile{name: o.Out}
	err := errors.Join(make(f), f.close())
	if err != nil {
		if f.file != nil {
			err = errors.Join(err, os.Remove(o.Out))
		}
		if told := (*runs.Error)(nil); errors.As(err, &told) {
			return err
		}
		return fmt.Errorf("writing %s: %w", o.Out, err)
	}
	return o.tell(e, what, f.size)
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

// lateFile is a file that is made when the first byte is written.
type lateFile struct {
	name string
	file *os.File
	size int64
}

func (f *lateFile) Write(p []byte) (n int, err error) {
	if f.file == nil {
		if f.file, err = os.Create(f.name); err != nil {
			return 0, err
		}
	}
	n, err = f.file.Write(p)
	f.size += int64(n)
	return n, err
}

func (f *lateFile) close() error {
	if f.file == nil {
		return nil
	}
	return f.file.Close()
}
