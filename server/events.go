package server

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

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
	if c.r.Method == http.MethodHead { // who asks what there is, waits for nothing
		c.w.Header().Set("Content-Type", "text/event-stream")
		c.w.WriteHeader(http.StatusOK)
		return nil
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
