package server

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"ibid/journal"
)

// Events is a part of a run's events.
type Events struct {
	Events []journal.Event `json:"events"`
	Next   string          `json:"next"` // ?after= for what comes then; as it was given when nothing is new
	State  journal.State   `json:"state"`
}

// maxEvents is the most that are given at once, as JSON.
const maxEvents = 500

// events gives a run's events: as a stream, or as JSON.
func (c *call) events() error {
	after := c.param("after")
	if last := c.param("Last-Event-ID"); last != "" { // a stream that was cut off knows better than its address
		after = last
	}
	at, err := parseCursor(after)
	if err != nil {
		return err
	}
	if c.param("follow") != "" && !c.yes("follow") || c.r.Header.Get("Accept") == "application/json" {
		return c.page(at)
	}
	info, err := c.desk.Info(c.ctx, c.path("run"))
	if err != nil {
		return err
	}
	if info.State.Over() && after != "" { // a browser that gets this asks no more
		page, err := c.some(at, 1)
		if err != nil {
			return err
		}
		if len(page) == 0 {
			c.w.WriteHeader(http.StatusNoContent)
			return nil
		}
	}
	return c.follow(at)
}

// some gives up to n events after a place.
func (c *call) some(at cursor, n int) ([]journal.Event, error) {
	list := []journal.Event{}
	at.open = slices.Clone(at.open) // the reader's own stays where it is
	for ev, err := range c.desk.Events(c.ctx, c.path("run"), at.from(), false) {
		if err != nil {
			return nil, err
		}
		if at.take(ev) {
			if list = append(list, ev); len(list) == n {
				break
			}
		}
	}
	return list, nil
}

func (c *call) page(at cursor) error {
	limit := c.number("limit")
	if limit == 0 {
		limit = maxEvents
	}
	if limit < 1 || limit > maxEvents {
		return invalid("limit=%d: a page has 1 to %d events", limit, maxEvents)
	}
	info, err := c.desk.Info(c.ctx, c.path("run")) // before the events: a run that is over writes no more
	if err != nil {
		return err
	}
	list, err := c.some(at, limit)
	if err != nil {
		return err
	}
	for _, ev := range list {
		at.take(ev)
	}
	if len(list) == limit {
		c.link(url.Values{"after": {at.String()}, "limit": {strconv.Itoa(limit)}, "follow": {"0"}})
	}
	return c.json(http.StatusOK, Events{list, at.String(), info.State})
}

// link tells where the next page is (RFC 8288).
func (c *call) link(query url.Values) {
	c.w.Header().Set("Link", "<"+c.r.URL.EscapedPath()+"?"+query.Encode()+`>; rel="next"`)
}

// A stream is one watcher's connection.
type stream struct {
	w     *response
	rc    *http.ResponseController
	buf   []byte
	until time.Duration // for a client to take what it is sent
}

// patience is how long a client may take for what it is sent before it is taken for gone. It may come back, and goes on
// from where it was.
const patience = 30 * time.Second

// flush sends what was written.
func (s *stream) flush() error {
	if err := s.rc.SetWriteDeadline(time.Now().Add(s.until)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	_, err := s.w.Write(s.buf)
	if s.buf = s.buf[:0]; cap(s.buf) > 8<<10 {
		s.buf = nil // a long past was caught up with
	}
	if err == nil {
		err = s.rc.Flush()
	}
	return err
}

// event writes an event of server-sent events. JSON has no line breaks.
func (s *stream) event(name, id string, data []byte) {
	s.buf = append(append(append(s.buf, "event: "...), name...), '\n')
	if id != "" {
		s.buf = append(append(append(s.buf, "id: "...), id...), '\n')
	}
	s.buf = append(append(append(s.buf, "data: "...), data...), "\n\n"...)
}

// follow streams a run's events until it is over. What is sent bears as its id the place to go on from.
func (c *call) follow(at cursor) error {
	if accept := c.r.Header.Get("Accept"); accept != "" && !accepts(accept, "text/event-stream") {
		return refuse(problemAccept, "Accept text/event-stream or application/json.", "events are a stream or JSON")
	}
	id := c.path("run")
	one, err := c.feeds.join(c.desk, id, c.config.Watchers)
	if err != nil {
		return err
	}
	defer c.feeds.leave(id, one)
	h := c.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // proxies hold nothing back
	c.w.WriteHeader(http.StatusOK)
	s := &stream{w: c.w, rc: http.NewResponseController(c.w), until: patience, buf: []byte("retry: 2000\n\n")}
	beat := time.NewTicker(c.config.Heartbeat)
	defer beat.Stop()
	for seen := 0; ; {
		more, over, changed, failed := one.since(seen)
		for i, t := range more {
			switch {
			case t.event.Seq != 0:
				if at.take(t.event) {
					s.event(t.name, at.String(), t.data)
				}
			case i == len(more)-1:
				s.event(t.name, "", t.data)
			}
			if len(s.buf) > 4<<10 {
				if s.flush() != nil {
					return nil // it is gone
				}
			}
		}
		seen += len(more)
		if over && failed != nil && !errors.Is(failed, context.Canceled) {
			c.log.Error("a stream failed", "run", id, "error", failed.Error())
			s.event("problem", "", []byte(`{"type":"/problems/internal","title":"The server failed","status":500}`))
		}
		if len(s.buf) > 0 && s.flush() != nil || over {
			return nil
		}
		select {
		case <-changed:
		case <-beat.C:
			s.buf = append(s.buf, ":\n\n"...)
		case <-c.closing:
			s.buf = append(s.buf, ": this server is going down; go on from the last id\n\n"...)
			_ = s.flush() // as a courtesy
			return nil
		case <-c.ctx.Done():
			return nil
		}
	}
}

// accepts says whether an Accept header takes a type, in any order.
func accepts(header, t string) bool {
	kind, _, _ := strings.Cut(t, "/")
	for part := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		name = strings.ToLower(strings.TrimSpace(name))
		if (name == t || name == "*/*" || name == kind+"/*") && quality(params) > 0 {
			return true
		}
	}
	return false
}

// quality is the q of a part of an Accept header.
func quality(params string) float64 {
	for p := range strings.SplitSeq(params, ";") {
		if v, ok := strings.CutPrefix(strings.TrimSpace(p), "q="); ok {
			q, err := strconv.ParseFloat(v, 64)
			if err != nil {
				return 0
			}
			return q
		}
	}
	return 1
}
