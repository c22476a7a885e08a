package server

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"ibid/journal"
	"ibid/runs"
)

// feeds are the runs that are watched. However many watch a run, its journal is read once; each watcher goes through what
// was read at their own pace, so that a slow one holds nobody up.
type feeds struct {
	ctx  context.Context
	mu   sync.Mutex
	live map[string]*feed
	n    int // watchers of all
}

func newFeeds(closing <-chan struct{}) *feeds {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-closing
		cancel()
	}()
	return &feeds{ctx: ctx, live: map[string]*feed{}}
}

// A feed is what was read of a run's events since somebody began to watch it: the newest of it. Who comes later or is slower reads
// what is missing from the journal.
type feed struct {
	mu       sync.Mutex
	told     []told
	gone     int // things before them
	err      error
	over     bool          // nothing more will come
	changed  chan struct{} // closed when there is more
	watchers int
	cancel   context.CancelFunc
}

// told is one thing that watchers are told: an event, or how the run stands, which counts while nothing comes after it.
type told struct {
	event journal.Event // Seq 0: a standing
	name  string
	data  []byte
}

// A Standing is told in a stream when a run is over or parked.
type Standing struct {
	Run   string        `json:"run"`
	State journal.State `json:"state"`
	Stop  string        `json:"stop,omitempty"`
}

// join begins to watch a run of the desk's user.
func (f *feeds) join(desk *runs.Desk, id string, most int) (*feed, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.n >= most {
		return nil, refuse(problemBusy, "Ask for the events with ?follow=0.", "%d streams are open, which is the limit", most).after(30)
	}
	f.n++
	one := f.live[id]
	if one == nil {
		ctx, cancel := context.WithCancel(f.ctx)
		one = &feed{changed: make(chan struct{}), cancel: cancel}
		f.live[id] = one
		go f.read(ctx, one, desk, id)
	}
	one.watchers++
	return one, nil
}

// leave ends what join began.
func (f *feeds) leave(id string, one *feed) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n--
	if one.watchers--; one.watchers > 0 {
		return
	}
	time.AfterFunc(linger, func() { // who was cut off comes back soon
		f.mu.Lock()
		defer f.mu.Unlock()
		if one.watchers == 0 {
			one.cancel()
			if f.live[id] == one {
				delete(f.live, id)
			}
		}
	})
}

// linger is how long a run is read on that nobody watches any more.
const linger = 5 * time.Second

// read follows a run until it is over, through all the times that it is parked.
func (f *feeds) read(ctx context.Context, one *feed, desk *runs.Desk, id string) {
	err := one.follow(ctx, desk, id)
	f.mu.Lock()
	if f.live[id] == one {
		delete(f.live, id)
	}
	f.mu.Unlock()
	one.mu.Lock()
	defer one.mu.Unlock()
	one.err, one.over = err, true
	close(one.changed)
}

// parkedPoll is how often a parked run is looked at: what wakes it is a person.
const parkedPoll = 500 * time.Millisecond

func (one *feed) follow(ctx context.Context, desk *runs.Desk, id string) error {
	var c cursor
	for parked := false; ; {
		info, err := desk.Info(ctx, id)
		if err != nil {
			return err
		}
		if info.State == journal.StateParked && parked {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(parkedPoll):
			}
			continue
		}
		for ev, err := range desk.Events(ctx, id, c.from(), true) {
			if err != nil {
				return err
			}
			if c.take(ev) {
				if err := one.append(ev, eventName(ev), ev); err != nil {
					return err
				}
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if info, err = desk.Info(ctx, id); err != nil {
			return err
		}
		switch {
		case info.State.Over():
			return one.append(journal.Event{}, "end", Standing{id, info.State, info.Stop})
		case info.State == journal.StateParked:
			parked = true
			if err := one.append(journal.Event{}, "parked", Standing{id, info.State, info.Stop}); err != nil {
				return err
			}
		default: // it went on in the meantime
			parked = false
		}
	}
}

func (one *feed) append(ev journal.Event, name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	if len(one.told) == maxTold {
		one.told, one.gone = append(make([]told, 0, maxTold), one.told[maxTold/2:]...), one.gone+maxTold/2
	}
	one.told = append(one.told, told{ev, name, data})
	close(one.changed)
	one.changed = make(chan struct{})
	return nil
}

// maxTold is how many things a feed holds, some hundred bytes each.
const maxTold = 512

// missed says how many things are gone by now, if some of those after the first n are, and n otherwise.
func (one *feed) missed(n int) int {
	one.mu.Lock()
	defer one.mu.Unlock()
	return max(n, one.gone)
}

// since is what there is after the first n things, whether that is all there will be, and what tells that there is more. What is gone
// of it is left out: from says after how many it begins.
func (one *feed) since(n int) (from int, more []told, over bool, changed <-chan struct{}, err error) {
	one.mu.Lock()
	defer one.mu.Unlock()
	n = max(n, one.gone)
	return n, one.told[n-one.gone:], one.over, one.changed, one.err
}
