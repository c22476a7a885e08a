package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"ibid/runs"
	"ibid/server"
	"ibid/telemetry"
)

// watched lets what the runs of a desk do be seen from outside, until the program ends and calls what is returned.
func (d *desk) watched(e *env) (*telemetry.Telemetry, func(), error) {
	tracer, shutdown, err := telemetry.Tracer(e.ctx, programVersion())
	if err != nil {
		return nil, nil, &runs.Error{Code: runs.Unready, Message: "sending traces", Err: err, Hint: "Look at OTEL_EXPORTER_OTLP_ENDPOINT, or set OTEL_SDK_DISABLED=true."}
	}
	t := &telemetry.Telemetry{Metrics: telemetry.NewMetrics(), Tracer: tracer}
	d.engine.Watch, d.engine.Answered = t.Watch, t.Answered
	return t, func() {
		ctx, done := context.WithTimeout(context.WithoutCancel(e.ctx), 3*time.Second)
		defer done()
		if err := shutdown(ctx); err != nil && !e.cli.Quiet {
			fmt.Fprintln(e.err, "ibid: sending the last traces:", err)
		}
	}, nil
}

// checkMetrics says whether metrics may be served at an address: to this machine alone, since nobody has to say who they are.
func checkMetrics(address string) error {
	if address == "" || server.Loopback(address) {
		return nil
	}
	return &runs.Error{Code: runs.Invalid, Message: "--metrics " + address + ": metrics are served on loopback alone", Hint: "Name 127.0.0.1:PORT; 'ibid serve' serves them elsewhere, to tokens."}
}

// serveMetrics serves the metrics of a program that serves nothing else, until ctx ends.
func serveMetrics(ctx context.Context, address string, t *telemetry.Telemetry, log *slog.Logger) error {
	if address == "" {
		<-ctx.Done()
		return nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return &runs.Error{Code: runs.Unready, Message: "serving metrics on " + address, Err: err}
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", t.Metrics.Handler())
	web := server.HTTP(mux, log)
	log.Info("metrics", "address", "http://"+listener.Addr().String()+"/metrics")
	stop := context.AfterFunc(ctx, func() { _ = web.Close() })
	defer stop()
	if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving metrics: %w", err)
	}
	return nil
}
