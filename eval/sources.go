package eval

import (
	"context"
	"io"

	"ibid/audit"
	"ibid/audit/sources"
)

// A Weighing is what is known of the sources of one case: a card for each, and which of them are one origin.
type Weighing struct {
	ID       string            `json:"id"`
	Cards    []sources.Card    `json:"cards"`
	Clusters []sources.Cluster `json:"clusters"`
}

// Sources weighs the sources of each case of a file of JSON lines (audit.Case, of which no report is asked for), and writes a
// Weighing a line.
func Sources(ctx context.Context, in io.Reader, out io.Writer, bad func(line int, err error)) error {
	return judgeLines(ctx, in, out, maxReport, bad, func(line []byte) (Weighing, error) {
		c, err := audit.ParseSources(line)
		if err != nil {
			return Weighing{}, err
		}
		s := sources.Weigh(c.Record.Sources, c.Record.Spans, c.Record.Findings, c.Record.Question)
		return Weighing{c.ID, s.Cards, s.Clusters()}, nil
	})
}
