package research

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ibid/agent"
	"ibid/audit"
	"ibid/audit/claim"
	"ibid/audit/judge"
	"ibid/budget"
	"ibid/evidence"
	"ibid/gate"
	"ibid/journal"
	"ibid/llm"
	"ibid/llm/catalog"
	"ibid/report"
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

// EventJudging tells observers that a judge is asked about the finished report.
const EventJudging = "judge"

const (
	judgeWait  = 20 * time.Second // for one answer, and no more than a quarter of the time that is left
	judgeBatch = 8                // questions that are asked side by side about a report
	maxSilent  = 3                // answers in a row that do not come before a judge is left alone
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
	return q, len(clearable(claim.Check(q.Claim, q.Quote, q.Context))) > 0
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

// maxClashesJudged is how many pairs of findings that may not agree are put to a judge for one report.
const maxClashesJudged = 20

// questions are what a finished report leaves open: first what it is flagged for, then which of its findings may not agree.
func questions(markdown []byte, in report.Input) []claim.Question {
	list := audit.Open(markdown, in.Record)
	clashes := 0
	for _, x := range in.Disagreements {
		if q, is := audit.Clash(in.Record, x); is && clashes < maxClashesJudged && !slices.Contains(list, q) {
			list = append(list, q)
			clashes++
		}
	}
	return list
}

// askAbout puts questions to the judge, as far as the budget goes, and returns the rulings. The share that is set aside for
// the answer is not touched.
func (s *state) askAbout(ctx context.Context, session *agent.Session, list []claim.Question) (rulings []evidence.Ruling, err error) {
	ruled := func(q claim.Question) bool {
		r := s.bench.ruling(q)
		if r != nil {
			r.Claim = q.Claim
			rulings = append(rulings, *r)
		}
		return r != nil
	}
	open := slices.DeleteFunc(list, ruled)
	s.bench.silent = 0 // a new chance, once
	for n := 1; len(open) > 0 && s.bench.silent < maxSilent; n++ {
		var asked []claim.Question
		var effects []agent.Effect
		for _, q := range open[:min(judgeBatch, len(open))] {
			if e := s.bench.effect(q, session.Ledger.Left()); e != nil {
				asked, effects = append(asked, q), append(effects, e...)
			}
		}
		open = open[min(judgeBatch, len(open)):]
		if len(effects) > 0 && session.Observe != nil {
			session.Observe(agent.Event{Kind: EventJudging, Lane: session.Lane, Text: fmt.Sprintf("asking %s about %s", s.bench.Model, count(len(asked), "question", "questions"))})
		}
		outcomes, err := session.Perform(ctx, journal.Key(fmt.Sprintf("lead/report/%d", n)), effects)
		if err != nil {
			return nil, err
		}
		for i, q := range asked {
			s.bench.heard(q, outcomes[i])
			ruled(q)
		}
	}
	return rulings, nil
}

// clashesJudged notes with each pair of findings that may not agree what the judge says of it, and counts what that comes to.
func clashesJudged(in *report.Input, bench *audit.Bench) {
	for i, x := range in.Disagreements {
		q, is := audit.Clash(in.Record, x)
		if !is {
			continue
		}
		at := slices.IndexFunc(in.Record.Rulings, func(r evidence.Ruling) bool { return r.Of == q.ID() })
		if at < 0 {
			continue
		}
		r := in.Record.Rulings[at]
		in.Disagreements[i].Judged = &r
		switch r.Verdict {
		case evidence.Contradicted:
			bench.Confirmed++
		case evidence.Supported, evidence.NotEnough:
			bench.Doubted++
		}
	}
}

// judgeReport has the judge look at a report that is finished but for that, and returns what the last form of it is made of.
// stop is why there is none yet: a person must decide first, or the user has cancelled.
func (s *state) judgeReport(ctx context.Context, result *Result, session *agent.Session, answer agent.Answer, in report.Input, compose func(report.Input) []byte) (out report.Input, stop agent.Stop, err error) {
	markdown := compose(in)
	if answer.Stop != agent.StopAsked { // who wants the answer now gets it now
		s.rulings, err = s.askAbout(ctx, session, questions(markdown, in))
	}
	switch {
	case errors.Is(err, gate.ErrPending):
		return in, agent.StopParked, nil
	case err != nil && ctx.Err() != nil:
		return in, agent.StopCancelled, nil
	case err != nil:
		return in, "", err
	}
	result.Shape = s.shape(answer, session.Ledger)
	out = s.input(answer, result.Shape)
	bench := audit.Judged(markdown, out.Record)
	bench.Model = s.bench.Model
	clashesJudged(&out, &bench)
	out.Record.Facts.Judge = &bench
	return out, "", nil
}
