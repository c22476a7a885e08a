package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"ibid/journal"
	"ibid/research"
)

// A Pool works on background runs of one journal: those that are queued, in turn of their users, and those whose worker is
// gone. Any number of pools, in one process or on many machines, share a database. It finds runs by looking at the database,
// so nothing that wakes it must be relied on.
type Pool struct {
	Engine  *Engine
	Workers int           // runs worked on at once; 0 means DefaultWorkers
	Poll    time.Duration // how often it looks for runs of other processes; 0 means a second
	Grace   time.Duration // how long what is being paid for may take at the end; 0 means 20 s
	Log     *slog.Logger  // may be nil
	Look    <-chan string // names of runs to look at now, from elsewhere; may be nil
}

// DefaultWorkers is how many runs a pool works on at once. A run waits for models and the web nearly all of its time, and
// holds in memory what it has read; of four, one is left when a user has the three that they may have.
const DefaultWorkers = 4

// Run works until ctx ends, and then takes no more runs and begins nothing new in those it has: what is being paid for is
// waited for, for as long as Grace allows, and ended after it; then the runs are handed back, for others to take at once.
// It returns an error if one was not handed back, whose lease has to lapse then.
func (p *Pool) Run(ctx context.Context) error {
	w := &workers{pool: p, log: p.Log, free: make(chan struct{}, 1)}
	if w.log == nil {
		w.log = slog.New(slog.DiscardHandler)
	}
	work, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(journal.ErrLeft)
	tick := time.NewTicker(cmp.Or(p.Poll, time.Second))
	defer tick.Stop()
	ended := false // a run, since memory was given back
	for ctx.Err() == nil {
		waiting := p.Engine.Journal.Waiting()
		if err := w.fill(ctx, work); err != nil && ctx.Err() == nil {
			w.log.Warn("looking for runs", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		case <-waiting:
		case <-p.Look:
		case <-w.free:
			ended = true
		}
		if ended && w.busy() == 0 && ctx.Err() == nil { // it may be long until the next run
			ended = false
			debug.FreeOSMemory()
		}
	}
	return w.end(stop, cmp.Or(p.Grace, 20*time.Second))
}

// workers are a pool at work.
type workers struct {
	pool *Pool
	log  *slog.Logger
	free chan struct{} // one has ended a run

	broke int // runs that waited at the last look, of users whose day is spent

	mu   sync.Mutex
	runs map[string]*journal.Run
	all  sync.WaitGroup
}

func (w *workers) busy() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.runs)
}

// fill gives every free worker a run, if there is one. work is the context of what they do.
func (w *workers) fill(ctx, work context.Context) error {
	j := w.pool.Engine.Journal
	woken, err := j.Expire(ctx)
	if err != nil {
		return err
	}
	for _, id := range woken {
		w.log.Info("nobody decided in time", "run", id)
	}
	most := cmp.Or(w.pool.Workers, DefaultWorkers)
	free := most - w.busy()
	if free <= 0 {
		return nil
	}
	ids, err := j.Next(ctx, free+8+w.broke) // more than needed: other pools take some of them
	if err != nil {
		return err
	}
	w.broke = 0
	spent := map[string]bool{} // users whose day is spent
	for _, id := range ids {
		if ctx.Err() != nil || w.busy() >= most {
			return nil
		}
		if waits, err := w.waits(ctx, id, spent); err != nil {
			return err
		} else if waits {
			w.broke++
			continue
		}
		run, err := j.Take(ctx, id)
		switch {
		case err == nil:
			w.start(work, run)
		case refused(err):
			w.log.Debug("not taken", "run", id, "why", err)
		default:
			return err
		}
	}
	return nil
}

// waits says whether a run is not begun today, since its user's runs have cost what those of a day may. spent is what is known of
// users.
func (w *workers) waits(ctx context.Context, id string, spent map[string]bool) (bool, error) {
	e := w.pool.Engine
	if e.Daily == 0 {
		return false, nil
	}
	info, err := e.Journal.Info(ctx, id)
	if errors.Is(err, journal.ErrNotFound) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	waits, known := spent[info.User]
	if !known {
		sum, _, err := e.overspent(ctx, nil, info.User)
		if err != nil {
			return false, err
		}
		waits = sum > 0
		spent[info.User] = waits
	}
	if waits {
		w.log.Debug("not taken: the day's dollars are spent", "run", id, "user", info.User)
	}
	return waits, nil
}

