package runs

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"ibid/evidence"
	"ibid/report"
	"ibid/research"
)

// A Rejection is a person's word that a finding is not to be reported (FIND-7). It is recorded after the run's end; the
// report is made again without the finding each time it is asked for, and what the run did stays as it is.
type Rejection struct {
	Finding string `json:"finding"` // its id
	Reason  string `json:"reason"`
	By      string `json:"by,omitempty"`
}

// rejected is the kind of its event.
const rejected = "reject"

// maxReason is in bytes.
const maxReason = 2000

// Reject takes a finding out of the report of a run that is over, and returns the report without it. A report that would
// not pass its check without the finding leaves all as it is.
func (e *Engine) Reject(ctx context.Context, id, finding, reason string) (*research.Result, error) {
	return e.reject(ctx, id, Rejection{Finding: finding, Reason: reason, By: userName()})
}

func (e *Engine) reject(ctx context.Context, id string, r Rejection) (*research.Result, error) {
	finding, reason := r.Finding, strings.Join(strings.Fields(r.Reason), " ")
	switch {
	case reason == "":
		return nil, fail(Invalid, nil, "Say why: --reason …", "a claim is not rejected without a reason")
	case len(reason) > maxReason:
		return nil, fail(Invalid, nil, "", "the reason has %d bytes; %d is the limit", len(reason), maxReason)
	}
	result, err := e.Result(ctx, id)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(result.Findings, func(f evidence.Finding) bool { return f.ID == finding })
	switch {
	case i < 0:
		return nil, fail(NotFound, nil, "See them with: ibid --json runs show "+id, "run %s has no finding %q", id, finding)
	case result.Findings[i].Rejected != "":
		return nil, fail(Conflict, nil, "", "finding %s is rejected already: %s", finding, result.Findings[i].Rejected)
	case !result.Verified:
		return nil, fail(Integrity, nil, "", "run %s has no report to make again", id)
	}
	r.Reason = reason
	if err := e.without(ctx, id, result, []Rejection{r}); err != nil {
		return nil, err
	}
	if !result.Verified {
		return nil, fail(Integrity, nil, "Nothing was changed.", "without %s the report of run %s does not pass its check", finding, id)
	}
	return result, e.explain(id, e.Journal.Amend(ctx, id, rejected, r))
}

// amended is a result with what was rejected since taken out.
func (e *Engine) amended(ctx context.Context, id string, result *research.Result) (*research.Result, error) {
	said, err := e.Journal.Amendments(ctx, id, rejected)
	if err != nil || len(said) == 0 || !result.Verified {
		return result, err
	}
	list := make([]Rejection, len(said))
	for i, text := range said {
		if err := json.Unmarshal(text, &list[i]); err != nil {
			return nil, fail(Integrity, err, "", "reading what was rejected of run %s", id)
		}
	}
	return result, e.without(ctx, id, result, list)
}

// without makes the report again, of the findings that are left.
func (e *Engine) without(ctx context.Context, id string, result *research.Result, list []Rejection) error {
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
	reasons := map[string]string{}
	for _, r := range list {
		reasons[r.Finding] = r.Reason
	}
	incomplete := ""
	if !result.Stop.Complete() {
		incomplete = string(result.Stop)
	}
	again, err := b.Without(reasons, incomplete, c.Imprints)
	if err != nil {
		return err
	}
	if result.JSON, err = again.JSON(); err != nil {
		return err
	}
	result.Markdown, result.Findings, result.Check = []byte(again.Report), again.Findings, again.Verify()
	result.Verified = result.Check.OK
	result.Shape.Findings = 0
	for _, f := range again.Findings {
		if f.Rejected == "" {
			result.Shape.Findings++
		}
	}
	result.Shape.Answered = result.Shape.Findings > 0
	return nil
}
