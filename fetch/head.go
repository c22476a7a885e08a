package fetch

import (
	"bytes"
	"net"
	"strings"
	"sync"
	"sync/atomic"
)

const (
	maxHeader  = 64 << 10 // bytes before the body
	maxInterim = 16       // 1xx answers before the answer
)

// A headConn looks at the head of the one HTTP/1 answer that a connection carries, before net/http reads it: what
// net/http would mend silently is refused, since the next program could read it otherwise (RFC 9112, section 6.3).
//
// It answers nothing before it was asked: what a server says first would be written to the log by net/http.
type headConn struct {
	net.Conn
	asked   chan struct{} // closed when the request is on its way, or the connection closed
	once    sync.Once
	head    []byte // of the answer, as far as it is here
	line    int    // where the line that is read begins in it
	done    bool
	interim int
	length  bool         // a Content-Length is declared
	body    atomic.Int64 // bytes behind the head
	found   func(*exchangeFault)
}

func (c *headConn) Write(p []byte) (int, error) {
	c.once.Do(func() { close(c.asked) })
	return c.Conn.Write(p)
}

func (c *headConn) Close() error {
	c.once.Do(func() { close(c.asked) })
	return c.Conn.Close()
}

func (c *headConn) Read(p []byte) (int, error) {
	<-c.asked
	n, err := c.Conn.Read(p)
	if c.done {
		c.body.Add(int64(n))
		return n, err
	}
	if fault := c.feed(p[:n]); fault != nil {
		c.found(fault)
		return 0, fault
	}
	return n, err
}

// feed reads on in the head until its empty line.
func (c *headConn) feed(b []byte) *exchangeFault {
	c.head = append(c.head, b...)
	for !c.done {
		end := bytes.IndexByte(c.head[c.line:], '\n')
		if end < 0 {
			break
		}
		line := bytes.TrimSuffix(c.head[c.line:c.line+end], []byte("\r"))
		c.line += end + 1
		if len(line) > 0 {
			continue
		}
		if fault := c.finish(); fault != nil {
			return fault
		}
	}
	if len(c.head) > maxHeader && !c.done {
		return largeFault(faultHeader, "its header is larger than %d bytes", maxHeader)
	}
	return nil
}

// finish looks at a whole head. An interim answer is followed by another head.
func (c *headConn) finish() *exchangeFault {
	head, rest := string(c.head[:c.line]), c.head[c.line:]
	if len(head) > maxHeader {
		return largeFault(faultHeader, "its header is larger than %d bytes", maxHeader)
	}
	status, fields, _ := strings.Cut(head, "\n")
	if _, code, _ := strings.Cut(status, " "); strings.HasPrefix(code, "1") && !strings.HasPrefix(code, "101") {
		if c.interim++; c.interim > maxInterim {
			return failedFault(faultHTTP, "it sent more than %d interim answers and no answer", maxInterim)
		}
		c.head, c.line = append([]byte(nil), rest...), 0
		return nil
	}
	lengths, chunked := 0, false
	for field := range strings.SplitSeq(fields, "\n") {
		name, _, _ := strings.Cut(field, ":")
		switch {
		case strings.HasPrefix(name, " "), strings.HasPrefix(name, "\t"): // goes on with the value before
		case strings.HasSuffix(name, " "), strings.HasSuffix(name, "\t"):
			return failedFault(faultHTTP, "its header holds a name that programs read differently")
		case strings.EqualFold(name, "Content-Length"):
			lengths++
		case strings.EqualFold(name, "Transfer-Encoding"):
			chunked = true
		}
	}
	if lengths > 1 || lengths == 1 && chunked {
		return failedFault(faultHTTP, "its header declares more than one length")
	}
	c.done, c.length, c.head = true, lengths == 1, nil
	c.body.Store(int64(len(rest)))
	return nil
}
