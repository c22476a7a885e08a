package server

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ibid/gate"
	"ibid/journal"
)

// tasked is a world whose plans are asked about, and whose deciders need a scope.
func tasked(t *testing.T, dir string) *world {
	t.Helper()
	w := worldIn(t, dir, func(c *Config) { c.GateScope = "gates" })
	w.policy = gate.Policy{AskPlan: true}
	return w
}

// A call of research_start becomes a task, whose states are the run's, whose gates a person decides at the client, and whose
// result is the report; over streams and over HTTP.
func TestTasks(t *testing.T) {
	w := tasked(t, t.TempDir())
	web := w.listen(HTTP{Tokens: tokens, Scope: "mcp"})
	for name, c := range map[string]*wire{"stdio": w.overStdio(asksToo), "http": w.overHTTP(web.URL, "keeper-token", asksToo)} {
		t.Run(name, func(t *testing.T) {
			if e := c.must("server/discover", nil)["capabilities"].(map[string]any)["extensions"].(map[string]any)[tasksExtension]; !reflect.DeepEqual(e, map[string]any{}) {
				t.Errorf("declared as %v", e)
			}
			id := c.start(ferryQuestion)
			key := c.key(c.until(id, "input_required"))
			c.acked(taskUpdate, args{"taskId": id, "inputResponses": args{}})
			c.acked(taskUpdate, args{"taskId": id, "inputResponses": args{"nobody asked": 5, key: args{"action": "cancel"}}})
			if c.key(c.until(id, "input_required")) != key {
				t.Error("a form that was closed decides")
			}
			c.acked(taskUpdate, args{"taskId": id, "inputResponses": yes(key)})
			done := c.until(id, "completed", "failed", "cancelled")
			if done["status"] != "completed" {
				t.Fatalf("%v", done)
			}
			c.acked(taskUpdate, args{"taskId": id, "inputResponses": yes(key)})
			c.acked(taskCancel, args{"taskId": id})
			if again := c.must(taskGet, args{"taskId": id}); again["status"] != "completed" {
				t.Errorf("%v", again)
			}
			// The result is what the tool declares, and holds the report that research_report prints.
			result := done["result"].(map[string]any)
			var r mcp.CallToolResult
			body, err := json.Marshal(result)
			if err == nil {
				err = json.Unmarshal(body, &r)
			}
			if err != nil || r.IsError || result["resultType"] != "complete" || result["_meta"] != nil {
				t.Fatalf("%v: %s", err, body)
			}
			old := w.connect(nil)
			old.fits("research_start", &r)
			got := r.StructuredContent.(map[string]any)
			report := old.call("research_report", args{"run": id})
			if !reflect.DeepEqual(got["report"], any(report)) || got["state"] != "done" || got["over"] != true || !strings.Contains(report["text"].(string), "412 passengers") {
				t.Errorf("%v and %v", got, report)
			}
		})
	}
}

// Who does not declare the extension in the request sees no task, and cannot ask for one.
func TestTasksAreForThoseWhoKnowThem(t *testing.T) {
	w := tasked(t, t.TempDir())
	web := w.listen(HTTP{Tokens: tokens, Scope: "mcp"})
	id := w.overHTTP(web.URL, "keeper-token", withTasks).start(ferryQuestion)
	for _, capabilities := range []map[string]any{{}, {"elicitation": map[string]any{}}, {"extensions": map[string]any{tasksExtension: nil}}, {"extensions": map[string]any{"another": map[string]any{}}}} {
		for _, c := range []*wire{w.overStdio(capabilities), w.overHTTP(web.URL, "ada-token", capabilities)} {
			r := c.must("tools/call", args{"name": "research_start", "arguments": args{"question": ferryQuestion}})
			s, _ := r["structuredContent"].(map[string]any)
			if r["resultType"] != "complete" || r["taskId"] != nil || s["run"] == nil || s["report"] != nil {
				t.Errorf("%v", r)
			}
			for _, method := range taskMethods {
				problem := c.refused(mcp.CodeMissingRequiredClientCapabilities, method, args{"taskId": id, "inputResponses": args{}})
				if want := `{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`; string(problem.Data) != want {
					t.Errorf("%s: %s", method, problem.Data)
				}
			}
			c.refused(mcp.CodeMissingRequiredClientCapabilities, subscribe, args{"notifications": args{"taskIds": []string{id}}})
		}
	}
	// A session of an older revision, of the SDK's client.
	c := w.connect(nil)
	if s := c.call("research_start", args{"question": ferryQuestion, "wait_seconds": 60}); s["state"] != "parked" || s["report"] != nil {
		t.Errorf("%v", s)
	}
	if s, _ := w.desk("").Info(context.Background(), id); s.State.Over() {
		t.Errorf("it is %s", s.State)
	}
}

