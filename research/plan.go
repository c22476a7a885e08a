package research

import (
	"bytes"
	"encoding/json"
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

// planArgs are what the model sends, and what a person may change before it is followed.
type planArgs struct {
	Subquestions []string `json:"subquestions"`
	Reason       string   `json:"reason"`
}

// questions are the sub-questions of a plan, or what is wrong with them.
func (t *planTool) questions(args planArgs) ([]string, error) {
	switch n := len(args.Subquestions); {
	case n == 0:
		return nil, t.text.Error("empty")
	case n > maxSubquestions:
		return nil, t.text.Error("too_many", "max", maxSubquestions, "n", n)
	}
	questions := make([]string, len(args.Subquestions))
	for i, q := range args.Subquestions {
		questions[i] = strings.Join(strings.Fields(q), " ")
		if questions[i] == "" {
			return nil, t.text.Error("blank", "n", i+1)
		}
	}
	return questions, nil
}

// keeps says whether a plan keeps what has findings already.
func (t *planTool) keeps(questions []string) error {
	for _, old := range t.plan {
		if old.Findings > 0 && !contains(questions, old.Question) {
			return t.text.Error("drops_findings", "question", old.Question)
		}
	}
	return nil
}

func (t *planTool) Admit(c agent.Call) (agent.Action, error) {
	var args planArgs
	if err := agent.Decode(c.Args, &args); err != nil {
		return agent.Action{}, err
	}
	questions, err := t.questions(args)
	switch {
	case err != nil:
		return agent.Action{}, err
	case len(t.plan) > 0 && strings.TrimSpace(args.Reason) == "":
		return agent.Action{}, t.text.Error("no_reason")
	}
	if err := t.keeps(questions); err != nil {
		return agent.Action{}, err
	}
	edited := false
	effect := agent.Effect{Kind: "plan", Input: args, Edit: func(changed json.RawMessage) error {
		var args planArgs
		if err := agent.Decode(changed, &args); err != nil {
			return err
		}
		again, err := t.questions(args)
		if err == nil {
			err = t.keeps(again)
		}
		if err == nil {
			questions, edited = again, true
		}
		return err
	}}
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
			t.setPlan(questions, edited)
			view := planView{Plan: t.plan}
			if edited {
				view.Note = t.text.Note("edited")
			}
			return reply(view)
		},
	}, nil
}

// CheckPlan says what is wrong with the arguments of a plan that a person changed, as far as can be told of them alone.
func CheckPlan(changed json.RawMessage) error {
	var args planArgs
	d := json.NewDecoder(bytes.NewReader(changed))
	d.DisallowUnknownFields()
	if err := d.Decode(&args); err != nil {
		return fmt.Errorf("it is not {\"subquestions\": [\"…\"], \"reason\": \"…\"}: %w", err)
	}
	if n := len(args.Subquestions); n == 0 || n > maxSubquestions {
		return fmt.Errorf("it has %d sub-questions; 1 to %d can be", n, maxSubquestions)
	}
	for i, q := range args.Subquestions {
		if strings.TrimSpace(q) == "" || len(q) > maxQuestion {
			return fmt.Errorf("sub-question %d is empty, or longer than %d bytes", i+1, maxQuestion)
		}
	}
	return nil
}

// planView is how the plan stands in results.
type planView struct {
	Plan []Subquestion `json:"plan"`
	Note string        `json:"note,omitempty"`
}

func contains(questions []string, question string) bool {
	for _, q := range questions {
		if sameText(q, question) {
			return true
		}
	}
	return false
}
