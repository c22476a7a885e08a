// Package client is a server's runs as runs.Service: what commands do with the runs of this machine, they do with those of
// a server, and are told the same errors.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"ibid/fetch"
	"ibid/gate"
	"ibid/journal"
	"ibid/runs"
)

// A Client speaks to one server.
type Client struct {
	base  *url.URL
	token string
	http  *http.Client
}

var _ runs.Service = (*Client)(nil)

// New makes a client of the server at an address, http://127.0.0.1:8420. token is "" where the server wants none. A token
// goes unencrypted to this machine alone.
func New(address, token string) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, &runs.Error{Code: runs.Invalid, Message: fmt.Sprintf("%q is no address of a server", address), Hint: "Write it as http://127.0.0.1:8420 or https://name."}
	}
	if token != "" && u.Scheme == "http" && !fetch.Loopback(u.Hostname()) {
		return nil, &runs.Error{Code: runs.Unready, Message: "a token is not sent without encryption over a network", Hint: "Use https://, or a tunnel to the server."}
	}
	u.Path = strings.TrimRight(u.Path, "/")
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = 2 * time.Minute // a report is made while its answer is waited for
	return &Client{base: u, token: token, http: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // a token is for the server that was named
	}}}, nil
}

// Close ends idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// maxAnswer is the largest answer that is read, in bytes: a bundle with its sources.
const maxAnswer = 512 << 20

// A call is one request.
type call struct {
	method string
	path   []string // after /v1
	query  url.Values
	header http.Header
	body   any
}

// send makes a request. What the server refuses is a *runs.Error, as it would be here.
func (c *Client) send(ctx context.Context, r call) (*http.Response, error) {
	u := c.base.JoinPath("v1")
	for _, p := range r.path {
		u.RawPath, u.Path = u.EscapedPath()+"/"+url.PathEscape(p), u.Path+"/"+p
	}
	u.RawQuery = r.query.Encode()
	var body io.Reader
	if r.body != nil {
		text, err := json.Marshal(r.body)
		if err != nil {
			return nil, fmt.Errorf("client: the request: %w", err)
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, u.String(), body)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	for name, values := range r.header {
		req.Header[name] = values
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if at := (*url.Error)(nil); errors.As(err, &at) { // which names the address again
			err = at.Err
		}
		return nil, &runs.Error{Code: runs.Unready, Message: "asking the server " + c.base.String(), Err: err, Hint: "Is it running there? Look at --server and IBID_SERVER."}
	}
	if resp.StatusCode >= 300 {
		defer resp.Body.Close()
		return nil, refused(resp)
	}
	return resp, nil
}

// refused reads what the server says is wrong (RFC 9457).
func refused(resp *http.Response) error {
	var p struct {
		Title  string    `json:"title"`
		Detail string    `json:"detail"`
		Hint   string    `json:"hint"`
		Code   runs.Code `json:"code"`
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil || json.Unmarshal(body, &p) != nil || p.Title == "" {
		return &runs.Error{Code: runs.Unready, Message: fmt.Sprintf("the server answered %s, and not as a server of runs does", resp.Status), Hint: "Look at --server: is it its address?"}
	}
	e := &runs.Error{Code: p.Code, Message: gate.Printable(p.Detail), Hint: gate.Printable(p.Hint)}
	if e.Message == "" {
		e.Message = gate.Printable(p.Title)
	}
	if e.Code == "" {
		e.Code = codes[resp.StatusCode]
	}
	switch {
	case e.Code == "":
		e.Code = runs.Internal
	case resp.StatusCode == http.StatusUnauthorized: // the server's hint is for those who write headers
		e.Hint = "Put a token into IBID_TOKEN; who runs the server makes one with: ibid token create"
	case resp.StatusCode == http.StatusPreconditionFailed:
		e.Err = journal.ErrChanged
	}
	if again := resp.Header.Get("Retry-After"); again != "" && e.Hint == "" {
		e.Hint = "Ask again in " + again + " seconds."
	}
	return e
}

// codes are those of refusals that are the server's own.
var codes = map[int]runs.Code{http.StatusUnauthorized: runs.Unready, http.StatusForbidden: runs.Unready, http.StatusMisdirectedRequest: runs.Unready,
	http.StatusBadRequest: runs.Invalid, http.StatusNotFound: runs.NotFound, http.StatusConflict: runs.Conflict, http.StatusPreconditionFailed: runs.Conflict,
	http.StatusPreconditionRequired: runs.Invalid, http.StatusUnprocessableEntity: runs.Conflict, http.StatusTooManyRequests: runs.Exhausted}

// bytes reads an answer whole.
func (c *Client) bytes(ctx context.Context, r call) ([]byte, error) {
	resp, err := c.send(ctx, r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, &runs.Error{Code: runs.Internal, Message: "reading the server's answer", Err: err, Hint: "Ask again."}
	case len(body) > maxAnswer:
		return nil, &runs.Error{Code: runs.Internal, Message: fmt.Sprintf("the server's answer has more than %d bytes", maxAnswer)}
	}
	return body, nil
}

// ask reads an answer as JSON.
func ask[Out any](ctx context.Context, c *Client, r call) (out Out, err error) {
	body, err := c.bytes(ctx, r)
	if err == nil && len(body) > 0 {
		if err = json.Unmarshal(body, &out); err != nil {
			err = &runs.Error{Code: runs.Internal, Message: "reading the server's answer", Err: err, Hint: "Is the server of another version? Compare: ibid version"}
		}
	}
	return out, err
}

// errOver says that a stream has told all there is.
var errOver = errors.New("the run is over or parked")
