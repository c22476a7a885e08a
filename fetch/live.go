package fetch

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	defaultInterval = time.Second
	defaultFresh    = 15 * time.Minute
	failureFresh    = 5 * time.Minute
)

// LiveConfig is what a Live is made of.
type LiveConfig struct {
	Client   Doer
	Agent    string                // product token that robots.txt knows us by: "ibid"
	Cache    *Cache                // nil: nothing is kept
	Interval time.Duration         // between the starts of two requests to one host; 0 means a second
	Fresh    time.Duration         // how long a kept page is used without asking; 0 means 15 minutes
	Typed    func(url string) bool // says whether a person typed this address; nil: none
	Now      func() time.Time      // nil: time.Now; pauses are always of the real clock
}

// Live reads pages of the net, politely (FETCH-3): robots.txt and content signals are obeyed, hosts are spared, what
// was read lately is not asked for again. It is safe for concurrent use.
type Live struct {
	c        LiveConfig
	throttle *throttle
	robots   *robotsRules
}

// NewLive makes a Live.
func NewLive(c LiveConfig) *Live {
	if c.Interval == 0 {
		c.Interval = defaultInterval
	}
	if c.Fresh == 0 {
		c.Fresh = defaultFresh
	}
	if c.Typed == nil {
		c.Typed = func(string) bool { return false }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Live{c: c, throttle: newThrottle(c.Interval), robots: newRobotsRules()}
}

// Over is the same over another client: what is kept, what robots.txt files say and how hosts are spared stays common.
func (l *Live) Over(client Doer) *Live {
	other := *l
	other.c.Client = client
	return &other
}

// Fetch reads a page. Redirects within the site are followed, each under the same rules; so is one instant refresh, as a
// browser would.
func (l *Live) Fetch(ctx context.Context, asked string) (*Document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	at, err := CanonicalURL(asked)
	if err == nil && strings.HasPrefix(at, "file:") {
		err = errors.New("files of this machine are not read from here")
	}
	if err != nil {
		return nil, unavailable(asked, Refused, err.Error(), hintYours)
	}
	doc, err := l.visit(ctx, &visit{asked: asked, typed: l.c.Typed(asked) || l.c.Typed(at)}, at)
	if e := (*Unavailable)(nil); errors.As(err, &e) {
		e := *e // it may be a shared one
		e.URL = asked
		return nil, &e
	}
	return doc, err
}

// visit is one Fetch.
type visit struct {
	asked     string
	typed     bool
	overruled bool // something asked us not to read, and was overruled
	redirects int
	refreshed bool
	stale     bool // a step of the way could not be confirmed
}

// visit goes from page to page until one is there.
func (l *Live) visit(ctx context.Context, v *visit, at string) (*Document, error) {
	for {
		a, err := l.answer(ctx, v, at)
		if err != nil {
			return nil, err
		}
		v.stale = v.stale || a.stale
		next := ""
		switch {
		case a.Location != "":
			next = a.Location
			if toFront(a.URL, next) && Site(hostOf(a.URL)) == Site(hostOf(next)) {
				return nil, unavailable(v.asked, NotFound, "it redirects to the front page of its site, so there is no such page any more", hintGone)
			}
			if v.redirects++; v.redirects > MaxRedirects {
				return nil, tooManyRedirects(MaxRedirects).unavailable(v.asked)
			}
		case a.refresh != "":
			if next = a.refresh; v.refreshed && Site(hostOf(a.URL)) == Site(hostOf(next)) {
				return nil, unavailable(v.asked, Failed, "it forwards to a page that forwards again", HintOther)
			}
			v.refreshed = true
		default:
			flags := slices.Clone(a.flags)
			if v.overruled {
				flags = append(flags, FlagOverruled)
			}
			if v.stale {
				flags = append(flags, FlagStale)
			}
			return &Document{Requested: v.asked, URL: a.URL, ContentType: a.Header.Get("Content-Type"), Body: a.Body,
				Fetched: a.fetched.UTC().Truncate(time.Second), Flags: flags, Exchange: exchangeOf(a.Response)}, nil
		}
		if at, err = l.onward(v, a.URL, next); err != nil {
			return nil, err
		}
	}
}

// onward decides on the way from one page to the next: inside the site it is gone, anywhere else it is told, and not gone
// by anybody unless the URL policy lets them.
func (l *Live) onward(v *visit, from, to string) (string, error) {
	if wall := detour(from, to); wall != "" {
		return "", detoured(v.asked, to, wall)
	}
	next, err := CanonicalURL(to)
	if err != nil {
		return "", unavailable(v.asked, Refused, redirectsBadly(err.Error()), HintOther)
	}
	a, errA := url.Parse(from)
	b, errB := url.Parse(next)
	switch {
	case errA != nil || errB != nil || Site(a.Hostname()) != Site(b.Hostname()):
		return "", moved(next).unavailable(v.asked)
	case downgrade(a, b): // of a refresh; a redirect's is refused by the client
		return "", unavailable(v.asked, Refused, redirectsDown, HintOther)
	}
	return next, nil
}

func hostOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
