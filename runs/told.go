package runs

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"ibid/agent"
	"ibid/gate"
	"ibid/journal"
	"ibid/research"
)

// Tell says in a few words what an event was, for people who watch; "" where it says nothing to them. Text from outside is
// made printable.
func Tell(ev agent.Event) string {
	var args struct {
		Query    string   `json:"query"`
		Question string   `json:"question"`
		URLs     []string `json:"urls"`
		Claim    string   `json:"claim"`
		To       string   `json:"to"`
		Text     string   `json:"text"`
	}
	switch ev.Kind {
	case agent.BeforeTool:
		_ = json.Unmarshal([]byte(ev.Text), &args) // for display only: what does not parse is shown by name
		switch {
		case ev.Tool == "plan":
			return "" // what is followed is told when it is: a person may have changed what was asked
		case ev.Tool == "search_web":
			return fmt.Sprintf("%s searching: %s", at(ev), gate.Printable(args.Query))
		case ev.Tool == "search_corpus":
			return fmt.Sprintf("%s looking for: %s", at(ev), gate.Printable(args.Query))
		case ev.Tool == "query":
			return fmt.Sprintf("%s asking the knowledge base: %s", at(ev), gate.Printable(args.Question))
		case ev.Tool == "read_pages":
			return fmt.Sprintf("%s reading: %s", at(ev), gate.Printable(strings.Join(args.URLs, " ")))
		case ev.Tool == "spawn_subagent", ev.Tool == "list_siblings", ev.Tool == "read_messages":
			return "" // that one was spawned is told when it begins
		case ev.Tool == "wait_subagents":
			return fmt.Sprintf("%s waiting for its agents", at(ev))
		case ev.Tool == "send_message":
			return fmt.Sprintf("%s writing to %s: %s", at(ev), gate.Printable(args.To), gate.Printable(args.Text))
		case onFolder[ev.Tool]:
			return fmt.Sprintf("%s %s: %s", at(ev), ev.Tool, gate.Clip(gate.Printable(ev.Text), 160))
		case ev.Tool == "record_finding":
			return fmt.Sprintf("%s recording: %s", at(ev), gate.Printable(args.Claim))
		}
		if strings.Contains(ev.Tool, ".") { // of another program
			return fmt.Sprintf("%s calling %s: %s", at(ev), gate.Printable(ev.Tool), gate.Clip(gate.Printable(ev.Text), 160))
		}
		return fmt.Sprintf("%s %s", at(ev), gate.Printable(ev.Tool))
	case agent.Bounds, research.EventJudging:
		return gate.Printable(ev.Text)
	case agent.AfterTool:
		if ev.Tool == "plan" {
			return plan(ev)
		}
		return failure(ev)
	case agent.Retrying:
		return fmt.Sprintf("%s the model: %s", at(ev), gate.Printable(ev.Text))
	case agent.Gated:
		word := "approved"
		if ev.Error {
			word = "not approved"
		}
		return fmt.Sprintf("%s %s: %s", at(ev), word, gate.Printable(ev.Text))
	case agent.OverBudget:
		return fmt.Sprintf("%s %s", at(ev), gate.Printable(ev.Text))
	case agent.Elided, agent.Compacting, agent.Compacted:
		return fmt.Sprintf("%s %s", at(ev), gate.Printable(ev.Text))
	case agent.Spawned:
		return fmt.Sprintf("[%s] begins: %s", ev.Lane, gate.Printable(ev.Text))
	case agent.Ended:
		return fmt.Sprintf("[%s] ended: %s", ev.Lane, gate.Printable(ev.Text))
	case agent.Stalling:
		return fmt.Sprintf("%s nothing new for some steps", at(ev))
	case agent.Closing:
		return fmt.Sprintf("%s closing: %s", at(ev), ev.Text)
	}
	return ""
}

// onFolder are the tools over the user's folder, which are shown with what they were asked.
var onFolder = map[string]bool{"read_file": true, "find_by_name": true, "find_by_term": true, "filter_files": true, "search_files": true,
	"create_file": true, "move_files": true, "delete_files": true}

