package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path"
	"syscall"
	"time"

	"ibid/budget"
	"ibid/fetch"
	"ibid/foreign"
	mcp "ibid/mcp/server"
	"ibid/research"
	"ibid/runs"
	"ibid/server"
)

type mcpServeCmd struct {
	researchFlags
	workersFlags
}

// Run serves until the client hangs up, or an interrupt or a termination: then the runs that are at work are parked or handed
// back, and can be gone on with. Nothing but the protocol goes to stdout.
func (c *mcpServeCmd) Run(e *env) error {
	if c.Approve == "console" {
		return &runs.Error{Code: runs.Unready, Message: "an MCP server has no console to ask at", Hint: "Use --approve durable: the person is asked through the client, or answers with 'ibid gate approve'."}
	}
	d, err := e.open(true)
	if err != nil {
		return err
	}
	defer d.close()
	log := slog.New(slog.NewTextHandler(e.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	if d.engine.Daily, err = c.daily(); err != nil {
		return err
	}
	s, err := e.mcpServer(d, &c.researchFlags, log, nil)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(e.ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	done := make(chan error, 1)
	work, end := context.WithCancel(ctx)
	defer end()
	go func() { done <- d.background(work, c.workersFlags, log) }()
	err = s.Serve(ctx, e.in, writer{e.out})
	s.Close()
	end()
	return errors.Join(err, <-done)
}

// writer is stdout, which is not closed before the program ends.
type writer struct{ io.Writer }

func (writer) Close() error { return nil }

// mcpServer is the MCP server over a desk. f says what runs are made with, turn who may take a processor for a while; nil: all may.
func (e *env) mcpServer(d *desk, f *researchFlags, log *slog.Logger, turn func(context.Context) (func(), error)) (*mcp.Server, error) {
	if d.engine.Configure == nil {
		d.engine.Configure = func(_ context.Context, r runs.Request) (research.Config, error) {
			c, err := e.requested(*f, r)
			atMost(&c, d.engine.Daily)
			return c, err
		}
	}
	outside := func(o mcp.Opening) (research.Config, error) {
		own := *f
		own.Model, own.Tier, own.Team = extractiveModel, "deep", "0"
		own.MaxReads, own.MaxSearches = cmp.Or(o.Limits.Reads, own.MaxReads), cmp.Or(o.Limits.Searches, own.MaxSearches)
		own.MCP = []string{"none"} // its tools are those of the researcher outside
		c, err := own.config(e, o.Question)
		if err != nil {
			return c, err
		}
		c = c.ForOutside(outsideLimits(own))
		atMost(&c, d.engine.Daily)
		return c, e.ready(c)
	}
	trial, err := outside(mcp.Opening{Question: "Is all that runs need there?"})
	if err != nil {
		return nil, err
	}
	return mcp.New(mcp.Config{
		Desk: func(user string) *runs.Desk {
			if user == "" {
				return d.engine.Own()
			}
			return d.engine.For(user)
		},
		Configure: func(_ context.Context, o mcp.Opening) (research.Config, error) { return outside(o) },
		Search:    searches(trial),
		Base:      trial.Knowledge != nil,
		Check: func(ctx context.Context, name string, body []byte, sources bool) (foreign.Result, error) {
			return e.checkFor(ctx, d, f, name, body, sources)
		},
		Turn:      turn,
		GateScope: string(server.Gates),
		Version:   programVersion(), Log: log,
	}), nil
}

// requested is a run's configuration for who asks for it over a protocol.
func (e *env) requested(f researchFlags, r runs.Request) (research.Config, error) {
	if err := overlay(&f, r); err != nil {
		return research.Config{}, err
	}
	c, err := f.config(e, r.Question)
	if err != nil {
		return c, err
	}
	return c, e.ready(c)
}

// overHTTP mounts the MCP server on a server of the API, whose users and tokens are its own.
func (c *serveCmd) overHTTP(e *env, d *desk, config *server.Config) (mount func(*server.Server), end func(), err error) {
	var api *server.Server // that the handler is mounted on, before anybody calls
	s, err := e.mcpServer(d, &c.researchFlags, config.Log, func(ctx context.Context) (func(), error) { return api.Turn(ctx) })
	if err != nil {
		return nil, nil, err
	}
	h := mcp.HTTP{Scope: string(server.Write), Hosts: c.names(), Who: func(ctx context.Context) mcp.Token {
		t := mcp.Token{User: server.User(ctx)}
		for _, scope := range server.Granted(ctx) {
			t.Scopes = append(t.Scopes, string(scope))
		}
		return t
	}}
	if len(c.Host) > 0 {
		h.URL = "https://" + c.Host[0] + mcp.Path
	}
	handler, err := s.Handler(h)
	if err != nil {
		return nil, nil, err
	}
	config.Challenge = map[string]string{mcp.Path: h.Challenge()}
	return func(to *server.Server) {
		api = to
		to.Handle(mcp.Path, server.Write, handler)
		to.Handle(mcp.MetadataPath, "", handler)
		to.Handle(mcp.MetadataPath+mcp.Path, "", handler)
	}, s.Close, nil
}

// checkTime bounds the reading of the sources of a report that is checked over a protocol.
const checkTime = 5 * time.Minute

// checkFor checks a report that somebody sends.
func (e *env) checkFor(ctx context.Context, d *desk, f *researchFlags, name string, body []byte, sources bool) (result foreign.Result, err error) {
	c := checkCmd{Report: path.Base(name), Files: f.Files, Corpus: f.Corpus, MaxSources: foreign.DefaultSources, MaxMiB: foreign.DefaultBytes >> 20, MaxTime: checkTime}
	x := e.newExtractor(false)
	defer x.Close()
	report, err := c.report(e, x, body)
	if err != nil {
		return result, err
	}
	o := foreign.Options{MaxSources: c.MaxSources, MaxBytes: c.MaxMiB << 20, Time: c.MaxTime}
	work := func() (err error) {
		result, err = foreign.Check(ctx, report, o)
		return err
	}
	switch {
	case !sources:
		err = work()
	case c.Files != "" || c.Corpus != "":
		err = c.onShelf(ctx, e, x, &o, work)
	default:
		err = c.overCache(e, fetch.NewCache(d.db, time.Now), x, &o, work)
	}
	return result, checkFailed(err)
}

// outsideLimits are the limits that the user has set for runs whose researcher is outside; 0 where they have not.
func outsideLimits(f researchFlags) budget.Limits {
	return budget.Limits{Steps: f.MaxSteps, Searches: f.MaxSearches, Reads: f.MaxReads, MicroUSD: units(f.MaxCost, 1e6)}
}
