package render

import (
	"net/http"
	"net/url"
	"strings"

	"ibid/fetch"
)

// A verdict is what becomes of a request that a page makes.
type verdict int

const (
	refuse verdict = iota // it fails in the page
	answer                // the guarded client performs it
	blank                 // the page gets an empty success, and nothing is requested
	local                 // its answer is in the browser already
)

// judge decides on a request by what it is for (a ResourceType of the protocol), its method and where it goes. Documents
// come from the page's own site; scripts and data that scripts read may come from elsewhere; a style sheet from elsewhere
// is blank rather than refused, since loaders wait for it. Nothing is ever sent but GET, and nothing that shows text
// needs pictures, sounds, fonts, beacons or sockets.
func judge(kind, method, target, site string) verdict {
	u, err := url.Parse(target)
	if err != nil {
		return refuse
	}
	if u.Scheme == "data" || u.Scheme == "blob" {
		return local
	}
	if method != http.MethodGet || !web(target) || u.Host == "" || u.User != nil {
		return refuse
	}
	own := fetch.Site(u.Hostname()) == site
	switch kind {
	case "Script", "XHR", "Fetch":
		return answer
	case "Document":
		if own {
			return answer
		}
	case "Stylesheet":
		if own {
			return answer
		}
		return blank
	}
	return refuse
}

func web(url string) bool {
	return strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "https://")
}

// kept are the request headers that are passed on everywhere; a page's own site also gets what its scripts set.
var kept = map[string]bool{"Accept": true, "Accept-Language": true, "Origin": true, "Referer": true}

// dropped are the request headers that the client answers for.
var dropped = map[string]bool{"Accept-Encoding": true, "Connection": true, "Content-Length": true, "Forwarded": true, "Host": true, "Keep-Alive": true,
	"Proxy-Authorization": true, "Proxy-Connection": true, "Range": true, "Te": true, "Trailer": true, "Transfer-Encoding": true, "Upgrade": true,
	"Upgrade-Insecure-Requests": true, "User-Agent": true, "Via": true}

// outgoing selects the headers of a request that are sent. A browser would ask another site (a CORS preflight) before it
// sends headers that scripts made; they are left out instead.
func outgoing(given map[string]string, own bool) http.Header {
	h := http.Header{}
	for name, value := range given {
		name = http.CanonicalHeaderKey(name)
		switch {
		case kept[name]:
		case !own || dropped[name] || strings.HasPrefix(name, "Sec-") || strings.HasPrefix(name, "If-") || strings.HasPrefix(name, "X-Forwarded-"):
			continue
		}
		h.Set(name, value)
	}
	return h
}

// shown are the response headers that a page sees, besides those that begin with X- or Access-Control-. Those that make
// a browser do something on its own (reports, downloads, refreshes, preloads, other protocols) are not among them.
var shown = map[string]bool{"Cache-Control": true, "Content-Language": true, "Content-Security-Policy": true, "Content-Type": true, "Date": true, "Etag": true,
	"Last-Modified": true, "Location": true, "Set-Cookie": true, "Vary": true}

// sandbox is the policy that each document gets besides its own (HTML, 7.1.5): it has an origin, scripts and forms, but
// no dialogs, windows, downloads or fullscreen, and its frames do not move the page.
const sandbox = "sandbox allow-scripts allow-same-origin allow-forms"

// header is one in the form of the protocol.
type header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func incoming(h http.Header) []header {
	list := []header{}
	for name, values := range h {
		if shown[name] || strings.HasPrefix(name, "X-") || strings.HasPrefix(name, "Access-Control-") {
			for _, v := range values {
				list = append(list, header{name, v})
			}
		}
	}
	return list
}
