package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ibid/budget"
	"ibid/journal"
	"ibid/llm"
)

// A reader is a scripted run: a search, two reads, a finding of each, over and over. Its answers depend on how often it
// has answered, not on the request, as a script's do.
type reader struct {
	steps    int                                     // calls before the answer
	summary  func(llm.Request) (llm.Response, error) // nil: an honest one
	pageSize int                                     // bytes; 0: 24,000
	window   int64                                   // tokens that the provider takes; 0: any number

	requests []llm.Request
	events   []Event
	findings []string
	spent    int64 // of In tokens, as reported
}

func isAsk(r llm.Request) bool {
	blocks := r.Messages[len(r.Messages)-1].Blocks
	return strings.Contains(blocks[len(blocks)-1].Text, "established_facts")
}

func (m *reader) model() *llm.Local {
	return &llm.Local{ID: "reader", Answer: func(_ context.Context, r llm.Request) (llm.Response, error) {
		m.requests = append(m.requests, r)
		var tokens int64
		for _, message := range r.Messages {
			tokens += counted(message)
		}
		usage := llm.Usage{In: tokens*6/5 + 500, Out: 200, Known: true}
		m.spent += usage.In
		if m.window > 0 && usage.In > m.window {
			return llm.Response{}, &llm.Error{Kind: llm.TooLong, Status: 400, Message: "prompt is too long"}
		}
		if isAsk(r) {
			made := m.summary
			if made == nil {
				made = honestSummary
			}
			resp, err := made(r)
			resp.Usage = usage
			return resp, err
		}
		if r.Choice == llm.ChoiceNone || m.answers(r) >= m.steps {
			return llm.Response{Blocks: []llm.Block{{Text: "the answer"}}, Stop: llm.StopEnd, Usage: usage}, nil
		}
		n := m.answers(r) + 1
		resp := llm.Response{Stop: llm.StopTools, Usage: usage, Blocks: []llm.Block{{Text: fmt.Sprintf("Step %d: next is district %d.", n, n)}}}
		call := func(tool, args string) {
			resp.Blocks = append(resp.Blocks, llm.Block{Call: &llm.ToolCall{ID: fmt.Sprintf("c%d", len(resp.Blocks)), Name: tool, Args: args}})
		}
		switch n % 5 {
		case 1:
			call("search", fmt.Sprintf(`{"query":"losses in district %d 2024"}`, n))
		case 2, 4:
			call("read", fmt.Sprintf(`{"n":%d}`, n))
			if n%3 == 0 {
				call("read", fmt.Sprintf(`{"n":%d}`, 1000+n))
			}
		default:
			call("record", fmt.Sprintf(`{"claim":"Losses in district %d fell to %d.4 percent.","span":"S%d:para.2"}`, n-1, n-1, n-1))
		}
		return resp, nil
	}}
}

// answers counts the answers so far. A view may hold fewer, so the last of them says its number.
func (m *reader) answers(r llm.Request) int {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == llm.Assistant {
			var n int
			if _, err := fmt.Sscanf(r.Messages[i].Blocks[0].Text, "Step %d:", &n); err == nil {
				return n
			}
		}
	}
	return 0
}

func honestSummary(r llm.Request) (llm.Response, error) {
	blocks := r.Messages[len(r.Messages)-1].Blocks
	handle := regexp.MustCompile(`r\d+\.\d+`).FindString(blocks[len(blocks)-1].Text)
	return says(fmt.Sprintf(`{"established_facts":[{"claim":"Meters were read by hand.","handle":%q}],"exact_identifiers":[],"dead_ends":[{"approach":"asking the authority","why_failed":"nobody answered"}],"open_questions":["Why?"],"current_state":"reading","next_action":"go on reading"}`, handle)), nil
}

func says(text string) llm.Response {
	return llm.Response{Blocks: []llm.Block{{Text: text}}, Stop: llm.StopEnd}
}

// typed gives the errors of a Local as a provider's codec does: as they are.
type typed struct{ *llm.Local }

func (m typed) Send(ctx context.Context, body []byte, key string) ([]byte, error) {
	out, err := m.Local.Send(ctx, body, key)
	if cause := (*llm.Error)(nil); errors.As(err, &cause) {
		return out, cause
	}
	return out, err
}

