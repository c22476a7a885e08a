package eval

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"ibid/agent"
	"ibid/llm"
	"ibid/llm/anthropic"
)

// A scripted is a model that makes a run of a given length, behind the true codec of the Messages API and the account of
// its prompt cache. Four bytes are a token.
type scripted struct {
	*anthropic.Model
	steps    int // answers, the report included
	said     int // answers so far
	cache    promptCache
	usages   []llm.Usage
	findings []string
	answer   agent.Answer
	breaks   int
	logged   int // changes of the conversation that the loop told
}

func newScripted(steps int) *scripted {
	return &scripted{Model: anthropic.New(anthropic.Config{Name: "anthropic/scripted", Model: "scripted"}), steps: steps}
}

// resultBytes is the cycle of results: a search, and two reads with a finding of each.
var resultBytes = []struct {
	tool  string
	bytes int
}{{"search_web", 6000}, {"read_pages", 24_000}, {"record_finding", 1000}, {"read_pages", 24_000}, {"record_finding", 1000}}

const (
	answerBytes = 1000   // of an answer with its call
	reportBytes = 10_000 // of the last answer
)

// Send answers by the script and accounts for the request.
func (m *scripted) Send(_ context.Context, body []byte, _ string) ([]byte, error) {
	use, broke, last, err := m.cache.account(body)
	if err != nil {
		return nil, err
	}
	summary := strings.Contains(last, "established_facts")
	if broke {
		m.breaks++
	}
	var content string
	switch {
	case summary:
		content = text(m.summary(last))
	case m.said == m.steps-1:
		m.said++
		content = text(prose(m.said, reportBytes))
	default:
		m.said++
		content = m.call()
	}
	use.Out = int64(len(content)) / 4
	m.usages = append(m.usages, use)
	stop := "end_turn"
	if strings.Contains(content, `"tool_use"`) {
		stop = "tool_use"
	}
	return fmt.Appendf(nil, `{"type":"message","model":"scripted","content":[%s],"stop_reason":%q,"usage":{"input_tokens":%d,"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d,"output_tokens":%d}}`,
		content, stop, use.In, use.CacheRead, use.CacheWrite, use.Out), nil
}

func text(s string) string {
	quoted, _ := json.Marshal(s) // of letters
	return `{"type":"text","text":` + string(quoted) + `}`
}

// call is an answer that calls the next tool: the last source is cited by the finding that is made of it.
func (m *scripted) call() string {
	next := resultBytes[(m.said-1)%len(resultBytes)]
	args := fmt.Sprintf(`{"n":%d}`, m.said)
	if next.tool == "record_finding" {
		args = fmt.Sprintf(`{"claim":"Losses in district %d fell to %d.4 percent.","span":"S%d:para.2"}`, m.said, m.said, m.said-1)
	}
	return text(prose(m.said, answerBytes-130-len(args))) + fmt.Sprintf(`,{"type":"tool_use","id":"toolu_%04d","name":%q,"input":%s}`, m.said, next.tool, args)
}

// summary is of the usual length, and cites the results that the request lists.
func (m *scripted) summary(asked string) string {
	type fact struct {
		Claim  string `json:"claim"`
		Handle string `json:"handle"`
	}
	var facts []fact
	for _, handle := range regexp.MustCompile(`r\d+\.\d+`).FindAllString(asked, -1) {
		if len(facts) < 20 {
			facts = append(facts, fact{prose(len(facts), 180), handle})
		}
	}
	made, _ := json.Marshal(map[string]any{"established_facts": facts, "exact_identifiers": []string{}, "dead_ends": []string{}, "open_questions": []string{prose(3, 300)},
		"current_state": prose(4, 400), "next_action": prose(5, 200)})
	return string(made)
}

// scriptedTool answers each call with so many bytes.
type scriptedTool struct {
	*scripted
	name string
}

func (m *scripted) tools() []agent.Tool {
	return []agent.Tool{scriptedTool{m, "search_web"}, scriptedTool{m, "read_pages"}, scriptedTool{m, "record_finding"}}
}

func (t scriptedTool) Spec() llm.Tool {
	return llm.Tool{Name: t.name, Description: prose(len(t.name), 800), Schema: json.RawMessage(`{"type":"object"}`)}
}

func (t scriptedTool) Admit(c agent.Call) (agent.Action, error) {
	return agent.Action{Then: func([]agent.Outcome) agent.Result {
		n := t.said
		size := resultBytes[(n-1)%len(resultBytes)].bytes
		head := fmt.Sprintf(`{"source":"S%d","url":"https://district%d.halden.example/report","figure":"%d.4 percent","text":"`, n, n, n)
		if t.name == "record_finding" {
			head = fmt.Sprintf(`{"finding":"F%d","text":"`, n)
			t.findings = append(t.findings, fmt.Sprintf("F%d: Losses in district %d fell to %d.4 percent. (S%d:para.2)", n, n, n, n-1))
		}
		return agent.Result{Content: head + prose(n, size-len(head)-2) + `"}`}
	}}, nil
}

var fetchSpec = llm.Tool{Name: "fetch_result", Description: "Bring back a result that was elided, by its handle.", Schema: json.RawMessage(`{"type":"object","properties":{"handle":{"type":"string"}},"required":["handle"]}`)}

var sourceID = regexp.MustCompile(`"source":"(S\d+)","url":"https://([^/"]+)`)

// sourceNames is what a read result is cited by, and what its stub says of it.
func sourceNames(_ llm.ToolCall, content string) (s agent.Subject) {
	if m := sourceID.FindStringSubmatch(content); m != nil {
		s.Names, s.Text = []string{m[1]}, m[1]+" of "+m[2]
	}
	return s
}

// observe counts the changes of the conversation.
func (m *scripted) observe(e agent.Event) {
	if e.Kind == agent.Elided || e.Kind == agent.Compacted {
		m.logged++
	}
}

// prose is so many bytes of words that depend on n.
func prose(n, bytes int) string {
	words := strings.Fields("the grid of a district lost more power than its neighbours did while meters were read by hand and nobody compared what was sent with what was paid for")
	var b strings.Builder
	for i := n; b.Len() < bytes; i += 1 + i%7 {
		b.WriteString(words[i%len(words)] + " ")
	}
	return b.String()[:max(bytes, 0)]
}
