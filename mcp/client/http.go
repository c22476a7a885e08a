package client

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"
)

// An exchange makes the requests to a server over HTTP: it adds the headers that are meant for it, bounds what comes, and
// listens.
type exchange struct {
	c    Config
	conn *connection
	base http.RoundTripper
}

func newExchange(c Config, conn *connection) *exchange {
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.MaxResponseHeaderBytes = 64 << 10
	return &exchange{c, conn, base}
}

// CloseIdleConnections is what [http.Client.CloseIdleConnections] calls.
func (x *exchange) CloseIdleConnections() { x.base.(*http.Transport).CloseIdleConnections() }

// RoundTrip is part of [http.RoundTripper].
func (x *exchange) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.GetBody != nil {
		body, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		message, err := io.ReadAll(body)
		if err != nil {
			return nil, err
		}
		x.conn.tape.sent(message)
	}
	r = r.Clone(r.Context())
	for name, value := range x.c.Headers {
		r.Header.Set(name, value)
	}
	resp, err := x.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	heard := &body{ReadCloser: resp.Body, tape: x.conn.tape, most: x.c.MaxBytes, limit: x.c.MaxBytes, stream: kind == "text/event-stream"}
	if heard.stream {
		heard.limit *= answers
	}
	resp.Body = heard
	return resp, nil
}

// A body is what a server answers: one message, or a stream of them.
type body struct {
	io.ReadCloser
	tape   *tape
	stream bool
	most   int // bytes of a message
	limit  int // bytes of all of it
	read   int
	line   []byte // of a stream, that is not at its end
	data   []byte // of the event, or of the message
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.read += n; b.read > b.limit {
		return 0, fmt.Errorf("it sent more than %d bytes", b.limit)
	}
	if b.stream {
		b.events(p[:n])
	} else {
		b.data = append(b.data, p[:n]...)
	}
	if err == io.EOF {
		b.flush()
	}
	return n, err
}

// events collects the data of a stream's events.
func (b *body) events(p []byte) {
	for len(p) > 0 {
		part, rest, ended := bytes.Cut(p, []byte{'\n'})
		if p = rest; len(b.line)+len(part) <= b.most {
			b.line = append(b.line, part...)
		}
		if !ended {
			return
		}
		line := bytes.TrimSuffix(b.line, []byte{'\r'})
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok && len(b.data)+len(data) <= b.most {
			b.data = append(append(b.data, bytes.TrimPrefix(data, []byte{' '})...), '\n')
		}
		if len(line) == 0 {
			b.flush()
		}
		b.line = b.line[:0]
	}
}

func (b *body) flush() {
	if message := bytes.TrimSpace(b.data); len(message) > 0 {
		b.tape.received(message)
	}
	b.data = b.data[:0]
}
