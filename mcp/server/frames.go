package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// frames reads JSON-RPC messages, one a line, and passes on those that are such. What is none is answered with an error and
// does not end the connection: the SDK's decoder would.
type frames struct {
	in   *bufio.Reader
	out  io.Writer
	rest []byte // of the message that is being passed on
}

// maxLine bounds one message, in bytes.
const maxLine = maxBody

// JSON-RPC 2.0 §5.1.
const (
	parseError     = -32700
	invalidRequest = -32600
)

func newFrames(in io.Reader, out io.Writer) *frames {
	return &frames{in: bufio.NewReaderSize(in, 64<<10), out: out}
}

// Read passes on the next bytes of valid messages.
func (f *frames) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		line, long, err := f.line()
		switch {
		case long:
			f.refuse(nil, invalidRequest, fmt.Sprintf("a message has %d bytes at most", maxLine))
		case len(bytes.TrimSpace(line)) == 0:
		default:
			if id, code, why := valid(line); code != 0 {
				f.refuse(id, code, why)
			} else {
				f.rest = append(bytes.TrimSpace(line), '\n')
			}
		}
		if err != nil && len(f.rest) == 0 {
			return 0, err
		}
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// Close is part of io.ReadCloser. What is read from belongs to the caller.
func (f *frames) Close() error { return nil }

// line reads one line. Of one that is too long it keeps nothing.
func (f *frames) line() (line []byte, long bool, err error) {
	for {
		part, err := f.in.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; !long {
			line = append(line, part...)
		} else {
			line = nil
		}
		if err != bufio.ErrBufferFull {
			return line, long, err
		}
	}
}

// valid says why a line is no message, and whose answer that is.
func valid(line []byte) (id json.RawMessage, code int, why string) {
	if !json.Valid(line) {
		return nil, parseError, "the line is not JSON"
	}
	var m struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  *string         `json:"method"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return nil, invalidRequest, "the line is not one JSON-RPC message"
	}
	if len(m.ID) > 0 && (m.ID[0] == '{' || m.ID[0] == '[' || m.ID[0] == 't' || m.ID[0] == 'f') {
		return nil, invalidRequest, "an id is a string or a number"
	}
	switch {
	case m.Version != "2.0":
		return m.ID, invalidRequest, `a message says "jsonrpc": "2.0"`
	case m.Method == nil && m.Result == nil && m.Error == nil:
		return m.ID, invalidRequest, "a message has a method, a result or an error"
	}
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		return m.ID, invalidRequest, "the line is no message of JSON-RPC 2.0"
	}
	return nil, 0, ""
}

// refuse answers a message that is none. An answer that cannot be written is the connection's end, which the SDK sees itself.
func (f *frames) refuse(id json.RawMessage, code int, why string) {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	_, _ = fmt.Fprintf(f.out, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`+"\n", id, code, why)
}

// lines lets several write whole lines to one stream.
type lines struct {
	mu sync.Mutex
	to io.WriteCloser
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Write(p)
}

func (l *lines) Close() error { return l.to.Close() }
