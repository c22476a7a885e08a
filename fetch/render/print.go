package render

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// maxPDF is the largest PDF that is taken from the browser, in bytes.
const maxPDF = 64 << 20

// Print makes a PDF of a page, by the program that Find finds. The page's scripts do not run and nothing is loaded: what it shows
// is in it. It takes a minute at most.
func Print(ctx context.Context, program string, html []byte) (pdf []byte, err error) {
	path, err := Find(program)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	first := make(chan sheet, 1)
	b, err := start(path, "", 2*maxPDF, func(l *link, m message) { attach(l, m, first) })
	if err != nil {
		return nil, err
	}
	defer func() { b.stop(time.Second) }()
	if pdf, err = b.print(ctx, first, html); err != nil {
		return nil, fmt.Errorf("print: %w", b.explain(err))
	}
	return pdf, nil
}

// A sheet is the page that is printed.
type sheet struct{ session, frame string }

// attach tells of the first page and refuses whatever is asked for.
func attach(l *link, m message, first chan<- sheet) {
	switch m.Method {
	case "Target.attachedToTarget":
		var e struct {
			Session string `json:"sessionId"`
			Target  struct {
				ID   string `json:"targetId"`
				Type string `json:"type"`
			} `json:"targetInfo"`
		}
		if json.Unmarshal(m.Params, &e) == nil && e.Target.Type == "page" {
			select {
			case first <- sheet{e.Session, e.Target.ID}:
			default:
			}
		}
	case "Fetch.requestPaused":
		var r struct {
			ID string `json:"requestId"`
		}
		if json.Unmarshal(m.Params, &r) == nil {
			l.send(m.Session, "Fetch.failRequest", params{"requestId": r.ID, "errorReason": "BlockedByClient"})
		}
	}
}

func (b *browser) print(ctx context.Context, first <-chan sheet, html []byte) ([]byte, error) {
	if err := b.link.call(ctx, "", "Target.setAutoAttach", autoAttach, nil); err != nil {
		return nil, err
	}
	var page sheet
	select {
	case page = <-first:
	case <-b.link.gone:
		return nil, errGone
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for _, c := range []struct {
		method string
		params params
	}{
		{"Fetch.enable", nil},
		{"Emulation.setScriptExecutionDisabled", params{"value": true}},
		{"Page.enable", nil},
		{"Runtime.runIfWaitingForDebugger", nil},
		{"Page.setDocumentContent", params{"frameId": page.frame, "html": string(html)}},
	} {
		if err := b.link.call(ctx, page.session, c.method, c.params, nil); err != nil {
			return nil, err
		}
	}
	var printed struct {
		Data []byte `json:"data"`
	}
	err := b.link.call(ctx, page.session, "Page.printToPDF", params{"printBackground": true, "paperWidth": 8.27, "paperHeight": 11.69,
		"marginTop": 0.7, "marginBottom": 0.7, "marginLeft": 0.8, "marginRight": 0.8, "generateTaggedPDF": true, "generateDocumentOutline": true}, &printed)
	if err == nil && len(printed.Data) == 0 {
		err = errors.New("the browser printed nothing")
	}
	return printed.Data, err
}
