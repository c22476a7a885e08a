package knowledge

import (
	"context"
	"database/sql"
	"fmt"

	"ibid/index"
)

// maxReport is the longest report that is remembered, in bytes.
const maxReport = 4 << 20

// A Report is a run's report, remembered with its question. It is nobody's source: its findings are.
type Report struct {
	Run      string `json:"run"`
	Question string `json:"question"`
	Markdown string `json:"markdown"`
}

// RememberReport keeps a run's report. The same run's again changes nothing.
func (b *Base) RememberReport(ctx context.Context, user, dataset string, r Report) error {
	if err := CheckName(dataset); err != nil {
		return err
	}
	if len(r.Markdown) > maxReport {
		return Invalid(fmt.Sprintf("the report has %d bytes; %d is the limit", len(r.Markdown), maxReport))
	}
	err := b.DB.Tx(ctx, func(tx *sql.Tx) error {
		id, err := b.make(ctx, tx, user, dataset)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO kb_report (dataset, run, question, markdown, created) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
			id, r.Run, plain(r.Question), plain(r.Markdown), b.DB.Now().UnixMilli())
		return err
	})
	if err != nil {
		return fmt.Errorf("knowledge: remembering a report in %s: %w", dataset, err)
	}
	return nil
}

// Reports lists the reports of a dataset in the order in which they came.
func (b *Base) Reports(ctx context.Context, user, dataset string) ([]Report, error) {
	id, err := find(ctx, b.DB, user, dataset)
	if err != nil {
		return nil, fmt.Errorf("knowledge: the reports of %s: %w", dataset, err)
	}
	rows, err := b.DB.QueryContext(ctx, `SELECT run, question, markdown FROM kb_report WHERE dataset = $1 ORDER BY created, run`, id)
	if err != nil {
		return nil, fmt.Errorf("knowledge: the reports of %s: %w", dataset, err)
	}
	defer rows.Close()
	list := []Report{}
	for rows.Next() {
		var r Report
		if err := rows.Scan(&r.Run, &r.Question, &r.Markdown); err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, rows.Err()
}

// maxEarlier are told of one question.
const maxEarlier = 3

// earlier are the runs whose questions are like this one.
func (b *Base) earlier(ctx context.Context, id, question string) ([]Earlier, error) {
	list := []Earlier{}
	rows, err := b.DB.QueryContext(ctx, `SELECT run, question FROM kb_report WHERE dataset = $1 ORDER BY created DESC, run LIMIT 1000`, id)
	if err != nil {
		return list, fmt.Errorf("knowledge: earlier questions: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var e Earlier
		if err := rows.Scan(&e.Run, &e.Question); err != nil {
			return list, err
		}
		if len(list) < maxEarlier && index.SameQuery(e.Question, question) {
			list = append(list, e)
		}
	}
	return list, rows.Err()
}
