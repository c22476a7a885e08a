package research

import (
	"strings"
	"unicode/utf8"

	"ibid/agent"
	"ibid/audit/claim"
	"ibid/evidence"
	"ibid/gate"
	"ibid/llm"
	"ibid/research/prompts"
)

// findingTool records findings (TOOLS-6). It is the only path by which one enters a run, and it leads through the
// quote matcher (FIND-1, law 1) and the rules for claims (FIND-2).
type findingTool struct {
	*state
	text prompts.Text
}

// findingArgs is what the model offers.
type findingArgs struct {
	Claim       string `json:"claim"`
	Quote       string `json:"quote"`
	Span        string `json:"span"`
	Subquestion string `json:"subquestion"`
}

func (t *findingTool) Spec() llm.Tool {
	return spec("record_finding", t.text,
		property{"claim", `{"type":"string"}`, true},
		property{"quote", `{"type":"string"}`, true},
		property{"span", `{"type":"string"}`, true},
		property{"subquestion", `{"type":"string"}`, true})
}

func (t *findingTool) Admit(c agent.Call) (agent.Action, error) {
	var args findingArgs
	if err := agent.Decode(c.Args, &args); err != nil {
		return agent.Action{}, err
	}
	args.Claim = strings.Join(strings.Fields(args.Claim), " ")
	switch n := utf8.RuneCountInString(args.Claim); {
	case n == 0:
		return agent.Action{}, t.text.Error("empty_claim")
	case n > maxClaim:
		return agent.Action{}, t.text.Error("long_claim", "n", n, "max", maxClaim)
	}
	key, err := evidence.ParseKey(strings.TrimSpace(args.Span))
	if err != nil {
		return agent.Action{}, t.text.Error("bad_span", "reason", err)
	}
	var effects []agent.Effect
	q, doubtful := t.doubtful(args, key)
	if doubtful {
		effects = t.commons.judged(t.lane, q, t.bench.effect(q, c.Left))
	}
	return agent.Action{Effects: effects, Then: func(outcomes []agent.Outcome) agent.Result {
		t.mu.Lock()
		defer t.mu.Unlock()
		for _, o := range outcomes {
			t.bench.heard(q, o)
		}
		return t.record(args, key)
	}}, nil
}

// record verifies the quote, holds the claim against it, and keeps the finding with the source's own words.
func (t *findingTool) record(args findingArgs, key evidence.Key) agent.Result {
	if len(t.plan) == 0 {
		return refuse(t.text.Error("no_plan"))
	}
	sub := t.subquestion(strings.TrimSpace(args.Subquestion))
	if sub == nil {
		return refuse(t.text.Error("unknown_subquestion", "id", args.Subquestion, "ids", t.planIDs()))
	}
	doc := t.corpus.Doc(key.Source)
	if doc == nil {
		return refuse(t.text.Error("unknown_source", "source", key.Source, "sources", t.sourceIDs()))
	}
	match := doc.Match(key.Locator, args.Quote)
	if !match.OK() {
		t.refused++
		t.keepRefused(Refused{Finding: evidence.Finding{Claim: args.Claim, Quote: gate.Clip(args.Quote, 500), Source: key.Source, Locator: key.Locator, Subquestion: sub.ID, Agent: t.author()}, NotQuoted: match.Reason})
		return t.refusal(doc, key, args.Quote, match)
	}
	f := evidence.Finding{
		ID: evidence.FindingID(len(t.findings) + 1), Claim: args.Claim, Quote: match.Quote,
		Source: key.Source, Locator: key.Locator, Until: match.Until, Match: match.Kind, Subquestion: sub.ID, Agent: t.author(),
	}
	for _, old := range t.findings {
		if old.Quote == f.Quote && old.Key() == f.Key() && old.Subquestion == f.Subquestion {
			return refuse(t.text.Error("duplicate", "id", old.ID))
		}
	}
	var flagged []doubt
	if t.weighed {
		q := t.posed(key, match, args.Claim)
		vs := t.weigh(q)
		if claim.Blocks(vs) {
			t.refused++
			t.keepRefused(Refused{Finding: f, Problems: vs})
			return t.overclaimed(vs)
		}
		f.Flags = flagsOf(vs)
		flagged = t.judged(&f, q, vs)
	}
	var cleared []string
	if f.Judged != nil {
		cleared = f.Judged.Cleared
	}
	t.findings = append(t.findings, f)
	sub.Findings++
	clashes, note := t.clashes(f.ID)
	return t.fence.reply(recordedView{f.ID, key.String(), f.Quote, f.Match, flagged, cleared, clashes, note, t.plan})
}

// recordedView is a finding that was recorded, with what is to be known of it.
type recordedView struct {
	Finding string             `json:"finding"`
	Span    string             `json:"span"`
	Quote   string             `json:"quote"`
	Match   evidence.MatchKind `json:"match"`
	Flags   []doubt            `json:"flags,omitempty"`
	Cleared []string           `json:"cleared,omitempty"` // flags that the judge cleared
	Clashes []clash            `json:"conflicts,omitempty"`
	Note    string             `json:"note,omitempty"` // what to do about them
	Plan    []Subquestion      `json:"plan"`
}
