package research

import (
	"fmt"
	"strings"

	"ibid/agent"
	"ibid/gate"
	"ibid/llm"
	"ibid/research/prompts"
)

// planTool sets or revises the sub-questions (TOOLS-1).
type planTool struct {
	*state
	text prompts.Text
}

func (t *planTool) Spec() llm.Tool {
	return spec("plan", t.text,
		property{"subquestions", `{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":12}`, true},
		property{"reason", `{"type":"string"}`, true})
}

func (t *planTool) Admit(c agent.Call) (agent.Action, error) {
	var args struct {
		Subquestions []string `json:"subquestions"`
		Reason       string   `json:"reason"`
	}
	if err := agent.Decode(c.Args, &args); err != nil {
		return agent.Action{}, err
	}
	switch n := len(args.Subquestions); {
	case n == 0:
		return agent.Action{}, t.text.Error("empty")
	case n > maxSubquestions:
		return agent.Action{}, t.text.Error("too_many", "max", maxSubquestions, "n", n)
	}
	questions := make([]string, len(args.Subquestions))
	for i, q := range args.Subquestions {
		questions[i] = strings.Join(strings.Fields(q), " ")
		if questions[i] == "" {
			return agent.Action{}, t.text.Error("blank", "n", i+1)
		}
	}
	if len(t.plan) > 0 && strings.TrimSpace(args.Reason) == "" {
		return agent.Action{}, t.text.Error("no_reason")
	}
	for _, old := range t.plan {
		if old.Findings > 0 && !contains(questions, old.Question) {
			return agent.Action{}, t.text.Error("drops_findings", "question", old.Question)
		}
	}
	effect := agent.Effect{Kind: "plan", Input: args}
	if q := t.offTopic(questions); q != "" {
		effect.Policy, effect.Why = gate.PolicyTopic, fmt.Sprintf("the new sub-question %q has little to do with the user's question", q)
	}
	return agent.Action{
		Effects: []agent.Effect{effect},
		Then: func(outcomes []agent.Outcome) agent.Result {
			if err := outcomes[0].Err; err != nil {
				return refuse(err)
			}
			t.mu.Lock()
			defer t.mu.Unlock()
			t.setPlan(questions)
			return reply(planView{t.plan})
		},
	}, nil
}

// planView is how the plan stands in results.
type planView struct {
	Plan []Subquestion `json:"plan"`
}

func contains(questions []string, question string) bool {
	for _, q := range questions {
		if sameText(q, question) {
			return true
		}
	}
	return false
}
