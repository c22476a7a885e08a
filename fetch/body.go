package fetch

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

const (
	maxRatio   = 100     // decoded bytes to a byte on the wire …
	freeRatio  = 1 << 20 // … beyond so many
	zstdWindow = 8 << 20 // RFC 9659
)

// body reads the whole body, decoded, or says why there is none. A body that is cut anywhere is no body.
func (w *wire) body(answer *http.Response, asked string, limit int64) ([]byte, *exchangeFault) {
	encoding, fault := contentEncoding(answer, asked)
	if fault != nil {
		return nil, fault
	}
	if answer.ContentLength > limit {
		return nil, largeFault(faultTooLarge, "it has %d bytes, more than %d", answer.ContentLength, limit)
	}
	src := &wireBody{r: answer.Body, left: limit}
	body, err := decodeBody(encoding, src, limit)
	if err == nil && w.cut(answer) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, w.bodyFault(src, err, limit)
	}
	return body, nil
}

func decodeBody(encoding string, src *wireBody, limit int64) ([]byte, error) {
	if encoding == "" {
		return readWhole(src, nil, limit)
	}
	dec, stop, err := newDecoder(encoding, src, limit)
	if errors.Is(err, io.EOF) {
		return []byte{}, nil // nothing, not even the encoding's frame: an answer without a body
	}
	if err != nil {
		return nil, err
	}
	defer stop()
	body, err := readWhole(dec, src, limit)
	if err == nil {
		err = src.end()
	}
	return body, err
}

// contentEncoding returns the one encoding of an answer, if it was asked for.
func contentEncoding(answer *http.Response, asked string) (string, *exchangeFault) {
	var codings []string
	for _, field := range answer.Header.Values("Content-Encoding") {
		for coding := range strings.SplitSeq(field, ",") {
			coding = strings.ToLower(strings.TrimSpace(coding))
			if coding == "x-gzip" {
				coding = "gzip"
			}
			if coding != "" && coding != "identity" {
				codings = append(codings, coding)
			}
		}
	}
	bodiless := answer.Request.Method == http.MethodHead || answer.StatusCode == http.StatusNoContent || answer.StatusCode == http.StatusNotModified
	switch {
	case len(codings) == 0 || bodiless:
		return "", nil
	case len(codings) > 1:
		return "", failedFault(faultEncoding, "its content is encoded more than once")
	}
	for want := range strings.SplitSeq(asked, ",") {
		want, _, _ = strings.Cut(want, ";")
		if strings.TrimSpace(strings.ToLower(want)) == codings[0] && slices.Contains([]string{"gzip", "br", "zstd"}, codings[0]) {
			return codings[0], nil
		}
	}
	return "", failedFault(faultEncoding, "its content is encoded in a way that was not asked for")
}

var errWindow = errors.New("too large a window")

// newDecoder reads with bounded memory: a window of at most 8 MiB in zstd and 4 MiB, the usual one, in brotli, which says
// in its first bits whether it has 8 or 16 (RFC 7932, section 9.1).
func newDecoder(encoding string, src io.Reader, limit int64) (io.Reader, func(), error) {
	switch encoding {
	case "gzip":
		r, err := gzip.NewReader(src)
		return r, func() {}, err
	case "br":
		b := bufio.NewReader(src)
		first, err := b.Peek(1)
		if err == nil && first[0]&0xd == 0xd {
			err = errWindow
		}
		return brotli.NewReader(b), func() {}, err
	}
	r, err := zstd.NewReader(src, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(zstdWindow),
		zstd.WithDecoderMaxMemory(uint64(max(limit, zstdWindow))))
	if err != nil {
		return nil, nil, err
	}
	return r, r.Close, nil
}

// A wireBody counts the bytes of a body on the wire and remembers what went wrong there.
type wireBody struct {
	r    io.Reader
	n    int64
	left int64
	err  error
}

var errOverLimit = errors.New("larger than the limit")

func (b *wireBody) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.r.Read(p)
	b.n, b.left = b.n+int64(n), b.left-int64(n)
	if b.left < 0 {
		n, err = 0, errOverLimit
	}
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}

var errTrailing = errors.New("bytes follow the encoded content")

// end makes sure that nothing is left, and that the end was the end.
func (b *wireBody) end() error {
	var one [1]byte
	n, err := io.ReadFull(b, one[:])
	switch {
	case n > 0:
		return errTrailing
	case err == io.EOF:
		return nil
	}
	return err
}

var errRatio = errors.New("a compression bomb")

// readWhole reads to the end. It grows its buffer seldom, so that at no time two large ones are held; wire, if there is
// one, is what r decodes.
func readWhole(r io.Reader, wire *wireBody, limit int64) ([]byte, error) {
	body := make([]byte, 0, min(limit+1, 64<<10))
	for {
		if len(body) == cap(body) {
			if int64(len(body)) > limit {
				return nil, errOverLimit
			}
			next := limit + 1
			if cap(body) < 2<<20 {
				next = min(next, int64(cap(body))*8)
			}
			body = append(make([]byte, 0, next), body...)
		}
		n, err := r.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if wire != nil && len(body) > freeRatio && int64(len(body)) > maxRatio*wire.n {
			return nil, errRatio
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if int64(len(body)) > limit {
		return nil, errOverLimit
	}
	if len(body) < cap(body)/2 {
		body = append(make([]byte, 0, len(body)), body...)
	}
	return body, nil
}

// bodyFault tells what ended the reading: the wire, the encoding or a limit.
func (w *wire) bodyFault(src *wireBody, err error, limit int64) *exchangeFault {
	w.mu.Lock()
	found, framed := w.fault, w.head == nil
	w.mu.Unlock()
	var broken net.Error
	switch {
	case err == nil:
		return nil
	case found != nil:
		return found
	case errors.Is(err, errOverLimit), errors.Is(err, zstd.ErrDecoderSizeExceeded), errors.Is(err, zstd.ErrWindowSizeExceeded), err == errWindow:
		return largeFault(faultTooLarge, "it needs more room than %d bytes", limit)
	case errors.Is(err, errRatio):
		return largeFault(faultRatio, "it unpacks to more than %d times its size", maxRatio)
	case w.ctx.Err() != nil, src.err != nil && isTimeout(src.err):
		return failedFault(faultTimeout, "it sends so slowly that the time ran out")
	case errors.Is(err, io.ErrUnexpectedEOF), src.err != nil && (framed || errors.As(src.err, &broken)):
		return &exchangeFault{code: faultShortBody, outcome: Incomplete, reason: "the answer ended before its end", hint: hintAgain}
	case src.err != nil:
		return failedFault(faultHTTP, "the body of its answer is no valid HTTP")
	}
	return failedFault(faultEncoding, "its content is not encoded as it says")
}