// The SDK's client asks for tasks through custom methods.
func TestTasksOfTheSDK(t *testing.T) {
	w := tasked(t, t.TempDir())
	id := w.overStdio(withTasks).start(ferryQuestion)
	here, there := mcp.NewInMemoryTransports()
	go func() { _ = w.mcp.Run(context.Background(), there) }() // ends with the connection
	var asked []string
	o := asking("accept", true, &asked)
	o.Capabilities = &mcp.ClientCapabilities{}
	o.Capabilities.AddExtension(tasksExtension, nil)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o)
	for _, err := range []error{mcp.AddSendingCustomMethod[*taskParams, *task](client, taskGet), mcp.AddSendingCustomMethod[*taskParams, *acknowledged](client, taskUpdate)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	session, err := client.Connect(context.Background(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	get := func() *struct {
		Status status
		Keys   []string
	} {
		r, err := mcp.CallCustomMethod[*taskParams, *task](context.Background(), session, taskGet, &taskParams{ID: id})
		if err != nil {
			t.Fatal(err)
		}
		got := &struct {
			Status status
			Keys   []string
		}{Status: r.Status}
		for key := range r.Requests {
			got.Keys = append(got.Keys, key)
		}
		return got
	}
	for get().Status == taskWorking {
		time.Sleep(10 * time.Millisecond)
	}
	waits := get()
	if waits.Status != taskInput || len(waits.Keys) != 1 {
		t.Fatalf("%+v", waits)
	}
	said := map[string]json.RawMessage{waits.Keys[0]: json.RawMessage(`{"action":"decline"}`)}
	if r, err := mcp.CallCustomMethod[*taskParams, *acknowledged](context.Background(), session, taskUpdate, &taskParams{ID: id, Said: said}); err != nil || r.ResultType != "complete" {
		t.Errorf("%v, %v", r, err)
	}
	if gates, err := w.desk("").Gates(context.Background(), id, true); err != nil || len(gates) == 0 || gates[0].State != "denied" {
		t.Errorf("%+v, %v", gates, err)
	}
}

// A task belongs to who began it, and a gate is decided by who may: with another's token there is no such task, and with one
// that is not for gates, or a client that cannot ask a person, nothing is asked or decided.
func TestTasksOfOthers(t *testing.T) {
	w := tasked(t, t.TempDir())
	web := w.listen(HTTP{Tokens: tokens, Scope: "mcp"})
	keeper := w.overHTTP(web.URL, "keeper-token", asksToo)
	id := keeper.start(ferryQuestion)
	key := keeper.key(keeper.until(id, "input_required"))
	bob := w.overHTTP(web.URL, "bob-token", asksToo)
	none := keeper.refused(jsonrpc.CodeInvalidParams, taskGet, args{"taskId": "nosuchtask"})
	for _, method := range taskMethods {
		problem := bob.refused(jsonrpc.CodeInvalidParams, method, args{"taskId": id, "inputResponses": yes(key)})
		if problem.Message != none.Message {
			t.Errorf("%s tells of another's task: %s", method, problem.Message)
		}
	}
	for _, tt := range []struct {
		who  *wire
		code int64
	}{{w.overHTTP(web.URL, "ada-token", asksToo), jsonrpc.CodeInvalidParams}, {w.overHTTP(web.URL, "keeper-token", withTasks), mcp.CodeMissingRequiredClientCapabilities}} {
		task := tt.who.must(taskGet, args{"taskId": id})
		tt.who.shaped(task, "complete", "working")
		if m := fmt.Sprint(task["statusMessage"]); !strings.Contains(m, "ibid gate approve g-") {
			t.Error(m)
		}
		tt.who.refused(tt.code, taskUpdate, args{"taskId": id, "inputResponses": yes(key)})
	}
	if gates, err := w.desk("ada").Gates(context.Background(), id, false); err != nil || len(gates) != 1 {
		t.Errorf("%+v, %v", gates, err)
	}
	// What a program researches itself is no task: it would decide what it may do itself.
	run := w.connect(nil).call("research_open", args{"question": ferryQuestion})["run"]
	for _, method := range taskMethods {
		w.overStdio(asksToo).refused(jsonrpc.CodeInvalidParams, method, args{"taskId": run, "inputResponses": args{}})
	}
}

// Of many who answer at once one decides; an answer to what does not stand there any more decides nothing.
func TestTasksAreAnsweredOnce(t *testing.T) {
	w := tasked(t, t.TempDir())
	web := w.listen(HTTP{Tokens: tokens, Scope: "mcp"})
	c := w.overHTTP(web.URL, "keeper-token", asksToo)
	id := c.start(ferryQuestion)
	old := c.key(c.until(id, "input_required"))
	gateID, hash, _ := strings.Cut(old, " ")
	plan := json.RawMessage(`{"subquestions":["` + ferryQuestion + `"],"reason":"shorter"}`)
	if _, err := w.desk("ada").EditPlan(context.Background(), gateID, hash, plan); err != nil {
		t.Fatal(err)
	}
	c.acked(taskUpdate, args{"taskId": id, "inputResponses": yes(old)})
	key := c.key(c.until(id, "input_required"))
	if key == old {
		t.Error("another plan has the same key")
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			said := args{key: args{"action": "accept", "content": args{"allow": true, "reason": fmt.Sprint("I am ", i)}}}
			w.overHTTP(web.URL, "keeper-token", asksToo).acked(taskUpdate, args{"taskId": id, "inputResponses": said})
		})
	}
	all.Wait()
	done := c.until(id, "completed", "failed", "cancelled")
	gates, err := w.desk("ada").Gates(context.Background(), id, true)
	if err != nil || len(gates) != 1 || gates[0].State != "allowed" || !strings.HasPrefix(gates[0].Decision.Reason, "I am ") {
		t.Fatalf("%+v, %v; the task is %v", gates, err, done)
	}
	asked := 0
	for event, err := range w.desk("ada").Events(context.Background(), id, 0, false) {
		if err != nil {
			t.Fatal(err)
		}
		if event.Kind == "gate" {
			asked++
		}
	}
	if asked != 1 {
		t.Errorf("the run has heard %d answers", asked)
	}
}

