package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const headerTimeout = 20 * time.Second // for the answer's header, once it was asked for

// A wire carries one request and its answer over one connection of its own, which is closed behind it: nothing is left
// that a later answer could be mixed up with, and nothing outlives the exchange.
type wire struct {
	client *Client
	ctx    context.Context // of the exchange; the transport dials in a context that outlives it
	limit  int64           // bytes to read from the connection, everything counted

	mu    sync.Mutex
	conn  *meteredConn   // the one connection
	began int64          // bytes that it had read when HTTP/2 began on it
	head  *headConn      // of HTTP/1
	fault *exchangeFault // the first that the connection found
	ended bool
}

// roundTrip sends the request and reads the answer's head.
func (w *wire) roundTrip(req *http.Request) (*http.Response, *exchangeFault) {
	tr := &http.Transport{
		DialContext:            func(_ context.Context, _, addr string) (net.Conn, error) { return w.dialPlain(addr) },
		DialTLSContext:         func(_ context.Context, _, addr string) (net.Conn, error) { return w.dialTLS(addr) },
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{MaxReceiveBufferPerConnection: 1 << 20, MaxReceiveBufferPerStream: 1 << 20},
		DisableKeepAlives:      true,
		DisableCompression:     true,          // the body reader decodes, within its limits
		MaxResponseHeaderBytes: 2 * maxHeader, // a headConn's limit comes first
		ResponseHeaderTimeout:  headerTimeout,
	}
	resp, err := tr.RoundTrip(req)
	if err != nil {
		return nil, w.why(err)
	}
	return resp, nil
}

// close ends the connection, also one that is still being made.
func (w *wire) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	if w.head != nil {
		w.head.Close()
	}
	if w.conn != nil {
		w.conn.Close()
	}
}

// surplus says whether more came than the length that was declared.
func (w *wire) surplus(declared int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.head != nil && w.head.length && declared >= 0 && w.head.body.Load() > declared
}

// cut says whether a body that lasts until the connection ends was ended by somebody other than the server: TLS would
// have said farewell (RFC 8446, section 6.1).
func (w *wire) cut(answer *http.Response) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.head == nil || answer.ContentLength >= 0 || len(answer.TransferEncoding) > 0 {
		return false
	}
	_, secure := w.head.Conn.(*tls.Conn)
	return secure && w.conn.ended.Load()
}

var (
	errSecondDial = errors.New("an exchange has one connection")
	errWireEnded  = errors.New("the exchange has ended")
)

func (w *wire) dialRaw(addr string) (*meteredConn, error) {
	to, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	number, err := netip.ParseAddrPort("0.0.0.0:" + port)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	again := w.conn != nil
	w.mu.Unlock()
	if again {
		return nil, errSecondDial
	}
	conn, err := w.client.dial(w.ctx, to, number.Port())
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		conn.Close()
		return nil, errWireEnded
	}
	w.conn = &meteredConn{Conn: conn, limit: w.limit, found: w.found}
	return w.conn, nil
}

func (w *wire) dialPlain(addr string) (net.Conn, error) {
	conn, err := w.dialRaw(addr)
	if err != nil {
		return nil, err
	}
	return w.watch(conn), nil
}

func (w *wire) dialTLS(addr string) (net.Conn, error) {
	raw, err := w.dialRaw(addr)
	if err != nil {
		return nil, err
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(w.ctx, connectTimeout)
	defer cancel()
	conn := tls.Client(raw, &tls.Config{ServerName: host, RootCAs: w.client.roots, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}})
	if err := conn.HandshakeContext(ctx); err != nil {
		raw.Close()
		if !isTimeout(err) {
			err = failedFault(faultTLS, "no trusted connection could be made: %s", tlsReason(err))
		}
		return nil, err
	}
	if conn.ConnectionState().NegotiatedProtocol == "h2" {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.began = raw.read.Load()
		return conn, nil // its frames say how long things are
	}
	return w.watch(conn), nil
}

func (w *wire) watch(conn net.Conn) *headConn {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.head = &headConn{Conn: conn, asked: make(chan struct{}), found: w.found}
	return w.head
}

func (w *wire) found(fault *exchangeFault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fault == nil {
		w.fault = fault
	}
}

// why tells what an error of the transport comes from.
func (w *wire) why(err error) *exchangeFault {
	w.mu.Lock()
	defer w.mu.Unlock()
	var fault *exchangeFault
	var op *net.OpError
	switch {
	case w.fault != nil:
		return w.fault
	case errors.As(err, &fault):
		return fault
	case w.ctx.Err() != nil, isTimeout(err):
		return failedFault(faultTimeout, "it did not answer in time")
	case errors.As(err, &op) && op.Op == "dial":
		return failedFault(faultConnect, "no connection: %v", op.Err)
	case w.began > 0 && (w.conn.read.Load()-w.began > maxHeader || strings.Contains(err.Error(), "header list larger")): // HTTP/2
		return largeFault(faultHeader, "its header is larger than %d bytes", maxHeader)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) {
		return failedFault(faultHTTP, "it closed the connection without a whole answer")
	}
	return failedFault(faultHTTP, "what it answered is no valid HTTP")
}

func isTimeout(err error) bool {
	var e net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &e) && e.Timeout()
}

// tlsReason says what was wrong, in no word of the server's.
func tlsReason(err error) string {
	var name x509.HostnameError
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &name):
		return "its certificate is for another host"
	case errors.As(err, &unknown):
		return "its certificate is signed by nobody who is trusted"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "its certificate has expired"
	case errors.As(err, &invalid):
		return "its certificate is not valid for this"
	}
	return "it does not speak TLS 1.2 or newer properly"
}

// A meteredConn reads no more than it may.
type meteredConn struct {
	net.Conn
	limit int64
	read  atomic.Int64
	ended atomic.Bool // the other side hung up
	found func(*exchangeFault)
}

func (c *meteredConn) Read(p []byte) (int, error) {
	left := c.limit - c.read.Load()
	if left <= 0 {
		fault := largeFault(faultTooLarge, "it sends more bytes than its text could need")
		c.found(fault)
		return 0, fault
	}
	if int64(len(p)) > left {
		p = p[:left]
	}
	n, err := c.Conn.Read(p)
	c.read.Add(int64(n))
	if err == io.EOF {
		c.ended.Store(true)
	}
	return n, err
}
