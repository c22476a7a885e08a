package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid/budget"
	"ibid/gate"
	"ibid/journal"
	"ibid/llm"
)

// A troupe is a team whose members do what a script says of their lane. Past its end a member answers "done". Each lane
// knows the facts that it found, those that its lead knew when it was spawned, and those of whom it has waited for.
type troupe struct {
	t        *testing.T
	script   map[string][]llm.Response
	before   func(ctx context.Context, lane string, step int) error // of a model call; nil: nothing
	limits   TeamLimits
	approver gate.Approver // of members
	policy   gate.Policy

	mu       sync.Mutex
	facts    map[string][]string
	requests map[string][]llm.Request
	calls    map[string]int // model calls that were performed, by lane and step
	fetched  map[string]int
	running  int
	most     int // members that called the model at once
}

func newTroupe(t *testing.T, script map[string][]llm.Response) *troupe {
	return &troupe{t: t, script: script, limits: TeamLimits{Depth: 1, Number: 6, Parallel: 3}, facts: map[string][]string{},
		requests: map[string][]llm.Request{}, calls: map[string]int{}, fetched: map[string]int{}}
}

// texts are tool texts that name themselves.
type texts string

func (s texts) Error(name string, pairs ...any) error {
	return errors.New(string(s) + " " + name + fmt.Sprint(pairs...))
}
func (s texts) Note(name string, pairs ...any) string {
	return string(s) + " " + name + fmt.Sprint(pairs...)
}

func teamTexts() TeamTexts {
	of := func(name string) ToolText {
		return ToolText{llm.Tool{Name: name, Description: name, Schema: json.RawMessage(`{"type":"object"}`)}, texts(name)}
	}
	return TeamTexts{of("spawn_subagent"), of("wait_subagents"), of("list_siblings"), of("send_message"), of("read_messages")}
}

// model answers for every lane: which one asks stands in its first message.
func (w *troupe) model() *llm.Local {
	return &llm.Local{ID: "troupe", Answer: func(ctx context.Context, r llm.Request) (llm.Response, error) {
		lane, step := strings.Fields(r.Messages[0].Blocks[0].Text)[1], 0
		for _, m := range r.Messages {
			if m.Role == llm.Assistant {
				step++
			}
		}
		w.mu.Lock()
		w.requests[lane] = append(w.requests[lane], r)
		w.calls[fmt.Sprint(lane, "/", step+1)]++
		if lane != "lead" {
			w.running++
		}
		w.most = max(w.most, w.running)
		w.mu.Unlock()
		defer func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			if lane != "lead" {
				w.running--
			}
		}()
		if w.before != nil {
			if err := w.before(ctx, lane, step); err != nil {
				return llm.Response{}, err
			}
		}
		if step >= len(w.script[lane]) || r.Choice == llm.ChoiceNone {
			return llm.Response{Blocks: []llm.Block{{Text: "summary of " + lane}}, Stop: llm.StopEnd, Usage: llm.Usage{In: 10, Out: 5, Known: true}}, nil
		}
		return w.script[lane][step], nil
	}}
}

// fact is the tool by which a member finds something: an effect, and what it knows then.
func (w *troupe) fact(lane string) Tool {
	return testTool{"find", func(c Call) (Action, error) {
		return Action{
			Effects: []Effect{{Kind: "fetch", Input: c.Args, Cost: budget.Amount{Reads: 1}, Run: func(context.Context) ([]byte, budget.Amount, error) {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.fetched[lane+string(c.Args)]++
				return []byte(lane + " found " + string(c.Args)), budget.Amount{Reads: 1}, nil
			}}},
			Then: func(o []Outcome) Result {
				if o[0].Err != nil {
					return Result{Content: o[0].Err.Error(), IsError: true}
				}
				w.mu.Lock()
				defer w.mu.Unlock()
				w.facts[lane] = append(w.facts[lane], string(o[0].Body))
				return Result{Content: fmt.Sprintf("%d: %s", len(w.facts[lane]), o[0].Body)}
			},
		}, nil
	}}
}

func (w *troupe) loop() *Loop { return &Loop{Model: w.model(), Backoff: time.Nanosecond} }

func (w *troupe) crew() Crew {
	return Crew{Limits: w.limits, Texts: teamTexts(), Closing: budget.Amount{Steps: 1},
		Vet: func(m Member) (string, string, error) {
			if strings.Contains(m.Task, "ask") {
				return "topic", "it was asked for", nil
			}
			return "", "", nil
		},
		Hire: func(m Member) (*Loop, *Session) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.facts[m.Lane] = slices.Clone(w.facts[m.Lead])
			progress := func() string {
				w.mu.Lock()
				defer w.mu.Unlock()
				known := map[string]bool{}
				for _, f := range w.facts[m.Lane] {
					known[f] = true
				}
				return fmt.Sprint(len(known))
			}
			return w.loop(), &Session{Progress: progress, Policy: w.policy, Approver: w.approver, Tools: []Tool{w.fact(m.Lane)}, Prompt: []llm.Message{{Role: llm.User, Blocks: []llm.Block{{Text: "lane " + m.Lane + " " + m.Task}}}}}
		},
		Merge: func(m Member, a Answer) (string, any) {
			w.mu.Lock()
			defer w.mu.Unlock()
			own := w.facts[m.Lane]
			for _, f := range own {
				if !slices.Contains(w.facts[m.Lead], f) {
					w.facts[m.Lead] = append(w.facts[m.Lead], f)
				}
			}
			return a.Text, own
		},
		Fence: func(v any) string {
			body, err := json.Marshal(v)
			if err != nil {
				w.t.Error(err)
			}
			return "[fenced]" + string(body)
		},
	}
}

// run works on the lead and its team, as a run of research does.
func (w *troupe) run(ctx context.Context, record *journal.Run, limits budget.Limits, change func(*Session)) (Answer, *Team, *budget.Ledger, error) {
	s := session(limits, w.fact("lead"))
	s.Prompt[0].Blocks[0].Text, s.Record = "lane lead", record
	if change != nil {
		change(s)
	}
	clear(w.facts)
	team := NewTeam(ctx, record, s.Observe, w.crew())
	defer team.Close()
	team.Lead(s)
	a, err := w.loop().Run(team.Context(), s)
	if err == nil && a.Stop != StopParked && a.Stop != StopCancelled {
		err = team.Finish(s.Lane)
	}
	if a.Stop == StopParked {
		err = team.Settle()
	}
	return a, team, s.Ledger, err
}

// spawns is a turn that starts n agents.
func spawns(n int) llm.Response {
	var pairs []string
	for i := range n {
		pairs = append(pairs, "spawn_subagent", fmt.Sprintf(`{"task":"direction %d","reason":"it is one"}`, i+1))
	}
	return asks(pairs...)
}

func finds(n int) llm.Response { return asks("find", fmt.Sprintf(`{"n":%d}`, n)) }

var waits = asks("wait_subagents", `{}`)
