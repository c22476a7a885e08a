package eval

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"ibid/audit"
	"ibid/audit/claim"
	"ibid/audit/judge"
	"ibid/budget"
)

// A Labelled is a pair of which it is known whether its evidence carries the claim.
type Labelled struct {
	Set       string
	Supported bool
	Question  claim.Question
	flagged   bool // by rules, none of which blocks: what a judge is asked about in a run
}

// labels are what sets call their pairs, without case; true is what a judge should pass.
var labels = map[string]bool{"supports": true, "supported": true, "entailment": true, "refutes": false, "refuted": false, "contradicted": false, "contradiction": false,
	"nei": false, "not_enough": false, "not_enough_info": false, "not enough info": false, "partial": false, "neutral": false, "unsupported": false}

// ReadLabelled reads a file of pairs with a label. Lines that cannot be read, or have no label that is known, are told to
// bad and left out. The set is that of the field dataset, or else name.
func ReadLabelled(in io.Reader, name string, bad func(line int, err error)) (list []Labelled, err error) {
	r := bufio.NewReaderSize(in, 64<<10)
	for n := 1; ; n++ {
		line, err := readLine(r, maxPair)
		var tooLong *lineError
		switch {
		case err == io.EOF:
			return list, nil
		case errors.As(err, &tooLong):
			bad(n, err)
			continue
		case err != nil:
			return list, fmt.Errorf("reading line %d: %w", n, err)
		case len(bytes.TrimSpace(line)) == 0:
			continue
		}
		p, err := labelled(line, name)
		if err != nil {
			bad(n, err)
			continue
		}
		list = append(list, p)
	}
}

func labelled(line []byte, name string) (Labelled, error) {
	p, err := readPair(line)
	if err != nil {
		return Labelled{}, err
	}
	var more struct {
		Dataset string `json:"dataset"`
		Label   string `json:"label"`
	}
	if err := json.Unmarshal(line, &more); err != nil {
		return Labelled{}, audit.NoJSON("pair with a label", err)
	}
	supported, known := labels[strings.ToLower(strings.TrimSpace(more.Label))]
	if !known {
		return Labelled{}, fmt.Errorf("its label is %q, and not SUPPORTS, REFUTES or NEI", more.Label)
	}
	if more.Dataset != "" {
		name = more.Dataset
	}
	q := p.question()
	vs := claim.Check(q.Claim, q.Quote, q.Context)
	return Labelled{Set: name, Supported: supported, Question: q, flagged: len(vs) > 0 && !claim.Blocks(vs)}, nil
}

// A Calibration is what a judge is worth on labelled pairs. The threshold is chosen on one half of them and measured on the
// other; pairs over the same evidence are in one half.
type Calibration struct {
	Judge       string        `json:"judge"`
	Prompt      string        `json:"prompt"` // its version: a threshold is good for one model with one prompt
	FalseAlarms float64       `json:"false_alarms"`
	Threshold   int           `json:"threshold"`
	Reached     bool          `json:"reached"` // some threshold refuses no more of the supported pairs
	Pairs       int           `json:"pairs"`
	Judged      int           `json:"judged"`
	Chosen      judge.Count   `json:"chosen"`  // on the half that the threshold was chosen on
	Held        judge.Count   `json:"held"`    // on the other
	Flagged     judge.Count   `json:"flagged"` // of that, what rules flag: what a run asks about
	Sets        []SetCount    `json:"sets"`    // of that, by set
	Spent       budget.Amount `json:"spent"`
	Stopped     string        `json:"stopped,omitempty"` // why not all were judged
}

// A SetCount is a Count of one set.
type SetCount struct {
	Set string `json:"set"`
	judge.Count
}

// parallel is how many pairs are asked about side by side.
const parallel = 8

// Calibrate asks the judge about every pair and finds the threshold at which it refuses at most a share of the supported
// ones. When the budget is spent or the judge gives out, it is made of what was judged until then, and says so. progress is
// told how many are done, one at a time.
func Calibrate(ctx context.Context, pairs []Labelled, a *Asker, most float64, progress func(done int)) (Calibration, error) {
	c := Calibration{Judge: a.Judge.Model, Prompt: judge.Version(a.Judge.Prompt), FalseAlarms: most, Pairs: len(pairs), Sets: []SetCount{}}
	marks, err := askAll(ctx, pairs, a, progress)
	if ctx.Err() != nil {
		return c, context.Cause(ctx)
	}
	if err != nil {
		c.Stopped = err.Error()
	}
	var chosen, held, flagged []judge.Mark
	sets := map[string][]judge.Mark{}
	var order []string
	for i, m := range marks {
		if m == nil {
			continue
		}
		c.Judged++
		p := pairs[i]
		if sha256.Sum256([]byte(p.Question.Quote))[0]&1 == 0 {
			chosen = append(chosen, *m)
			continue
		}
		held = append(held, *m)
		if p.flagged {
			flagged = append(flagged, *m)
		}
		if sets[p.Set] == nil {
			order = append(order, p.Set)
		}
		sets[p.Set] = append(sets[p.Set], *m)
	}
	c.Threshold, c.Reached = judge.Threshold(chosen, most)
	c.Chosen, c.Held, c.Flagged = judge.Tally(chosen, c.Threshold), judge.Tally(held, c.Threshold), judge.Tally(flagged, c.Threshold)
	for _, set := range order {
		c.Sets = append(c.Sets, SetCount{set, judge.Tally(sets[set], c.Threshold)})
	}
	c.Spent = a.Ledger.Spent()
	return c, nil
}

// askAll asks about all pairs, several at a time. A pair that was not judged has no mark.
func askAll(ctx context.Context, pairs []Labelled, a *Asker, progress func(done int)) ([]*judge.Mark, error) {
	open, stop := context.WithCancelCause(ctx) // what is under way when it stops is waited for: it is paid
	defer stop(nil)
	marks := make([]*judge.Mark, len(pairs))
	next := make(chan int)
	var mu sync.Mutex
	var wg sync.WaitGroup
	done := 0
	for range min(parallel, len(pairs)) {
		wg.Go(func() {
			for i := range next {
				r, err := a.Ask(ctx, pairs[i].Question)
				mu.Lock()
				switch {
				case err == nil:
					marks[i] = &judge.Mark{Supported: pairs[i].Supported, Ruling: r}
				case !errors.Is(err, errUnjudged):
					stop(err)
				}
				done++
				progress(done)
				mu.Unlock()
			}
		})
	}
	for i := range pairs {
		select {
		case next <- i:
			continue
		case <-open.Done():
		}
		break
	}
	close(next)
	wg.Wait()
	return marks, context.Cause(open)
}