func (m *reader) tools() []Tool {
	one := func(name string, result func(n int) string) Tool {
		return testTool{name, func(c Call) (Action, error) {
			var args struct {
				N     int    `json:"n"`
				Claim string `json:"claim"`
			}
			if err := Decode(c.Args, &args); err != nil {
				return Action{}, err
			}
			return Action{Effects: []Effect{{Kind: name, Input: c.Args, Run: func(context.Context) ([]byte, budget.Amount, error) { return []byte("{}"), budget.Amount{}, nil }}},
				Then: func([]Outcome) Result {
					if args.Claim != "" {
						m.findings = append(m.findings, args.Claim)
					}
					return Result{Content: result(args.N)}
				}}, nil
		}}
	}
	size := m.pageSize
	if size == 0 {
		size = 24_000
	}
	return []Tool{
		one("search", func(int) string { return strings.Repeat("a result of a search; ", 270) }),
		one("read", func(n int) string {
			return fmt.Sprintf(`{"source":"S%d","url":"https://d%d.halden.example/","text":"%d.4 percent, order EU %d/1689 Art. 6. %s"}`, n, n, n, n, strings.Repeat("what a page says ", size/17))
		}),
		one("record", func(int) string { return `{"finding":"F","plan":"` + strings.Repeat("what stands. ", 80) + `"}` }),
	}
}

var testFetch = llm.Tool{Name: "fetch_result", Description: "back", Schema: json.RawMessage(`{"type":"object"}`)}

var testSource = regexp.MustCompile(`"source":"(S\d+)"`)

// context is one in which records are kept and sources are names.
func (m *reader) context(window int64) *Context {
	return &Context{Window: window, Elide: true, Compact: true, CompactAt: DefaultCompactAt, Fetch: testFetch, Keeps: func(tool string) bool { return tool == "record" },
		About: func(_ llm.ToolCall, content string) (s Subject) {
			if at := testSource.FindStringSubmatch(content); at != nil {
				s.Names, s.Text = at[1:], at[1]
			}
			return s
		},
		Pinned: func() string { return strings.Join(m.findings, "\n") }}
}

const constraint = "Question: How large were grid losses? Answer in Norwegian Bokmål, by 2026-12-24, with nothing of before 1994."

// run makes the whole run.
func (m *reader) run(t testing.TB, ctx context.Context, c *Context, record *journal.Run, limits budget.Limits) (Answer, *Session) {
	t.Helper()
	s := session(limits, m.tools()...)
	s.Prompt[0].Blocks[0].Text = constraint
	s.Context, s.Record = c, record
	observe := s.Observe
	s.Observe = func(e Event) {
		m.events = append(m.events, e)
		if observe != nil {
			observe(e)
		}
	}
	a, err := (&Loop{Model: typed{m.model()}, System: "s", Guard: Guard{Repeats: 1000}}).Run(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	return a, s
}

// whole fails the test unless every call of a view is answered right after it, and nothing else is.
func whole(t testing.TB, messages []llm.Message) {
	t.Helper()
	for i, m := range messages {
		var calls, results []string
		for _, b := range m.Blocks {
			if b.Call != nil {
				calls = append(calls, b.Call.ID)
			}
		}
		if m.Role == llm.Assistant && i+1 < len(messages) {
			for _, b := range messages[i+1].Blocks {
				if b.Result != nil {
					results = append(results, b.Result.ID)
				}
			}
		}
		if m.Role == llm.Assistant && i+1 < len(messages) && !slices.Equal(calls, results) {
			t.Fatalf("message %d: calls %v are answered by %v", i, calls, results)
		}
		if m.Role == llm.User && slices.ContainsFunc(m.Blocks, func(b llm.Block) bool { return b.Result != nil }) && (i == 0 || messages[i-1].Role != llm.Assistant) {
			t.Fatalf("message %d answers nobody", i)
		}
	}
}

// Each request begins with the whole request before it, except where the loop has told that it changed the conversation
// (law 12).
func TestPrefixIsStableButForToldChanges(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and much to encode")
	}
	m := &reader{steps: 60}
	a, _ := m.run(t, t.Context(), m.context(100_000), nil, budget.Limits{Steps: 130})
	if a.Stop != StopDone || a.Elided < 15 || a.Compactions < 1 {
		t.Fatalf("%s: %d elided, %d compacted", a.Stop, a.Elided, a.Compactions)
	}
	told, breaks := 0, 0
	for _, e := range m.events {
		if e.Kind == Elided || e.Kind == Compacted {
			told++
		}
	}
	var last []llm.Message
	for i, r := range m.requests {
		whole(t, r.Messages)
		if isAsk(r) {
			continue
		}
		same := 0
		for same < len(last) && same < len(r.Messages) && encoded(t, last[same]) == encoded(t, r.Messages[same]) {
			same++
		}
		if same < len(last) {
			breaks++
		}
		last = m.requests[i].Messages
	}
	if breaks == 0 || breaks > told {
		t.Errorf("the prefix broke %d times, and %d changes were told", breaks, told)
	}
	plain := &reader{steps: 60}
	plain.run(t, t.Context(), nil, nil, budget.Limits{Steps: 130})
	if m.spent > plain.spent/3 {
		t.Errorf("%d tokens of input; without a Context there are %d", m.spent, plain.spent)
	}
}

