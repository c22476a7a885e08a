package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"ibid/fetch/robots"
)

const (
	robotsFresh = 24 * time.Hour  // RFC 9309 §2.4: no longer
	robotsRetry = 5 * time.Minute // until rules that could not be read are asked for again
	manyOrigins = 1024            // whose rules are remembered before old ones are forgotten
)

// robotsRules remembers the rules of each origin: scheme, host and port. It is safe for concurrent use.
type robotsRules struct {
	mu      sync.Mutex
	origins map[string]*originRules
}

// originRules are what one origin lets us do. turn is held by whoever reads or asks for them.
type originRules struct {
	turn   chan struct{}
	file   *robots.File
	closed *Unavailable // the rules cannot be read, so nothing may be
	until  time.Time
}

func newRobotsRules() *robotsRules { return &robotsRules{origins: map[string]*originRules{}} }

func (r *robotsRules) of(origin string, now time.Time) *originRules {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.origins) >= manyOrigins {
		for name, o := range r.origins {
			select {
			case o.turn <- struct{}{}: // nobody else uses it
				if o.until.Before(now) {
					delete(r.origins, name)
				}
				<-o.turn
			default:
			}
		}
	}
	o := r.origins[origin]
	if o == nil {
		o = &originRules{turn: make(chan struct{}, 1)}
		r.origins[origin] = o
	}
	return o
}

// permit asks the rules of a host whether a URL may be read, and returns the pause that the host wants. An address that a
// person typed may be read whatever they say; that is noted.
func (l *Live) permit(ctx context.Context, v *visit, at string) (delay time.Duration, err error) {
	u, err := url.Parse(at)
	if err != nil {
		return 0, unavailable(at, Refused, "it does not parse as a URL", hintYours)
	}
	file, closed, err := l.rules(ctx, u.Scheme+"://"+u.Host)
	if err != nil {
		return 0, err
	}
	if closed == nil {
		delay = file.Delay(l.c.Agent)
		path := u.EscapedPath()
		if u.RawQuery != "" {
			path += "?" + u.RawQuery
		}
		if line, ok := file.Rule(l.c.Agent, path); !ok {
			closed = forbidden(at, fmt.Sprintf("robots.txt of %s says %q", u.Host, Excerpt(line, 200)))
		} else if signal := file.Signals(l.c.Agent, path).ForbidsInput(); signal != "" {
			closed = forbidden(at, fmt.Sprintf("robots.txt of %s says %q for it: the text is not to be given to a model", u.Host, signal))
		}
	}
	switch {
	case closed == nil:
	case v.typed && closed.Outcome == Blocked:
		v.overruled = true
	default:
		return 0, closed
	}
	return delay, nil
}

func forbidden(at, reason string) *Unavailable {
	return unavailable(at, Blocked, reason, "Do not try it again; take another source. A person who wants this very page may give its address in the question.")
}

// obeySignals heeds the signals in the header of a page.
func obeySignals(v *visit, h http.Header) error {
	said := robots.ParseSignals(append(h.Values("Content-Signal"), h.Values("Content-Usage")...)...)
	signal := said.ForbidsInput()
	if signal == "" {
		return nil
	}
	if v.typed {
		v.overruled = true
		return nil
	}
	return forbidden(v.asked, fmt.Sprintf("the page says %q: its text is not to be given to a model", signal))
}

// rules returns the rules of an origin: a file, or why nothing may be read. They are asked for once, and again after a
// day at the latest.
func (l *Live) rules(ctx context.Context, origin string) (file *robots.File, closed *Unavailable, err error) {
	o := l.robots.of(origin, l.c.Now())
	select {
	case o.turn <- struct{}{}:
		defer func() { <-o.turn }()
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	if l.c.Now().Before(o.until) {
		return o.file, o.closed, nil
	}
	key := "robots:" + origin
	if kept := l.c.Cache.get(ctx, key); kept != nil && kept.fresh && kept.failure == nil {
		o.file, o.closed, o.until = robots.Parse(kept.Body), nil, kept.fetched.Add(robotsFresh)
		return o.file, o.closed, nil
	}
	r, err := l.askRobots(ctx, origin+"/robots.txt")
	var e *Unavailable
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case err != nil && !errors.As(err, &e):
		return nil, nil, err
	case e != nil && (e.Outcome == RateLimited || e.Outcome == Refused): // not rules: it may not be asked at all, or not now
		return nil, nil, e
	case e != nil:
		o.closed = forbidden(origin, "its robots.txt cannot be read ("+e.Reason+"), so nothing of the host may be")
		o.file, o.until = nil, l.c.Now().Add(robotsRetry)
		return nil, o.closed, nil
	}
	body := r.Body[:min(len(r.Body), robots.MaxFile+1)] // the byte too many says that it goes on
	o.file, o.closed, o.until = robots.Parse(body), nil, l.c.Now().Add(robotsFresh)
	l.c.Cache.putAnswer(ctx, key, &Response{URL: r.URL, Status: r.Status, Header: http.Header{}, Body: body}, robotsFresh)
	return o.file, o.closed, nil
}

// askRobots asks for a robots.txt (RFC 9309 §2.3.1). Redirects are followed, to other hosts too, by the same guarded
// client; at least five are to be. A file that is not there, or redirects too often, is an empty one; a server that fails or is overloaded is an
// error.
func (l *Live) askRobots(ctx context.Context, at string) (*Response, error) {
	for range MaxRedirects + 1 {
		r, err := l.ask(ctx, Request{URL: at, MaxBody: MaxFile, Redirects: -1}, 0)
		switch {
		case err != nil:
			return nil, err
		case r.Location != "":
			at = r.Location
			continue
		case headerCheck(r.Header) != "" || r.Status/100 == 2 && IsHTML(r) && scanPage(r.Body).checkedBy() != "":
			return nil, unavailable(at, Failed, "a bot check stands in its place", HintOther)
		case r.Status/100 == 2:
			return r, nil
		case r.Status == http.StatusTooManyRequests:
			return nil, limited(at, "the server answered 429 Too Many Requests for its robots.txt", RetryAfter(r.Header, l.c.Now()))
		case r.Status/100 == 4:
			return &Response{URL: at, Status: r.Status}, nil
		}
		return nil, unavailable(at, Failed, fmt.Sprintf("the server answered %d %s", r.Status, http.StatusText(r.Status)), HintOther)
	}
	return &Response{URL: at, Status: http.StatusNotFound}, nil
}
