package render

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"sync"
	"time"

	"ibid/fetch"
)

const (
	atOnce   = 6             // exchanges under way for one page, as browsers do for a host
	maxBytes = fetch.MaxFile // of all that a page loads

	manyTimes = 5 // as many requests as are allowed end a page's time
)

// errFlood ends the time of a page that goes on asking in vain, which keeps the browser from anything else.
var errFlood = errors.New("it asks without end")

// A page is one that is being loaded: what it asks for, and whether it has settled.
type page struct {
	Config
	ctx   context.Context // ends when the page's time is over
	url   string
	site  string
	tasks sync.WaitGroup // exchanges and preparations under way
	slots chan struct{}
	quiet *time.Timer // fires when the page has settled
	ended chan error  // why the page cannot be had

	mu       sync.Mutex      // guards the rest
	first    *fetch.Response // to the request for the page itself, until the browser makes that
	session  string          // of the page itself
	frame    string          // its main frame
	answered string          // the URL of the document that is shown
	loaded   bool
	busy     int
	requests int
	refused  int
	bytes    int64
}

func newPage(ctx context.Context, c Config, target string) *page {
	p := &page{Config: c, ctx: ctx, url: target, slots: make(chan struct{}, atOnce), ended: make(chan error, 1), quiet: time.NewTimer(time.Hour)}
	p.quiet.Stop()
	if u, err := url.Parse(target); err == nil {
		p.site = fetch.Site(u.Hostname())
	}
	return p
}

// load opens the page and waits. It says whether the page settled; if not, its time is over.
func (p *page) load(ctx context.Context, l *link) (settled bool, err error) {
	defer p.quiet.Stop()
	// Everything that runs scripts is announced, and held until it is let go.
	if err := l.call(ctx, "", "Browser.setDownloadBehavior", params{"behavior": "deny"}, nil); err != nil {
		return false, err
	}
	if err := l.call(ctx, "", "Target.setAutoAttach", autoAttach, nil); err != nil {
		return false, err
	}
	select {
	case <-p.quiet.C:
		return true, nil
	case err := <-p.ended:
		if errors.Is(err, errFlood) {
			err = nil
		}
		return false, err
	case <-l.gone:
		return false, errGone
	case <-ctx.Done():
		return false, nil
	}
}

var autoAttach = params{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true}

// end gives the page up.
func (p *page) end(err error) {
	select {
	case p.ended <- err:
	default: // the first reason counts
	}
}

// settle starts or stops the clock that says that the page has settled. The caller holds p.mu.
func (p *page) settle() {
	if p.loaded && p.busy == 0 {
		p.quiet.Reset(p.Settle)
	} else {
		p.quiet.Stop()
	}
}

// event receives what the browser tells, in order. It must not wait for a reply.
func (p *page) event(l *link, m message) {
	switch m.Method {
	case "Target.attachedToTarget":
		p.attached(l, m)
	case "Target.detachedFromTarget", "Inspector.targetCrashed":
		var gone struct {
			Session string `json:"sessionId"`
		}
		json.Unmarshal(m.Params, &gone)
		p.mu.Lock()
		main := p.session != "" && (gone.Session == p.session || m.Session == p.session && m.Method == "Inspector.targetCrashed")
		p.mu.Unlock()
		if main {
			p.end(failed("the page crashed or closed itself"))
		}
	case "Fetch.requestPaused":
		var r request
		if json.Unmarshal(m.Params, &r) == nil {
			p.paused(l, m.Session, r)
		}
	case "Page.loadEventFired":
		p.mu.Lock()
		if m.Session == p.session && p.answered != "" {
			p.loaded = true
			p.settle()
		}
		p.mu.Unlock()
	case "Page.javascriptDialogOpening":
		l.send(m.Session, "Page.handleJavaScriptDialog", params{"accept": false})
	}
}

// attached takes control of something that runs scripts. The first page is ours; its frames and workers are let go
// under the same rules; further windows, service and shared workers are closed, and whatever else there may be stays
// held.
func (p *page) attached(l *link, m message) {
	var e struct {
		Session string `json:"sessionId"`
		Target  struct {
			ID   string `json:"targetId"`
			Type string `json:"type"`
		} `json:"targetInfo"`
	}
	if json.Unmarshal(m.Params, &e) != nil {
		return
	}
	p.mu.Lock()
	first := p.session == "" && e.Target.Type == "page"
	if first {
		p.session, p.frame = e.Session, e.Target.ID
	}
	p.mu.Unlock()
	switch {
	case first:
		p.tasks.Go(func() {
			if err := p.open(l, e.Session); err != nil {
				p.end(err)
			}
		})
	case e.Target.Type == "iframe" || e.Target.Type == "worker":
		p.tasks.Go(func() {
			if p.control(l, e.Session, e.Target.Type) == nil {
				l.send(e.Session, "Runtime.runIfWaitingForDebugger", nil)
			}
		})
	case e.Target.Type == "page" || e.Target.Type == "service_worker" || e.Target.Type == "shared_worker":
		l.send("", "Target.closeTarget", params{"targetId": e.Target.ID})
	}
}

// control makes all requests of a session pause, and announces what it starts.
func (p *page) control(l *link, session, kind string) error {
	if kind != "worker" { // the requests of a dedicated worker pause with those of its frame
		if err := l.call(p.ctx, session, "Fetch.enable", nil, nil); err != nil {
			return err
		}
	}
	return l.call(p.ctx, session, "Target.setAutoAttach", autoAttach, nil)
}

// open lets the page load.
func (p *page) open(l *link, session string) error {
	if err := p.control(l, session, "page"); err != nil {
		return err
	}
	for _, c := range []struct {
		method string
		params params
	}{
		{"Page.enable", nil},
		{"Inspector.enable", nil},
		{"Page.setInterceptFileChooserDialog", params{"enabled": true}},
		{"Network.setBypassServiceWorker", params{"bypass": true}},
		{"Runtime.runIfWaitingForDebugger", nil},
	} {
		if err := l.call(p.ctx, session, c.method, c.params, nil); err != nil {
			return err
		}
	}
	return l.send(session, "Page.navigate", params{"url": p.url})
}
