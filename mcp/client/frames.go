package client

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Limits of what a process says besides messages.
const (
	maxNoise = 1 << 20 // bytes on stdout
	maxLines = 200     // that are logged
	answers  = 8       // messages of the largest size that may come before the next question
)

// speak makes the transport of a process's pipes.
func (c *connection) speak(config Config, r io.ReadCloser, w io.WriteCloser) {
	heard := &frames{conn: c, c: config, r: bufio.NewReaderSize(r, 64<<10), closer: r}
	c.transport = &mcp.IOTransport{Reader: heard, Writer: &writer{w, heard}, MaxLineLength: config.MaxBytes + 4096}
}

// frames reads messages of a line each. Lines that are none, as programs print them that forget what their output is for,
// are logged and left out.
type frames struct {
	conn   *connection
	c      Config
	r      *bufio.Reader
	closer io.Closer
	rest   []byte // of the message that is being read
	noise  int
	lines  int
	since  atomic.Int64 // bytes since something was asked
	err    error
}

func (f *frames) Close() error { return f.closer.Close() }

func (f *frames) Read(p []byte) (int, error) {
	for len(f.rest) == 0 && f.err == nil {
		var line []byte
		if line, f.err = f.line(); f.err == nil {
			f.err = f.take(line)
		}
		if f.err != nil {
			why := f.err.Error()
			if errors.Is(f.err, io.EOF) {
				why = "it ended"
			}
			f.conn.lost(why)
		}
	}
	if f.err != nil {
		return 0, f.err
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// line reads a line of bounded length.
func (f *frames) line() (line []byte, err error) {
	for {
		part, err := f.r.ReadSlice('\n')
		if len(line)+len(part) > f.c.MaxBytes {
			return nil, fmt.Errorf("it sent a message of more than %d bytes", f.c.MaxBytes)
		}
		if f.since.Add(int64(len(part))) > int64(answers*f.c.MaxBytes) {
			return nil, fmt.Errorf("it sent more than %d bytes unasked", answers*f.c.MaxBytes)
		}
		line = append(line, part...)
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

// take sorts messages from other lines.
func (f *frames) take(line []byte) error {
	text := bytes.TrimSpace(line)
	if len(text) == 0 {
		return nil
	}
	if !isMessage(text) {
		if f.noise += len(line); f.noise > maxNoise {
			return fmt.Errorf("it printed more than %d bytes that are no messages", maxNoise)
		}
		if f.lines++; f.lines <= maxLines && f.c.Log != nil {
			f.c.Log(clip(string(text)))
		}
		return nil
	}
	f.conn.tape.received(text)
	f.rest = append(text, '\n')
	return nil
}

// isMessage says whether a line is a message of the protocol: an object with the version, and an id of a kind that ids have.
func isMessage(line []byte) bool {
	var e envelope
	if line[0] != '{' || json.Unmarshal(line, &e) != nil || e.Version != "2.0" {
		return false
	}
	if len(e.ID) > 0 && e.ID[0] != '"' && e.ID[0] != '-' && (e.ID[0] < '0' || e.ID[0] > '9') {
		return false
	}
	return e.Method != "" || len(e.ID) > 0 && (len(e.Result) > 0 || len(e.Error) > 0)
}

// writer sends messages, and tells that one was sent.
type writer struct {
	io.WriteCloser
	heard *frames
}

func (w *writer) Write(message []byte) (int, error) {
	w.heard.since.Store(0)
	w.heard.conn.tape.sent(message)
	return w.WriteCloser.Write(message)
}
