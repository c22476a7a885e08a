package telemetry

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"ibid/agent"
	"ibid/audit"
	"ibid/journal"
	"ibid/research"
	"ibid/runs"
)

// A Telemetry watches the runs of one process.
type Telemetry struct {
	Metrics *Metrics
	Tracer  trace.Tracer // one that does nothing where nobody collects spans
}

// Watch begins to watch a run (runs.Engine.Watch).
func (t *Telemetry) Watch(ctx context.Context, run journal.Info, c research.Config) (context.Context, runs.Watcher) {
	provider, _, _ := strings.Cut(c.Model, "/")
	if run.Trace != "" { // who asked for it looks on
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": run.Trace})
	}
	ctx, span := t.Tracer.Start(ctx, opAgent+" ibid", trace.WithAttributes(attribute.String(attrOperation, opAgent), attribute.String(attrProvider, provider),
		attribute.String(attrModel, c.Model), attribute.String(attrConversation, run.ID), attribute.String(attrAgent, "ibid"), attribute.String(attrPrompt, run.PromptVersion)))
	t.Metrics.active.Inc()
	return ctx, &watcher{t: t, ctx: ctx, span: span, config: c, provider: provider, tools: map[string]trace.Span{}}
}

// Answered counts how long a person took (runs.Engine.Answered).
func (t *Telemetry) Answered(p journal.Pending) {
	t.Metrics.gates.Observe(max(time.Since(p.Created).Seconds(), 0))
}

// watcher is one run's. Its events come from several goroutines.
type watcher struct {
	t        *Telemetry
	ctx      context.Context
	span     trace.Span
	config   research.Config
	provider string

	mu    sync.Mutex
	tools map[string]trace.Span // that run, by their position
}

// Event counts what happened. What is served from the record was counted when it was done.
func (w *watcher) Event(e agent.Event) {
	if e.Recorded {
		return
	}
	switch e.Kind {
	case agent.AfterModel:
		w.answered(e)
	case agent.BeforeTool:
		_, span := w.t.Tracer.Start(w.ctx, opTool+" "+e.Tool, trace.WithAttributes(attribute.String(attrOperation, opTool), attribute.String(attrTool, e.Tool),
			attribute.String(attrAgent, e.Lane), attribute.Int(attrStep, e.Step)))
		w.mu.Lock()
		w.tools[e.Key] = span
		w.mu.Unlock()
	case agent.AfterTool:
		w.called(e)
	}
}

// answered counts an answer of the model.
func (w *watcher) answered(e agent.Event) {
	m, end := w.t.Metrics, time.Now()
	m.steps.Inc()
	m.step.Observe(e.Took.Seconds())
	m.cost.WithLabelValues(w.config.Model).Add(dollars(e.Spent.MicroUSD))
	_, span := w.t.Tracer.Start(w.ctx, opChat+" "+e.Model, trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(end.Add(-e.Took)),
		trace.WithAttributes(attribute.String(attrOperation, opChat), attribute.String(attrProvider, w.provider), attribute.String(attrModel, e.Model),
			attribute.String(attrAgent, e.Lane), attribute.Int(attrStep, e.Step), attribute.Float64(attrCost, dollars(e.Spent.MicroUSD))))
	if u := e.Usage; u != nil {
		for _, k := range []struct {
			kind, attr string
			n          int64
		}{{"input", attrIn, u.In}, {"cache_read", attrCacheRead, u.CacheRead}, {"cache_write", attrCacheWrite, u.CacheWrite}, {"output", attrOut, u.Out}, {"", attrReasoning, u.Reasoning}} {
			if k.n > 0 {
				span.SetAttributes(attribute.Int64(k.attr, k.n))
				if k.kind != "" {
					m.tokens.WithLabelValues(e.Model, k.kind).Add(float64(k.n))
				}
			}
		}
	}
	span.End(trace.WithTimestamp(end))
}

