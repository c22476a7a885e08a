package research

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"ibid/budget"
	"ibid/index"
	"ibid/journal"
)

// commons is what the agents of a run have asked of the world, so that none asks again what a sibling has asked or is
// asking. Who was first is decided inside of effects, and stands in their outcomes: what is on record says it, and a replay
// does not ask. A nil commons belongs to an agent that is alone.
type commons struct {
	mu       sync.Mutex
	reads    map[string]*deed // by readKey
	searches []*deed
}

// A deed is one search or read, done or under way.
type deed struct {
	lane  string
	query string
	done  chan struct{}
	body  []byte // set when done is closed; nil: nothing that helps another
}

// newCommons knows what is on record, so that a run that is resumed does not pay for what an agent has read that has not
// come to it again yet.
func newCommons(run *journal.Run) (*commons, error) {
	c := &commons{reads: map[string]*deed{}}
	if run.Replaying() {
		return c, nil
	}
	over := make(chan struct{})
	close(over)
	err := run.Outcomes("search", func(k journal.Key, body []byte) error {
		var out searched
		if json.Unmarshal(body, &out) == nil && out.Query != "" && out.By == "" && out.helps() {
			c.searches = append(c.searches, &deed{laneOf(k), out.Query, over, body})
		}
		return nil
	})
	for _, kind := range []string{"fetch", "render"} {
		if err != nil {
			break
		}
		err = run.Outcomes(kind, func(k journal.Key, body []byte) error {
			var out fetched
			if json.Unmarshal(body, &out) == nil && out.Key != "" && out.By == "" {
				c.reads[out.Key] = &deed{laneOf(k), "", over, body}
			}
			return nil
		})
	}
	return c, err
}

func laneOf(k journal.Key) string {
	lane, _, _ := strings.Cut(string(k), "/")
	return lane
}

// share performs a deed, or waits for a sibling's that is as good and returns its outcome, and who that was. find returns
// that deed or nil, and add notes a new one; both are called with c locked. One whom a sibling's deed does not help does it
// itself. helps says whether an outcome is one for others, too.
func (c *commons) share(ctx context.Context, lane, query string, find func() *deed, add func(*deed), helps func([]byte) bool,
	perform func() ([]byte, budget.Amount, error)) (body []byte, spent budget.Amount, by string, err error) {
	for {
		c.mu.Lock()
		other := find()
		if other == nil {
			break
		}
		c.mu.Unlock()
		select {
		case <-other.done:
		case <-ctx.Done():
			return nil, budget.Amount{}, "", context.Cause(ctx)
		}
		if other.body != nil {
			return other.body, budget.Amount{}, other.lane, nil
		}
	}
	mine := &deed{lane: lane, query: query, done: make(chan struct{})}
	add(mine)
	c.mu.Unlock()
	defer close(mine.done)
	body, spent, err = perform()
	if err == nil && helps(body) {
		mine.body = body
	}
	return body, spent, "", err
}

// useful says whether a deed of another lane is worth waiting for: it is under way, or it helps.
func (d *deed) useful(lane string) bool {
	if d == nil || d.lane == lane {
		return false
	}
	select {
	case <-d.done:
		return d.body != nil
	default:
		return true
	}
}

// search makes a search that no sibling has made (TOOLS-12 across a team).
func (c *commons) search(ctx context.Context, lane, query string, perform func() ([]byte, budget.Amount, error)) ([]byte, budget.Amount, error) {
	if c == nil {
		return perform()
	}
	body, spent, by, err := c.share(ctx, lane, query, func() *deed {
		for _, d := range c.searches {
			if d.useful(lane) && index.SameQuery(d.query, query) {
				return d
			}
		}
		return nil
	}, func(d *deed) { c.searches = append(c.searches, d) }, func(body []byte) bool {
		var out searched
		return json.Unmarshal(body, &out) == nil && out.helps()
	}, func() ([]byte, budget.Amount, error) {
		body, spent, err := perform()
		return marked(body, spent, err, func(out *searched) { out.Query = query })
	})
	return marked(body, spent, err, func(out *searched) { out.By = by })
}

// read reads what no sibling has read. A page that could not be had is no better for another (TOOLS-13).
func (c *commons) read(ctx context.Context, lane, key string, perform func() ([]byte, budget.Amount, error)) ([]byte, budget.Amount, error) {
	if c == nil {
		return perform()
	}
	body, spent, by, err := c.share(ctx, lane, "", func() *deed {
		if d := c.reads[key]; d.useful(lane) {
			return d
		}
		return nil
	}, func(d *deed) { c.reads[key] = d }, func([]byte) bool { return true }, perform)
	return marked(body, spent, err, func(out *fetched) { out.Key, out.By = key, by })
}

// marked changes an outcome, if there is one.
func marked[T any](body []byte, spent budget.Amount, err error, mark func(*T)) ([]byte, budget.Amount, error) {
	var out T
	if err == nil {
		err = json.Unmarshal(body, &out)
	}
	if err != nil {
		return nil, spent, err
	}
	mark(&out)
	return toJSON(out), spent, nil
}
