package city

import (
	"encoding/json"
	"regexp"
	"strings"

	"ibid/llm"
)

// recorded is a finding of a conversation.
type recorded struct{ id, claim, part string }

// draft is a report made of the findings that a conversation recorded: each claim with the finding that carries it, under
// the sub-question it answers. Sentences that the latest message names, as one that asks for repairs does, are left out.
// It is "" where there are no findings.
func draft(r llm.Request) string {
	type section struct{ ID, Question string }
	var findings []recorded
	var plan []section
	calls := map[string]llm.ToolCall{}
	for _, m := range r.Messages {
		for _, block := range m.Blocks {
			switch {
			case block.Call != nil:
				calls[block.Call.ID] = *block.Call
			case block.Result != nil && !block.Result.IsError:
				_, object, found := strings.Cut(block.Result.Content, "{") // a line of a fence may stand before it, the budget behind
				var result struct {
					Finding string
					Plan    []section
				}
				if !found || json.NewDecoder(strings.NewReader("{"+object)).Decode(&result) != nil {
					continue
				}
				if len(result.Plan) > 0 {
					plan = result.Plan
				}
				var args struct{ Claim, Subquestion string }
				if result.Finding != "" && json.Unmarshal([]byte(calls[block.Result.ID].Args), &args) == nil {
					findings = append(findings, recorded{result.Finding, args.Claim, args.Subquestion})
				}
			}
		}
	}
	if len(findings) == 0 {
		return ""
	}
	bad := lastText(r.Messages)
	var text strings.Builder
	text.WriteString(findings[0].cite("") + "\n")
	for _, q := range plan {
		var lines []string
		for _, f := range findings {
			if f.part == q.ID {
				lines = append(lines, f.cite(bad))
			}
		}
		if body := strings.Join(strings.Fields(strings.Join(lines, " ")), " "); body != "" {
			text.WriteString("\n## " + q.Question + "\n\n" + body + "\n")
		}
	}
	return text.String()
}

var sentenceEnd = regexp.MustCompile(`[.!?] (\p{Lu})`)

// cite writes the sentences of a claim, each with the finding, but for those that bad holds.
func (f recorded) cite(bad string) string {
	var kept []string
	for s := range strings.SplitSeq(sentenceEnd.ReplaceAllString(f.claim, "\n$1"), "\n") {
		if s = strings.TrimRight(s, ".!? "); !strings.Contains(bad, s) {
			kept = append(kept, s+" ["+f.id+"].")
		}
	}
	return strings.Join(kept, " ")
}
