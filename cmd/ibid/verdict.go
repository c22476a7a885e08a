package main

import (
	"context"

	"ibid/bundle"
	"ibid/report"
	"ibid/runs"
	"ibid/server"
)

// verdict checks a report that somebody hands to the server.
func (e *env) verdict(ctx context.Context, desk *runs.Desk, form server.Checked, run string, body []byte) (server.Verdict, error) {
	switch form {
	case server.CheckedBundle:
		if !bundle.IsBundle(body) {
			return server.Verdict{}, &runs.Error{Code: runs.Invalid, Message: "the body is no bundle", Hint: "Make one of a run: ibid bundle RUN"}
		}
		here := *e
		here.ctx = ctx
		check, err := here.verifyBundle(body, nil, nil)
		return server.Verdict{OK: check.OK, Bundle: &check}, err
	case server.CheckedMarkdown:
		b, err := desk.Bundle(ctx, run)
		if err != nil {
			return server.Verdict{}, err
		}
		b.Report = string(body)
		check := b.Verify()
		return server.Verdict{OK: check.OK, Check: &check}, nil
	}
	check, err := report.VerifyJSON(body)
	if err != nil {
		return server.Verdict{}, &runs.Error{Code: runs.Integrity, Message: err.Error()}
	}
	return server.Verdict{OK: check.OK, Check: &check}, nil
}
