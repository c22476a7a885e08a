package extractive

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ibid/llm"
)

// asksFor is what this researcher asks for in a conversation: tools and arguments.
func asksFor(t *testing.T, tools []string, messages ...llm.Message) (names, args []string) {
	t.Helper()
	r := llm.Request{Messages: messages}
	for _, name := range tools {
		r.Tools = append(r.Tools, llm.Tool{Name: name})
	}
	resp, err := answer(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range resp.Calls() {
		names, args = append(names, c.Name), append(args, c.Args)
	}
	return names, args
}

func userSays(text string) llm.Message {
	return llm.Message{Role: llm.User, Blocks: []llm.Block{{Text: text}}}
}

// planOf is a conversation in which a plan of n sub-questions was just made.
func planOf(n int) []llm.Message {
	var plan planResult
	for i := range n {
		plan.Plan = append(plan.Plan, subquestion{ID: fmt.Sprint("q", i+1), Question: fmt.Sprintf("How long is crossing number %d?", i+1)})
	}
	content, err := json.Marshal(plan)
	if err != nil {
		panic(err)
	}
	call := llm.ToolCall{ID: "c", Name: toolPlan, Args: `{"subquestions":[],"reason":"r"}`}
	return []llm.Message{userSays("Question: How long are the crossings?\nDepth: deep."), {Role: llm.Assistant, Blocks: []llm.Block{{Call: &call}}},
		{Role: llm.User, Blocks: []llm.Block{{Result: &llm.ToolResult{ID: "c", Name: toolPlan, Content: string(content)}}}}}
}

// TestOneAgentADirection: where a team is offered, each sub-question of a plan with several gets an agent, up to three; where
// none is, or there is one sub-question, the search begins at once.
func TestOneAgentADirection(t *testing.T) {
	alone := []string{toolPlan, toolSearch, toolRead, toolCorpus, toolFinding}
	team := append(alone[:len(alone):len(alone)], toolSpawn, toolWait)
	for _, tt := range []struct {
		tools  []string
		parts  int
		agents int
	}{{alone, 3, 0}, {team, 1, 0}, {team, 2, 2}, {team, 3, 3}, {team, 7, 3}} {
		names, args := asksFor(t, tt.tools, planOf(tt.parts)...)
		spawns, given := 0, map[string]bool{}
		for i, name := range names {
			if name != toolSpawn {
				continue
			}
			spawns++
			var a spawnArgs
			if err := json.Unmarshal([]byte(args[i]), &a); err != nil || a.Task == "" || a.Reason == "" {
				t.Errorf("spawned with %s: %v", args[i], err)
			}
			for _, id := range a.Subquestions {
				if given[id] {
					t.Errorf("%s was given to two agents", id)
				}
				given[id] = true
			}
		}
		if spawns != tt.agents || tt.agents > 0 && (len(given) != tt.parts || names[len(names)-1] != toolWait) || tt.agents == 0 && names[0] != toolSearch {
			t.Errorf("%d parts: %v %v", tt.parts, names, args)
		}
	}
}

// TestAMemberKeepsToItsTask: an agent of a team searches for its own task, plans nothing and ends when it has read.
func TestAMemberKeepsToItsTask(t *testing.T) {
	first := userSays("Question: How long are the crossings, and what do they cost?\n\nDepth: deep.\n\nYou are a2. Task: What does a crossing cost?\nWhy: It needs evidence of its own.\nSub-questions: {\"plan\":[{\"id\":\"q2\",\"question\":\"What does a crossing cost?\",\"findings\":0}]}")
	tools := []string{toolSearch, toolRead, toolCorpus, toolFinding}
	names, args := asksFor(t, tools, first)
	if len(names) != 1 || names[0] != toolSearch || strings.Contains(args[0], "long") || !strings.Contains(args[0], "cost") {
		t.Fatalf("it begins with %v %v", names, args)
	}
	call := llm.ToolCall{ID: "c", Name: toolSearch, Args: args[0]}
	conversation := []llm.Message{first, {Role: llm.Assistant, Blocks: []llm.Block{{Call: &call}}}, {Role: llm.User, Blocks: []llm.Block{{Result: &llm.ToolResult{ID: "c", Name: toolSearch,
		Content: `{"query":"crossing cost","outcome":"ok","results":[{"title":"What a crossing costs","url":"https://a.example/1","snippet":"A crossing costs nine marks."},{"title":"Costs","url":"https://b.example/2","snippet":"The cost of a crossing rose."},{"title":"Crossing","url":"https://c.example/3","snippet":"Crossing costs by year."}]}`}}}}}
	names, args = asksFor(t, tools, conversation...)
	var read readArgs
	if len(names) != 1 || names[0] != toolRead || json.Unmarshal([]byte(args[0]), &read) != nil || len(read.URLs) > scouted || len(read.URLs) == 0 {
		t.Fatalf("then it does %v %v", names, args)
	}
	again := llm.ToolCall{ID: "d", Name: toolRead, Args: args[0]}
	conversation = append(conversation, llm.Message{Role: llm.Assistant, Blocks: []llm.Block{{Call: &again}}},
		llm.Message{Role: llm.User, Blocks: []llm.Block{{Result: &llm.ToolResult{ID: "d", Name: toolRead, Content: `{"pages":[{"url":"https://a.example/1","source":"S1","title":"t","kind":"html","untrusted_text":[{"at":"para.1","text":"A crossing costs nine marks."}],"cut":false}]}`}}}})
	if names, _ = asksFor(t, tools, conversation...); len(names) != 0 {
		t.Errorf("it does not end: %v", names)
	}
}
