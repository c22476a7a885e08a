package fetch

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"
)

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
	kept := l.c.Cache.get(ctx, at)
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
	r, err := l.exchange(ctx, at, delay, header)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case len(header) > 0 && err == nil && r.Status == http.StatusNotModified:
		l.c.Cache.confirm(ctx, at, l.window(&kept.Response))
		return l.judged(v, &kept.Response, l.c.Now())
	case kept != nil && cannotAsk(r, err):
		a, err := l.judged(v, &kept.Response, kept.fetched)
		if err == nil {
			a.stale = true
		}
		return a, err
	case err != nil:
		return nil, err
	}
	a, err := l.judged(v, r, l.c.Now())
	l.keep(ctx, at, r, a, err)
	return a, err
}

// judged is an answer that may be used; a signal in its header counts as much as robots.txt.
func (l *Live) judged(v *visit, r *Response, fetched time.Time) (*answer, error) {
	if r.Location != "" {
		return &answer{Response: r, fetched: fetched}, nil
	}
	verdict := judge(v.asked, r, l.c.Now())
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
		l.c.Cache.putAnswer(ctx, at, a.Response, l.window(a.Response))
	case !errors.As(err, &e) || forbidsStoring(r.Header):
	case e.Outcome == NotFound || e.Outcome == Blocked || e.Outcome == ConsentWall || e.Outcome == JSRequired:
		l.c.Cache.putFailure(ctx, at, e, min(failureFresh, l.c.Fresh))
	}
}

// window is how long an answer is used without asking.
func (l *Live) window(r *Response) time.Duration {
	if directive(r.Header, "no-cache") {
		return 0
	}
	return l.c.Fresh
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