// called counts a call of a tool.
func (w *watcher) called(e agent.Event) {
	outcome := "ok"
	switch {
	case e.Error && strings.HasPrefix(e.Text, "BUDGET:"):
		outcome = "budget"
	case e.Error && strings.HasPrefix(e.Text, "DENIED:"):
		outcome = "denied"
	case e.Error:
		outcome = "error"
	}
	m := w.t.Metrics
	m.calls.WithLabelValues(w.tool(e.Tool), outcome).Inc()
	switch e.Tool {
	case "search_web":
		var result struct{ Outcome string }
		if _, body, ok := strings.Cut(e.Text, "{"); ok && json.NewDecoder(strings.NewReader("{"+body)).Decode(&result) == nil && result.Outcome == "duplicate" {
			m.dedup.Inc()
		}
	case "record_finding":
		if outcome == "ok" {
			m.findings.WithLabelValues("recorded").Inc()
		} else {
			m.findings.WithLabelValues("refused").Inc()
		}
	}
	w.mu.Lock()
	span := w.tools[e.Key]
	delete(w.tools, e.Key)
	w.mu.Unlock()
	if span == nil {
		return
	}
	if e.Error {
		span.SetAttributes(attribute.String(attrError, outcome))
		span.SetStatus(codes.Error, outcome)
	}
	span.End()
}

// ours are the tools that have a series of their own: a model may make up any name.
var ours = map[string]bool{"plan": true, "search_web": true, "read_pages": true, "search_corpus": true, "quote": true, "record_finding": true, "fetch_result": true,
	"spawn_subagent": true, "wait_subagents": true, "list_siblings": true, "send_message": true, "read_messages": true, "query": true, "remember": true, "read_file": true,
	"create_file": true, "delete_files": true, "move_files": true, "find_by_name": true, "find_by_term": true, "filter_files": true, "search_files": true}

func (w *watcher) tool(name string) string {
	switch {
	case ours[name]:
		return name
	case strings.Contains(name, "."):
		return "mcp"
	}
	return "other"
}

// End counts how the work ended.
func (w *watcher) End(_ context.Context, r *research.Result, err error) {
	m := w.t.Metrics
	m.active.Dec()
	w.mu.Lock()
	for _, span := range w.tools {
		span.End()
	}
	w.mu.Unlock()
	defer w.span.End()
	if err != nil || r == nil {
		m.runs.WithLabelValues("fault").Inc()
		w.span.SetStatus(codes.Error, "fault")
		if errors.Is(err, context.Canceled) {
			w.span.SetAttributes(attribute.String(attrStop, string(agent.StopCancelled)))
		}
		return
	}
	w.span.SetAttributes(attribute.String(attrStop, string(r.Stop)), attribute.Float64(attrCost, dollars(r.Shape.Spent.MicroUSD)))
	state := "done"
	switch {
	case r.Stop == agent.StopParked, r.Stop == agent.StopCancelled:
		m.runs.WithLabelValues(string(r.Stop)).Inc()
		return // it goes on, or has no answer: its shape is counted when it has ended
	case r.Stop == agent.StopFailed, !r.Verified:
		state = "failed"
		w.span.SetStatus(codes.Error, state)
	case !r.Stop.Complete():
		state = "partial"
	}
	m.runs.WithLabelValues(state).Inc()
	m.ended(w.config, r)
}

// ended counts the shape of a run (BUDGET-7).
func (m *Metrics) ended(c research.Config, r *research.Result) {
	if kind, ok := strings.CutPrefix(string(r.Stop), "budget:"); ok {
		m.stops.WithLabelValues(kind).Inc()
	}
	for _, c := range r.Shape.CapsHit {
		m.caps.WithLabelValues(string(c)).Inc()
	}
	if len(r.Shape.CapsHit) > 0 {
		m.capped.Inc()
	}
	cost := dollars(r.Shape.Spent.MicroUSD)
	m.price.Observe(cost)
	for _, t := range c.Tags {
		m.tagged.WithLabelValues(m.tag(t)).Add(cost)
	}
	blocked, flagged := r.Check.Count(audit.Block), r.Check.Count(audit.Flag)
	m.citations.WithLabelValues("blocked").Add(float64(blocked))
	m.citations.WithLabelValues("flagged").Add(float64(flagged))
	m.citations.WithLabelValues("ok").Add(float64(max(r.Check.Citations-blocked-flagged, 0)))
}

func dollars(micro int64) float64 { return float64(micro) / 1e6 }
