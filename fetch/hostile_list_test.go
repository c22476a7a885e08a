package fetch

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

const (
	ok200   = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
	chunked = ok200 + "Transfer-Encoding: chunked\r\n\r\n"
)

// bodied is an answer with a body of the right length.
func bodied(header, body string) string {
	return fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", ok200+header, len(body), body)
}

// packed are compressed bodies, made once.
var packed = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	noise := func(size int) []byte { // compresses to less than its size, and to more than a bomb
		b := make([]byte, size)
		state := uint32(1)
		for i := 0; i < size; i += 20 {
			state = state*1664525 + 1013904223
			b[i] = byte(state >> 24)
		}
		return b
	}
	text := []byte(strings.Repeat("The tide turned at noon. ", 40))
	for name, data := range map[string][]byte{"bomb": make([]byte, 4<<20), "ratio": make([]byte, 1536<<10), "text": text, "page": noise(MaxHTML + 1)} {
		var g, b, z bytes.Buffer
		gw, err := gzip.NewWriterLevel(&g, gzip.BestSpeed)
		zw, zerr := zstd.NewWriter(&z, zstd.WithWindowSize(8<<20), zstd.WithEncoderLevel(zstd.SpeedFastest))
		if err != nil || zerr != nil {
			panic(fmt.Sprint(err, zerr))
		}
		for _, w := range []io.WriteCloser{gw, brotli.NewWriterOptions(&b, brotli.WriterOptions{Quality: 2, LGWin: 22}), zw} {
			if _, err := w.Write(data); err != nil {
				panic(err)
			}
			if err := w.Close(); err != nil {
				panic(err)
			}
		}
		m["gzip "+name], m["br "+name], m["zstd "+name] = g.String(), b.String(), z.String()
	}
	m["gzip file"], m["zstd file"] = strings.Repeat(m["gzip page"], 2), strings.Repeat(m["zstd page"], 2)
	var file, wide bytes.Buffer
	w := brotli.NewWriterOptions(&file, brotli.WriterOptions{Quality: 0, LGWin: 22})
	page := noise(MaxHTML)
	for range 2 {
		w.Write(page)
	}
	w.Close()
	m["br file"] = file.String()
	w = brotli.NewWriterOptions(&wide, brotli.WriterOptions{Quality: 2, LGWin: 23})
	w.Write(text)
	w.Close()
	m["br wide"] = wide.String()
	var empty bytes.Buffer
	gzip.NewWriter(&empty).Close()
	m["gzip empty"] = empty.String()
	return m
})

func is(text string) func(*testing.T, *Response) {
	return func(t *testing.T, r *Response) {
		t.Helper()
		if string(r.Body) != text {
			t.Errorf("body %.60q of %d bytes, want %.60q", r.Body, len(r.Body), text)
		}
	}
}

func hostileServers(t *testing.T) []hostileServer {
	return slicesOf(silentServers(), headServers(), framingServers(), encodingServers(), statusServers(), tlsServers(t), h2Servers(t))
}

