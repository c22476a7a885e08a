package fetch

import (
	"context"
	"net/http"
)

// A Request is one guarded exchange. Zero limits mean the defaults of the client.
type Request struct {
	Method    string // "" means GET
	URL       string
	Header    http.Header // sent besides the client's own; never a secret of ours to a host that a page named
	Body      []byte
	MaxBody   int64 // bytes after decompression; 0 means MaxHTML
	Redirects int   // that are followed inside the site; 0 means MaxRedirects; negative none: the redirect is the Response
}

// A Response is a whole answer: its body is complete and decoded, or there is no Response.
type Response struct {
	URL    string // that answered, after redirects inside the site
	Status int
	Asked  http.Header // the request's header
	Header http.Header
	Body   []byte
	// Location is where a redirect that was not followed leads: an absolute URL that passed the policy, inside the site or
	// out of it, with its fragment. "" is any other answer. A redirect has no body.
	Location string
	// Surplus says that the server sent more than the length it declared. The body ends at that length.
	Surplus bool
}

// A Doer performs guarded exchanges: the URL policy, the dial guard, caps and time-outs apply to each, and to every
// redirect. Any HTTP status is a Response; what cannot be had is an *Unavailable, and so are a redirect to what may not be
// had, and where redirects are followed one to another site (Moved). The *Client is one.
type Doer interface {
	Do(ctx context.Context, r Request) (*Response, error)
}
