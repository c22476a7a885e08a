package render

import (
	"net/http"
	"net/url"
	"strings"

	"ibid/fetch"
)

// A request is one that is paused.
type request struct {
	ID      string `json:"requestId"`
	Frame   string `json:"frameId"`
	Kind    string `json:"resourceType"`
	Request struct {
		URL     string            `json:"url"`
		Method  string            `json:"method"`
		Headers map[string]string `json:"headers"`
	} `json:"request"`
}

// paused decides on a request. Those that are refused do not keep a page from settling.
func (p *page) paused(l *link, session string, r request) {
	v := judge(r.Kind, r.Request.Method, r.Request.URL, p.site)
	p.mu.Lock()
	main := r.Kind == "Document" && r.Frame == p.frame
	if v == answer && (p.requests >= p.MaxRequests || p.bytes >= maxBytes) {
		v = refuse
	}
	if v == answer {
		p.requests++
		p.busy++
		p.loaded = p.loaded && !main
		p.settle()
	} else {
		p.refused++
		if p.refused > manyTimes*p.MaxRequests {
			p.end(errFlood)
		}
	}
	p.mu.Unlock()
	switch v {
	case answer:
		p.tasks.Go(func() {
			p.serve(l, session, r, main)
			p.mu.Lock()
			p.busy--
			p.settle()
			p.mu.Unlock()
		})
	case blank:
		l.send(session, "Fetch.fulfillRequest", params{"requestId": r.ID, "responseCode": http.StatusOK})
	case local:
		l.send(session, "Fetch.continueRequest", params{"requestId": r.ID})
	default:
		l.send(session, "Fetch.failRequest", params{"requestId": r.ID, "errorReason": "Aborted"})
		if main && web(r.Request.URL) && !p.own(r.Request.URL) {
			p.end(moved(r.Request.URL))
		}
	}
}

func (p *page) own(target string) bool {
	u, err := url.Parse(target)
	return err == nil && fetch.Site(u.Hostname()) == p.site
}

// begin asks for the page itself, so that no browser is started for one that cannot be had.
func (p *page) begin() error {
	var r request
	r.Request.URL = p.url
	r.Request.Headers = map[string]string{"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1"}
	res, err := p.exchange(r)
	if err == nil {
		err = p.check(res)
	}
	p.first = res
	return err
}

// check says why a response to the request for the page itself is not the way to a page that can be shown.
func (p *page) check(res *fetch.Response) error {
	if res.Location != "" && !p.own(res.Location) {
		return moved(res.Location)
	} else if res.Location != "" {
		return nil
	}
	if u := refusal(res, p.Now()); u != nil {
		return u
	}
	return nil
}

// serve performs a request for the page. The answer to the page itself also decides whether there is one.
func (p *page) serve(l *link, session string, r request, main bool) {
	var res *fetch.Response
	var err error
	if main {
		p.mu.Lock()
		res, p.first = p.first, nil
		p.mu.Unlock()
	}
	if res == nil {
		res, err = p.exchange(r)
	}
	if main && err == nil {
		err = p.check(res)
	}
	if err != nil {
		if main && p.ctx.Err() == nil {
			p.end(err)
		}
		l.send(session, "Fetch.failRequest", params{"requestId": r.ID, "errorReason": "Failed"})
		return
	}
	p.mu.Lock()
	p.bytes += int64(len(res.Body))
	if main && res.Location == "" {
		p.answered = res.URL
	}
	p.mu.Unlock()
	body := res.Body
	if body == nil {
		body = []byte{} // the protocol knows no null
	}
	headers := incoming(res.Header)
	if r.Kind == "Document" {
		headers = append(headers, header{"Content-Security-Policy", sandbox})
	}
	if l.call(p.ctx, session, "Fetch.fulfillRequest", params{"requestId": r.ID, "responseCode": res.Status, "responseHeaders": headers, "body": body}, nil) != nil {
		l.send(session, "Fetch.failRequest", params{"requestId": r.ID, "errorReason": "Failed"}) // what the browser finds wrong with it
	}
}

// exchange performs a request. Redirects go back to the browser, which asks again: each is decided on by itself.
func (p *page) exchange(r request) (*fetch.Response, error) {
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-p.ctx.Done():
		return nil, p.ctx.Err()
	}
	target, _, _ := strings.Cut(r.Request.URL, "#")
	res, err := p.Client.Do(p.ctx, fetch.Request{URL: target, Header: outgoing(r.Request.Headers, p.own(target)), MaxBody: maxBytes / 4, Redirects: -1})
	if err != nil || res.Location == "" {
		return res, err
	}
	again := http.Header{"Location": {res.Location}, "Set-Cookie": res.Header["Set-Cookie"], "Access-Control-Allow-Origin": res.Header["Access-Control-Allow-Origin"]}
	return &fetch.Response{URL: target, Status: res.Status, Header: again, Location: res.Location}, nil
}
