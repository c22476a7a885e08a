package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"ibid/store"
)

// lane is the last request of one kind of one agent, which the next one goes on from.
type lane struct {
	seq   int64
	body  []byte
	depth int // deltas since the last whole body
}

// laneOf names a lane: requests of one kind by one agent.
func laneOf(e Effect) string { return e.Key.lane() + "\x00" + e.Kind }

// keyFrame is how many requests in a row may be stored as deltas, with the whole one they begin from: a damaged one costs
// no more than these, and an old one is rebuilt through no more than these.
const keyFrame = 16

// worthwhile is from how many bytes on a request is stored as a delta, or a rest serves as a dictionary.
const worthwhile = 1024

// remember keeps a recorded request as the base of the lane's next.
func (r *Run) remember(e Effect, rec *record, body []byte) {
	if len(body) < worthwhile {
		return
	}
	r.mu.Lock()
	r.lanes[laneOf(e)] = lane{rec.seq, body, rec.depth}
	r.mu.Unlock()
}

// packedRequest is the stored form of a request: what follows the first same bytes of the request of event base.
type packedRequest struct {
	sha              string
	base, same, size int64 // base 0: whole
	packed           []byte
	depth            int
}

// packRequest packs a request. An agent's request resends the conversation: it is stored as what comes after the part it
// has in common with the one before, so that the journal grows with what is new (JOURNAL-5). What was cut away there is
// the dictionary: after an elision most of it comes again.
func (r *Run) packRequest(e Effect, request []byte) (p packedRequest, err error) {
	if len(request) > store.MaxBody {
		return p, fmt.Errorf("journal: the request of %s has %d bytes; %d is the limit", e.Key, len(request), store.MaxBody)
	}
	r.mu.Lock()
	base := r.lanes[laneOf(e)]
	r.mu.Unlock()
	var dict []byte
	if base.seq != 0 && base.depth < keyFrame-1 && len(request) >= worthwhile {
		same := commonPrefix(base.body, request)
		for same > 0 && same < len(request) && !utf8.RuneStart(request[same]) { // so that an export can show the rest as text
			same--
		}
		p.base, p.same, p.depth = base.seq, int64(same), base.depth+1
		dict = dictionary(base.body[same:])
	}
	p.packed, err = store.Compress(dict, request[p.same:])
	return p, err
}

// dictionary is the rest of a base, where it is long enough to be worth it.
func dictionary(rest []byte) []byte {
	if len(rest) < worthwhile {
		return nil
	}
	return rest
}

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := 0; i < n; i += 4096 {
		end := min(i+4096, n)
		if !bytes.Equal(a[i:end], b[i:end]) {
			for a[i] == b[i] {
				i++
			}
			return i
		}
	}
	return n
}

// errChain says that a request cannot be rebuilt.
var errChain = errors.New("its chain of deltas is broken")

// chain rebuilds requests from their stored forms. It remembers the last large one, which the next often goes on from.
type chain struct {
	find func(seq int64) (packedRequest, error)
	seq  int64
	body []byte
}

// request returns the request of event seq, or nil if it has none. It is not to be changed.
func (c *chain) request(seq int64) ([]byte, error) {
	body, err := c.unpack(seq, keyFrame)
	if err == nil && len(body) >= worthwhile {
		c.seq, c.body = seq, body
	}
	return body, err
}

func (c *chain) unpack(seq int64, depth int) ([]byte, error) {
	if seq == c.seq && seq != 0 {
		return c.body, nil
	}
	p, err := c.find(seq)
	if err != nil || p.sha == "" {
		return nil, err
	}
	var head, dict []byte
	if p.base != 0 {
		if depth == 0 || p.base >= seq {
			return nil, errChain
		}
		before, err := c.unpack(p.base, depth-1)
		if err != nil {
			return nil, err
		}
		if p.same < 0 || p.same > int64(len(before)) || p.same > p.size {
			return nil, errChain
		}
		head, dict = before[:p.same:p.same], dictionary(before[p.same:])
	}
	rest, err := store.Decompress(dict, p.packed, p.size-p.same)
	if err != nil {
		return nil, err
	}
	body := append(head, rest...)
	if store.Hash(body) != p.sha {
		return nil, errDamaged
	}
	return body, nil
}

// requests is the chain of a run in the database.
func requests(ctx context.Context, q querier, id string) *chain {
	return &chain{find: func(seq int64) (p packedRequest, err error) {
		err = q.QueryRowContext(ctx, `SELECT request_sha, request_base, request_same, request_size, request FROM event WHERE run = $1 AND seq = $2`, id, seq).
			Scan(&p.sha, &p.base, &p.same, &p.size, &p.packed)
		return p, err
	}}
}

// Request returns an event's request, exactly as it was sent; a note has none.
func (j *Journal) Request(ctx context.Context, id string, seq int64) ([]byte, error) {
	body, err := requests(ctx, j.db, id).request(seq)
	if err != nil {
		return nil, fmt.Errorf("journal: the request of event %d of run %s: %w", seq, id, err)
	}
	return body, nil
}
