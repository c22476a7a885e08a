package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ibid/agent"
	"ibid/budget"
	"ibid/gate"
	"ibid/llm"
	"ibid/llm/catalog"
	"ibid/research"
	"ibid/runs"
	"ibid/search"

	"github.com/alecthomas/kong"
)

// researchFlags shape a run; a configuration file may set them.
type researchFlags struct {
	Files          string   `help:"Research this folder of your own documents." placeholder:"DIR" type:"existingdir" env:"IBID_FILES" group:"What is researched:"`
	Corpus         string   `help:"Research this offline corpus: a folder with an index.json." placeholder:"DIR" type:"existingdir" env:"IBID_CORPUS" group:"What is researched:"`
	Search         []string `help:"Where to search, several are fused: local, or tavily, brave, wikipedia … (ibid doctor lists them). Left out: your documents, or what there is a key for." placeholder:"NAME" env:"IBID_SEARCH" group:"What is researched:"`
	MCP            []string `help:"MCP servers of the configuration whose tools the run may call, or none. Left out: all." name:"mcp" placeholder:"NAME" env:"IBID_MCP" config:"-" group:"What is researched:"`
	AllowHost      []string `help:"Read only from these hosts without asking." placeholder:"HOST" env:"IBID_ALLOW_HOST" group:"What is researched:"`
	Render         string   `help:"Run the scripts of pages that need it, in a browser: never, ask, allow." enum:"never,ask,allow" default:"never" env:"IBID_RENDER" group:"What is researched:"`
	OCR            string   `help:"Recognise the text of scanned pages with the tesseract program: never, allow." enum:"never,allow" default:"never" env:"IBID_OCR" group:"What is researched:"`
	Model          string   `help:"The model, as provider/model; extractive needs no key and no network. Left out: the first provider whose key is in the environment, or extractive." placeholder:"MODEL" env:"IBID_MODEL" group:"Models:"`
	Judge          string   `help:"A model that looks at what the rules flag in a claim, and may clear the flag. Left out: flags stay." placeholder:"MODEL" env:"IBID_JUDGE" group:"Models:"`
	JudgeThreshold int      `help:"The judge's score, 0 to 100, from which on it clears a flag; 'ibid audit calibrate' finds it." default:"80" placeholder:"SCORE" env:"IBID_JUDGE_THRESHOLD" group:"Models:"`
	Stream         bool     `help:"Let the model's answers come as streams." default:"true" negatable:"" env:"IBID_STREAM" group:"Models:"`
	Elide          bool     `help:"Let long results that are old give way to stubs in what is sent to the model." default:"true" negatable:"" env:"IBID_ELIDE" group:"Models:"`
	Compact        bool     `help:"Let the model summarise a conversation that its window no longer holds, or that costs more than a summary." default:"true" negatable:"" env:"IBID_COMPACT" group:"Models:"`
	CompactAt      int64    `help:"Tokens from which a conversation is summarised where the steps that are left pay for it (0: only for the window)." default:"48000" placeholder:"TOKENS" env:"IBID_COMPACT_AT" group:"Models:"`
	Window         int64    `help:"Tokens that the model takes (0: as the table of prices says, or 128,000)." placeholder:"TOKENS" env:"IBID_WINDOW" group:"Models:"`
	Tier           string   `help:"The budget: quick, standard, deep, or auto (the model chooses)." enum:"auto,quick,standard,deep" default:"auto" env:"IBID_TIER" group:"Limits:"`
	MaxSeconds     float64  `help:"Limit of seconds (0: the tier's)." env:"IBID_MAX_SECONDS" placeholder:"SECONDS" group:"Limits:"`
	MaxCost        float64  `help:"Limit of dollars (0: the tier's)." placeholder:"DOLLARS" env:"IBID_MAX_COST" group:"Limits:"`
	MaxTokens      int64    `help:"Limit of tokens (0: the tier's)." env:"IBID_MAX_TOKENS" placeholder:"TOKENS" group:"Limits:"`
	MaxSteps       int64    `help:"Limit of model turns (0: the tier's)." env:"IBID_MAX_STEPS" placeholder:"N" group:"Limits:"`
	MaxSearches    int64    `help:"Limit of searches (0: the tier's)." env:"IBID_MAX_SEARCHES" placeholder:"N" group:"Limits:"`
	MaxReads       int64    `help:"Limit of documents read (0: the tier's)." env:"IBID_MAX_READS" placeholder:"N" group:"Limits:"`
	Team           string   `help:"Agents that may work beside the first one at once: a number up to 8 (0: none), or auto: 3 in deep research." default:"auto" placeholder:"N" env:"IBID_TEAM" group:"Limits:"`
	Tag            []string `help:"What the run's costs are counted under; several may be given." placeholder:"TAG" env:"IBID_TAG" group:"Limits:"`
	Approve        string   `help:"Who decides where a person is needed: auto (by rule), console, deny, durable (the run parks until 'ibid gate approve'), or plan (it parks with its plan, to be edited and approved; the rest by rule)." enum:"auto,console,deny,durable,plan" default:"auto" env:"IBID_APPROVE" group:"Where a person is needed:"`
	AskAfter       int64    `help:"Ask before every read after this many (0: never)." default:"6" env:"IBID_ASK_AFTER" group:"Where a person is needed:"`
	AskAbove       float64  `help:"Ask when the run has cost more dollars than this (0: never)." env:"IBID_ASK_ABOVE" placeholder:"DOLLARS" group:"Where a person is needed:"`
	AskPlan        bool     `help:"Ask before a plan is followed." env:"IBID_ASK_PLAN" group:"Where a person is needed:"`
	KB             string   `name:"kb" help:"A knowledge base that the run may ask and add to." placeholder:"NAME" env:"IBID_KB" group:"What is remembered:"`
	KBStore        bool     `name:"kb-store" help:"Remember the run's findings and report in it." env:"IBID_KB_STORE" group:"What is remembered:"`
	KBWait         bool     `name:"kb-wait" help:"Absorb what the run remembered before it ends." env:"IBID_KB_WAIT" group:"What is remembered:"`
	workspaceFlags `embed:""`
}

