package research

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"ibid/agent"
	"ibid/budget"
	"ibid/gate"
	"ibid/journal"
	"ibid/llm"
	"ibid/research/prompts"
)

// A Team says whether a run's agent may spawn others, and how many: limits in code (TEAM-3). It is pinned with the run; a
// run without one is one agent.
type Team struct {
	Depth    int         `json:"depth"`          // generations under the lead
	Number   int         `json:"number"`         // agents that one agent may spawn in all
	Parallel int         `json:"parallel"`       // of them at once
	From     budget.Tier `json:"from,omitempty"` // the smallest tier that has a team; "": any
}

// MaxTeam is the most agents that one agent may have at work at once.
const MaxTeam = 8

// NewTeam is a team of up to n agents at work at once, whatever the tier; nil for none.
func NewTeam(n int) *Team {
	if n <= 0 {
		return nil
	}
	return &Team{Depth: 1, Number: 2 * n, Parallel: n}
}

// defaultTeam is what new runs begin with: about three agents, where there is budget for them (TEAM-1).
func defaultTeam() *Team {
	t := NewTeam(3)
	t.From = budget.Deep
	return t
}

// has says whether a run of this tier has a team.
func (t *Team) has(tier budget.Tier) bool {
	if t == nil || t.Parallel <= 0 {
		return false
	}
	for _, each := range budget.Tiers {
		if each == t.From {
			return true
		}
		if each == tier {
			return t.From == ""
		}
	}
	return true // limits of the user's own
}

// A crew is the agents of one run of research. A nil crew is one agent alone.
type crew struct {
	*agent.Team
	run   *journal.Run
	c     Config
	p     Parts
	spawn prompts.Text

	mu                  sync.Mutex
	states              map[string]*state // by lane
	steps               int               // of members that were waited for
	failed              bool              // part of what they spent is the worst case
	elided, compactions int
}

// assemble makes the crew of a run, or nil where it has none, and gives the lead's session its tools.
func assemble(ctx context.Context, run *journal.Run, lead *state, session *agent.Session, c Config, p Parts) (*crew, error) {
	if !c.Team.has(c.Tier) {
		return nil, nil
	}
	var err error
	if lead.commons, err = newCommons(run); err != nil {
		return nil, err
	}
	w := &crew{run: run, c: c, p: p, spawn: c.Prompts.Text("spawn_subagent"), states: map[string]*state{session.Lane: lead}}
	w.Team = agent.NewTeam(ctx, run, p.Observe, agent.Crew{
		Limits:  agent.TeamLimits{Depth: c.Team.Depth, Number: c.Team.Number, Parallel: c.Team.Parallel},
		Closing: c.Closing, Texts: teamTexts(c.Prompts), Vet: w.vet, Hire: w.hire, Merge: w.merge,
		Fence: func(v any) string { return lead.fence.reply(v).Content },
	})
	w.Lead(session)
	return w, nil
}

// teamTexts are the team's tools.
func teamTexts(set prompts.Set) agent.TeamTexts {
	tool := func(name string, properties ...property) agent.ToolText {
		text := set.Text(name)
		return agent.ToolText{Tool: spec(name, text, properties...), Text: text}
	}
	words := func(name string) property { return property{name, `{"type":"string"}`, true} }
	return agent.TeamTexts{
		Spawn: tool("spawn_subagent", words("task"), words("reason"), property{"subquestions", `{"type":"array","items":{"type":"string"}}`, false}),
		Wait:  tool("wait_subagents"), List: tool("list_siblings"),
		Send: tool("send_message", words("to"), words("text")), Read: tool("read_messages"),
	}
}

