// Package dispatch tells workers on other machines at once that a run waits for them, by River's jobs. It decides nothing and
// need not be relied on: a job holds a run's name and epoch, is written in the transaction in which the run begins to wait,
// and says no more than "look now". Whoever loses one finds the run all the same, a second later. On SQLite, where all
// workers are of one machine, there are no jobs.
package dispatch

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"

	"ibid/store"
)

// Slice is the job: look at this run. Every time that a run begins to wait is another epoch, so that a job that was done
// holds up none that is to come.
type Slice struct {
	Run   string `json:"run"`
	Epoch int64  `json:"epoch"`
}

// Kind is River's name for the job.
func (Slice) Kind() string { return "run_slice" }

// A Dispatcher writes jobs, and hears of those of others. On SQLite it does nothing.
type Dispatcher struct {
	client *river.Client[*sql.Tx] // nil on SQLite
	look   chan string
}

// Open makes River's tables where they are missing. A program that works on no runs itself only writes jobs.
func Open(ctx context.Context, db *store.DB, works bool) (*Dispatcher, error) {
	d := &Dispatcher{look: make(chan string, 1)}
	pool := db.Pool()
	if pool == nil {
		return d, nil
	}
	driver := riverdatabasesql.NewWithPgxListener(db.DB, pool)
	if err := migrate(ctx, db, driver); err != nil {
		return nil, fmt.Errorf("dispatch: the tables of jobs: %w", err)
	}
	config := &river.Config{Logger: slog.New(slog.DiscardHandler)}
	if works {
		config.Workers = river.NewWorkers()
		river.AddWorker(config.Workers, river.WorkFunc(func(_ context.Context, job *river.Job[Slice]) error {
			select {
			case d.look <- job.Args.Run:
			default: // somebody is about to look already
			}
			return nil
		}))
		config.Queues = map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 4}}
		config.FetchPollInterval = 5 * time.Second // it is told of new jobs
		config.CompletedJobRetentionPeriod = 10 * time.Minute
	}
	var err error
	if d.client, err = river.NewClient(driver, config); err != nil {
		return nil, fmt.Errorf("dispatch: %w", err)
	}
	return d, nil
}

// migrate makes River's tables: one process at a time, the others wait and find them made.
func migrate(ctx context.Context, db *store.DB, driver riverdriver.Driver[*sql.Tx]) error {
	m, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	if made, err := m.Validate(ctx, nil); err == nil && made.OK {
		return nil
	}
	lock, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer lock.Rollback() // it wrote nothing
	for _, query := range []string{`SET LOCAL lock_timeout = 0`, `SET LOCAL idle_in_transaction_session_timeout = 0`,
		`SELECT pg_advisory_xact_lock(hashtext('ibid jobs'), hashtext(current_schema()))`} {
		if _, err := lock.ExecContext(ctx, query); err != nil {
			return err
		}
	}
	_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}

// Queued writes a job, in the transaction in which a run begins to wait: it is the journal's Options.Queued.
func (d *Dispatcher) Queued(ctx context.Context, tx *sql.Tx, run string, epoch int64) error {
	if d.client == nil {
		return nil
	}
	_, err := d.client.InsertTx(ctx, tx, Slice{run, epoch}, &river.InsertOpts{MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: live}})
	if err != nil {
		return fmt.Errorf("dispatch: a job for run %s: %w", run, err)
	}
	return nil
}

// live are the states of a job that has still to be done.
var live = []rivertype.JobState{rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled}

// Look gives the names of runs that wait, as jobs tell them; one stands for all that came with it.
func (d *Dispatcher) Look() <-chan string { return d.look }

// Run hears of jobs until ctx ends.
func (d *Dispatcher) Run(ctx context.Context) error {
	if d.client == nil {
		<-ctx.Done()
		return nil
	}
	if err := d.client.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("dispatch: %w", err)
	}
	<-ctx.Done()
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := d.client.StopAndCancel(end); err != nil {
		return fmt.Errorf("dispatch: %w", err)
	}
	return nil
}
