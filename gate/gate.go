// Package gate decides, in code and before an action, whether a person must say yes, and asks. The policy (is a person
// needed?) and the approver (what do they say?) are separate (GATE-1).
package gate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
)

// A Request is one action that wants a decision. Args are the exact arguments; an approval is bound to their hash and
// to nothing else (GATE-2).
type Request struct {
	Run    string          `json:"run"`
	Key    string          `json:"key"`  // position in the run
	Tool   string          `json:"tool"` // what would be done: read_pages, plan …
	Kind   string          `json:"kind"` // of effect: fetch, search, plan, write
	URL    string          `json:"url,omitempty"`
	Args   json.RawMessage `json:"args"`
	Policy string          `json:"policy"` // the rule that asks: path, scope, reads, mutation, plan, spend
	Reason string          `json:"reason"` // why, for the person who decides
}

// Hash binds a decision to the tool and its exact arguments: sha256 over their canonical JSON, hex.
func (r Request) Hash() string {
	var v any
	args := []byte(r.Args)
	if json.Unmarshal(args, &v) == nil {
		if canonical, err := json.Marshal(v); err == nil {
			args = canonical
		}
	}
	sum := sha256.Sum256(append([]byte(r.Tool+"\x00"+r.Policy+"\x00"), args...))
	return hex.EncodeToString(sum[:])
}

// A Decision is an answer, with who gave it and why; both go into the journal.
type Decision struct {
	Allow  bool   `json:"allow"`
	By     string `json:"by"` // auto, console, script, or a user's name
	Reason string `json:"reason,omitempty"`
	Hash   string `json:"hash"` // of the request that was decided
	// Args, if there are any, are what is to be done in the place of what was asked for: a person changed it, and saw this
	// when they decided. Done is then the hash of the request with them.
	Args json.RawMessage `json:"args,omitempty"`
	Done string          `json:"done,omitempty"`
}

// Allows says whether the decision grants a request: it belongs to it, and what was changed is what was seen.
func (d Decision) Allows(r Request) bool {
	return d.Allow && d.Hash == r.Hash() && (d.Args == nil || d.Done == r.With(d.Args).Hash())
}

// With is the request with other arguments.
func (r Request) With(args json.RawMessage) Request {
	r.Args = args
	return r
}

// An Answer is what a person says to a request.
type Answer struct {
	Allow  bool   `json:"allow"`
	By     string `json:"-"`
	Reason string `json:"reason,omitempty"`
	// Seen is the hash of what the person saw; it is refused when something else stands there by now. "": whatever stands
	// there.
	Seen string `json:"hash,omitempty"`
}

// ErrPending is returned by an approver that has stored the request: the run parks, and asks again when it is resumed.
var ErrPending = errors.New("gate: waiting for a decision")

// An Approver answers requests. An approver with no answer left denies; it never grants by default.
type Approver interface {
	Decide(ctx context.Context, r Request) (Decision, error)
}