// A run that is cancelled or fails is a task that is cancelled or failed, for good.
func TestTasksThatEndBadly(t *testing.T) {
	w := tasked(t, t.TempDir())
	c := w.overStdio(asksToo)
	id := c.start(ferryQuestion)
	key := c.key(c.until(id, "input_required"))
	for range 2 {
		c.acked(taskCancel, args{"taskId": id})
		c.until(id, "cancelled")
	}
	c.acked(taskUpdate, args{"taskId": id, "inputResponses": yes(key)})
	c.until(id, "cancelled")
	c.must("tools/call", args{"name": "research_status", "arguments": args{"run": id}})

	w.policy = gate.Policy{}
	failed := c.until(c.start(unanswerable), "completed", "failed", "cancelled")
	if e, _ := failed["error"].(map[string]any); failed["status"] != "failed" || e["code"] != float64(jsonrpc.CodeInternalError) || !strings.Contains(fmt.Sprint(e["message"]), "research_report") {
		t.Errorf("%v", failed)
	}
	// What cannot begin is no task, but a result that says why.
	if r := c.must("tools/call", args{"name": "research_start", "arguments": args{"question": " "}}); r["isError"] != true || r["taskId"] != nil {
		t.Errorf("%v", r)
	}
}

// The task is the run: another server over the same store knows it, and what it waits for.
func TestTasksOutliveTheirServer(t *testing.T) {
	dir := t.TempDir()
	var id, key string
	t.Run("before", func(t *testing.T) {
		c := tasked(t, dir).overStdio(asksToo)
		id = c.start(ferryQuestion)
		key = c.key(c.until(id, "input_required"))
	})
	t.Run("after", func(t *testing.T) {
		c := tasked(t, dir).overStdio(asksToo)
		if again := c.key(c.until(id, "input_required")); again != key {
			t.Errorf("it asks under %q, and asked under %q", again, key)
		}
		c.acked(taskUpdate, args{"taskId": id, "inputResponses": yes(key)})
		c.until(id, "completed")
	})
	t.Run("long after", func(t *testing.T) {
		tasked(t, dir).overStdio(withTasks).until(id, "completed")
	})
}

