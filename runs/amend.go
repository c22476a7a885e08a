package runs

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"ibid/evidence"
	"ibid/journal"
	"ibid/report"
	"ibid/research"
)

// An Amendment is a person's word about a finding of a run that is over: that it is not to be reported (FIND-7), that it is
// though rules block it (FIND-8), or, undone, that neither is so any more. It is recorded after the run's end; the report is made
// again each time it is asked for, and what the run did stays as it is.
type Amendment struct {
	Finding string `json:"finding"` // its id
	Reason  string `json:"reason"`
	By      string `json:"by,omitempty"`
	Undo    bool   `json:"undo,omitempty"`
}

// The kinds of its events.
const (
	rejected = "reject"
	accepted = "accept"
)

// maxReason is in bytes.
const maxReason = 2000

// Findings are what a run found, and what it was not allowed to record.
type Findings struct {
	Findings []evidence.Finding `json:"findings"` // also those that a person has rejected since
	Refused  []research.Refused `json:"refused"`  // those that were accepted since are findings
}

// findings are the findings of a result.
func findings(r *research.Result) Findings {
	f := Findings{append([]evidence.Finding{}, r.Findings...), []research.Refused{}}
	for _, no := range r.Refused {
		if !slices.ContainsFunc(r.Findings, func(f evidence.Finding) bool { return f.ID == no.ID }) {
			f.Refused = append(f.Refused, no)
		}
	}
	return f
}

// reject takes a finding out of the report of a run that is over. A report that would not pass its check without the finding
// leaves all as it is.
func (e *Engine) reject(ctx context.Context, id string, a Amendment) error {
	result, err := e.amendable(ctx, id, &a, "a claim is not rejected without a reason")
	if err != nil {
		return err
	}
	f := result.finding(a.Finding)
	switch {
	case f == nil && result.refused(a.Finding) != nil:
		return fail(Conflict, nil, "", "finding %s was refused, and is in no report", a.Finding)
	case f == nil:
		return noFinding(id, a.Finding)
	case f.Rejected != "":
		return fail(Conflict, nil, "Undo it with: ibid runs reject "+id+" "+f.ID+" --undo", "finding %s is rejected already: %s", f.ID, f.Rejected)
	}
	return e.amend(ctx, id, result, rejected, a)
}

// accept takes into the report of a run that is over what was refused, because rules block its claim. A quote that is not in its
// span is never accepted (FIND-1).
func (e *Engine) accept(ctx context.Context, id string, a Amendment) error {
	result, err := e.amendable(ctx, id, &a, "a claim that rules block is not accepted without a reason")
	if err != nil {
		return err
	}
	if f := result.finding(a.Finding); f != nil {
		return fail(Conflict, nil, "", "finding %s is in the record already", a.Finding)
	}
	switch r := result.refused(a.Finding); {
	case r == nil:
		return noFinding(id, a.Finding)
	case r.NotQuoted != "":
		return fail(Conflict, nil, "No one can lift that.", "the quote of %s does not stand at %s (%s)", r.ID, r.Key(), r.NotQuoted)
	}
	return e.amend(ctx, id, result, accepted, a)
}

// undo takes back what a person said of a finding.
func (e *Engine) undo(ctx context.Context, id string, a Amendment) error {
	a.Undo = true
	result, err := e.amendable(ctx, id, &a, "")
	if err != nil {
		return err
	}
	if _, is := result.said.rejected[a.Finding]; is {
		return e.amend(ctx, id, result, rejected, a)
	}
	if _, is := result.said.accepted[a.Finding]; is {
		return e.amend(ctx, id, result, accepted, a)
	}
	if result.finding(a.Finding) == nil && result.refused(a.Finding) == nil {
		return noFinding(id, a.Finding)
	}
	return fail(Conflict, nil, "", "nobody has rejected or accepted %s of run %s", a.Finding, id)
}

func noFinding(id, finding string) error {
	return fail(NotFound, nil, "See them with: ibid runs findings "+id, "run %s has no finding %q", id, finding)
}

// amendable is the result of a run about which something can be said. It tidies the reason; without, if one is needed, it is an
// error.
func (e *Engine) amendable(ctx context.Context, id string, a *Amendment, without string) (*amending, error) {
	a.Reason = strings.Join(strings.Fields(a.Reason), " ")
	switch {
	case a.Reason == "" && without != "":
		return nil, fail(Invalid, nil, "Say why: --reason …", "%s", without)
	case len(a.Reason) > maxReason:
		return nil, fail(Invalid, nil, "", "the reason has %d bytes; %d is the limit", len(a.Reason), maxReason)
	}
	bare, err := e.bare(ctx, id)
	if err != nil {
		return nil, err
	}
	said, err := e.said(ctx, id)
	if err != nil {
		return nil, err
	}
	if !bare.Verified {
		return nil, fail(Integrity, nil, "", "run %s has no report to make again", id)
	}
	now := *bare
	if err := e.again(ctx, id, &now, said); err != nil {
		return nil, err
	}
	return &amending{bare, &now, said}, nil
}

// An amending is a run that something is said about: as it ended, what was said since, and what that comes to.
type amending struct {
	bare, now *research.Result
	said      said
}

