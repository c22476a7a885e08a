package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"ibid/agent"
	"ibid/client"
	"ibid/corpus/bundled"
	"ibid/extract"
	"ibid/fetch"
	"ibid/fetch/render"
	"ibid/journal"
	"ibid/llm"
	"ibid/llm/catalog"
	"ibid/research"
	"ibid/runs"
	"ibid/search"
)

type doctorCmd struct {
	Calls bool `help:"Make one cheap call to each provider that has a key." default:"true" negatable:""`
}

// A check is one line of the doctor. What is only not set up is no fault.
type check struct {
	Name  string `json:"name"`
	State string `json:"state"` // ok, off (not set up), FAIL
	Found string `json:"found"`
}

// checks collects lines, also from calls that are made side by side; each keeps its place, and is there when wg is done.
type checks struct {
	list []*check
	wg   sync.WaitGroup
}

func (c *checks) add(name, found string, err error) {
	c.list = append(c.list, (&check{Name: name}).found(found, err))
}

// off is a line for what is not set up.
func (c *checks) off(name, hint string) {
	c.list = append(c.list, &check{name, "off", hint})
}

// call makes a line of what an exchange says, in its own time.
func (c *checks) call(ctx context.Context, name string, f func(context.Context) (string, error)) {
	line := &check{Name: name}
	c.list = append(c.list, line)
	c.wg.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
		defer cancel()
		line.found(f(ctx))
	})
}

// found completes a line.
func (c *check) found(text string, err error) *check {
	c.State, c.Found = "ok", text
	if err != nil {
		c.State, c.Found = "FAIL", strings.Join(strings.Fields(err.Error()), " ")
	}
	return c
}

// Run checks what a run needs, a line each, with one cheap call to each provider that is set up, and says what to set for
// the others. It ends with 4 if something is broken.
func (c *doctorCmd) Run(e *env) error {
	list := &checks{}
	e.checkMachine(list)
	known, err := e.origin.catalog()
	if err != nil {
		list.add("prices", "", err)
	} else {
		e.checkPrices(list, known)
		e.checkModels(list, known, c.Calls)
		e.checkSearches(list, known, c.Calls)
		e.checkEmbeddings(list, c.Calls)
	}
	e.checkServers(list, c.Calls)
	e.checkWeb(list)
	e.checkRun(list)
	list.wg.Wait()
	broken := false
	for _, c := range list.list {
		broken = broken || c.State == "FAIL"
		if !e.cli.JSON {
			fmt.Fprintf(e.out, "%-4s  %-26s %s\n", c.State, c.Name, c.Found)
		}
	}
	if e.cli.JSON {
		if err := json.NewEncoder(e.out).Encode(list.list); err != nil {
			return err
		}
	}
	if broken {
		return exit(exitConfig)
	}
	return nil
}

// checkMachine looks at what is here: the folder, the store, the bundled corpus, the clock.
func (e *env) checkMachine(list *checks) {
	if e.cli.Server != "" {
		err := e.withClient(func(c *client.Client) error {
			_, err := c.List(e.ctx, runs.Page{Limit: 1})
			return err
		})
		list.add("server", e.cli.Server+" answers; commands that work with runs use its runs, docs/service.md lists them", err)
	}
	home, err := e.home()
	list.add("folder for runs", home, err)
	d, err := e.desk()
	if err == nil {
		defer d.close()
		var n []journal.Info
		if n, err = d.journal.Runs(e.ctx, 1000); err == nil {
			var about string
			about, err = d.db.About(e.ctx)
			if traces, wrong := d.db.Traces(e.ctx); wrong == nil && traces > 0 {
				about += fmt.Sprintf("; its files may hold traces of %s: clear them with ibid gc", count(traces, "deletion"))
			}
			list.add("store", fmt.Sprintf("%s; %s", count(len(n), "run"), about), err)
		} else {
			list.add("store", "", err)
		}
	} else {
		list.add("store", "", err)
	}
	shelf, err := fetch.NewOffline(bundled.FS)
	if err == nil {
		list.add("bundled corpus", count(len(shelf.Entries()), "document"), nil)
	} else {
		list.add("bundled corpus", "", err)
	}
	clock := time.Now()
	if clock.Year() < 2026 {
		err = fmt.Errorf("it says %s; times in reports would be wrong", clock.Format(time.DateOnly))
	}
	list.add("clock", clock.UTC().Format(time.RFC3339), err)
}

// oldPrices is when a table of prices wants another look.
const oldPrices = 180 * 24 * time.Hour

func (e *env) checkPrices(list *checks, known *catalog.Catalog) {
	text := "of " + known.Date()
	if date, err := time.Parse(time.DateOnly, known.Date()); err == nil && time.Since(date) > oldPrices {
		text += ": they may have changed; a newer ibid, or [price] in the configuration, has others"
	}
	list.add("prices", text, nil)
}

// checkModels asks each provider that has a key for one word.
func (e *env) checkModels(list *checks, known *catalog.Catalog, calls bool) {
	list.add("model extractive", "needs no key and no network", nil)
	for _, p := range known.Providers() {
		name := "model " + p.Name
		_, set := keyOf(p)
		switch {
		case !set:
			list.off(name, "set "+strings.Join(p.KeyEnv, " or "))
		case p.DefaultModel == "":
			list.off(name, "at "+p.URL+"; name one of its models: --model "+p.Name+"/MODEL")
		case !calls:
			list.add(name, "there is a key; not called", nil)
		default:
			list.call(e.ctx, name, func(ctx context.Context) (string, error) { return e.askModel(ctx, p) })
		}
	}
}

