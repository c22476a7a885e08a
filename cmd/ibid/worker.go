package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"ibid/research"
	"ibid/runs"
)

// workersFlags are those of programs that work on background runs.
type workersFlags struct {
	Workers   int     `help:"Background runs that this program works on at once." default:"4" placeholder:"N" env:"IBID_WORKERS"`
	DailyCost float64 `help:"Dollars that a user's runs of one day (UTC) may cost before no other is begun (0: no limit)." env:"IBID_DAILY_COST" placeholder:"DOLLARS"`
}

type workerCmd struct {
	Metrics string `help:"Serve Prometheus metrics at this address of loopback." placeholder:"HOST:PORT" env:"IBID_METRICS"`
	workersFlags
}

// Run works until an interrupt or a termination, and then hands the runs back. A second signal ends the program at once.
func (c *workerCmd) Run(e *env) error {
	if err := checkMetrics(c.Metrics); err != nil {
		return err
	}
	d, err := e.open(true)
	if err != nil {
		return err
	}
	defer d.close()
	ctx, stop := signal.NotifyContext(e.ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	if d.engine.Daily, err = c.daily(); err != nil {
		return err
	}
	log := e.log()
	log.Info("working", "at_once", c.Workers, "database", d.db.Path)
	hooks, err := e.hooks(d, log)
	if err != nil {
		return err
	}
	seen, unseen, err := d.watched(e)
	if err != nil {
		return err
	}
	defer unseen()
	var telling sync.WaitGroup
	telling.Go(func() { hooks.Run(ctx) })
	telling.Go(func() {
		if err := serveMetrics(ctx, c.Metrics, seen, log); err != nil {
			log.Error("metrics are not served", "error", err)
		}
	})
	err = d.background(ctx, c.workersFlags, log)
	stop()
	telling.Wait()
	log.Info("stopped")
	return err
}

// log is where a program that serves others tells what happens.
func (e *env) log() *slog.Logger {
	level := slog.LevelInfo
	if e.cli.Quiet {
		level = slog.LevelWarn
	}
	return slog.New(slog.NewTextHandler(e.err, &slog.HandlerOptions{Level: level}))
}

// daily is the limit of a day, in millionths of a dollar.
func (f workersFlags) daily() (int64, error) {
	if !(f.DailyCost >= 0 && f.DailyCost <= maxLimit) {
		return 0, &runs.Error{Code: runs.Invalid, Message: fmt.Sprintf("--daily-cost %g: it is no number of dollars that a day may cost", f.DailyCost), Hint: "Leave it out, or give 0, for no limit."}
	}
	return units(f.DailyCost, 1e6), nil
}

// background works on background runs until ctx ends and they are handed back.
func (d *desk) background(ctx context.Context, f workersFlags, log *slog.Logger) error {
	if f.Workers < 1 || f.Workers > maxWorkers {
		return &runs.Error{Code: runs.Invalid, Message: fmt.Sprintf("--workers %d: no number of runs that can be worked on at once", f.Workers), Hint: fmt.Sprintf("Give a number from 1 to %d.", maxWorkers)}
	}
	var hearing sync.WaitGroup
	defer hearing.Wait()
	hearing.Go(func() {
		if err := d.jobs.Run(ctx); err != nil {
			log.Warn("hearing of runs at once; they are found a second later", "error", err)
		}
	})
	pool := &runs.Pool{Engine: d.engine, Workers: f.Workers, Look: d.jobs.Look(), Log: log}
	return pool.Run(ctx)
}

// maxWorkers is what a program's connections to a database and its memory may still serve.
const maxWorkers = 256

// queued prints the id of a run that is left to others.
func queued(e *env, id string) error {
	if e.cli.JSON {
		return json.NewEncoder(e.out).Encode(map[string]string{"type": "queued", "run": id})
	}
	_, err := fmt.Fprintln(e.out, id)
	return err
}

// detach leaves a new run to workers.
func (d *desk) detach(e *env, c research.Config) error {
	if c.Approver == "console" {
		return &runs.Error{Code: runs.Invalid, Message: "--detach and --approve console exclude each other", Hint: "Nobody is at a worker's terminal: --approve durable lets the run wait for 'ibid gate approve'."}
	}
	id, err := d.engine.Queue(e.ctx, c)
	if err != nil {
		return err
	}
	if err := queued(e, id); err != nil {
		return err
	}
	if !e.cli.Quiet {
		fmt.Fprintf(e.err, "run %s waits for a worker: 'ibid worker' or 'ibid serve' takes it. Look at it with: ibid runs show %s\n", id, id)
	}
	return nil
}
