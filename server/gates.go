package server

import (
	"encoding/json"
	"errors"

	"ibid/gate"
	"ibid/journal"
)

// Waiting is what waits for a person, or was decided.
type Waiting struct {
	Gates []journal.Pending `json:"gates"`
}

// A Decision answers a gate. The hash is that of what was shown, so that nothing else is decided on.
type Decision struct {
	Allow  *bool  `json:"allow"`
	Hash   string `json:"hash"`
	Reason string `json:"reason,omitempty"`
}

// A Plan takes the place of one that waits for a yes.
type Plan struct {
	Plan json.RawMessage `json:"plan"` // the arguments of the gate, edited
}

func (c *call) gates() (Waiting, error) {
	list, err := c.desk.Gates(c.ctx, c.param("run"), c.yes("all"))
	return Waiting{append([]journal.Pending{}, list...)}, err
}

func (c *call) gate() (journal.Pending, error) { return c.tagged(c.desk.Gate(c.ctx, c.path("gate"))) }

// tagged gives a gate with the hash of what it asks as its ETag.
func (c *call) tagged(p journal.Pending, err error) (journal.Pending, error) {
	if err == nil {
		c.w.Header().Set("ETag", `"`+p.Hash+`"`)
	}
	return p, changed(err)
}

// changed tells that something else stands there by now as what HTTP has for it.
func changed(err error) error {
	if errors.Is(err, journal.ErrChanged) {
		return refuse(problemChanged, "Read the gate again, and decide on what it asks.", "the gate asks for something else than what was seen")
	}
	return err
}

// maxReason is in bytes, as for rejected findings.
const maxReason = 2000

func (c *call) decide(d Decision) (journal.Pending, error) {
	switch {
	case d.Allow == nil:
		return journal.Pending{}, invalid("allow: say true or false")
	case d.Hash == "":
		return journal.Pending{}, invalid("hash: repeat the hash of the gate that was shown; the decision is bound to it")
	case len(d.Reason) > maxReason:
		return journal.Pending{}, invalid("reason: it has %d bytes; %d is the limit", len(d.Reason), maxReason)
	}
	p, err := c.tagged(c.desk.Answer(c.ctx, c.path("gate"), gate.Answer{Allow: *d.Allow, Reason: d.Reason, Seen: d.Hash}))
	if err == nil {
		c.log.Info("a gate was decided", "run", p.Request.Run, "gate", p.ID, "allowed", *d.Allow)
	}
	return p, err
}

// edit changes a plan that waits for a yes. If-Match says which plan was seen.
func (c *call) edit(p Plan) (journal.Pending, error) {
	seen := c.param("If-Match")
	if len(seen) < 3 || seen[0] != '"' || seen[len(seen)-1] != '"' {
		return journal.Pending{}, refuse(problemUnseen, "Send the ETag of the gate as If-Match.", "a plan is changed by who has seen it")
	}
	return c.tagged(c.desk.EditPlan(c.ctx, c.path("gate"), seen[1:len(seen)-1], p.Plan))
}
