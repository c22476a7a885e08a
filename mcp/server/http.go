package server

import (
	"bytes"
	"context"
	"errors"
	"ibid/fetch"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// A Token is who holds a bearer token, and what it is for.
type Token struct {
	User    string
	Scopes  []string
	Expires time.Time // zero: when it is revoked
}

// ErrToken says that a token is not one, or no longer.
var ErrToken = errors.New("the token is not valid")

// An HTTP says how a server is reached over HTTP.
type HTTP struct {
	// Tokens says who holds a token; what it does not know is ErrToken. Nil: no token is asked for, and everybody who can
	// connect is the user of the machine.
	Tokens func(ctx context.Context, token string) (Token, error)
	Scope  string // that a token needs; "": none
	// Who says who asks, where a server around the handler has found it out; then that takes tokens, and tells Challenge to
	// whoever has none. A user "" is that of the machine.
	Who func(ctx context.Context) Token

	// URL is where clients reach the endpoint, as https://ibid.example/mcp: what tokens are for (RFC 8707, RFC 9728). Its host
	// is answered to. "": this machine alone.
	URL                  string
	AuthorizationServers []string // that give tokens, by their issuers' addresses
	Hosts                []string // that are answered to besides the URL's, and localhost where the connection is local
	Origins              []string // of pages in browsers that may call, as https://chat.example
}

// Paths that a handler serves.
const (
	Path         = "/mcp"
	MetadataPath = "/.well-known/oauth-protected-resource"
)

// maxBody bounds a request, in bytes: a document that is handed in, in base64.
const maxBody = 12 << 20

// newest is the first revision of the protocol without sessions.
const newest = "2026-07-28"

// Handler serves MCP at Path, in all revisions of the protocol, and what a client must know to get a token at the well-known
// address of RFC 9728.
func (s *Server) Handler(h HTTP) (http.Handler, error) {
	for _, address := range append([]string{h.URL}, h.Origins...) {
		if u, err := url.Parse(address); address != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
			return nil, errors.New("mcp: " + address + " is no address: write it as https://ibid.example/mcp")
		}
	}
	lookup := func(*http.Request) *mcp.Server { return s.mcp }
	each := mcp.NewStreamableHTTPHandler(lookup, &mcp.StreamableHTTPOptions{Stateless: true, DisableLocalhostProtection: true, Logger: s.log, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true})
	kept := mcp.NewStreamableHTTPHandler(lookup, &mcp.StreamableHTTPOptions{DisableLocalhostProtection: true, Logger: s.log, MaxRequestBodyBytes: maxBody, SessionTimeout: s.config.Idle})
	endpoint := byRevision(lookedAt(each), kept)
	mux := http.NewServeMux()
	if h.Who != nil {
		endpoint = asUser(h.Who, endpoint)
	}
	if h.Tokens != nil || h.Who != nil && h.URL != "" {
		metadata := &oauthex.ProtectedResourceMetadata{Resource: h.URL, AuthorizationServers: h.AuthorizationServers, BearerMethodsSupported: []string{"header"}, ResourceName: "ibid"}
		options := &auth.RequireBearerTokenOptions{AllowMissingExpiration: true}
		if h.Scope != "" {
			metadata.ScopesSupported, options.Scopes = []string{h.Scope}, []string{h.Scope}
		}
		if u, err := url.Parse(h.URL); err == nil && h.URL != "" {
			options.ResourceMetadataURL = h.metadataURL()
			about := auth.ProtectedResourceMetadataHandler(metadata)
			mux.Handle(MetadataPath, about)
			if u.Path != "" && u.Path != "/" {
				mux.Handle(MetadataPath+u.Path, about)
			}
		}
		if h.Tokens != nil {
			endpoint = auth.RequireBearerToken(h.verify, options)(endpoint)
		}
	}
	protection := http.NewCrossOriginProtection()
	for _, origin := range h.Origins {
		if err := protection.AddTrustedOrigin(strings.TrimSuffix(origin, "/")); err != nil {
			return nil, err
		}
	}
	mux.Handle(Path, h.guard(protection.Handler(endpoint)))
	return mux, nil
}

