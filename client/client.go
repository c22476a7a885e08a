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
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

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
	if token != "" && u.Scheme == "http" && !loopback(u.Hostname()) {
		return nil, &runs.Error{Code: runs.Unready, Message: "a token is not sent without encryption over a network", Hint: "Use https://, or a tunnel to the server."}
	}
	u.Path = strings.TrimRight(u.Path, "/")
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = 2 * time.Minute // a report is made while its answer is waited for
	return &Client{base: u, token: token, http: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // a token is for the server that was named
	}}}, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
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
	case resp.StatusCode == http.StatusUnauthorized && e.Hint == "":
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

func keyed(key string) http.Header {
	if key == "" {
		return nil
	}
	return http.Header{"Idempotency-Key": {key}}
}

// Start asks for a new run.
func (c *Client) Start(ctx context.Context, r runs.Request) (journal.Info, error) {
	return ask[journal.Info](ctx, c, call{method: "POST", path: []string{"runs"}, body: r, header: keyed(r.Key)})
}

// List lists the user's runs.
func (c *Client) List(ctx context.Context, p runs.Page) ([]journal.Info, error) {
	query := url.Values{}
	for name, value := range map[string]string{"after": p.After, "state": string(p.State)} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if p.Limit != 0 {
		query.Set("limit", strconv.Itoa(p.Limit))
	}
	page, err := ask[struct {
		Runs []journal.Info `json:"runs"`
	}](ctx, c, call{method: "GET", path: []string{"runs"}, query: query})
	return page.Runs, err
}

// Show says how a run stands.
func (c *Client) Show(ctx context.Context, id string) (runs.Shown, error) {
	return ask[runs.Shown](ctx, c, call{method: "GET", path: []string{"runs", id}})
}

// Stop asks a run to answer with what it has.
func (c *Client) Stop(ctx context.Context, id string) error { return c.wish(ctx, id, "stop") }

// Cancel ends a run without an answer.
func (c *Client) Cancel(ctx context.Context, id string) error { return c.wish(ctx, id, "cancel") }

// Resume queues a run that is parked or interrupted.
func (c *Client) Resume(ctx context.Context, id string) error { return c.wish(ctx, id, "resume") }

func (c *Client) wish(ctx context.Context, id, what string) error {
	_, err := c.bytes(ctx, call{method: "POST", path: []string{"runs", id, what}})
	return err
}

// Fork starts a run over the evidence of another.
func (c *Client) Fork(ctx context.Context, id string, change runs.Change) (journal.Info, error) {
	return ask[journal.Info](ctx, c, call{method: "POST", path: []string{"runs", id, "fork"}, body: change, header: keyed(change.Key)})
}

// Delete removes a run.
func (c *Client) Delete(ctx context.Context, id string) error {
	_, err := c.bytes(ctx, call{method: "DELETE", path: []string{"runs", id}})
	return err
}

// Report gives a report in one of its forms.
func (c *Client) Report(ctx context.Context, id, form string) ([]byte, error) {
	return c.bytes(ctx, call{method: "GET", path: []string{"runs", id, "report"}, query: url.Values{"form": {form}}})
}

// Replay runs a run again from its record.
func (c *Client) Replay(ctx context.Context, id, system string) ([]byte, error) {
	return c.bytes(ctx, call{method: "POST", path: []string{"runs", id, "replay"}, body: struct {
		System string `json:"system,omitempty"`
	}{system}})
}

// Compare sets two runs side by side.
func (c *Client) Compare(ctx context.Context, a, b string) (runs.Comparison, error) {
	return ask[runs.Comparison](ctx, c, call{method: "GET", path: []string{"runs", a, "compare"}, query: url.Values{"with": {b}}})
}

// Reject takes a finding out of a report.
func (c *Client) Reject(ctx context.Context, id, finding, reason string) error {
	_, err := c.bytes(ctx, call{method: "POST", path: []string{"runs", id, "findings", finding, "reject"}, body: struct {
		Reason string `json:"reason"`
	}{reason}})
	return err
}

// Export writes a run's whole journal.
func (c *Client) Export(ctx context.Context, id string, w io.Writer) error {
	resp, err := c.send(ctx, call{method: "GET", path: []string{"runs", id, "journal"}})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(w, resp.Body); err != nil {
		return &runs.Error{Code: runs.Internal, Message: "reading the run's journal", Err: err, Hint: "What was written is not whole. Ask again."}
	}
	return nil
}

// Pack gives a run as one file that anybody can check.
func (c *Client) Pack(ctx context.Context, id string) ([]byte, error) {
	return c.bytes(ctx, call{method: "GET", path: []string{"runs", id, "bundle"}})
}

// Gates lists what waits for a person.
func (c *Client) Gates(ctx context.Context, run string, all bool) ([]journal.Pending, error) {
	query := url.Values{}
	if run != "" {
		query.Set("run", run)
	}
	if all {
		query.Set("all", "true")
	}
	list, err := ask[struct {
		Gates []journal.Pending `json:"gates"`
	}](ctx, c, call{method: "GET", path: []string{"gates"}, query: query})
	return list.Gates, err
}

// Gate shows what one gate asks.
func (c *Client) Gate(ctx context.Context, id string) (journal.Pending, error) {
	return ask[journal.Pending](ctx, c, call{method: "GET", path: []string{"gates", id}})
}

// Answer decides a gate. Where the person names nothing that they saw, it is what stands there now.
func (c *Client) Answer(ctx context.Context, id string, a gate.Answer) (journal.Pending, error) {
	var err error
	if a.Seen, err = c.seen(ctx, id, a.Seen); err != nil {
		return journal.Pending{}, err
	}
	return ask[journal.Pending](ctx, c, call{method: "POST", path: []string{"gates", id, "decision"}, body: a})
}

// EditPlan changes a plan that waits for a yes.
func (c *Client) EditPlan(ctx context.Context, id, seen string, plan json.RawMessage) (journal.Pending, error) {
	seen, err := c.seen(ctx, id, seen)
	if err != nil {
		return journal.Pending{}, err
	}
	if !json.Valid(plan) {
		return journal.Pending{}, &runs.Error{Code: runs.Invalid, Message: "the plan is not JSON"}
	}
	return ask[journal.Pending](ctx, c, call{method: "PUT", path: []string{"gates", id, "plan"}, header: http.Header{"If-Match": {`"` + seen + `"`}}, body: struct {
		Plan json.RawMessage `json:"plan"`
	}{plan}})
}

func (c *Client) seen(ctx context.Context, id, seen string) (string, error) {
	if seen != "" {
		return seen, nil
	}
	p, err := c.Gate(ctx, id)
	return p.Hash, err
}

// errOver says that a stream has told all there is.
var errOver = errors.New("the run is over or parked")
