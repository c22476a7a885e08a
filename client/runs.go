package client

import (
	"context"
	"encoding/json"
	"ibid/gate"
	"ibid/journal"
	"ibid/runs"
	"io"
	"net/http"
	"net/url"
	"strconv"
)

func keyed(key string) http.Header {
	if key == "" {
		return nil
	}
	return http.Header{"Idempotency-Key": {key}}
}

// Start asks for a new run.
func (c *Client) Start(ctx context.Context, r runs.Request) (journal.Info, error) {
	return ask[journal.Info](ctx, c, call{method: "POST", path: []string{"runs"}, body: r, header: keyed(r.Key)})
}

// List lists the user's runs.
func (c *Client) List(ctx context.Context, p runs.Page) ([]journal.Info, error) {
	query := url.Values{}
	for name, value := range map[string]string{"after": p.After, "state": string(p.State)} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if p.Limit != 0 {
		query.Set("limit", strconv.Itoa(p.Limit))
	}
	page, err := ask[struct {
		Runs []journal.Info `json:"runs"`
	}](ctx, c, call{method: "GET", path: []string{"runs"}, query: query})
	return page.Runs, err
}

// Show says how a run stands.
func (c *Client) Show(ctx context.Context, id string) (runs.Shown, error) {
	return ask[runs.Shown](ctx, c, call{method: "GET", path: []string{"runs", id}})
}

// Stop asks a run to answer with what it has.
func (c *Client) Stop(ctx context.Context, id string) error { return c.wish(ctx, id, "stop") }

// Cancel ends a run without an answer.
func (c *Client) Cancel(ctx context.Context, id string) error { return c.wish(ctx, id, "cancel") }

// Resume queues a run that is parked or interrupted.
func (c *Client) Resume(ctx context.Context, id string) error { return c.wish(ctx, id, "resume") }

func (c *Client) wish(ctx context.Context, id, what string) error {
	_, err := c.bytes(ctx, call{method: "POST", path: []string{"runs", id, what}})
	return err
}

// Fork starts a run over the evidence of another.
func (c *Client) Fork(ctx context.Context, id string, change runs.Change) (journal.Info, error) {
	return ask[journal.Info](ctx, c, call{method: "POST", path: []string{"runs", id, "fork"}, body: change, header: keyed(change.Key)})
}

// Delete removes a run.
func (c *Client) Delete(ctx context.Context, id string) error {
	_, err := c.bytes(ctx, call{method: "DELETE", path: []string{"runs", id}})
	return err
}

// Report gives a report in one of its forms.
func (c *Client) Report(ctx context.Context, id, form string) ([]byte, error) {
	return c.bytes(ctx, call{method: "GET", path: []string{"runs", id, "report"}, query: url.Values{"form": {form}}})
}

// Replay runs a run again from its record.
func (c *Client) Replay(ctx context.Context, id, system string) ([]byte, error) {
	return c.bytes(ctx, call{method: "POST", path: []string{"runs", id, "replay"}, body: struct {
		System string `json:"system,omitempty"`
	}{system}})
}

// Compare sets two runs side by side.
func (c *Client) Compare(ctx context.Context, a, b string) (runs.Comparison, error) {
	return ask[runs.Comparison](ctx, c, call{method: "GET", path: []string{"runs", a, "compare"}, query: url.Values{"with": {b}}})
}

// Findings lists what a run found, and what it was not allowed to record.
func (c *Client) Findings(ctx context.Context, id string) (runs.Findings, error) {
	return ask[runs.Findings](ctx, c, call{method: "GET", path: []string{"runs", id, "findings"}})
}

// Reject takes a finding out of a report.
func (c *Client) Reject(ctx context.Context, id, finding, reason string) error {
	return c.say(ctx, id, finding, "reject", reason)
}

// Accept takes a finding that rules block into a report.
func (c *Client) Accept(ctx context.Context, id, finding, reason string) error {
	return c.say(ctx, id, finding, "accept", reason)
}

// Undo takes back what was said of a finding by either.
func (c *Client) Undo(ctx context.Context, id, finding, reason string) error {
	return c.say(ctx, id, finding, "undo", reason)
}

func (c *Client) say(ctx context.Context, id, finding, what, reason string) error {
	_, err := c.bytes(ctx, call{method: "POST", path: []string{"runs", id, "findings", finding, what}, body: struct {
		Reason string `json:"reason"`
	}{reason}})
	return err
}

// Export writes a run's whole journal.
func (c *Client) Export(ctx context.Context, id string, w io.Writer) error {
	resp, err := c.send(ctx, call{method: "GET", path: []string{"runs", id, "journal"}})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(w, resp.Body); err != nil {
		return &runs.Error{Code: runs.Internal, Message: "reading the run's journal", Err: err, Hint: "What was written is not whole. Ask again."}
	}
	return nil
}

// Pack gives a run as one file that anybody can check.
func (c *Client) Pack(ctx context.Context, id string) ([]byte, error) {
	return c.bytes(ctx, call{method: "GET", path: []string{"runs", id, "bundle"}})
}

// Gates lists what waits for a person.
func (c *Client) Gates(ctx context.Context, run string, all bool) ([]journal.Pending, error) {
	query := url.Values{}
	if run != "" {
		query.Set("run", run)
	}
	if all {
		query.Set("all", "true")
	}
	list, err := ask[struct {
		Gates []journal.Pending `json:"gates"`
	}](ctx, c, call{method: "GET", path: []string{"gates"}, query: query})
	return list.Gates, err
}

// Gate shows what one gate asks.
func (c *Client) Gate(ctx context.Context, id string) (journal.Pending, error) {
	return ask[journal.Pending](ctx, c, call{method: "GET", path: []string{"gates", id}})
}

// Answer decides a gate. Where the person names nothing that they saw, it is what stands there now.
func (c *Client) Answer(ctx context.Context, id string, a gate.Answer) (journal.Pending, error) {
	var err error
	if a.Seen, err = c.seen(ctx, id, a.Seen); err != nil {
		return journal.Pending{}, err
	}
	return ask[journal.Pending](ctx, c, call{method: "POST", path: []string{"gates", id, "decision"}, body: a})
}

// EditPlan changes a plan that waits for a yes.
func (c *Client) EditPlan(ctx context.Context, id, seen string, plan json.RawMessage) (journal.Pending, error) {
	seen, err := c.seen(ctx, id, seen)
	if err != nil {
		return journal.Pending{}, err
	}
	if !json.Valid(plan) {
		return journal.Pending{}, &runs.Error{Code: runs.Invalid, Message: "the plan is not JSON"}
	}
	return ask[journal.Pending](ctx, c, call{method: "PUT", path: []string{"gates", id, "plan"}, header: http.Header{"If-Match": {`"` + seen + `"`}}, body: struct {
		Plan json.RawMessage `json:"plan"`
	}{plan}})
}

func (c *Client) seen(ctx context.Context, id, seen string) (string, error) {
	if seen != "" {
		return seen, nil
	}
	p, err := c.Gate(ctx, id)
	return p.Hash, err
}
