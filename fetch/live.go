package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
)

// FlagOverruled marks a document that was read though robots.txt or a content signal asks programs not to, because a
// person typed its address.
const FlagOverruled = "robots_overruled"

const (
	defaultInterval = time.Second
	defaultFresh    = 15 * time.Minute
	failureFresh    = 5 * time.Minute
	liveRedirects   = 5
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
	LiveConfig
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
	return &Live{LiveConfig: c, throttle: newThrottle(c.Interval), robots: newRobotsRules()}
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
		return nil, unavailable(asked, Refused, err.Error(), "Use a URL that was given to you.")
	}
	doc, err := l.visit(ctx, &visit{asked: asked, typed: l.Typed(asked) || l.Typed(at)}, at)
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
		case redirects(a.Status):
			if next, err = redirectTarget(v, a); err != nil {
				return nil, err
			}
			if v.redirects++; v.redirects > liveRedirects {
				return nil, unavailable(v.asked, Failed, "it redirects again and again", "Take another source.")
			}
		case a.refresh != "":
			if next = a.refresh; v.refreshed && Site(hostOf(a.URL)) == Site(hostOf(next)) {
				return nil, unavailable(v.asked, Failed, "it forwards to a page that forwards again", "Take another source.")
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
				Fetched: a.fetched.UTC().Truncate(time.Second), Flags: flags}, nil
		}
		if at, err = l.onward(v, a.URL, next); err != nil {
			return nil, err
		}
	}
}

// redirectTarget is where a redirect leads, as an absolute URL.
func redirectTarget(v *visit, a *answer) (string, error) {
	from, err := url.Parse(a.URL)
	locations := a.Header.Values("Location")
	if err != nil || len(locations) != 1 || strings.TrimSpace(locations[0]) == "" {
		return "", unavailable(v.asked, Failed, "it redirects without saying clearly where", "Take another source.")
	}
	to, err := from.Parse(strings.TrimSpace(locations[0]))
	if err != nil {
		return "", unavailable(v.asked, Refused, "it redirects to something that does not parse as a URL", "Take another source.")
	}
	return to.String(), nil
}

// onward decides on the way from one page to the next: inside the site it is gone, anywhere else it is told, and not gone
// by anybody unless the URL policy lets them.
func (l *Live) onward(v *visit, from, to string) (string, error) {
	if wall := detour(from, to); wall != "" {
		return "", detoured(v.asked, to, wall)
	}
	next, err := CanonicalURL(to)
	switch {
	case err != nil:
		return "", unavailable(v.asked, Refused, "it redirects to a URL that is refused: "+err.Error(), "Take another source.")
	case strings.HasPrefix(from, "https:") && !strings.HasPrefix(next, "https:") && Site(hostOf(from)) == Site(hostOf(next)):
		return "", unavailable(v.asked, Refused, "it redirects from https to http, where anybody could change it", "Take another source.")
	case Site(hostOf(from)) != Site(hostOf(next)):
		return "", movedTo(v.asked, next)
	}
	return next, nil
}

func movedTo(asked, to string) *Unavailable {
	e := unavailable(asked, Moved, "it redirects to "+shorten(to, 200), "Ask for that URL, if it may be read.")
	e.Location = to
	return e
}

func hostOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// An answer is an exchange that was judged: a page, or the way to one.
type answer struct {
	*Response
	verdict
	fetched time.Time
	stale   bool
}

// answer gets one URL: from the cache, by asking whether the cache still holds, or whole. What is no page is an error.
func (l *Live) answer(ctx context.Context, v *visit, at string) (*answer, error) {
	delay, err := l.permit(ctx, v, at)
	if err != nil {
		return nil, err
	}
	kept := l.Cache.get(ctx, at)
	switch {
	case kept == nil:
	case kept.failure != nil && v.typed: // it may be one that a person overrules
		kept = nil
	case kept.failure != nil:
		return nil, kept.failure
	case kept.fresh:
		return l.judged(v, &kept.Response, kept.fetched)
	}
	header := conditions(kept)
	r, err := l.exchange(ctx, v, at, delay, header)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case len(header) > 0 && err == nil && r.Status == http.StatusNotModified:
		l.Cache.confirm(ctx, at, l.window(&kept.Response))
		return l.judged(v, &kept.Response, l.Now())
	case kept != nil && cannotAsk(r, err):
		a, err := l.judged(v, &kept.Response, kept.fetched)
		if err == nil {
			a.stale = true
		}
		return a, err
	case err != nil:
		return nil, err
	}
	a, err := l.judged(v, r, l.Now())
	l.keep(ctx, at, r, a, err)
	return a, err
}

// judged is an answer that may be used; a signal in its header counts as much as robots.txt.
func (l *Live) judged(v *visit, r *Response, fetched time.Time) (*answer, error) {
	if redirects(r.Status) {
		return &answer{Response: r, fetched: fetched}, nil
	}
	verdict := judge(v.asked, r, l.Now())
	if verdict.unavailable != nil {
		return nil, verdict.unavailable
	}
	if err := obeySignals(v, r.Header); err != nil {
		return nil, err
	}
	return &answer{Response: r, verdict: verdict, fetched: fetched}, nil
}