// config turns flags into a run's configuration.
func (f *researchFlags) config(e *env, question string) (research.Config, error) {
	c, err := f.limits(question)
	if err != nil {
		return c, err
	}
	if err := e.chooseModel(&c, f.Model, f.Stream); err != nil {
		return c, err
	}
	if c.Context, err = f.context(c.Price); err != nil {
		return c, err
	}
	if f.MaxCost > 0 && c.Endpoint != nil && c.Price == nil {
		return c, noPrice(c.Model)
	}
	if err := e.chooseJudge(&c, f); err != nil {
		return c, err
	}
	if err := f.knowledge(e, &c); err != nil {
		return c, err
	}
	if err := e.chooseSearch(&c, f.Search); err != nil {
		return c, err
	}
	return c, e.chooseServers(&c, f.MCP)
}

// leastWindow is in tokens: the tools and the question alone take three thousand.
const leastWindow = 8_000

// context says how the conversation is kept short. Where more than so many tokens cost more for each, these count as the
// window.
func (f *researchFlags) context(price *catalog.Price) (*research.Context, error) {
	for _, given := range []struct {
		name string
		n    int64
	}{{"--window", f.Window}, {"--compact-at", f.CompactAt}} {
		if given.n != 0 && !(given.n >= leastWindow && given.n <= maxLimit) {
			return nil, &runs.Error{Code: runs.Invalid, Message: fmt.Sprintf("%s %d: no research fits into it", given.name, given.n), Hint: fmt.Sprintf("Give %d tokens at least, or 0 for the default.", leastWindow)}
		}
	}
	c := &research.Context{Window: f.Window, CompactAt: f.CompactAt, Elide: f.Elide, Compact: f.Compact}
	if c.Window == 0 {
		c.Window = window(price)
	}
	return c, nil
}

// window is how many tokens a model takes before it refuses them, or before more of them cost more for each; 0: not known.
func window(price *catalog.Price) int64 {
	switch {
	case price == nil:
		return 0
	case price.LongAbove > 0:
		return min(cmp.Or(price.Window, price.LongAbove), price.LongAbove)
	}
	return price.Window
}

// areLimits refuses what is no limit.
func areLimits(given ...float64) error {
	for _, n := range given {
		if !(n >= 0 && n <= maxLimit) {
			return &runs.Error{Code: runs.Invalid, Message: "a limit is negative, or no number that a limit can be", Hint: "Limits are numbers from 0; 0 means the tier's own."}
		}
	}
	return nil
}

// limitsOf are limits as flags give them.
func limitsOf(steps, searches, reads, tokens int64, seconds, dollars float64) (budget.Limits, error) {
	err := areLimits(float64(steps), float64(searches), float64(reads), float64(tokens), seconds, dollars)
	return budget.Limits{Steps: steps, Searches: searches, Reads: reads, Tokens: tokens, Millis: units(seconds, 1000), MicroUSD: units(dollars, 1e6)}, err
}

