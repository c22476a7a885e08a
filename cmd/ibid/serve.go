package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os/signal"
	"os/user"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"golang.org/x/sync/errgroup"

	"ibid/eval"
	"ibid/research"
	"ibid/runs"
	"ibid/server"
	"ibid/server/hooks"
)

type serveCmd struct {
	Listen       string   `help:"Address to listen on. Beyond loopback every request takes a token." default:"127.0.0.1:8420" env:"IBID_LISTEN" placeholder:"HOST:PORT"`
	Host         []string `help:"Name that the server is called by, besides those of loopback: the one in the address of a proxy before it. Every request takes a token then." env:"IBID_HOST" placeholder:"NAME"`
	RequireToken bool     `help:"Let every request take a token, on loopback too." env:"IBID_REQUIRE_TOKEN"`
	NoWorkers    bool     `help:"Work on no runs; 'ibid worker' does elsewhere." env:"IBID_NO_WORKERS"`
	Rate         float64  `help:"Requests a second of one token or user, on the long run." default:"20" env:"IBID_RATE"`
	workersFlags
	researchFlags
}

// grace is how long requests may take to end, and runs to be handed back, when the server is told to end.
const grace = 10 * time.Second

// Run serves until it is interrupted or terminated.
func (c *serveCmd) Run(e *env, kctx *kong.Context) error {
	if err := c.settle(e, kctx); err != nil {
		return err
	}
	d, err := e.open(!c.NoWorkers)
	if err != nil {
		return err
	}
	defer d.close()
	log := e.log()
	config, err := c.config(e, d)
	if err != nil {
		return err
	}
	config.Log = log
	if config.Hooks, err = e.hooks(d, log); err != nil {
		return err
	}
	seen, unseen, err := d.watched(e)
	if err != nil {
		return err
	}
	defer unseen()
	config.Metrics = seen.Metrics.Handler()
	if config.Base, err = e.base(); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return &runs.Error{Code: runs.Unready, Message: "listening on " + c.Listen, Err: err, Hint: "Name another address with --listen."}
	}
	ctx, stop := signal.NotifyContext(e.ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	debug.FreeOSMemory() // what starting took; it may be long until somebody asks
	fmt.Fprintf(e.out, "http://%s\n", listener.Addr())
	return c.serve(ctx, e, d, config, listener)
}

// serve serves and works until ctx ends: then it listens no more, ends its streams and hands its runs back.
func (c *serveCmd) serve(ctx context.Context, e *env, d *desk, config server.Config, listener net.Listener) error {
	mount, end, err := c.overHTTP(e, d, &config)
	if err != nil {
		return err
	}
	defer end()
	s := server.New(config)
	mount(s)
	web := server.HTTP(s, config.Log)
	all, ctx := errgroup.WithContext(ctx)
	all.Go(func() error {
		if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serving: %w", err)
		}
		return nil
	})
	all.Go(func() error {
		<-ctx.Done()
		config.Log.Info("going down")
		s.Close()
		within, done := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer done()
		return web.Shutdown(within)
	})
	all.Go(func() error {
		config.Hooks.Run(ctx)
		return nil
	})
	if !c.NoWorkers {
		all.Go(func() error { return d.background(ctx, c.workersFlags, config.Log) })
	}
	return all.Wait()
}

// settle checks what the flags say together. The approver of a server's runs is durable unless somebody says otherwise: a
// person answers over the API.
func (c *serveCmd) settle(e *env, kctx *kong.Context) error {
	for _, f := range kctx.Flags() {
		if f.Name == "approve" && new(configShowCmd).where(e, kctx, f) == "default" {
			c.Approve = "durable"
		}
	}
	host, port, err := net.SplitHostPort(c.Listen)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	switch {
	case err != nil || strings.ContainsAny(host, " /"):
		return &runs.Error{Code: runs.Invalid, Message: fmt.Sprintf("--listen %q: it is no address to listen on", c.Listen), Hint: "Give HOST:PORT, as 127.0.0.1:8420, or :8420 for all addresses of this machine."}
	case c.Approve == "console":
		return &runs.Error{Code: runs.Unready, Message: "a server has no console to ask at", Hint: "Use --approve durable: who may, answers over the API."}
	case !(c.Rate > 0 && c.Rate <= maxLimit):
		return &runs.Error{Code: runs.Invalid, Message: fmt.Sprintf("--rate %g: it is no number of requests a second", c.Rate), Hint: "Give a number above 0, as 20."}
	}
	_, err = c.daily()
	return err
}

// config is what the server works with. Whether it can work at all is found out before it listens.
func (c *serveCmd) config(e *env, d *desk) (server.Config, error) {
	e.cli.Quiet = true // what a run has to say is in its journal
	d.engine.Configure = func(_ context.Context, r runs.Request) (research.Config, error) { return c.configure(e, r) }
	d.engine.Daily, _ = c.daily() // settle has looked at it
	d.engine.Pack = func(ctx context.Context, id string) ([]byte, error) {
		data, _, err := d.pack(ctx, e, id)
		return data, err
	}
	trial, err := c.researchFlags.config(e, "Is all that runs need there?")
	if err == nil {
		err = e.ready(trial)
	}
	if err != nil {
		return server.Config{}, err
	}
	tokens := &server.Tokens{DB: d.db}
	some, err := tokens.Any(e.ctx)
	if err != nil {
		return server.Config{}, err
	}
	known := c.RequireToken || len(c.Host) > 0 || !server.Loopback(c.Listen)
	if known && !some {
		return server.Config{}, &runs.Error{Code: runs.Unready, Message: "there is no token, and nobody could use the server without one", Hint: "Make one first: ibid token create NAME --user USER --scope runs:read,runs:write,gates"}
	}
	config := server.Config{Desk: d.engine.For, Tokens: tokens, Hosts: c.names(), Rate: c.Rate, Version: programVersion(),
		Ready: d.db.PingContext, Verify: e.verdict, Pairs: func(ctx context.Context, in io.Reader, out io.Writer, bad func(int, error)) error {
			return eval.Pairs(ctx, in, out, false, nil, bad)
		}}
	if !known {
		u, err := user.Current()
		if err != nil {
			return config, &runs.Error{Code: runs.Unready, Message: "finding out who you are", Err: err, Hint: "Let requests take tokens: --require-token"}
		}
		config.User = u.Username
	}
	return config, nil
}

// names are what the server is called: what it listens on is one, unless that is everywhere.
func (c *serveCmd) names() []string {
	names := c.Host
	if host, _, err := net.SplitHostPort(c.Listen); err == nil && host != "" {
		if ip := net.ParseIP(host); ip == nil || !ip.IsUnspecified() {
			names = append(names, host)
		}
	}
	return names
}

// hooks tell users' own servers of their runs, through the guard that pages are read through.
func (e *env) hooks(d *desk, log *slog.Logger) (*hooks.Hooks, error) {
	client, err := e.origin.tables.Fetch.client()
	if err != nil {
		return nil, err
	}
	return &hooks.Hooks{DB: d.db, Client: client, Refuses: client.Refuses, Log: log}, nil
}
