package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ibid/journal"
	"ibid/runs"
	"ibid/runs/dispatch"
	"ibid/store"
)

// desk is the opened store with the engine that works on it.
type desk struct {
	db      *store.DB
	journal *journal.Journal
	engine  *runs.Engine
	jobs    *dispatch.Dispatcher
}

// desk opens the user's store.
func (e *env) desk() (*desk, error) { return e.open(false) }

// open is desk for a program that, if works, takes background runs.
func (e *env) open(works bool) (*desk, error) {
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
	jobs, err := dispatch.Open(e.ctx, db, works)
	if err != nil {
		return nil, errors.Join(&runs.Error{Code: runs.Unready, Message: "opening the store", Err: err, Hint: hint}, db.Close())
	}
	j := journal.Open(db, journal.Options{Secrets: hidden, Queued: jobs.Queued, Quota: journal.Quota{Working: e.cli.MaxWorking, Queued: e.cli.MaxQueued}})
	e.db, e.journal = db, j
	return &desk{db: db, journal: j, jobs: jobs, engine: &runs.Engine{Journal: j, Build: e.build, Browser: e.printPDF, Remodel: e.remodel}}, nil
}

func (d *desk) close() {
	if err := d.db.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "ibid: closing the store:", err)
	}
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
	for _, s := range t.MCP {
		names = append(names, s.variables()...)
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
		s := d.engine.Everyone()
		id, err := newest(e, s, name)
		if err != nil {
			return err
		}
		return instead(e, s, name, f(d, e, id))
	})
}