// States of a run in which nobody is asked are those of a task at work, and one that answers early has completed its task.
func TestTasksAtWork(t *testing.T) {
	w := tasked(t, t.TempDir())
	c, ctx, j := w.overStdio(asksToo), context.Background(), w.engine.Journal
	id, err := j.Create(ctx, journal.Spec{Question: ferryQuestion, User: "ada", Model: "extractive"})
	if err != nil {
		t.Fatal(err)
	}
	says := func(words string) {
		t.Helper()
		task := c.until(id, "working")
		if m := fmt.Sprint(task["statusMessage"]); !strings.Contains(m, words) {
			t.Errorf("%q does not say %q", m, words)
		}
	}
	says("queued")
	run, err := j.Claim(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	says("working")
	if err := j.AskStop(ctx, id); err != nil {
		t.Fatal(err)
	}
	says("with what it has")
	if err := run.Park(ctx, "its worker was switched off"); err != nil {
		t.Fatal(err)
	}
	says("ibid resume " + id)

	early := c.start(ferryQuestion)
	c.until(early, "input_required")
	c.must("tools/call", args{"name": "research_stop", "arguments": args{"run": early}})
	c.until(early, "completed")
	if info, err := w.desk("").Info(ctx, early); err != nil || info.State != journal.StatePartial {
		t.Errorf("%s, %v", info.State, err)
	}
}

// Parameters that make no sense, methods that there are not, and names that are another's in the header are refused as the
// specification says.
func TestTasksAreAskedForRightly(t *testing.T) {
	w := tasked(t, t.TempDir())
	web := w.listen(HTTP{Tokens: tokens, Scope: "mcp"})
	overHTTP := w.overHTTP(web.URL, "keeper-token", asksToo)
	for _, c := range []*wire{w.overStdio(asksToo), overHTTP} {
		id := c.start(ferryQuestion)
		key := c.key(c.until(id, "input_required"))
		for _, tt := range []struct {
			code   int64
			method string
			params args
		}{
			{jsonrpc.CodeInvalidParams, taskGet, args{"taskId": strings.Repeat("x", 5000)}},
			{jsonrpc.CodeInvalidParams, taskGet, args{"taskId": id + "' OR 1=1"}},
			{jsonrpc.CodeInvalidParams, taskUpdate, args{"taskId": id}},
			{jsonrpc.CodeInvalidParams, taskUpdate, args{"taskId": id, "inputResponses": nil}},
			{jsonrpc.CodeInvalidParams, taskUpdate, args{"taskId": id, "inputResponses": "yes"}},
			{jsonrpc.CodeInvalidParams, taskUpdate, args{"taskId": id, "inputResponses": []any{}}},
			{jsonrpc.CodeInvalidParams, taskUpdate, args{"taskId": id, "inputResponses": args{key: true}}},
			{jsonrpc.CodeInvalidParams, taskUpdate, args{"taskId": id, "inputResponses": args{key: args{}}}},
			{jsonrpc.CodeInvalidParams, taskUpdate, args{"taskId": id, "inputResponses": args{key: args{"action": "maybe"}}}},
			{jsonrpc.CodeInvalidParams, taskUpdate, args{"taskId": id, "inputResponses": args{key: args{"action": "accept", "content": "all of it"}}}},
			{jsonrpc.CodeInvalidParams, taskCancel, args{"taskId": "nosuchtask"}},
			{jsonrpc.CodeMethodNotFound, "tasks/list", args{}},
			{jsonrpc.CodeMethodNotFound, "tasks/result", args{"taskId": id}},
		} {
			c.refused(tt.code, tt.method, tt.params)
		}
		if c.key(c.until(id, "input_required")) != key {
			t.Error("something of it decided")
		}
	}
	stdio := w.overStdio(asksToo)
	for _, p := range []args{{"taskId": 5}, {"taskId": nil}, {}} {
		stdio.refused(jsonrpc.CodeInvalidParams, taskGet, p)
	}
	id := overHTTP.start(ferryQuestion)
	for _, name := range []string{"", "nosuchtask", id + "x"} {
		if r, problem := overHTTP.askAs(name, taskGet, args{"taskId": id}); problem == nil || problem.Code != mcp.CodeHeaderMismatch {
			t.Errorf("with Mcp-Name %q: %v, %v", name, r, problem)
		}
	}
	if r, problem := overHTTP.askAs("5", taskGet, args{"taskId": 5}); problem == nil || problem.Code != mcp.CodeHeaderMismatch {
		t.Errorf("a number is no id: %v, %v", r, problem)
	}
}

// A report is printed in turn. While its turn does not come, a task is told to be at work, at once; and then it has its result.
func TestTasksWaitForTheirTurn(t *testing.T) {
	var full atomic.Bool
	var taken, given atomic.Int32
	full.Store(true)
	w := newWorld(t, func(c *Config) {
		c.Turn = func(ctx context.Context) (func(), error) {
			if full.Load() {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			taken.Add(1)
			return func() { given.Add(1) }, nil
		}
	})
	c := w.overStdio(withTasks)
	id := c.start(ferryQuestion)
	for info := (journal.Info{}); !info.State.Over(); time.Sleep(10 * time.Millisecond) {
		var err error
		if info, err = w.desk("").Info(context.Background(), id); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	c.shaped(c.must(taskGet, args{"taskId": id}), "complete", "working")
	if took := time.Since(began); took > 20*turnWait {
		t.Errorf("it took %v", took)
	}
	full.Store(false)
	c.shaped(c.must(taskGet, args{"taskId": id}), "complete", "completed")
	if taken.Load() != 1 || given.Load() != 1 {
		t.Errorf("%d turns were taken, %d given back", taken.Load(), given.Load())
	}
}
