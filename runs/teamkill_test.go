package runs

import (
	"flag"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"ibid/budget"
	"ibid/llm"
	"ibid/research"
)

var teamKills = flag.Int("kills", 10, "of runs of a team")

// threePlaces is the question of a run that has a team.
const threePlaces = "How much rain fell at three places?"

var lanes = regexp.MustCompile(`\nYou are (a[\d.]+)\.`)

// laneOf is the agent that a request is of.
func laneOf(r llm.Request) string {
	if m := lanes.FindStringSubmatch(r.Messages[0].Blocks[0].Text); m != nil {
		return m[1]
	}
	return "lead"
}

const teamRounds = 3 // searches, reads and findings of each agent

// inTeam is what a lead and three agents do: each has pages of its own, and all read page 7. If it asks, the second reads it where a person has to
// say yes.
func inTeam(lane string, step int, asks bool) llm.Response {
	resp := llm.Response{Stop: llm.StopTools, Usage: llm.Usage{Known: true}}
	call := func(name, args string) {
		resp.Blocks = append(resp.Blocks, llm.Block{Call: &llm.ToolCall{ID: fmt.Sprintf("c%d.%d", step, len(resp.Blocks)), Name: name, Args: args}})
	}
	found := func(n, source int) {
		words := fmt.Sprintf("The station at mile %d recorded %d hundred litres of rain in the spring.", n, n)
		call("record_finding", fmt.Sprintf(`{"claim":%q,"quote":%q,"span":"S%d:para.1","subquestion":"q%s"}`, words, words, source, strings.TrimPrefix(lane, "a")))
	}
	if lane == "lead" {
		switch step {
		case 0:
			call("plan", `{"subquestions":["How much rain fell at the first place?","How much rain fell at the second place?","How much rain fell at the third place?"],"reason":"three"}`)
		case 1:
			for n := 1; n <= 3; n++ {
				call("spawn_subagent", fmt.Sprintf(`{"task":"How much rain fell at place %d?","reason":"a place","subquestions":["q%d"]}`, n, n))
			}
		case 2:
			call("wait_subagents", `{}`)
		default:
			resp.Stop = llm.StopEnd
		}
		return resp
	}
	var place int
	if _, err := fmt.Sscanf(lane, "a%d", &place); err != nil {
		resp.Stop = llm.StopEnd
		return resp
	}
	round := step / 3
	page := 100*place + round
	switch {
	case round == teamRounds:
		resp.Stop, resp.Blocks = llm.StopEnd, []llm.Block{{Text: "It rained [F1]."}}
	case step%3 == 0:
		call("search_web", fmt.Sprintf(`{"query":"topic %d"}`, page))
	case step%3 == 1 && round == 0 && place == 2 && asks:
		call("read_pages", fmt.Sprintf(`{"urls":["https://pages.example/%d","https://elsewhere.example/7"],"reason":"r"}`, page))
	case step%3 == 1 && round == 0:
		call("read_pages", fmt.Sprintf(`{"urls":["https://pages.example/%d","https://pages.example/7"],"reason":"r"}`, page))
	case step%3 == 1:
		call("read_pages", fmt.Sprintf(`{"urls":["https://pages.example/%d"],"reason":"r"}`, page))
	case round == 0:
		found(page, 1)
		found(7, 2)
	default:
		found(page, round+2) // after the first two
	}
	return resp
}

// A team that is killed at random moments ends with the report of one that was not: nothing that is on record is performed
// twice, by whichever agent, and each agent is spawned once (law 4). The goal is a hundred kills:
//
//	go test ./runs -run TestKilledTeamsResume -kills 100 -v
func TestKilledTeamsResume(t *testing.T) {
	if testing.Short() {
		t.Skip("kills many processes")
	}
	kills := *teamKills
	config, err := research.New(threePlaces, budget.Deep)
	if err != nil {
		t.Fatal(err)
	}
	config.Limits = budget.Limits{Steps: 200}
	killing{config: config, kills: kills, sources: 3*teamRounds + 1, agents: 3}.test(t)
}
