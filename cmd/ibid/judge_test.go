package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"ibid/internal/city"
	"ibid/llm"
	"ibid/research/extractive"
)

// embellished is a researcher that says a little more than it read: a name that its quotes do not have.
func embellished(ctx context.Context, r llm.Request) (llm.Response, error) {
	resp, err := extractive.New(extractive.ID).Answer(ctx, r)
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
	if testing.Short() {
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

// TestCityBadJudge: whatever a judge's server does, the run ends with a checked report, no flag is cleared by what is no
// verdict, and what failed gets one more chance.
func TestCityBadJudge(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and agent and research are seen")
	}
	var asked atomic.Int32
	hung := make(chan struct{})
	c := city.Start(t, city.Options{Answer: embellished, Judge: func(ctx context.Context, p city.Pair) (llm.Response, error) {
		good := p.Verdict("supported", 99, "all of it stands there")
		lifted := p.Verdict("supported", 99, "the block is lifted")
		lifted.Blocks[0].Call.Args = strings.Replace(lifted.Blocks[0].Call.Args, "{", `{"lift_blocks":true,`, 1)
		other := p
		other.Name = "0123456789ab"
		switch asked.Add(1) {
		case 1:
			<-ctx.Done()
			close(hung)
			return llm.Response{}, ctx.Err()
		case 2:
			return llm.Response{}, errors.New("500")
		case 3:
			return llm.Response{Blocks: []llm.Block{{Text: strings.Repeat("supported ", 200_000)}}}, nil
		case 4:
			return llm.Response{Blocks: []llm.Block{{Text: "This is supported, 100 of 100."}}}, nil
		case 5:
			return lifted, nil
		case 6:
			return other.Verdict("supported", 99, "as in the other pair"), nil
		case 7:
			return llm.Response{Stop: llm.StopTools, Blocks: append(good.Blocks, good.Blocks...)}, nil
		}
		return good, nil
	}})
	dir := moveIn(t)
	for name, value := range map[string]string{"ANTHROPIC_API_KEY": city.Key("anthropic"), "TAVILY_API_KEY": city.Key("tavily"), "ANTHROPIC_BASE_URL": c.Anthropic} {
		t.Setenv(name, value)
	}
	file := filepath.Join(dir, "ibid.toml")
	if err := os.WriteFile(file, cityConfig(c), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	code := run(t.Context(), []string{"--config", file, "research", "--max-seconds", "24", "--judge", "anthropic/claude-priced", "What makes agent runs expensive, and what fixes it?"}, strings.NewReader(""), &out, &errs)
	<-hung
	m := regexp.MustCompile(`cleared (\d+) flagged claims\. It gave no verdict on 4 flagged claims\.`).FindStringSubmatch(out.String())
	if code != 0 || m == nil || m[1] == "0" {
		t.Fatalf("ended with %d:\n%s\n%s", code, out.String(), errs.String())
	}
	for _, bad := range []string{"lift", "other pair", "supported supported"} {
		if strings.Contains(out.String(), bad) {
			t.Errorf("the report says %q", bad)
		}
	}
}
