package render

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// errGone is the end of the connection to the browser.
var errGone = errors.New("the browser went away")

// A link speaks the DevTools protocol over two pipes: JSON messages, each ended by a zero byte. There is no port that a
// page could connect to. Sessions are told apart by their id, so that workers and frames can be held before they make
// their first request; a message longer than the limit, which only a page can cause, is passed over.
type link struct {
	w     io.Writer
	limit int64
	event func(l *link, e message) // called for each event, in order, by the one goroutine that reads
	gone  chan struct{}            // closed when nothing can be read any more

	writing sync.Mutex // held for one whole message
	mu      sync.Mutex // guards the rest
	calls   int
	pending map[int]chan message
}

// A message is a command, its reply or an event.
type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// params are the parameters of a command.
type params map[string]any

func newLink(r io.Reader, w io.Writer, limit int64, event func(*link, message)) *link {
	l := &link{w: w, limit: limit, event: event, gone: make(chan struct{}), pending: map[int]chan message{}}
	go l.read(r)
	return l
}

// send gives a command and does not wait for its reply.
func (l *link) send(session, method string, p params) error {
	l.mu.Lock()
	l.calls++
	id := l.calls
	l.mu.Unlock()
	return l.write(id, session, method, p)
}

// call gives a command and reads its result, which may be nil.
func (l *link) call(ctx context.Context, session, method string, p params, result any) error {
	reply := make(chan message, 1)
	l.mu.Lock()
	l.calls++
	id := l.calls
	l.pending[id] = reply
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		delete(l.pending, id)
		l.mu.Unlock()
	}()
	if err := l.write(id, session, method, p); err != nil {
		return err
	}
	select {
	case m := <-reply:
		if m.Error != nil {
			return fmt.Errorf("the browser refused %s: %s", method, m.Error.Message)
		}
		if result == nil {
			return nil
		}
		if err := json.Unmarshal(m.Result, result); err != nil {
			return fmt.Errorf("the browser's answer to %s: %w", method, err)
		}
		return nil
	case <-l.gone:
		return errGone
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *link) write(id int, session, method string, p params) error {
	if p == nil {
		p = params{}
	}
	body, err := json.Marshal(struct {
		ID      int    `json:"id"`
		Session string `json:"sessionId,omitempty"`
		Method  string `json:"method"`
		Params  params `json:"params"`
	}{id, session, method, p})
	if err != nil {
		return fmt.Errorf("encode %s: %w", method, err)
	}
	l.writing.Lock()
	defer l.writing.Unlock()
	if _, err := l.w.Write(append(body, 0)); err != nil {
		return errGone
	}
	return nil
}

// read passes messages on until the pipe ends.
func (l *link) read(r io.Reader) {
	defer close(l.gone)
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		raw, err := frame(in, l.limit)
		if err != nil {
			return
		}
		var m message
		if len(raw) == 0 || json.Unmarshal(raw, &m) != nil {
			continue
		}
		if m.Method != "" {
			l.event(l, m)
			continue
		}
		l.mu.Lock()
		reply := l.pending[m.ID]
		delete(l.pending, m.ID)
		l.mu.Unlock()
		if reply != nil {
			reply <- m
		}
	}
}

// frame reads up to a zero byte, which is not returned. What is longer than limit is passed over and comes back empty.
func frame(in *bufio.Reader, limit int64) ([]byte, error) {
	var raw []byte
	for over := false; ; {
		part, err := in.ReadSlice(0)
		if over = over || int64(len(raw)+len(part)) > limit+1; over {
			raw = nil
		} else {
			raw = append(raw, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return nil, err
		case over:
			return nil, nil
		default:
			return raw[:len(raw)-1], nil
		}
	}
}
