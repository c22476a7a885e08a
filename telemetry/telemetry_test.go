package telemetry

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"ibid/agent"
	"ibid/gate"
	"ibid/llm"
	"ibid/runs"
	"ibid/runs/runstest"
)

// scrape reads the metrics as Prometheus does.
func scrape(t *testing.T, m *Metrics) map[string]float64 {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	values := map[string]float64{}
	for line := range strings.Lines(w.Body.String()) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name != "#" {
			n, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			values[name] = n
		}
	}
	return values
}

// A run that parks for a person, goes on and ends is counted once, whatever is served from its record; each of its steps
// and calls has a span, under one for each time that it was worked on. No label and no span holds what it was about.
func TestRunIsCountedOnce(t *testing.T) {
	e, _ := runstest.Engine(t)
	spans := tracetest.NewInMemoryExporter()
	provider := sdk.NewTracerProvider(sdk.WithSyncer(spans))
	look := &Telemetry{Metrics: NewMetrics(), Tracer: provider.Tracer("test")}
	e.Watch, e.Answered = look.Watch, look.Answered
	desk, ctx := e.For("ada"), context.Background()
	info, err := desk.Start(ctx, runs.Request{Question: runstest.Question, AskPlan: true, Trace: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { // of whoever asked, in whichever process it is worked on
		for _, s := range spans.GetSpans() {
			if s.SpanContext.TraceID().String() != "4bf92f3577b34da6a3ce929d0e0e4736" || strings.HasPrefix(s.Name, opAgent) && (s.Parent.SpanID().String() != "00f067aa0ba902b7" || !s.Parent.IsRemote()) {
				t.Errorf("%s: trace %s, parent %s", s.Name, s.SpanContext.TraceID(), s.Parent.SpanID())
			}
		}
	}()
	if r, err := e.Work(ctx, info.ID); err != nil || r.Stop != agent.StopParked {
		t.Fatal(r, err)
	}
	if got := scrape(t, look.Metrics); got[`ibid_runs_total{state="parked"}`] != 1 || got["ibid_runs_active"] != 0 || got["ibid_steps_total"] != 1 {
		t.Errorf("parked: %v", got)
	}
	waiting, err := desk.Gates(ctx, info.ID, false)
	if err != nil || len(waiting) != 1 {
		t.Fatal(waiting, err)
	}
	if _, err := desk.Answer(ctx, waiting[0].ID, gate.Answer{Allow: true}); err != nil {
		t.Fatal(err)
	}
	r, err := e.Work(ctx, info.ID)
	if err != nil {
		t.Fatal(err)
	}
	got := scrape(t, look.Metrics)
	for name, want := range map[string]float64{
		`ibid_runs_total{state="done"}`:                   1,
		"ibid_steps_total":                                float64(r.Shape.Steps),
		`ibid_findings_total{outcome="recorded"}`:         float64(r.Shape.Findings),
		`ibid_citations_checked_total{outcome="ok"}`:      float64(r.Check.Citations),
		`ibid_citations_checked_total{outcome="blocked"}`: 0,
		"ibid_gate_wait_seconds_count":                    1,
		"ibid_run_cost_usd_count":                         1,
		"ibid_runs_active":                                0,
		`ibid_tool_calls_total{outcome="ok",tool="plan"}`: 1,
	} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	count := map[string]int{}
	for _, s := range spans.GetSpans() {
		name, _, _ := strings.Cut(s.Name, " ")
		count[name]++
		if text := s.Name + attributes(s.Attributes); regexp.MustCompile(`(?i)halden|rain`).MatchString(text) {
			t.Errorf("a span holds what the run is about: %s", text)
		}
		if name != opAgent && !s.Parent.IsValid() {
			t.Errorf("%s stands alone", s.Name)
		}
	}
	if count[opAgent] != 2 || count[opChat] != r.Shape.Steps || count[opTool] == 0 {
		t.Errorf("%v spans of %d steps", count, r.Shape.Steps)
	}
	for name := range got {
		if strings.Contains(name, info.ID) {
			t.Errorf("%s names a run", name)
		}
	}
}

func attributes(list []attribute.KeyValue) (text string) {
	for _, a := range list {
		text += " " + string(a.Key) + "=" + a.Value.String()
	}
	return text
}

// What a model or a user makes up cannot make series without end.
func TestLabelsAreFew(t *testing.T) {
	m := NewMetrics()
	w := &watcher{t: &Telemetry{Metrics: m}}
	for i := range 1000 {
		if got := w.tool("made_up_" + strconv.Itoa(i)); got != "other" {
			t.Fatal(got)
		}
		m.tagged.WithLabelValues(m.tag("t" + strconv.Itoa(i))).Add(1)
	}
	if got := w.tool("files.read"); got != "mcp" {
		t.Error(got)
	}
	n, total := 0, 0.0
	for name, v := range scrape(t, m) {
		if strings.HasPrefix(name, "ibid_tagged_cost_usd_total") {
			n, total = n+1, total+v
		}
	}
	if n > maxTags+1 || total != 1000 {
		t.Errorf("%d series with %v in all", n, total)
	}
}

// Spans go where the standard variables say, and nowhere without them.
func TestTracer(t *testing.T) {
	got := make(chan string, 10)
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- r.URL.Path + " " + string(body)
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_SERVICE_NAME", "our-researcher")
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
	for _, disabled := range []string{"", "true"} {
		t.Setenv("OTEL_SDK_DISABLED", disabled)
		tracer, shutdown, err := Tracer(t.Context(), "1")
		if err != nil {
			t.Fatal(err)
		}
		look := &Telemetry{Metrics: NewMetrics(), Tracer: tracer}
		e, _ := runstest.Engine(t)
		e.Watch = look.Watch
		info, err := e.For("ada").Start(t.Context(), runs.Request{Question: runstest.Question})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Work(t.Context(), info.ID); err != nil {
			t.Fatal(err)
		}
		ctx, done := context.WithTimeout(context.Background(), 10*time.Second)
		defer done()
		if err := shutdown(ctx); err != nil {
			t.Fatal(err)
		}
		select {
		case sent := <-got:
			if disabled != "" || !strings.HasPrefix(sent, "/v1/traces ") || !strings.Contains(sent, "our-researcher") || !strings.Contains(sent, attrConversation) {
				t.Errorf("disabled %q: sent %.200q", disabled, sent)
			}
		default:
			if disabled == "" {
				t.Error("nothing was sent")
			}
		}
	}
}

// Tokens are counted by kind, and what was served from a record is not counted again.
func TestTokens(t *testing.T) {
	m := NewMetrics()
	provider := sdk.NewTracerProvider()
	w := &watcher{t: &Telemetry{Metrics: m, Tracer: provider.Tracer("t")}, ctx: t.Context()}
	w.config.Model = "p/m"
	answer := agent.Event{Kind: agent.AfterModel, Model: "m", Usage: &llm.Usage{In: 10, CacheRead: 5, CacheWrite: 2, Out: 3, Known: true}, Took: time.Second}
	answer.Spent.MicroUSD = 2_500_000
	w.Event(answer)
	answer.Recorded = true
	w.Event(answer)
	got := scrape(t, m)
	for name, want := range map[string]float64{
		`ibid_tokens_total{kind="input",model="m"}`: 10, `ibid_tokens_total{kind="cache_read",model="m"}`: 5, `ibid_tokens_total{kind="cache_write",model="m"}`: 2,
		`ibid_tokens_total{kind="output",model="m"}`: 3, `ibid_cost_usd_total{model="p/m"}`: 2.5, "ibid_step_seconds_sum": 1,
	} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
}
