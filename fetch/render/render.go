// Package render reads pages that show their text only after their scripts ran, with a real Chromium (FETCH-8).
//
// The browser never touches the network. Each request that a page makes is paused and answered by a guarded client, or
// refused; and the browser is started such that a connection of its own has no way out. A page has a process and a
// profile to itself, and both are gone before its document is returned.
package render

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ibid/fetch"
)

// FlagUnsettled marks a document that was still changing, or still loading, when its time was over.
const FlagUnsettled = "unsettled"

// A Config says how pages are rendered. Only Client is needed.
type Config struct {
	Client      fetch.Doer       // performs each exchange
	Program     string           // path of the browser; "" looks for chromium and its like on the PATH
	UserAgent   string           // what scripts see; "" is the browser's own
	Now         func() time.Time // nil means time.Now
	Settle      time.Duration    // without requests, after which a loaded page counts as settled; 0 means 500 ms
	Timeout     time.Duration    // for a page; 0 means 20 s
	MaxBody     int64            // bytes of the document that is returned; 0 means fetch.MaxHTML
	MaxRequests int              // that a page may make; the others are refused; 0 means 200
}

// A Renderer is a fetch.Fetcher that returns pages as their scripts left them. It renders one page at a time and is safe
// for concurrent use.
type Renderer struct {
	config Config
	turn   chan struct{}
}

// New returns a renderer. Whether there is a browser is looked at when a page is read.
func New(c Config) (*Renderer, error) {
	if c.Client == nil {
		return nil, errors.New("render: it needs a client that performs its requests")
	}
	if c.Settle < 0 || c.Timeout < 0 || c.MaxBody < 0 || c.MaxRequests < 0 {
		return nil, errors.New("render: a limit is negative")
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Settle == 0 {
		c.Settle = 500 * time.Millisecond
	}
	if c.Timeout == 0 {
		c.Timeout = 20 * time.Second
	}
	if c.MaxBody == 0 {
		c.MaxBody = fetch.MaxHTML
	}
	if c.MaxRequests == 0 {
		c.MaxRequests = 200
	}
	return &Renderer{config: c, turn: make(chan struct{}, 1)}, nil
}

// A page that has not settled is stopped a quarter of its time before the end, but not more than a second, and taken as
// it is; when it resists until late after the end, it is given up.
const (
	spare = time.Second
	late  = 300 * time.Millisecond
)

// Fetch loads a page, lets its scripts run until it settles or its time is over, and returns its DOM as HTML in UTF-8.
// What cannot be had is an *fetch.Unavailable. It returns within half a second of the timeout, and at once when ctx
// ends.
func (r *Renderer) Fetch(ctx context.Context, url string) (*fetch.Document, error) {
	canonical, err := fetch.CanonicalURL(url)
	if err == nil && !web(canonical) {
		err = errors.New("only http and https pages are rendered")
	}
	if err != nil {
		return nil, &fetch.Unavailable{URL: url, Outcome: fetch.Refused, Reason: err.Error(), Hint: "Use a URL that was given to you."}
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("render %s: %w", url, err)
	}
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return nil, fmt.Errorf("render %s: %w", url, ctx.Err())
	}
	doc, err := r.render(ctx, canonical)
	var gone *fetch.Unavailable
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("render %s: %w", url, ctx.Err())
	case errors.Is(err, context.DeadlineExceeded):
		gone = slow()
	case err != nil && !errors.As(err, &gone):
		gone = failed(err.Error())
	}
	if gone != nil {
		told := *gone // it may be the client's
		told.URL = url
		return nil, &told
	}
	doc.Requested = url
	return doc, nil
}

// render reads one page in a browser of its own.
func (r *Renderer) render(ctx context.Context, url string) (*fetch.Document, error) {
	program, err := Find(r.config.Program)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	end := begun.Add(r.config.Timeout)
	if d, ok := ctx.Deadline(); ok && d.Before(end) {
		end = d
	}
	open, cancel := context.WithDeadline(ctx, end.Add(-min(spare, end.Sub(begun)/4)))
	defer cancel()
	p := newPage(open, r.config, url)
	if err := p.begin(); err != nil {
		return nil, err
	}
	b, err := start(program, r.config.UserAgent, 6*r.config.MaxBody+1<<20, p.event)
	if err != nil {
		return nil, err
	}
	// In this order: without a browser no request comes any more, and those under way end.
	defer p.tasks.Wait()
	defer cancel()
	quit := 0 * time.Second
	defer func() { b.stop(quit) }()

	settled, err := p.load(open, b.link)
	if err != nil {
		return nil, b.explain(err)
	}
	rest, cancelRest := context.WithDeadline(ctx, end.Add(late))
	defer cancelRest()
	doc, err := p.snapshot(rest, b.link, settled)
	if err != nil {
		return nil, b.explain(err)
	}
	if settled {
		quit = time.Second
	}
	return doc, nil
}
