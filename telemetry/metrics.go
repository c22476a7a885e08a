package telemetry

import (
	"net/http"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are the counters of one process, in base units.
type Metrics struct {
	registry *prometheus.Registry

	active    prometheus.Gauge
	runs      *prometheus.CounterVec // state
	steps     prometheus.Counter
	step      prometheus.Histogram
	calls     *prometheus.CounterVec // tool, outcome
	tokens    *prometheus.CounterVec // model, kind
	cost      *prometheus.CounterVec // model
	tagged    *prometheus.CounterVec // tag
	price     prometheus.Histogram
	stops     *prometheus.CounterVec // kind
	capped    prometheus.Counter
	caps      *prometheus.CounterVec // kind
	citations *prometheus.CounterVec // outcome
	findings  *prometheus.CounterVec // outcome
	dedup     prometheus.Counter
	gates     prometheus.Histogram

	mu   sync.Mutex
	seen map[string]bool // tags that have a series
}

// NewMetrics makes the metrics of a process.
func NewMetrics() *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), seen: map[string]bool{}}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "ibid_" + name, Help: help}, labels)
		m.registry.MustRegister(c)
		return c
	}
	histogram := func(name, help string, buckets []float64) prometheus.Histogram {
		h := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "ibid_" + name, Help: help, Buckets: buckets})
		m.registry.MustRegister(h)
		return h
	}
	m.active = prometheus.NewGauge(prometheus.GaugeOpts{Name: "ibid_runs_active", Help: "Runs that this process works on."})
	m.registry.MustRegister(m.active, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.runs = counter("runs_total", "Runs that were worked on here until they ended or parked, by how they stood then.", "state")
	m.steps = counter("steps_total", "Answers of models that ended a step.").WithLabelValues()
	m.step = histogram("step_seconds", "Time that a model took for an answer.", []float64{.1, .25, .5, 1, 2.5, 5, 10, 20, 40, 80, 160})
	m.calls = counter("tool_calls_total", "Calls of tools.", "tool", "outcome")
	m.tokens = counter("tokens_total", "Tokens of models.", "model", "kind")
	m.cost = counter("cost_usd_total", "Dollars that models and searches cost, by the model of the run.", "model")
	m.tagged = counter("tagged_cost_usd_total", "Dollars that ended runs cost, by their tags.", "tag")
	m.price = histogram("run_cost_usd", "Dollars that a run cost.", []float64{.001, .01, .05, .1, .25, .5, 1, 2.5, 5, 10, 25})
	m.stops = counter("budget_stops_total", "Runs that a spent budget ended, by the budget.", "kind")
	m.capped = counter("runs_capped_total", "Ended runs that met at least one limit; over ibid_runs_total it is the cap-hit rate.").WithLabelValues()
	m.caps = counter("caps_hit_total", "Limits that ended runs met.", "kind")
	m.citations = counter("citations_checked_total", "Citations of reports that were checked.", "outcome")
	m.findings = counter("findings_total", "Claims with their quotes, by whether they were recorded or refused.", "outcome")
	m.dedup = counter("search_dedup_hits_total", "Searches that were as good as an earlier one, and cost nothing.").WithLabelValues()
	m.gates = histogram("gate_wait_seconds", "Time until a person answered.", []float64{1, 10, 60, 300, 1800, 7200, 43200, 86400, 259200, 604800})
	return m
}

// Handler serves the metrics as Prometheus reads them.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
}

// maxTags are the tags that have a series of their own: whoever may start runs makes them up.
const maxTags = 100

// tag is the label of a tag.
func (m *Metrics) tag(t string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.seen[t] {
		if len(m.seen) == maxTags {
			return "other"
		}
		m.seen[t] = true
	}
	return t
}
