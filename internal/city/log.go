package city

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
)

// maxBody bounds what is read of a request.
const maxBody = 64 << 20

// A Request is one entry of the log, in the order of arrival. The values of keys are replaced by what they were worth.
type Request struct {
	Part   string // api, web, canary
	Host   string
	Method string
	Path   string // with its query
	Header http.Header
	Body   []byte
	Status int // answered; 0 while it is being answered, or when the connection was broken
}

// What a key was worth, in the log.
const (
	RightKey = "(right key)"
	WrongKey = "(wrong key)"
)

type log struct {
	mu   sync.Mutex
	list []*Request
}

// Requests returns what was asked of a part of the city ("api", "web", "canary"), or of all of it for "".
func (c *City) Requests(part string) []Request {
	return c.log.where(func(r *Request) bool { return part == "" || r.Part == part })
}

// RequestsTo returns what was asked of a host of the web.
func (c *City) RequestsTo(host string) []Request {
	return c.log.where(func(r *Request) bool { return r.Part == "web" && r.Host == host })
}

func (l *log) where(keep func(*Request) bool) []Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []Request
	for _, r := range l.list {
		if keep(r) {
			list = append(list, *r)
		}
	}
	return list
}

// around logs what passes through a handler.
func (l *log) around(part string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			http.Error(w, "the request's body cannot be read", http.StatusRequestEntityTooLarge)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		entry := &Request{Part: part, Host: hostOnly(r.Host), Method: r.Method, Path: withoutKeys(r.URL.RequestURI()), Header: r.Header.Clone(), Body: body}
		for name, values := range entry.Header {
			for i, v := range values {
				if secret(name) {
					values[i] = worth(v)
				}
			}
		}
		l.mu.Lock()
		l.list = append(l.list, entry)
		l.mu.Unlock()
		h.ServeHTTP(&noting{ResponseWriter: w, status: func(s int) {
			l.mu.Lock()
			defer l.mu.Unlock()
			if entry.Status == 0 {
				entry.Status = s
			}
		}}, r)
	})
}

func hostOnly(host string) string {
	if i := strings.LastIndexByte(host, ':'); i >= 0 {
		host = host[:i]
	}
	return strings.ToLower(host)
}

func secret(header string) bool {
	switch header {
	case "Authorization", "X-Api-Key", "X-Subscription-Token", "Api-Key", "Cookie":
		return true
	}
	return false
}

// worth says whether a header's value holds the right key of any provider.
func worth(v string) string {
	for _, p := range append(Providers(), "anthropic", "openai") {
		if strings.TrimPrefix(v, "Bearer ") == Key(p) {
			return RightKey
		}
	}
	return WrongKey
}

// withoutKeys replaces the values of keys in a query.
func withoutKeys(uri string) string {
	path, query, found := strings.Cut(uri, "?")
	if !found {
		return uri
	}
	pairs := strings.Split(query, "&")
	for i, p := range pairs {
		if name, value, _ := strings.Cut(p, "="); strings.EqualFold(name, "api_key") {
			pairs[i] = name + "=" + worth(value)
		}
	}
	return path + "?" + strings.Join(pairs, "&")
}

// noting tells the status that is sent.
type noting struct {
	http.ResponseWriter
	status func(int)
}

func (n *noting) WriteHeader(status int) {
	n.status(status)
	n.ResponseWriter.WriteHeader(status)
}

func (n *noting) Write(b []byte) (int, error) {
	n.status(http.StatusOK)
	return n.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController through.
func (n *noting) Unwrap() http.ResponseWriter { return n.ResponseWriter }
