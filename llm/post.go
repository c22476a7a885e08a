package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// maxAnswer is the most that is read of one answer, in bytes after decompression.
const maxAnswer = 64 << 20

// An Endpoint is where a codec sends its requests, and how. Its Post is one exchange: no retries, no redirects.
type Endpoint struct {
	url     string
	host    string
	client  *http.Client
	header  http.Header
	secrets []string
	keyless bool
}

// A Target says where an endpoint is and what authorises.
type Target struct {
	URL       string // base, "https://api.openai.com/v1"; a query stays
	Path      string // appended to the base's, "/chat/completions"
	KeyHeader string // which header carries the key
	KeyScheme string // what stands before it: "Bearer "
	Key       string // empty: the header is not sent
	Client    *http.Client
	Header    map[string]string // of the protocol
	Headers   map[string]string // of the user; held as secret as the key
}

// NewEndpoint makes an endpoint. A nil Client is http.DefaultClient.
func NewEndpoint(t Target) *Endpoint {
	if t.Client == nil {
		t.Client = http.DefaultClient
	}
	client := *t.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // a key follows no redirect
	e := &Endpoint{client: &client, header: http.Header{"Content-Type": {"application/json"}}, keyless: true}
	if u, err := url.Parse(t.URL); err == nil && u.Host != "" {
		e.host = u.Host
		u.Path, u.RawPath = strings.TrimRight(u.Path, "/")+t.Path, ""
		e.url = u.String()
		if p, ok := u.User.Password(); ok {
			e.secrets = append(e.secrets, p)
		}
	}
	for name, value := range t.Header {
		e.header.Set(name, value)
	}
	if key := strings.TrimSpace(t.Key); key != "" {
		e.header.Set(t.KeyHeader, t.KeyScheme+key)
		e.secrets, e.keyless = append(e.secrets, key), false
	}
	for name, value := range t.Headers {
		e.header.Set(name, value)
		e.secrets = append(e.secrets, strings.TrimPrefix(value, "Bearer "))
		if strings.EqualFold(name, "Authorization") || strings.EqualFold(name, t.KeyHeader) {
			e.keyless = false
		}
	}
	slices.Sort(e.secrets) // the map has no order, and messages must be the same each time
	return e
}

// Post sends body and returns the answer's bytes. idempotencyKey is sent for the gateways that honour it.
func (e *Endpoint) Post(ctx context.Context, body []byte, idempotencyKey string) ([]byte, error) {
	if e.url == "" {
		return nil, &Error{Kind: BadRequest, Message: "the model's base URL is not an absolute http address"}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return nil, e.Redact(&Error{Kind: BadRequest, Message: "building the request: " + err.Error()})
	}
	req.Header = e.header.Clone()
	if idempotencyKey != "" {
		req.Header.Set("Idempotency-Key", idempotencyKey)
	}
	resp, err := e.client.Do(req)
	if err != nil {
		return nil, e.broken(ctx, "no answer", err)
	}
	defer resp.Body.Close()
	answer, err := readAtMost(resp.Body, maxAnswer)
	switch {
	case errors.Is(err, errTooLarge):
		return nil, &Error{Kind: Malformed, Status: resp.StatusCode, Message: fmt.Sprintf("the answer of %s is larger than %d MiB", e.host, maxAnswer>>20)}
	case resp.StatusCode/100 != 2:
		return nil, e.Failure(resp.StatusCode, resp.Header, answer)
	case err != nil:
		return nil, e.broken(ctx, fmt.Sprintf("the answer broke off after %d bytes", len(answer)), err)
	}
	return answer, nil
}

// Exchange is Post for a codec whose Decode is decode: an error object in an answer of status 200 is the error that it says.
func (e *Endpoint) Exchange(ctx context.Context, body []byte, idempotencyKey string, decode func([]byte) (Response, error)) ([]byte, error) {
	answer, err := e.Post(ctx, body, idempotencyKey)
	if err != nil || !bytes.Contains(answer, []byte("error")) {
		return answer, err
	}
	var failed *Error
	if _, err := decode(answer); errors.As(err, &failed) && failed.Kind != Malformed {
		return nil, failed
	}
	return answer, nil
}

var errTooLarge = errors.New("too large")

func readAtMost(r io.Reader, limit int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, limit+1))
	if int64(len(body)) > limit {
		return nil, errTooLarge
	}
	return body, err
}

// broken is a connection that failed; a cancelled context is returned as such.
func (e *Endpoint) broken(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("model call to %s: %w", e.host, ctx.Err())
	}
	if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
		err = wrapped.Err // without the address, which may hold a key
	}
	kind := Network
	var dial *net.OpError
	var dns *net.DNSError
	if errors.As(err, &dns) || errors.As(err, &dial) && dial.Op == "dial" {
		kind = Unreachable
	}
	return e.Redact(&Error{Kind: kind, Message: fmt.Sprintf("%s from %s: %v", what, e.host, err)})
}

// Failure types an error that the provider sent: with its status, or 0 for one inside of an answer.
func (e *Endpoint) Failure(status int, h http.Header, body []byte) *Error {
	f := Failure(status, h, body, time.Now())
	switch {
	case status/100 == 3:
		f.Message = e.host + " redirects elsewhere, and a key follows no redirect: set the base URL to the address that answers"
	case f.Kind == Auth && e.keyless:
		f.Message = "no API key for " + e.host + " is set: " + f.Message
	case f.Kind == Auth:
		f.Message = e.host + " refused the API key: " + f.Message
	case f.Kind == Quota:
		f.Message = "the account at " + e.host + " has no credit left: " + f.Message
	case f.Status == http.StatusNotFound:
		f.Message = "no such model or address at " + e.host + ": " + f.Message
	}
	return e.Redact(f)
}

// Malformed is the error for bytes that are no answer.
func (e *Endpoint) Malformed(answer []byte, why string) *Error {
	start := bytes.TrimSpace(answer[:min(len(answer), 1000)])
	if bytes.HasPrefix(start, []byte("<")) {
		why = "a web page came in place of an answer: check the base URL"
	}
	return e.Redact(&Error{Kind: Malformed, Message: shorten(fmt.Sprintf("%s: %s: %q", e.host, why, plain(string(start))), 300)})
}

// Redact takes secrets out of an error's message, whole and in parts: some servers repeat the key that they refuse.
func (e *Endpoint) Redact(err *Error) *Error {
	for _, s := range e.secrets {
		err.Message = hide(err.Message, s)
	}
	return err
}

// hide replaces every run of eight or more bytes of secret in text, and a shorter secret that stands there whole.
func hide(text, secret string) string {
	shortest := min(8, len(secret))
	if shortest < 4 {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); {
		n := 0
		for i+n < len(text) && strings.Contains(secret, text[i:i+n+1]) {
			n++
		}
		if n >= shortest {
			out.WriteString("[key]")
			i += n
		} else {
			out.WriteByte(text[i])
			i++
		}
	}
	return out.String()
}
