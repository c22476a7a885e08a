package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"ibid/agent"
	"ibid/client"
	"ibid/journal"
	"ibid/runs"
)

type watchCmd struct {
	ID    string `arg:"" name:"run" help:"The run's id, or 'last'."`
	After int64  `help:"Only what comes after this event."`
}

// Run shows what a run does until it is over or waits for a person, and then its report. An interrupt ends the watching;
// the run goes on.
func (c *watchCmd) Run(e *env) error {
	return e.withNamed(c.ID, func(s runs.Service, id string) error {
		ctx, stop := signal.NotifyContext(e.ctx, os.Interrupt, syscall.SIGTERM)
		defer stop()
		return watch(ctx, e, s, id, c.After)
	})
}

// watch shows a run's events and how it ended.
func watch(ctx context.Context, e *env, s runs.Service, id string, after int64) error {
	p := newProgress(e, id)
	defer p.end()
	for ev, err := range s.Events(ctx, id, after, true) {
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return err
		}
		p.recorded(ev)
	}
	p.end()
	if ctx.Err() != nil {
		fmt.Fprintf(e.err, "run %s goes on:\n  ibid watch %s\n  ibid runs stop %s\n", id, id, id)
		return exit(exitAborted)
	}
	return ended(e, s, id)
}

// ended says how a run stands that is over or parked, with its report on stdout if it has one.
func ended(e *env, s runs.Service, id string) error {
	shown, err := s.Show(e.ctx, id)
	if err != nil {
		return err
	}
	switch {
	case shown.State == journal.StateParked && shown.Waiting > 0:
		fmt.Fprintf(e.err, "run %s waits for a decision:\n  ibid gate list %s\n", id, id)
		return exit(exitGate)
	case shown.State == journal.StateParked:
		fmt.Fprintf(e.err, "run %s is parked (%s):\n  ibid resume %s\n", id, shown.Stop, id)
		return exit(exitGate)
	case shown.State == journal.StateCancelled:
		fmt.Fprintf(e.err, "run %s was cancelled and has no report\n", id)
		return exit(exitAborted)
	case !shown.State.Over():
		fmt.Fprintf(e.err, "run %s is %s\n", id, shown.State)
		return exit(exitFailed)
	}
	if err := printReport(e, s, id); err != nil {
		return err
	}
	if shown.Shape != nil && !e.cli.Quiet {
		fmt.Fprintf(e.err, "run %s: %s\n", id, shown.Shape)
	}
	switch {
	case shown.Ended == agent.StopFailed:
		return exit(exitFailed)
	case !shown.Ended.Complete():
		fmt.Fprintf(e.err, "the report is incomplete (%s); it names what is missing\n", strings.TrimPrefix(string(shown.Ended), "budget:"))
		return exit(exitIncomplete)
	case shown.Shape != nil && shown.Shape.Findings == 0:
		fmt.Fprintln(e.err, "nothing was established")
		return exit(exitIncomplete)
	}
	return nil
}

// printReport prints a run's report: Markdown, or a line of JSON that says whose it is.
func printReport(e *env, s runs.Service, id string) error {
	form := "markdown"
	if e.cli.JSON {
		form = "json"
	}
	body, err := s.Report(e.ctx, id, form)
	if err != nil {
		return err
	}
	if e.cli.JSON {
		return json.NewEncoder(e.out).Encode(struct {
			Type   string          `json:"type"`
			Run    string          `json:"run"`
			Report json.RawMessage `json:"report"`
		}{"result", id, body})
	}
	if _, err := e.out.Write(body); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// follow watches a run that works elsewhere. The first interrupt asks it for the answer with what it has, a second ends
// the watching.
func follow(e *env, s runs.Service, id string) error {
	ctx, cancel := context.WithCancelCause(e.ctx)
	defer cancel(nil)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		asked := false
		for {
			select {
			case <-ctx.Done():
				return
			case sig := <-signals:
				if asked || sig == syscall.SIGTERM {
					cancel(errors.New("stopped by the user"))
					return
				}
				asked = true
				fmt.Fprintln(e.err, "\nstopping: the answer will be made of what is there (interrupt again to leave the run alone)")
				if err := s.Stop(ctx, id); err != nil {
					fmt.Fprintln(e.err, "ibid:", err)
				}
			}
		}
	}()
	return watch(ctx, e, s, id, 0)
}

// withService gives what commands do with runs: those of a server, where one is named, or of this machine.
func (e *env) withService(f func(runs.Service) error) error {
	if e.cli.Server != "" {
		return e.withClient(func(c *client.Client) error { return f(c) })
	}
	return e.withDesk(func(d *desk) error { return f(d.engine.Everyone()) })
}

// withNamed is withService for one run.
func (e *env) withNamed(name string, f func(s runs.Service, id string) error) error {
	return e.withService(func(s runs.Service) error {
		id, err := newest(e, s, name)
		if err != nil {
			return err
		}
		return instead(e, s, name, f(s, id))
	})
}

// instead adds to the failure of what wanted the report of the last run which run is the last that has one.
func instead(e *env, s runs.Service, name string, err error) error {
	var failed *runs.Error
	if name != "last" || !errors.As(err, &failed) || !strings.HasSuffix(failed.Detail(), runs.ErrNoReport.Error()) {
		return err
	}
	var last journal.Info
	for _, state := range []journal.State{journal.StateDone, journal.StatePartial} {
		list, wrong := s.List(e.ctx, runs.Page{Limit: 1, State: state})
		if wrong == nil && len(list) > 0 && list[0].Created.After(last.Created) {
			last = list[0]
		}
	}
	if last.ID == "" {
		return err
	}
	more := *failed
	more.Hint = strings.TrimSpace(more.Hint + "\nThe newest run that has one is " + last.ID + ".")
	return &more
}

// newest resolves "last" to the newest run.
func newest(e *env, s runs.Service, name string) (string, error) {
	if name != "last" {
		return name, nil
	}
	list, err := s.List(e.ctx, runs.Page{Limit: 1})
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "", &runs.Error{Code: runs.NotFound, Message: "there are no runs yet", Hint: "Start one: ibid research \"…\""}
	}
	return list[0].ID, nil
}