func slicesOf(lists ...[]hostileServer) (all []hostileServer) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// silentServers do not come to an end, or to a beginning.
func silentServers() []hostileServer {
	big := bytes.Repeat([]byte("x"), 32<<10)
	return []hostileServer{
		{name: "never answers", code: faultTimeout, slow: true, serve: quiet},
		{name: "never reads", code: faultTimeout, slow: true, raw: true, ask: Request{Method: "POST", Body: make([]byte, 8<<20)}, serve: func(net.Conn) { time.Sleep(2 * hostileTime) }},
		{name: "drips its header", code: faultTimeout, slow: true, serve: func(c net.Conn) { drip(c, ok200+strings.Repeat("X-A: b\r\n", 1000)) }},
		{name: "drips its body", code: faultTimeout, slow: true, serve: func(c net.Conn) { says(ok200, "Content-Length: 100000\r\n\r\n")(c); drip(c, "drip ") }},
		{name: "drips chunks", code: faultTimeout, slow: true, serve: func(c net.Conn) { says(chunked)(c); drip(c, "1\r\nx\r\n") }},
		{name: "drips interim answers", code: faultTimeout, slow: true, serve: func(c net.Conn) { drip(c, "HTTP/1.1 102 Processing\r\n\r\n") }},
		{name: "falls silent after its header", code: faultTimeout, slow: true, serve: func(c net.Conn) { says(ok200, "Content-Length: 5\r\n\r\n")(c); quiet(c) }},
		{name: "falls silent inside a chunk", code: faultTimeout, slow: true, serve: func(c net.Conn) { says(chunked, "5\r\nab")(c); quiet(c) }},
		{name: "falls silent before the last chunk", code: faultTimeout, slow: true, serve: func(c net.Conn) { says(chunked, "5\r\nabcde\r\n")(c); quiet(c) }},
		{name: "falls silent inside a bomb", code: faultTimeout, slow: true, serve: func(c net.Conn) {
			says(ok200, "Content-Encoding: br\r\nContent-Length: 900\r\n\r\n", packed()["br text"][:20])(c)
			quiet(c)
		}},
		{name: "redirects slowly for ever", code: faultTimeout, slow: true, ask: Request{Redirects: 1000}, serve: func() func(net.Conn) {
			n := 0
			return func(c net.Conn) {
				time.Sleep(30 * time.Millisecond)
				n++
				says(fmt.Sprintf("HTTP/1.1 302 Found\r\nLocation: /%d\r\nContent-Length: 0\r\n\r\n", n))(c)
			}
		}()},
		{name: "hangs up at once", code: faultHTTP, raw: true, serve: func(net.Conn) {}},
		{name: "hangs up after the request", code: faultHTTP, serve: func(net.Conn) {}},
		{name: "resets the connection", code: faultHTTP, serve: reset},
		{name: "does not listen", code: faultConnect, raw: true, serve: func(net.Conn) {}, setup: func(_ *Client, l net.Listener) { l.Close() }},
		{name: "sends a body without end", code: faultTooLarge, serve: func(c net.Conn) { says(ok200, "\r\n")(c); forever(c, big) }},
		{name: "sends chunks without end", code: faultTooLarge, serve: func(c net.Conn) { says(chunked)(c); forever(c, []byte("8000\r\n"+string(big)+"\r\n")) }},
		{name: "sends tiny chunks without end", code: faultTooLarge, ask: Request{MaxBody: 64 << 10}, serve: func(c net.Conn) { says(chunked)(c); forever(c, bytes.Repeat([]byte("1\r\nx\r\n"), 4096)) }},
		{name: "sends a file without end", code: faultTooLarge, ask: Request{MaxBody: MaxFile}, serve: func(c net.Conn) { says(ok200, "\r\n")(c); forever(c, big) }},
		{name: "sends noise", code: faultHeader, serve: func(c net.Conn) { forever(c, []byte(strings.Repeat("\x00\xff\x01", 10000))) }},
	}
}

