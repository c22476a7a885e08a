package outside

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// A Line joins a run and its researcher. Calls may come from many goroutines at once; those that wait when the run asks for
// its next turn become one turn, in the order in which they came.
type Line struct {
	mu      sync.Mutex
	queue   []*call
	asked   []*call // taken, and not answered yet
	unheard []heard // results of the last turn that nobody has heard: who makes the same call next gets its result
	closing string  // set when only a report is taken any more: what the run says of it
	news    chan struct{}

	accepted bool // a report; of the run's own goroutine
	over     chan struct{}
	ended    bool
}

// A call is one tool call on its way.
type call struct {
	id, name, args string
	reply          chan Reply
}

// A Reply is what a run answers to a call.
type Reply struct {
	Content string
	IsError bool
	Final   bool // a report was accepted: the run says the rest when it ends
}

// maxTurn is how many calls one turn holds.
const maxTurn = 8

// ErrOver says that the run no longer takes calls: it has ended, or is not at work.
var ErrOver = errors.New("the run takes no more calls")

// NewLine makes a line for one stretch of work on a run.
func NewLine() *Line {
	return &Line{news: make(chan struct{}, 1), over: make(chan struct{})}
}

// Close ends the line: whoever waits gets ErrOver.
func (l *Line) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended {
		l.ended = true
		close(l.over)
	}
}

// Call makes a tool call and waits for its result. The result of a call that was made when its caller has gone is kept for
// whoever makes the same call next.
func (l *Line) Call(ctx context.Context, name, args string) (Reply, error) {
	c := &call{name: name, args: args, reply: make(chan Reply, 1)}
	l.mu.Lock()
	if l.ended {
		l.mu.Unlock()
		return Reply{}, ErrOver
	}
	if l.again(c) {
		l.mu.Unlock()
		return <-c.reply, nil
	}
	if l.closing != "" && name != Report {
		text := l.closing
		l.mu.Unlock()
		return Reply{Content: text, IsError: true}, nil
	}
	l.queue = append(l.queue, c)
	l.mu.Unlock()
	l.wake()
	select {
	case r := <-c.reply:
		return r, nil
	case <-l.over:
		select {
		case r := <-c.reply:
			return r, nil
		default:
			return Reply{}, ErrOver
		}
	case <-ctx.Done():
		l.withdraw(c)
		return Reply{}, context.Cause(ctx)
	}
}

// again answers a call with a result of the same call that nobody has heard. l is locked.
func (l *Line) again(c *call) bool {
	for i, h := range l.unheard {
		if h.Name == c.name && h.Args == c.args {
			l.unheard = append(l.unheard[:i], l.unheard[i+1:]...)
			c.reply <- Reply{Content: h.Content, IsError: h.IsError}
			return true
		}
	}
	return false
}

// withdraw takes a call back whose caller has gone, if the run has not taken it yet.
func (l *Line) withdraw(c *call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, q := range l.queue {
		if q == c {
			l.queue = append(l.queue[:i], l.queue[i+1:]...)
			return
		}
	}
	c.reply = nil
}

func (l *Line) wake() {
	select {
	case l.news <- struct{}{}:
	default:
	}
}

// tell gives the callers of the last turn their results. accepted is the call that a report was taken from.
func (l *Line) tell(r request, accepted string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unheard = nil
	asked := l.asked
	l.asked = nil
	if r.Choice == "none" {
		l.closing = r.Text
		l.refuse()
	}
	for _, h := range r.Heard {
		to := reply(asked, h.ID)
		switch {
		case to == nil && h.ID != accepted:
			l.unheard = append(l.unheard, h)
		case to != nil:
			content := h.Content
			if l.closing != "" {
				content += "\n" + l.closing
			}
			to <- Reply{Content: content, IsError: h.IsError, Final: h.ID == accepted}
		}
	}
	l.queue = slices.DeleteFunc(l.queue, l.again)
}

func reply(asked []*call, id string) chan Reply {
	for _, c := range asked {
		if c.id == id {
			return c.reply
		}
	}
	return nil
}

// refuse answers what waits and is no longer taken. l is locked.
func (l *Line) refuse() {
	kept := l.queue[:0]
	for _, c := range l.queue {
		if c.name == Report {
			kept = append(kept, c)
			continue
		}
		c.reply <- Reply{Content: l.closing, IsError: true}
	}
	l.queue = kept
}

// take waits for calls. A report is taken alone: what was called before it comes first.
func (l *Line) take(ctx context.Context) ([]*call, error) {
	for {
		l.mu.Lock()
		if n := len(l.queue); n > 0 {
			taken := l.queue[:min(n, maxTurn)]
			for i, c := range taken {
				if c.name == Report {
					taken = taken[:max(i, 1)]
					break
				}
			}
			taken = append([]*call{}, taken...)
			l.queue = l.queue[len(taken):]
			l.asked = taken
			l.mu.Unlock()
			return taken, nil
		}
		l.mu.Unlock()
		select {
		case <-l.news:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