// work runs the lead's loop, and ends when its agents have ended, too.
func (w *crew) work(ctx context.Context, loop *agent.Loop, session *agent.Session) (agent.Answer, error) {
	if w == nil {
		return loop.Run(ctx, session)
	}
	defer w.Close()
	answer, err := loop.Run(w.Context(), session)
	switch {
	case err != nil:
		return answer, err
	case w.Fault() != nil:
		return answer, w.Fault()
	case answer.Stop == agent.StopParked:
		return answer, w.Settle()
	case answer.Stop == agent.StopCancelled:
		return answer, nil
	}
	err = w.Finish(session.Lane)
	switch {
	case errors.Is(err, gate.ErrPending):
		answer.Stop, err = agent.StopParked, nil
	case err != nil && ctx.Err() != nil:
		answer.Stop, err = agent.StopCancelled, nil
	}
	lead := w.state(session.Lane)
	lead.agents, lead.agentSteps = w.Members(), w.steps
	answer.Guessed = answer.Guessed || w.failed
	answer.Elided, answer.Compactions = answer.Elided+w.elided, answer.Compactions+w.compactions
	return answer, err
}

// assignment are the arguments of a spawn that are research's own.
type assignment struct {
	Subquestions []string `json:"subquestions"`
}

func (w *crew) state(lane string) *state {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.states[lane]
}

// vet holds a task against the plan: it is for sub-questions that are there, and once something from outside was read it has
// to do with what the user asked, as a new sub-question must (law 5).
func (w *crew) vet(m agent.Member) (policy, why string, err error) {
	s := w.state(m.Lead)
	var own assignment
	if err := agent.Decode(m.Args, &own); err != nil {
		return "", "", err
	}
	switch {
	case len(s.plan) == 0:
		return "", "", w.spawn.Error("no_plan")
	case len([]rune(m.Task)) > maxTask:
		return "", "", w.spawn.Error("long_task", "max", maxTask)
	}
	for _, id := range own.Subquestions {
		if s.subquestion(strings.TrimSpace(id)) == nil {
			return "", "", w.spawn.Error("unknown_subquestion", "id", id, "ids", s.planIDs())
		}
	}
	if s.offTopic([]string{m.Task}) != "" {
		return gate.PolicyTopic, fmt.Sprintf("the task %q has little to do with the user's question", m.Task), nil
	}
	return "", "", nil
}

// maxTask is in characters.
const maxTask = maxSubquestion

// hire makes what a member works with: what its lead knows now, tools of its own over that, and a conversation that begins
// with its task. Its connections are its own where the run is live.
func (w *crew) hire(m agent.Member) (*agent.Loop, *agent.Session) {
	lead := w.state(m.Lead)
	s := lead.branch(m.Lane)
	w.mu.Lock()
	w.states[m.Lane] = s
	w.mu.Unlock()
	p := w.p
	if p.Branch != nil {
		p = p.Branch(p)
	}
	loop := &agent.Loop{Model: p.Model, System: w.c.Prompts["subagent"], MaxTokens: p.MaxTokens, Free: p.Free, Price: p.Price,
		Guard: guard(w.c), Texts: agent.Texts{Closing: w.c.Prompts["subagent_closing"], Stalled: w.c.Prompts["stalled"]}}
	return loop, &agent.Session{
		Tools:    toolset(s, w.c, p, w.run)[1:], // the plan is the lead's
		Prompt:   []llm.Message{{Role: llm.User, Blocks: []llm.Block{{Text: w.firstMessage(s, m)}}}},
		Policy:   w.c.Policy,
		Approver: p.Approver,
		Context:  s.conversation(w.c, p),
		Progress: s.progress,
	}
}

// firstMessage is how a member's conversation begins.
func (w *crew) firstMessage(s *state, m agent.Member) string {
	var own assignment
	_ = agent.Decode(m.Args, &own) // it was read before
	mine := planView{Plan: []Subquestion{}}
	for _, q := range s.plan {
		if len(own.Subquestions) == 0 || contains(own.Subquestions, q.ID) {
			mine.Plan = append(mine.Plan, q)
		}
	}
	return firstMessage(w.c) + "\n\nYou are " + m.Lane + ". Task: " + oneLine(m.Task) + "\nWhy: " + oneLine(m.Reason) + "\nSub-questions: " + string(toJSON(mine))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
