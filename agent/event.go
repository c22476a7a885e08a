package agent

import (
	"time"

	"ibid/budget"
	"ibid/llm"
)

// Event kinds that observers see, as they happen (LOOP-6).
const (
	BeforeModel = "model.before"
	AfterModel  = "model.after"
	BeforeTool  = "tool.before"
	AfterTool   = "tool.after"
	Gated       = "gate"
	OverBudget  = "budget"
	Closing     = "closing"
	Retrying    = "model.retry"
	Stalling    = "stalling" // nothing new for some steps
	Spawned     = "agent.before"
	Ended       = "agent.after"
	Elided      = "context.elided"
	Compacting  = "context.compacting"
	Compacted   = "context.compacted"
	Bounds      = "bounds" // what the run may take, told when it begins
)

// An Event is one thing that happened in a loop. Observers may be called from several goroutines at once.
type Event struct {
	Kind  string        `json:"kind"`
	Lane  string        `json:"lane"`
	Step  int           `json:"step"`
	Key   string        `json:"key,omitempty"` // position in the journal
	Tool  string        `json:"tool,omitempty"`
	Text  string        `json:"text,omitempty"` // arguments, result, reason
	Error bool          `json:"error,omitempty"`
	Took  time.Duration `json:"took,omitempty"`
	Spent budget.Amount `json:"spent"`

	Model    string     `json:"model,omitempty"`    // that answered
	Usage    *llm.Usage `json:"usage,omitempty"`    // of a model's answer
	Recorded bool       `json:"recorded,omitempty"` // it was done before and is served from the journal: nothing is spent again
}

// Stop is why a loop ended (LOOP-7).
type Stop string

const (
	StopDone      Stop = "done"
	StopAsked     Stop = "stopped"        // the user wants the answer now (LOOP-8)
	StopStalled   Stop = "stalled"        // nothing new for several steps
	StopCancelled Stop = "cancelled"      // the user wants no answer
	StopFailed    Stop = "failed"         // the model kept failing
	StopRefused   Stop = "refused"        // the model declined to answer
	StopFull      Stop = "budget:context" // the conversation no longer fits the model's window
	StopParked    Stop = "parked"         // a gate waits for a person
)

// OverBudgetStop is the stop reason of a spent currency: budget:steps.
func OverBudgetStop(c budget.Currency) Stop { return Stop("budget:" + string(c)) }

// Complete says whether the work ended by itself, so that nothing was left out for want of budget or time.
func (s Stop) Complete() bool { return s == StopDone }