// at says who does something, and in which step: [3] of the lead, [a2 3] of another agent.
func at(ev agent.Event) string {
	if ev.Lane == "" || ev.Lane == "lead" {
		return fmt.Sprintf("[%d]", ev.Step)
	}
	return fmt.Sprintf("[%s %d]", ev.Lane, ev.Step)
}

// plan says what a run set out to find, or "" where that was refused.
func plan(ev agent.Event) string {
	var result struct {
		Plan []struct {
			Question string `json:"question"`
		} `json:"plan"`
	}
	if ev.Error || !decode(ev.Text, &result) || len(result.Plan) == 0 {
		return ""
	}
	questions := make([]string, len(result.Plan))
	for i, q := range result.Plan {
		questions[i] = gate.Printable(q.Question)
	}
	return fmt.Sprintf("%s planning: %s", at(ev), strings.Join(questions, " / "))
}

// decode reads the JSON in what a tool answered, which words of the loop may stand around.
func decode(text string, v any) bool {
	_, body, _ := strings.Cut(text, "{")
	return json.NewDecoder(strings.NewReader("{"+body)).Decode(v) == nil
}

// failure says what a search or a read did not bring, or "".
func failure(ev agent.Event) string {
	switch {
	case ev.Tool == "search_web" && ev.Error:
		return fmt.Sprintf("%s no search: %s", at(ev), gate.Clip(gate.Printable(ev.Text), 240))
	case strings.Contains(ev.Tool, ".") && ev.Error && !strings.HasPrefix(ev.Text, "DENIED:") && !strings.HasPrefix(ev.Text, "BUDGET:"): // these are told by themselves
		return fmt.Sprintf("%s no answer: %s", at(ev), gate.Clip(gate.Printable(ev.Text), 240))
	case ev.Tool != "read_pages":
		return ""
	}
	var result struct {
		Pages []struct {
			URL     string `json:"url"`
			Outcome string `json:"outcome"`
			Error   string `json:"error"`
		} `json:"pages"`
	}
	if !decode(ev.Text, &result) {
		if !ev.Error {
			return ""
		}
		return fmt.Sprintf("%s not read: %s", at(ev), gate.Clip(gate.Printable(ev.Text), 240))
	}
	var lines []string
	for _, p := range result.Pages {
		if p.Error != "" {
			lines = append(lines, fmt.Sprintf("%s not read: %s: %s", at(ev), gate.Printable(p.URL), gate.Clip(gate.Printable(p.Error), 160)))
		}
	}
	return strings.Join(lines, "\n")
}

// telling are the kinds of events on record of which people are told, by their outcomes.
var telling = map[string]bool{"tool": true, "gate": true}

// tell says what an event on record was. outcome is what came of it, of a kind in telling.
func tell(ev journal.Event, outcome []byte) string {
	lane, rest, _ := strings.Cut(string(ev.Key), "/")
	step, _, _ := strings.Cut(rest, "/")
	n, err := strconv.Atoi(step)
	if err != nil {
		return ""
	}
	as := agent.Event{Lane: lane, Step: n}
	switch ev.Kind {
	case "tool":
		var note struct {
			Tool, Args, Result string
			IsError            bool `json:"is_error"`
		}
		if json.Unmarshal(outcome, &note) != nil {
			return ""
		}
		as.Kind, as.Tool, as.Text = agent.BeforeTool, note.Tool, note.Args
		before := Tell(as)
		as.Kind, as.Text, as.Error = agent.AfterTool, note.Result, note.IsError
		return strings.TrimSpace(before + "\n" + Tell(as))
	case "gate":
		var d gate.Decision
		if json.Unmarshal(outcome, &d) != nil {
			return ""
		}
		as.Kind, as.Error, as.Text = agent.Gated, !d.Allow, "by "+d.By
		if d.Reason != "" {
			as.Text += ": " + d.Reason
		}
		return Tell(as)
	}
	return ""
}