// keep puts an answer or a lasting failure into the cache.
func (l *Live) keep(ctx context.Context, at string, r *Response, a *answer, err error) {
	var e *Unavailable
	switch {
	case err == nil:
		l.Cache.putAnswer(ctx, at, a.Response, l.window(a.Response))
	case !errors.As(err, &e) || forbidsStoring(r.Header):
	case e.Outcome == NotFound || e.Outcome == Blocked || e.Outcome == ConsentWall || e.Outcome == JSRequired:
		l.Cache.putFailure(ctx, at, e, min(failureFresh, l.Fresh))
	}
}

// window is how long an answer is used without asking.
func (l *Live) window(r *Response) time.Duration {
	if directive(r.Header, "no-cache") {
		return 0
	}
	return l.Fresh
}

// directive reports whether Cache-Control holds a directive.
func directive(h http.Header, name string) bool {
	for _, field := range h.Values("Cache-Control") {
		for d := range strings.SplitSeq(field, ",") {
			if d, _, _ = strings.Cut(d, "="); strings.EqualFold(strings.TrimSpace(d), name) {
				return true
			}
		}
	}
	return false
}

// conditions are the fields that ask whether a kept answer still holds (RFC 9110 §13); nil if there is nothing to ask by.
func conditions(kept *cached) http.Header {
	if kept == nil || kept.Status != http.StatusOK {
		return nil
	}
	h := http.Header{}
	if tag := kept.Header.Get("Etag"); tag != "" {
		h.Set("If-None-Match", tag)
	}
	if at := kept.Header.Get("Last-Modified"); at != "" {
		h.Set("If-Modified-Since", at)
	}
	return h
}

// cannotAsk reports whether a server could not be asked whether a kept answer still holds, which says nothing against it.
func cannotAsk(r *Response, err error) bool {
	if e := (*Unavailable)(nil); errors.As(err, &e) {
		return e.Outcome == Failed || e.Outcome == Incomplete || e.Outcome == RateLimited
	}
	return err == nil && (r.Status >= 500 || r.Status == http.StatusTooManyRequests)
}

// exchange asks a host once, or twice: the size of what an address holds is not known before. A page gets MaxHTML, a file
// MaxFile; what turns out to be larger than a page is asked for as a file, and refused if it is a page after all.
func (l *Live) exchange(ctx context.Context, v *visit, at string, delay time.Duration, header http.Header) (*Response, error) {
	limit := int64(MaxHTML)
	if looksLikeFile(at) {
		limit = MaxFile
	}
	r, err := l.ask(ctx, Request{URL: at, Header: header, MaxBody: limit, Redirects: -1}, delay)
	if e := (*Unavailable)(nil); errors.As(err, &e) && e.Outcome == TooLarge && limit < MaxFile {
		r, err = l.ask(ctx, Request{URL: at, Header: header, MaxBody: MaxFile, Redirects: -1}, delay)
	}
	if e := (*Unavailable)(nil); errors.As(err, &e) && e.Outcome == Moved {
		if wall := detour(at, e.Location); wall != "" {
			return nil, detoured(v.asked, e.Location, wall)
		}
	}
	if err == nil && isHTML(r) && len(r.Body) > MaxHTML {
		return nil, unavailable(at, TooLarge, fmt.Sprintf("the page is larger than %d bytes", MaxHTML), "Take another source.")
	}
	return r, err
}

// ask performs one exchange when its host's turn has come.
func (l *Live) ask(ctx context.Context, r Request, delay time.Duration) (*Response, error) {
	u, err := url.Parse(r.URL)
	if err != nil {
		return nil, unavailable(r.URL, Refused, "it does not parse as a URL", "Use a URL that was given to you.")
	}
	leave, err := l.throttle.enter(ctx, r.URL, u.Host, delay)
	if err != nil {
		return nil, err
	}
	defer leave()
	resp, err := l.Client.Do(ctx, r)
	if err == nil {
		l.throttle.heed(u.Host, overloaded(resp), retryAfter(resp.Header, l.Now()))
	}
	return resp, err
}

// fileEndings are those of addresses that hold a file rather than a page.
var fileEndings = []string{".pdf", ".docx", ".pptx", ".xlsx", ".odt", ".epub", ".csv", ".tsv", ".zip", ".tar", ".gz", ".tgz", ".ipynb", ".json", ".xml", ".txt"}

// looksLikeFile reports whether an address says that it holds a file: by its ending, or as arXiv and others do, by a
// folder named pdf.
func looksLikeFile(at string) bool {
	u, err := url.Parse(at)
	if err != nil {
		return false
	}
	p := strings.ToLower(u.Path)
	return slices.Contains(fileEndings, path.Ext(p)) || strings.Contains(p, "/pdf/")
}
