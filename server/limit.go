package server

import (
	"fmt"
	"math"
	"net"
	"net/http"
	"net/netip"
	"sync"

	"golang.org/x/time/rate"
)

// A limiter holds each of many to a rate. It forgets who has been quiet for so long that it makes no difference.
type limiter struct {
	each  rate.Limit
	burst int

	mu  sync.Mutex
	of  map[string]*rate.Limiter
	max int
}

func newLimiter(each float64, burst int) *limiter {
	return &limiter{each: rate.Limit(each), burst: burst, of: map[string]*rate.Limiter{}, max: 8192}
}

// get is the limiter of one.
func (l *limiter) get(name string) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one := l.of[name]; one != nil {
		return one
	}
	if len(l.of) >= l.max {
		for other, one := range l.of {
			if one.Tokens() >= float64(l.burst) || len(l.of) > 2*l.max {
				delete(l.of, other)
			}
		}
	}
	one := rate.NewLimiter(l.each, l.burst)
	l.of[name] = one
	return one
}

// within counts a request of somebody, and refuses it when there were too many.
func (s *Server) within(w *response, who caller) error {
	l := s.limits.get(who.name())
	ok := l.Allow()
	left := math.Max(l.Tokens(), 0)
	h := w.Header()
	window := int(math.Ceil(float64(s.limits.burst) / float64(s.limits.each)))
	h.Set("RateLimit-Policy", fmt.Sprintf(`"requests";q=%d;w=%d`, s.limits.burst, window))
	h.Set("RateLimit", fmt.Sprintf(`"requests";r=%d;t=%d`, int(left), int(math.Ceil((float64(s.limits.burst)-left)/float64(s.limits.each)))))
	if ok {
		return nil
	}
	return refuse(problemTooMany, "Wait for as long as Retry-After tells.", "more than %d requests at once, or %g a second", s.limits.burst, float64(s.limits.each)).
		after(max(int(math.Ceil((1-left)/float64(s.limits.each))), 1))
}

// address is who is counted for wrong tokens: an IPv4 address, or the network of an IPv6 address, of which everybody has more
// than anybody counts. A token that holds is heard all the same, or who sends wrong ones could lock out all that come through
// the same proxy.
func address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	a, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	if a = a.Unmap(); a.Is6() {
		if p, err := a.Prefix(64); err == nil {
			return p.String()
		}
	}
	return a.String()
}
