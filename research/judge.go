package research

import (
	"context"
	"errors"
	"slices"
	"time"

	"ibid/agent"
	"ibid/audit"
	"ibid/audit/claim"
	"ibid/audit/judge"
	"ibid/budget"
	"ibid/evidence"
	"ibid/journal"
	"ibid/llm"
	"ibid/llm/catalog"
)

// A Judge is the model that looks at what rules have flagged, pinned with the run: a replay, a resume and a fork ask the
// same in the same words, and are served what is on record.
type Judge struct {
	Model     string         `json:"model"`
	Endpoint  *Endpoint      `json:"endpoint,omitempty"`
	Price     *catalog.Price `json:"price,omitempty"` // nil: not known
	Threshold int            `json:"threshold"`       // the score from which on it clears a flag
	Prompt    string         `json:"prompt"`
}

// NewJudge pins a judge with this program's prompt.
func NewJudge(model string, at *Endpoint, price *catalog.Price, threshold int) *Judge {
	return &Judge{Model: model, Endpoint: at, Price: price, Threshold: threshold, Prompt: judge.Prompt()}
}

const (
	judgeWait = 20 * time.Second // for one answer, and no more than a quarter of the time that is left
	maxSilent = 3                // answers in a row that do not come before a judge is left alone
)

// A bench is a run's judge and what it said. Like the rest of the state it changes only by the consequences of effects.
type bench struct {
	judge.Judge
	loop    agent.Loop
	run     string
	rulings map[string]evidence.Ruling // by the question's id
	asking  map[string]bool            // questions of this step, by id
	silent  int                        // answers in a row that did not come
	guessed bool                       // part of what it cost is the worst case
}

func newBench(run string, c *Judge, p Parts) *bench {
	if c == nil || p.Judge == nil {
		return nil
	}
	return &bench{Judge: judge.Judge{Model: c.Model, Prompt: c.Prompt, Threshold: c.Threshold}, run: run,
		loop: agent.Loop{Model: p.Judge, Price: p.JudgePrice}, rulings: map[string]evidence.Ruling{}, asking: map[string]bool{}}
}

// effect asks about q, unless that was asked already, cannot be asked, or a judge that does not answer was asked often
// enough. What is asked by content is never paid for twice in a run.
func (b *bench) effect(q claim.Question, left budget.Amount) []agent.Effect {
	id := q.ID()
	if _, ruled := b.rulings[id]; ruled || b.asking[id] || b.silent >= maxSilent || !judge.Fits(q) {
		return nil
	}
	within := min(judgeWait, time.Duration(left.Millis)*time.Millisecond/4)
	if within < time.Second {
		return nil
	}
	e, err := b.loop.Aside("judge", b.run, b.Request(q), within)
	if err != nil {
		return nil
	}
	b.asking[id] = true
	return []agent.Effect{e}
}

// judged lets the agents of a team ask about one question once: who comes second gets the answer of the first for nothing.
func (c *commons) judged(lane string, q claim.Question, effects []agent.Effect) []agent.Effect {
	if c == nil || len(effects) == 0 {
		return effects
	}
	e, key := effects[0], "judge "+q.ID()
	perform := e.Run
	e.Run = func(ctx context.Context) ([]byte, budget.Amount, error) {
		body, spent, _, err := c.share(ctx, lane, "", func() *deed {
			if d := c.reads[key]; d.useful(lane) {
				return d
			}
			return nil
		}, func(d *deed) { c.reads[key] = d }, func([]byte) bool { return true }, func() ([]byte, budget.Amount, error) { return perform(ctx) })
		return body, spent, err
	}
	return []agent.Effect{e}
}

// heard takes an outcome of asking about q. An answer that is no verdict is kept, too: the same request would bring it again.
func (b *bench) heard(q claim.Question, o agent.Outcome) {
	id := q.ID()
	delete(b.asking, id)
	var failure *journal.Failure
	switch {
	case errors.As(o.Err, &failure):
		b.silent++
		cause := llm.ParseError(failure.Text)
		b.guessed = b.guessed || cause == nil || cause.Kind == llm.Network || cause.Kind == llm.Malformed // it may have been paid for
		return
	case o.Err != nil: // the budget, or a person
		return
	}
	b.silent = 0
	r, err := b.loop.Model.Decode(o.Body)
	b.guessed = b.guessed || err != nil || !r.Usage.Known
	b.rulings[id] = b.Ruling(q, r)
}

// ruling is what the judge said of q, if it was asked.
func (b *bench) ruling(q claim.Question) *evidence.Ruling {
	if b == nil {
		return nil
	}
	r, ok := b.rulings[q.ID()]
	if !ok {
		return nil
	}
	return &r
}

// clearable are the flags among verdicts that a judge may clear: none where a rule blocks, or where the source talks to its
// readers and perhaps to the judge.
func clearable(vs []claim.Verdict) (codes []string) {
	for _, v := range vs {
		if v.Severity == claim.Block || v.Code == claim.Injected {
			return nil
		}
		if v.Code.Judgeable() && !slices.Contains(codes, string(v.Code)) {
			codes = append(codes, string(v.Code))
		}
	}
	return codes
}

// doubtful is the question that a finding raises when it would be recorded with flags, as far as that is known before the
// other calls of its step have had their consequences.
func (t *findingTool) doubtful(args findingArgs, key evidence.Key) (q claim.Question, is bool) {
	doc := t.corpus.Doc(key.Source)
	if t.bench == nil || !t.weighed || doc == nil {
		return q, false
	}
	match := doc.Match(key.Locator, args.Quote)
	if !match.OK() {
		return q, false
	}
	q = t.posed(key, match, args.Claim)
	return q, len(clearable(t.weigh(q))) > 0
}

// judged applies what a judge says of a finding to its flags (FIND-8). It returns those that are told to the model.
func (t *findingTool) judged(f *evidence.Finding, q claim.Question, vs []claim.Verdict) (open []doubt) {
	open = doubts(vs, claim.Flag)
	codes := clearable(vs)
	r := t.bench.ruling(q)
	if r == nil || len(codes) == 0 {
		return open
	}
	f.Judged = r
	switch {
	case r.Clears():
		r.Cleared = codes
		return slices.DeleteFunc(open, func(d doubt) bool { return slices.Contains(codes, string(d.Code)) })
	case r.Verdict == evidence.Contradicted:
		f.Flags = append(f.Flags, string(audit.Contradicted))
		open = append(open, doubt{Code: claim.Code(audit.Contradicted), Claim: f.Claim, Source: r.Reason, Message: t.text.Note("contradicted")})
	}
	return open
}
