package research

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ibid/agent"
	"ibid/audit"
	"ibid/audit/claim"
	"ibid/evidence"
	"ibid/gate"
	"ibid/journal"
	"ibid/report"
)

// EventJudging tells observers that a judge is asked about the finished report.
const EventJudging = "judge"

// judgeBatch is how many questions are asked side by side about a report.
const judgeBatch = 8

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
