package fetch

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// tlsServers are not sure to be who they say.
func tlsServers(t *testing.T) []hostileServer {
	good, roots := testCertificate(t, time.Now().Add(time.Hour), "a.example")
	foreign, _ := testCertificate(t, time.Now().Add(time.Hour), "a.example")
	old, oldRoots := testCertificate(t, time.Now().Add(-time.Hour), "a.example")
	other, otherRoots := testCertificate(t, time.Now().Add(time.Hour), "b.example")
	with := func(c tls.Certificate) *tls.Config { return &tls.Config{Certificates: []tls.Certificate{c}} }
	text := says(bodied("", "text"))
	ancient := with(good)
	ancient.MinVersion, ancient.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	return []hostileServer{
		{name: "TLS", check: is("text"), tls: with(good), roots: roots, serve: text},
		{name: "TLS, less than it declares", code: faultShortBody, tls: with(good), roots: roots, serve: says(ok200, "Content-Length: 900\r\n\r\ntext")},
		{name: "TLS, a length and chunks", code: faultHTTP, tls: with(good), roots: roots, serve: says(ok200, "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ntext\r\n0\r\n\r\n")},
		{name: "TLS, cut without a farewell", code: faultShortBody, tls: with(good), roots: roots, serve: func(c net.Conn) {
			says(ok200, "\r\ntext")(c)
			c.(*tls.Conn).NetConn().Close()
		}},
		{name: "a certificate of its own", code: faultTLS, tls: with(foreign), roots: roots, serve: text},
		{name: "a certificate that has expired", code: faultTLS, tls: with(old), roots: oldRoots, serve: text},
		{name: "a certificate for another name", code: faultTLS, tls: with(other), roots: otherRoots, serve: text},
		{name: "TLS 1.0 only", code: faultTLS, tls: ancient, roots: roots, serve: text},
		{name: "plain HTTP where TLS should be", code: faultTLS, tls: with(good), roots: roots, raw: true, serve: text},
		{name: "rubbish where TLS should be", code: faultTLS, tls: with(good), roots: roots, raw: true, serve: says(strings.Repeat("\x16\x03\x03\xff", 100))},
		{name: "a TLS record without end", code: faultTLS, tls: with(good), roots: roots, raw: true, serve: func(c net.Conn) { forever(c, bytes.Repeat([]byte("\x16\x03\x03\x00\x04\x01\x00\x00\x00"), 400)) }},
		{name: "hangs up before TLS", code: faultTLS, tls: with(good), roots: roots, raw: true, serve: func(net.Conn) {}},
		{name: "never answers TLS", code: faultTimeout, slow: true, tls: with(good), roots: roots, raw: true, serve: quiet},
	}
}

// An h2Stream is the server's side of the one stream of an HTTP/2 connection.
type h2Stream struct {
	*http2.Framer
	id uint32
}

