package knowledge

import (
	"context"
	"database/sql"
	"errors"

	"ibid/evidence"
)

// A drawn fact is one on its way into the database: where its words stand in a source that is kept, and what makes it and its
// entities the same ones.
type drawn struct {
	Draft
	source, locator      string
	gist, entity, target string
}

// placed finds where the quotes of facts stand in the source of their snippet. A quote that does not stand there has no place,
// and is cited by nobody.
func (b *Base) placed(ctx context.Context, dataset string, s *stored, facts []Draft) ([]drawn, error) {
	list := make([]drawn, len(facts))
	for i, d := range facts {
		list[i] = drawn{Draft: d, gist: d.gist(), entity: entityGist(d.Entity), target: entityGist(d.Target)}
	}
	if s.Source == "" {
		return list, nil
	}
	var sha string
	reading, err := b.reading(ctx, b.DB, dataset, s.Source, &sha)
	var source evidence.Source
	var spans []evidence.Span
	if err == nil {
		source, spans, err = read(reading)
	}
	if errors.Is(err, ErrGone) || errors.Is(err, errDamaged) { // the queue does not wait for it
		return list, nil
	}
	if err != nil {
		return nil, err
	}
	doc := evidence.NewDoc(source.Kind, spans)
	at, err := evidence.ParseLocator(s.Locator)
	told := err == nil
	for i := range list {
		m := evidence.Match{Kind: evidence.MatchNone}
		if told {
			m = doc.Match(at, list[i].Quote)
		}
		if !m.OK() {
			m = doc.Find(list[i].Quote)
		}
		if m.OK() {
			list[i].Quote = plain(m.Quote)
			list[i].source, list[i].locator = s.Source, m.Locator.String()
		}
	}
	return list, nil
}

// merge adds the facts of a snippet to what is known, in a transaction that holds the dataset's row. A fact that is there gets
// one more support and stays as it was first told.
func merge(ctx context.Context, tx *sql.Tx, id string, s *stored, facts []drawn, now int64) error {
	for _, d := range facts {
		fact, err := number(ctx, tx, `SELECT n FROM kb_fact WHERE dataset = $1 AND gist = $2`, id, d.gist)
		if err != nil {
			return err
		}
		if fact == 0 {
			if fact, err = addFact(ctx, tx, id, d, now); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO kb_support (dataset, fact, snippet, quote, source, locator) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
			id, fact, s.Seq, d.Quote, d.source, d.locator); err != nil {
			return err
		}
	}
	return nil
}

func addFact(ctx context.Context, tx *sql.Tx, id string, d drawn, now int64) (n int64, err error) {
	entity, err := entityOf(ctx, tx, id, d.Entity, d.entity)
	if err != nil {
		return 0, err
	}
	target, err := entityOf(ctx, tx, id, d.Target, d.target)
	if err != nil {
		return 0, err
	}
	if n, err = number(ctx, tx, `UPDATE kb_dataset SET next_fact = next_fact + 1 WHERE id = $1 RETURNING next_fact - 1`, id); err != nil {
		return 0, err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO kb_fact (dataset, n, gist, kind, entity, relation, target, description, created) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		id, n, d.gist, string(d.Kind), entity, d.Relation, target, d.Description, now)
	return n, err
}

// entityOf is the number of an entity, which is added where it is new; 0 for none.
func entityOf(ctx context.Context, tx *sql.Tx, id, name, gist string) (n int64, err error) {
	if name == "" {
		return 0, nil
	}
	if n, err = number(ctx, tx, `SELECT n FROM kb_entity WHERE dataset = $1 AND gist = $2`, id, gist); err != nil || n > 0 {
		return n, err
	}
	if n, err = number(ctx, tx, `UPDATE kb_dataset SET next_entity = next_entity + 1 WHERE id = $1 RETURNING next_entity - 1`, id); err != nil {
		return 0, err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO kb_entity (dataset, n, gist, name) VALUES ($1, $2, $3, $4)`, id, n, gist, name)
	return n, err
}

// entityGist is what makes an entity the same one: the words of its name, whatever their forms.
func entityGist(name string) string {
	if name == "" {
		return ""
	}
	return hash("entity", words(name))
}

// number reads one number; 0 where there is no row.
func number(ctx context.Context, tx *sql.Tx, query string, args ...any) (n int64, err error) {
	err = tx.QueryRowContext(ctx, query, args...).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return n, err
}
