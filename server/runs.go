package server

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strconv"

	"ibid/budget"
	"ibid/journal"
	"ibid/runs"
)

// A List is a page of runs.
type List struct {
	Runs []journal.Info `json:"runs"`
	Next string         `json:"next,omitempty"` // ?after= of the page after it
}

// shown is a run's row as it is told: not who holds it and where.
func shown(i journal.Info) journal.Info {
	i.Config, i.LeaseOwner = nil, ""
	return i
}

func (c *call) start(r runs.Request) (journal.Info, error) {
	key, err := c.key()
	if err != nil {
		return journal.Info{}, err
	}
	r.Key, r.Trace = key, givenTrace(c.r)
	return c.begun(c.desk.Start(c.ctx, r))
}

// key is what makes requests one.
func (c *call) key() (string, error) {
	key := c.param("Idempotency-Key")
	if len(key) > 200 || printable(key) != key {
		return "", invalid("an Idempotency-Key has at most 200 printable characters")
	}
	return key, nil
}

// begun tells where a new run is.
func (c *call) begun(info journal.Info, err error) (journal.Info, error) {
	if err == nil {
		c.w.Header().Set("Location", "/v1/runs/"+info.ID)
		c.log.Info("a run was asked for", "run", info.ID)
	}
	return shown(info), err
}

func (c *call) list() (List, error) {
	limit := cmp.Or(c.number("limit"), 20)
	list, err := c.desk.List(c.ctx, runs.Page{Limit: limit, After: c.param("after"), State: journal.State(c.param("state"))})
	if err != nil {
		return List{}, err
	}
	page := List{Runs: list}
	for i := range list {
		list[i] = shown(list[i])
	}
	if len(list) == limit {
		page.Next = list[limit-1].ID
		query := url.Values{"after": {page.Next}, "limit": {strconv.Itoa(limit)}}
		if s := c.param("state"); s != "" {
			query.Set("state", s)
		}
		c.link(query)
	}
	return page, nil
}

func (c *call) show() (runs.Shown, error) {
	s, err := c.desk.Show(c.ctx, c.path("run"))
	s.Info = shown(s.Info)
	if s.Doubts == nil {
		s.Doubts = []string{}
	}
	return s, err
}

// ask passes a wish on and tells how the run stands then.
func (c *call) ask(do func() error) (journal.Info, error) {
	if err := do(); err != nil {
		return journal.Info{}, err
	}
	info, err := c.desk.Info(c.ctx, c.path("run"))
	return shown(info), err
}

func (c *call) stop() (journal.Info, error) {
	return c.ask(func() error { return c.desk.Stop(c.ctx, c.path("run")) })
}

func (c *call) cancel() (journal.Info, error) {
	return c.ask(func() error { return c.desk.Cancel(c.ctx, c.path("run")) })
}

func (c *call) resume() (journal.Info, error) {
	return c.ask(func() error { return c.desk.Resume(c.ctx, c.path("run")) })
}

func (c *call) erase() error { return c.desk.Delete(c.ctx, c.path("run")) }

func (c *call) fork(change runs.Change) (journal.Info, error) {
	if change.Limits != nil && !sane(*change.Limits) {
		return journal.Info{}, invalid("limits: one is negative")
	}
	if change.At < 0 {
		return journal.Info{}, invalid("at: a step has a number from 1")
	}
	key, err := c.key()
	if err != nil {
		return journal.Info{}, err
	}
	change.Key, change.Trace = key, givenTrace(c.r)
	return c.begun(c.desk.Fork(c.ctx, c.path("run"), change))
}

func sane(l budget.Limits) bool {
	return l.Steps >= 0 && l.Searches >= 0 && l.Reads >= 0 && l.Tokens >= 0 && l.Millis >= 0 && l.MicroUSD >= 0
}

// A Prompt is another system prompt; "" is the recorded one.
type Prompt struct {
	System string `json:"system,omitempty"`
}

func (c *call) replay() error {
	p, err := decode[Prompt](c)
	if err != nil {
		return err
	}
	text, err := c.desk.Replay(c.ctx, c.path("run"), p.System)
	if err != nil {
		return err
	}
	c.w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
	_, err = c.w.Write(text)
	return err
}

func (c *call) compare() (runs.Comparison, error) {
	with := c.param("with")
	if with == "" {
		return runs.Comparison{}, invalid("with: name the run to compare with")
	}
	return c.desk.Compare(c.ctx, c.path("run"), with)
}

// A Reason is why something is done.
type Reason struct {
	Reason string `json:"reason"`
}

func (c *call) reject(r Reason) (runs.Findings, error) { return c.say(c.desk.Reject, r) }

func (c *call) accept(r Reason) (runs.Findings, error) { return c.say(c.desk.Accept, r) }

func (c *call) undo(r Reason) (runs.Findings, error) { return c.say(c.desk.Undo, r) }

func (c *call) say(it func(ctx context.Context, id, finding, reason string) error, r Reason) (runs.Findings, error) {
	if err := it(c.ctx, c.path("run"), c.path("finding"), r.Reason); err != nil {
		return runs.Findings{}, err
	}
	return c.findings()
}

func (c *call) export() error {
	id := c.path("run")
	if _, err := c.desk.Info(c.ctx, id); err != nil { // before anything is written
		return err
	}
	c.attach(id+".jsonl", "application/jsonl")
	return c.desk.Export(c.ctx, id, c.w)
}

func (c *call) pack() error {
	id := c.path("run")
	data, err := c.desk.Pack(c.ctx, id)
	if err != nil {
		return err
	}
	c.attach(id+".wacz", "application/wacz")
	_, err = c.w.Write(data)
	return err
}

// attach makes the answer a file.
func (c *call) attach(name, kind string) {
	h := c.w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", fileName(name)))
}

// Health is a sign of life.
type Health struct {
	Status string `json:"status"`
}

func (c *call) healthy() (Health, error) { return Health{"ok"}, nil }

func (c *call) ready() (Health, error) {
	select {
	case <-c.closing:
		return Health{}, refuse(problemBusy, "", "the server is going down").after(5)
	default:
	}
	if c.config.Ready != nil {
		if err := c.config.Ready(c.ctx); err != nil {
			c.log.Warn("not ready", "error", err.Error())
			return Health{}, refuse(problemBusy, "Its log says why.", "the server is not ready").after(5)
		}
	}
	return Health{"ready"}, nil
}

// fileName keeps of a name what every system takes for one.
func fileName(name string) string {
	b := []byte(name)
	for i, ch := range b {
		if !(ch >= 'a' && ch <= 'z' || ch >= 'A' && ch <= 'Z' || ch >= '0' && ch <= '9' || ch == '.' && i > 0 || ch == '-' || ch == '_') {
			b[i] = '-'
		}
	}
	return string(b)
}
