package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"ibid/budget"
	"ibid/llm"
)

// TeamTexts are the team's tools as the model is told of them, and what they say.
type TeamTexts struct {
	Spawn, Wait, List, Send, Read ToolText
}

// A ToolText is the definition of a tool and its prompt file.
type ToolText struct {
	Tool llm.Tool
	Text interface {
		Error(name string, pairs ...any) error
		Note(name string, pairs ...any) string
	}
}

// tools are those that a member may use: to spawn only where its depth allows it, and to write to siblings everywhere.
func (t *Team) tools(m *member) []Tool {
	var tools []Tool
	if m.depth < t.Limits.Depth {
		tools = append(tools, spawnTool{t, m}, waitTool{t, m})
	}
	return append(tools, listTool{t, m}, sendTool{t, m}, readMailTool{t, m})
}

// spawnTool starts an agent. Its budget is carved in the same admission as the call, and the agent starts when the call's
// consequences are drawn.
type spawnTool struct {
	*Team
	m *member
}

func (t spawnTool) Spec() llm.Tool { return t.Texts.Spawn.Tool }

func (t spawnTool) Admit(c Call) (Action, error) {
	var args struct {
		Task   string `json:"task"`
		Reason string `json:"reason"`
	}
	if err := Decode(c.Args, &args); err != nil {
		return Action{}, err
	}
	text := t.Texts.Spawn.Text
	waiting := len(t.m.open) + t.m.opening
	all := t.m.spawned + t.m.opening
	child := &member{depth: t.m.depth + 1, done: make(chan struct{}), used: t.m.used.Add(t.m.ledger.Spent()).Add(t.m.ledger.Held()), Member: Member{Lane: t.lane(all + 1), Lead: t.m.Lane,
		Task: strings.TrimSpace(args.Task), Reason: strings.Join(strings.Fields(args.Reason), " "), Args: c.Args}}
	switch {
	case child.Task == "":
		return Action{}, text.Error("no_task")
	case child.Reason == "":
		return Action{}, text.Error("no_reason")
	case all >= t.Limits.Number:
		return Action{}, text.Error("too_many", "max", t.Limits.Number)
	case waiting >= t.Limits.Parallel:
		return Action{}, text.Error("too_many_at_once", "max", t.Limits.Parallel)
	}
	policy, why, err := t.Vet(child.Member)
	if err != nil {
		return Action{}, err
	}
	share := t.m.ledger.Share(int64(t.Limits.Parallel - waiting + 1))
	if limits := t.m.ledger.Limits(); limits.Steps > 0 && share.Steps < leastSteps || limits.Searches > 0 && share.Searches < 1 || limits.Reads > 0 && share.Reads < 1 {
		return Action{}, text.Error("too_little")
	}
	t.m.opening++
	t.know(child, true) // from here on, so that those who are spawned in one step know of each other whoever begins first
	return Action{
		Effects: []Effect{{Kind: "spawn", Input: struct {
			Agent string          `json:"agent"`
			Call  json.RawMessage `json:"call"`
		}{child.Lane, c.Args}, Policy: policy, Why: why, Carve: &Carve{Limits: share, Closing: t.Closing, Child: &child.child}}},
		Then: func(outcomes []Outcome) Result {
			t.m.opening--
			if err := outcomes[0].Err; err != nil {
				t.know(child, false)
				return Result{Content: err.Error(), IsError: true}
			}
			child.ledger = child.child.Ledger
			has := told(child.ledger.Left()) // before it begins to spend
			if err := t.start(t.m, child); err != nil {
				return Result{Fault: err}
			}
			return Result{Content: text.Note("spawned", "agent", child.Lane, "budget", has)}
		},
	}, nil
}

// lane names the n-th agent of a member: a2 of the lead, a1.2 of a1.
func (t spawnTool) lane(n int) string {
	if t.m.depth == 0 {
		return fmt.Sprintf("a%d", n)
	}
	return fmt.Sprintf("%s.%d", t.m.Lane, n)
}

// told is a budget in words.
func told(a budget.Amount) string {
	var parts []string
	for _, c := range []budget.Currency{budget.Steps, budget.Searches, budget.Reads} {
		if n := c.In(a); n < budget.Unlimited {
			parts = append(parts, c.Count(n))
		}
	}
	if len(parts) == 0 {
		return "no limits of its own"
	}
	return strings.Join(parts, ", ")
}

// waitTool waits for the agents that were spawned. What they did is no effect of this call: it is on record under their own
// lanes, and to wait for it is a consequence.
type waitTool struct {
	*Team
	m *member
}

func (t waitTool) Spec() llm.Tool { return t.Texts.Wait.Tool }

