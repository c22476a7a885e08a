package fetch

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// A scriptConn is a connection that holds what the other side says, in pieces.
type scriptConn struct {
	net.Conn
	rest  []byte
	piece int
}

func (c *scriptConn) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), c.piece)], c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

func (c *scriptConn) Write(p []byte) (int, error) { return len(p), nil }
func (c *scriptConn) Close() error                { return nil }

// headOf reads an answer in pieces, and returns what was passed on and why it ended.
func headOf(answer []byte, piece int) ([]byte, *exchangeFault) {
	var fault *exchangeFault
	c := &headConn{Conn: &scriptConn{rest: answer, piece: piece}, asked: make(chan struct{}), found: func(f *exchangeFault) { fault = f }}
	c.Write(nil)
	got, err := io.ReadAll(c)
	if err != nil && !errors.As(err, &fault) {
		panic(err)
	}
	return got, fault
}

// The head means the same in whatever pieces it comes, passes unchanged, and what passes declares one length to net/http.
func FuzzHead(f *testing.F) {
	for _, list := range [][]hostileServer{headServers(), framingServers(), statusServers()} {
		for _, h := range list {
			if h.slow || h.raw || strings.Contains(h.name, "end") || strings.Contains(h.name, "MB") || strings.Contains(h.name, "flood") {
				continue
			}
			ours, theirs := net.Pipe()
			go func() { h.serve(theirs); theirs.Close() }()
			answer, err := io.ReadAll(io.LimitReader(ours, 8<<10))
			ours.Close()
			if err == nil {
				f.Add(answer)
			}
		}
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		if len(answer) > maxHeader {
			return
		}
		whole, fault := headOf(answer, len(answer)+1)
		if _, same := headOf(answer, 1); codeOf(same) != codeOf(fault) {
			t.Fatalf("byte by byte %v, whole %v", same, fault)
		}
		if fault != nil {
			return
		}
		if !bytes.Equal(whole, answer) {
			t.Fatalf("%d bytes of %d were passed on", len(whole), len(answer))
		}
		r := bufio.NewReader(bytes.NewReader(answer))
		for range maxInterim + 1 {
			resp, err := http.ReadResponse(r, nil)
			if err != nil {
				return
			}
			if resp.StatusCode/100 == 1 && resp.StatusCode != 101 {
				continue
			}
			lower := bytes.ToLower(answer)
			if len(resp.TransferEncoding) > 0 && bytes.Count(lower, []byte("\ncontent-length:")) > 0 && bytes.Index(lower, []byte("\ncontent-length:")) < bytes.Index(lower, []byte("\n\r\n")) {
				t.Fatalf("a length and chunks pass: %q", answer)
			}
			if len(resp.Header["Content-Length"]) > 1 {
				t.Fatalf("two lengths pass: %q", answer)
			}
			return
		}
		t.Fatalf("more than %d interim answers pass", maxInterim)
	})
}

// Whatever bytes are said to be encoded, decoding ends, with no more than the limit.
func FuzzBody(f *testing.F) {
	for name, body := range packed() {
		if coding, _, _ := strings.Cut(name, " "); len(body) < 4<<10 {
			f.Add(coding, []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, coding string, data []byte) {
		if coding != "gzip" && coding != "br" && coding != "zstd" && coding != "" {
			return
		}
		const limit = 256 << 10
		body, err := decodeBody(coding, &wireBody{r: bytes.NewReader(data), left: limit}, limit)
		if len(body) > limit || err != nil && body != nil {
			t.Fatalf("%d bytes, %v", len(body), err)
		}
		if coding == "" && len(data) <= limit && !bytes.Equal(body, data) {
			t.Fatal("the body is not what was sent")
		}
	})
}
