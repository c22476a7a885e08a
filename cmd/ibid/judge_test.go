package main

import (
	"context"
	"encoding/json"
	"testing"

	"ibid/internal/city"
	"ibid/llm"
	"ibid/research/extractive"
)

// embellished is a researcher that says a little more than it read: a name that its quotes do not have.
func embellished(ctx context.Context, r llm.Request) (llm.Response, error) {
	resp, err := extractive.New().Answer(ctx, r)
	for i, b := range resp.Blocks {
		if b.Call == nil || b.Call.Name != "record_finding" {
			continue
		}
		var args map[string]string
		if err := json.Unmarshal([]byte(b.Call.Args), &args); err != nil {
			return resp, err
		}
		args["claim"] = "In Eastbrook: " + args["claim"]
		text, err := json.Marshal(args)
		if err != nil {
			return resp, err
		}
		resp.Blocks[i].Call.Args = string(text)
	}
	return resp, err
}

// TestCityJudge: a judge behind the providers' own formats, from the flags of the command line to a bundle that is checked
// elsewhere.
func TestCityJudge(t *testing.T) {
	if raced {
		t.Skip("the runs of TestCity are seen")
	}
	c := city.Start(t, city.Options{Answer: embellished})
	t.Cleanup(func() { // the script has ended then
		asked := map[string]int{}
		for _, call := range c.ModelCalls() {
			if r := call.Request; len(r.Tools) == 1 && r.Tools[0].Name == "verdict" {
				asked[r.Model+" "+r.Messages[0].Blocks[0].Text]++
			}
		}
		for question, n := range asked {
			if n > 1 {
				t.Errorf("asked %d times: %s", n, question)
			}
		}
		if len(asked) < 20 {
			t.Errorf("only %d questions were asked", len(asked))
		}
	})
	walk(t, c, way{"anthropic", "tavily", true}, "judge", "OPENAI_API_KEY="+city.Key("openai"))
}
