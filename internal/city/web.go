package city

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"sort"
	"strings"
)

// A served is what answers at one path of a host: a page, or a behaviour.
type served struct {
	page   Page
	behave func(c *City, w http.ResponseWriter, r *http.Request)
}

// web is the network of pages while it is built.
type web struct {
	pages map[string]map[string]served
	found []document // what searches find
}

func newWeb(canary string, o Options) (*web, error) {
	w := &web{pages: map[string]map[string]served{}}
	if err := w.addCorpus(); err != nil {
		return nil, err
	}
	w.addMirrors()
	honest := len(w.found)
	w.addInjections()
	w.addOdd(canary)
	if !o.Hostile {
		w.found = w.found[:honest]
	}
	for _, p := range o.Inject.Pages {
		if p.Host == "" || !strings.HasPrefix(p.Path, "/") {
			return nil, fmt.Errorf("an injected page needs a host and a path that begins with a slash: %q %q", p.Host, p.Path)
		}
		w.add(p)
	}
	return w, nil
}

// add serves a page; one with a title can be found.
func (w *web) add(p Page) {
	w.put(p.Host, p.Path, served{page: p})
	if p.Title != "" {
		w.found = append(w.found, document{url: address(p.Host, p.Path), title: p.Title, text: plainText(p)})
	}
}

// address is the URL of a path, which is given unescaped.
func address(host, path string) string {
	return (&url.URL{Scheme: "http", Host: host, Path: path}).String()
}

func (w *web) put(host, path string, s served) {
	if w.pages[host] == nil {
		w.pages[host] = map[string]served{}
	}
	w.pages[host][path] = s
}

// Hosts lists every host that the web serves, the canaries among them: a client maps each to Web.
func (c *City) Hosts() []string {
	hosts := append([]string{}, canaryHosts...)
	for h := range c.pages {
		hosts = append(hosts, h)
	}
	sort.Strings(hosts)
	return hosts
}

// Pages lists the URLs at which the web has something to say, good or bad.
func (c *City) Pages() []string {
	var list []string
	for host, paths := range c.pages {
		for p := range paths {
			list = append(list, address(host, p))
		}
	}
	sort.Strings(list)
	return list
}

// serveWeb answers by the Host header, as one machine with many names does.
func (c *City) serveWeb(w http.ResponseWriter, r *http.Request) {
	host := hostOnly(r.Host)
	for _, k := range canaryHosts {
		if host == k {
			c.Canary.serve(w, r)
			return
		}
	}
	if host == hostOnly(c.Web) { // asked by its address, it is the encyclopaedia
		host = wikipediaHost
	}
	if host == wikipediaHost && strings.HasPrefix(r.URL.Path, "/w/") {
		api := r.Clone(r.Context())
		api.URL.Path, api.URL.RawPath = "/search/wikipedia"+r.URL.Path, ""
		c.routes.ServeHTTP(w, api)
		return
	}
	paths, known := c.pages[host]
	if !known {
		http.Error(w, "no such host in the city", http.StatusMisdirectedRequest)
		return
	}
	s, ok := paths[r.URL.Path] // whichever way it is escaped
	if !ok {
		s, ok = paths[strings.TrimSuffix(r.URL.Path, "/")]
	}
	if !ok {
		s, ok = paths[r.URL.Path+"/"]
	}
	switch {
	case !ok:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte("<!DOCTYPE html><title>404 Not Found</title><h1>Not Found</h1>"))
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	case s.behave != nil:
		s.behave(c, w, r)
	default:
		s.page.serve(w, r)
	}
}

// serve answers with a page: with a validator, and compressed where the client takes that.
func (p Page) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	if p.ContentType != "" {
		h.Set("Content-Type", p.ContentType)
	}
	for name, value := range p.Header {
		h.Set(name, value)
	}
	status := p.Status
	if status == 0 {
		status = http.StatusOK
		sum := sha256.Sum256(p.Body)
		tag := `"` + hex.EncodeToString(sum[:8]) + `"`
		h.Set("ETag", tag)
		h.Set("Last-Modified", "Wed, 01 Oct 2025 09:00:00 GMT")
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	body := p.Body
	if strings.HasPrefix(p.ContentType, "text/") {
		h.Add("Vary", "Accept-Encoding")
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			body = zip(body)
			h.Set("Content-Encoding", "gzip")
		}
	}
	h.Set("Content-Length", fmt.Sprint(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}

func zip(body []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(body) // to memory
	_ = z.Close()
	return b.Bytes()
}
