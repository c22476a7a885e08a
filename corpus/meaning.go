package corpus

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"ibid/index"
)

// perSearch is how many documents are embedded during one search at most. With more, searches go by words alone until the
// later ones have embedded all.
const perSearch = 1024

// openingBytes is what is kept of a document until it is embedded; a Meaning reads no more of it.
const openingBytes = 8 << 10

// Embeddings lets a library search by meaning too.
type Embeddings struct {
	index.MeaningConfig
	Name  string                   // of the model, for people
	Price func(tokens int64) int64 // in millionths of a dollar; nil: free, or not known
	Say   func(what string)        // tells the user whether the model is used, once; nil: nobody is told
}

// understanding is how far a library is with its embeddings. A model that fails or is weak is not asked again.
type understanding struct {
	*Embeddings
	turn chan struct{} // held by who embeds

	mu      sync.Mutex
	waiting []index.Item // not embedded yet
	meaning *index.Meaning
	tried   bool
	refused bool
}

func newUnderstanding(e *Embeddings) *understanding {
	if e == nil {
		return nil
	}
	return &understanding{Embeddings: e, turn: make(chan struct{}, 1), meaning: index.NewMeaning(e.MeaningConfig)}
}

// expect notes items that are to be embedded.
func (u *understanding) expect(items []index.Item) {
	if u == nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, it := range items {
		it.Body = strings.Clone(it.Body[:min(len(it.Body), openingBytes)])
		u.waiting = append(u.waiting, it)
	}
}

// search finds by meaning, and says what it cost. It finds nothing as long as there is something to embed, or if the model
// is weak or fails: then words alone do. Only a cancelled context is an error.
func (u *understanding) search(ctx context.Context, query string, n int) (hits []index.Hit, microUSD int64, err error) {
	if u == nil {
		return nil, 0, nil
	}
	tokens, ready, err := u.prepare(ctx)
	if ready && err == nil {
		var more int64
		hits, more, err = u.meaning.Search(ctx, query, n)
		tokens += more
	}
	if err != nil && ctx.Err() == nil {
		u.refuse(fmt.Sprintf("embeddings: %s failed, so words alone decide: %v", u.Name, err))
	}
	if u.Price != nil {
		microUSD = u.Price(tokens)
	}
	return hits, microUSD, ctx.Err()
}

// prepare embeds what waits, and tries the model when all is there. One caller does it at a time.
func (u *understanding) prepare(ctx context.Context) (tokens int64, ready bool, err error) {
	select {
	case u.turn <- struct{}{}:
		defer func() { <-u.turn }()
	case <-ctx.Done():
		return 0, false, ctx.Err()
	}
	if u.off() {
		return 0, false, nil
	}
	for left := perSearch; left > 0; {
		batch := u.next(min(left, chunk))
		if len(batch) == 0 {
			break
		}
		n, err := u.meaning.Add(ctx, batch...)
		if tokens += n; err != nil {
			u.restore(batch)
			return tokens, false, err
		}
		left -= len(batch)
	}
	if u.left() > 0 || u.tried {
		return tokens, u.tried, nil
	}
	trial, n, err := u.meaning.Try(ctx)
	if tokens += n; err != nil {
		return tokens, false, err
	}
	if u.tried = true; !trial.Passed() {
		u.refuse(fmt.Sprintf("embeddings: %s is too weak here, so words alone decide: %v", u.Name, trial))
		return tokens, false, nil
	}
	u.say(fmt.Sprintf("embeddings: %s is used beside words: %v", u.Name, trial))
	return tokens, true, nil
}

// next takes items from those that wait.
func (u *understanding) next(n int) []index.Item {
	u.mu.Lock()
	defer u.mu.Unlock()
	batch := u.waiting[:min(n, len(u.waiting))]
	u.waiting = u.waiting[len(batch):]
	return batch
}

func (u *understanding) restore(batch []index.Item) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.waiting = append(slices.Clip(batch), u.waiting...)
}

func (u *understanding) left() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.waiting)
}

func (u *understanding) off() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.refused
}

func (u *understanding) refuse(why string) {
	u.mu.Lock()
	again := u.refused
	u.refused, u.waiting = true, nil
	u.mu.Unlock()
	if !again {
		u.say(why)
	}
}

func (u *understanding) say(what string) {
	if u.Say != nil {
		u.Say(what)
	}
}
