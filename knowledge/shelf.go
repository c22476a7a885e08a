package knowledge

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ibid/budget"
	"ibid/index"
	"ibid/store"
)

// A shelf is a dataset's facts in memory, made ready for searching. Facts are only ever added.
type shelf struct {
	mu      sync.Mutex // never held while a model is asked
	index   *index.Index
	last    int64              // fact that is in it
	terms   map[int64][]string // by fact, sorted, each once
	waiting []index.Item       // to be embedded

	turn    chan struct{} // held by who asks the model
	meaning *index.Meaning
	tried   bool
	refused bool
}

// maxShelves are kept in memory.
const maxShelves = 16

func (b *Base) shelf(id string) *shelf {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.shelves[id] == nil {
		if len(b.shelves) >= maxShelves || b.shelves == nil {
			b.shelves = map[string]*shelf{}
		}
		b.shelves[id] = &shelf{index: index.New(index.Config{}), terms: map[int64][]string{}, meaning: index.NewMeaning(b.Meaning), turn: make(chan struct{}, 1)}
	}
	return b.shelves[id]
}

// factID is the name of a fact.
func factID(n int64) string { return "K" + strconv.FormatInt(n, 10) }

func factNumber(id string) int64 {
	n, err := strconv.ParseInt(strings.TrimPrefix(id, "K"), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// fill adds the facts that came since.
func (s *shelf) fill(ctx context.Context, db *store.DB, info Info) error {
	rows, err := db.QueryContext(ctx, `SELECT f.n, COALESCE(e.name, ''), f.description, p.quote, n.claim, n.title FROM kb_fact f
		LEFT JOIN kb_entity e ON e.dataset = f.dataset AND e.n = f.entity
		JOIN kb_support p ON p.dataset = f.dataset AND p.fact = f.n AND p.snippet = (SELECT MIN(snippet) FROM kb_support WHERE dataset = f.dataset AND fact = f.n)
		JOIN kb_snippet n ON n.dataset = f.dataset AND n.seq = p.snippet
		WHERE f.dataset = $1 AND f.n > $2 ORDER BY f.n`, info.id, s.last)
	if err != nil {
		return err
	}
	defer rows.Close()
	var items []index.Item
	last := s.last
	for rows.Next() {
		var n int64
		var entity, description, quote, claim, title string
		if err := rows.Scan(&n, &entity, &description, &quote, &claim, &title); err != nil {
			return err
		}
		body := description
		for _, more := range []string{quote, claim} {
			if more != "" && !strings.Contains(body, more) {
				body += "\n" + more
			}
		}
		it := index.Item{Key: factID(n), Title: entity, Body: body}
		items = append(items, it)
		terms := index.Terms(entity + "\n" + body + "\n" + title)
		slices.Sort(terms)
		s.terms[n], last = slices.Compact(terms), n
	}
	if err := rows.Err(); err != nil {
		return err
	}
	s.last = last // not before: what was not read whole is read again
	s.index.Add(items...)
	s.waiting = append(s.waiting, items...)
	return nil
}

// fitting are the facts that fit a question, the best first: those that hold a third of its words, and those that mean what it
// asks.
func (s *shelf) fitting(question string, meant []index.Hit) (found []int64) {
	asked := index.Terms(question)
	slices.Sort(asked)
	asked = slices.Compact(asked)
	near := map[string]bool{}
	for _, h := range meant[:min(len(meant), MaxListed)] {
		near[h.Key] = true
	}
	for _, h := range s.index.SearchWith(question, meant, candidates) {
		n := factNumber(h.Key)
		shared := 0
		for _, t := range asked {
			if _, there := slices.BinarySearch(s.terms[n], t); there {
				shared++
			}
		}
		if near[h.Key] || shared > 0 && 3*shared >= len(asked) {
			found = append(found, n)
		}
	}
	return found
}

// perQuery is how many facts are embedded for one question at most. With more, words alone decide until the others are.
const perQuery = 512

// meant finds by meaning, where there is a model that is good enough for it, and says what that cost. A model that fails is not
// asked again.
func (b *Base) meant(ctx context.Context, s *shelf, question string) (hits []index.Hit, spent budget.Amount, err error) {
	if b.Meaning.Embedder == nil {
		return nil, spent, nil
	}
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, spent, context.Cause(ctx)
	}
	if s.refused {
		return nil, spent, nil
	}
	var tokens int64
	defer func() {
		spent.Tokens = tokens
		if b.Price != nil {
			spent.MicroUSD = b.Price(tokens)
		}
	}()
	failed := func(err error) ([]index.Hit, budget.Amount, error) {
		if ctx.Err() != nil {
			return nil, spent, context.Cause(ctx)
		}
		s.refused = true
		return nil, spent, nil
	}
	for left := perQuery; ; {
		batch := s.unembedded()
		if len(batch) == 0 {
			break
		}
		if left == 0 {
			return nil, spent, nil
		}
		batch = batch[:min(len(batch), left, 64)]
		n, err := s.meaning.Add(ctx, batch...)
		if tokens += n; err != nil {
			return failed(err)
		}
		s.embedded(len(batch))
		left -= len(batch)
	}
	if !s.tried {
		trial, n, err := s.meaning.Try(ctx)
		if tokens += n; err != nil {
			return failed(err)
		}
		if s.tried = true; !trial.Passed() {
			return failed(fmt.Errorf("it is too weak: %v", trial))
		}
	}
	hits, n, err := s.meaning.Search(ctx, question, candidates)
	if tokens += n; err != nil {
		return failed(err)
	}
	return hits, spent, nil
}

// unembedded are the facts that the model has not seen yet. Only who has the turn takes them away.
func (s *shelf) unembedded() []index.Item {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting
}

// embedded takes the first of them away.
func (s *shelf) embedded(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = s.waiting[n:]
}

// worst is what a query may cost at most, to be reserved: what it embeds.
func (b *Base) Worst(question string) (worst budget.Amount) {
	if b.Meaning.Embedder == nil {
		return worst
	}
	worst.Tokens = int64(perQuery*600 + len(question) + 60_000)
	if b.Price != nil {
		worst.MicroUSD = b.Price(worst.Tokens)
	}
	worst.Tokens = min(worst.Tokens, math.MaxInt32)
	return worst
}
