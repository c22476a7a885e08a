package server

import (
	"ibid/fetch"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// front is what a request has to pass before anybody asks who sends it: the server is called by a name of its own, so that
// no foreign name that leads here by the DNS does (DNS rebinding), and a page that asks is one of its own.
type front struct {
	hosts []string // besides those of loopback
	cross *http.CrossOriginProtection
}

func newFront(hosts []string) front {
	f := front{cross: http.NewCrossOriginProtection()}
	for _, h := range hosts {
		f.hosts = append(f.hosts, strings.ToLower(h))
	}
	return f
}

func (f front) check(r *http.Request) error {
	if !f.named(r.Host) {
		return refuse(problemHost, "Call it by its own name, or tell it the name: ibid serve --host NAME", "this server is not called %q", printable(r.Host))
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) {
			return refuse(problemOrigin, "", "a page of %q asks", printable(origin))
		}
	}
	lower := *r // names are the same in any case, which is not looked at there
	lower.Host = strings.ToLower(r.Host)
	if err := f.cross.Check(&lower); err != nil {
		return refuse(problemOrigin, "", "a page of another site asks")
	}
	return nil
}

// named says whether a Host is a name of this server.
func (f front) named(host string) bool {
	host = strings.ToLower(host)
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = host, ""
	}
	if strings.Trim(port, "0123456789") != "" {
		return false
	}
	return fetch.Loopback(name) || slices.Contains(f.hosts, host) || slices.Contains(f.hosts, name)
}

// Loopback says whether an address to listen on, host:port, can be reached from this machine alone.
func Loopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	return err == nil && fetch.Loopback(host)
}
