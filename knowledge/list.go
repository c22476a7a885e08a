package knowledge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
)

// maxTold are the supports of one fact that an answer tells.
const maxTold = 20

// facts reads facts by number, in the order asked, with their supports: at most so many of each.
func facts(ctx context.Context, q querier, id string, numbers []int64, limit int) ([]Fact, error) {
	list := make([]Fact, len(numbers))
	at := map[int64]int{}
	for i, n := range numbers {
		at[n] = i
		list[i] = Fact{ID: factID(n), n: n, Supports: []Support{}}
	}
	if len(list) == 0 {
		return list, nil
	}
	in := make([]string, len(numbers))
	args := []any{id}
	for i, n := range numbers {
		args = append(args, n)
		in[i] = fmt.Sprintf("$%d", i+2)
	}
	these := strings.Join(in, ", ")
	rows, err := q.QueryContext(ctx, `SELECT f.n, f.kind, COALESCE(e.name, ''), f.relation, COALESCE(t.name, ''), f.description FROM kb_fact f
		LEFT JOIN kb_entity e ON e.dataset = f.dataset AND e.n = f.entity LEFT JOIN kb_entity t ON t.dataset = f.dataset AND t.n = f.target
		WHERE f.dataset = $1 AND f.n IN (`+these+`)`, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var n int64
		var f Fact
		if err := rows.Scan(&n, &f.Kind, &f.Entity, &f.Relation, &f.Target, &f.Description); err != nil {
			return nil, err
		}
		f.ID, f.n, f.Supports = factID(n), n, []Support{}
		list[at[n]] = f
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return list, supports(ctx, q, id, these, args, func(n int64, s Support) {
		if f := &list[at[n]]; len(f.Supports) < limit {
			f.Supports = append(f.Supports, s)
		} else {
			f.More++
		}
	})
}

// supports reads where facts are from, in order of absorbing.
func supports(ctx context.Context, q querier, id, these string, args []any, add func(n int64, s Support)) error {
	rows, err := q.QueryContext(ctx, `SELECT p.fact, p.quote, n.claim, n.label, n.url, n.title, p.locator, p.source, n.run, n.absorbed, n.seq,
		p.source <> '' AND p.source = COALESCE((SELECT k.id FROM kb_source k WHERE k.dataset = p.dataset AND k.url = n.url ORDER BY k.fetched DESC, k.id LIMIT 1), '')
		FROM kb_support p JOIN kb_snippet n ON n.dataset = p.dataset AND n.seq = p.snippet WHERE p.dataset = $1 AND p.fact IN (`+these+`) ORDER BY p.fact, p.snippet`, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var n int64
		var s Support
		if err := rows.Scan(&n, &s.Quote, &s.Claim, &s.Label, &s.URL, &s.Title, &s.Locator, &s.Source, &s.Run, &s.By, &s.Snippet, &s.Newest); err != nil {
			return err
		}
		add(n, s)
	}
	return rows.Err()
}

// maxPage is how many facts are read at once.
const maxPage = 200

// Facts lists a dataset's facts after one, at most limit of them, in order of absorbing. after is a number: 12 for K12.
func (b *Base) Facts(ctx context.Context, user, dataset string, after int64, limit int) ([]Fact, error) {
	fail := func(err error) ([]Fact, error) {
		return nil, fmt.Errorf("knowledge: listing %s: %w", dataset, err)
	}
	id, err := find(ctx, b.DB, user, dataset)
	if err != nil {
		return fail(err)
	}
	rows, err := b.DB.QueryContext(ctx, `SELECT n FROM kb_fact WHERE dataset = $1 AND n > $2 ORDER BY n LIMIT $3`, id, after, min(max(limit, 1), maxPage))
	if err != nil {
		return fail(err)
	}
	var numbers []int64
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			rows.Close()
			return fail(err)
		}
		numbers = append(numbers, n)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return fail(err)
	}
	list, err := facts(ctx, b.DB, id, numbers, math.MaxInt)
	if err != nil {
		return fail(err)
	}
	return list, nil
}

// Number is a fact's number, for Facts.
func (f Fact) Number() int64 { return f.n }

// An Entity is something that facts are about, or lead to.
type Entity struct {
	Name  string `json:"name"`
	Facts int64  `json:"facts"` // that are about it
}

// Entities lists what most facts are about first, then by name.
func (b *Base) Entities(ctx context.Context, user, dataset string, limit int) ([]Entity, error) {
	id, err := find(ctx, b.DB, user, dataset)
	if err != nil {
		return nil, fmt.Errorf("knowledge: the entities of %s: %w", dataset, err)
	}
	rows, err := b.DB.QueryContext(ctx, `SELECT e.name, COUNT(*) AS facts FROM kb_entity e JOIN kb_fact f ON f.dataset = e.dataset AND f.entity = e.n WHERE e.dataset = $1
		GROUP BY e.n, e.name ORDER BY facts DESC, e.name, e.n LIMIT $2`, id, limit)
	if err != nil {
		return nil, fmt.Errorf("knowledge: the entities of %s: %w", dataset, err)
	}
	defer rows.Close()
	list := []Entity{}
	for rows.Next() {
		var e Entity
		if err := rows.Scan(&e.Name, &e.Facts); err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, rows.Err()
}
