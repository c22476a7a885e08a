package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// frames reads JSON-RPC messages, one a line, and passes on those that are such. What is none is answered with an error and
// does not end the connection: the SDK's decoder would.
type frames struct {
	in   *bufio.Reader
	out  *lines
	rest []byte // of the message that is being passed on
}

// maxLine bounds one message, in bytes.
const maxLine = maxBody

// JSON-RPC 2.0 §5.1.
const (
	parseError     = -32700
	invalidRequest = -32600
)

func newFrames(in io.Reader, out *lines) *frames {
	return &frames{in: bufio.NewReaderSize(in, 64<<10), out: out}
}

// Read passes on the next bytes of valid messages.
func (f *frames) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		line, long, err := f.line()
		switch {
		case long:
			f.refuse(nil, &jsonrpc.Error{Code: invalidRequest, Message: fmt.Sprintf("a message has %d bytes at most", maxLine)})
		case len(bytes.TrimSpace(line)) == 0:
		default:
			if id, problem := valid(line); problem != nil {
				f.refuse(id, problem)
			} else {
				f.rest = append(bytes.TrimSpace(line), '\n')
				f.out.expect(line)
			}
		}
		if err != nil && len(f.rest) == 0 {
			f.out.drain(answersWait)
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

// valid says why a line is no message to pass on, and whose answer that is.
func valid(line []byte) (id json.RawMessage, problem *jsonrpc.Error) {
	no := func(code int64, why string) (json.RawMessage, *jsonrpc.Error) {
		return id, &jsonrpc.Error{Code: code, Message: why}
	}
	if !json.Valid(line) {
		return no(parseError, "the line is not JSON")
	}
	var m struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  *string         `json:"method"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return no(invalidRequest, "the line is not one JSON-RPC message")
	}
	if len(m.ID) > 0 && (m.ID[0] == '{' || m.ID[0] == '[' || m.ID[0] == 't' || m.ID[0] == 'f') {
		return no(invalidRequest, "an id is a string or a number")
	}
	id = m.ID
	switch {
	case m.Version != "2.0":
		return no(invalidRequest, `a message says "jsonrpc": "2.0"`)
	case m.Method == nil && m.Result == nil && m.Error == nil:
		return no(invalidRequest, "a message has a method, a result or an error")
	}
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		return no(invalidRequest, "the line is no message of JSON-RPC 2.0")
	}
	if m.Method != nil && *m.Method == subscribe {
		return amiss(line, nil)
	}
	return nil, nil
}

// refuse answers a message that is not passed on. An answer that cannot be written is the connection's end, which the SDK sees
// itself.
func (f *frames) refuse(id json.RawMessage, problem *jsonrpc.Error) {
	_ = f.out.refuse(append(refusing(id, problem), '\n'))
}

// refusing is the answer to a message that is not passed on.
func refusing(id json.RawMessage, problem *jsonrpc.Error) []byte {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": problem}) // of JSON
	return body
}

// lines lets several write whole lines to one stream, and knows what is still to be answered on it.
type lines struct {
	mu   sync.Mutex
	to   io.WriteCloser
	owed int
	paid chan struct{} // closed when nothing is owed any more; nil: nobody waits
}

// answersWait is how long a client that has hung up is still answered: who sends a file of requests hangs up at its end.
const answersWait = time.Minute

// Write writes one message.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if id, method := addressed(p); id && !method {
		l.settle(1)
	}
	return l.put(p)
}

// refuse writes the answer to a message that was not passed on: none was owed for it, whatever id it names.
func (l *lines) refuse(p []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.put(p)
	return err
}

func (l *lines) put(p []byte) (int, error) {
	n, err := l.to.Write(p)
	if err != nil {
		l.settle(l.owed) // nobody reads
	}
	return n, err
}

// Close closes the stream.
func (l *lines) Close() error { return l.to.Close() }

// expect notes a request.
func (l *lines) expect(message []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if id, method := addressed(message); id && method {
		l.owed++
	}
}

func (l *lines) settle(n int) {
	if l.owed = max(0, l.owed-n); l.owed == 0 && l.paid != nil {
		close(l.paid)
		l.paid = nil
	}
}

// drain waits until all is answered.
func (l *lines) drain(limit time.Duration) {
	l.mu.Lock()
	if l.owed == 0 {
		l.mu.Unlock()
		return
	}
	paid := make(chan struct{})
	l.paid = paid
	l.mu.Unlock()
	select {
	case <-paid:
	case <-time.After(limit):
	}
}

// addressed says whether a message has an id, and a method.
func addressed(message []byte) (id, method bool) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	err := json.Unmarshal(message, &m)
	return err == nil && len(m.ID) > 0 && string(m.ID) != "null", m.Method != ""
}
