package runs

import (
	"context"
	"encoding/json"
	"io"
	"iter"

	"ibid/agent"
	"ibid/budget"
	"ibid/gate"
	"ibid/journal"
	"ibid/research"
)

// A Service is what a face lets one user do with runs: the command line, the API, other agents. A Desk does it here; the
// client of a server does it there. Runs of others are not found, as if there were none. Errors are *Error.
type Service interface {
	Runs
	Reports
	Deciding
}

// Runs is a run's life.
type Runs interface {
	Start(ctx context.Context, r Request) (journal.Info, error) // queued, for a worker
	List(ctx context.Context, p Page) ([]journal.Info, error)   // the newest first, without their configurations
	Show(ctx context.Context, id string) (Shown, error)
	Stop(ctx context.Context, id string) error   // answers with what it has (LOOP-8)
	Cancel(ctx context.Context, id string) error // ends without an answer
	Resume(ctx context.Context, id string) error // queues a run that is parked or interrupted
	Fork(ctx context.Context, id string, c Change) (journal.Info, error)
	Delete(ctx context.Context, id string) error

	// Events gives what is on record after a sequence number and, if follow, what comes, until the run is over or parked.
	Events(ctx context.Context, id string, after int64, follow bool) iter.Seq2[journal.Event, error]
}

// Reports is what came of a run.
type Reports interface {
	Report(ctx context.Context, id, form string) ([]byte, error)   // in one of Forms, checked
	Replay(ctx context.Context, id, system string) ([]byte, error) // the report as Markdown, from the record alone
	Compare(ctx context.Context, a, b string) (Comparison, error)
	Findings(ctx context.Context, id string) (Findings, error)
	Reject(ctx context.Context, id, finding, reason string) error // the report is made again without it
	Accept(ctx context.Context, id, finding, reason string) error // likewise with it, though rules block it
	Undo(ctx context.Context, id, finding, reason string) error   // what was said by either
	Export(ctx context.Context, id string, w io.Writer) error     // the whole journal, as JSON Lines
	Pack(ctx context.Context, id string) ([]byte, error)          // one file that anybody can check
}

// Deciding is what waits for a person.
type Deciding interface {
	Gates(ctx context.Context, run string, all bool) ([]journal.Pending, error) // of one run, or of all for ""
	Gate(ctx context.Context, id string) (journal.Pending, error)
	Answer(ctx context.Context, id string, a gate.Answer) (journal.Pending, error)

	// EditPlan puts another plan in the place of one that waits for a yes; seen is the hash of what was changed, "" for
	// whatever stands there. A yes is then to this plan, and it is followed.
	EditPlan(ctx context.Context, id, seen string, plan json.RawMessage) (journal.Pending, error)
}

// A Request is what a user asks of a new run. What is left out is as the configuration of the machine that runs it says;
// folders and files of that machine are its own matter and no part of a request.
type Request struct {
	Question string   `json:"question"`
	Model    string   `json:"model,omitempty"`  // provider/model, or extractive
	Judge    string   `json:"judge,omitempty"`  // a model
	Search   []string `json:"search,omitempty"` // providers
	Tier     string   `json:"tier,omitempty"`   // auto, quick, standard, deep
	Team     string   `json:"team,omitempty"`   // a number, or auto

	MaxSteps    int64   `json:"max_steps,omitempty"` // 0: the tier's, as with all limits
	MaxSearches int64   `json:"max_searches,omitempty"`
	MaxReads    int64   `json:"max_reads,omitempty"`
	MaxTokens   int64   `json:"max_tokens,omitempty"`
	MaxSeconds  float64 `json:"max_seconds,omitempty"`
	MaxCost     float64 `json:"max_cost,omitempty"` // dollars

	Approve    string   `json:"approve,omitempty"` // auto, deny, durable, plan
	AskPlan    bool     `json:"ask_plan,omitempty"`
	AskAfter   *int64   `json:"ask_after,omitempty"` // reads
	AskAbove   float64  `json:"ask_above,omitempty"` // dollars
	AllowHosts []string `json:"allow_hosts,omitempty"`
	Render     string   `json:"render,omitempty"` // never, ask, allow
	OCR        string   `json:"ocr,omitempty"`    // never, allow
	Tags       []string `json:"tags,omitempty"`   // what its costs are counted under

	Key   string `json:"-"` // idempotency: a second request with the same key is the first
	Trace string `json:"-"` // the traceparent of the request (W3C Trace Context), or ""
}

// A Page asks for part of a list.
type Page struct {
	Limit int           // 1 to MaxPage; 0 means 20
	After string        // the run that ended the page before; "" begins
	State journal.State // "" means any
}

// MaxPage is the most runs of one page.
const MaxPage = 200

// Shown is a run with what it has spent, and how it ended.
type Shown struct {
	journal.Info
	Totals  budget.Amount   `json:"totals"`
	Agents  int             `json:"agents"`   // that were spawned
	Doubts  []string        `json:"in_doubt"` // what a crash left without an outcome, charged at its worst case
	Shape   *research.Shape `json:"shape,omitempty"`
	Ended   agent.Stop      `json:"ended,omitempty"`
	Waiting int             `json:"waiting,omitempty"` // questions that wait for a person
}
