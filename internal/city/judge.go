package city

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"ibid/llm"
)

// A Pair is what a judge is asked to hold against each other.
type Pair struct {
	Name                                string // by which the answer must say what it is about
	Claim, Quote, Title, Heading, Table string
	Before, After                       string
}

// pairLine is how a pair's name stands above its fence.
var pairLine = regexp.MustCompile(`\APair ([0-9a-z]+)\n\n\[untrusted [0-9a-z]+\]\n`)

// judged says whether a request asks for a verdict, and on what.
func judged(r llm.Request) (p Pair, asks bool) {
	if !slices.ContainsFunc(r.Tools, func(t llm.Tool) bool { return t.Name == "verdict" }) || len(r.Messages) == 0 || len(r.Messages[0].Blocks) == 0 {
		return p, false
	}
	text := r.Messages[0].Blocks[0].Text
	m := pairLine.FindStringSubmatch(text)
	if m == nil || json.NewDecoder(strings.NewReader(text[len(m[0]):])).Decode(&p) != nil {
		return p, false
	}
	p.Name = m[1]
	return p, true
}

// Verdict is the answer of a judge in its proper form.
func (p Pair) Verdict(verdict string, score int, reason string) llm.Response {
	args := encode(map[string]any{"pair": p.Name, "verdict": verdict, "score": score, "reason": reason})
	return llm.Response{Stop: llm.StopTools, Blocks: []llm.Block{{Call: &llm.ToolCall{ID: "v", Name: "verdict", Args: string(args)}}}}
}

var (
	wordOf   = regexp.MustCompile(`[\pL\pN][\pL\pN.,'’-]*[\pL\pN]|[\pL\pN]`)
	denial   = regexp.MustCompile(`(?i)\b(?:not|no|never|none|nor|neither|without)\b|n['’]t\b`)
	hasDigit = regexp.MustCompile(`\d`)
)

// overlap is the city's judge: it knows no language and counts words. The share of the claim's words that stand in the quote
// is its score, less for figures that do not and for a denial on one side; words that stand only around the quote count half.
func overlap(_ context.Context, p Pair) (llm.Response, error) {
	quote, around := wordsIn(p.Quote), wordsIn(p.Title+" "+p.Heading+" "+p.Table+" "+p.Before+" "+p.After)
	var have, of float64
	less := 1.0
	for w := range wordsIn(p.Claim) {
		of++
		switch {
		case quote[w]:
			have++
		case around[w]:
			have += 0.5
		case hasDigit.MatchString(w):
			less *= 0.7
		}
	}
	share := int(100 * have / max(of, 1))
	otherwise := denial.MatchString(p.Claim) != denial.MatchString(p.Quote)
	if otherwise {
		less *= 0.6
	}
	score := int(float64(share) * less)
	switch {
	case otherwise && share >= 90:
		return p.Verdict("contradicted", min(score, 40), "all is the same but a denial"), nil
	case score >= 50:
		return p.Verdict("supported", score, "most words of the claim stand in the quote"), nil
	}
	return p.Verdict("not_enough", score, "few words of the claim stand in the quote"), nil
}

func wordsIn(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range wordOf.FindAllString(strings.ToLower(text), -1) {
		set[strings.Trim(w, ".,")] = true
	}
	return set
}