func encoded(t testing.TB, m llm.Message) string {
	t.Helper()
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The raw history is twelve times what the window holds: the run finishes, and the last request still holds the question
// with its constraints, every finding, and every handle or the range it is in.
func TestTwelveWindows(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and much to encode")
	}
	const window = 16_000
	m := &reader{steps: 110, window: window, pageSize: 12_000}
	a, _ := m.run(t, t.Context(), m.context(window), nil, budget.Limits{Steps: 200})
	var raw int64
	for _, message := range a.History {
		raw += counted(message)
	}
	if a.Stop != StopDone || a.Text != "the answer" || raw < 12*window {
		t.Fatalf("%s %q: the history has %d tokens", a.Stop, a.Text, raw)
	}
	last := m.requests[len(m.requests)-1]
	all := encoded(t, llm.Message{Blocks: flat(last.Messages)})
	for _, want := range append(slices.Clone(m.findings), constraint) {
		if !strings.Contains(all, want) {
			t.Errorf("the last request lacks %q", want)
		}
	}
	for _, r := range m.requests {
		whole(t, r.Messages)
	}
	answered(t, a.History)
}

func flat(messages []llm.Message) (blocks []llm.Block) {
	for _, m := range messages {
		blocks = append(blocks, m.Blocks...)
	}
	return blocks
}

// What is elided comes back byte for byte, and nothing else does.
func TestFetchResultRoundTrip(t *testing.T) {
	m := &reader{steps: 20}
	c := m.context(200_000)
	s := session(budget.Limits{Steps: 60}, m.tools()...)
	s.Context = c
	model := m.model()
	script := model.Answer
	var asked string
	tried := 0
	model.Answer = func(ctx context.Context, r llm.Request) (llm.Response, error) {
		if stub := regexp.MustCompile(`^\[(r\d+\.\d+): this result of read`); asked == "" {
			for _, b := range flat(r.Messages) {
				if b.Result != nil && b.Result.Elided {
					asked = stub.FindStringSubmatch(b.Result.Content)[1]
					resp := asks("fetch_result", `{"handle":"`+asked+`"}`, "fetch_result", `{"handle":"r99.0"}`, "fetch_result", `{"handle":"r1.0"}`, "fetch_result", `{}`)
					return resp, nil
				}
			}
		}
		tried++
		return script(ctx, r)
	}
	a, err := (&Loop{Model: model, System: "s", Guard: Guard{Repeats: 1000}}).Run(t.Context(), s)
	if err != nil || a.Stop != StopDone {
		t.Fatalf("%s, %v", a.Stop, err)
	}
	var fetched []llm.ToolResult
	original := ""
	step := 0
	for _, message := range a.History {
		if message.Role == llm.Assistant {
			step++
		}
		for i, b := range message.Blocks {
			if b.Result != nil && handle(step, i) == asked {
				original = b.Result.Content
			}
			if b.Result != nil && b.Result.Name == "fetch_result" {
				fetched = append(fetched, *b.Result)
			}
		}
	}
	if len(fetched) != 4 || fetched[0].Content != original || fetched[0].IsError || original == "" {
		t.Fatalf("%s came back as %.80q of %.80q", asked, fetched[0].Content, original)
	}
	for i, why := range []string{"no result", "in full", "no result"} {
		if got := fetched[i+1]; !got.IsError || !strings.Contains(got.Content, why) {
			t.Errorf("fetch %d: %q", i+1, got.Content)
		}
	}
}