// headers packs fields as a header block.
func (h2Stream) headers(fields ...string) []byte {
	var b bytes.Buffer
	e := hpack.NewEncoder(&b)
	for i := 0; i < len(fields); i += 2 {
		e.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	return b.Bytes()
}

func (s h2Stream) answer(end bool, fields ...string) error {
	return s.WriteHeaders(http2.HeadersFrameParam{StreamID: s.id, BlockFragment: s.headers(fields...), EndHeaders: true, EndStream: end})
}

// h2Serve reads the preface and requests, and answers each by f, until f or the connection ends.
func h2Serve(f func(h2Stream) error) func(net.Conn) {
	return func(c net.Conn) {
		preface := make([]byte, len(http2.ClientPreface))
		if _, err := io.ReadFull(c, preface); err != nil {
			return
		}
		framer := http2.NewFramer(c, c)
		if framer.WriteSettings() != nil {
			return
		}
		for {
			frame, err := framer.ReadFrame()
			if err != nil {
				return
			}
			if h, ok := frame.(*http2.HeadersFrame); ok {
				if f(h2Stream{framer, h.StreamID}) != nil {
					return
				}
			}
		}
	}
}

// until repeats a step until it fails.
func until(step func() error) error {
	for {
		if err := step(); err != nil {
			return err
		}
	}
}

// h2Servers misuse the frames of HTTP/2.
func h2Servers(t *testing.T) []hostileServer {
	cert, roots := testCertificate(t, time.Now().Add(time.Hour), "a.example")
	h2 := func(name, code string, f func(h2Stream) error) hostileServer {
		return hostileServer{name: "HTTP/2, " + name, code: code, roots: roots, serve: h2Serve(f), check: is("text"),
			tls: &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"h2"}}}
	}
	slow := func(h hostileServer) hostileServer { h.slow = true; return h }
	list := []hostileServer{
		h2("a page", "", func(s h2Stream) error {
			s.answer(false, ":status", "200", "content-length", "4")
			return s.WriteData(s.id, true, []byte("text"))
		}),
		h2("every stream is reset", faultHTTP, func(s h2Stream) error { return s.WriteRSTStream(s.id, http2.ErrCodeInternal) }),
		h2("every stream is refused", faultHTTP, func(s h2Stream) error { return s.WriteRSTStream(s.id, http2.ErrCodeRefusedStream) }),
		h2("it goes away", faultHTTP, func(s h2Stream) error { return s.WriteGoAway(0, http2.ErrCodeNo, nil) }),
		h2("a flood of continuations", faultHeader, func(s h2Stream) error {
			s.WriteHeaders(http2.HeadersFrameParam{StreamID: s.id, BlockFragment: s.headers(":status", "200")})
			field := s.headers("x-a", strings.Repeat("b", 8000))
			return until(func() error { return s.WriteContinuation(s.id, false, field) })
		}),
		h2("11 MB of headers", faultHeader, func(s h2Stream) error {
			s.WriteHeaders(http2.HeadersFrameParam{StreamID: s.id, BlockFragment: s.headers(":status", "200")})
			field := s.headers("x-a", strings.Repeat("b", 8000))
			for range 1400 {
				s.WriteContinuation(s.id, false, field)
			}
			return s.WriteContinuation(s.id, true, nil)
		}),
		h2("a header that unpacks to 4 MB", faultHeader, func(s h2Stream) error {
			block := append(s.headers(":status", "200", "x-a", strings.Repeat("b", 4000)), bytes.Repeat([]byte{0x80 | 62}, 1000)...)
			return s.WriteHeaders(http2.HeadersFrameParam{StreamID: s.id, BlockFragment: block, EndHeaders: true})
		}),
		h2("a flood of interim answers", faultHeader, func(s h2Stream) error {
			return until(func() error { return s.answer(false, ":status", "103", "link", strings.Repeat("a", 100)) })
		}),
		h2("less than it declares", faultShortBody, func(s h2Stream) error {
			s.answer(false, ":status", "200", "content-length", "900")
			return s.WriteData(s.id, true, []byte("text"))
		}),
		h2("more than it declares", faultShortBody, func(s h2Stream) error {
			s.answer(false, ":status", "200", "content-length", "2")
			return s.WriteData(s.id, true, []byte("text"))
		}),
		h2("two lengths", faultHTTP, func(s h2Stream) error {
			s.answer(false, ":status", "200", "content-length", "4", "content-length", "5")
			return s.WriteData(s.id, true, []byte("text"))
		}),
		h2("a reset inside the body", faultShortBody, func(s h2Stream) error {
			s.answer(false, ":status", "200")
			s.WriteData(s.id, false, []byte("text"))
			return s.WriteRSTStream(s.id, http2.ErrCodeInternal)
		}),
		h2("a body before its header", faultHTTP, func(s h2Stream) error { return s.WriteData(s.id, true, []byte("text")) }),
		h2("no status", faultHTTP, func(s h2Stream) error { return s.answer(true, "x-status", "200") }),
		slow(h2("pings and no answer", faultTimeout, func(s h2Stream) error {
			for range 1000 {
				s.WritePing(false, [8]byte{})
			}
			return nil
		})),
		h2("a page nobody asked for", faultHTTP, func(s h2Stream) error {
			return s.WritePushPromise(http2.PushPromiseParam{StreamID: s.id, PromiseID: 2, BlockFragment: s.headers(":method", "GET", ":scheme", "https", ":authority", "a.example", ":path", "/"), EndHeaders: true})
		}),
		slow(h2("settings without end", faultTimeout, func(s h2Stream) error {
			for range 1000 {
				s.WriteSettings(http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 1})
			}
			return nil
		})),
		slow(h2("silence", faultTimeout, func(s h2Stream) error { return nil })),
		slow(h2("a body that drips", faultTimeout, func(s h2Stream) error {
			s.answer(false, ":status", "200", "content-length", "9000")
			for i := range 9000 {
				time.Sleep(10 * time.Millisecond)
				if err := s.WriteData(s.id, false, []byte(strconv.Itoa(i%10))); err != nil {
					return err
				}
			}
			return nil
		})),
	}
	for i := range list {
		list[i].after = func(t *testing.T, run *hostileRun) {
			if run.conns != 1 {
				t.Errorf("%d connections", run.conns)
			}
		}
	}
	return list
}
