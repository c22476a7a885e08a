package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"ibid/journal"
	"ibid/runs"
	"ibid/store"
)

// desk is the opened store with the engine that works on it.
type desk struct {
	db      *store.DB
	journal *journal.Journal
	engine  *runs.Engine
}

// desk opens the user's store.
func (e *env) desk() (*desk, error) {
	home, err := e.home()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, &runs.Error{Code: runs.Unready, Message: "making the folder for runs", Err: err, Hint: "Name another with --home or IBID_HOME."}
	}
	address, hint := e.cli.Database, "Look at --database, IBID_DATABASE, or database in the configuration."
	if address == "" {
		address, hint = filepath.Join(home, "ibid.db"), "Name another folder with --home or IBID_HOME."
	}
	db, err := store.Open(e.ctx, address)
	if err != nil {
		return nil, &runs.Error{Code: runs.Unready, Message: "opening the store", Err: err, Hint: hint}
	}
	hidden := secrets(os.Environ(), e.keyVariables())
	if password := store.Password(address); password != "" {
		hidden["IBID_DATABASE"] = password
	}
	j := journal.Open(db, journal.Options{Secrets: hidden})
	e.db, e.journal = db, j
	return &desk{db: db, journal: j, engine: &runs.Engine{Journal: j, Build: e.build, Browser: e.printPDF}}, nil
}

func (d *desk) close() {
	if err := d.db.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "ibid: closing the store:", err)
	}
}

// id resolves "last" to the newest run.
func (d *desk) id(e *env, name string) (string, error) {
	if name != "last" {
		return name, nil
	}
	list, err := d.journal.Runs(e.ctx, 1)
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "", &runs.Error{Code: runs.NotFound, Message: "there are no runs yet", Hint: "Start one: ibid research \"…\""}
	}
	return list[0].ID, nil
}

// home is where runs are kept: --home, or the user's data folder.
func (e *env) home() (string, error) {
	if e.cli.Home != "" {
		return e.cli.Home, nil
	}
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		return filepath.Join(dir, "ibid"), nil
	}
	dir, err := os.UserHomeDir()
	if err != nil {
		return "", &runs.Error{Code: runs.Unready, Message: "finding a folder for runs", Err: err, Hint: "Name one with --home or IBID_HOME."}
	}
	return filepath.Join(dir, ".local", "share", "ibid"), nil
}

// keyVariables are the variables that the configuration names as holding keys, whatever they are called.
func (e *env) keyVariables() (names []string) {
	t := &e.origin.tables
	for _, p := range t.SearchProvider {
		names = append(names, p.KeyEnv)
	}
	if c, err := e.origin.catalog(); err == nil { // else the command that needs it says what is wrong
		for _, p := range c.Providers() {
			names = append(names, p.KeyEnv...)
			for _, value := range p.Headers {
				os.Expand(value, func(name string) string { names = append(names, name); return "" })
			}
		}
	}
	return append(names, t.Fetch.GitHubTokenEnv, t.Embeddings.KeyEnv)
}

// secrets lists the environment's values that must never be recorded (law 10): those of the named variables, and those
// whose names say so.
func secrets(environ, named []string) map[string]string {
	found := map[string]string{}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		upper := strings.ToUpper(name)
		for _, word := range []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"} {
			if strings.Contains(upper, word) && len(value) >= 8 {
				found[name] = value
			}
		}
		if slices.Contains(named, name) && value != "" {
			found[name] = value
		}
	}
	return found
}

// work takes a run and shows how it ended. The first interrupt asks for the answer with what is there, a second within
// five seconds (or a termination) stops at once.
func (d *desk) work(e *env, id string) error {
	ctx, cancel := context.WithCancelCause(e.ctx)
	defer cancel(nil)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		var first time.Time
		for {
			select {
			case <-ctx.Done():
				return
			case s := <-signals:
				if s == syscall.SIGTERM || !first.IsZero() && time.Since(first) < 5*time.Second {
					cancel(errors.New("stopped by the user"))
					return
				}
				if first.IsZero() {
					close(e.stopped)
				}
				first = time.Now()
				fmt.Fprintln(e.err, "\nstopping: the answer will be made of what is there (interrupt again to stop at once)")
				if err := d.journal.AskStop(ctx, id); err != nil {
					fmt.Fprintln(e.err, "ibid:", err)
				}
			}
		}
	}()
	p := newProgress(e, id)
	defer p.end()
	d.engine.Observe = p.event
	result, err := d.engine.Work(ctx, id)
	p.end()
	if err != nil {
		return err
	}
	return show(e, id, result)
}

// withDesk opens the store for one command.
func (e *env) withDesk(f func(*desk) error) error {
	d, err := e.desk()
	if err != nil {
		return err
	}
	defer d.close()
	return f(d)
}

// notFound says which run is missing.
func (d *desk) notFound(id string, err error) error {
	if errors.Is(err, journal.ErrNotFound) {
		return &runs.Error{Code: runs.NotFound, Message: "there is no run " + id, Hint: "See them with: ibid runs list"}
	}
	return err
}

// withRun opens the store and resolves a run's name for one command.
func (e *env) withRun(name string, f func(d *desk, e *env, id string) error) error {
	return e.withDesk(func(d *desk) error {
		id, err := d.id(e, name)
		if err != nil {
			return err
		}
		return f(d, e, id)
	})
}