func (m *amending) finding(id string) *evidence.Finding {
	if i := slices.IndexFunc(m.now.Findings, func(f evidence.Finding) bool { return f.ID == id }); i >= 0 {
		return &m.now.Findings[i]
	}
	return nil
}

func (m *amending) refused(id string) *research.Refused {
	if i := slices.IndexFunc(m.bare.Refused, func(r research.Refused) bool { return r.ID == id }); i >= 0 {
		return &m.bare.Refused[i]
	}
	return nil
}

// amend records an amendment, if the report passes its check with it.
func (e *Engine) amend(ctx context.Context, id string, m *amending, kind string, a Amendment) error {
	result := *m.bare
	m.said.add(kind, a)
	if err := e.again(ctx, id, &result, m.said); err != nil {
		return err
	}
	if !result.Verified {
		why := ""
		for _, f := range result.Check.Failures {
			if f.Severity == "block" {
				why = ": " + f.Message
				break
			}
		}
		return fail(Integrity, nil, "Nothing was changed.", "the report of run %s would not pass its check then%s", id, why)
	}
	return e.explain(id, e.Journal.Amend(ctx, id, kind, a))
}

// said is what persons said of a run's findings, and what of it stands, by finding.
type said struct{ rejected, accepted map[string]Amendment }

func (s said) add(kind string, a Amendment) {
	of := s.rejected
	if kind == accepted {
		of = s.accepted
	}
	if a.Undo {
		delete(of, a.Finding)
		return
	}
	of[a.Finding] = a
}

// said reads what was said of a run.
func (e *Engine) said(ctx context.Context, id string) (said, error) {
	s := said{map[string]Amendment{}, map[string]Amendment{}}
	for _, kind := range []string{rejected, accepted} {
		list, err := e.Journal.Amendments(ctx, id, kind)
		if err != nil {
			return s, err
		}
		for _, text := range list {
			var a Amendment
			if err := json.Unmarshal(text, &a); err != nil {
				return s, fail(Integrity, err, "", "reading what was said of the findings of run %s", id)
			}
			s.add(kind, a)
		}
	}
	return s, nil
}

// again makes the report of a result again, with what was said of its findings.
func (e *Engine) again(ctx context.Context, id string, result *research.Result, s said) error {
	if !result.Verified || len(s.rejected)+len(s.accepted) == 0 {
		return nil
	}
	info, err := e.Journal.Info(ctx, id)
	if err != nil {
		return e.explain(id, err)
	}
	c, err := research.ParseConfig(info.Config)
	if err != nil {
		return err
	}
	b, err := report.ParseJSON(result.JSON)
	if err != nil {
		return err
	}
	changes := report.Changes{Rejected: map[string]string{}, Imprints: c.Imprints, Ranked: c.Ranked, Conflicts: c.Conflicts}
	for finding, a := range s.rejected {
		changes.Rejected[finding] = a.Reason
	}
	for _, r := range result.Refused { // in their order
		if a, is := s.accepted[r.ID]; is {
			changes.Accepted = append(changes.Accepted, acceptance(result, r, a))
		}
	}
	if !result.Stop.Complete() {
		changes.Incomplete = string(result.Stop)
	}
	made, err := b.Again(changes)
	if err != nil {
		return err
	}
	if result.JSON, err = made.JSON(); err != nil {
		return err
	}
	result.Markdown, result.Findings, result.Check = []byte(made.Report), made.Findings, made.Verify()
	result.Verified = result.Check.OK
	result.Shape.Findings = 0
	for _, f := range made.Findings {
		if f.Rejected == "" {
			result.Shape.Findings++
		}
	}
	result.Shape.Answered = result.Shape.Findings > 0
	return nil
}

// acceptance is a refused finding as a person accepted it.
func acceptance(result *research.Result, r research.Refused, a Amendment) report.Accepted {
	f := r.Finding
	f.Accepted = &evidence.Acceptance{Codes: r.Codes(), Reason: a.Reason, By: a.By}
	for _, v := range r.Problems {
		if code := string(v.Code); !slices.Contains(f.Accepted.Codes, code) && !slices.Contains(f.Flags, code) {
			f.Flags = append(slices.Clone(f.Flags), code)
		}
	}
	accepted := report.Accepted{Finding: f, Spans: result.Read.Spans(f.Source)}
	for _, q := range result.Plan {
		if q.ID == f.Subquestion {
			accepted.Question = q.Question
		}
	}
	return accepted
}

// forkRejections are the findings of a run that a person rejected, also in those that it was forked from: its forks do not report
// them either.
func (e *Engine) forkRejections(ctx context.Context, id string, info journal.Info, c research.Config) ([]research.Disowned, error) {
	list := slices.Clone(c.Rejected)
	s, err := e.said(ctx, id)
	if err != nil || len(s.rejected) == 0 || !info.State.Over() {
		return list, err
	}
	result, err := e.bare(ctx, id)
	if err != nil {
		return nil, err
	}
	for _, f := range append(slices.Clone(result.Findings), refusedFindings(result)...) {
		if a, is := s.rejected[f.ID]; is {
			list = append(list, research.Disowned{Claim: f.Claim, Quote: f.Quote, Reason: a.Reason})
		}
	}
	return list, nil
}

func refusedFindings(r *research.Result) (list []evidence.Finding) {
	for _, no := range r.Refused {
		list = append(list, no.Finding)
	}
	return list
}