func (t waitTool) Admit(Call) (Action, error) {
	return Action{Then: func([]Outcome) Result {
		if len(t.m.open) == 0 {
			return Result{Content: t.Texts.Wait.Text.Note("nobody")}
		}
		list, err := t.join(t.m)
		if err != nil {
			return Result{Fault: err}
		}
		return Result{Content: t.Fence(team{list})}
	}}, nil
}

// A sibling is how an agent sees another one.
type sibling struct {
	Agent  string `json:"agent"`
	Task   string `json:"untrusted_task"`
	Reason string `json:"untrusted_reason"`
	State  string `json:"state"` // working, ended
}

// listTool says who else is at work and why (TEAM-2). Who has ended when is nothing that follows from the record, so the
// answer is an effect.
type listTool struct {
	*Team
	m *member
}

func (t listTool) Spec() llm.Tool { return t.Texts.List.Tool }

func (t listTool) Admit(Call) (Action, error) {
	return Action{
		Effects: []Effect{{Kind: "siblings", Input: struct{}{}, Run: func(context.Context) ([]byte, budget.Amount, error) {
			body, err := json.Marshal(t.siblings(t.m))
			return body, budget.Amount{}, err
		}}},
		Then: func(o []Outcome) Result {
			var list []sibling
			if r, ok := failure(o[0], &list); !ok {
				return r
			}
			return Result{Content: t.Fence(team{list})}
		},
	}, nil
}

// failure reads an outcome into v, or says why there is none.
func failure(o Outcome, v any) (Result, bool) {
	if o.Err == nil {
		o.Err = json.Unmarshal(o.Body, v)
	}
	if o.Err != nil {
		return Result{Content: o.Err.Error(), IsError: true}, false
	}
	return Result{}, true
}

// sendTool writes to another agent. Whether it can be reached is an effect; that the message reaches it follows, so a run
// that is resumed brings it again, once.
type sendTool struct {
	*Team
	m *member
}

func (t sendTool) Spec() llm.Tool { return t.Texts.Send.Tool }

func (t sendTool) Admit(c Call) (Action, error) {
	var args struct {
		To   string `json:"to"`
		Text string `json:"text"`
	}
	if err := Decode(c.Args, &args); err != nil {
		return Action{}, err
	}
	texts := t.Texts.Send.Text
	args.To, args.Text = strings.TrimSpace(args.To), strings.TrimSpace(args.Text)
	switch {
	case args.Text == "":
		return Action{}, texts.Error("empty")
	case len([]rune(args.Text)) > longestMessage:
		return Action{}, texts.Error("too_long", "max", longestMessage)
	case args.To == t.m.Lane:
		return Action{}, texts.Error("self")
	}
	box := t.box(t.m.Lane)
	box.sent++
	letter := message{ID: fmt.Sprintf("%s#%d", t.m.Lane, box.sent), From: t.m.Lane, Text: args.Text}
	return Action{
		Effects: []Effect{{Kind: "message", Input: args, Run: func(context.Context) ([]byte, budget.Amount, error) {
			body, err := json.Marshal(t.reach(t.m, args.To))
			return body, budget.Amount{}, err
		}}},
		Then: func(o []Outcome) Result {
			var way reached
			if r, ok := failure(o[0], &way); !ok {
				return r
			}
			if way.State != "working" {
				to, _ := cut(args.To, 20)
				return Result{Content: texts.Error(way.State, "to", to, "agents", strings.Join(way.Others, ", ")).Error(), IsError: true}
			}
			t.box(args.To).put(letter)
			return Result{Content: texts.Note("sent", "to", args.To)}
		},
	}, nil
}

// readMailTool takes what others wrote. What has come by now is nothing that follows from the record, so it is an effect.
type readMailTool struct {
	*Team
	m *member
}

func (t readMailTool) Spec() llm.Tool { return t.Texts.Read.Tool }

func (t readMailTool) Admit(Call) (Action, error) {
	return Action{
		Effects: []Effect{{Kind: "messages", Input: struct{}{}, Run: func(context.Context) ([]byte, budget.Amount, error) {
			body, err := json.Marshal(t.box(t.m.Lane).waiting())
			return body, budget.Amount{}, err
		}}},
		Then: func(o []Outcome) Result {
			var list []message
			if r, ok := failure(o[0], &list); !ok {
				return r
			}
			t.box(t.m.Lane).taken(list)
			if len(list) == 0 {
				return Result{Content: t.Texts.Read.Text.Note("none")}
			}
			return Result{Content: t.Fence(struct {
				Messages []message `json:"messages"`
			}{list})}
		},
	}, nil
}
