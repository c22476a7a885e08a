package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"ibid/journal"
	"ibid/runs"
)

// Events gives a run's events after a number. A stream that is cut off is taken up where it was, so that nothing is lost
// and nothing told twice.
func (c *Client) Events(ctx context.Context, id string, after int64, follow bool) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		at := ""
		if after > 0 {
			at = strconv.FormatInt(after, 10)
		}
		give := c.pages
		if follow {
			give = c.stream
		}
		err := give(ctx, id, at, func(ev journal.Event) bool { return yield(ev, nil) })
		if err != nil && !errors.Is(err, errOver) && ctx.Err() == nil {
			yield(journal.Event{}, err)
		}
	}
}

// pages gives what there is.
func (c *Client) pages(ctx context.Context, id, at string, give func(journal.Event) bool) error {
	for {
		query := url.Values{"follow": {"0"}}
		if at != "" {
			query.Set("after", at)
		}
		page, err := ask[struct {
			Events []journal.Event `json:"events"`
			Next   string          `json:"next"`
		}](ctx, c, call{method: "GET", path: []string{"runs", id, "events"}, query: query})
		if err != nil {
			return err
		}
		for _, ev := range page.Events {
			if !give(ev) {
				return errOver
			}
		}
		if len(page.Events) == 0 || page.Next == at {
			return nil
		}
		at = page.Next
	}
}

// attempts is how often a stream is taken up again without a sign of life in between.
const attempts = 8

// stream follows a run.
func (c *Client) stream(ctx context.Context, id, at string, give func(journal.Event) bool) error {
	for failed := 0; ; {
		before := at
		err := c.read(ctx, id, &at, give)
		var told *runs.Error
		switch {
		case errors.Is(err, errOver), ctx.Err() != nil:
			return err
		case errors.As(err, &told) && told.Code != runs.Unready && told.Code != runs.Exhausted && told.Code != runs.Internal:
			return err
		}
		if at != before {
			failed = 0
		}
		if failed++; failed > attempts {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(time.Duration(failed*failed)*100*time.Millisecond, 5*time.Second)):
		}
	}
}

// maxEvent is the largest line of a stream, in bytes.
const maxEvent = 4 << 20

// read reads one stream to its end, and moves at to the last event that was given.
func (c *Client) read(ctx context.Context, id string, at *string, give func(journal.Event) bool) error {
	header := http.Header{"Accept": {"text/event-stream"}}
	if *at != "" {
		header.Set("Last-Event-ID", *at)
	}
	resp, err := c.send(ctx, call{method: "GET", path: []string{"runs", id, "events"}, header: header})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNoContent {
		return errOver
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxEvent)
	var name, last, data string
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "event":
			name = value
		case "id":
			last = value
		case "data":
			data += value + "\n"
		}
		if lines.Text() != "" || data == "" {
			continue
		}
		switch name {
		case "end":
			return errOver
		case "parked": // it may have been answered since that was said
			shown, err := c.Show(ctx, id)
			if err != nil {
				return err
			}
			if shown.State.Over() || shown.State == journal.StateParked {
				return errOver
			}
			name, data = "", ""
			continue
		case "problem":
			return &runs.Error{Code: runs.Internal, Message: "the server failed while it told of the run"}
		}
		var ev journal.Event
		if err := json.Unmarshal([]byte(data), &ev); err != nil {
			return &runs.Error{Code: runs.Internal, Message: "reading an event of the server", Err: err}
		}
		if !give(ev) {
			return errOver
		}
		*at, name, data = last, "", ""
	}
	if err := lines.Err(); err != nil {
		return &runs.Error{Code: runs.Unready, Message: "the stream of the server was cut off", Err: err}
	}
	return &runs.Error{Code: runs.Unready, Message: "the stream of the server ended", Err: io.ErrUnexpectedEOF}
}
