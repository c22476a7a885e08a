package research

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"

	"ibid/agent"
	"ibid/budget"
	"ibid/corpus"
	"ibid/gate"
	"ibid/knowledge"
	"ibid/llm"
	"ibid/llm/catalog"
	"ibid/research/prompts"
	"ibid/search"
)

// A Config is what a run was started with. It is stored with the run and never changes: a replay, a resume and a fork
// begin from it.
type Config struct {
	Question       string         `json:"question"`
	Model          string         `json:"model"`
	Researcher     string         `json:"researcher,omitempty"` // the version of the researcher without a model; "": that of runs of before it was pinned
	Endpoint       *Endpoint      `json:"endpoint,omitempty"`   // nil: the model runs in this process
	Price          *catalog.Price `json:"price,omitempty"`      // of the model, as it was when the run began; nil: free, or not known
	Tier           budget.Tier    `json:"tier"`                 // auto: chosen when the run begins, and Closing with it
	Limits         budget.Limits  `json:"limits"`
	Closing        budget.Amount  `json:"closing"`           // set aside for the answer
	Context        *Context       `json:"context,omitempty"` // how the conversation is kept short; nil: all of it is sent each time, as runs of before did
	Policy         gate.Policy    `json:"policy"`
	Approver       string         `json:"approver"`                  // auto, console, deny, durable, plan
	Files          string         `json:"files,omitempty"`           // folder of the user's documents; empty: the bundled corpus
	Corpus         string         `json:"corpus,omitempty"`          // offline corpus folder with an index
	Workspace      string         `json:"workspace,omitempty"`       // folder of the user's that the run may look into, absolute; empty: none, as in runs of before
	Changes        string         `json:"changes,omitempty"`         // of the workspace: ask, allow, never
	Markers        *Markers       `json:"markers,omitempty"`         // what the user has before them in the workspace
	Search         []string       `json:"search,omitempty"`          // providers that are asked, fused; none: local
	SearchPrice    int64          `json:"search_price,omitempty"`    // of one search, in millionths of a dollar
	SearchUnpriced []string       `json:"search_unpriced,omitempty"` // providers whose price is not known
	Prompts        prompts.Set    `json:"prompts"`
	Tags           []string       `json:"tags,omitempty"`      // what its costs are counted under (COST-1)
	Render         string         `json:"render,omitempty"`    // running pages' scripts: never (or ""), ask, allow
	OCR            string         `json:"ocr,omitempty"`       // recognising the text of scanned pages: never (or ""), allow
	Boundary       string         `json:"boundary,omitempty"`  // around text from outside, drawn for this run; a fork keeps it
	Weighed        bool           `json:"weighed,omitempty"`   // claims are held against their quotes; those of runs of before were not
	Rooted         bool           `json:"rooted,omitempty"`    // the report ends with the root over its evidence; runs of before did not
	Conflicts      bool           `json:"conflicts,omitempty"` // findings that do not agree are told when they are recorded, and found by audit/conflict; in runs of before by the words they share
	Worded         bool           `json:"worded,omitempty"`    // words are flagged that a claim adds to its quote; in runs of before they were not looked for
	Judge          *Judge         `json:"judge,omitempty"`     // looks at what the rules flag; nil: nobody does
	Team           *Team          `json:"team,omitempty"`      // agents that the run's agent may spawn; nil: none, as in runs of before
	Told           bool           `json:"told,omitempty"`      // an agent that finds nothing new is told so before it is closed; those of before were not
	Imprints       bool           `json:"imprints,omitempty"`  // the report says who made its sources and when; runs of before did not
	Servers        []Server       `json:"servers,omitempty"`   // other programs' tools, as they were when the run began
	Knowledge      *Knowledge     `json:"knowledge,omitempty"` // a dataset that is asked and added to; nil: none, as in runs of before
	Rejected       []Disowned     `json:"rejected,omitempty"`  // findings that a person rejected in the run that this one was forked from
	Ranked         bool           `json:"ranked,omitempty"`    // of findings that say as much, the report tells that of the better source first; runs of before went by the order of recording
	Carded         bool           `json:"carded,omitempty"`    // the report says what its sources are and counts them by origin; runs of before did not
}

// An Endpoint is how a provider's model is spoken to. It is pinned, since the bytes of a request depend on it. Keys are
// no part of it.
type Endpoint struct {
	Provider catalog.Provider `json:"provider"`
	Model    string           `json:"model"` // as the provider knows it
	Stream   bool             `json:"stream,omitempty"`
}

// New makes a Config for a question from a tier's limits, the default policy and this program's prompts.
func New(question string, tier budget.Tier) (Config, error) {
	question = strings.Join(strings.Fields(question), " ")
	switch {
	case question == "":
		return Config{}, fmt.Errorf("research: there is no question")
	case len(question) > maxQuestion:
		return Config{}, fmt.Errorf("research: the question is %d bytes long; %d is the limit", len(question), maxQuestion)
	}
	var limits budget.Limits // of the automatic tier: what the user sets, and nothing else
	if tier != budget.Auto {
		var err error
		if limits, err = tier.Limits(); err != nil {
			return Config{}, err
		}
	}
	return Config{Question: question, Boundary: strings.ToLower(rand.Text()[:10]), Tier: tier, Limits: limits, Closing: tier.Closing(),
		Policy: gate.Default(), Approver: "auto", Prompts: prompts.Default(), Worded: true,
		Weighed: true, Imprints: true, Rooted: true, Conflicts: true, Carded: true, Ranked: true, Context: newContext(), Team: defaultTeam(), Told: true}, nil
}

// maxQuestion is in bytes: a question, not a document.
const maxQuestion = 4000

// ParseConfig reads a stored Config.
func ParseConfig(stored json.RawMessage) (Config, error) {
	var c Config
	if err := json.Unmarshal(stored, &c); err != nil {
		return Config{}, fmt.Errorf("research: reading the run's configuration: %w", err)
	}
	return c, nil
}

// Parts are what a run works with: built at the door, from the Config, and handed down. A replay needs only the model's
// codec.
type Parts struct {
	Model       llm.Model
	Free        bool                  // the model runs in this process
	Price       func(llm.Usage) int64 // of a model call, in millionths of a dollar; nil: free, or not known
	MaxTokens   int                   // of one answer; 0: the loop's default
	Judge       llm.Model             // of Config.Judge
	JudgePrice  func(llm.Usage) int64 // of a call of it; nil: not known
	Reader      Reader
	Given       func(ctx context.Context, url string, body []byte) (*corpus.Reading, error) // reads what a researcher outside hands in; nil: nothing is taken
	Renderer    Reader                                                                      // runs pages' scripts; nil: not offered
	Search      search.Provider                                                             // nil: no searching
	SearchPrice int64                                                                       // that is reserved for a search, in millionths of a dollar; what it cost, the provider says
	Caller      Caller                                                                      // of the tools of Config.Servers
	Workspace   *Workspace                                                                  // of Config.Workspace; its tools perform nothing without
	Approver    gate.Approver
	Base        *knowledge.Base   // of Config.Knowledge
	Branch      func(Parts) Parts // for another agent of the run: the same, over connections of its own; nil: all share theirs
	Observe     func(agent.Event)
}
