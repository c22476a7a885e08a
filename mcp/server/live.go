package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"ibid/agent"
	"ibid/journal"
	"ibid/research"
	"ibid/research/outside"
)

// live is a run at work whose researcher is outside.
type live struct {
	run, user string
	line      *outside.Line
	cancel    context.CancelFunc
	done      chan struct{} // closed when result and err are set
	result    *research.Result
	err       error

	calls int // under way; guarded by the server's lock, as last is
	last  time.Time
}

// maxLive bounds the runs that are held open at once.
const maxLive = 64

// attend returns the run at work, and puts it to work where it is not. Whose run it is decides whether there is one. The
// caller gives it back with leave.
func (s *Server) attend(ctx context.Context, user, id string) (*live, error) {
	info, err := s.desk(user).Find(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case info.Model != research.Outside:
		return nil, fmt.Errorf("run %s is researched by ibid itself. Look at it with research_status, and open a run of your own with research_open", id)
	case info.State.Over():
		return nil, &overError{id, info.State}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.live[id]
	if l == nil {
		if s.ctx.Err() != nil {
			return nil, errors.New("the server is closing. Go on later: the run is kept")
		}
		if len(s.live) >= maxLive && !s.makeRoom() {
			return nil, fmt.Errorf("%d runs are being researched at once, which is the limit. Try again in a minute", maxLive)
		}
		l = s.begin(user, id)
	}
	l.calls++
	l.last = time.Now()
	return l, nil
}

// overError says that nothing can be added to a run.
type overError struct {
	run   string
	state journal.State
}

func (e *overError) Error() string {
	return fmt.Sprintf("run %s is over (%s), and nothing can be added to it. Read its report with research_report, or open another with research_open", e.run, e.state)
}

// begin puts a run to work. s is locked.
func (s *Server) begin(user, id string) *live {
	ctx, cancel := context.WithCancel(s.ctx)
	l := &live{run: id, user: user, line: outside.NewLine(), cancel: cancel, done: make(chan struct{})}
	s.live[id] = l
	s.work.Add(1)
	go func() {
		defer s.work.Done()
		defer cancel()
		l.result, l.err = s.desk(user).Attend(ctx, id, &outside.Model{Line: l.line})
		s.mu.Lock()
		if s.live[id] == l {
			delete(s.live, id)
		}
		s.mu.Unlock()
		close(l.done)
		l.line.Close()
		if l.err != nil {
			s.log.Error("run ended", "run", id, "error", l.err)
		}
	}()
	return l
}

// leave says that a call of a run is over.
func (s *Server) leave(l *live) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.calls--
	l.last = time.Now()
}

// makeRoom parks the run that was not called for the longest time. s is locked.
func (s *Server) makeRoom() bool {
	var oldest *live
	for _, l := range s.live {
		if l.calls == 0 && (oldest == nil || l.last.Before(oldest.last)) {
			oldest = l
		}
	}
	if oldest == nil {
		return false
	}
	oldest.cancel()
	delete(s.live, oldest.run)
	return true
}

// tidy parks runs that nobody calls any more.
func (s *Server) tidy() {
	defer s.work.Done()
	tick := time.NewTicker(min(time.Minute, s.config.Idle))
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case now := <-tick.C:
			s.mu.Lock()
			for _, l := range s.live {
				if l.calls == 0 && now.Sub(l.last) > s.config.Idle {
					l.cancel()
				}
			}
			s.forget()
			s.mu.Unlock()
		}
	}
}

// forget drops what is known of sessions that have ended. s is locked.
func (s *Server) forget() {
	open := map[string]bool{"stdio": true}
	for session := range s.mcp.Sessions() {
		open[session.ID()] = true
	}
	maps.DeleteFunc(s.current, func(name, _ string) bool {
		return !open[name[strings.LastIndex(name, " ")+1:]] // what stands before it is the user's name
	})
}

// An answer is what came of one call of a run's tool.
type answer struct {
	outside.Reply
	result *research.Result // of the run, where the call ended it
	parked bool             // the run waits for a person before it goes on with the call
}

// call makes one call of a tool in a run. A run that ended under the call's feet, parked by somebody else, is taken up once
// more.
func (s *Server) call(ctx context.Context, user, id, tool, args string) (answer, error) {
	for again := 0; ; again++ {
		l, err := s.attend(ctx, user, id)
		if err != nil {
			return answer{}, err
		}
		a, err := s.callOn(ctx, l, tool, args)
		s.leave(l)
		if !errors.Is(err, outside.ErrOver) || again > 0 || s.ctx.Err() != nil {
			return a, err
		}
	}
}

func (s *Server) callOn(ctx context.Context, l *live, tool, args string) (answer, error) {
	reply, err := l.line.Call(ctx, tool, args)
	if err == nil && !reply.Final {
		return answer{Reply: reply}, nil
	}
	if err != nil && !errors.Is(err, outside.ErrOver) {
		return answer{}, err
	}
	select {
	case <-l.done:
	case <-ctx.Done():
		return answer{}, context.Cause(ctx)
	}
	switch {
	case l.err != nil:
		return answer{}, l.err
	case l.result.Stop == agent.StopParked:
		return answer{parked: true}, nil
	case l.result.Stop == agent.StopCancelled:
		return answer{}, cmp.Or(err, outside.ErrOver)
	case tool != outside.Report:
		return answer{}, &overError{run: l.run, state: journal.StateDone}
	}
	return answer{Reply: reply, result: l.result}, nil
}