// limits turns the flags that bound a run into its configuration.
func (f *researchFlags) limits(question string) (research.Config, error) {
	c, err := research.New(question, budget.Tier(f.Tier))
	if err != nil {
		return c, &runs.Error{Code: runs.Invalid, Message: err.Error()}
	}
	if f.Files != "" && f.Corpus != "" {
		return c, &runs.Error{Code: runs.Invalid, Message: "--files and --corpus exclude each other", Hint: "Name one of the two."}
	}
	if err := areLimits(float64(f.AskAfter), f.AskAbove); err != nil {
		return c, err
	}
	own, err := limitsOf(f.MaxSteps, f.MaxSearches, f.MaxReads, f.MaxTokens, f.MaxSeconds, f.MaxCost)
	if err != nil {
		return c, err
	}
	c.Limits = c.Limits.With(own)
	if err := f.team(&c); err != nil {
		return c, err
	}
	if c.Tags, err = tags(f.Tag); err != nil {
		return c, err
	}
	c.Approver, c.Render, c.OCR = f.Approve, f.Render, f.OCR
	c.Policy = gate.Default()
	c.Policy.AllowedHosts, c.Policy.AskAfter, c.Policy.AskAbove = f.AllowHost, f.AskAfter, units(f.AskAbove, 1e6)
	c.Policy.AskPlan = f.AskPlan || f.Approve == "plan"
	if err := f.workspaceFlags.set(&c); err != nil {
		return c, err
	}
	if f.Files != "" {
		c.Files, err = filepath.Abs(f.Files)
	}
	if f.Corpus != "" && err == nil {
		c.Corpus, err = filepath.Abs(f.Corpus)
	}
	if err == nil {
		err = checkName(c.Files + c.Corpus) // the folder that a relative name stands in may be called as it likes
	}
	return c, err
}

// team says how many agents a run may have.
func (f *researchFlags) team(c *research.Config) error {
	if f.Team == "" || f.Team == "auto" {
		return nil
	}
	n, err := strconv.Atoi(f.Team)
	if err != nil || n < 0 || n > research.MaxTeam {
		return &runs.Error{Code: runs.Invalid, Message: fmt.Sprintf("--team %s: no number of agents", f.Team), Hint: fmt.Sprintf("Give a number from 0 to %d, or auto.", research.MaxTeam)}
	}
	c.Team = research.NewTeam(n)
	return nil
}

// tags are what costs are counted under: few and short, as each may become a label.
func tags(given []string) ([]string, error) {
	for _, t := range given {
		if t != strings.TrimSpace(t) || t == "" || len(t) > 60 || gate.Printable(t) != t || len(given) > 10 {
			return nil, &runs.Error{Code: runs.Invalid, Message: fmt.Sprintf("%q is no tag, or there are too many", t), Hint: "Up to ten tags, each of up to 60 printable characters."}
		}
	}
	return given, nil
}

// maxLimit is more than any limit means, and still exact in the smallest units.
const maxLimit = 1e9

// units is a limit in its smallest units; one that is less than a unit is a unit, as 0 would mean none.
func units(n, each float64) int64 {
	if n == 0 {
		return 0
	}
	return max(int64(n*each), 1)
}

type researchCmd struct {
	Question string `arg:"" help:"The question; - reads it from stdin."`
	Detach   bool   `help:"Leave the run to a worker ('ibid worker', 'ibid serve'), print its id, and do not wait for it."`
	researchFlags
}

// Run starts a run, works on it, and prints its report.
func (c *researchCmd) Run(e *env, kctx *kong.Context) error {
	question := c.Question
	if question == "-" {
		text, err := io.ReadAll(io.LimitReader(e.in, 1<<16))
		if err != nil {
			return fmt.Errorf("reading the question from stdin: %w", err)
		}
		question = string(text)
	}
	if e.cli.Server != "" {
		return c.remotely(e, kctx, question)
	}
	config, err := c.config(e, question)
	if err != nil {
		return err
	}
	d, err := e.desk()
	if err != nil {
		return err
	}
	defer d.close()
	if err := e.ready(config); err != nil {
		return err
	}
	e.said(config)
	if c.Detach {
		return d.detach(e, config)
	}
	id, err := d.engine.Start(e.ctx, config)
	if err != nil {
		return err
	}
	return d.work(e, id)
}

// ready says whether a run can begin, before it is written down: its model's key and its documents are there.
func (e *env) ready(c research.Config) error {
	var p research.Parts
	if err := e.model(c, &p, false); err != nil || len(c.Search) > 0 && !slices.Contains(c.Search, localSearch) {
		return err
	}
	_, release, err := openShelf(c)
	return errors.Join(err, release())
}