// refused says whether an error tells that a run is not to be had now, and nothing worse.
func refused(err error) bool {
	var busy *journal.Busy
	var ended *journal.Ended
	var full *journal.Full
	var parked *journal.Parked
	return errors.As(err, &busy) || errors.As(err, &ended) || errors.As(err, &full) || errors.As(err, &parked) ||
		errors.Is(err, journal.ErrForeground) || errors.Is(err, journal.ErrNotFound)
}

func (w *workers) start(ctx context.Context, run *journal.Run) {
	w.mu.Lock()
	if w.runs == nil {
		w.runs = map[string]*journal.Run{}
	}
	w.runs[run.ID()] = run
	w.mu.Unlock()
	w.all.Go(func() {
		defer func() {
			w.mu.Lock()
			delete(w.runs, run.ID())
			w.mu.Unlock()
			select {
			case w.free <- struct{}{}:
			default:
			}
		}()
		w.work(ctx, run)
	})
}

// work works on one run and says how it ended.
func (w *workers) work(ctx context.Context, run *journal.Run) {
	began := time.Now()
	log := w.log.With("run", run.ID(), "user", run.Info().User)
	log.Debug("taken", "epoch", run.Info().Epoch)
	result, state, err := w.pool.Engine.background(ctx, run)
	log = log.With("took", time.Since(began).Round(time.Millisecond))
	switch {
	case err != nil:
		log.Error("run failed", "error", err)
	case result == nil:
		log.Info("run handed back")
	default:
		log.Info("run", "state", state, "stop", result.Stop)
	}
}

// end hands the runs back.
func (w *workers) end(stop context.CancelCauseFunc, grace time.Duration) error {
	w.mu.Lock()
	for _, run := range w.runs {
		run.Leave()
	}
	w.mu.Unlock()
	done := make(chan struct{})
	go func() { w.all.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-time.After(grace):
		stop(journal.ErrLeft)
	}
	select {
	case <-done:
		return nil
	case <-time.After(handingBack):
		return fmt.Errorf("runs: %d runs were not handed back in time; they are free when their leases have lapsed", w.busy())
	}
}

// handingBack is how long a run may take to be handed back when nothing is waited for any more.
const handingBack = 5 * time.Second

// background works on a run that a worker has taken, until it ends or parks; no result means that it was handed back. What
// goes wrong is contained: a run that no worker can go on with is parked, with the reason; after other faults its lease
// lapses, and it is tried again, for some times.
func (e *Engine) background(ctx context.Context, run *journal.Run) (result *research.Result, state journal.State, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fail(Internal, nil, "", "internal fault: %v", fault)
		}
		switch {
		case errors.Is(err, journal.ErrFenced): // on a machine with too much to do
			err = errors.Join(err, run.Outlive(ctx))
		case err != nil && lasting(err):
			err = errors.Join(err, run.Park(ctx, parkedFor(err)))
		}
		run.Abandon()
	}()
	c, err := research.ParseConfig(run.Info().Config)
	switch {
	case err != nil:
		return nil, "", fail(Invalid, err, "", "the run's configuration")
	case c.Approver == "console":
		return nil, "", fail(Unready, nil, "Go on with it at a terminal: ibid resume "+run.ID(), "its approver is the console, and a worker has none")
	}
	result, state, err = e.work(ctx, run)
	return result, state, err
}

// lasting says whether a run would meet an error again, whoever works on it.
func lasting(err error) bool {
	var e *Error
	var lost *journal.Lost
	var differs *journal.Divergence
	return errors.As(err, &e) && e.Code != Conflict || errors.As(err, &lost) || errors.As(err, &differs)
}

// parkedFor is an error as the reason why a run is parked.
func parkedFor(err error) string {
	const most = 500
	text := []rune(err.Error())
	if len(text) > most {
		text = append(text[:most-1], '…')
	}
	return string(text)
}