// askModel makes a call as a run would, with as short an answer as can be.
func (e *env) askModel(ctx context.Context, p catalog.Provider) (string, error) {
	c := research.Config{Question: "doctor"}
	if err := e.chooseModel(&c, p.Name+"/"+p.DefaultModel, true); err != nil {
		return "", err
	}
	var parts research.Parts
	if err := e.model(c, &parts, false); err != nil {
		return "", err
	}
	body, err := parts.Model.Encode(llm.Request{Model: c.Model, Choice: llm.ChoiceNone, MaxTokens: 256, Messages: []llm.Message{{Role: llm.User, Blocks: []llm.Block{{Text: "Answer with the word ok."}}}}})
	if err != nil {
		return "", err
	}
	began := time.Now()
	answer, err := parts.Model.Send(ctx, body, "doctor")
	if err != nil {
		return "", explainModel(err, p)
	}
	if _, err := parts.Model.Decode(answer); err != nil {
		return "", err
	}
	price := "; its price is not known"
	if c.Price != nil {
		price = fmt.Sprintf("; $%g in, $%g out for a million tokens", c.Price.Input, c.Price.Output)
	}
	return fmt.Sprintf("%s answered in %.1f s%s", p.DefaultModel, time.Since(began).Seconds(), price), nil
}

// explainModel adds what to set where a key was refused.
func explainModel(err error, p catalog.Provider) error {
	e := (&agent.ModelError{Model: p.Name, Err: err}).Cause()
	if e != nil && e.Kind == llm.Auth {
		return fmt.Errorf("%w (look at %s)", err, strings.Join(p.KeyEnv, ", "))
	}
	return err
}

// checkSearches makes one search with each provider that is set up.
func (e *env) checkSearches(list *checks, known *catalog.Catalog, calls bool) {
	for _, k := range search.Kinds() {
		name, own := "search "+k.Name, e.searchTable(k)
		models := k.Name == catalog.Anthropic || k.Name == catalog.OpenAI
		switch {
		case k.NeedsKey && os.Getenv(own.KeyEnv) == "":
			list.off(name, "set "+own.KeyEnv+"; see "+k.Site)
		case k.NeedsURL && own.URL == "":
			list.off(name, "set "+strings.ToUpper(k.Name)+"_URL; see "+k.Site)
		case !k.NeedsKey && !k.NeedsURL && own.URL == "":
			list.add(name, "needs no key: --search "+k.Name, nil)
		case !calls || models:
			list.add(name, "there is a key; not called", nil)
		default:
			list.call(e.ctx, name, func(ctx context.Context) (string, error) {
				p, err := e.openSearch(k.Name, &research.Config{}, known)
				if err != nil {
					return "", err
				}
				began := time.Now()
				answer, err := p.Search(ctx, "citation", 1)
				var failed *search.Error
				if errors.As(err, &failed) && failed.Outcome == search.Degraded {
					return "answers in part: " + failed.Reason, nil
				}
				return fmt.Sprintf("%s in %.1f s", count(len(answer.Results), "result"), time.Since(began).Seconds()), err
			})
		}
	}
}

// checkRun says what a run without flags would use.
func (e *env) checkRun(list *checks) {
	c := research.Config{}
	err := e.chooseModel(&c, cmp.Or(os.Getenv("IBID_MODEL"), e.origin.values["model"]), true)
	if err == nil {
		var named []string
		if v := cmp.Or(os.Getenv("IBID_SEARCH"), e.origin.values["search"]); v != "" {
			named = strings.Split(v, ",")
		}
		err = e.chooseSearch(&c, named)
	}
	where := strings.Join(c.Search, ", ")
	if where == "" {
		where = "local: --files, --corpus or the bundled corpus, which is invented"
	}
	list.add("a run now would use", c.Model+"; searching "+where, err)
	switch judge := cmp.Or(os.Getenv("IBID_JUDGE"), e.origin.values["judge"]); judge {
	case "":
		list.off("judge", "what rules flag in a claim stays flagged; a second model may look at it: --judge provider/model")
	default:
		name, _, price, err := e.judgeModel(judge, false)
		if err == nil && price == nil {
			name += "; its price is not known"
		}
		list.add("judge", name, err)
	}
}

// checkWeb looks at what reading the web takes.
func (e *env) checkWeb(list *checks) {
	t := &e.origin.tables.Fetch
	_, err := t.client()
	text := userAgent(t.Contact)
	if t.Contact == "" {
		text += "; set contact under [fetch], so that owners of sites can reach you"
	}
	list.add("web", text, err)
	var none *fetch.Unavailable
	switch path, err := render.Find(t.Browser); {
	case errors.As(err, &none):
		list.off("browser", "only --render needs one. "+none.Hint)
	default:
		list.add("browser", path+"; --render ask lets a run use it", err)
	}
	switch path, languages, err := extract.OCRProgram(e.ctx); {
	case path == "":
		list.off("tesseract", "only --ocr needs it: "+err.Error())
	default:
		list.add("tesseract", path+", for "+strings.Join(languages, ", ")+"; --ocr allow lets a run use it", err)
	}
}
