package fetch

import (
	"bytes"
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

const defaultTimeout = 30 * time.Second

// ClientConfig is what a Client is built of. The zero value is the strict one.
type ClientConfig struct {
	UserAgent      string            // names the program and a contact
	AllowAddresses []netip.Prefix    // that may be connected to though they are not of the public net
	AllowPorts     []int             // besides 80, 443, 8080 and 8443
	Resolve        map[string]string // host → address or address:port, asked before the DNS; the address is checked like any other
	Resolver       *net.Resolver     // nil: the system's
	RootCAs        *x509.CertPool    // nil: the system's
	Timeout        time.Duration     // of an exchange with all its redirects; 0: 30 seconds
}

// A Client performs guarded exchanges with the public net (FETCH-1, FETCH-2). It keeps no cookies, no connections and
// nothing else between them, takes no proxy from the environment, and is safe for concurrent use. Every exchange and
// every redirect passes the URL policy; the addresses of its host are checked and then connected to. It ends
// within its time, and holds at most MaxBody and 16 MiB of memory.
type Client struct {
	agent    string
	policy   urlPolicy
	resolve  map[string]string
	resolver *net.Resolver
	roots    *x509.CertPool
	timeout  time.Duration
}

// NewClient returns a Client.
func NewClient(c ClientConfig) *Client {
	client := &Client{agent: c.UserAgent, resolve: map[string]string{}, resolver: c.Resolver, roots: c.RootCAs, timeout: c.Timeout,
		policy: urlPolicy{ports: c.AllowPorts, named: map[string]bool{}, guard: newAddressGuard(c.AllowAddresses)}}
	for host, to := range c.Resolve {
		host = strings.TrimSuffix(strings.ToLower(host), ".")
		client.resolve[host], client.policy.named[host] = to, true
	}
	if client.resolver == nil {
		client.resolver = net.DefaultResolver
	}
	if client.timeout <= 0 {
		client.timeout = defaultTimeout
	}
	return client
}

// Do is the Doer's. A context that ends is its error; any other is an *Unavailable.
func (c *Client) Do(ctx context.Context, r Request) (*Response, error) {
	resp, fault := c.do(ctx, r)
	switch {
	case fault == nil:
		return resp, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("fetch %s: %w", r.URL, ctx.Err())
	}
	return nil, fault.unavailable(r.URL)
}

// do follows redirects inside the site.
func (c *Client) do(ctx context.Context, r Request) (*Response, *exchangeFault) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	u, fault := c.policy.check(r.URL)
	if fault != nil {
		return nil, fault
	}
	limit := r.Redirects
	if limit == 0 {
		limit = MaxRedirects
	}
	r.Header = c.header(r.Header)
	seen := map[string]bool{}
	for hop := 0; ; hop++ {
		if seen[u.String()] {
			return nil, &exchangeFault{code: faultRedirects, outcome: Failed, reason: "it redirects in a circle", hint: HintOther}
		}
		seen[u.String()] = true
		resp, fault := c.exchange(ctx, u, r)
		if fault != nil || !redirects(resp.Status) {
			return resp, fault
		}
		if hop == limit {
			return nil, tooManyRedirects(limit)
		}
		to, fragment, fault := c.target(u, resp)
		switch {
		case fault != nil:
			return nil, fault
		case limit < 0:
			resp.Location = to.String() + fragment
			return resp, nil
		}
		if fault := next(u, to, &r, resp.Status); fault != nil {
			return nil, fault
		}
		u = to
	}
}

func (c *Client) header(given http.Header) http.Header {
	h := http.Header{"User-Agent": {c.agent}, "Accept": {"*/*"}, "Accept-Encoding": {"gzip, br, zstd"}}
	for name, values := range given {
		h[http.CanonicalHeaderKey(name)] = slices.Clone(values)
	}
	return h
}

// exchange sends one request and reads its answer; the body of a redirect is of no interest.
func (c *Client) exchange(ctx context.Context, u *url.URL, r Request) (*Response, *exchangeFault) {
	limit := r.MaxBody
	if limit <= 0 {
		limit = MaxHTML
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req := (&http.Request{Method: r.Method, URL: u, Host: u.Host, Header: r.Header}).WithContext(ctx)
	if len(r.Body) > 0 {
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(r.Body)), int64(len(r.Body))
	}
	w := &wire{client: c, ctx: ctx, limit: wireLimit(limit)}
	defer w.close()
	answer, fault := w.roundTrip(req)
	if fault != nil {
		return nil, fault
	}
	defer answer.Body.Close()
	resp := &Response{URL: u.String(), Status: answer.StatusCode, Asked: r.Header, Header: answer.Header}
	if fault := unasked(r.Header, answer); fault != nil {
		return nil, fault
	}
	if redirects(resp.Status) {
		return resp, nil
	}
	if resp.Body, fault = w.body(answer, r.Header.Get("Accept-Encoding"), limit); fault != nil {
		return nil, fault
	}
	resp.Surplus = w.surplus(answer.ContentLength)
	return resp, nil
}

// wireLimit is what may come over a connection for a body of so many bytes: chunks may double it, and certificates and
// headers come before it.
func wireLimit(body int64) int64 { return 2*body + 512<<10 }

// unasked refuses answers to questions that were not asked.
func unasked(asked http.Header, answer *http.Response) *exchangeFault {
	conditional := asked.Get("If-None-Match") != "" || asked.Get("If-Modified-Since") != ""
	switch {
	case answer.StatusCode < 200:
		return failedFault(faultHTTP, "it answered %d, which is no answer", answer.StatusCode)
	case answer.StatusCode == http.StatusNotModified && !conditional:
		return failedFault(faultHTTP, "it answered 304 (not modified), though no copy is here")
	case answer.StatusCode == http.StatusPartialContent && asked.Get("Range") == "":
		return &exchangeFault{code: faultShortBody, outcome: Incomplete, reason: "it sent a part, though the whole was asked for", hint: hintAgain}
	case len(answer.Header["Content-Length"]) > 1:
		return failedFault(faultHTTP, "its header declares more than one length")
	}
	return nil
}
