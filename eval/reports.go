package eval

import (
	"context"
	"io"
	"slices"

	"ibid/audit"
)

// maxReport is how long a line with a report and all its sources may be, in bytes.
const maxReport = 64 << 20

// Reports holds each report of a file of JSON lines (audit.Case) against its record, as Pairs does with claims.
func Reports(ctx context.Context, in io.Reader, out io.Writer, explain bool, bad func(line int, err error)) error {
	return judgeLines(ctx, in, out, maxReport, bad, func(line []byte) (Judgement, error) {
		c, err := audit.ParseCase(line)
		if err != nil {
			return Judgement{}, err
		}
		return judgeReport(c, explain), nil
	})
}

// judgeReport fails a report with what blocks, and scores it by how much there is of it: above a half where something blocks.
func judgeReport(c audit.Case, explain bool) Judgement {
	r := audit.Report([]byte(c.Report), c.Record)
	j := Judgement{ID: c.ID, Verdict: "pass", Codes: []string{}}
	count := map[audit.Severity]float64{}
	for _, severity := range []audit.Severity{audit.Block, audit.Flag} {
		for _, f := range r.Failures {
			if f.Severity != severity {
				continue
			}
			count[severity]++
			if !slices.Contains(j.Codes, string(f.Code)) {
				j.Codes = append(j.Codes, string(f.Code))
			}
		}
	}
	part := func(n float64) float64 { return n / (n + 1) / 2 }
	switch {
	case count[audit.Block] > 0:
		j.Verdict, j.Score = "fail", round6(0.5+part(count[audit.Block]))
	case count[audit.Flag] > 0:
		j.Verdict, j.Score = "warn", round6(part(count[audit.Flag]))
	}
	if explain {
		j.Failures = r.Failures
	}
	return j
}
