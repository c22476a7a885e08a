package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// exchange asks a host once, or twice: the size of what an address holds is not known before. A page gets MaxHTML, a file
// MaxFile; what turns out to be larger than a page is asked for as a file, and refused if it is a page after all.
func (l *Live) exchange(ctx context.Context, at string, delay time.Duration, header http.Header) (*Response, error) {
	limit := int64(MaxHTML)
	if LooksLikeFile(at) {
		limit = MaxFile
	}
	r, err := l.ask(ctx, Request{URL: at, Header: header, MaxBody: limit, Redirects: -1}, delay)
	if e := (*Unavailable)(nil); errors.As(err, &e) && e.Outcome == TooLarge && limit < MaxFile {
		r, err = l.ask(ctx, Request{URL: at, Header: header, MaxBody: MaxFile, Redirects: -1}, delay)
	}
	if err == nil && IsHTML(r) && len(r.Body) > MaxHTML {
		return nil, unavailable(at, TooLarge, fmt.Sprintf("the page is larger than %d bytes", MaxHTML), HintOther)
	}
	return r, err
}

// ask performs one exchange when its host's turn has come.
func (l *Live) ask(ctx context.Context, r Request, delay time.Duration) (*Response, error) {
	u, err := url.Parse(r.URL)
	if err != nil {
		return nil, unavailable(r.URL, Refused, "it does not parse as a URL", hintYours)
	}
	leave, err := l.throttle.enter(ctx, r.URL, u.Host, delay)
	if err != nil {
		return nil, err
	}
	defer leave()
	resp, err := l.c.Client.Do(ctx, r)
	if err == nil {
		l.throttle.heed(u.Host, overloaded(resp), RetryAfter(resp.Header, l.c.Now()))
	}
	return resp, err
}
