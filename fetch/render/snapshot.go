package render

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"ibid/fetch"
)

//go:embed snapshot.js
var serialise string

// snapshot takes the page as it is. Scripts of a page that has not settled may run without end; they are stopped, what
// runs and what waits.
func (p *page) snapshot(ctx context.Context, l *link, settled bool) (*fetch.Document, error) {
	p.mu.Lock()
	session, frame, answered := p.session, p.frame, p.answered
	p.mu.Unlock()
	if answered == "" {
		return nil, slow()
	}
	if !settled {
		l.send(session, "Emulation.setScriptExecutionDisabled", params{"value": true})
		l.send(session, "Runtime.terminateExecution", nil)
		l.send(session, "Page.stopLoading", nil)
	}
	// A world of its own: what the page made of its built-in functions is not called.
	var world struct {
		ID int `json:"executionContextId"`
	}
	if err := l.call(ctx, session, "Page.createIsolatedWorld", params{"frameId": frame}, &world); err != nil {
		return nil, err
	}
	var got struct {
		Result struct {
			Value struct {
				HTML  string `json:"html"`
				Text  bool   `json:"text"`
				Large bool   `json:"large"`
			} `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text string `json:"text"`
		} `json:"exceptionDetails"`
	}
	err := l.call(ctx, session, "Runtime.evaluate", params{"expression": fmt.Sprintf("(%s)(%d)", serialise, p.MaxBody), "contextId": world.ID, "returnByValue": true}, &got)
	v := got.Result.Value
	switch {
	case err != nil:
		return nil, err
	case got.Exception != nil:
		return nil, failed("the page cannot be written down: " + got.Exception.Text)
	case v.Large || int64(len(v.HTML)) > p.MaxBody:
		return nil, &fetch.Unavailable{Outcome: fetch.TooLarge, Reason: "after its scripts ran, the page is larger than the limit", Hint: fetch.HintOther}
	case !settled && !v.Text:
		return nil, slow()
	}
	doc := &fetch.Document{URL: answered, ContentType: "text/html; charset=utf-8", Body: []byte(v.HTML), Fetched: p.Now().UTC().Truncate(time.Second), Flags: []string{fetch.FlagRendered}}
	if !settled {
		doc.Flags = append(doc.Flags, FlagUnsettled)
	}
	return doc, nil
}