// show prints a finished run's report and says how it went; the exit code tells a verified report from an incomplete
// one. Nothing that failed its check is printed.
func show(e *env, id string, r *research.Result) error {
	switch {
	case r.Stop == "parked":
		fmt.Fprintf(e.err, "run %s waits for a decision:\n  ibid gate list %s\n  ibid resume %s\n", id, id, id)
		return exit(exitGate)
	case r.Stop == "cancelled":
		fmt.Fprintf(e.err, "run %s was stopped before its end. What it did is kept:\n  ibid resume %s\n", id, id)
		return exit(exitAborted)
	case !r.Verified:
		fmt.Fprintf(e.err, "run %s: the report did not pass its check and is not printed:\n%s", id, failures(r.Check))
		return exit(exitIntegrity)
	}
	if r.Stop == agent.StopFailed && len(r.Findings) == 0 {
		return modelFailed(e, r.Err)
	}
	w := bufio.NewWriter(e.out)
	if e.cli.JSON {
		line, err := json.Marshal(struct {
			Type   string          `json:"type"`
			Run    string          `json:"run"`
			Report json.RawMessage `json:"report"`

			Knowledge *research.Memorised `json:"knowledge,omitempty"` // what was left in the knowledge base
		}{"result", id, r.JSON, r.Memorised})
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s\n", line)
	} else {
		_, _ = w.Write(r.Markdown) // Flush says it again
	}
	if err := w.Flush(); err != nil {
		return &runs.Error{Code: runs.Internal, Message: "writing the report", Err: err, Hint: "It is kept: ibid report " + id}
	}
	if !e.cli.Quiet {
		fmt.Fprintf(e.err, "run %s: %s\n", id, r.Shape.String())
	}
	memorised(e, r.Memorised)
	skipped(e, r.Skipped)
	for _, failed := range r.Failures {
		fmt.Fprintf(e.err, "%s\n", gate.Printable(failed.Error()))
	}
	unauthorised := slices.ContainsFunc(r.Failures, func(f search.Error) bool { return f.Outcome == search.Unauthorised })
	switch {
	case r.Stop == agent.StopFailed:
		return modelFailed(e, r.Err)
	case !r.Stop.Complete():
		fmt.Fprintf(e.err, "the report is incomplete (%s); it names what is missing%s\n", strings.TrimPrefix(string(r.Stop), "budget:"), advice(r.Stop))
		return exit(exitIncomplete)
	case len(r.Findings) == 0 && unauthorised:
		return exit(exitConfig)
	case len(r.Findings) == 0:
		fmt.Fprintln(e.err, "nothing was established"+e.elsewhere(id, r))
		return exit(exitIncomplete)
	}
	return nil
}

// elsewhere says where else to look, where a run has searched nothing but what ibid brings along.
func (e *env) elsewhere(id string, r *research.Result) string {
	info, err := e.journal.Info(e.ctx, id)
	if err != nil || r.Shape.Searches == 0 {
		return ""
	}
	c, err := research.ParseConfig(info.Config)
	if err != nil || c.Files+c.Corpus+c.Workspace != "" || len(c.Search)+len(c.Policy.AllowedHosts) > 0 {
		return ""
	}
	return ": the bundled corpus is small, and invented. Name documents of yours with --files, or have the web searched ('ibid doctor' tells how)"
}

// skipped names the documents that could not be searched, and why: what they say is not in the report.
func skipped(e *env, list []search.Skipped) {
	if len(list) == 0 {
		return
	}
	what := "1 document could not be searched in full"
	if len(list) > 1 {
		what = fmt.Sprintf("%d documents could not be searched in full", len(list))
	}
	fmt.Fprintf(e.err, "%s; what they say is not in the report:\n", what)
	for _, d := range list {
		fmt.Fprintf(e.err, "  %s: %s\n", gate.Printable(d.URL), gate.Printable(d.Reason))
	}
}

// advice names the flag that moves the limit a run ended at.
func advice(stop agent.Stop) string {
	flag := map[agent.Stop]string{agent.OverBudgetStop(budget.Seconds): "--max-seconds", agent.OverBudgetStop(budget.Dollars): "--max-cost",
		agent.OverBudgetStop(budget.Tokens): "--max-tokens", agent.OverBudgetStop(budget.Steps): "--max-steps"}[stop]
	if flag == "" {
		return ""
	}
	return " (" + flag + " or --tier deep moves the limit)"
}

// modelFailed says why a model gave no answer. A refused key is a matter of configuration.
func modelFailed(e *env, err error) error {
	fmt.Fprintf(e.err, "ibid: %v\n", err)
	var failed *agent.ModelError
	if errors.As(err, &failed) {
		if cause := failed.Cause(); cause != nil && (cause.Kind == llm.Auth || cause.Kind == llm.Quota) {
			fmt.Fprintln(e.err, "Look at the provider's key and account; 'ibid doctor' tells which variable holds the key.")
			return exit(exitConfig)
		}
	}
	return exit(exitFailed)
}