// metadataURL is where the metadata of a protected resource stands (RFC 9728 §3.1).
func (h HTTP) metadataURL() string {
	u, err := url.Parse(h.URL)
	if err != nil || u.Host == "" {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: MetadataPath + u.Path}).String()
}

// Challenge is what a WWW-Authenticate field says more of where tokens are had (RFC 9728 §5.1).
func (h HTTP) Challenge() string {
	c := ""
	if at := h.metadataURL(); at != "" {
		c += `, resource_metadata="` + at + `"`
	}
	if h.Scope != "" {
		c += `, scope="` + h.Scope + `"`
	}
	return c
}

// asUser hands on who asks in the one way that the SDK has for it.
func asUser(who func(context.Context) Token, next http.Handler) http.Handler {
	known := auth.RequireBearerToken(func(ctx context.Context, _ string, _ *http.Request) (*auth.TokenInfo, error) {
		t := who(ctx)
		return &auth.TokenInfo{UserID: t.User, Scopes: t.Scopes, Expiration: t.Expires}, nil
	}, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer known")
		known.ServeHTTP(w, r)
	})
}

// verify is the SDK's seam for tokens.
func (h HTTP) verify(ctx context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
	t, err := h.Tokens(ctx, token)
	switch {
	case errors.Is(err, ErrToken):
		return nil, auth.ErrInvalidToken
	case err != nil:
		return nil, errors.New("the token could not be looked up")
	case t.User == "":
		return nil, auth.ErrInvalidToken
	}
	return &auth.TokenInfo{UserID: t.User, Scopes: t.Scopes, Expiration: t.Expires}, nil
}

// guard answers only to the names that the server is known by, so that no page can have a browser speak to it under another
// (DNS rebinding), and only to pages that may call.
func (h HTTP) guard(next http.Handler) http.Handler {
	var names []string
	for _, name := range h.Hosts {
		names = append(names, bare(name))
	}
	origins := slices.Clone(h.Origins)
	if u, err := url.Parse(h.URL); err == nil && u.Host != "" {
		names, origins = append(names, bare(u.Host)), append(origins, u.Scheme+"://"+u.Host)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := bare(r.Host)
		if !slices.Contains(names, host) && !fetch.Loopback(host) {
			http.Error(w, "this server is not known by the name "+host, http.StatusForbidden)
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" && !slices.Contains(origins, origin) {
			if u, err := url.Parse(origin); err != nil || !fetch.Loopback(u.Hostname()) || !fetch.Loopback(host) {
				http.Error(w, "pages of "+origin+" may not call this server", http.StatusForbidden)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// bare is the name in a Host field, without the port, in small letters.
func bare(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.Trim(strings.ToLower(host), "[]")
}

// byRevision serves requests of the newest revision each by itself, and those of older ones in sessions.
func byRevision(each, kept http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		version := r.Header.Get("Mcp-Protocol-Version")
		if version >= newest {
			each.ServeHTTP(w, r)
			return
		}
		if r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == "" && r.Body != nil {
			body, ok := peek(w, r)
			if !ok {
				return
			}
			if bytes.Contains(body, []byte(`"io.modelcontextprotocol/protocolVersion"`)) {
				each.ServeHTTP(w, r)
				return
			}
		}
		kept.ServeHTTP(w, r)
	})
}

// peek reads a request's body, and leaves it to be read. A request that cannot be read whole is answered.
func peek(w http.ResponseWriter, r *http.Request) (body []byte, ok bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "the request is longer than is taken", http.StatusRequestEntityTooLarge)
		return nil, false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return body, true
}

// lookedAt passes requests of the newest revision on that have nothing amiss. The SDK sees to it that a request is of the method
// that its header says.
func lookedAt(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if method := r.Header.Get("Mcp-Method"); r.Method == http.MethodPost && (method == subscribe || slices.Contains(taskMethods, method)) {
			body, ok := peek(w, r)
			if !ok {
				return
			}
			if id, problem := amiss(body, r.Header); problem != nil {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusBadRequest)
				_, _ = w.Write(refusing(id, problem)) // who does not read it has gone
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}
