package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"time"

	"ibid/journal"
)

// patience is how long a client may take for what it is sent before it is taken for gone. It may come back, and goes on
// from where it was.
const patience = 30 * time.Second

// A stream is what one watcher of a run is sent, as server-sent events.
type stream struct {
	write  func([]byte) error // sends, within patience
	gone   <-chan struct{}    // closed when the client has left; nil: alive tells
	alive  func() bool        // nil: gone tells
	buf    []byte
	at     cursor
	run    string
	one    *feed
	past   func(after int64) iter.Seq2[journal.Event, error] // what is on record
	beat   time.Duration
	ending <-chan struct{}
	log    *slog.Logger
}

// follow streams a run's events until it is over. What is sent bears as its id the place to go on from.
func (c *call) follow(at cursor) error {
	if accept := c.r.Header.Get("Accept"); accept != "" && liking(accept, "text/event-stream") == 0 {
		return refuse(problemAccept, "Accept text/event-stream or application/json.", "events are a stream or JSON")
	}
	id := c.path("run")
	one, err := c.feeds.join(c.desk, id, c.config.Watchers)
	if err != nil {
		return err
	}
	h := c.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // proxies hold nothing back
	s := &stream{buf: []byte("retry: 2000\n\n"), at: at, run: id, one: one, beat: c.config.Heartbeat, ending: c.closing, log: c.log}
	desk, feeds := c.desk, c.feeds
	s.past = func(after int64) iter.Seq2[journal.Event, error] { return desk.Events(feeds.ctx, id, after, false) }
	if conn, _, err := http.NewResponseController(c.w).Hijack(); err == nil {
		c.alone(conn, s)
		return nil
	}
	defer c.feeds.leave(id, one)
	c.w.WriteHeader(http.StatusOK)
	rc := http.NewResponseController(c.w)
	s.gone, s.write = c.ctx.Done(), func(p []byte) error {
		if err := rc.SetWriteDeadline(time.Now().Add(patience)); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return err
		}
		if _, err := c.w.Write(p); err != nil {
			return err
		}
		return rc.Flush()
	}
	s.stream()
	return nil
}

// alone lets a stream go on by itself, without the buffers, the two stacks and the request that a handler keeps: of a server
// with thousands of watchers that is most of the memory.
func (c *call) alone(conn net.Conn, s *stream) {
	c.w.status = http.StatusOK
	h := c.w.Header()
	h.Set("Connection", "close")
	h.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	var head bytes.Buffer
	head.WriteString("HTTP/1.1 200 OK\r\n")
	_ = h.Write(&head) // of a buffer
	head.WriteString("\r\n")
	s.buf = append(head.Bytes(), s.buf...)
	s.write = func(p []byte) error {
		if err := conn.SetWriteDeadline(time.Now().Add(patience)); err != nil {
			return err
		}
		_, err := conn.Write(p)
		return err
	}
	s.alive = func() bool { // nothing comes from who reads a stream: what can be read is its end
		if err := conn.SetReadDeadline(time.Now().Add(time.Millisecond)); err != nil {
			return false
		}
		_, err := conn.Read(make([]byte, 1))
		var slow net.Error
		return err == nil || errors.As(err, &slow) && slow.Timeout()
	}
	feeds, streams := c.feeds, &c.streams
	streams.Go(func() {
		defer feeds.leave(s.run, s.one)
		defer conn.Close()
		s.stream()
	})
}

// flush sends what was written.
func (s *stream) flush() error {
	if len(s.buf) == 0 {
		return nil
	}
	err := s.write(s.buf)
	if s.buf = s.buf[:0]; cap(s.buf) > 1<<10 {
		s.buf = nil // a past was caught up with
	}
	return err
}

// flushSome sends what was written if it is enough for a packet or two.
func (s *stream) flushSome() error {
	if len(s.buf) <= 4<<10 {
		return nil
	}
	return s.flush()
}

// event writes an event. JSON has no line breaks.
func (s *stream) event(name, id string, data []byte) {
	s.buf = append(append(append(s.buf, "event: "...), name...), '\n')
	if id != "" {
		s.buf = append(append(append(s.buf, "id: "...), id...), '\n')
	}
	s.buf = append(append(append(s.buf, "data: "...), data...), "\n\n"...)
}

// record sends what the feed does not hold any more, from the journal. Of what is sent here the feed holds some too: the cursor knows.
func (s *stream) record() error {
	for ev, err := range s.past(s.at.from()) {
		if err != nil {
			return err
		}
		if !s.at.take(ev) {
			continue
		}
		data, err := json.Marshal(ev)
		if err != nil {
			return err
		}
		s.event(eventName(ev), s.at.String(), data)
		if err := s.flushSome(); err != nil {
			return err
		}
	}
	return nil
}

// catchUp sends what there is after the first n things, and says how many there are then.
func (s *stream) catchUp(n int) (seen int, over bool, changed <-chan struct{}, err error) {
	for gone := s.one.missed(n); gone > n; gone = s.one.missed(n) {
		if err := s.record(); err != nil {
			return n, false, nil, err
		}
		n = gone
	}
	n, more, over, changed, failed := s.one.since(n)
	for i, t := range more {
		switch {
		case t.event.Seq != 0:
			if s.at.take(t.event) {
				s.event(t.name, s.at.String(), t.data)
			}
		case i == len(more)-1: // how the run stands, unless it went on
			s.event(t.name, "", t.data)
		}
		if err := s.flushSome(); err != nil {
			return n, over, changed, err
		}
	}
	if over && failed != nil && !errors.Is(failed, context.Canceled) {
		s.log.Error("a stream failed", "run", s.run, "error", failed.Error())
		s.event("problem", "", []byte(`{"type":"/problems/internal","title":"The server failed","status":500}`))
	}
	return n + len(more), over, changed, s.flush()
}

// stream streams until the run is over, the client is gone or the server ends.
func (s *stream) stream() {
	beat := time.NewTicker(s.beat)
	defer beat.Stop()
	for seen := 0; ; {
		n, over, changed, err := s.catchUp(seen)
		if err != nil || over {
			return
		}
		seen = n
		select {
		case <-changed:
		case <-beat.C:
			if s.alive != nil && !s.alive() {
				return
			}
			s.buf = append(s.buf, ":\n\n"...)
		case <-s.ending:
			s.buf = append(s.buf, ": this server is going down; go on from the last id\n\n"...)
			_ = s.flush() // as a courtesy
			return
		case <-s.gone:
			return
		}
	}
}