// headServers do odd things before the body.
func headServers() []hostileServer {
	letters, fields := bytes.Repeat([]byte("a"), 64<<10), bytes.Repeat([]byte("X-A: b\r\n"), 8<<10)
	return []hostileServer{
		{name: "one header of 11 MB", code: faultHeader, serve: func(c net.Conn) {
			says(ok200, "X-A: ")(c)
			for range 11 << 4 {
				c.Write(letters)
			}
			says("\r\n\r\n")(c)
		}},
		{name: "11 MB of headers", code: faultHeader, serve: func(c net.Conn) {
			says(ok200)(c)
			for range 11 << 4 {
				c.Write(fields)
			}
			says("\r\n")(c)
		}},
		{name: "a header without end", code: faultHeader, serve: func(c net.Conn) { says(ok200, "X-A: ")(c); forever(c, bytes.Repeat([]byte("a"), 4096)) }},
		{name: "a status line without end", code: faultHeader, serve: func(c net.Conn) { says("HTTP/1.1 200 ")(c); forever(c, bytes.Repeat([]byte("a"), 4096)) }},
		{name: "100,000 interim answers", code: faultHTTP, serve: says(strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n", 100000), bodied("", "text"))},
		{name: "an interim answer of 1 MB", code: faultHeader, serve: says("HTTP/1.1 103 Early Hints\r\n", strings.Repeat("Link: </a.css>\r\n", 1<<16), "\r\n", bodied("", "text"))},
		{name: "two interim answers", check: is("text"), serve: says("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n", bodied("", "text"))},
		{name: "switches protocols", code: faultHTTP, serve: says("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n\x81\x04text")},
		{name: "speaks HTTP/0.9", code: faultHTTP, serve: says("<html><p>text</p></html>\n")},
		{name: "speaks SSH", code: faultHTTP, raw: true, serve: says("SSH-2.0-OpenSSH_9.6\r\n")},
		{name: "speaks SMTP", code: faultHTTP, raw: true, serve: says("220 mail.a.example ESMTP\r\n\r\n")},
		{name: "a status of words", code: faultHTTP, serve: says("HTTP/1.1 fine OK\r\nContent-Length: 4\r\n\r\ntext")},
		{name: "a NUL in a header", code: faultHTTP, serve: says(bodied("X-A: a\x00b\r\n", "text"))},
		{name: "a header without a colon", code: faultHTTP, serve: says(bodied("nonsense\r\n", "text"))},
		{name: "a space before the colon", code: faultHTTP, serve: says(ok200, "Content-Length : 2\r\n\r\ntext")},
		{name: "an empty header name", code: faultHTTP, serve: says(bodied(": a\r\n", "text"))},
		{name: "a folded header", check: is("text"), serve: says(bodied("X-A: a\r\n Content-Length: 2\r\n", "text"))},
		{name: "bare line feeds", check: is("text"), serve: says("HTTP/1.1 200 OK\nContent-Length: 4\n\ntext")},
		{name: "HTTP/1.0 to the end", check: is("text"), serve: says("HTTP/1.0 200 OK\r\n\r\ntext")},
		{name: "sets a cookie and redirects", check: is("no cookie"), ask: Request{URL: "http://a.example/set"}, raw: true, serve: func(c net.Conn) {
			b := make([]byte, 4096)
			n, _ := c.Read(b)
			switch req := string(b[:n]); {
			case strings.HasPrefix(req, "GET /set "):
				says("HTTP/1.1 302 Found\r\nSet-Cookie: id=1; Path=/\r\nLocation: /got\r\nContent-Length: 0\r\n\r\n")(c)
			case strings.Contains(strings.ToLower(req), "cookie"):
				says(bodied("", "a cookie"))(c)
			default:
				says(bodied("", "no cookie"))(c)
			}
		}},
	}
}

// framingServers are unclear about where the body ends.
func framingServers() []hostileServer {
	noLength := func(t *testing.T, r *Response) {
		t.Helper()
		if is("text")(t, r); !r.Surplus {
			t.Error("the surplus is not told")
		}
	}
	return []hostileServer{
		{name: "declares 10 GB", code: faultTooLarge, serve: says(ok200, "Content-Length: 10000000000\r\n\r\ntext")},
		{name: "declares more than a number holds", code: faultHTTP, serve: says(ok200, "Content-Length: 99999999999999999999\r\n\r\ntext")},
		{name: "declares less than nothing", code: faultHTTP, serve: says(ok200, "Content-Length: -4\r\n\r\ntext")},
		{name: "declares a sign", code: faultHTTP, serve: says(ok200, "Content-Length: +4\r\n\r\ntext")},
		{name: "declares a list", code: faultHTTP, serve: says(ok200, "Content-Length: 4, 4\r\n\r\ntext")},
		{name: "declares its length twice", code: faultHTTP, serve: says(ok200, "Content-Length: 4\r\nContent-Length: 4\r\n\r\ntext")},
		{name: "declares two lengths", code: faultHTTP, serve: says(ok200, "Content-Length: 4\r\ncontent-length: 2\r\n\r\ntext")},
		{name: "a length and chunks", code: faultHTTP, serve: says(ok200, "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ntext\r\n0\r\n\r\n")},
		{name: "chunks and a length", code: faultHTTP, serve: says(ok200, "Transfer-Encoding: chunked\r\nContent-Length: 14\r\n\r\n4\r\ntext\r\n0\r\n\r\n")},
		{name: "a length and chunks, in pieces", code: faultHTTP, serve: func(c net.Conn) {
			for _, part := range []string{ok200, "Content-Len", "gth: 4\r\nTransfer-", "Encoding: chunked\r", "\n\r\n4\r\ntext\r\n0\r\n\r\n"} {
				says(part)(c)
				time.Sleep(5 * time.Millisecond)
			}
		}},
		{name: "chunks that are also gzip", code: faultHTTP, serve: says(ok200, "Transfer-Encoding: gzip, chunked\r\n\r\n4\r\ntext\r\n0\r\n\r\n")},
		{name: "chunked twice", code: faultHTTP, serve: says(ok200, "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ntext\r\n0\r\n\r\n")},
		{name: "chunked in an odd spelling", code: faultHTTP, serve: says(ok200, "Transfer-Encoding: xchunked\r\n\r\n4\r\ntext\r\n0\r\n\r\n")},
		{name: "less than it declares", code: faultShortBody, serve: says(ok200, "Content-Length: 5000\r\n\r\n", strings.Repeat("x", 100))},
		{name: "a reset inside the body", code: faultShortBody, serve: func(c net.Conn) {
			says(ok200, "Content-Length: 5000\r\n\r\ntext")(c)
			time.Sleep(20 * time.Millisecond)
			reset(c)
		}},
		{name: "an end inside a chunk", code: faultShortBody, serve: says(chunked, "a\r\ntext")},
		{name: "an end before the last chunk", code: faultShortBody, serve: says(chunked, "4\r\ntext\r\n")},
		{name: "more than it declares", check: noLength, serve: says(ok200, "Content-Length: 4\r\n\r\ntext", strings.Repeat("and more ", 1000))},
		{name: "a second answer behind the first", check: noLength, serve: says(bodied("", "text"), bodied("", "other"))},
		{name: "a chunk size of letters", code: faultHTTP, serve: says(chunked, "zz\r\ntext\r\n0\r\n\r\n")},
		{name: "a chunk size without measure", code: faultHTTP, serve: says(chunked, "fffffffffffffffff\r\ntext\r\n0\r\n\r\n")},
		{name: "a chunk longer than its size", code: faultHTTP, serve: says(chunked, "2\r\ntext\r\n0\r\n\r\n")},
		{name: "chunk extensions", check: is("text"), serve: says(chunked, "4;a=b;c=\"d\"\r\ntext\r\n0\r\n\r\n")},
		{name: "a flood of chunk extensions", code: faultHTTP, serve: func(c net.Conn) { says(chunked)(c); forever(c, []byte("1;"+strings.Repeat("a", 2000)+"\r\nx\r\n")) }},
		{name: "a chunk extension without end", code: faultHTTP, serve: func(c net.Conn) { says(chunked, "4;")(c); forever(c, bytes.Repeat([]byte("a"), 4096)) }},
		{name: "trailers", check: is("text"), serve: says(chunked, "4\r\ntext\r\n0\r\nX-Sum: 1\r\n\r\n")},
		{name: "trailers without end", code: faultHTTP, serve: func(c net.Conn) {
			says(chunked, "4\r\ntext\r\n0\r\n")(c)
			forever(c, bytes.Repeat([]byte("X-A: b\r\n"), 512))
		}},
	}
}

// encodingServers compress.
func encodingServers() []hostileServer {
	p := packed()
	text := strings.Repeat("The tide turned at noon. ", 40)
	encoded := func(coding, body string) func(net.Conn) {
		return says(bodied("Content-Encoding: "+coding+"\r\n", body))
	}
	list := []hostileServer{
		{name: "gzip in gzip", code: faultEncoding, serve: encoded("gzip, gzip", p["gzip text"])},
		{name: "gzip and gzip on two lines", code: faultEncoding, serve: encoded("gzip\r\nContent-Encoding: gzip", p["gzip text"])},
		{name: "brotli in gzip", code: faultEncoding, serve: encoded("br, gzip", p["gzip text"])},
		{name: "deflate", code: faultEncoding, serve: encoded("deflate", "text")},
		{name: "an unknown encoding", code: faultEncoding, serve: encoded("frobnicated", "text")},
		{name: "gzip that is plain", code: faultEncoding, serve: encoded("gzip", "<html><p>text")},
		{name: "gzip with a wrong sum", code: faultEncoding, serve: encoded("gzip", p["gzip text"][:len(p["gzip text"])-8]+"\x00\x00\x00\x00\x00\x00\x00\x00")},
		{name: "gzip and rubbish", code: faultEncoding, serve: encoded("gzip", p["gzip text"]+strings.Repeat("rubbish", 10))},
		{name: "empty gzips without end", code: faultTooLarge, serve: func(c net.Conn) {
			says(ok200, "Content-Encoding: gzip\r\n\r\n")(c)
			forever(c, []byte(strings.Repeat(p["gzip empty"], 1000)))
		}},
		{name: "gzip of nothing at all", check: is(""), serve: encoded("gzip", "")},
		{name: "identity", check: is("text"), serve: encoded("identity", "text")},
		{name: "x-gzip", check: is(text), serve: encoded("X-GZIP", p["gzip text"])},
		{name: "zstd with a window of 1 GB", code: faultTooLarge, serve: encoded("zstd", "\x28\xb5\x2f\xfd\x00\xa0\x01\x00\x00")},
		{name: "zstd of a segment of 1 TB", code: faultTooLarge, serve: encoded("zstd", "\x28\xb5\x2f\xfd\xe0\x00\x00\x00\x00\x00\x01\x00\x00\x01\x00\x00")},
		{name: "zstd that lies about its size", code: faultEncoding, serve: encoded("zstd", "\x28\xb5\x2f\xfd\xc0\x58\x00\x00\x00\x00\x00\x01\x00\x00\x01\x00\x00")},
		{name: "zstd that is plain", code: faultEncoding, serve: encoded("zstd", "<html><p>text")},
		{name: "brotli that is plain", code: faultEncoding, serve: encoded("br", "<html><p>text and more text</p></html>")},
		{name: "brotli with a window of 8 MB", code: faultTooLarge, serve: encoded("br", p["br wide"])},
		{name: "brotli and rubbish", code: faultEncoding, serve: encoded("br", p["br text"]+"rubbish")},
	}
	for _, coding := range []string{"gzip", "br", "zstd"} {
		whole := p[coding+" text"]
		list = append(list,
			hostileServer{name: coding, check: is(text), serve: encoded(coding, whole)},
			hostileServer{name: "a " + coding + " bomb", code: faultRatio, serve: encoded(coding, p[coding+" bomb"])},
			hostileServer{name: "a " + coding + " bomb in a file", code: faultRatio, ask: Request{MaxBody: MaxFile}, serve: encoded(coding, p[coding+" bomb"])},
			hostileServer{name: "a " + coding + " bomb under the cap", code: faultRatio, serve: encoded(coding, p[coding+" ratio"])},
			hostileServer{name: "a page too large in " + coding, code: faultTooLarge, serve: encoded(coding, p[coding+" page"])},
			hostileServer{name: "a file too large in " + coding, code: faultTooLarge, ask: Request{MaxBody: 3 << 20}, serve: encoded(coding, p[coding+" file"])},
			hostileServer{name: "half of a " + coding, code: faultShortBody, serve: encoded(coding, whole[:len(whole)-5])},
			hostileServer{name: coding + " unasked", code: faultEncoding, ask: Request{Header: http.Header{"Accept-Encoding": {"identity"}}}, serve: encoded(coding, whole)})
	}
	return list
}

// statusServers answer with what is no page.
func statusServers() []hostileServer {
	to := func(location string) func(net.Conn) {
		return says("HTTP/1.1 302 Found\r\nLocation: " + location + "\r\nContent-Length: 0\r\n\r\n")
	}
	count := func(line string) func(net.Conn) {
		n := 0
		return func(c net.Conn) {
			n++
			says(fmt.Sprintf("HTTP/1.1 302 Found\r\nLocation: "+line+"\r\nContent-Length: 0\r\n\r\n", n))(c)
		}
	}
	requests := func(want int) func(*testing.T, *hostileRun) {
		return func(t *testing.T, run *hostileRun) {
			t.Helper()
			if run.conns != want {
				t.Errorf("%d requests, want %d", run.conns, want)
			}
		}
	}
	status := func(status int, body string) func(*testing.T, *Response) {
		return func(t *testing.T, r *Response) {
			t.Helper()
			if r.Status != status || string(r.Body) != body {
				t.Errorf("%d %q, want %d %q", r.Status, r.Body, status, body)
			}
		}
	}
	return []hostileServer{
		{name: "redirects for ever", code: faultRedirects, serve: count("/%d"), after: requests(6)},
		{name: "redirects to itself", code: faultRedirects, serve: to("/#again"), after: requests(1)},
		{name: "redirects in a circle", code: faultRedirects, serve: to("/circle"), after: requests(2)},
		{name: "redirects nowhere", code: faultHTTP, serve: says("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n")},
		{name: "redirects to nothing", code: faultHTTP, serve: to("")},
		{name: "redirects to two places", code: faultHTTP, serve: to("/a\r\nLocation: /b")},
		{name: "redirects to a file", code: faultScheme, serve: to("file:///etc/passwd")},
		{name: "redirects to a script", code: faultScheme, serve: to("javascript:alert(1)")},
		{name: "redirects to an address", code: faultSpecialIP, serve: to("http://169.254.169.254/latest/")},
		{name: "redirects to a number", code: faultNumericHost, serve: to("//2130706433/")},
		{name: "redirects by a back-slash", code: faultSyntax, serve: to(`/\10.0.0.1/`)},
		{name: "redirects to another name of the machine", code: faultSpecialHost, serve: to("http://localhost/")},
		{name: "redirects to another site", code: faultMoved, serve: to("https://b.example/page#part"), after: func(t *testing.T, run *hostileRun) {
			if u := run.fault.unavailable("u"); u.Outcome != Moved || u.Location != "https://b.example/page" {
				t.Errorf("%+v", u)
			}
		}},
		{name: "redirects with a body without end", code: faultRedirects, serve: func(c net.Conn) {
			says("HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n")(c)
			forever(c, make([]byte, 4096))
		}},
		{name: "redirects one who does not follow", check: status(302, ""), ask: Request{Redirects: -1}, serve: says("HTTP/1.1 302 Found\r\nLocation: http://b.example/\r\nContent-Length: 5\r\n\r\nthere"), after: requests(1)},
		{name: "304 unasked", code: faultHTTP, serve: says("HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n")},
		{name: "304 asked for", check: status(304, ""), ask: Request{Header: http.Header{"If-None-Match": {`"a"`}}}, serve: says("HTTP/1.1 304 Not Modified\r\nContent-Encoding: gzip\r\nContent-Length: 900\r\n\r\n")},
		{name: "a part unasked", code: faultShortBody, serve: says("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-3/900\r\nContent-Length: 4\r\n\r\ntext")},
		{name: "no content", check: status(204, ""), serve: says("HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\ntext")},
		{name: "a status of its own", check: status(999, "text"), serve: says("HTTP/1.1 999 Request denied\r\nContent-Length: 4\r\n\r\ntext")},
		{name: "a failure with a text", check: status(503, "text"), serve: says("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 9\r\nContent-Length: 4\r\n\r\ntext")},
		{name: "a lie about its type", check: status(200, "%PDF-1.7\x00\xff\u202e"), serve: says(bodied("Content-Type: image/png\r\n", "%PDF-1.7\x00\xff\u202e"))},
	}
}
